"""Sampling schemes (placeholder of the lead; the helper for sampled CFR replaces this file)."""

from dataclasses import dataclass

__all__ = ["ChanceSampling", "External", "Full", "Outcome", "PublicChance", "SamplingScheme"]


@dataclass(frozen=True, slots=True)
class Full:
    """Everything."""


@dataclass(frozen=True, slots=True)
class ChanceSampling:
    """Sample chance."""


@dataclass(frozen=True, slots=True)
class External:
    """External sampling."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome sampling."""

    epsilon: float = 0.6


@dataclass(frozen=True, slots=True)
class PublicChance:
    """Public chance sampling."""


SamplingScheme = Full | ChanceSampling | External | Outcome | PublicChance
