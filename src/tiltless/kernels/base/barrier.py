"""Barriers: how threads inside kernels wait for each other and share out work.

A barrier is an array of a few counters that all threads see. One thread posts a number at a
counter, others wait until it is reached; what was written before the post is visible after the
wait. `take` increments a counter for exactly one thread, so that work goes to whichever thread is
free.

A wait first spins for some microseconds, which covers most waits; then it yields the core
(``sched_yield``), and if that does not help it sleeps, longer each time. A thread that only spins,
or yields on a core that nobody else wants, would keep that core from the very thread it waits for.

With the compiler off the same names work on NumPy arrays.

Tested by tests/kernels/base/test_barrier.py
"""

import operator
import sys
import threading
import time
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types
from numba.core.types import ExternalFunction
from numba.extending import intrinsic

from tiltless.kernels.base.jit import compiler_enabled, part

__all__ = ["abort", "failed", "make_barrier", "post", "reached", "take", "wait"]

_STRIDE = 16  # int64 words from one counter to the next, so that no two share a cache line
_WINDOWS = sys.platform == "win32"
_SPINS = 2000 if compiler_enabled() else 0  # before yielding; Python has one lock for all
_YIELDS = 2000 if _WINDOWS else 200  # before sleeping, a millisecond at least on Windows
_SHORTEST_SLEEP, _LONGEST_SLEEP = (1, 1) if _WINDOWS else (50, 800)  # in units of the system call


def make_barrier(counters: int) -> npt.NDArray[np.int64]:
    """A barrier with this many counters, all at 0, and a flag that a thread has failed."""
    return np.zeros((1 + counters) * _STRIDE, np.int64)


def abort(barrier: npt.NDArray[np.int64]) -> None:
    """End all waits because a thread has failed; called from outside kernels."""
    barrier[0] = 1


@intrinsic
def _load(typing: Any, barrier: Any, index: Any) -> Any:
    """Atomic load (acquire): what was written before the number is visible after it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.load_atomic(builder.gep(data, [args[1]]), "acquire", 8)

    return types.int64(barrier, types.intp), generate


@intrinsic
def _store(typing: Any, barrier: Any, index: Any, number: Any) -> Any:
    """Atomic store (release) of a number, after everything that was written before."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        builder.store_atomic(args[2], builder.gep(data, [args[1]]), "release", 8)
        return context.get_dummy_value()

    return types.void(barrier, types.intp, types.int64), generate


@intrinsic
def _exchange(typing: Any, barrier: Any, index: Any, old: Any, new: Any) -> Any:
    """Compare and swap: write ``new`` if ``old`` is there; returns whether it was."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        pointer = builder.gep(data, [args[1]])
        done = builder.cmpxchg(pointer, args[2], args[3], "acq_rel", "acquire")
        return builder.extract_value(done, 1)

    return types.boolean(barrier, types.intp, types.int64, types.int64), generate


_yield_core: Any = ExternalFunction("SwitchToThread" if _WINDOWS else "sched_yield", types.int32())
_sleep: Any = (
    ExternalFunction("Sleep", types.void(types.uint32))
    if _WINDOWS
    else ExternalFunction("usleep", types.int32(types.uint32))
)
_read: Any = _load
_write: Any = _store
_swap: Any = _exchange
if not compiler_enabled():
    _lock = threading.Lock()

    def _swap_locked(barrier: Any, index: Any, old: Any, new: Any) -> bool:
        with _lock:
            same = bool(barrier[index] == old)
            if same:
                barrier[index] = new
            return same

    def _yield_briefly() -> None:
        time.sleep(0)

    def _sleep_for(microseconds: Any) -> None:
        time.sleep(int(microseconds) * 1e-6)

    _read, _write, _swap = operator.getitem, operator.setitem, _swap_locked
    _yield_core, _sleep = _yield_briefly, _sleep_for


@part
def post(barrier: Any, counter: Any, number: Any) -> None:
    """Set a counter to a number, which is higher than the one before."""
    _write(barrier, np.intp((1 + counter) * _STRIDE), np.int64(number))


@part
def reached(barrier: Any, counter: Any) -> Any:
    """The present number of a counter."""
    return _read(barrier, np.intp((1 + counter) * _STRIDE))


@part
def take(barrier: Any, counter: Any, number: Any) -> Any:
    """Increment a counter if it is at ``number``; True for the one thread that did it."""
    index = np.intp((1 + counter) * _STRIDE)
    return _swap(barrier, index, np.int64(number), np.int64(number) + np.int64(1))


@part
def failed(barrier: Any) -> Any:
    """Whether a thread has failed, so that no wait has a meaning any more."""
    return _read(barrier, np.intp(0)) != 0


@part
def wait(barrier: Any, counter: Any, number: Any) -> None:
    """Wait until a counter has reached a number, or a thread has failed."""
    looks, pause = 0, _SHORTEST_SLEEP
    while reached(barrier, counter) < number and not failed(barrier):
        looks += 1
        if looks > _SPINS + _YIELDS:
            _sleep(np.uint32(pause))
            pause = min(2 * pause, _LONGEST_SLEEP)
        elif looks > _SPINS:
            _yield_core()
