"""Layout of a post-flop solver's tables: where the rows of each board begin.

The kernels address it (`RangeTables` in kernels/postflop/street.py, rows padded by `boards`),
`PostflopSolver.rows` reads it, and `memory` counts it beforehand.
"""

from collections.abc import Sequence

import numpy as np

from tiltless.kernels.base.simd import aligned_zeros
from tiltless.kernels.postflop.street import RangeTables
from tiltless.postflop.betting_forest import StreetForest
from tiltless.postflop.boards import BoardSet

__all__ = ["assign_rows", "new_tables"]


def assign_rows(forests: Sequence[StreetForest], boards: Sequence[BoardSet]) -> tuple[int, int]:
    """Assign each board the offset of its rows; returns the numbers of entries and of units."""
    entries, units = 0, 0
    for forest, some in zip(forests, boards, strict=True):
        arrays = some.arrays
        sizes = arrays.width.astype(np.uint64) * np.array(forest.rows, np.uint64)
        ends = entries + np.cumsum(sizes.ravel())
        arrays.row[:] = (ends - sizes.ravel()).reshape(sizes.shape)
        arrays.unit[:] = units + forest.nodes * np.arange(len(some))
        entries, units = int(ends[-1]), units + forest.nodes * len(some)
    return entries, units


def new_tables(entries: int, units: int, *, compressed: bool, predictive: bool) -> RangeTables:
    """Tables of zeros; those that are not needed are empty."""
    large, small, units = (0, entries, units) if compressed else (entries, 0, 0)
    return RangeTables(
        aligned_zeros(large),
        aligned_zeros(large),
        aligned_zeros(large if predictive else 0),
        np.zeros(small, np.int16),
        np.zeros(small, np.uint16),
        np.zeros(units, np.float32),
        np.zeros(units, np.float32),
    )
