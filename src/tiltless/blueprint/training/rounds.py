"""Rounds: training in which copies of the tables learn apart, anywhere, and are merged.

In a round every copy starts from the same regrets and runs its share of the blocks on one thread;
then **regrets are averaged and averages summed**. (Summed regrets would correct what all copies
have learned several times over: on Leduc with 16 copies that left 3 to 30 times the
exploitability.) Jobs keep no state: a job is a reference to the regrets and the numbers of blocks,
its result the packed changes (`tiltless.blueprint.packed_changes`), and cards and random numbers
follow from the seed and the block. So the result depends on the seed, the number of copies and the
length of rounds, and never on how many machines there are or how often one was lost. The driver
owns the tables, and a run writes a checkpoint after each round.

Rounds begin short, since early regrets change fast, and grow with what was learned before.
"""

from dataclasses import dataclass, replace
from os import PathLike
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.tables import build_tables
from tiltless.blueprint.engine import BlueprintRules
from tiltless.blueprint.packed_changes import CopyChanges
from tiltless.blueprint.training.config import TrainingConfig
from tiltless.blueprint.training.setup import Setup, TrainingEngine
from tiltless.executor import Executor, Shared, WorkerRefusedError
from tiltless.validate import whole_number

__all__ = ["CopyJob", "RoundSetting", "Rounds"]

_ROUND_WALKS = {"external": 1 << 22, "chance": 1 << 20, "public-chance": 1 << 13, "vector": 1 << 18}
_PAST, _SHORTEST = 8, 16  # a round is an eighth of what was done before, but 1/16 or more of a full


@dataclass(frozen=True)
class RoundSetting:
    """How a run is divided.

    copies: how many learn apart.  walks: of each copy in a full round; 0 for the usual number, half
    a minute or so.
    """

    copies: int
    walks: int = 0

    def __post_init__(self) -> None:
        whole_number("copies", self.copies, 1, 4096)
        whole_number("round_walks", self.walks, 0, 1 << 62)

    def text(self) -> str:
        """``"8 copies, rounds of 4194304 walks"``."""
        return f"{self.copies} copies, rounds of {self.walks} walks"

    def filled(self, config: TrainingConfig) -> "RoundSetting":
        """With the usual number of walks if none is given."""
        rules = config.rules
        sampling = rules.sampling if isinstance(rules, BlueprintRules) else "vector"
        return self if self.walks else replace(self, walks=_ROUND_WALKS[sampling])


class CopyJob(NamedTuple):
    """What a worker needs for one copy in one round.

    fingerprint: of the run; a worker that resolves the configuration to another one refuses.
    tables: folder of the bucket tables, None for the usual one.  regret: float32, of all copies.
    first, stop: blocks of the round.
    """

    config: TrainingConfig
    fingerprint: str
    copies: int
    tables: str | None
    regret: Shared[npt.NDArray[np.float32]]
    first: int
    stop: int
    copy: int


class Rounds:
    """Runs an engine in rounds.  executor: where copies learn."""

    def __init__(
        self,
        setup: Setup,
        engine: TrainingEngine,
        setting: RoundSetting,
        executor: Executor,
        tables: str | PathLike[str] | None = None,
    ) -> None:
        self.setup, self.engine, self.executor = setup, engine, executor
        self.setting = setting.filled(setup.config)
        self.tables = None if tables is None else str(tables)
        self.bytes_up = 0
        engine.copies = setting.copies

    def next_stop(self) -> int:
        """The block before which the next round ends; it follows from the blocks done so far."""
        copies, done = self.setting.copies, self.engine.walks // self.engine.block_walks
        full = max(self.setting.walks // self.engine.block_walks, 1)
        each = min(max(done // copies // _PAST, full // _SHORTEST, 1), full)
        return done + copies * each

    def run(self, walks: int) -> None:
        """Run at least this many more traversals, in whole rounds."""
        last = self.engine.walks + whole_number("walks", walks, 1, 1 << 62)
        while self.engine.walks < last:
            self.run_round()

    def run_round(self) -> None:
        """One round; `WorkerError` if a copy cannot be had, and then nothing has changed."""
        engine, copies = self.engine, self.setting.copies
        first, stop = engine.walks // engine.block_walks, self.next_stop()
        about = self.setup.config, self.setup.fingerprint, copies, self.tables
        regret = self.executor.share(engine.state()["regret"])
        jobs = [CopyJob(*about, regret, first, stop, copy) for copy in range(copies)]
        changes = list(self.executor.map(run_copy, jobs))
        self.bytes_up += sum(
            each.regret.nbytes + (0 if each.average is None else each.average.nbytes)
            for each in changes
        )
        engine.merge(first, stop, changes)


_engines: dict[tuple[str, int], TrainingEngine] = {}  # the last one that this process needed


def run_copy(job: CopyJob) -> CopyChanges:
    """One copy in one round: the task of a worker."""
    engine = _engines.get((job.fingerprint, job.copies))
    if engine is None:
        setup = Setup.of(job.config)
        if setup.fingerprint != job.fingerprint:
            raise WorkerRefusedError(
                f"it knows another game, menu or buckets by the names of {job.config.name}; "
                "install the same abstractions"
            )
        built = build_tables(setup.cards, folder=job.tables)
        rules = job.config.rules.for_copies(job.copies)
        engine = Setup.of(replace(job.config, rules=rules)).engine(built, 1)
        engine.copies = job.copies
        _engines.clear()
        _engines[job.fingerprint, job.copies] = engine
    return engine.run_copy(job.regret.get(), job.first, job.stop, job.copy)
