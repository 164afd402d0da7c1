"""Results by position, at tables of more than two seats: what was won on the button, in the blinds.

In rotation an agent has each position once in every deal, so the hands of one position are
independent of each other. With carried stacks hands of a game depend on each other, and intervals
are too narrow.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tiltless.arena.dealer import PlayedHand
from tiltless.arena.stats.hand_stats import HandStats, count_hand, new_sheet
from tiltless.games.holdem.positions import position_names
from tiltless.intervals import Tally

__all__ = [
    "PositionCounts",
    "PositionScore",
    "Positions",
    "in_order_of_action",
    "merged_positions",
    "positions_from_json",
    "positions_json",
]


class PositionScore(NamedTuple):
    """One agent in one position.

    won: tally of the chips of each hand.
    """

    won: Tally = Tally(0, 0, 0)
    stats: HandStats = HandStats()

    def merge(self, other: "PositionScore") -> "PositionScore":
        """The sum of two parts."""
        return PositionScore(self.won.merge(other.won), self.stats.merge(other.stats))


Positions = tuple[tuple[str, PositionScore], ...]
"""Scores by the name of a position, sorted by name; empty at tables of two."""


def merged_positions(one: Positions, other: Positions) -> Positions:
    """The sum of two parts."""
    if not (one and other):
        return one or other
    together = dict(one)
    for name, score in other:
        together[name] = together[name].merge(score) if name in together else score
    return tuple(sorted(together.items()))


def in_order_of_action(positions: Positions) -> Positions:
    """Before the flop: from UTG to the big blind."""
    names = position_names(10)
    order = [*names[3:], *names[:3]]
    return tuple(sorted(positions, key=lambda pair: order.index(pair[0])))


class PositionCounts:
    """Counts of a chunk while it is played: for each agent, a sheet and chips by position."""

    def __init__(self, agents: int) -> None:
        self._sheets: list[dict[str, list[int]]] = [{} for _ in range(agents)]
        self._won: list[dict[str, Tally]] = [{} for _ in range(agents)]

    def add(self, hand: PlayedHand, seated: Sequence[int]) -> None:
        """Add a hand.  seated: the number of the agent in each seat."""
        seats, button = len(seated), hand.final.table.button
        names, sheets = position_names(seats), []
        for seat, agent in enumerate(seated):
            name = names[(seat - button) % seats]
            sheets.append(self._sheets[agent].setdefault(name, new_sheet()))
            so_far = self._won[agent].get(name, Tally(0, 0, 0))
            self._won[agent][name] = so_far.add(hand.payoffs[seat])
        count_hand(hand, sheets)

    def positions(self, agent: int) -> Positions:
        """The scores of an agent."""
        won, sheets = self._won[agent], self._sheets[agent]
        found = ((name, PositionScore(won[name], HandStats(*sheets[name]))) for name in won)
        return tuple(sorted(found))


def positions_json(positions: Positions) -> dict[str, Any]:
    """Values for JSON, to be stored."""
    return {name: [list(score.won), list(score.stats)] for name, score in positions}


def positions_from_json(found: Mapping[str, Any]) -> Positions:
    """The inverse of `positions_json`."""
    pairs = [
        (name, PositionScore(Tally(*won), HandStats(*stats)))
        for name, (won, stats) in found.items()
    ]
    return tuple(sorted(pairs))
