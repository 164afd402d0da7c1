"""Barriers: how threads inside kernels wait for each other, and share out work while it lasts.

A barrier is a few counters that all threads see. One thread posts a number at a counter, others
wait until it is reached; what was written before the post is seen after the wait. `take` moves a
counter on by one for exactly one thread, so that work goes to whoever has time for it.

A wait spins for some microseconds, which is what waits mostly take; then it lets others run
(``sched_yield``), and if that does not help it sleeps, longer each time. A thread that only spins,
or yields on a core where nobody else wants to run, keeps that core from the very thread for which
it waits.

With the compiler off the same names work on NumPy arrays.
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

__all__ = ["failed", "give_up", "make_signals", "post", "reached", "take", "wait"]

_APART = 16  # numbers between two counters, so that they do not share a line of the cache
_WINDOWS = sys.platform == "win32"
_SPINS = 2000 if compiler_enabled() else 0  # before others may run; Python has one lock for all
_YIELDS = 2000 if _WINDOWS else 200  # before sleeping; there the shortest sleep is a millisecond
_SHORTEST, _LONGEST = (1, 1) if _WINDOWS else (50, 800)  # sleeps, in units of the system call


def make_signals(counters: int) -> npt.NDArray[np.int64]:
    """A barrier with so many counters, all at 0, and a mark that a thread has failed."""
    return np.zeros((1 + counters) * _APART, np.int64)


def give_up(signals: npt.NDArray[np.int64]) -> None:
    """End all waits, for a thread has failed; called outside of kernels."""
    signals[0] = 1


@intrinsic
def _load(typing: Any, signals: Any, place: Any) -> Any:
    """The number at a place; what was written before it is seen after."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, given[0]).data
        return builder.load_atomic(builder.gep(data, [given[1]]), "acquire", 8)

    return types.int64(signals, types.intp), generate


@intrinsic
def _store(typing: Any, signals: Any, place: Any, number: Any) -> Any:
    """Write a number, after all that was written before."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, given[0]).data
        builder.store_atomic(given[2], builder.gep(data, [given[1]]), "release", 8)
        return context.get_dummy_value()

    return types.void(signals, types.intp, types.int64), generate


@intrinsic
def _exchange(typing: Any, signals: Any, place: Any, old: Any, new: Any) -> Any:
    """Compare and swap: write the new number if the old one is there, and say whether it was."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, given[0]).data
        pointer = builder.gep(data, [given[1]])
        done = builder.cmpxchg(pointer, given[2], given[3], "acq_rel", "acquire")
        return builder.extract_value(done, 1)

    return types.boolean(signals, types.intp, types.int64, types.int64), generate


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

    def _swap_locked(signals: Any, place: Any, old: Any, new: Any) -> bool:
        with _lock:
            same = bool(signals[place] == old)
            if same:
                signals[place] = new
            return same

    def _yield_briefly() -> None:
        time.sleep(0)

    def _sleep_microseconds(some: Any) -> None:
        time.sleep(int(some) * 1e-6)

    _read, _write, _swap = operator.getitem, operator.setitem, _swap_locked
    _yield_core, _sleep = _yield_briefly, _sleep_microseconds


@part
def post(signals: Any, counter: Any, number: Any) -> None:
    """Move a counter on to a number."""
    _write(signals, np.intp((1 + counter) * _APART), np.int64(number))


@part
def reached(signals: Any, counter: Any) -> Any:
    """The number at which a counter is."""
    return _read(signals, np.intp((1 + counter) * _APART))


@part
def take(signals: Any, counter: Any, number: Any) -> Any:
    """Move a counter on by one if it is at a number; whether it was, which one thread is told."""
    place = np.intp((1 + counter) * _APART)
    return _swap(signals, place, np.int64(number), np.int64(number) + np.int64(1))


@part
def failed(signals: Any) -> Any:
    """Whether a thread has failed, so that waits mean nothing."""
    return _read(signals, np.intp(0)) != 0


@part
def wait(signals: Any, counter: Any, number: Any) -> None:
    """Until a counter has reached a number, or a thread has failed."""
    looks, pause = 0, _SHORTEST
    while reached(signals, counter) < number and not failed(signals):
        looks += 1
        if looks > _SPINS + _YIELDS:
            _sleep(np.uint32(pause))
            pause = min(2 * pause, _LONGEST)
        elif looks > _SPINS:
            _yield_core()
