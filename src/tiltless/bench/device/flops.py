"""Benchmark of a report over flops on a GPU: the ranges, chips and bets of ``flop_bench``.

::

    python -m tiltless.bench.device.flops --flops 184 --processes 16

Processes share the card. The time is that of everything: starting them, boards and trees, solving
each flop to 0.5 % of the pot, reports of both players' first decisions, and files. The module needs
NumPy, Numba and CuPy only.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence

from tiltless.bench import Result
from tiltless.bench.ranges import BENCH_RANGES, SPOTS
from tiltless.cards.flops import WeightedFlop, all_flops
from tiltless.errors import TiltlessError
from tiltless.postflop.device.card import DEVICES, missing_card
from tiltless.postflop.flops.run import FlopFolder, in_spread_order, solve_flops
from tiltless.postflop.flops.settings import FlopSettings
from tiltless.postflop.flops.solve import FlopResult
from tiltless.system import usable_cores
from tiltless.validate import whole_number

__all__ = ["FLOPS", "KEYS", "flops_report", "main", "run"]

FLOPS = "TILTLESS_BENCH_FLOPS"
"""An environment variable: how many flops, for a trial; all without it."""
KEYS = ("flops_report_s", "flops_report_flops", "flops_report_worst_exploitability")
"""The names of the figures."""
_SPOT = SPOTS["flop_bench"]
_UNTIL = 0.5
_PROCESSES = 16


def settings() -> FlopSettings:
    """What is solved on every flop."""
    chips = _SPOT.pot, _SPOT.stack, _SPOT.bets
    return FlopSettings(BENCH_RANGES["oop"], BENCH_RANGES["ip"], *chips, until=_UNTIL)


def chosen_flops(about: FlopSettings, count: int) -> list[WeightedFlop]:
    """Some of all flops, spread over them; all for 0."""
    every = all_flops(about.alike)
    return in_spread_order(every)[: count or len(every)]


def flops_report(
    flops: int = 0, processes: int = 0, device: str = "gpu", folder: str = ""
) -> Result:
    """Seconds, how many flops, and the largest exploitability.

    flops: 0 for all.  processes: 0 for 16, or as many as there are cores.  folder: kept, and
    continued, if it is given.
    """
    about = settings()
    some = chosen_flops(about, flops)
    processes = processes or min(_PROCESSES, usable_cores())
    with tempfile.TemporaryDirectory() as name:
        begin = time.perf_counter()
        with FlopFolder.open(folder or name, about, "bench") as kept:
            results: list[FlopResult] = []
            for result in solve_flops(kept, some, processes=processes, device=device):
                results.append(result)
                _say(results, len(some), time.perf_counter() - begin)
        seconds = time.perf_counter() - begin
    failed = [each for each in results if each.failed]
    if failed:
        raise TiltlessError(f"{len(failed)} flops failed, {failed[0].flop}: {failed[0].failed}")
    worst = max((each.exploitability for each in results), default=float("nan"))
    return dict(zip(KEYS, (seconds, float(len(results)), worst), strict=True))


def _say(results: Sequence[FlopResult], total: int, seconds: float) -> None:
    """Every hundred flops, and the first, on standard error."""
    done = len(results)
    if done % 100 == 0 or done in (1, total):
        each = sum(result.seconds for result in results) / done
        line = f"{done:,} of {total:,} flops in {seconds:.1f} s, {each:.2f} s of a process each"
        print(line, file=sys.stderr, flush=True)


def run() -> Result:
    """The figures of all flops, or of as many as `FLOPS` says; None without a card."""
    if missing_card():
        return dict.fromkeys(KEYS)
    count = os.environ.get(FLOPS, "0")
    return flops_report(whole_number(FLOPS, int(count) if count.isdigit() else -1, 0, 22_100))


def main(arguments: Sequence[str] | None = None) -> int:
    """``python -m tiltless.bench.device.flops``: the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flops", type=int, default=0, help="how many; 0 for all")
    parser.add_argument("--processes", type=int, default=0, help="0 for 16 or all cores")
    parser.add_argument("--device", choices=DEVICES, default="gpu", help="cpu or gpu")
    parser.add_argument("--out", default="", help="a folder to keep, and to continue")
    given = parser.parse_args(arguments)
    try:
        found = flops_report(given.flops, given.processes, given.device, given.out)
    except TiltlessError as problem:
        print(problem, file=sys.stderr)
        return 1
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
