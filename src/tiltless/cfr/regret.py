"""Regret rules: how cumulative regrets are discounted or floored. Plain data, not subclasses.

In iteration t an action's cumulative regret R meets its instantaneous counterfactual regret r:

    R <- f(R) + r,   then, if floored, R <- max(R, 0)

where f multiplies positive regrets by one number and negative ones by another. The strategy of the
next iteration is in proportion to max(R, 0), or, if predictive, to max(f(R) + r, 0): the regrets
as they will be if the next iteration brings the same r again.
"""

from dataclasses import dataclass
from math import exp, isfinite, log

from tiltless.errors import OptionError

__all__ = ["Discounted", "Floored", "Plain", "Predictive", "RegretRule"]


@dataclass(frozen=True, slots=True)
class Plain:
    """R <- R + r.

    Paper: Zinkevich, Johanson, Bowling & Piccione (2007), "Regret minimization in games with
    incomplete information".
    """

    floored = False

    def discounts(self, t: int) -> tuple[float, float]:
        """Factors of positive and negative regrets before iteration ``t`` = 1, 2 … is added."""
        return 1.0, 1.0


@dataclass(frozen=True, slots=True)
class Floored:
    """R <- max(R + r, 0): regret matching plus.

    Paper: Tammelin (2014), "Solving large imperfect information games using CFR+", arXiv 1407.5042.
    """

    floored = True

    def discounts(self, t: int) -> tuple[float, float]:
        """As in `Plain`."""
        return 1.0, 1.0


@dataclass(frozen=True, slots=True)
class Discounted:
    """R <- R * s^a / (s^a + 1) + r with s = t - 1, a = alpha where R > 0 and beta where R < 0.

    ``alpha = beta = 1`` is linear CFR: each iteration counts in proportion to its number.
    Paper: Brown & Sandholm (2019), "Solving imperfect-information games via discounted regret
    minimization", arXiv 1809.04040. The paper discounts after iteration t by t^a / (t^a + 1); we
    discount just before iteration t + 1 is added, which is the same.
    """

    alpha: float
    beta: float
    floored: bool = False

    def __post_init__(self) -> None:
        if not (isfinite(self.alpha) and isfinite(self.beta)):
            raise OptionError(
                f"alpha={self.alpha} and beta={self.beta} are not both finite; give numbers such "
                "as 1.5 and 0"
            )

    def discounts(self, t: int) -> tuple[float, float]:
        """As in `Plain`."""
        return _factor(t - 1, self.alpha), _factor(t - 1, self.beta)


def _factor(s: int, exponent: float) -> float:
    """s^e / (s^e + 1), written so that large powers do not overflow; 0 for s = 0."""
    return 1.0 / (1.0 + exp(min(-exponent * log(s), 700.0))) if s > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Predictive:
    """Another rule, with the last regrets as a forecast of the next.

    Papers: Farina, Kroer & Sandholm (2021), "Faster game solving via predictive Blackwell
    approachability", arXiv 2007.14358 (PCFR+); Xu et al. (2024), "Minimizing weighted
    counterfactual regret with optimistic online mirror descent", arXiv 2404.13891 (PDCFR+).
    """

    rule: "Floored | Discounted"

    def __post_init__(self) -> None:
        if not self.rule.floored:
            raise OptionError(
                f"{self.rule} is not floored; predictive rules need Floored() or "
                "Discounted(..., floored=True)"
            )


RegretRule = Plain | Floored | Discounted | Predictive
