"""Random numbers for kernels: splitmix64, whose state is an array that the caller owns.

Tested by tests/kernels/base/test_rng.py
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.kernels.base.jit import inline, kernel

__all__ = [
    "fill_words",
    "next_below",
    "next_double",
    "next_double_at",
    "next_word",
    "next_word_at",
    "seed_words",
]

U = np.uint64
_GOLDEN = U(0x9E3779B97F4A7C15)
_MIX_1 = U(0xBF58476D1CE4E5B9)
_MIX_2 = U(0x94D049BB133111EB)


@inline
def next_word(state: Any) -> Any:
    """Advance ``state`` (uint64 ``[1]``, overwritten) and return 64 random bits.

    Paper: Steele, Lea & Flood (2014), "Fast splittable pseudorandom number generators".
    """
    word = state[0] + _GOLDEN
    state[0] = word
    word = (word ^ (word >> U(30))) * _MIX_1
    word = (word ^ (word >> U(27))) * _MIX_2
    return word ^ (word >> U(31))


@inline
def next_below(state: Any, n: Any) -> Any:
    """Return a uint64 in ``0 .. n-1``, n below 2^32, by multiply and shift.

    The bias is below n / 2^32, too small to matter in card games.
    """
    return ((next_word(state) >> U(32)) * U(n)) >> U(32)


@inline
def next_double(state: Any) -> Any:
    """Return a float64 in [0, 1) with 53 random bits."""
    return np.float64(next_word(state) >> U(11)) * (1.0 / 9007199254740992.0)


@inline
def next_word_at(states: Any, index: Any) -> Any:
    """Like `next_word`, with the state at ``states[index]``: a view of it would cost more."""
    word = states[index] + _GOLDEN
    states[index] = word
    word = (word ^ (word >> U(30))) * _MIX_1
    word = (word ^ (word >> U(27))) * _MIX_2
    return word ^ (word >> U(31))


@inline
def next_double_at(states: Any, index: Any) -> Any:
    """Like `next_double`, with the state at ``states[index]``."""
    return np.float64(next_word_at(states, index) >> U(11)) * (1.0 / 9007199254740992.0)


@kernel
def fill_words(state: Any, out: Any) -> None:
    """Write random words to ``out``, uint64 ``[n]``: states for as many independent generators.

    state: uint64 ``[1]``, advanced.
    """
    for i in range(len(out)):
        out[i] = next_word(state)


def seed_words(seed: int, streams: int) -> npt.NDArray[np.uint64]:
    """Independent states for ``streams`` generators, uint64 ``[streams, 1]``, from one seed."""
    sequence = np.random.SeedSequence(seed)
    return np.asarray(sequence.generate_state(streams, np.uint64), np.uint64).reshape(streams, 1)
