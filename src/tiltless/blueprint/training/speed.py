"""Speed of a training run, and how often it can afford to measure itself."""

import time
from dataclasses import dataclass

from tiltless.blueprint.training.setup import TrainingEngine

__all__ = ["Scan", "Speed"]

_SCAN_SHARE = 0.01  # of the time, for looking through whole tables


@dataclass(frozen=True)
class Speed:
    """Walks, nodes that they visited, and the seconds that they took."""

    walks: int
    nodes: int
    seconds: float

    @property
    def walks_per_second(self) -> float:
        """Of all cores together."""
        return self.walks / self.seconds

    @property
    def nodes_per_second(self) -> float:
        """Of all cores together."""
        return self.nodes / self.seconds

    def __add__(self, other: "Speed") -> "Speed":
        return Speed(
            self.walks + other.walks, self.nodes + other.nodes, self.seconds + other.seconds
        )


class Scan:
    """Numbers that take a look through a whole table, and are only had when there is time.

    mean_regret, touched: as last counted; see `TrainingEngine`.
    """

    def __init__(self, engine: TrainingEngine) -> None:
        self.engine = engine
        self.mean_regret, self.touched = 0.0, 0
        self._next = -1.0

    def look(self, seconds: float) -> None:
        """Look again if that is at most 1 % of the training since the last time."""
        if seconds < self._next:
            return
        start = time.perf_counter()
        self.engine.check_finite()
        self.mean_regret = self.engine.mean_positive_regret()
        self.touched = self.engine.infosets_touched()
        self._next = seconds + (time.perf_counter() - start) / _SCAN_SHARE
