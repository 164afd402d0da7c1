"""AIVAT: variance reduction for matches of players whose strategy is known.

Fix a guess V(h) of what a seat will win from any history h. At every step whose odds we know, what
was to be expected is compared with what came, and the difference is given back:

    X = u(z) + sum over such steps h -> ha of  [ sum_b p(b|h) V(hb) - V(ha) ]

Each bracket has mean zero, so X has the mean of u whatever V is; the better the guess, the smaller
the variance. Chance is always known, a player is if it tells its strategy.

With **imagined hands** of a known seat, every term is the average over all private cards that the
seat may have had, given everything public and the cards of the others: weights are the product of
chance and of the seat's own strategy so far. A lucky card that would have come to any hand, and a
bluff that stands for all hands that bluff, are luck no more.

Paper: Burch, Schmid, Moravčík, Morrill & Bowling (2018), "AIVAT: a new variance reduction technique
for agent evaluation in imperfect information games", arXiv 1612.06915.

V must be fixed before the data is looked at. For hold'em it is fixed here, see `aivat_hand`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.agents.agent import KnownStrategy, Policies
from tiltless.cards.card import COMBO_CARDS, COMBO_OF
from tiltless.cards.hand_order import STANDARD, hand_tables
from tiltless.cards.matchups import HOLDING, edges_against_all, preflop_matchups
from tiltless.errors import OptionError
from tiltless.games.game import CHANCE, TERMINAL, Game, State
from tiltless.games.holdem.actions import Action, Fold
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.history import PastDecision, StreetDeal, steps, view_before
from tiltless.games.holdem.state import HoldemState
from tiltless.kernels.cards.all_in import sum_winnings

__all__ = ["Play", "Value", "aivat", "aivat_hand", "check_game"]

Value = Callable[[Any], float]
"""What a seat will win from a state: a guess."""
Play = Callable[[Any], Mapping[Any, float]]
"""The probability of each action of the player to act at a state."""

_Vector = npt.NDArray[np.float64]
_TWO_CHIPS, _BOTH = np.array([2], np.int64), np.ones((1, 2), np.uint8)


def aivat(
    game: Game,
    moves: Sequence[Any],
    seat: int,
    value: Value,
    known: Mapping[int, Play],
    imagined: int | None = None,
) -> float:
    """The result of ``seat`` in a game of any kind, that took these ``moves``, chance included.

    known: the strategies that we know, by player.  imagined: one of them, whose private cards are
    averaged over. Every outcome of chance is listed, so this is for small games; see `aivat_hand`.
    """
    if imagined is not None and imagined not in known:
        raise OptionError(f"player {imagined} is to be imagined; its strategy must be known")
    here: State = game.start()
    worlds: list[tuple[State, float]] = [(here, 1.0)]
    luck = 0.0
    for move in moves:
        if here.actor == CHANCE or here.actor in known:
            hidden = here.chance is not None and here.chance.seen_by == (imagined,)
            expected, after = 0.0, []
            for world, weight in worlds:
                for each, odds in _odds(world, known):
                    then = world.apply(each)
                    guess = value(then)
                    expected += weight * odds * guess
                    if odds > 0 and (hidden or each == move):
                        after.append((then, weight * odds, guess))
            total = sum(weight for _, weight, _ in after)
            if not total:
                raise OptionError(f"{game.action_text(move)} has no chance here; check ``known``")
            worlds = [(world, weight / total) for world, weight, _ in after]
            luck += sum(weight * guess for _, weight, guess in after) / total - expected
        else:
            worlds = [(world.apply(move), weight) for world, weight in worlds]
        here = here.apply(move)
    if here.actor != TERMINAL:
        raise OptionError("the game is not over after these moves; give all of them")
    return sum(weight * world.payoffs[seat] for world, weight in worlds) - luck


def _odds(state: State, known: Mapping[int, Play]) -> Sequence[tuple[Any, float]]:
    if state.chance is not None:
        return list(state.chance.outcomes())
    return list(known[state.actor](state).items())


def aivat_hand(
    final: HoldemState,
    seat: int,
    known: Mapping[int, KnownStrategy],
    imagined: int | None = None,
) -> float:
    """The result of ``seat`` in a hand of hold'em between two players, in chips.

    known: the agents that can tell their strategy, by seat.  imagined: one of these seats, whose
    cards are averaged over.

    V is the exact equity of the two hands, all in, times the pot, less the own chips, without what
    is not called yet:  V = (chance to win - chance to lose) * chips of each seat; where somebody
    has folded, what it really cost. The mean of the equity over the next cards is the equity
    before, so no card that did not come need be looked at.

    An action that a strategy gives no chance (a ruling of the dealer) has no term. Standard hands
    and boards of five cards; no big blind ante, whose chips are not of both.
    """
    if final.actor != TERMINAL:
        raise OptionError("the hand is not over; AIVAT needs its last state")
    check_game(final.table.game)
    if imagined is not None and imagined not in known:
        raise OptionError(f"seat {imagined} is to be imagined; its strategy must be known")
    luck, view = _Luck(final, seat, imagined), final.view(seat)
    for step in steps(final):
        if isinstance(step, StreetDeal):
            luck.deal(step)
        elif isinstance(step, PastDecision) and step.seat in known:
            before = view_before(view, step)._replace(cards=final.hole[step.seat])
            luck.act(step, known[step.seat].policies(before))
    return luck.result(final)


def check_game(game: Holdem) -> None:
    """`OptionError` for a game whose hands `aivat_hand` does not take."""
    if game.players != 2:
        raise OptionError(f"AIVAT takes hands of two players; {game.name} has {game.players}")
    if game.order != STANDARD or game.hidden is not None or game.rules.run_suits:
        raise OptionError(f"AIVAT takes hands of the standard order; {game.name} has another")
    if game.rules.big_blind_ante:
        raise OptionError("AIVAT does not take a big blind ante; play without")


class _Luck:
    """The worlds of a hand, one for each combo of a seat against the true one of the other.

    combos: of the seat whose cards may be imagined, or its true one alone.  weights: of the worlds,
    they sum to 1.  edges: chance to win less chance to lose of *seat* in each world.
    total: luck so far, in chips of ``seat``.
    """

    def __init__(self, final: HoldemState, seat: int, imagined: int | None) -> None:
        self.seat, self.imagined = seat, imagined
        self.mover = seat if imagined is None else imagined  # whose combos the worlds are
        other = final.hole[1 - self.mover]
        self.fixed = int(COMBO_OF[other[0], other[1]])
        own = final.hole[self.mover]
        self.true = int(COMBO_OF[own[0], own[1]])
        if imagined is None:
            self.combos = np.array([self.true])
        else:
            self.combos = np.flatnonzero(~HOLDING[list(other)].any(axis=0))
        self.sign = 1.0 if self.mover == seat else -1.0
        self.weights: _Vector = np.full(len(self.combos), 1 / len(self.combos))
        self.edges = self._edges(())
        # before the cards, both seats are alike: the expectation is 0
        self.start = final.table.stacks
        self.total = self._mean_edge() * _matched(self.start, final.opening.stacks)

    def _edges(self, board: tuple[int, ...]) -> _Vector:
        """Of ``seat`` in each world."""
        against: _Vector
        if not board:
            against = preflop_matchups()[self.combos, self.fixed] / 1_712_304
        elif len(self.combos) == 1:
            against = -_edge_of_two(self.fixed, self.true, board)
        else:
            against = -edges_against_all(self.fixed, np.array(board, np.uint8))[self.combos]
        return self.sign * against

    def _mean_edge(self) -> float:
        return float(self.weights @ self.edges)

    def deal(self, street: StreetDeal) -> None:
        """After cards of the board."""
        chips = _matched(self.start, street.betting.stacks)
        before = self._mean_edge()
        if len(self.combos) > 1:
            free = ~HOLDING[list(street.cards)][:, self.combos].any(axis=0)
            self.combos, self.weights = self.combos[free], self.weights[free]
            self.weights = self.weights / self.weights.sum()
        self.edges = self._edges(street.board)
        self.total += (self._mean_edge() - before) * chips

    def act(self, past: PastDecision, strategy: Policies) -> None:
        """After an action of a player whose strategy is known."""
        actions, chances = strategy
        if past.action not in actions:
            return
        moved, place = past.seat == self.mover, actions.index(past.action)
        if moved:
            rows = chances[self.combos].astype(np.float64)
            odds, edges = self.weights @ rows, (self.weights * self.edges) @ rows
        else:
            odds = chances[self.fixed].astype(np.float64)
            edges = odds * self._mean_edge()
        if not odds[place] > 0:
            return
        expected = 0.0
        for action, mean_odds, mean_edge in zip(
            actions, odds.tolist(), edges.tolist(), strict=True
        ):
            if mean_odds > 0:
                expected += self._guess(past, action, mean_odds, mean_edge)
        if moved:
            weights = self.weights * rows[:, place]
            self.weights = weights / weights.sum()
        self.total += self._guess(past, past.action, 1.0, self._mean_edge()) - expected

    def _guess(self, past: PastDecision, action: Action, odds: float, edge: float) -> float:
        """V after an action, summed over worlds: their odds, and their odds times their edges."""
        if isinstance(action, Fold):
            lost = _matched(self.start, past.betting.stacks)
            return odds * (-lost if past.seat == self.seat else lost)
        return edge * _matched(self.start, past.betting.after(action).stacks)

    def result(self, final: HoldemState) -> float:
        """The payoff, averaged over worlds, less the luck."""
        live = final.betting.live
        if self.imagined is None or not live & live - 1:
            return final.payoffs[self.seat] - self.total
        return self._mean_edge() * _matched(self.start, final.betting.stacks) - self.total


def _matched(start: tuple[int, ...], now: tuple[int, ...]) -> float:
    """The chips of each of two seats that the other one has matched."""
    return float(min(start[0] - now[0], start[1] - now[1]))


def _edge_of_two(one: int, two: int, board: tuple[int, ...]) -> _Vector:
    """Chance to win less chance to lose of a combo against another, over all final boards."""
    hands = COMBO_CARDS[[one, two]]
    gone = {*board, *hands.ravel().tolist()}
    deck = np.array([card for card in range(52) if card not in gone], np.uint8)
    taken = np.zeros(2, np.int64)
    count = sum_winnings(
        np.array(board, np.uint8), deck, hands, _TWO_CHIPS, _BOTH, hand_tables(STANDARD), taken
    )
    return np.array([taken[0] / count - 1.0])
