"""AIVAT: variance reduction for matches of players whose strategy is known.

Fix an estimate V(h) of what a seat will win from any history h. At every step whose probabilities
are known, the outcome is compared with the expectation, and the difference is corrected:

    X = u(z) + sum over such steps h -> ha of  [ sum_b p(b|h) V(hb) - V(ha) ]

Each bracket has mean zero, so X has the same mean as u whatever V is; the better the estimate, the
smaller the variance. Chance is always known, and a player is if it reveals its strategy.

With **imagined observations** of a known seat, every term is averaged over all private cards that
the seat could have held, given the public history and the others' cards; weights are the product of
chance and of the seat's own strategy so far. So the result does not depend on which of these hands
the seat happened to hold.

Paper: Burch, Schmid, Moravčík, Morrill & Bowling (2018), "AIVAT: a new variance reduction technique
for agent evaluation in imperfect information games", arXiv 1612.06915.

V must be fixed before looking at the data. For hold'em it is fixed here, see `aivat_hand`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.agents.agent import KnownStrategy, Policies
from tiltless.arena.estimators.aivat_table import aivat_table
from tiltless.arena.estimators.checked_policies import checked_policies
from tiltless.arena.estimators.run_edges import next_card_edges, shown_edges
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

__all__ = ["Play", "Value", "aivat", "aivat_hand", "check_game", "edges_on"]

Value = Callable[[Any], float]
"""An estimate of what a seat will win from a state."""
Play = Callable[[Any], Mapping[Any, float]]
"""The probability of each action of the player to act at a state."""

_Vector = npt.NDArray[np.float64]
_BOARD = 5  # cards; only a run goes on
_TWO_CHIPS, _BOTH = np.array([2], np.int64), np.ones((1, 2), np.uint8)


def aivat(
    game: Game,
    moves: Sequence[Any],
    seat: int,
    value: Value,
    known: Mapping[int, Play],
    imagined: int | None = None,
) -> float:
    """The AIVAT result of ``seat`` in any game, after all ``moves``, chance included.

    value: V.  known: the known strategies, by player.  imagined: one of these players, whose
    private cards are averaged over. All outcomes of chance are enumerated, so this is for small
    games; for hold'em see `aivat_hand`.
    """
    if imagined is not None and imagined not in known:
        raise OptionError(f"imagined={imagined} must be a player in known; add its strategy")
    here: State = game.start()
    worlds: list[tuple[State, float]] = [(here, 1.0)]
    correction = 0.0
    for move in moves:
        if here.actor == CHANCE or here.actor in known:
            hidden = here.chance is not None and here.chance.seen_by == (imagined,)
            expected, after = 0.0, []
            for world, weight in worlds:
                for each, prob in _probs(world, known):
                    then = world.apply(each)
                    estimate = value(then)
                    expected += weight * prob * estimate
                    if prob > 0 and (hidden or each == move):
                        after.append((then, weight * prob, estimate))
            total = sum(weight for _, weight, _ in after)
            if not total:
                raise OptionError(f"{game.action_text(move)} has probability 0; check ``known``")
            worlds = [(world, weight / total) for world, weight, _ in after]
            correction += sum(weight * guess for _, weight, guess in after) / total - expected
        else:
            worlds = [(world.apply(move), weight) for world, weight in worlds]
        here = here.apply(move)
    if here.actor != TERMINAL:
        raise OptionError("the game is not over after these moves; give all of them")
    return sum(weight * world.payoffs[seat] for world, weight in worlds) - correction


def _probs(state: State, known: Mapping[int, Play]) -> Sequence[tuple[Any, float]]:
    """Outcomes or actions at a state, with their probabilities."""
    if state.chance is not None:
        return list(state.chance.outcomes())
    return list(known[state.actor](state).items())


def aivat_hand(
    final: HoldemState,
    seat: int,
    known: Mapping[int, KnownStrategy],
    imagined: int | None = None,
) -> float:
    """The AIVAT result of ``seat`` in a hand of hold'em, in chips.

    Of two players as below; of more see `tiltless.arena.estimators.aivat_table`.

    known: the agents that reveal their strategy, by seat.  imagined: one of these seats, whose
    cards are averaged over.

    V is the exact all-in equity of the two hands:  V = (P(win) - P(lose)) * chips of each seat,
    without chips that are not called yet; after a fold, the actual result. The mean of the equity
    over the next cards equals the equity before them, so other runouts need not be enumerated.

    In River of Blood V is the equity at the river, as if hands were shown there. Once the river is
    red, it is the equity over one more card, and so on: the mean over the cards of the next deal is
    exact at each step, which is enough. What a longer run would change is not corrected.

    An action with probability 0 (a ruling of the dealer) has no term. For standard hands and no big
    blind ante, whose chips only one seat pays.
    """
    if final.actor != TERMINAL:
        raise OptionError("the hand is not over; AIVAT needs its last state")
    check_game(final.table.game)
    if imagined is not None and imagined not in known:
        raise OptionError(f"imagined={imagined} must be a seat in known; add its agent")
    if final.game.players > 2:
        return aivat_table(final, seat, known, imagined)
    terms, view = _Correction(final, seat, imagined), final.view(seat)
    for step in steps(final):
        if isinstance(step, StreetDeal):
            terms.deal(step)
        elif isinstance(step, PastDecision) and step.seat in known:
            before = view_before(view, step)._replace(cards=final.hole[step.seat])
            terms.act(step, checked_policies(known[step.seat], before))
    return terms.result(final)


def check_game(game: Holdem) -> None:
    """`OptionError` for a game that `aivat_hand` does not support."""
    if game.order != STANDARD or game.hidden is not None:
        raise OptionError(
            f"AIVAT needs the standard order of hands, not that of {game.name}; use raw or all-in"
        )
    if game.rules.run_suits and game.players > 2:
        raise OptionError(
            f"AIVAT of {game.name} is for two seats, not {game.players}; use raw or all-in"
        )
    if game.rules.big_blind_ante and game.players == 2:
        raise OptionError("AIVAT of two players has no big blind ante; use raw or all-in")


class _Correction:
    """The correction terms of a hand, over worlds: combos of one seat against the other's hand.

    combos: of the imagined seat, or the true combo alone.  weights: of the worlds; they sum to 1.
    edges: P(win) - P(lose) of ``seat`` in each world.  total: sum of the terms so far, in chips of
    ``seat``.
    """

    def __init__(self, final: HoldemState, seat: int, imagined: int | None) -> None:
        self.seat, self.imagined = seat, imagined
        self.mover = seat if imagined is None else imagined  # the seat whose combos vary
        other = final.hole[1 - self.mover]
        self.fixed = int(COMBO_OF[other[0], other[1]])
        own = final.hole[self.mover]
        self.true = int(COMBO_OF[own[0], own[1]])
        if imagined is None:
            self.combos = np.array([self.true])
        else:
            self.combos = np.flatnonzero(~HOLDING[list(other)].any(axis=0))
        self.sign = 1.0 if self.mover == seat else -1.0
        self.rules = final.game.rules
        self.weights: _Vector = np.full(len(self.combos), 1 / len(self.combos))
        self.edges = self._edges(())
        # before the deal both seats have the same prospects: the expectation is 0
        self.start = final.table.stacks
        self.total = self._mean_edge() * _matched(self.start, final.opening.stacks)

    def _edges(self, board: tuple[int, ...]) -> _Vector:
        """P(win) - P(lose) of ``seat`` in each world."""
        against: _Vector
        if not board:
            against = preflop_matchups()[self.combos, self.fixed] / 1_712_304
        elif len(board) > _BOARD:
            against = -shown_edges(self.fixed, board)[self.combos]
        elif len(self.combos) == 1:
            against = -_edge_of_two(self.fixed, self.true, board)
        else:
            against = -edges_on(self.fixed, board)[self.combos]
        return self.sign * against

    def _mean_edge(self) -> float:
        return float(self.weights @ self.edges)

    def deal(self, street: StreetDeal) -> None:
        """Add the term of new board cards."""
        chips = _matched(self.start, street.betting.stacks)
        before = self._mean_edge()
        if len(self.combos) > 1:
            free = ~HOLDING[list(street.cards)][:, self.combos].any(axis=0)
            self.combos, self.weights = self.combos[free], self.weights[free]
            self.weights = self.weights / self.weights.sum()
        self.edges = self._edges(street.board)
        self.total += (self._mean_edge() - before) * chips
        if len(street.board) >= _BOARD and self.rules.deal_size(street.street, street.board):
            self.edges = -self.sign * next_card_edges(self.fixed, street.board)[self.combos]

    def act(self, past: PastDecision, strategy: Policies) -> None:
        """Add the term of an action by a player whose strategy is known."""
        actions, chances = strategy
        if past.action not in actions:
            return
        moved, taken = past.seat == self.mover, actions.index(past.action)
        if moved:
            rows = chances[self.combos].astype(np.float64)
            probs, edges = self.weights @ rows, (self.weights * self.edges) @ rows
        else:
            probs = chances[self.fixed].astype(np.float64)
            edges = probs * self._mean_edge()
        if not probs[taken] > 0:
            return
        expected = 0.0
        for action, prob, edge in zip(actions, probs.tolist(), edges.tolist(), strict=True):
            if prob > 0:
                expected += self._value(past, action, prob, edge)
        if moved:
            weights = self.weights * rows[:, taken]
            self.weights = weights / weights.sum()
        self.total += self._value(past, past.action, 1.0, self._mean_edge()) - expected

    def _value(self, past: PastDecision, action: Action, prob: float, edge: float) -> float:
        """V after an action, summed over worlds.

        prob: the sum of the worlds' probabilities.  edge: that of probabilities times edges.
        """
        if isinstance(action, Fold):
            lost = _matched(self.start, past.betting.stacks)
            return prob * (-lost if past.seat == self.seat else lost)
        return edge * _matched(self.start, past.betting.after(action).stacks)

    def result(self, final: HoldemState) -> float:
        """The payoff, averaged over worlds, minus the correction."""
        live = final.betting.live
        if self.imagined is None or not live & live - 1:
            return final.payoffs[self.seat] - self.total
        return self._mean_edge() * _matched(self.start, final.betting.stacks) - self.total


@lru_cache(maxsize=16)
def edges_on(hand: int, board: tuple[int, ...]) -> _Vector:
    """`edges_against_all`, remembered for the streets of a few hands; not to be written to."""
    edges = edges_against_all(hand, np.array(board, np.uint8))
    edges.flags.writeable = False
    return edges


def _matched(start: tuple[int, ...], now: tuple[int, ...]) -> float:
    """The chips that each of two seats has put in and the other has matched."""
    return float(min(start[0] - now[0], start[1] - now[1]))


def _edge_of_two(one: int, two: int, board: tuple[int, ...]) -> _Vector:
    """P(win) - P(lose) of one combo against another, over all final boards."""
    hands = COMBO_CARDS[[one, two]]
    gone = {*board, *hands.ravel().tolist()}
    deck = np.array([card for card in range(52) if card not in gone], np.uint8)
    taken = np.zeros(2, np.int64)
    count = sum_winnings(
        np.array(board, np.uint8), deck, hands, _TWO_CHIPS, _BOTH, hand_tables(STANDARD), taken
    )
    return np.array([taken[0] / count - 1.0])
