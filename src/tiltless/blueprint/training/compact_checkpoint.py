"""Compact checkpoints: regrets and averages rounded by row, about a tenth of a full checkpoint.

A row is the numbers of an information set. Of its regrets, a byte keeps the largest to half an
octave (± 19 %) and four bits each the rest: positive ones in sevenths of it, negative ones by
powers of two from a quarter to 32 times it, beyond which they are cut off. In a long run negative
regrets grow with the number of traversals and positive ones with its root, so steps that are as
wide for both would round every positive one to 0, and with them the strategy. Of its average, a
byte keeps the sum in the same way, and four bits each the probabilities, in sevenths. So the
strategy that continues is about the one that stopped, and so are the times it takes to change it;
what that costs is measured in docs/six-seats.md.

Chunks of some 2^21 numbers are compressed one by one (LZMA2), and as many of them as fit go into
files of at most 15 MB: ``compact-1of3.safetensors``. Only all of them together are a checkpoint.
"""

import lzma
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.errors import DamagedFileError, FileError, FingerprintError
from tiltless.files.arrays import ArrayFile, read_arrays, write_arrays
from tiltless.files.header import damaged
from tiltless.kernels.blueprint.quantise import Blocks
from tiltless.system import usable_cores

__all__ = ["KIND", "CompactCheckpoint", "has_compact", "read_compact", "write_compact"]

KIND = "compact-checkpoint-2"
_FILE = re.compile(r"compact-([0-9]+)of([0-9]+)\.safetensors")
_ROUNDED = ("regret", "average")
_CHUNK = 1 << 21  # numbers, at least, of whole decisions
_LARGEST_FILE = 15_000_000
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 4}]

_STEPS = 2  # of an octave
_LEAST_REGRET, _LEAST_SUM = -12, -24  # octaves: what is smaller is kept as this
_SEVENTH = 7
_NEGATIVE = 8  # the nibble of the smallest negative regret
_QUARTER, _MOST = -2, 5  # octaves: of the smallest negative regret and the largest
_SHARES = np.array(
    [part / _SEVENTH for part in range(_NEGATIVE)]
    + [-(2.0**octave) for octave in range(_QUARTER, _MOST + 1)],
    np.float32,
)  # of the scale, by nibble

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]


class CompactCheckpoint(NamedTuple):
    """What a compact checkpoint holds: the state of an engine, and the metadata of its files."""

    arrays: Mapping[str, npt.NDArray[Any]]
    metadata: Mapping[str, str]


def has_compact(folder: Path) -> bool:
    """Whether a folder has files of a compact checkpoint."""
    return any(_FILE.fullmatch(path.name) for path in folder.glob("compact-*.safetensors"))


def write_compact(
    folder: Path,
    state: Mapping[str, npt.NDArray[Any]],
    blocks: Blocks,
    fingerprint: str,
    about: Mapping[str, str],
) -> list[Path]:
    """Write the state of an engine; returns the files.  blocks: of its tables."""
    chunks = list(_chunks(blocks))

    def one(chunk: Blocks) -> Bytes:
        low, high = _bounds(chunk)
        streams = _encode(state["regret"][low:high], state["average"][low:high], chunk)
        packed = [
            lzma.compress(each.tobytes(), lzma.FORMAT_RAW, filters=_FILTERS) for each in streams
        ]
        sizes = np.array([len(each) for each in packed], np.int64).tobytes()
        return np.frombuffer(b"".join([sizes, *packed]), np.uint8)

    with ThreadPoolExecutor(usable_cores()) as pool:
        made = list(pool.map(one, chunks))
    files: list[list[Bytes]] = [[]]
    for each in made:
        if files[-1] and sum(map(len, files[-1])) + len(each) > _LARGEST_FILE:
            files.append([])
        files[-1].append(each)
    paths = [folder / f"compact-{n}of{len(files)}.safetensors" for n in range(1, len(files) + 1)]
    for path, parts in zip(paths, files, strict=True):
        arrays: dict[str, npt.NDArray[Any]] = {
            "content": np.concatenate(parts),
            "lengths": np.array([len(each) for each in parts], np.int64),
            **{name: value for name, value in state.items() if name not in _ROUNDED},
        }
        write_arrays(path, arrays, kind=KIND, fingerprint=fingerprint, metadata=dict(about))
    for path in folder.glob("compact-*.safetensors"):
        if path not in paths and _FILE.fullmatch(path.name):
            path.unlink()
    return paths


