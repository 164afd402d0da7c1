"""Solved streets of the current hand: which solution is in force at a decision.

A street is solved at the first of our decisions on it, and again at a decision that none of its
trees has, after a bet that was not foreseen. *In force* is, from each of our decisions on, what was
in force before if its tree has the line so far, and else what was solved there. So it depends on
the line alone, and our strategy is one along a street.

Memory is of what is public: own cards are no part of it. Solved trees are dropped where there is no
room, the oldest first; notes on a street, which are small, are kept for some hundred streets.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.view import View
from tiltless.postflop.node import Node
from tiltless.search.beliefs import Ranges
from tiltless.search.streets import Line, Past, StreetStart, callable_line, street_start
from tiltless.search.subgame import Subgame

__all__ = ["Found", "Memory", "Notes", "StreetKey", "Where", "where"]

_BYTES = 400 << 20
_STREETS = 512


class StreetKey(NamedTuple):
    """What tells the start of a street, as one of its players believes it, from all others.

    own: the seat that searches.  button, rules, stacks: of the hand.  moves: before the street.
    """

    own: int
    button: int
    rules: Rules
    stacks: tuple[int, ...]
    moves: tuple[Any, ...]


class Where(NamedTuple):
    """A decision on a street: how it began, and what was done on it before."""

    street: StreetKey
    start: StreetStart

    @property
    def line(self) -> Line:
        """What was done before."""
        return self.start.line


def where(view: View, own: int | None = None) -> Where:
    """The decision of a view; own: the seat that searches, if it is not that of the view."""
    seat = view.seat if own is None else own
    start, hand = street_start(view), (view.button, view.rules, view.starting_stacks)
    return Where(StreetKey(seat, *hand, view.moves[: start.moves]), start)


class Found(NamedTuple):
    """A decision in a solved street."""

    subgame: Subgame
    place: Node


@dataclass
class Notes:
    """What is remembered of a street besides what was solved.

    ranges: both as they are believed at its start, by seat.  unsearched: our decisions, by the line
    before them, that the blueprint has made.  too_large: its tree has more nodes than that.
    """

    ranges: Ranges | None = None
    unsearched: set[Line] = field(default_factory=set)
    too_large: int = 0


class Memory:
    """Solved streets, and notes on them."""

    def __init__(self) -> None:
        self.solved: OrderedDict[tuple[StreetKey, Line], Subgame] = OrderedDict()
        self._notes: OrderedDict[StreetKey, Notes] = OrderedDict()

    def notes(self, here: Where) -> Notes:
        """The notes on a street, to be read and written."""
        found = self._notes.get(here.street)
        if found is None:
            found = self._notes[here.street] = Notes()
            if len(self._notes) > _STREETS:
                self._notes.popitem(last=False)
        return found

    def keep(self, here: Where, subgame: Subgame) -> None:
        """Remember what was solved at our decision; it is the last to be dropped."""
        self.solved[here.street, here.line] = subgame
        self.notes(here).unsearched.discard(here.line)
        sizes = {key: kept.solver.memory for key, kept in self.solved.items()}
        size = sum(sizes.values())
        while size > _BYTES and len(self.solved) > 1:
            key, _ = self.solved.popitem(last=False)
            size -= sizes[key]

    def find(self, here: Where, line: Line | None = None) -> Found | None:
        """A decision, in what is in force there; None if that is not kept.

        line: in what is in force after it, where more was done on the street since.
        """
        street, line = here.street, here.line if line is None else line
        subgame: Subgame | None = None
        for length in range(int(street.own == street.button), len(line) + 1, 2):
            if subgame is None or subgame.place(line[:length]) is None:
                subgame = self.solved.get((street, line[:length]))
        place = None if subgame is None else subgame.place(here.line)
        return None if subgame is None or place is None else Found(subgame, place)

    def find_past(self, past: Past, own: int) -> Found | None:
        """A decision that was made, in what we believe it was made by; None: by the blueprint.

        Ours by what was in force, unless it was not searched; the other's by what is in force after
        all that was done on the street, which has the bets that were really made.
        """
        here = where(past.view, own)
        if past.seat != own:
            return self.find(here, callable_line(past.line, here.start.stack))
        return None if here.line in self.notes(here).unsearched else self.find(here)
