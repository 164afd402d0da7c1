"""Compilation that is done once: by one process for all, and whole or not at all.

Numba keeps machine code on disk, but lets every process that misses a function compile it, and two
that save signatures of one function at the same moment may take the same file. So a process locks
the function before it compiles; the others wait, then load what was made. Locks follow the calls
(callers before callees), which have no cycles in our kernels, so that nobody waits for ever; as
functions that stopped processes hold are free after some minutes, not even then. A process that is
killed frees its locks, and the next one compiles.

Exceptions that a signal handler raises inside LLVM's callbacks are lost, and so is the machine code
("no compiled object yet"). Signals that come there are held back until the function is compiled,
and alarms, such as an agent's watchdog, until the outermost one is.
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
except ImportError:  # another Numba: everybody compiles for himself
    _compiler_lock = None

__all__ = ["compile_once", "compile_seconds"]

_POLL_SECONDS = 0.05
_SAY_AFTER = 1.0
_PATIENCE = 300.0
_ALARM = getattr(signal, "SIGALRM", None)  # none on Windows


class _Now:
    """What this process compiles, guarded by Numba's own lock; ``seconds`` only grows."""

    depth = 0
    missed = False
    seconds = 0.0
    told = False
    handlers: ClassVar[dict[int, Any]] = {}
    held_back: ClassVar[set[int]] = set()


def compile_seconds() -> float:
    """Wall-clock seconds this process has spent so far on compiling and on waiting for others."""
    return _Now.seconds


def compile_once(dispatcher: Any, folder: Path) -> Any:
    """Let one process at a time compile a function that Numba keeps on disk.

    folder: for the locks. Returns the dispatcher; unchanged where Numba's parts are not known.
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
        """The machine code on disk, or None for the one process that has to make it."""
        found = self._cache.load_overload(sig, context)
        if found is None:
            _Now.missed = True
            if self._lock is None and self._wait():
                found = self._cache.load_overload(sig, context)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep machine code; a disk that is full costs only the time of the next run."""
        with contextlib.suppress(OSError):
            self._cache.save_overload(sig, data)

    def _wait(self) -> bool:
        """Take the lock; False where there is none to have."""
        begin = time.monotonic()
        while time.monotonic() < begin + _PATIENCE:
            try:
                self._lock = try_lock(self._path)
            except OSError:
                return False
            if self._lock is not None:
                self._sweep()
                return True
            if time.monotonic() > begin + _SAY_AFTER and not _Now.told:
                _Now.told = True
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
    """Hold back signals that would be lost, or would leave a function half compiled."""
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
        come = {each for each in _Now.held_back if outermost or each != _ALARM}
        _Now.held_back -= come
        handlers = dict(_Now.handlers)
        if outermost:
            _Now.handlers.clear()
        for number in come:
            handlers[number](number, sys._getframe())


def _handle(number: int, frame: FrameType | None) -> None:
    where = frame
    while where is not None and not where.f_code.co_name.startswith("_raw_object_cache"):
        where = where.f_back  # llvmlite's callbacks have such names
    if where is not None or number == _ALARM:
        _Now.held_back.add(number)
    else:
        _Now.handlers[number](number, frame)
