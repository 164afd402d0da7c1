"""Street starts: how each street of a hand began, and the decisions made on it.

All from `tiltless.games.holdem.history`.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tiltless.games.holdem.actions import Action, RaiseTo
from tiltless.games.holdem.betting import NOBODY
from tiltless.games.holdem.history import streets, view_before
from tiltless.games.holdem.view import View
from tiltless.postflop.spot import IP, OOP, PLAYERS

__all__ = ["Line", "Past", "StreetStart", "callable_line", "past_decisions", "street_start"]

Line = tuple[Action, ...]
"""The actions of a street, in order."""


class StreetStart(NamedTuple):
    """A street of a hand as it began.

    board: its cards.  pot: chips in the middle.  stack: chips behind of the shorter stack.
    smallest: the smallest bet.  line: its actions so far, with bets limited to chips that can be
    called.  moves: the number of `View.moves` before it.  aggressor: the player who made the last
    bet of the previous street, one of `PLAYERS`; None if nobody bet.
    """

    board: tuple[int, ...]
    pot: int
    stack: int
    smallest: int
    line: Line = ()
    moves: int = 0
    aggressor: str | None = None


class Past(NamedTuple):
    """A past decision.

    view: the player's view at the decision, without private cards.  move: the action taken.
    line: all actions of its street so far, including those after it.
    """

    view: View
    move: Action
    line: Line

    @property
    def seat(self) -> int:
        """The seat that acted."""
        return self.view.seat


def street_start(view: View) -> StreetStart:
    """The start of the street of a view; two players, after the flop."""
    *before, street = streets(view)[-2:]
    stacks, bettor = street.betting.stacks, before[0].aggressor if before else NOBODY
    return StreetStart(
        street.board,
        sum(view.starting_stacks) - sum(stacks),
        min(stacks),
        street.betting.rules.bet,
        callable_line(street.line, min(stacks)),
        street.before,
        None if bettor < 0 else PLAYERS[IP if bettor == view.button else OOP],
    )


def callable_line(line: Sequence[Action], stack: int) -> Line:
    """Actions with raises limited to the chips that can be called."""
    return tuple(
        RaiseTo(min(move.chips, stack)) if isinstance(move, RaiseTo) else move for move in line
    )


def past_decisions(view: View) -> Iterator[Past]:
    """All decisions of a hand so far, in order."""
    for street in streets(view):
        for past in street.decisions:
            yield Past(view_before(view, past), past.action, street.line)
