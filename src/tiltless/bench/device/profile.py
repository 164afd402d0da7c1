"""``python -m tiltless.bench.device.profile``: where a card spends an iteration.

For each spot and number of threads: milliseconds of an iteration as a CUDA graph, what the traffic
of the tables would take alone (20 bytes for each action and hand), and the milliseconds of each
kernel when launched one by one.
"""

import argparse
import sys
import time
from collections.abc import Sequence

from tiltless.bench.ranges import FULL_FLOP, SPOTS
from tiltless.kernels.postflop.street import LEARN
from tiltless.plain import plain_main
from tiltless.postflop.device.card import CudaCard, find_machine
from tiltless.postflop.device.runner import MOST_THREADS, PASSES_AT_ONCE, DeviceRunner
from tiltless.postflop.rules import pass_rules
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP
from tiltless.postflop.threads import Pass

__all__ = ["parser"]

_SPOTS = {**SPOTS, "flop_full": FULL_FLOP}
_BYTES = 20  # of an action and hand, in an iteration
_BANDWIDTH = 4.3e12  # bytes per second that a copy reaches on an H200


def _profile(given: argparse.Namespace) -> None:
    for name in given.spots.split(","):
        solver = PostflopSolver(_SPOTS[name])
        for threads in map(int, given.threads.split(",")):
            _one(name, solver, threads, given.iterations)


def _one(name: str, solver: PostflopSolver, threads: int, iterations: int) -> None:
    card = find_machine("gpu")
    assert isinstance(card, CudaCard)
    about = solver.forests, solver.boards, solver.tables, solver.spot.weights
    runner = DeviceRunner(*about, card, threads)
    passes = [
        (player, LEARN, *pass_rules(solver.rules, t))
        for t in range(1, PASSES_AT_ONCE // 2 + 1)
        for player in (OOP, IP)
    ]
    runner.run(passes)  # loads the kernels
    runner.run(passes)  # records the graph
    milliseconds = _timed(runner, passes, max(iterations * 2 // PASSES_AT_ONCE, 1))
    least = 1e3 * _BYTES * len(solver.tables.regret) / _BANDWIDTH
    shape = runner.spot.shape
    print(
        f"{name}: {shape.hands} x {shape.threads} threads, spill {shape.spill}, "
        f"{milliseconds:.3f} ms an iteration, {least:.3f} by table traffic alone, "
        f"{runner.bytes / 1e6:,.0f} MB",
        flush=True,
    )
    spent = card.timed(runner.launches([(OOP, LEARN), (IP, LEARN)], False))
    for kernel, (launches, each) in sorted(spent.items(), key=lambda item: -item[1][1]):
        print(f"    {kernel:<8} {launches:>3} launches {each:.3f} ms", flush=True)
    for kernel, (registers, local, shared) in card.resources().items():
        if kernel == "river":
            print(f"    river: {registers} registers, {local} bytes of stack, {shared} static")


def _timed(runner: DeviceRunner, passes: Sequence[Pass], times: int) -> float:
    """Milliseconds of an iteration."""
    runner.machine.read(runner.rules)
    begin = time.perf_counter()
    for _ in range(times):
        runner.run(passes)
    runner.machine.read(runner.rules)  # waits
    return 2e3 * (time.perf_counter() - begin) / times / len(passes)


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser("python -m tiltless.bench.device.profile", description=__doc__)
    made.add_argument("--spots", default="river_full,turn_full,flop_bench", help="names of spots")
    made.add_argument(
        "--threads", default=str(MOST_THREADS), help="threads of a block at most, several by commas"
    )
    made.add_argument("--iterations", type=int, default=100, help="iterations to time")
    return made


if __name__ == "__main__":
    sys.exit(plain_main(parser(), sys.argv[1:], _profile))
