"""Local best response at a table of several: one seat against players whose strategy is known.

It tracks the range of every opponent by Bayes' rule, seat by seat, and at each decision takes the
action of the largest U (`tiltless.arena.estimators.local_table`). Worlds are sampled from the
product of the ranges, where hands that share a card are rejected, and boards at random. Averaged
over seats, its winnings bound from below how much one player could gain, and so NashConv divided
by the number of players. That is no distance from an equilibrium.

Paper: Lisý & Bowling (2017), arXiv 1612.07547, for two players.  Deviations: several opponents,
sampled worlds; an opponent's answer is asked for as if those before it had folded.
"""

from collections.abc import Sequence
from random import Random

import numpy as np
import numpy.typing as npt

from tiltless.agents.agent import Agent, Clock, Decision, KnownStrategy, check_or_call
from tiltless.arena.estimators.lbr import LbrSetting, lbr_raises
from tiltless.arena.estimators.local_spot import best_action, narrowed
from tiltless.arena.estimators.local_table import LocalTable
from tiltless.cards.card import COMBO_CARDS
from tiltless.cards.evaluate import evaluate_many
from tiltless.cards.matchups import HOLDING
from tiltless.games.holdem.actions import CALL, FOLD, Action, RaiseTo
from tiltless.games.holdem.events import dead_chips
from tiltless.games.holdem.history import PastDecision, StreetDeal, steps, view_before
from tiltless.games.holdem.view import View

__all__ = ["WORLDS", "TableBestResponse"]

WORLDS = 1000
"""Worlds that are sampled at a decision."""
_ROUNDS = 20
"""How often more worlds are drawn where most are rejected."""

_Vector = npt.NDArray[np.float64]
_Ints = npt.NDArray[np.int64]
_Bools = npt.NDArray[np.bool_]
_BITS = (np.uint64(1) << COMBO_CARDS.astype(np.uint64)).sum(axis=1, dtype=np.uint64)


class TableBestResponse(Agent):
    """Plays against several players that all have the strategy of one bot; see the module."""

    def __init__(self, bot: KnownStrategy, setting: LbrSetting, worlds: int = WORLDS) -> None:
        self.bot, self.setting, self.worlds = bot, setting, worlds
        self._forget()

    def _forget(self) -> None:
        self._moves = 0
        self._ranges: dict[int, _Vector] = {}

    def hand_start(self, view: View) -> None:
        """Reset the ranges."""
        self._forget()

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """The action with the largest U; the cheapest if several are equal."""
        self._follow(view)
        allowed, stay = self.setting.allowed(view.street), check_or_call(view.actions)
        options: list[Action] = [stay, *lbr_raises(view, allowed, self.setting.bets)]
        if "F" in allowed and stay == CALL:
            options.insert(0, FOLD)
        if len(options) == 1:
            return Decision(stay, source="lbr")
        table = self._table(view, np.random.default_rng(rng.getrandbits(64)))
        values = [(action, self._value(view, table, action)) for action in options]
        return Decision(best_action(values), values=tuple(values), source="lbr")

    def _value(self, view: View, table: LocalTable, action: Action) -> float:
        if action == FOLD:
            return 0.0
        cost = view.to_call
        if isinstance(action, RaiseTo):
            cost = action.chips - view.bets[view.seat]
        return table.value(cost, self._answers(view, action))

    def _answers(self, view: View, action: Action) -> dict[int, tuple[int, _Vector | None]]:
        """What those who owe chips after an action pay for a call, and how often they fold."""
        betting, moves = view.betting.after(action), (*view.moves, action)
        answers: dict[int, tuple[int, _Vector | None]] = {}
        while betting.actor >= 0 and betting.actor != view.seat and betting.to_call:
            seat = betting.actor
            asked = view._replace(
                seat=seat,
                cards=(),
                actor=seat,
                actions=betting.actions,
                betting=betting,
                moves=moves,
            )
            actions, chances = self.bot.policies(asked)
            folds = None
            if FOLD in actions:
                folds = chances[:, actions.index(FOLD)].astype(np.float64)
            answers[seat] = betting.actions.call, folds
            betting, moves = betting.after(FOLD), (*moves, FOLD)
        return answers

    def _follow(self, view: View) -> None:
        """Update the ranges with the moves since the last call."""
        if not self._moves:
            free = np.where(HOLDING[list(view.cards)].any(axis=0), 0.0, 1.0)
            self._ranges = {seat: free for seat in range(len(view.stacks)) if seat != view.seat}
        for step in steps(view)[self._moves :]:
            if isinstance(step, StreetDeal):
                gone = HOLDING[[*view.cards, *step.board]].any(axis=0)
                for seat, weights in self._ranges.items():
                    left = np.where(gone, 0.0, weights)
                    self._ranges[seat] = left if left.any() else np.where(gone, 0.0, 1.0)
            elif isinstance(step, PastDecision) and step.seat != view.seat:
                known = self.bot.policies(view_before(view, step))
                if step.action in known.actions:
                    chances = known.chances[:, known.actions.index(step.action)]
                    self._ranges[step.seat] = narrowed(self._ranges[step.seat], chances)
        self._moves = len(view.moves)

    def _table(self, view: View, rng: np.random.Generator) -> LocalTable:
        """The decision, with sampled worlds."""
        others = view.opponents
        possible = np.logical_not(HOLDING[[*view.cards, *view.board]].any(axis=0))
        ranges = [self._ranges[seat] for seat in others]
        hands = drawn_hands(ranges, possible, self.worlds, rng)
        worlds = hands.shape[1]
        own = np.broadcast_to(np.array(view.cards, np.uint8), (worlds, 2))
        holding = {view.seat: own}
        holding |= {seat: COMBO_CARDS[row] for seat, row in zip(others, hands, strict=True)}
        boards = _final_boards(view.board, list(holding.values()), rng)
        values = {
            seat: evaluate_many(np.concatenate([cards, boards], axis=1)).astype(np.int64)
            for seat, cards in holding.items()
        }
        dead = dead_chips(view.posts, len(view.stacks))
        paid = [each - ante for each, ante in zip(view.paid, dead, strict=True)]
        weights = np.full(worlds, 1 / worlds)
        by_seat = dict(zip(others, hands, strict=True))
        return LocalTable(view.seat, weights, by_seat, values, paid, sum(dead))


