"""Published tables of the thesis, for comparison."""

from typing import NamedTuple

__all__ = ["THESIS", "Published"]


class Published(NamedTuple):
    """A cross table: what the row's agent won against the column's.

    names: as published.  agents: our texts for them.  unit: of the values.  values: by (row,
    column).
    """

    names: tuple[str, ...]
    agents: tuple[str, ...]
    unit: str
    hands: int
    values: dict[tuple[str, str], float]


_NAMES = ("Fish", "Honest", "Random", "Rule-based", "Monte-Carlo", "CFRv1", "CFRv2")
_AGENTS = ("fish", "honest", "random", "rules", "monte-carlo", "cfr-v1", "cfr-v2")
_ABOVE = (
    (0.81, 68.65, -6.08, -2.00, -1.56, -1.56),
    (16.04, -0.48, -1.99, -0.82, -0.81),
    (1.00, -44.31, -5.95, -11.51),
    (-2.00, -0.06, -0.09),
    (2.75, 1.75),
    (-2.13,),
)


def _thesis() -> Published:
    values = {}
    for row, numbers in enumerate(_ABOVE):
        for column, number in enumerate(numbers, row + 1):
            values[_AGENTS[row], _AGENTS[column]] = number
            values[_AGENTS[column], _AGENTS[row]] = -number
    return Published(_NAMES, _AGENTS, "sb/h", 100_000, values)


THESIS = _thesis()
"""Table 2 of the thesis that describes CFRv1 and CFRv2, 100,000 hands per pair.

Its cells for the Monte-Carlo bot and CFRv2 contradict each other: both lose 1.75. We follow the row
of CFRv2, as its text does ("Monte-Carlo Model managed to exploit both by a significant margin").
"""
