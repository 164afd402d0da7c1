"""A run of the strength experiment: cells played into a folder, tables written there."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from tiltless.executor import Executor
from tiltless.experiments.strength.cells import FULL, QUICK, SEARCH, Cell, cells
from tiltless.experiments.strength.play import BlockLog, Figure, Prove, Told, play_cells
from tiltless.experiments.strength.tables import markdown
from tiltless.files.atomic import make_folder, write_text
from tiltless.system import usable_cores

__all__ = ["SEED", "StrengthRun", "reproduce_strength"]

SEED = 1000
"""The first seed; parameters of the agents were chosen with others."""


class StrengthRun(NamedTuple):
    """The results.  stopped: whether Ctrl-C ended it.  taken: blocks that earlier runs played."""

    figures: dict[Cell, Figure]
    seed: int
    out: Path
    stopped: bool
    taken: int
    minutes: float

    @property
    def summary(self) -> str:
        """One line about the files and the time."""
        many = "1 block" if self.taken == 1 else f"{self.taken} blocks"
        earlier = f", {many} from earlier runs" if self.taken else ""
        end = "; stopped, the same command continues" if self.stopped else ""
        return f"{self.out}: tables.md, blocks.jsonl; {self.minutes:.1f} minutes{earlier}{end}"


def reproduce_strength(
    prove: Prove,
    heading: str = "",
    *,
    quick: bool = False,
    scale: float = 1.0,
    agent: str = SEARCH,
    only: Sequence[str] = (),
    seed: int = SEED,
    processes: int | Executor = 0,
    out: str | Path | None = None,
    begin: Callable[[Cell], Told] | None = None,
) -> StrengthRun:
    """Play everything that is not yet in the folder, and write the tables there.

    prove: the vector proof.  heading: a line above the tables.  quick, scale, agent, only: see
    `cells`.  processes: 0 for all cores.  begin: see `play_cells`. Ctrl-C ends the
    run with what is known by then.
    """
    start = time.perf_counter()
    wanted = cells((QUICK if quick else FULL).scaled(scale), agent=agent, only=only)
    folder = Path(make_folder(out or ("strength-quick" if quick else "strength")))
    log = BlockLog(folder / "blocks.jsonl")
    workers, stopped = processes or usable_cores(), False
    figures: dict[Cell, Figure] = {}
    try:
        for cell, figure in play_cells(
            wanted, log, seed=seed, processes=workers, prove=prove, begin=begin
        ):
            figures[cell] = figure
    except KeyboardInterrupt:
        stopped = True
    write_text(folder / "tables.md", markdown(figures, seed, heading))
    minutes = (time.perf_counter() - start) / 60
    return StrengthRun(figures, seed, folder, stopped, log.taken, minutes)
