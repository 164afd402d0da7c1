"""Strategies: what to do at every infoset, readable, kept in files, independent of any solver."""

from tiltless.strategy.strategy import Row, Strategy

__all__ = ["Row", "Strategy"]
