"""Thinking time: a clock that stops while code is being compiled.

The first call of a compiled function may take seconds on an empty cache, or wait for another
process that compiles it. That is not counted as an agent's thinking time.
"""

import threading
import time
from typing import Any

from numba.core import event

__all__ = ["compiling", "is_compiling", "thinking_time"]


class _Compiling(event.Listener):
    """Total time that Numba has spent compiling.

    depth: number of compilations in progress, nested or in several threads.  since: when the first
    of them began.
    """

    depth, since, total = 0, 0.0, 0.0

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def on_start(self, event: Any) -> None:
        with self._lock:
            if not self.depth:
                self.since = time.perf_counter()
            self.depth += 1

    def on_end(self, event: Any) -> None:
        with self._lock:
            self.depth -= 1
            if not self.depth:
                self.total += time.perf_counter() - self.since


compiling = _Compiling()
_register: Any = event.register  # Numba's events have no types
_register("numba:compiler_lock", compiling)  # held while compiling and while using the cache


def is_compiling() -> bool:
    """Whether a function is being compiled, which must not be interrupted."""
    return compiling.depth > 0


def thinking_time() -> float:
    """Seconds as in `time.perf_counter`, without the time spent compiling."""
    now = compiling.since if compiling.depth else time.perf_counter()
    return now - compiling.total
