"""How threads that work inside kernels wait for each other, without waking or being woken.

A signal is a number that one thread posts and others wait for. All that was written before it was
posted is seen by who has waited for it. Who waits looks again and again, and lets others run in
between: right for waits of microseconds.

With the compiler off the same names work on NumPy arrays.
"""

import operator
import sys
import time
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types
from numba.core.types import ExternalFunction
from numba.extending import intrinsic

from tiltless.kernels.base.jit import compiler_enabled, part

__all__ = ["give_up", "make_signals", "post", "wait"]

_APART = 16  # numbers between two signals, so that they do not share a line of the cache
_LOOKS = 2000  # before others may run


def make_signals(threads: int) -> npt.NDArray[np.int64]:
    """A signal for each thread, none posted."""
    return np.zeros(threads * _APART, np.int64)


def give_up(signals: npt.NDArray[np.int64], thread: int) -> None:
    """Nobody shall wait for a thread any more, which has failed; called outside of kernels."""
    signals[thread * _APART] = np.iinfo(np.int64).max


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


_SYSTEM_CALL = "SwitchToThread" if sys.platform == "win32" else "sched_yield"
_read: Any = _load
_write: Any = _store
_others_may_run: Any = ExternalFunction(_SYSTEM_CALL, types.int32())
if not compiler_enabled():
    _read, _write = operator.getitem, operator.setitem
    _others_may_run = partial(time.sleep, 0)


@part
def post(signals: Any, thread: Any, number: Any) -> None:
    """Say that a thread has come to a number, which grows."""
    _write(signals, np.intp(thread * _APART), np.int64(number))


@part
def wait(signals: Any, thread: Any, number: Any) -> None:
    """Until a thread has come to a number."""
    looks = 0
    while _read(signals, np.intp(thread * _APART)) < number:
        looks += 1
        if looks > _LOOKS:
            _others_may_run()
