"""Benchmark of first runs: waiting times on a machine without compiled code.

Each command runs in a process of its own, with an empty folder for compiled code and tables, and
the clock runs from its start, imports included.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tiltless.bench import Result
from tiltless.bench.ranges import SPOTS
from tiltless.cache import CACHE_VARIABLE

__all__ = ["run"]


def run() -> Result:
    """Seconds on an empty cache: an equity, a turn, the first prompt of play, the whole warm-up."""
    with tempfile.TemporaryDirectory() as folder:
        spot = Path(folder) / "turn.toml"
        spot.write_text(SPOTS["turn_bench"].toml())
        return {
            "first_equity_s": _first("equity", "AA", "KK"),
            "first_solve_spot_s": _first("solve-spot", str(spot)),
            "first_play_s": _first("play", answers="q\n"),
            "warmup_s": _first("warmup"),
        }


def _first(*arguments: str, answers: str = "") -> float:
    """Seconds of a command with an empty cache; for ``play`` until its first prompt."""
    command = [sys.executable, "-c", "from tiltless.cli import main; main()", *arguments]
    with tempfile.TemporaryDirectory() as cache:
        begin = time.perf_counter()
        subprocess.run(
            command,
            env={**os.environ, CACHE_VARIABLE: cache},
            input=answers,
            text=True,
            check=True,
            capture_output=True,
        )
        return time.perf_counter() - begin
