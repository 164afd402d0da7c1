"""Vectors of eight float64 as values in kernels: ``store(a, i, load(a, i) + spread(2.0))``.

The compiler vectorises plain loops, but checks before each loop whether its arrays overlap; where
vectors are short those checks cost more than the arithmetic. These values are LLVM vectors, which
become one AVX-512 register, two AVX2 ones or four NEON ones. `load` and `store` take a
one-dimensional array and the place of the first of eight elements, which is *not* bounds-checked.

With the compiler off the same names work on NumPy arrays of eight.
"""

from typing import Any

import numpy as np

from tiltless.kernels import vectors
from tiltless.kernels.jit import compiler_enabled

__all__ = ["LANES", "load", "maximum", "spread", "store", "where_positive"]

LANES = vectors.LANES


def _load(array: Any, place: Any) -> Any:
    """Eight elements, as a copy."""
    return np.array(array[int(place) : int(place) + LANES])


def _store(array: Any, place: Any, vector: Any) -> None:
    """Write eight elements."""
    array[int(place) : int(place) + LANES] = vector


def _spread(number: Any) -> Any:
    """One number eight times."""
    return np.full(LANES, np.float64(number))


def _maximum(one: Any, two: Any) -> Any:
    """The larger, element by element."""
    return np.maximum(one, two)


def _where_positive(test: Any, yes: Any, no: Any) -> Any:
    """``yes`` where ``test`` is above 0, else ``no``."""
    return np.where(test > 0.0, yes, no)


_COMPILED = compiler_enabled()
load: Any = vectors.load if _COMPILED else _load
store: Any = vectors.store if _COMPILED else _store
spread: Any = vectors.spread if _COMPILED else _spread
maximum: Any = vectors.maximum if _COMPILED else _maximum
where_positive: Any = vectors.where_positive if _COMPILED else _where_positive
