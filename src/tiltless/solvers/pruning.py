"""Pruning rules (placeholder of the lead; the helper for sampled CFR replaces this file)."""

from dataclasses import dataclass

__all__ = ["NoPruning", "PruningRule", "RegretBased"]


@dataclass(frozen=True, slots=True)
class NoPruning:
    """Visit everything."""


@dataclass(frozen=True, slots=True)
class RegretBased:
    """Skip actions of very negative regret."""

    threshold: float
    warmup_iterations: int = 0
    share_unpruned: float = 0.05


PruningRule = NoPruning | RegretBased