def read_compact(folder: Path, blocks: Blocks, fingerprint: str) -> CompactCheckpoint:
    """Read a compact checkpoint; blocks: of the tables of the engine that continues."""
    files = _files(folder, fingerprint)
    chunks = list(_chunks(blocks))
    content = [part for file in files for part in _parts(file)]
    if len(content) != len(chunks):
        raise damaged(files[0].path, f"it has {len(content)} chunks, not {len(chunks)}")
    entries = _bounds(chunks[-1])[1]
    regret, average = np.zeros(entries, np.float32), np.zeros(entries, np.float32)

    def one(number: int) -> None:
        low, high = _bounds(chunks[number])
        _decode(content[number], chunks[number], regret[low:high], average[low:high])

    try:
        with ThreadPoolExecutor(usable_cores()) as pool:
            list(pool.map(one, range(len(chunks))))
    except (lzma.LZMAError, ValueError) as error:
        raise damaged(files[0].path, str(error)) from None
    arrays: dict[str, npt.NDArray[Any]] = {"regret": regret, "average": average}
    for name, value in files[0].arrays.items():
        if name not in ("content", "lengths"):
            arrays[name] = np.array(value)
    return CompactCheckpoint(arrays, files[0].metadata)


def _files(folder: Path, fingerprint: str) -> list[ArrayFile]:
    """All files of the checkpoint, in order.

    If an earlier one with another number of files was not removed, as after a kill, the one with
    more traversals is read.
    """
    found = [name for path in folder.iterdir() if (name := _FILE.fullmatch(path.name))]
    if not found:
        raise FileError(f"{folder} has no compact checkpoint; copy its files there")
    counts = Counter(int(name[2]) for name in found)
    whole = [count for count, there in counts.items() if there == count]
    sets = [_files_of(folder, count, fingerprint) for count in whole or counts]
    return max(sets, key=lambda files: int(files[0].metadata.get("walks", 0)))


def _files_of(folder: Path, count: int, fingerprint: str) -> list[ArrayFile]:
    """The files of a checkpoint of ``count`` files, in order."""
    files = []
    for number in range(1, count + 1):
        path = folder / f"compact-{number}of{count}.safetensors"
        if not path.exists():
            raise FileError(f"{path} is missing; copy all {count} files of the checkpoint")
        try:
            files.append(read_arrays(path, kind=KIND, fingerprint=fingerprint))
        except FingerprintError:
            raise FingerprintError(
                f"{path} belongs to another configuration; resume with the one it was made for"
            ) from None
    if len({file.metadata.get("walks") for file in files}) > 1:
        raise DamagedFileError(f"the files in {folder} are of two checkpoints; copy all of one")
    return files


def _parts(file: ArrayFile) -> Iterator[Bytes]:
    """The chunks of a file."""
    content, lengths = file.arrays.get("content"), file.arrays.get("lengths")
    if content is None or lengths is None or int(lengths.sum()) != len(content):
        raise damaged(file.path, "its chunks do not fit")
    low = 0
    for length in lengths.tolist():
        yield content[low : low + length]
        low += length


def _chunks(blocks: Blocks) -> Iterator[Blocks]:
    """Neighbouring decisions with `_CHUNK` numbers or more, which begin at 0."""
    size = blocks.width * blocks.rows
    number = (np.cumsum(size) - size) // _CHUNK
    first = np.flatnonzero(np.diff(number, prepend=-1))
    for low, high in zip(first, [*first[1:], len(number)], strict=True):
        yield Blocks(blocks.begin[low:high], blocks.width[low:high], blocks.rows[low:high])


