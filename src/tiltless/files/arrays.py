"""Named arrays on disk: written atomically, checksummed, memory-mapped when read.

The format is described in `tiltless.files.header`. There is no pickle: a hostile file is refused or
contains wrong numbers, but it cannot run code or make us allocate memory for mere claims.

Arrays are read as read-only memory maps: a strategy of 40 GB opens in a millisecond, and only the
pages that are used are loaded. Two things to know about them:

- **Numba** treats read-only arrays as a different type. A kernel is compiled again for them, and
  one that writes to them does not compile. `ArrayFile.load` returns writable copies.
- **Replacing** the file is safe on Linux and macOS: maps keep the old version until they are
  dropped. Windows refuses to replace a file while it is mapped; use `ArrayFile.load` there and
  drop the `ArrayFile` first. Truncating a mapped file in place kills its readers; `write_arrays`
  never does that.
"""

import contextlib
import itertools
import mmap
import os
import stat
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from tiltless.errors import FileError, FingerprintError, OptionError
from tiltless.files.atomic import atomic_write
from tiltless.files.blocks import DTYPES, blocks, dtype_name
from tiltless.files.header import (
    MAX_HEADER_BYTES,
    ArrayEntry,
    Header,
    checksum,
    damaged,
    read_header,
)
from tiltless.system import usable_cores
from tiltless.validate import brief

__all__ = ["BLOCK_BYTES", "ArrayFile", "read_arrays", "verify", "write_arrays"]

BLOCK_BYTES = 16 << 20
"""Bytes of data under one checksum."""
_THREADS = min(4, usable_cores())

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class ArrayFile:
    """An opened file: its header fields and its arrays.

    arrays: read-only maps by name, in file order (decreasing item size). They stay valid as long as
    they are referenced.  metadata: the strings that the writer added.  version: the version of
    tiltless that wrote it.
    """

    path: Path
    kind: str
    fingerprint: str
    metadata: Mapping[str, str]
    version: str
    arrays: Mapping[str, Array] = field(repr=False)

    def load(self, name: str) -> Array:
        """A writable copy of one array, independent of the file."""
        if name not in self.arrays:
            names = ", ".join(sorted(self.arrays)) or "none"
            raise OptionError(f"{self.path} has no array {name!r}; it has {brief(names)}")
        return np.array(self.arrays[name])


