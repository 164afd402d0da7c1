"""Solve until a distance, an iteration or a time is reached, recording the convergence curve.

The distance to equilibrium is measured at iteration counts that depend on the algorithm and the
game alone, so the same call ends after the same number of iterations however busy the machine is.
The first measurement comes after 10 iterations of a full traversal, or after 1,000 plus one per 100
histories of a sampled one; then at equal steps, and once a tenth of the iterations exceeds that
step, whenever the iterations have grown by a tenth.
"""

import math
import time
from collections.abc import Callable
from typing import NamedTuple

from tiltless.cfr.sampling import Full
from tiltless.errors import OptionError
from tiltless.tabular.solver import Solver

__all__ = ["Point", "solve"]

_PART_SECONDS = 0.1  # between two calls of ``stop``


class Point(NamedTuple):
    """One measurement; seconds count iterations only, not measuring."""

    iteration: int
    seconds: float
    distance: float


def solve(
    solver: Solver,
    *,
    until: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    check_every: float = 1.1,
    on_point: Callable[[Point], None] | None = None,
    history: list[Point] | None = None,
    stop: Callable[[], bool] | None = None,
) -> list[Point]:
    """Run until the distance to equilibrium, the iterations or the time are reached.

    until: distance as in `Solver.distance`.  iterations: in total, including earlier ones.
    seconds: of iterations, earlier ones counted in.  check_every: measure when the number of
    iterations has grown by this factor, see the module.
    on_point: called with each measurement; if it raises, the solver is between two iterations.
    history: measurements of earlier runs, which this run extends.
    stop: called about ten times a second; if it returns true, the run ends after one more
    measurement.
    """
    _check(until, iterations, seconds, check_every)
    points = [] if history is None else history
    spent = points[-1].seconds if points else 0.0
    part = 10
    solver.distance()  # compiles the measuring

    def over() -> bool:
        late = seconds is not None and spent >= seconds
        return late or (stop is not None and stop())

    while not _done(points, solver.iterations, until, iterations) and not over():
        target = _next_look(solver, check_every)
        if iterations is not None:
            target = min(target, iterations)
        while solver.iterations < target:
            start = time.perf_counter()
            ran = min(part, target - solver.iterations)
            solver.run(ran)
            took = time.perf_counter() - start
            spent += took
            part = min(2 * part, max(1, int(_PART_SECONDS * ran / max(took, 1e-9))))
            if over():
                break
        points.append(Point(solver.iterations, spent, solver.distance()))
        if on_point is not None:
            on_point(points[-1])
    return points


def _check(
    until: float | None, iterations: int | None, seconds: float | None, check_every: float
) -> None:
    if until is None and iterations is None and seconds is None:
        raise OptionError("nothing to stop at; give until, iterations or seconds")
    if until is not None and not until > 0:
        raise OptionError(f"a distance of {until} cannot be reached; give a positive one")
    if iterations is not None and iterations < 1:
        raise OptionError(f"{iterations} iterations are too few; give at least 1")
    if seconds is not None and not seconds > 0:
        raise OptionError(f"{seconds} seconds are too few; give more than 0")
    if not 1 <= check_every < math.inf:
        raise OptionError(f"check_every={check_every} is not a finite factor; give 1 or more")


def _next_look(solver: Solver, growth: float) -> int:
    """The total number of iterations after which to measure next; see the module."""
    full = isinstance(solver.preset.sampling, Full)
    first = 10 if full else 1_000 + solver.flat.nodes // 100
    look = first
    while look <= solver.iterations:
        look = max(look + first, int(look * growth))
    return look


def _done(points: list[Point], done: int, until: float | None, iterations: int | None) -> bool:
    if until is not None and points and points[-1].distance <= until:
        return True
    return iterations is not None and done >= iterations
