"""Decision sources: counts of what produced each decision (search, blueprint, fallback).

Agents say it in their own words (`Decision.source`), which are made few and short: of a text with
commas the last part counts, the reason, and numbers are left out. ``"blueprint, no time to
search"`` is one of ``no time to search``; ``"win rate 0.534"`` of ``win rate``.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

__all__ = ["OTHER", "Sources", "count_sources", "short_source"]

OTHER = "other"
"""What is left where there are too many different sources, or no words in one."""

_MOST = 12  # different ones, and the others
_LONGEST = 40  # letters of one


class Sources(NamedTuple):
    """How many decisions came from where.

    counts: (source, decisions), by name. At most `_MOST` names, the first ones of the alphabet, and
    `OTHER` for the rest: a name that is kept was never dropped in a part, so its count is exact,
    and sums do not depend on their order.
    """

    counts: tuple[tuple[str, int], ...] = ()

    def merge(self, other: "Sources") -> "Sources":
        """Both together."""
        if not (self.counts and other.counts):
            return self if self.counts else other
        return _few([*self.counts, *other.counts])

    def __str__(self) -> str:
        """``"812 search, 35 blueprint"``, the most frequent first; empty where none was said."""
        ranked = sorted(self.counts, key=lambda pair: -pair[1])
        return ", ".join(f"{count:,} {name}" for name, count in ranked)


def count_sources(said: Mapping[str, int]) -> Sources:
    """How often agents said what, in `short_source` words."""
    return _few((short_source(text), count) for text, count in said.items())


def short_source(text: str) -> str:
    """A source in a few words that do not change from decision to decision."""
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
