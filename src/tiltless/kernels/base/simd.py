"""SIMD vectors: eight float64 or sixteen float32 as values in kernels.

``store(a, i, load(a, i) + spread(2.0))``: the array's type decides how many elements there are. The
compiler vectorises plain loops, but checks before each loop whether its arrays overlap; where
vectors are short those checks cost more than the arithmetic. These values are LLVM vectors, which
become one AVX-512 register, two AVX2 ones or four NEON ones. `load` and `store` take a
one-dimensional array and the index of the first element, which is *not* bounds-checked.

`rows_to_lanes` and `lanes_to_rows` transpose sixteen rows of an array, so that sixteen things of
the same kind can be worked on at once, one in each lane.

With the compiler off the same names work on NumPy arrays.

Tested by tests/kernels/postflop/test_decision.py
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.kernels.base import vectors
from tiltless.kernels.base.jit import compiler_enabled

__all__ = [
    "FLOAT32_LANES",
    "LANES",
    "aligned_zeros",
    "lanes_to_rows",
    "load",
    "maximum",
    "rows_to_lanes",
    "spread",
    "store",
    "where_positive",
]

LANES = 8
"""Elements of a vector of float64."""
FLOAT32_LANES = 16
"""Elements of a vector of float32."""


def aligned_zeros(size: int) -> npt.NDArray[np.float32]:
    """Zeros, float32 ``[size]``, that begin at a multiple of 64 bytes.

    A vector across two cache lines is read and written in two steps, which makes kernels that do
    little else half as slow again.
    """
    raw = np.zeros(4 * size + 64, np.uint8)
    begin = -raw.ctypes.data % 64
    return raw[begin : begin + 4 * size].view(np.float32)


def _slice(array: Any, index: Any) -> slice:
    return slice(int(index), int(index) + 64 // array.itemsize)


def _load(array: Any, index: Any) -> Any:
    """64 bytes, as a copy."""
    return np.array(array[_slice(array, index)])


def _store(array: Any, index: Any, vector: Any) -> None:
    """Write 64 bytes."""
    array[_slice(array, index)] = vector


def _spread(number: Any) -> Any:
    """One number in all lanes: 16 of float32, 8 of anything else."""
    if isinstance(number, np.float32):
        return np.full(FLOAT32_LANES, number)
    return np.full(LANES, np.float64(number))


def _maximum(one: Any, two: Any) -> Any:
    """The larger, element by element."""
    return np.maximum(one, two)


def _where_positive(test: Any, yes: Any, no: Any) -> Any:
    """``yes`` where ``test`` is above 0, else ``no``."""
    return np.where(test > 0.0, yes, no)


def _rows_to_lanes(rows: Any, offsets: Any, index: Any, lanes: Any) -> None:
    """``lanes[16 * (index + i) + lane] = rows[offsets[lane] + index + i]``, i from 0 to 15."""
    for lane in range(FLOAT32_LANES):
        begin = int(offsets[lane]) + int(index)
        lanes[16 * int(index) + lane : 16 * int(index) + 256 : 16] = rows[begin : begin + 16]


def _lanes_to_rows(lanes: Any, rows: Any, offsets: Any, index: Any) -> None:
    """``rows[offsets[lane] + index + i] = lanes[16 * (index + i) + lane]``, i from 0 to 15."""
    for lane in range(FLOAT32_LANES):
        begin = int(offsets[lane]) + int(index)
        rows[begin : begin + 16] = lanes[16 * int(index) + lane : 16 * int(index) + 256 : 16]


_COMPILED = compiler_enabled()
load: Any = vectors.load if _COMPILED else _load
store: Any = vectors.store if _COMPILED else _store
spread: Any = vectors.spread if _COMPILED else _spread
maximum: Any = vectors.maximum if _COMPILED else _maximum
where_positive: Any = vectors.where_positive if _COMPILED else _where_positive
rows_to_lanes: Any = vectors.rows_to_lanes if _COMPILED else _rows_to_lanes
lanes_to_rows: Any = vectors.lanes_to_rows if _COMPILED else _lanes_to_rows
