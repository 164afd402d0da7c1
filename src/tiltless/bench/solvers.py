"""Benchmark of the CFR family beside OpenSpiel's C++ solvers."""

import time
from typing import Any

from tiltless.bench import Result
from tiltless.bench.measuring.busy import busy_thread_ratio
from tiltless.bench.measuring.timing import peak_megabytes
from tiltless.cfr.averaging import Uniform
from tiltless.cfr.pruning import NoPruning
from tiltless.cfr.regret import Plain
from tiltless.cfr.sampling import External
from tiltless.games import load
from tiltless.tabular.flat import flatten
from tiltless.tabular.sampled import sampled_engine
from tiltless.tabular.solver import Solver

__all__ = ["run"]

_TARGET = 1e-3


def run() -> Result:
    """Leduc to an exploitability of 0.001, external sampling, threads, and a large game."""
    result: Result = {}
    times = {name: _to_target(name) for name in ("cfr+", "dcfr", "dcfr+")}
    fastest = min(times, key=lambda name: times[name])
    result["leduc_1e3_s"] = times[fastest]
    result["leduc_1e3_algorithm"] = fastest
    result |= {f"leduc_1e3_{_plain(name)}_s": seconds for name, seconds in times.items()}
    result["leduc_1e3_flat_s"] = _to_target("dcfr", layout="flat")
    result["external_traversals_per_s"] = _external("leduc", 200_000)
    result["openspiel_leduc_1e3_s"] = _openspiel_cfr_plus()
    result["openspiel_external_traversals_per_s"] = _openspiel_external()
    _ratio(result, "against_openspiel_cfr_plus", "openspiel_leduc_1e3_s", "leduc_1e3_s")
    _ratio(
        result,
        "against_openspiel_external",
        "external_traversals_per_s",
        "openspiel_external_traversals_per_s",
    )
    return result | _large() | _threads()


def _plain(name: str) -> str:
    return name.replace("+", "_plus")


def _ratio(result: Result, name: str, above: str, below: str) -> None:
    one, two = result[above], result[below]
    if isinstance(one, float) and isinstance(two, float):
        result[name] = one / two


def _to_target(algorithm: str, layout: str = "auto") -> float:
    """Seconds of iterating until the exploitability is reached, best of several.

    The number of iterations is found first; then that many are timed together.
    """
    game = load("leduc")
    solver = Solver(game, algorithm, layout=layout)
    while solver.distance() > _TARGET:
        solver.run(10)
    needed = solver.iterations
    best = float("inf")
    for _ in range(9):
        again = Solver(game, algorithm, layout=layout)
        start = time.perf_counter()
        again.run(needed)
        best = min(best, time.perf_counter() - start)
    return best


def _external(name: str, iterations: int, threads: int = 1, **parameters: Any) -> float:
    """Traversals per second; an iteration is one traversal for each player."""
    solver = Solver(load(name, **parameters), "es-mccfr", threads=threads)
    solver.run(iterations // 10)
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        solver.run(iterations)
        best = min(best, time.perf_counter() - start)
    return solver.game.players * iterations / best


def _openspiel_cfr_plus() -> float | None:
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game("leduc_poker")
    solver = pyspiel.CFRPlusSolver(game)
    spent = 0.0
    for done in range(1, 2001):
        start = time.perf_counter()
        solver.evaluate_and_update_policy()
        spent += time.perf_counter() - start
        if done % 20 == 0 and pyspiel.exploitability(game, solver.average_policy()) <= _TARGET:
            return spent
    return None


def _openspiel_external() -> float | None:
    try:
        import pyspiel
    except ImportError:
        return None
    solver = pyspiel.ExternalSamplingMCCFRSolver(pyspiel.load_game("leduc_poker"), 1)
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        for _ in range(20_000):
            solver.run_iteration()
        best = min(best, time.perf_counter() - start)
    return 2 * 20_000 / best


def _threads() -> Result:
    """External sampling on one thread and on two, on a game with more than a million infosets."""
    flat = flatten(load("leduc", players=3, ranks=4, suits=1, raises=6))
    rules = (External(), Plain(), Uniform(), NoPruning())
    rates, engines = {}, {}
    for threads in (1, 2):
        engine = engines[threads] = sampled_engine(flat, *rules, threads=threads)
        engine.run(1, 200_000)
        best = float("inf")
        for turn in range(5):
            start = time.perf_counter()
            engine.run(200_001 + 200_000 * turn, 200_000)
            best = min(best, time.perf_counter() - start)
        rates[threads] = 200_000 / best
    return {
        "threads_infosets": float(flat.infosets),
        "threads_one_iterations_per_s": rates[1],
        "threads_two_iterations_per_s": rates[2],
        "thread_scaling": rates[2] / rates[1],
        "busy_thread_ratio": busy_thread_ratio(
            lambda threads: engines[threads].run(1_200_001, 200_000)
        ),
    }


def _large() -> Result:
    """Leduc with 52 cards: ten million histories."""
    start = time.perf_counter()
    solver = Solver(load("leduc", ranks=13, suits=4), "dcfr", layout="flat")
    laid_out = time.perf_counter()
    solver.run(100)
    solved = time.perf_counter()
    result: Result = {
        "large_histories": float(solver.flat.nodes),
        "large_flatten_s": laid_out - start,
        "large_100_iterations_s": solved - laid_out,
        "large_exploitability": solver.distance(),
        "large_memory_mb": peak_megabytes(),
    }
    return result
