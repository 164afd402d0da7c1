"""95 % intervals of means, from sums that can be added up in any order and kept.

The one place for them: `Tally` where the numbers are at hand, `Interval.of_error` where only the
standard error of a mean is known, `share_interval` for shares of trials. In matches the unit of
statistics is the deal: a mirrored deal is two hands with the same cards, which are not independent,
and counts as one number, the mean of its hands. Deals are independent of each other.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

__all__ = [
    "Interval",
    "Tally",
    "half_width_95",
    "share_interval",
    "student_quantile",
    "tally",
]

_NORMAL = 1.959963984540054
"""97.5 % of a normal distribution lie below."""
_FEW = [12.70620474, 4.30265273, 3.18244631, 2.77644511, 2.57058184, 2.44691185, 2.36462425]
_FEW += [2.30600414, 2.26215716, 2.22813885]
"""The same of Student's distribution with 1 to 10 degrees of freedom."""


class Interval(NamedTuple):
    """A mean and the interval of 95 % around it."""

    mean: float
    low: float
    high: float

    @classmethod
    def around(cls, mean: float, half_width: float) -> "Interval":
        """``mean ± half_width``."""
        return cls(mean, mean - half_width, mean + half_width)

    @classmethod
    def of_error(cls, mean: float, standard_error: float) -> "Interval":
        """Of a mean of many independent numbers: ± 1.96 standard errors."""
        return cls.around(mean, half_width_95(standard_error))

    @property
    def half_width(self) -> float:
        """What stands after the ±; infinite where fewer than two numbers are known."""
        return (self.high - self.low) / 2

    def scaled(self, factor: float) -> "Interval":
        """In another unit; a negative factor changes sides."""
        ends = factor * self.low, factor * self.high
        return Interval(factor * self.mean, min(ends), max(ends))

    def __str__(self) -> str:
        half = self.half_width
        return f"{self.mean:+,.1f} ± {f'{half:,.1f}' if math.isfinite(half) else '?'}"


class Tally(NamedTuple):
    """A count of numbers, their sum and the sum of their squares.

    `add` and `merge` return a new tally. For payoffs in whole chips both sums are exact up to
    2^53, so the order in which they are merged does not matter.
    """

    count: int = 0  # type: ignore[assignment]  # a tuple has a method of this name
    total: float = 0.0
    squares: float = 0.0

    def add(self, number: float) -> "Tally":
        """One number more."""
        return Tally(self.count + 1, self.total + number, self.squares + number * number)

    def merge(self, other: "Tally") -> "Tally":
        """Both together."""
        return Tally(
            self.count + other.count, self.total + other.total, self.squares + other.squares
        )

    @property
    def mean(self) -> float:
        """Of the numbers; 0 where there are none."""
        return self.total / self.count if self.count else 0.0

    @property
    def variance(self) -> float:
        """Estimated with count - 1; infinite where fewer than two numbers are known."""
        if self.count < 2:
            return math.inf
        return max(self.squares - self.total * self.mean, 0.0) / (self.count - 1)

    @property
    def deviation(self) -> float:
        """Standard deviation of one number."""
        return math.sqrt(self.variance)

    @property
    def standard_error(self) -> float:
        """Standard deviation of the mean."""
        return math.sqrt(self.variance / self.count) if self.count else math.inf

    @property
    def interval(self) -> Interval:
        """Mean ± Student's quantile times the standard error: 1.96 of them for many numbers.

        By the central limit theorem, for hundreds of deals; fewer are wider, as for normal numbers.
        """
        if self.count < 2:
            return Interval.around(self.mean, math.inf)
        return Interval.around(self.mean, student_quantile(self.count - 1) * self.standard_error)


def half_width_95(standard_error: float) -> float:
    """What stands after the ±, for a mean of many independent numbers: 1.96 standard errors."""
    return _NORMAL * standard_error


def share_interval(share: float, count: int) -> Interval:
    """Of a share of ``count`` trials: Wilson's score interval (1927), also right near 0 and 1."""
    weight = _NORMAL**2 / count
    middle = (share + weight / 2) / (1 + weight)
    half = math.sqrt(weight * share * (1 - share) + weight**2 / 4) / (1 + weight)
    return Interval(share, middle - half, middle + half)


def student_quantile(freedom: int) -> float:
    """The 97.5 % quantile of Student's distribution with this many degrees of freedom.

    Beyond the table of small ones by the series in 1 / freedom, right to six digits: Abramowitz &
    Stegun (1964), 26.7.5.
    """
    if freedom <= len(_FEW):
        return _FEW[freedom - 1]
    z = _NORMAL
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + math.fsum(term / float(freedom) ** power for power, term in enumerate(terms, 1))


def tally(numbers: Iterable[float]) -> Tally:
    """Of some numbers."""
    count, total, squares = 0, 0.0, 0.0
    for each in numbers:
        count, total, squares = count + 1, total + float(each), squares + float(each) * float(each)
    return Tally(count, total, squares)
