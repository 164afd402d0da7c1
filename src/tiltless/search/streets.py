"""Street starts: how each street of a hand began, and the decisions made on it.

A view has all moves of a hand in one list. Here they are played through once more, with the chips
that were on the table before each of them.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tiltless.games.holdem.actions import Action, RaiseTo
from tiltless.games.holdem.betting import Betting
from tiltless.games.holdem.events import HIDDEN, HIDDEN_RANKS
from tiltless.games.holdem.view import View
from tiltless.postflop.spot import IP, OOP, PLAYERS

__all__ = ["Line", "Past", "StreetStart", "callable_line", "past_decisions", "street_start"]

Line = tuple[Action, ...]
"""What was done on a street, in order."""


class StreetStart(NamedTuple):
    """A street of a hand as it began.

    board: its cards.  pot, stack: chips in the middle, and behind of whoever has less.
    smallest: the smallest bet.  line: what was done on it so far, as far as chips can be called.
    moves: how many of `View.moves` were before.  aggressor: who made the last bet of the street
    before, one of `PLAYERS`; None if nobody did.
    """

    board: tuple[int, ...]
    pot: int
    stack: int
    smallest: int
    line: Line = ()
    moves: int = 0
    aggressor: str | None = None


class Past(NamedTuple):
    """A decision that has been made.

    view: as its player saw it, without cards.  move: what was done.  line: all actions of its
    street so far, also those after it.
    """

    view: View
    move: Action
    line: Line

    @property
    def seat(self) -> int:
        """Who decided."""
        return self.view.seat


class _Street(NamedTuple):
    """A street so far.

    opened: the betting as it began.  moves: how many of `View.moves` were before.
    acted: the number of each move, and the betting before it.  line: the moves.
    """

    board: tuple[int, ...]
    opened: Betting
    moves: int
    acted: list[tuple[int, Betting]]
    line: list[Action]


def _streets(view: View) -> list[_Street]:
    """Every street that has begun."""
    betting = view.opening
    found = [_Street((), betting, 0, [], [])]
    for number, move in enumerate(view.moves):
        if move in (HIDDEN, HIDDEN_RANKS):
            continue
        if isinstance(move, tuple):
            betting = betting.next_round(view.rules.round(len(found)), view.button)
            found.append(_Street(found[-1].board + move, betting, number + 1, [], []))
        else:
            found[-1].acted.append((number, betting))
            found[-1].line.append(move)
            betting = betting.after(move)
    return found


def street_start(view: View) -> StreetStart:
    """The start of the street of a view; two players, after the flop."""
    *before, street = _streets(view)
    stack = min(street.opened.stacks)
    bettors = [
        betting.actor
        for last in before[-1:]
        for (_, betting), move in zip(last.acted, last.line, strict=True)
        if isinstance(move, RaiseTo)
    ]
    return StreetStart(
        street.board,
        sum(view.starting_stacks) - sum(street.opened.stacks),
        stack,
        street.opened.rules.bet,
        callable_line(street.line, stack),
        street.moves,
        PLAYERS[IP if bettors[-1] == view.button else OOP] if bettors else None,
    )


def callable_line(line: Sequence[Action], stack: int) -> Line:
    """Actions without chips that nobody can call."""
    return tuple(
        RaiseTo(min(move.chips, stack)) if isinstance(move, RaiseTo) else move for move in line
    )


def past_decisions(view: View) -> Iterator[Past]:
    """All decisions of a hand so far, in order."""
    for number, street in enumerate(_streets(view)):
        line = tuple(street.line)
        for (moves, betting), move in zip(street.acted, line, strict=True):
            before = view._replace(
                seat=betting.actor,
                cards=(),
                street=number,
                board=street.board,
                actor=betting.actor,
                actions=betting.actions,
                betting=betting,
                moves=view.moves[:moves],
                shown=(),
                payoffs=None,
            )
            yield Past(before, move, line)
