"""Scratch tables: anonymous memory-mapped files instead of memory.

A mapped file is memory that the system can reclaim at any time by writing it to disk; a run whose
tables fill the machine can still reorder one of them. The file disappears with the process, however
that ends.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO

import numpy as np
import numpy.typing as npt

from tiltless.errors import WriteError
from tiltless.files.atomic import make_folder

__all__ = ["scratch_table"]

_CHUNK = 1 << 20
_CANNOT_RESERVE = (errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS)


@contextmanager
def scratch_table(
    folder: str | os.PathLike[str], entries: int
) -> Iterator[npt.NDArray[np.float32]]:
    """Zeros, float32 ``[entries]``, in a file in a folder; it is removed when the block ends.

    The space is reserved immediately, so that a full disk is a `WriteError` here; later, a mapped
    page without disk space would kill the process.
    """
    make_folder(folder)
    size = max(4 * entries, 4)
    try:
        file = TemporaryFile(dir=folder)  # noqa: SIM115 - closed below
        try:
            _reserve(file, size)
            mapped = np.memmap(file, np.float32, "r+", shape=(size // 4,))
        except BaseException:
            file.close()
            raise
    except OSError as error:
        raise WriteError(
            f"cannot take {size / 1e6:,.0f} MB of disk in {os.fspath(folder)} for a moment: "
            f"{error.strerror or error}; free some space"
        ) from error
    with file:
        yield np.asarray(mapped)[:entries]


def _reserve(file: IO[bytes], size: int) -> None:
    """Extend a file to ``size`` bytes, with disk space reserved for all of them."""
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(file.fileno(), 0, size)
        except OSError as error:
            if error.errno not in _CANNOT_RESERVE:
                raise
        else:
            return
    zeros = bytes(_CHUNK)
    for begin in range(0, size, _CHUNK):
        file.write(zeros[: size - begin])
    file.flush()
