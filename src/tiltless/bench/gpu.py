"""Benchmark of the post-flop solver on a GPU: seconds to 0.5 % of the pot, and rivers in a batch.

Times include the checks of the exploitability, every ten iterations, and recording CUDA graphs;
layout and compiling are not included. The report over flops (`tiltless.bench.device.flops`)
includes everything. Without a card every figure is None.
"""

import time
from typing import Any

import numpy as np

from tiltless.bench import Result
from tiltless.bench.device import flops as gpu_flops
from tiltless.bench.ranges import FULL_FLOP, SPOTS
from tiltless.cards.card import DECK_SIZE
from tiltless.postflop.device.batch import RiverBatch
from tiltless.postflop.device.card import find_machine, missing_card
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import OOP, Spot

__all__ = ["KEYS", "run"]

_SPOTS = {
    "river_full": (SPOTS["river_full"], 0.1),
    "turn_full": (SPOTS["turn_full"], 0.5),
    "flop_bench": (SPOTS["flop_bench"], 0.5),
    "flop_full": (FULL_FLOP, 0.5),
}
_FIGURES = ("s", "iterations", "exploitability", "value", "ms_per_iteration", "mb")
_BATCH, _BATCH_UNTIL = 1000, 0.1
_BATCH_SPOT, _BATCH_RANGE = SPOTS["river_full"], "random"
_REPEATS, _MOST, _TIMED = 3, 2000, 50  # solvers, iterations at most, iterations timed
KEYS = (
    "gpu",
    *(f"gpu_{name}_{figure}" for name in _SPOTS for figure in _FIGURES),
    "gpu_rivers_per_s",
    "gpu_rivers_iterations",
    "gpu_rivers_worst_exploitability",
    *gpu_flops.KEYS,
)
"""The names of the figures."""


def run() -> Result:
    """All figures; None where there is no card."""
    if missing_card():
        return dict.fromkeys(KEYS)
    result: Result = {"gpu": _name()}
    for name, (spot, until) in _SPOTS.items():
        result |= {f"gpu_{name}_{key}": value for key, value in _solve(spot, until).items()}
    return result | _batch() | gpu_flops.run()


def _name() -> str:
    import cupy

    about: Any = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
    return str(about["name"].decode())


def _solve(spot: Spot, until: float) -> dict[str, float]:
    """The best of several, after a solver that only compiles and loads the kernels."""
    best: dict[str, float] = {}
    PostflopSolver(spot, device="gpu").run(1)
    for _ in range(_REPEATS):
        solver = PostflopSolver(spot, device="gpu")
        status = solver.solve(until, iterations=_MOST)
        if not best or status.seconds < best["s"]:
            best = {
                "s": status.seconds,
                "iterations": float(status.iterations),
                "exploitability": status.exploitability,
                "value": solver.values()[OOP],
                "ms_per_iteration": _milliseconds(solver),
                "mb": solver.device_bytes / 1e6,
            }
    return best


def _milliseconds(solver: PostflopSolver) -> float:
    """Of one iteration, without checks."""
    iterations = _TIMED
    solver.run(iterations)
    solver.values()  # which waits
    begin = time.perf_counter()
    solver.values()
    waiting = time.perf_counter() - begin
    begin = time.perf_counter()
    solver.run(iterations)
    solver.values()
    return 1e3 * (time.perf_counter() - begin - waiting) / iterations


def _batch() -> Result:
    rng = np.random.default_rng(21)
    river, hands = _BATCH_SPOT, _BATCH_RANGE
    boards = [rng.choice(DECK_SIZE, 5, replace=False).tolist() for _ in range(_BATCH)]
    spots = [Spot(board, hands, hands, river.pot, river.stack, river.bets) for board in boards]
    best, batch, found = float("inf"), None, None
    for _ in range(_REPEATS):
        batch = None  # frees its memory
        machine = find_machine("gpu")
        assert machine is not None
        batch = RiverBatch(spots, machine)
        batch.exploitability()
        begin = time.perf_counter()
        found = batch.solve(_BATCH_UNTIL, iterations=_MOST)
        best = min(best, time.perf_counter() - begin)
    assert found is not None
    return {
        "gpu_rivers_per_s": _BATCH / best,
        "gpu_rivers_iterations": float(found.iterations.mean()),
        "gpu_rivers_worst_exploitability": float(found.exploitability.max()),
    }
