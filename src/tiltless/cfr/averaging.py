"""Averaging rules: how much the strategy of each iteration counts in the average strategy."""

from dataclasses import dataclass

from tiltless.errors import OptionError

__all__ = ["AveragingRule", "Power", "Uniform"]


@dataclass(frozen=True, slots=True)
class Uniform:
    """Every iteration counts alike."""

    delay: int = 0

    def weight(self, t: int) -> float:
        """Weight of iteration ``t``, counted from 1."""
        return 1.0 if t > self.delay else 0.0


@dataclass(frozen=True, slots=True)
class Power:
    """Iteration t counts (t - delay)^gamma, and 0 up to the delay.

    gamma 1 is the linear average of CFR+; gamma 2 the quadratic one of DCFR and PCFR+, which DCFR
    writes as a discount of the sum by (t / (t + 1))^2.
    """

    gamma: float
    delay: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.gamma <= 30:
            raise OptionError(f"gamma={self.gamma} is outside 0 to 30")

    def weight(self, t: int) -> float:
        """Weight of iteration ``t``, counted from 1."""
        return float(t - self.delay) ** self.gamma if t > self.delay else 0.0


AveragingRule = Uniform | Power
