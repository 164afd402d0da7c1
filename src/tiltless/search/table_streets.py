"""Streets at tables of three seats or more: how one began, and its solution.

A street is searched from its start among the players who could bet then. The others have folded:
their cards are ignored. Where somebody is all-in there are side pots, which no search here knows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from tiltless.games.holdem.actions import Action
from tiltless.games.holdem.history import streets
from tiltless.games.holdem.view import View
from tiltless.postflop.spot import IP, OOP, PLAYERS
from tiltless.search.beliefs import Vector
from tiltless.search.multiway import MultiwaySearch
from tiltless.search.solved import Subgame
from tiltless.search.streets import Line, StreetStart, callable_line

__all__ = ["SolvedPair", "SolvedStreet", "SolvedTable", "Spread", "TableStart", "table_start"]


class TableStart(NamedTuple):
    """A street as it began.

    order: the seats that could bet, in the order of action.  start: chips and cards; its stack is
    the second largest, which is what two players can win from each other, and its aggressor is
    among two players.
    """

    order: tuple[int, ...]
    start: StreetStart


class Spread(NamedTuple):
    """Actions of a decision, and float64 ``[1326, actions]``."""

    actions: tuple[Action, ...]
    chances: Vector


def table_start(view: View) -> TableStart | None:
    """The start of the street of a view, after the flop; None if it cannot be searched."""
    if not view.street:
        return None
    before, street = streets(view)[-2:]
    betting, seats = street.betting, len(view.starting_stacks)
    clockwise = ((view.button + step) % seats for step in range(1, seats + 1))
    order = tuple(seat for seat in clockwise if betting.live >> seat & 1)
    if len(order) < 2 or betting.able != betting.live or view.seat not in order:
        return None
    stack = sorted(betting.stacks[seat] for seat in order)[-2]
    aggressor = None
    if len(order) == 2 and before.aggressor in order:
        aggressor = PLAYERS[IP if before.aggressor == order[1] else OOP]
    start = StreetStart(
        street.board,
        sum(view.starting_stacks) - sum(betting.stacks),
        stack,
        betting.rules.bet,
        callable_line(street.line, stack),
        street.before,
        aggressor,
    )
    return TableStart(order, start)


class SolvedStreet(Protocol):
    """The solution of a street."""

    def played(self, line: Sequence[Action], position: int) -> Spread | None:
        """What we play after a line of the street; None if it is not in the tree.

        position: of the player to act, in the order of action; None too if another acts there.
        """
        ...

    def believed(self, line: Sequence[Action], position: int) -> Spread | None:
        """What the others believe of a player after a line."""
        ...


@dataclass(frozen=True)
class SolvedPair:
    """The exact solution among two players; its average is played and believed."""

    subgame: Subgame

    def played(self, line: Sequence[Action], position: int) -> Spread | None:
        """See `SolvedStreet`."""
        node = self.subgame.node_at(line)
        if node is None or node.actor != (OOP, IP)[position]:
            return None
        return Spread(node.actions, self.subgame.strategy_at(node))

    def believed(self, line: Sequence[Action], position: int) -> Spread | None:
        """See `SolvedStreet`."""
        return self.played(line, position)


@dataclass(frozen=True)
class SolvedTable:
    """Vector sampling: the last iteration is played, the average is believed."""

    search: MultiwaySearch

    def played(self, line: Line | Sequence[Action], position: int) -> Spread | None:
        """See `SolvedStreet`."""
        node = self.search.node_at(line, position)
        if node is None:
            return None
        return Spread(self.search.actions_at(node), self.search.strategy(node))

    def believed(self, line: Line | Sequence[Action], position: int) -> Spread | None:
        """See `SolvedStreet`."""
        node = self.search.node_at(line, position)
        if node is None:
            return None
        return Spread(self.search.actions_at(node), self.search.believed(node))
