"""Running hashes of histories: 64 bits for everything that has happened, updated step by step.

Two different sequences get the same hash with a probability of 2^-64, so n of them collide
somewhere with about n^2 / 2^65: three in a million for ten million information sets.

Twin: tests/naive/blueprint/decision_columns.py; tested by tests/blueprint/test_information.py
"""

from typing import Any

import numpy as np

from tiltless.kernels.base.jit import inline

__all__ = ["HAND", "REPEAT", "next_words", "word_after"]

U = np.uint64
_GOLDEN = U(0x9E3779B97F4A7C15)
_ODD = U(0xD1342543DE82EF95)
_MIX_1 = U(0xBF58476D1CE4E5B9)
_MIX_2 = U(0x94D049BB133111EB)

HAND = U(0x243F6A8885A308D3)
"""The hash before the first action; digits of pi."""
REPEAT = U(0x13198A2E03707344)
"""The hash where a repeating street begins, before chips and players are added to it."""


def next_words(word: Any, value: Any) -> Any:
    """(hash, next event) -> hash; uint64 arrays of the same shape, or scalars in kernels.

    A step of a linear congruential generator that takes the value in, then the output function of
    splitmix64. For a given value it is one to one in the hash, and vice versa.

    Paper: Steele, Lea & Flood (2014), "Fast splittable pseudorandom number generators", OOPSLA,
    with the constants of Stafford's variant 13.  Deviations: the step before it is ours.
    """
    word = word * _ODD + value + _GOLDEN
    word = (word ^ (word >> U(30))) * _MIX_1
    word = (word ^ (word >> U(27))) * _MIX_2
    return word ^ (word >> U(31))


word_after = inline(next_words)
"""`next_words` for kernels."""
