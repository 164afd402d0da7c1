"""Sequential probability ratio test (SPRT): is A better than B?

The sequential probability ratio test (Wald 1945) weighs two claims about the mean of a deal: m0,
which is worth nothing, against m1, which is worth having. With the variance estimated from the same
deals (the generalised test that chess engines use, there on pairs of games),

    LLR = N (m1 - m0) (2 mean - m0 - m1) / (2 variance)

and the test ends when LLR leaves the interval ±ln((1 - error) / error): ±2.94 for 5 %.
"""

import math
from typing import NamedTuple

from tiltless.errors import OptionError
from tiltless.intervals import Tally

__all__ = ["Sprt", "Verdict"]


class Verdict(NamedTuple):
    """What the test says now.

    decision: "better", "not better" or "open".  llr: the logarithm of how much likelier m1 is.
    bound: where the test ends, on both sides.
    """

    decision: str
    llr: float
    bound: float

    def __str__(self) -> str:
        return f"{self.decision} (LLR {self.llr:+.2f}, bounds ±{self.bound:.2f})"


class Sprt(NamedTuple):
    """A test of mean m0 against mean m1, in the unit of the tally (chips per deal).

    error: the chance of either mistake where m0 or m1 is the truth.  fewest: deals before the first
    decision; the variance is not known well before. The error rates are those of the theory as long
    as a test takes many deals; see the simulation in the tests.
    """

    m0: float
    m1: float
    error: float = 0.05
    fewest: int = 500

    @classmethod
    def of_blinds(cls, big_blind: float, mbb: float = 20.0, error: float = 0.05) -> "Sprt":
        """The usual test: nothing against a gain of ``mbb`` thousandths of a big blind a hand."""
        if not mbb > 0:
            raise OptionError(f"mbb={mbb} is not possible; a gain is above 0, such as 20")
        if not 0 < error < 0.5:
            raise OptionError(f"error={error} is not possible; choose between 0 and 0.5")
        return cls(0.0, mbb * big_blind / 1000, error)

    @property
    def bound(self) -> float:
        """±2.94 for 5 %."""
        return math.log((1 - self.error) / self.error)

    def llr(self, tally: Tally) -> float:
        """The logarithm of the likelihood ratio; 0 before two deals."""
        gap = (self.m1 - self.m0) * (2 * tally.mean - self.m0 - self.m1)
        if tally.count < 2 or not gap:
            return 0.0
        variance = tally.variance
        return tally.count * gap / (2 * variance) if variance else math.copysign(math.inf, gap)

    def verdict(self, tally: Tally) -> Verdict:
        """What the deals so far say; ask as often as you like, and stop at the first decision."""
        llr, bound = self.llr(tally), self.bound
        if tally.count < self.fewest or abs(llr) < bound:
            return Verdict("open", llr, bound)
        return Verdict("better" if llr > 0 else "not better", llr, bound)
