"""Solved streets of the current hand: which solution is in force at a decision.

A street is solved at our first decision on it, and again at a decision that is in none of its
trees, after an unforeseen bet, with our decisions so far locked (`tiltless.search.past_play`). At
each of our decisions the previous solution stays *in force* if its tree contains the line so far;
otherwise we solve again, and that solution takes over. So it depends on the line alone, and we play
one consistent strategy along a street. Lines that lead to our first decision and make the same
tree, such as a check and an all-in bet, share one solution.

The cache is keyed by public information: private cards are not part of it. When memory is short the
trees that were not used for longest are dropped, but none on the way to the decision that was last
searched, since later streets are solved with it. Notes on a street, which are small, are kept for
512 streets.
"""

from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.view import View
from tiltless.postflop.betting_forest import StreetForest
from tiltless.postflop.node import Node
from tiltless.search.beliefs import Ranges
from tiltless.search.solved import Subgame
from tiltless.search.streets import Line, Past, StreetStart, callable_line, street_start

__all__ = ["Found", "Memory", "Notes", "StreetKey", "Where", "where"]

_BYTES, _DEVICE_BYTES = 400 << 20, 12 << 30  # of this machine, and of a GPU
_STREETS = 512


class StreetKey(NamedTuple):
    """Identifies the start of a street and the player who searches it.

    own: the seat that searches.  button, rules, stacks: of the hand.  moves: before the street.
    """

    own: int
    button: int
    rules: Rules
    stacks: tuple[int, ...]
    moves: tuple[Any, ...]


class Where(NamedTuple):
    """A decision on a street: the key and the start of the street, and the line so far."""

    street: StreetKey
    start: StreetStart

    @property
    def line(self) -> Line:
        """The actions of the street before the decision."""
        return self.start.line

    def follows(self, street: StreetKey, line: Line) -> bool:
        """Whether a solution made there may be in force here, or on an earlier street of ours."""
        now = self.street
        if street == now:
            return line == self.line[: len(line)]
        return street[:-1] == now[:-1] and street.moves == now.moves[: len(street.moves)]


def where(view: View, own: int | None = None) -> Where:
    """The decision of a view.  own: the seat that searches, by default that of the view."""
    seat = view.seat if own is None else own
    start, hand = street_start(view), (view.button, view.rules, view.starting_stacks)
    return Where(StreetKey(seat, *hand, view.moves[: start.moves]), start)


class Found(NamedTuple):
    """A decision in a solved street."""

    subgame: Subgame
    node: Node


@dataclass
class Notes:
    """What is remembered of a street besides its solutions.

    ranges: the believed ranges at its start, by seat.  unsearched: our decisions that the blueprint
    made, by the line before them.  too_large: a number of nodes that its tree exceeds.
    """

    ranges: Ranges | None = None
    unsearched: set[Line] = field(default_factory=set)
    too_large: int = 0


class Memory:
    """Solved streets, and notes on them."""

    def __init__(self) -> None:
        self.solved: OrderedDict[tuple[StreetKey, Line], Subgame] = OrderedDict()
        self._notes: OrderedDict[StreetKey, Notes] = OrderedDict()
        self._users: Counter[int] = Counter()  # lines of each solution, by its id
        self._bytes = self._device_bytes = 0

    def notes(self, here: Where) -> Notes:
        """The notes on a street, which may be modified."""
        notes = self._notes.get(here.street)
        if notes is None:
            notes = self._notes[here.street] = Notes()
            if len(self._notes) > _STREETS:
                self._notes.popitem(last=False)
        return notes

    def keep(self, here: Where, subgame: Subgame) -> None:
        """Keep the solution made at our decision, and what leads to it; drop others if it must."""
        self._drop((here.street, here.line))
        self.solved[here.street, here.line] = subgame
        self._users[id(subgame)] += 1
        if self._users[id(subgame)] == 1:
            self._bytes += subgame.solver.memory
            self._device_bytes += subgame.solver.device_bytes
        self.notes(here).unsearched.discard(here.line)
        if self._bytes > _BYTES or self._device_bytes > _DEVICE_BYTES:
            for key, kept in list(self.solved.items()):
                full = self._device_bytes > _DEVICE_BYTES and kept.solver.device_bytes
                if (full or self._bytes > _BYTES) and not here.follows(*key):
                    self._drop(key)

    def _drop(self, key: tuple[StreetKey, Line]) -> None:
        """Forget a solution, if it is kept; its memory is free when no other line has it."""
        subgame = self.solved.pop(key, None)
        if subgame is not None:
            self._users[id(subgame)] -= 1
            if not self._users[id(subgame)]:
                del self._users[id(subgame)]
                self._bytes -= subgame.solver.memory
                self._device_bytes -= subgame.solver.device_bytes

    def find_same(self, here: Where, forests: Sequence[StreetForest]) -> Subgame | None:
        """A solution of the street in a tree with the same lines, and nothing locked, if kept.

        It was made after another first action of the street.
        """
        if len(here.line) != 1:
            return None
        for node in forests[0].children(0):
            action = forests[0].action[node]
            kept = None if action is None else self.solved.get((here.street, (action,)))
            if kept is not None and not kept.solver.locks:
                pairs = zip(kept.solver.forests, forests, strict=True)
                if all(one.has_same_lines(other) for one, other in pairs):
                    return kept
        return None

    def make_room(self, here: Where) -> None:
        """Drop all solutions that do not lead to a decision, when a tree does not fit otherwise."""
        for key in [key for key in self.solved if not here.follows(*key)]:
            self._drop(key)

    def find(self, here: Where, line: Line | None = None) -> Found | None:
        """A decision in the solution in force there; None if that is no longer kept.

        line: use the solution in force after this longer line of the street instead.
        """
        street, line = here.street, here.line if line is None else line
        subgame: Subgame | None = None
        for length in range(int(street.own == street.button), len(line) + 1, 2):
            if subgame is None or subgame.node_at(line[:length]) is None:
                subgame = self.solved.get((street, line[:length]))
                if subgame is not None:
                    self.solved.move_to_end((street, line[:length]))
        node = None if subgame is None else subgame.node_at(here.line)
        return None if subgame is None or node is None else Found(subgame, node)

    def find_past(self, past: Past, own: int) -> Found | None:
        """A past decision in the solution that we assume it was made by; None: the blueprint.

        For ours that is the solution in force, unless it was not searched; for the opponent's, the
        one in force after the whole line of the street, which has the bets actually made.
        """
        here = where(past.view, own)
        if past.seat != own:
            return self.find(here, callable_line(past.line, here.start.stack))
        return None if here.line in self.notes(here).unsearched else self.find(here)