def write_arrays(
    path: str | os.PathLike[str],
    arrays: Mapping[str, Array],
    *,
    kind: str,
    fingerprint: str = "",
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write arrays to a file, atomically; they may be maps larger than memory.

    arrays: of any shape, order and byte order; float64/32/16, int and uint 8 to 64, bool.
    kind: the kind of file, such as ``"equity-table"``.  fingerprint: of the configuration it
    belongs to, see `tiltless.files.fingerprint`.  metadata: further strings.
    """
    header = _plan(arrays, kind, fingerprint, metadata or {})
    with atomic_write(path) as file:
        _stream(file, header, arrays)


def read_arrays(
    path: str | os.PathLike[str],
    *,
    kind: str | None = None,
    fingerprint: str | None = None,
    verify: bool = True,
) -> ArrayFile:
    """Open a file of `write_arrays`; ``kind`` and ``fingerprint`` are compared unless None.

    verify: check every byte, which reads the whole file, at the speed of the disk or about 1 GB/s
    per core on up to four cores. Otherwise only the header and the length are checked.
    Raises `DamagedFileError`, `ForeignFileError`, `NewerFileError`, `FingerprintError`, or
    `FileError` for a file that does not exist or cannot be read.
    """
    path = Path(path)
    with _opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        header, start = read_header(file, path, size)
        _compare(path, "kind", header.kind, kind)
        _compare(path, "fingerprint", header.fingerprint, fingerprint)
        if verify:
            _check_blocks(file, path, header, start)
        try:
            data = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
        except ValueError:
            raise damaged(path, "it was truncated while it was opened") from None
    arrays: dict[str, Array] = {
        entry.name: np.ndarray(entry.shape, entry.dtype, data, start + entry.begin)
        for entry in header.entries
    }
    return ArrayFile(
        path=path,
        kind=header.kind,
        fingerprint=header.fingerprint,
        metadata=MappingProxyType(dict(header.metadata)),
        version=header.version,
        arrays=MappingProxyType(arrays),
    )


def verify(path: str | os.PathLike[str]) -> None:
    """Check every byte of a file; raises the errors of `read_arrays`."""
    read_arrays(path, verify=True)


def _plan(
    arrays: Mapping[str, Array], kind: str, fingerprint: str, metadata: Mapping[str, str]
) -> Header:
    """The header of a file to be written."""
    texts = [kind, fingerprint, *arrays, *itertools.chain(*metadata.items())]
    for text in texts:
        if not isinstance(text, str) or not _is_unicode(text):
            raise OptionError(f"{brief(text)} in the header of a file; use valid Unicode text")
    if not kind:
        raise OptionError("the kind of a file is empty; name its content, such as equity-table")
    if "__metadata__" in arrays:
        raise OptionError("an array has the reserved name __metadata__; choose another")
    dtypes = {name: DTYPES[dtype_name(arrays[name], f"array {brief(name)}")] for name in arrays}
    entries = []
    end = 0
    for name in sorted(arrays, key=lambda name: -dtypes[name].itemsize):
        begin, end = end, end + arrays[name].nbytes
        entries.append(ArrayEntry(name, dtypes[name], arrays[name].shape, begin, end))
    return Header(kind, fingerprint, dict(metadata), tuple(entries), BLOCK_BYTES)


def _stream(file: BinaryIO, header: Header, arrays: Mapping[str, Array]) -> None:
    """Write the arrays block by block, then, in front of them, the header with checksums."""
    length = len(header.encode())
    if length > MAX_HEADER_BYTES:
        raise OptionError(
            f"a header of {length:,} bytes is above the limit of {MAX_HEADER_BYTES:,}; "
            "write fewer arrays or less metadata"
        )
    file.seek(length)
    sums = []
    for entry in header.entries:
        for block in blocks(arrays[entry.name], header.block_bytes):
            sums.append(checksum(block))
            file.write(block)
    file.seek(0)
    file.write(replace(header, checksums="".join(sums)).encode())


def _check_blocks(file: BinaryIO, path: Path, header: Header, start: int) -> None:
    """Compare every block with its checksum; one thread reads at a time, several hash."""
    step = header.block_bytes
    spans = [
        (entry, begin, min(begin + step, entry.end))
        for entry in header.entries
        for begin in range(entry.begin, entry.end, step)
    ]
    turn = threading.Lock()

    def is_sound(number: int) -> bool:
        _, begin, end = spans[number]
        with turn:
            file.seek(start + begin)
            data = file.read(end - begin)
        return checksum(data) == header.checksum_of(number)

    with ThreadPoolExecutor(_THREADS) as pool:
        results = pool.map(is_sound, range(len(spans)))
        for (entry, begin, _), sound in zip(spans, results, strict=True):
            if not sound:
                pool.shutdown(cancel_futures=True)
                block = (begin - entry.begin) // step
                raise damaged(path, f"block {block} of array {brief(entry.name)} was changed")


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """The file, unbuffered; an `OSError` becomes a `FileError` of one line."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise FileError(f"cannot read {path}: it is not a file; choose another")
        with open(path, "rb", buffering=0) as file:
            yield file
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise FileError(f"cannot read {path}: {reason}; check the name and the disk") from error


def _compare(path: Path, what: str, found: str, wanted: str | None) -> None:
    if wanted is not None and found != wanted:
        raise FingerprintError(
            f"{path} has the {what} {brief(found)}, not {brief(wanted)}; it was made for "
            "something else: choose the file that fits, or delete it and make it again"
        )


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
