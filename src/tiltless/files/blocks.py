"""Byte streams of arrays: C order, little-endian, block by block."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.errors import ArrayError

__all__ = ["DTYPES", "blocks", "dtype_name"]

_CODES = {"f2": "F16", "f4": "F32", "f8": "F64", "b1": "BOOL"}
_CODES |= {f"{kind}{size}": f"{kind.upper()}{8 * size}" for kind in "iu" for size in (1, 2, 4, 8)}

DTYPES: dict[str, np.dtype[Any]] = {name: np.dtype("<" + code) for code, name in _CODES.items()}
"""Every dtype that files may contain, by its name in the safetensors format."""


def dtype_name(array: Any, label: str) -> str:
    """``F32`` for a float32 array of either byte order; `ArrayError` for unsupported dtypes."""
    if not isinstance(array, np.ndarray):
        raise ArrayError(f"{label} is a {type(array).__name__}; pass a NumPy array")
    name = _CODES.get(array.dtype.str[1:])
    if name is None:
        raise ArrayError(
            f"{label} has dtype {array.dtype}; convert it to a float, an integer or bool "
            f"({', '.join(DTYPES)})"
        )
    return name


def blocks(array: npt.NDArray[Any], block_bytes: int) -> Iterator[memoryview]:
    """The bytes of ``array`` in pieces of ``block_bytes``, a multiple of 8; the last is shorter.

    The pieces share one buffer, each overwriting the previous one: at most one block is copied at a
    time, strided and big-endian arrays need no special case, and a piece stays constant even if
    another thread writes to the array.
    """
    array = np.asarray(array)
    flat: Any = array.reshape(-1) if array.flags.c_contiguous else array.flat
    step = block_bytes // array.itemsize
    buffer = np.empty(min(step, array.size), array.dtype.newbyteorder("<"))
    for start in range(0, array.size, step):
        piece = buffer[: min(step, array.size - start)]
        piece[...] = flat[start : start + step]
        yield piece.view(np.uint8).data
