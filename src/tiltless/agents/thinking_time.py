"""Thinking time: a clock that stands still while code is compiled.

The first call of a compiled function may take seconds on an empty cache, or wait for another
process that compiles it. That is nobody's thinking time.
"""

import threading
import time
from typing import Any

from numba.core import event

__all__ = ["compiling", "is_compiling", "thinking_time"]


class _Compiling(event.Listener):
    """How long Numba has been at work, all functions together.

    depth: of functions that are compiled now, for each other or in several threads.  since: when
    the first of them began.
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
_register("numba:compiler_lock", compiling)  # held to compile, and to read or write what is kept


def is_compiling() -> bool:
    """Whether a function is compiled at this moment; to interrupt that would leave it half made."""
    return compiling.depth > 0


def thinking_time() -> float:
    """Seconds, as `time.perf_counter` counts them, without those in which code was compiled."""
    now = compiling.since if compiling.depth else time.perf_counter()
    return now - compiling.total
