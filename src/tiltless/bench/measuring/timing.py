"""Timing on shared, noisy machines: the best of several runs."""

import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

from tiltless.system import usable_cores

resource: Any
try:
    import resource
except ImportError:  # Windows has none
    resource = None

__all__ = ["best_seconds", "machine", "peak_megabytes", "rates_in_turns", "start_cost"]

_RSS_UNIT = 1e6 if sys.platform == "darwin" else 1e3


def best_seconds(work: Callable[[], object], repeats: int = 5, at_least: float = 0.05) -> float:
    """Shortest time of one call, after a first call that does not count.

    Calls too short to time alone are repeated until they take ``at_least`` seconds together.
    """
    work()
    start = time.perf_counter()
    work()
    calls = max(1, int(at_least / max(time.perf_counter() - start, 1e-9)))
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(calls):
            work()
        best = min(best, (time.perf_counter() - start) / calls)
    return best


def rates_in_turns(
    players: Mapping[str, tuple[Callable[[int], int], int]], rounds: int = 12
) -> dict[str, float | None]:
    """Decisions per second of each, best of several rounds; None if it is not installed.

    All of them play in each round, so that a busy moment slows all and not only one.

    players: a function of an amount of work that returns the number of decisions, and the amount.
    """
    best: dict[str, float | None] = {}
    for name, (some, _) in players.items():
        try:
            some(1)
            best[name] = 0.0
        except ImportError:
            best[name] = None
    for _ in range(rounds):
        for name, (some, amount) in players.items():
            before = best[name]
            if before is not None:
                start = time.perf_counter()
                best[name] = max(before, some(amount) / (time.perf_counter() - start))
    return best


def start_cost(*arguments: str, repeats: int = 3) -> tuple[float, float]:
    """Shortest wall time in seconds, and largest memory in MB, of a ``tiltless`` command.

    Memory is NaN on Windows, which does not report it here; both are where the command line is not
    installed.
    """
    command = [sys.executable, "-c", "from tiltless.cli import main; main()", *arguments]
    if find_spec("typer") is None:
        return float("nan"), float("nan")
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        best = min(best, time.perf_counter() - start)
    if resource is None:
        return best, float("nan")
    probe = (
        "import resource,subprocess,sys;"
        "subprocess.run(sys.argv[1:],check=True,capture_output=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    output = subprocess.run(
        [sys.executable, "-c", probe, *command], check=True, capture_output=True, text=True
    ).stdout
    return best, int(output) / _RSS_UNIT


def peak_megabytes() -> float:
    """Peak memory of this process; NaN on Windows, which does not report it here."""
    if resource is None:
        return float("nan")
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / _RSS_UNIT


def machine() -> dict[str, str]:
    """The context of a figure: processor, cores, versions."""
    described = {
        "processor": _processor(),
        "cores": str(usable_cores()),
        "python": platform.python_version(),
        "system": platform.system(),
    }
    for package in ("tiltless", "numpy", "numba"):
        try:
            described[package] = version(package)
        except PackageNotFoundError:
            described[package] = "not installed"
    return described


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [
                line.split(":", 1)[1].strip() for line in file if line.startswith("model name")
            ]
        return names[0]
    except (OSError, IndexError):
        return platform.processor() or platform.machine()
