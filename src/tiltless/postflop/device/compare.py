"""Two machines compared launch by launch: which kernel differs first, and by how much.

Both begin with the same random tables, as regrets of exactly 0 would leave strategies to rounding.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tiltless.cfr.presets import find_preset
from tiltless.kernels.postflop.street import AVERAGE, BEST, LEARN
from tiltless.postflop.device.machine import Launch, Machine
from tiltless.postflop.device.runner import DeviceRunner, device_rules
from tiltless.postflop.rules import DEFAULT_RULES, pass_rules
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP, Spot
from tiltless.postflop.threads import VALUES_KEPT

__all__ = ["launch_differences", "random_tables"]

_PASSES = ((OOP, LEARN), (IP, LEARN), (IP, BEST), (OOP, BEST), (IP, AVERAGE), (OOP, AVERAGE))
_ITERATION = 7  # some iteration whose discounts are not 0 or 1


def random_tables(solver: PostflopSolver, seed: int) -> None:
    """Fill the tables of a solver: regrets around 0, averages above 0; padding stays 0."""
    rng = np.random.default_rng(seed)
    tables = solver.tables
    for forest, boards in zip(solver.forests, solver.boards, strict=True):
        arrays = boards.arrays
        for b, player in np.ndindex(len(boards), 2):
            count, width = int(arrays.count[b, player]), int(arrays.width[b, player])
            rows, begin = forest.rows[player], int(arrays.row[b, player])
            for table, low in ((tables.regret, -1.0), (tables.average, 0.0)):
                part = table[begin : begin + rows * width].reshape(rows, width)
                part[:, :count] = solver.spot.pot * rng.uniform(low, 1.0, (rows, count))


def launch_differences(
    spot: Spot, one: Machine, two: Machine, seed: int = 0, passes: int = len(_PASSES)
) -> dict[str, float]:
    """The largest difference after any launch of each kernel, relative to the largest number.

    Keys are a kernel and a buffer, ``river/regret``. Buffers are compared whole after each launch,
    so a difference stays visible under the kernels that follow; the first key that is large is the
    one to look at.  passes: how many, first an iteration, then best responses, then averages.
    """
    runners = [_runner(spot, machine, seed) for machine in (one, two)]
    worst: dict[str, float] = {}
    for launches in zip(*(_launches(runner, passes) for runner in runners), strict=True):
        for runner, launch in zip(runners, launches, strict=True):
            runner.machine.run(object(), lambda launch=launch: [launch])  # type: ignore[misc]
        for name, first, second in zip(_names(runners[0]), *map(_buffers, runners), strict=True):
            mine, theirs = one.read(first), two.read(second)
            scale = max(float(np.abs(mine).max(initial=0)), 1e-30)
            apart = float(np.abs(mine - theirs).max(initial=0)) / scale
            key = f"{launches[0].kernel}/{name}"
            worst[key] = max(worst.get(key, 0.0), apart)
    return worst


def _runner(spot: Spot, machine: Machine, seed: int) -> DeviceRunner:
    solver = PostflopSolver(spot, device=machine)
    random_tables(solver, seed)
    runner = solver._runner
    assert isinstance(runner, DeviceRunner)
    runner.upload()
    return runner


def _launches(runner: DeviceRunner, passes: int) -> Iterator[Launch]:
    rules = device_rules(pass_rules(find_preset(DEFAULT_RULES), _ITERATION))
    runner.machine.write(runner.rules, np.array([rules] * len(runner.rules)))
    chosen = _PASSES[:passes]
    yield from runner.launches(chosen[:VALUES_KEPT], True)
    yield from runner.launches(chosen[VALUES_KEPT:], True)


def _buffers(runner: DeviceRunner) -> list[Any]:
    streets = runner.spot.streets
    vectors = [each for street in streets for each in (street.reach, street.cfv)]
    return [*runner.spot.tables, runner.kept, *vectors]


def _names(runner: DeviceRunner) -> list[str]:
    streets = range(len(runner.spot.streets))
    vectors = [f"{name}{s}" for s in streets for name in ("reach", "cfv")]
    return ["regret", "average", "kept", *vectors]
