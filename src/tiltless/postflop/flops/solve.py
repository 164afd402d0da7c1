"""One flop of a report: its spot is solved, and both ranges are reported at a few decisions.

`solve_flop` is a task of an executor (`tiltless.executor`): its result follows from its job alone.
"""

import math
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tiltless.cards.card import cards_text
from tiltless.errors import TiltlessError
from tiltless.executor import WorkerRefusedError
from tiltless.postflop.device.card import find_machine
from tiltless.postflop.flops.settings import FlopSettings
from tiltless.postflop.node import find_node
from tiltless.postflop.report import Totals
from tiltless.postflop.solution import Solution, solve_spot
from tiltless.postflop.solver import SolverStatus
from tiltless.postflop.tables import NodeReport, node_report

__all__ = ["FlopJob", "FlopResult", "solve_flop"]


class FlopJob(NamedTuple):
    """A flop to solve.

    cards: its own.  threads: for this flop.  device: ``cpu`` or ``gpu``.  sharing: how many
    processes use the card at once, each with its share of the memory.
    """

    settings: FlopSettings
    cards: tuple[int, ...]
    threads: int = 1
    device: str = "cpu"
    sharing: int = 1


class FlopResult(NamedTuple):
    """What is kept of a flop.

    flop: ``Ks7s2h``.  pairs: weight of all pairs of hands of both ranges on it.
    exploitability: reached, in percent of the pot.  seconds: of solving and reporting.
    reports: at each line.  failed: why there is nothing else; empty if there is.
    """

    flop: str
    pairs: float = 0.0
    iterations: int = 0
    exploitability: float = math.nan
    seconds: float = 0.0
    reports: Mapping[str, NodeReport] = {}
    failed: str = ""

    def facts(self) -> dict[str, Any]:
        """As JSON, in which unknown numbers are null; `from_facts` is the inverse."""
        reports = {
            line: each._asdict()
            | {"board": list(each.board), "oop": _totals(each.oop), "ip": _totals(each.ip)}
            for line, each in self.reports.items()
        }
        return {**self._asdict(), "reports": _without_nan(reports)}

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> "FlopResult":
        """The inverse of `facts`; `KeyError`, `TypeError` or `ValueError` for anything else."""
        reports = {}
        for line, each in facts["reports"].items():
            totals = {player: _from_totals(each[player]) for player in ("oop", "ip")}
            often = {str(word): float(prob) for word, prob in each["frequencies"].items()}
            where = {"board": tuple(map(int, each["board"])), "frequencies": often}
            reports[str(line)] = NodeReport(**{**each, **totals, **where})
        return cls(**{**facts, "reports": reports})


def _totals(totals: Totals) -> dict[str, Any]:
    return totals._asdict() | {"frequencies": list(totals.frequencies)}


def _from_totals(facts: Mapping[str, Any]) -> Totals:
    numbers = {
        name: math.nan if value is None else float(value)
        for name, value in facts.items()
        if name != "frequencies"
    }
    often = tuple(math.nan if value is None else float(value) for value in facts["frequencies"])
    return Totals(**numbers, frequencies=often)


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nan(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_without_nan(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def solve_flop(job: FlopJob, stop: Callable[[], bool] | None = None) -> FlopResult:
    """Solve a flop and report it; what goes wrong is told in the result.

    stop: asked whenever the exploitability has been computed; `KeyboardInterrupt` if it says so.
    """
    begin = time.perf_counter()
    name = cards_text(job.cards)
    try:
        solution = _solved(job, stop)
        reports = {
            line: node_report(find_node(solution.solver, line)) for line in job.settings.lines
        }
        pairs, found = solution.spot.pairs, solution.exploitability
    except WorkerRefusedError:
        raise
    except Exception as problem:  # of this flop; the others may be solved
        kind = "" if isinstance(problem, TiltlessError) else f"{type(problem).__name__}: "
        return FlopResult(name, failed=kind + " ".join(str(problem).split()))
    seconds = round(time.perf_counter() - begin, 3)
    return FlopResult(name, pairs, solution.iterations, found, seconds, reports)


def _solved(job: FlopJob, stop: Callable[[], bool] | None) -> Solution:
    """The solution of a flop; the back end, and the device that it runs on, is chosen here only."""

    def check(_: SolverStatus) -> None:
        if stop is not None and stop():
            raise KeyboardInterrupt

    settings = job.settings
    return solve_spot(
        settings.spot(job.cards),
        settings.until,
        seconds=settings.seconds,
        iterations=settings.iterations,
        threads=job.threads,
        compressed=settings.compressed,
        device=find_machine(job.device, job.sharing) or "cpu",
        progress=check,
    )
