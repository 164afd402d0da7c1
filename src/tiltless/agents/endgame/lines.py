"""Lines that end a hand, by the score: fold, call an all-in, go all-in.

The value of a line is the expected probability to win the match, E[V(b + result, n - 1)], with V
of `values`; equities and folds are those of `equities` and `results`. Where V is nearly linear over
the chips at stake, nothing is changed: chips are as good a guide, and our agent knows them better.

* **Won**: check, and fold to any bet.
* **Folding loses**: never fold. All-in, or checking and calling to the end, whichever is likelier
  to gain enough. Once the match is lost against an opponent who folds to the end, the only hope is
  one who does not: then V is that against such an opponent, and folds are allowed again.
* **A call that ends the hand**: an all-in, or a bet on the last street. Fold or call by value; a
  raise of the agent stands.
* **First decision of a hand**: fold, or go all-in, if that is better than the results of a hand
  of this class played as usual.

Games whose hands cannot be compared (`equities.is_standard`) are played by the first two rules, and
all-ins are called, or not, only where nearly any hand should.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.agents.agent import Agent
from tiltless.agents.endgame.equities import equities, is_standard, opponent_range, weight_met
from tiltless.agents.endgame.results import BINS, LIMPED, OPEN, RAISED, hand_results
from tiltless.agents.endgame.rules import MatchState
from tiltless.agents.endgame.values import MatchValues
from tiltless.cards.card import CLASS_OF_COMBO, COMBO_COUNT, COMBO_OF
from tiltless.games.holdem.actions import RaiseTo
from tiltless.games.holdem.history import decisions
from tiltless.games.holdem.view import View

__all__ = ["CALLS", "FOLDS", "JAMS", "KEEPS", "Changes", "changes", "matters"]

Vector = npt.NDArray[np.float64]

KEEPS, FOLDS, CALLS, JAMS = range(4)
"""What a hand does: what the agent chose, check or fold, check or call, all-in."""

_BEND = 0.05  # how far the break-even equity must be from that of chips
_SURE = 0.2  # a break-even equity below it, or above 1 - it, needs no look at the cards
_GAIN = 0.003  # of winning the match, before a whole hand is given up or risked


class Changes(NamedTuple):
    """What is played instead of the agent's choice.

    lines: int8 ``[1326]``, `KEEPS` to `JAMS`, by hand.  keeps_raises: raises of the agent stand.
    never_folds: where its choice stands, a fold becomes a call.  why: for `Decision.source`.
    """

    lines: npt.NDArray[np.int8]
    why: str
    keeps_raises: bool = False
    never_folds: bool = False

    @property
    def only(self) -> int | None:
        """The line of every hand, if it is the same and leaves no choice to the agent."""
        first = int(self.lines[0])
        free = first == KEEPS or self.keeps_raises
        return first if not free and (self.lines == first).all() else None

    def line(self, cards: tuple[int, ...]) -> int:
        """The line of a hand."""
        hand = COMBO_OF[cards[0], cards[1]] if len(cards) == 2 else 0
        return int(self.lines[hand])


class _Hand(NamedTuple):
    """A decision, and the value of what it may lead to."""

    view: View
    state: MatchState
    values: MatchValues

    def after(self, won: npt.ArrayLike) -> Vector:
        """The probability to win the match after a hand with these results, in chips."""
        bankroll = self.state.bankroll + np.asarray(won)
        return self.values.at(bankroll, self.state.left - 1, not self.state.button)

    @property
    def folded(self) -> float:
        """The value of folding."""
        return float(self.after(-self.view.paid[self.view.seat]))

    @property
    def called(self) -> tuple[int, int]:
        """Chips won and lost at a showdown after a check or a call, without further bets."""
        view, seat = self.view, self.view.seat
        total = view.bets[seat] + view.to_call
        returned = max(0, view.bets[1 - seat] - total)
        return view.paid[1 - seat] - returned, view.paid[seat] + view.to_call

    @property
    def all_in(self) -> tuple[int, int] | None:
        """Chips won and lost at a showdown after an all-in; None if there is no such raise."""
        view, seat = self.view, self.view.seat
        mine, theirs = (view.bets[each] + view.stacks[each] for each in (seat, 1 - seat))
        total = min(mine, theirs)
        if view.max_raise < total:
            return None
        return (
            view.paid[1 - seat] + total - view.bets[1 - seat],
            view.paid[seat] + total - view.bets[seat],
        )

    def shown(self, equity: Vector, chips: tuple[int, int]) -> Vector:
        """The value of a showdown; chips: won and lost. A split pot counts as half of each."""
        won, lost = self.after([chips[0], -chips[1]])
        return np.asarray(equity * won + (1 - equity) * lost)

    @property
    def call_ends(self) -> bool:
        """Whether a call ends the hand, or only cards are left to come."""
        view = self.view
        if not view.to_call:
            return False
        last = view.street == len(view.rules.streets) - 1 and not view.rules.run_suits
        return last or not view.stacks[1 - view.seat] or view.to_call >= view.stack


def matters(state: MatchState, values: MatchValues, stack: int) -> bool:
    """Whether V bends over the chips of a whole stack, so that the score should be looked at."""
    post = state.posts[0 if state.button else 1]
    needed = _break_even(state, values, stack, stack, post)
    return needed is not None and abs(needed - (stack - post) / (2 * stack)) >= _BEND


def _break_even(
    state: MatchState, values: MatchValues, won: int, lost: int, paid: int
) -> float | None:
    """The equity from which on a call is better than a fold; None if nothing is at stake."""
    chips = state.bankroll + np.array([won, -lost, -paid])
    up, down, folded = values.at(chips, state.left - 1, not state.button).tolist()
    return (folded - down) / (up - down) if up > down else None


def changes(
    view: View, state: MatchState, values: MatchValues, agent: Agent, *, only_locks: bool = False
) -> Changes | None:
    """What to play instead of the agent's choice at a decision; None for no change.

    agent: the agent whose policy, if it is known, tells the opponent's range.  only_locks: change
    nothing but what loses for certain, or wins for certain.
    """
    paid = view.paid[view.seat]
    if state.wins_by_folding(paid):
        return Changes(_all(FOLDS), "match won")
    hand, stack = _Hand(view, state, values), min(view.starting_stacks)
    must_stay = state.loses_by_folding(paid)
    if state.is_lost:  # but not against who plays on, if the stacks to come can make up for it
        must_stay = paid - state.bankroll > (state.left - 1) * stack
    if not must_stay and (only_locks or not matters(state, values, stack)):
        return None
    if not is_standard(view):
        return _without_cards(hand, must_stay)
    if not hand.call_ends and (situation := _first_decision(view)) is not None:
        return _first(hand, situation, must_stay)
    if must_stay:
        return _stay(hand, opponent_range(view, agent))
    if hand.call_ends:
        equity = equities(view.board, opponent_range(view, agent))
        call = hand.shown(equity, hand.called) >= hand.folded
        return Changes(_lines((call, CALLS), default=FOLDS), "by the score", keeps_raises=True)
    return None


def _without_cards(hand: _Hand, must_stay: bool) -> Changes | None:
    if must_stay:
        return Changes(_all(CALLS if hand.all_in is None else JAMS), "folding loses")
    if not hand.call_ends:
        return None
    won, lost = hand.called
    paid = hand.view.paid[hand.view.seat]
    needed = _break_even(hand.state, hand.values, won, lost, paid)
    if needed is None or _SURE <= needed <= 1 - _SURE:
        return None
    line = CALLS if needed < _SURE else FOLDS
    return Changes(_all(line), "by the score", keeps_raises=True)


def _first_decision(view: View) -> int | None:
    """`OPEN`, `RAISED` or `LIMPED`; None for any other decision."""
    if view.street:
        return None
    past = decisions(view)
    if not past:
        return OPEN if view.seat == view.button else None
    if len(past) > 1:
        return None
    return RAISED if isinstance(past[0].action, RaiseTo) else LIMPED


def _first(hand: _Hand, situation: int, must_stay: bool) -> Changes:
    """The first decision: fold or all-in where that is better than a hand played as usual."""
    results = hand_results()
    view = hand.view
    stack = min(view.starting_stacks)
    chips = np.clip(BINS * (view.rules.big_blind / 2), -stack, stack)
    usual = results.first[situation] @ hand.after(chips)
    jam = np.zeros_like(usual)
    if hand.all_in is not None:
        stolen = float(hand.after(view.paid[1 - view.seat]))
        called = results.called[situation]
        jam = (1 - called) * stolen + called * hand.shown(results.equity[situation], hand.all_in)
    if must_stay:
        jams = jam >= usual
        lines = _lines((jams[CLASS_OF_COMBO], JAMS))
        return Changes(lines, "folding loses", never_folds=True)
    fold = hand.folded if view.to_call else 0.0
    jams = jam > np.maximum(usual, fold) + _GAIN
    folds = ~jams & (fold > usual + _GAIN)
    lines = _lines((jams[CLASS_OF_COMBO], JAMS), (folds[CLASS_OF_COMBO], FOLDS))
    return Changes(lines, "by the score")


def _stay(hand: _Hand, weights: Vector) -> Changes:
    """Where folding loses: all-in or call, whichever is likelier to gain enough.

    The opponent is assumed to call an all-in with the hands of its range whose equity against a
    random hand is worth the price.
    """
    board = hand.view.board
    call = hand.shown(equities(board, weights), hand.called)
    if hand.all_in is None:
        return Changes(_all(CALLS), "folding loses")
    won, lost = hand.all_in
    price = (won - hand.view.paid[1 - hand.view.seat]) / (won + lost)
    calling = np.where(equities(board, np.ones(COMBO_COUNT)) >= price, weights, 0.0)
    met = weight_met(weights)
    called = np.where(met > 0, weight_met(calling) / np.where(met > 0, met, 1.0), 1.0)
    stolen = float(hand.after(hand.view.paid[1 - hand.view.seat]))
    jam = (1 - called) * stolen + called * hand.shown(equities(board, calling), hand.all_in)
    return Changes(_lines((jam > call, JAMS), default=CALLS), "folding loses")


def _all(line: int) -> npt.NDArray[np.int8]:
    return np.full(COMBO_COUNT, line, np.int8)


def _lines(
    *chosen: tuple[npt.NDArray[np.bool_], int], default: int = KEEPS
) -> npt.NDArray[np.int8]:
    """A line for each hand; chosen: (which hands, their line)."""
    lines = _all(default)
    for where, line in chosen:
        lines[where] = line
    return lines
