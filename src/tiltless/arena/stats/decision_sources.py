"""Decision sources: counts of what produced each decision (search, blueprint, fallback).

Agents describe the source in their own words (`Decision.source`). To keep the categories few and
short, only the part after the last comma counts, which is the reason, and numbers are left out:
``"blueprint, no time to search"`` counts as ``no time to search``, ``"win rate 0.534"`` as ``win
rate``.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

__all__ = ["OTHER", "Sources", "count_sources", "short_source"]

OTHER = "other"
"""The category for sources without words, and for the rest if there are too many."""

_MOST = 12  # categories beside OTHER
_LONGEST = 40  # characters of a category


class Sources(NamedTuple):
    """Number of decisions by source.

    counts: (source, decisions), sorted by name. At most `_MOST` names, the first in alphabetical
    order, and `OTHER` for the rest: a name in the result was never dropped from a part, so its
    count is exact, and merging does not depend on the order.
    """

    counts: tuple[tuple[str, int], ...] = ()

    def merge(self, other: "Sources") -> "Sources":
        """The sum of two parts."""
        if not (self.counts and other.counts):
            return self if self.counts else other
        return _few([*self.counts, *other.counts])

    def __str__(self) -> str:
        """``"812 search, 35 blueprint"``, the most frequent first; empty if there are none."""
        ranked = sorted(self.counts, key=lambda pair: -pair[1])
        return ", ".join(f"{count:,} {name}" for name, count in ranked)


def count_sources(texts: Mapping[str, int]) -> Sources:
    """Counts by `short_source`, from counts by `Decision.source`."""
    return _few((short_source(text), count) for text, count in texts.items())


def short_source(text: str) -> str:
    """The category of a source: a few words that do not change from decision to decision."""
    words = text.rpartition(",")[2].split()
    plain = [w for w in words if w.isprintable() and not any(map(str.isnumeric, w))]
    return " ".join(plain)[:_LONGEST].rstrip() or OTHER


def _few(pairs: Iterable[tuple[str, int]]) -> Sources:
    sums: dict[str, int] = {}
    for name, count in pairs:
        sums[name] = sums.get(name, 0) + count
    others = sums.pop(OTHER, 0)
    names = sorted(sums)
    others += sum(sums[name] for name in names[_MOST:])
    kept = [(name, sums[name]) for name in names[:_MOST]]
    return Sources(tuple(sorted([*kept, (OTHER, others)] if others else kept)))