def drawn_hands(
    ranges: Sequence[_Vector], possible: _Bools, worlds: int, rng: np.random.Generator
) -> _Ints:
    """Hands from the product of ranges that share no card, int ``[ranges, worlds or fewer]``.

    possible: hands that the response's cards and the board leave, bool ``[1326]``. If the ranges
    always clash, one world whose later hands are any that are possible.
    """
    found: list[_Ints] = []
    have = 0
    for _ in range(_ROUNDS):
        hands = np.stack(
            [rng.choice(1326, worlds, p=weights / weights.sum()) for weights in ranges]
        )
        used = np.zeros(worlds, np.uint64)
        fits = np.ones(worlds, bool)
        for row in hands:
            fits &= (used & _BITS[row]) == 0
            used |= _BITS[row]
        found.append(hands[:, fits])
        have += int(fits.sum())
        if have >= worlds:
            break
    if not have:
        return _any_hands(ranges, possible, rng)
    return np.concatenate(found, axis=1)[:, :worlds]


def _any_hands(ranges: Sequence[_Vector], possible: _Bools, rng: np.random.Generator) -> _Ints:
    """One world whose hands share no card: each drawn from its range, or from all that is free."""
    used, hands = np.uint64(0), []
    for weights in ranges:
        free = (_BITS & used) == 0
        left = np.where(free, weights, 0.0)
        if not left.any():
            left = np.where(free & possible, 1.0, 0.0)
        hands.append(int(rng.choice(1326, p=left / left.sum())))
        used |= _BITS[hands[-1]]
    return np.array(hands, np.int64)[:, None]


def _final_boards(
    board: tuple[int, ...], holding: Sequence[npt.NDArray[np.uint8]], rng: np.random.Generator
) -> npt.NDArray[np.uint8]:
    """A final board for each world, uint8 ``[worlds, 5]``, without the cards in hands."""
    worlds, missing = len(holding[0]), 5 - len(board)
    start = np.broadcast_to(np.array(board, np.uint8), (worlds, len(board)))
    if not missing:
        return np.ascontiguousarray(start)
    order = rng.random((worlds, 52))
    rows = np.arange(worlds)[:, None]
    for cards in holding:
        order[rows, cards] = 2.0
    order[:, list(board)] = 2.0
    more = np.argpartition(order, missing, axis=1)[:, :missing].astype(np.uint8)
    return np.concatenate([start, more], axis=1)
