"""Response times as a histogram: small to store, quick to merge.

Bins are logarithmic, eight per doubling, so a percentile is accurate to about 9 %. Times below a
tenth of a microsecond share one bin.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

__all__ = ["ResponseTimes", "response_times"]

_BINS = 8  # for each doubling
_SHORTEST = 1e-7


class ResponseTimes(NamedTuple):
    """A histogram of decision times.

    counts: (bin, decisions), in order; bin k covers 2^(k/8) to 2^((k+1)/8) seconds.
    total: the sum of all times.  longest: the longest time. Both in seconds.
    """

    counts: tuple[tuple[int, int], ...] = ()
    total: float = 0.0
    longest: float = 0.0

    @property
    def decisions(self) -> int:
        """The number of decisions."""
        return sum(count for _, count in self.counts)

    @property
    def mean(self) -> float:
        """Mean seconds per decision; 0 if there were none."""
        return self.total / self.decisions if self.counts else 0.0

    def merge(self, other: "ResponseTimes") -> "ResponseTimes":
        """The sum of two parts."""
        together = dict(self.counts)
        for index, count in other.counts:
            together[index] = together.get(index, 0) + count
        longest = max(self.longest, other.longest)
        return ResponseTimes(tuple(sorted(together.items())), self.total + other.total, longest)

    def percentile(self, percent: float) -> float:
        """A percentile of the times, in seconds; 0 if there were no decisions."""
        wanted, seen = percent / 100 * self.decisions, 0
        for index, count in self.counts:
            if seen + count >= wanted:
                part = (wanted - seen) / count
                return min(float(2 ** ((index + part) / _BINS)), self.longest)
            seen += count
        return self.longest


def response_times(seconds: Sequence[float]) -> ResponseTimes:
    """The histogram of some decisions' times."""
    if not seconds:
        return ResponseTimes()
    each = np.array(seconds)
    bins = np.floor(_BINS * np.log2(np.maximum(each, _SHORTEST))).astype(np.int64)
    indices, counts = np.unique(bins, return_counts=True)
    pairs = tuple(zip(indices.tolist(), counts.tolist(), strict=True))
    return ResponseTimes(pairs, float(each.sum()), float(each.max()))