def _bounds(chunk: Blocks) -> tuple[int, int]:
    """The first number of a chunk, and the one after its last."""
    return int(chunk.begin[0]), int(chunk.begin[-1] + chunk.width[-1] * chunk.rows[-1])


def _rows(chunk: Blocks) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The first number of each row, in the chunk, and its length."""
    width = np.repeat(chunk.width, chunk.rows)
    return np.cumsum(width) - width, width


def _octaves(value: Floats, least: int) -> Bytes:
    """A byte for a positive number, in halves of an octave; 0 for 0."""
    with np.errstate(divide="ignore"):
        steps = np.rint(_STEPS * (np.log2(value) - least))
    return np.where(value > 0, np.clip(steps, 0, 254) + 1, 0).astype(np.uint8)


def _from_octaves(code: Bytes, least: int) -> Floats:
    value = np.exp2((code.astype(np.float32) - 1) / _STEPS + least)
    return np.where(code > 0, value, 0).astype(np.float32)


def _encode(regret: Floats, average: Floats, chunk: Blocks) -> tuple[Bytes, ...]:
    """Scales and nibbles of regrets, sums and nibbles of averages."""
    first, width = _rows(chunk)
    highest = np.maximum.reduceat(regret, first)
    scale = np.where(highest > 0, highest, -np.minimum.reduceat(regret, first))
    share = regret / np.repeat(np.maximum(scale, 1e-30), width)
    with np.errstate(divide="ignore"):
        below = np.rint(np.log2(np.maximum(-share, 0)))
    negative = np.clip(below, _QUARTER, _MOST) - _QUARTER + _NEGATIVE
    parts = np.where(share < 0, np.where(below < _QUARTER, 0, negative), np.rint(_SEVENTH * share))
    total = np.add.reduceat(average, first)
    shares = np.rint(_SEVENTH * (average / np.repeat(np.maximum(total, 1e-30), width)))
    return (
        _octaves(scale, _LEAST_REGRET),
        _nibbles(parts.astype(np.uint8)),
        _octaves(total, _LEAST_SUM),
        _nibbles(shares.astype(np.uint8)),
    )


def _decode(content: Bytes, chunk: Blocks, regret: Floats, average: Floats) -> None:
    """The inverse of `_encode`, into the tables."""
    first, width = _rows(chunk)
    half = (len(regret) + 1) // 2
    streams, low = [], 32
    for size, wanted in zip(
        np.frombuffer(content[:32].tobytes(), np.int64).tolist(),
        (len(first), half, len(first), half),
        strict=True,
    ):
        decoder = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=_FILTERS)
        data = decoder.decompress(content[low : low + size].tobytes(), wanted + 1)
        if len(data) != wanted:
            raise ValueError("a chunk does not have its number of rows")
        streams.append(np.frombuffer(data, np.uint8))
        low += size
    parts = _from_nibbles(streams[1], len(regret))
    scale = _from_octaves(streams[0], _LEAST_REGRET)
    regret[:] = np.repeat(scale, width) * _SHARES[parts]
    shares = _from_nibbles(streams[3], len(average)).astype(np.float32)
    total = np.maximum(np.add.reduceat(shares, first), 1)
    average[:] = shares * np.repeat(_from_octaves(streams[2], _LEAST_SUM) / total, width)


def _nibbles(values: Bytes) -> Bytes:
    """Two to a byte."""
    if len(values) % 2:
        values = np.append(values, np.uint8(0))
    return np.asarray(values[::2] | values[1::2] << 4)


def _from_nibbles(pairs: Bytes, count: int) -> Bytes:
    values = np.empty(2 * len(pairs), np.uint8)
    values[::2], values[1::2] = pairs & 15, pairs >> 4
    return values[:count]
