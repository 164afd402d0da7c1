"""Packed changes of a table: what a copy of the tables has learned, as it travels to the driver.

Numbers that did not change cost a bit, the others 16 bits more: the upper half of the float32,
rounded to nearest, ties to even (bfloat16). A change is off by at most 1 part in 256, whatever the
size of its neighbours, which is far less than the noise of the sampled traversals that made it.
(With float16 and a scale for each block of numbers, small changes beside large ones would be lost.)

Changes are added in the order of copies, in float64 and in pieces; so sums do not depend on the
number of threads that add them.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.errors import ArrayError
from tiltless.system import usable_cores

__all__ = ["CopyChanges", "PackedTable", "add_packed", "pack_table", "unpack_table"]

_PIECE = 1 << 20  # numbers; a multiple of 8

Floats = npt.NDArray[np.float32]


class PackedTable(NamedTuple):
    """A table in which many numbers are 0.

    length: of the table.  mask: uint8, a bit for each number that is not 0.
    values: uint16, the upper halves of these.  starts: int64, where each piece's values begin.
    """

    length: int
    mask: npt.NDArray[np.uint8]
    values: npt.NDArray[np.uint16]
    starts: npt.NDArray[np.int64]

    @property
    def nbytes(self) -> int:
        """Bytes that travel."""
        return self.mask.nbytes + self.values.nbytes + self.starts.nbytes


class CopyChanges(NamedTuple):
    """What one copy of the tables adds in a round.

    regret, average: changes of the tables; an average of None is taken by the driver.
    visited: nodes.  won: chips by player, if the engine counts them.
    """

    regret: PackedTable
    average: PackedTable | None
    visited: int
    won: npt.NDArray[np.float64] | None = None


def pack_table(table: Floats) -> PackedTable:
    """Pack float32 ``[n]``."""

    def piece(low: int) -> tuple[Any, Any]:
        part = table[low : low + _PIECE]
        there = part != 0
        bits = part[there].view(np.uint32)
        halves = (bits + np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))) >> np.uint32(
            16
        )
        return np.packbits(there), halves.astype(np.uint16)

    with ThreadPoolExecutor(usable_cores()) as pool:
        made = list(pool.map(piece, range(0, len(table), _PIECE)))
    sizes = [0, *(len(values) for _, values in made)]
    return PackedTable(
        len(table),
        np.concatenate([mask for mask, _ in made] or [np.zeros(0, np.uint8)]),
        np.concatenate([values for _, values in made] or [np.zeros(0, np.uint16)]),
        np.cumsum(sizes, dtype=np.int64),
    )


def unpack_table(packed: PackedTable) -> Floats:
    """The table, rounded."""
    out = np.zeros(packed.length, np.float32)
    add_packed(out, [packed], 1.0)
    return out


def add_packed(table: Floats, changes: Sequence[PackedTable], share: float) -> None:
    """Add this share of the sum of all changes to a table, float32 ``[n]``."""
    for packed in changes:
        if packed.length != len(table):
            raise ArrayError(
                f"a change has {packed.length:,} numbers and its table {len(table):,}; all copies "
                "must train the same game"
            )

    def piece(number: int) -> None:
        low = number * _PIECE
        part = table[low : low + _PIECE]
        total = np.zeros(len(part))
        for packed in changes:
            mask = packed.mask[low // 8 : (low + _PIECE) // 8]
            there = np.unpackbits(mask, count=len(part)).view(np.bool_)
            begin, end = packed.starts[number : number + 2].tolist()
            halves = packed.values[begin:end].astype(np.uint32) << np.uint32(16)
            total[there] += halves.view(np.float32)
        part += (total * share).astype(np.float32)

    with ThreadPoolExecutor(usable_cores()) as pool:
        list(pool.map(piece, range(-(-len(table) // _PIECE))))
