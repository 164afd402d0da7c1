"""Busy machine: another process keeps one core busy while a benchmark runs."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["busy_core", "busy_thread_ratio"]

_SPIN = """
import os
parent = os.getppid()
print("ready", flush=True)
while os.getppid() == parent:
    for _ in range(1_000_000):
        pass
"""


@contextmanager
def busy_core() -> Iterator[subprocess.Popen[str]]:
    """Keep one core busy with another process, which is killed at the end, even after Ctrl-C.

    If this process is killed, the other one ends by itself (where the system gives orphans another
    parent, which Windows does not).
    """
    command = [sys.executable, "-c", _SPIN]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()  # it has begun
            yield process
        finally:
            process.kill()


def busy_thread_ratio(work: Callable[[int], object], repeats: int = 5) -> float:
    """Speed-up of two threads over one while another process keeps a core busy.

    work: called with a number of threads, 1 and 2 in turn; the best time of each counts. Make it
    last some tenths of a second, many time slices of the system.
    """
    best = {1: float("inf"), 2: float("inf")}
    with busy_core():
        for _ in range(repeats):
            for threads in best:
                start = time.perf_counter()
                work(threads)
                best[threads] = min(best[threads], time.perf_counter() - start)
    return best[1] / best[2]
