"""Pruning rules: which actions a traversal may skip. Plain data, not subclasses."""

from dataclasses import dataclass

from tiltless.errors import OptionError

__all__ = ["NoPruning", "PruningRule", "RegretBased"]

_FLOOR = 31 / 30


@dataclass(frozen=True, slots=True)
class NoPruning:
    """Every action that the sampling scheme asks for is tried."""


@dataclass(frozen=True, slots=True)
class RegretBased:
    """Skip actions whose regret is below ``threshold``, most of the time.

    threshold: a negative number of chips, as cumulative regrets are; with linear weights, times t.
    warmup_iterations: until then nothing is skipped.
    share_unpruned: this share of the traversals skips nothing, so that actions can come back.
    Regrets never fall further than 31/30 of the threshold, so that they need not climb far.

    Actions that end the game at once are always tried: there is nothing to save. Nor is anything
    skipped where no regret is positive, because then every action is played.
    Paper: Brown & Sandholm (2019), "Superhuman AI for multiplayer poker", supplementary materials
    (Pluribus: threshold -300 million, floor -310 million, 95 % of the traversals); the idea is from
    Brown & Sandholm (2015), "Regret-based pruning in extensive-form games".
    Deviation: Pluribus skips nothing on the last street; here streets are not known.
    """

    threshold: float
    warmup_iterations: int = 0
    share_unpruned: float = 0.05

    def __post_init__(self) -> None:
        if not self.threshold < 0:
            raise OptionError(
                f"threshold={self.threshold} would skip good actions; choose a negative one"
            )
        if self.warmup_iterations < 0:
            raise OptionError(
                f"warmup_iterations={self.warmup_iterations} is below 0; choose 0 or more"
            )
        if not 0 < self.share_unpruned <= 1:
            raise OptionError(
                f"share_unpruned={self.share_unpruned} would skip actions for good; "
                "choose above 0, up to 1"
            )

    @property
    def floor(self) -> float:
        """The lowest that a regret may fall."""
        return self.threshold * _FLOOR


PruningRule = NoPruning | RegretBased
