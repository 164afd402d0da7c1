"""Sequential probability ratio test (SPRT): is A better than B?

The sequential probability ratio test (Wald 1945) weighs two hypotheses about the mean of a deal:
m0, no gain, against m1, a gain that matters. With the variance estimated from the same deals (the
generalised test that chess engines use, there on pairs of games),

    LLR = N (m1 - m0) (2 mean - m0 - m1) / (2 variance)

and the test ends when LLR leaves the interval ±ln((1 - error) / error): ±2.94 for 5 %.
"""

import math
from typing import NamedTuple

from tiltless.errors import OptionError
from tiltless.intervals import Tally

__all__ = ["Sprt", "Verdict"]


class Verdict(NamedTuple):
    """The state of the test.

    decision: "better", "not better" or "open".  llr: log-likelihood ratio of m1 to m0.
    bound: the test ends when the LLR reaches ±bound.
    """

    decision: str
    llr: float
    bound: float

    def __str__(self) -> str:
        return f"{self.decision} {self.evidence}"

    @property
    def evidence(self) -> str:
        """``(LLR +1.20, bounds ±2.94)``."""
        return f"(LLR {self.llr:+.2f}, bounds ±{self.bound:.2f})"


class Sprt(NamedTuple):
    """A test of mean m0 against mean m1, in the unit of the tally (chips per deal).

    error: the probability of a wrong decision if m0 or m1 is true.  fewest: deals before the first
    decision, since the variance is uncertain before. Error rates agree with theory as long as a
    test takes many deals; see the simulation in the tests.
    """

    m0: float
    m1: float
    error: float = 0.05
    fewest: int = 500

    @classmethod
    def of_blinds(cls, big_blind: float, mbb: float = 20.0, error: float = 0.05) -> "Sprt":
        """The usual test: no gain against a gain of ``mbb`` mbb/h."""
        if not 0 < mbb < math.inf:
            raise OptionError(f"mbb={mbb} is not possible; give a gain above 0, such as 20")
        if not 0 < error < 0.5:
            raise OptionError(f"error={error} is not possible; choose between 0 and 0.5")
        return cls(0.0, mbb * big_blind / 1000, error)

    @property
    def bound(self) -> float:
        """±2.94 for 5 %."""
        return math.log((1 - self.error) / self.error)

    def llr(self, tally: Tally) -> float:
        """The log-likelihood ratio; 0 with fewer than two deals."""
        gap = (self.m1 - self.m0) * (2 * tally.mean - self.m0 - self.m1)
        if tally.count < 2 or not gap:
            return 0.0
        variance = tally.variance
        return tally.count * gap / (2 * variance) if variance else math.copysign(math.inf, gap)

    def verdict(self, tally: Tally) -> Verdict:
        """The verdict after the deals so far; ask at any time, and stop at the first decision."""
        llr, bound = self.llr(tally), self.bound
        if tally.count < self.fewest or abs(llr) < bound:
            return Verdict("open", llr, bound)
        return Verdict("better" if llr > 0 else "not better", llr, bound)
