"""Row displacement: pack sparse rows on top of each other so that no two entries collide.

Tested by tests/cards/test_evaluate.py
"""

from typing import Any

import numpy as np

from tiltless.kernels.base.jit import kernel

__all__ = ["displace_rows"]

U = np.uint64


@kernel
def displace_rows(starts: Any, columns: Any, row_order: Any, taken: Any, offsets: Any) -> None:
    """First fit: give each row a low offset at which all its entries fall on free slots.

    The search for a row starts at the offset of the last row of the same length, which keeps the
    whole nearly linear in the number of entries and wastes little room.

    starts: int64 ``[rows + 1]``, where each row's entries begin in ``columns``.
    columns: int64 ``[entries]``, column of each entry within its row, ascending in a row.
    row_order: int64 ``[rows]``, the order in which rows are placed, longest first.
    taken: bool ``[slots]``, all False, large enough; overwritten.
    offsets: uint32 ``[rows]``, overwritten for rows that have entries.
    Idea: Tarjan & Yao (1979), "Storing a sparse table".
    """
    first_free, offset, length = 0, 0, 0
    for row in row_order:
        start, stop = starts[row], starts[row + 1]
        if start == stop:
            continue
        if stop - start != length:
            length = stop - start
            while taken[first_free]:
                first_free += 1
            offset = max(first_free - columns[start], 0)
        while True:
            fits = True
            for i in range(start, stop):
                if taken[offset + columns[i]]:
                    fits = False
                    break
            if fits:
                break
            offset += 1
        for i in range(start, stop):
            taken[offset + columns[i]] = True
        offsets[row] = offset
