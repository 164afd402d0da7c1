"""Compact tables: four bits an action, compressed in blocks.

A probability is a nibble / 15, and the nibbles of an infoset sum to 15, so that the byte of the
same probability is 17 times the nibble and still sums to 255: a compact table is an ordinary table
whose bytes are multiples of 17. `rounded` makes one, and `packed` and `unpacked` are lossless.

Blocks of 2^21 entries are compressed one by one (LZMA2), so that several threads unpack them.
"""

import lzma
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from tiltless.kernels.blueprint.quantise import WHOLE, Blocks
from tiltless.system import usable_cores

__all__ = ["BLOCK", "PARTS", "is_compact", "packed", "rounded", "unpacked"]

Table = npt.NDArray[np.uint8]
Sizes = npt.NDArray[np.int64]

PARTS = 15
"""The sum of an infoset's nibbles."""
_STEP = WHOLE // PARTS
BLOCK = 1 << 21
"""Entries of a block, but for the last; even."""
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": BLOCK}]
_MOST_FACTOR = 8192  # nibbles are never compressed by more than this
_MOST_ROWS = 1 << 18  # infosets that are rounded at once


def is_compact(parts: tuple[Table, ...]) -> bool:
    """Whether all bytes of a table are multiples of 17, so that nibbles lose nothing."""
    return not any((part % _STEP).any() for part in parts)


def rounded(table: Table, blocks: Blocks) -> Table:
    """A table with every probability rounded to a multiple of 1 / 15, as bytes.

    Largest remainder, as `kernels.blueprint.quantise` does it: each action gets the whole part of
    15 p, and what is left of 15 goes, one each, to the largest fractions; of equal ones the first.
    No probability moves by 1 / 15 or more, the most likely action keeps some, and infosets that
    training never visited stay all zeros.
    """
    out = np.zeros_like(table)
    for width in np.unique(blocks.width).tolist():
        some = blocks.width == width
        count = blocks.rows[some]
        first = np.repeat(blocks.begin[some] - width * (np.cumsum(count) - count), count)
        first += width * np.arange(len(first))
        for low in range(0, len(first), _MOST_ROWS):
            entry = first[low : low + _MOST_ROWS, None] + np.arange(width)
            out[entry] = _STEP * _round_rows(table[entry])
    return out


def _round_rows(rows: Table) -> Table:
    """Nibbles of some infosets, uint8 ``[infosets, actions]``, from their bytes."""
    whole, rest = np.divmod(rows.astype(np.int16), np.int16(_STEP))
    left = np.where(rows.any(axis=1), PARTS - whole.sum(axis=1), 0)
    rank = np.argsort(np.argsort(-rest, axis=1, kind="stable"), axis=1, kind="stable")
    return np.asarray(whole + (rank < left[:, None]), dtype=np.uint8)


def packed(table: Table) -> tuple[Table, Sizes]:
    """The compressed bytes of a compact table, and the size of each block."""

    def one(low: int) -> bytes:
        nibbles = table[low : low + BLOCK] // _STEP
        if len(nibbles) % 2:
            nibbles = np.append(nibbles, np.uint8(0))
        pairs = nibbles[::2] | nibbles[1::2] << 4
        return lzma.compress(pairs.tobytes(), lzma.FORMAT_RAW, filters=_FILTERS)

    with ThreadPoolExecutor(usable_cores()) as pool:
        found = list(pool.map(one, range(0, len(table), BLOCK)))
    sizes = np.array([len(each) for each in found], np.int64)
    return np.frombuffer(b"".join(found), np.uint8), sizes


def unpacked(content: Table, sizes: Sizes, entries: int) -> Table:
    """The table of `packed`; `ValueError` if the content does not have this many entries."""
    lows = range(0, entries, BLOCK)
    ends = np.cumsum(sizes)
    if (
        len(sizes) != len(lows)
        or int(sizes.min(initial=1)) < 1
        or int(sizes.sum()) != len(content)
        or len(content) * _MOST_FACTOR < entries // 2
    ):
        raise ValueError("blocks do not match the number of entries")
    table: Table = np.empty(entries, np.uint8)

    def one(number: int) -> None:
        data = content[ends[number] - sizes[number] : ends[number]].tobytes()
        out = table[lows[number] : lows[number] + BLOCK]
        decoder = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=_FILTERS)
        size = (len(out) + 1) // 2
        pairs = np.frombuffer(decoder.decompress(data, size + 1), np.uint8)
        if len(pairs) != size:
            raise ValueError("a block does not have its number of entries")
        out[::2] = _STEP * (pairs & 15)
        out[1::2] = _STEP * (pairs[: len(out) // 2] >> 4)

    try:
        with ThreadPoolExecutor(usable_cores()) as pool:
            list(pool.map(one, range(len(lows))))
    except lzma.LZMAError:
        raise ValueError("a block cannot be decompressed") from None
    return table
