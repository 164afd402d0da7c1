"""Compile-once cache: one process compiles a function for all, completely or not at all.

Numba keeps machine code on disk, but lets every process that misses a function compile it, and two
that save signatures of one function at the same moment may take the same file. So a process locks
the function before it compiles; the others wait, then load the result. Locks are taken in the order
of calls (callers before callees), which has no cycles in our kernels, so nobody waits forever; and
if a stopped process holds a lock, the others give up waiting after some minutes and compile for
themselves. A process that is killed frees its locks, and the next one compiles.

Exceptions that a signal handler raises inside LLVM's callbacks are lost, and so is the machine code
("no compiled object yet"). Signals that arrive there are held back until the function is compiled,
and alarms, such as an agent's watchdog, until the outermost function is.

Tested by tests/kernels/base/test_jit.py
"""

import contextlib
import glob
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any, ClassVar

from tiltless.lock import Lock, try_lock, waiting_for

_compiler_lock: Any
try:
    from numba.core.compiler_lock import global_compiler_lock as _compiler_lock
except ImportError:  # another version of Numba: every process compiles for itself
    _compiler_lock = None

__all__ = ["compile_once", "compile_seconds"]

_POLL_SECONDS = 0.05
_ANNOUNCE_AFTER = 1.0
_GIVE_UP_AFTER = 300.0
_ALARM = getattr(signal, "SIGALRM", None)  # none on Windows


class _Now:
    """State of compilation in this process, guarded by Numba's lock; ``seconds`` only grows."""

    depth = 0
    missed = False
    seconds = 0.0
    announced = False
    handlers: ClassVar[dict[int, Any]] = {}
    held_back: ClassVar[set[int]] = set()


def compile_seconds() -> float:
    """Wall-clock seconds this process has spent so far on compiling and on waiting for others."""
    return _Now.seconds


def compile_once(dispatcher: Any, folder: Path) -> Any:
    """Let one process at a time compile a function that Numba keeps on disk.

    folder: of the locks. Returns the dispatcher, unchanged if this Numba has no such cache.
    """
    cache = getattr(dispatcher, "_cache", None)
    parts = ("load_overload", "save_overload", "cache_path")
    if _compiler_lock is None or not all(hasattr(cache, name) for name in parts):
        return dispatcher
    shared = _SharedCache(cache, dispatcher.py_func, folder)
    plain = dispatcher.compile

    def compile_alone(sig: Any) -> Any:
        with _compiler_lock, _timed(), _whole(), shared:
            return plain(sig)

    dispatcher._cache, dispatcher.compile = shared, compile_alone
    return dispatcher


class _SharedCache:
    """Numba's cache of one function, with a lock from a miss to the end of the compilation."""

    def __init__(self, cache: Any, function: Any, folder: Path) -> None:
        self._cache, self._name = cache, function.__name__
        line = function.__code__.co_firstlineno
        self._base = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}-{line}."
        self._path = folder / f"{self._base}lock"
        self._lock: Lock | None = None
        self._depth = 0  # a function may need itself for other types

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def __enter__(self) -> None:
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth == 0 and self._lock is not None:
            self._lock.release()
            self._lock = None

    def load_overload(self, sig: Any, context: Any) -> Any:
        """The machine code on disk, or None for the one process that has to compile it."""
        code = self._cache.load_overload(sig, context)
        if code is None:
            _Now.missed = True
            if self._lock is None and self._wait():
                code = self._cache.load_overload(sig, context)
        return code

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write machine code to disk; if the disk is full, the next run compiles again."""
        with contextlib.suppress(OSError):
            self._cache.save_overload(sig, data)

    def _wait(self) -> bool:
        """Take the lock; False where it cannot be had."""
        begin = time.monotonic()
        while time.monotonic() < begin + _GIVE_UP_AFTER:
            try:
                self._lock = try_lock(self._path)
            except OSError:
                return False
            if self._lock is not None:
                self._sweep()
                return True
            if time.monotonic() > begin + _ANNOUNCE_AFTER and not _Now.announced:
                _Now.announced = True
                waiting_for(f"compiled code ({self._name})")(None)
            time.sleep(_POLL_SECONDS)
        return False

    def _sweep(self) -> None:
        """Remove unfinished files of processes that were killed; nobody else writes now."""
        base = os.path.join(glob.escape(self._cache.cache_path), glob.escape(self._base))
        for name in glob.glob(f"{base}*.tmp.*"):
            with contextlib.suppress(OSError):
                os.unlink(name)


@contextlib.contextmanager
def _timed() -> Iterator[None]:
    """Count the time of the outermost compilation, unless all came from the disk."""
    begin = time.perf_counter()
    _Now.depth += 1
    try:
        yield
    finally:
        _Now.depth -= 1
        if _Now.depth == 0:
            if _Now.missed:
                _Now.seconds += time.perf_counter() - begin
            _Now.missed = False


@contextlib.contextmanager
def _whole() -> Iterator[None]:
    """Hold back signals that would be lost or would leave a function half compiled."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    outermost = _Now.depth == 1
    if outermost:
        for each in filter(None, (signal.SIGINT, _ALARM)):
            handler = signal.getsignal(each)
            if callable(handler):
                _Now.handlers[each] = handler
                signal.signal(each, _handle)
    try:
        yield
    finally:
        if outermost:
            for number, handler in _Now.handlers.items():
                signal.signal(number, handler)
        due = {each for each in _Now.held_back if outermost or each != _ALARM}
        _Now.held_back -= due
        handlers = dict(_Now.handlers)
        if outermost:
            _Now.handlers.clear()
        for number in due:
            handlers[number](number, sys._getframe())


def _handle(number: int, frame: FrameType | None) -> None:
    where = frame
    while where is not None and not where.f_code.co_name.startswith("_raw_object_cache"):
        where = where.f_back  # llvmlite's callbacks have such names
    if where is not None or number == _ALARM:
        _Now.held_back.add(number)
    else:
        _Now.handlers[number](number, frame)
