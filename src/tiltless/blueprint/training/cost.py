"""Cost of a training run: memory and disk before it starts, time once it is measured."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tiltless.abstraction.cards.tables import missing_tables
from tiltless.amounts import size_text
from tiltless.blueprint.engine import BlueprintRules
from tiltless.blueprint.training.config import TrainingConfig
from tiltless.blueprint.training.setup import Setup
from tiltless.errors import OptionError
from tiltless.system import usable_memory

__all__ = [
    "MEETINGS",
    "Needs",
    "SpeedEstimate",
    "check_room",
    "needs",
]

MEETINGS = 40_000
"""A sensible end: every information set was met so often, on average. Where the ``minute`` preset
gets there, twice as many walks gain no more than 10 mbb/h against half of them."""

_CHECKPOINTS = 3  # two generations, and the one that is being written (or averages of a match)
_SHARE_OF_MEMORY = 0.9


@dataclass(frozen=True)
class Needs:
    """What a run will take: information sets, numbers in each table, bytes of memory and disk.

    memory: two tables, the tree and, at the end, the blueprint, a byte for each action.
    disk: at most, while a checkpoint is written beside the two that are kept; with the blueprint.
    model: the blueprint's file.
    bucket_tables: bytes by street of those that are not in the cache folder yet, and will be built.
    """

    infosets: int
    rows: int
    memory: int
    disk: int
    model: int
    bucket_tables: Mapping[str, int] = field(default_factory=dict)


def needs(run: TrainingConfig | Setup) -> Needs:
    """Counted before any table is allocated; a tree is laid out only to count a product."""
    setup = Setup.of(run)
    tables = 2 * 4 * setup.rows
    memory = tables + setup.rows + setup.layout_bytes
    model = setup.model_bytes
    disk = _CHECKPOINTS * tables + model
    return Needs(setup.infosets, setup.rows, memory, disk, model, missing_tables(setup.cards))


def check_room(config: TrainingConfig, cost: Needs, folder: Path) -> None:
    """Refuse a run that this machine has no memory or no disk for."""
    memory = usable_memory()
    if cost.memory > _SHARE_OF_MEMORY * memory:
        raise OptionError(
            f"{config.name} needs {size_text(cost.memory)} of memory and this machine has "
            f"{size_text(memory)}; take fewer sizes or buckets (tiltless tree says how large)"
        )
    free = _free_disk(folder)
    if cost.disk > free:
        raise OptionError(
            f"{config.name} needs {size_text(cost.disk)} for checkpoints and blueprint and "
            f"{folder} has room for {size_text(free)}; make room, choose another folder or take "
            "fewer sizes or buckets"
        )


def _free_disk(folder: Path) -> float:
    """Bytes that a run in a folder may use: what is free, and what its files have already."""
    parent = folder.absolute()
    while not parent.exists() and parent != parent.parent:
        parent = parent.parent
    try:
        own = sum(path.stat().st_size for path in folder.glob("*.safetensors"))
        return float(shutil.disk_usage(parent).free + own)
    except OSError:
        return float("inf")


@dataclass(frozen=True)
class SpeedEstimate:
    """How fast a run is, measured on its own first walks, and what that means.

    stop_walks, stop_seconds: when it stops as configured, in walks of the whole run and in seconds
    from now; None without such a limit.
    met_walks, met_seconds: the same for a sensible end, `MEETINGS` visits to each information set
    on average; walks grow longer while training, so it comes rather sooner than later. None where
    the configuration says how many walks, and for chance sampling, whose visits count by reach.
    """

    walks_per_second: float
    nodes_per_second: float
    stop_walks: float | None
    stop_seconds: float | None
    met_walks: float | None
    met_seconds: float | None

    @classmethod
    def of(
        cls,
        config: TrainingConfig,
        done: tuple[int, float],
        walks_per_second: float,
        nodes_per_second: float,
        meetings_per_walk: float,
    ) -> "SpeedEstimate":
        """From what was measured.

        done: walks and seconds of training so far.
        meetings_per_walk: visits of a walk to information sets, over the number of these; 0 where
        that is not known.
        """
        walks, seconds = done
        limits = []
        if config.stop_walks is not None:
            limits.append((config.stop_walks - walks) / walks_per_second)
        if config.stop_minutes is not None:
            limits.append(60 * config.stop_minutes - seconds)
        stop = max(min(limits), 0.0) if limits else None
        last = None if stop is None else walks + stop * walks_per_second
        by_reach = isinstance(config.rules, BlueprintRules) and config.rules.sampling == "chance"
        if config.stop_walks is not None or by_reach or not meetings_per_walk:
            return cls(walks_per_second, nodes_per_second, last, stop, None, None)
        met = MEETINGS / meetings_per_walk
        left = max(met - walks, 0.0) / walks_per_second
        return cls(walks_per_second, nodes_per_second, last, stop, met, left)
