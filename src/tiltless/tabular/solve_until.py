"""Solve until something is reached, and remember how it went."""

import time
from collections.abc import Callable
from typing import NamedTuple

from tiltless.errors import OptionError
from tiltless.tabular.solver import Solver

__all__ = ["Point", "solve"]


_PATIENCE = 3
"""Iterations get at least so many times the time of measuring."""


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
) -> list[Point]:
    """Run until the distance to equilibrium, the iterations or the time are reached.

    until: distance as in `Solver.distance`.  iterations: in all, earlier ones counted in.
    seconds: of iterations, earlier ones counted in.  check_every: measure when the number of
    iterations has grown by this factor, and running has taken longer than measuring.
    on_point: told each measurement; an exception in it, such as KeyboardInterrupt, leaves the
    solver between two iterations.
    history: measurements of earlier runs, which this one adds to.
    """
    if until is None and iterations is None and seconds is None:
        raise OptionError("nothing to stop at; give until, iterations or seconds")
    if until is not None and not until > 0:
        raise OptionError(f"a distance of {until} cannot be reached; give a positive one")
    if iterations is not None and iterations < 1:
        raise OptionError(f"{iterations} iterations are too few; give at least 1")
    if seconds is not None and not seconds > 0:
        raise OptionError(f"{seconds} seconds are too few; give more than 0")
    points = [] if history is None else history
    spent = points[-1].seconds if points else 0.0
    batch = 10
    solver.distance()  # compiles the measuring, so that it is not mistaken for a slow one
    while not _done(points, solver.iterations, spent, until, iterations, seconds):
        target = max(solver.iterations + batch, int(solver.iterations * check_every))
        if iterations is not None:
            target = min(target, iterations)
        start = time.perf_counter()
        ran = target - solver.iterations
        solver.run(ran)
        took = time.perf_counter() - start
        spent += took
        points.append(Point(solver.iterations, spent, solver.distance()))
        measuring = time.perf_counter() - start - took
        batch = max(10, int(_PATIENCE * measuring * ran / max(took, 1e-9)))
        if on_point is not None:
            on_point(points[-1])
    return points


def _done(
    points: list[Point],
    done: int,
    spent: float,
    until: float | None,
    iterations: int | None,
    seconds: float | None,
) -> bool:
    if until is not None and points and points[-1].distance <= until:
        return True
    if iterations is not None and done >= iterations:
        return True
    return seconds is not None and spent >= seconds
