"""Response times as a histogram: small to store, quick to merge.

A class is an eighth of a doubling wide, so a percentile is right within about 9 %; a
tenth of a microsecond is the shortest time that is told from nothing.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

__all__ = ["ResponseTimes", "response_times"]

_CLASSES = 8  # for each doubling
_SHORTEST = 1e-7


class ResponseTimes(NamedTuple):
    """How many decisions took how long.

    counts: (class, decisions), in order; class k holds 2^(k/8) to 2^((k+1)/8) seconds.
    total: seconds in all.  longest: of one decision.
    """

    counts: tuple[tuple[int, int], ...] = ()
    total: float = 0.0
    longest: float = 0.0

    @property
    def decisions(self) -> int:
        """How many."""
        return sum(count for _, count in self.counts)

    @property
    def mean(self) -> float:
        """Seconds a decision; 0 where there was none."""
        return self.total / self.decisions if self.counts else 0.0

    def merge(self, other: "ResponseTimes") -> "ResponseTimes":
        """Both together."""
        together = dict(self.counts)
        for place, count in other.counts:
            together[place] = together.get(place, 0) + count
        longest = max(self.longest, other.longest)
        return ResponseTimes(tuple(sorted(together.items())), self.total + other.total, longest)

    def percentile(self, percent: float) -> float:
        """Seconds that so many percent of the decisions stayed below; 0 where there was none."""
        wanted, seen = percent / 100 * self.decisions, 0
        for place, count in self.counts:
            if seen + count >= wanted:
                part = (wanted - seen) / count
                return min(float(2 ** ((place + part) / _CLASSES)), self.longest)
            seen += count
        return self.longest


def response_times(seconds: Sequence[float]) -> ResponseTimes:
    """Times of some decisions."""
    if not seconds:
        return ResponseTimes()
    each = np.array(seconds)
    classes = np.floor(_CLASSES * np.log2(np.maximum(each, _SHORTEST))).astype(np.int64)
    places, counts = np.unique(classes, return_counts=True)
    pairs = tuple(zip(places.tolist(), counts.tolist(), strict=True))
    return ResponseTimes(pairs, float(each.sum()), float(each.max()))
