"""Atomic writes: readers and crashes see the whole old file or the whole new one.

The bytes go to a temporary file in the same folder, which is flushed and fsynced and only then
renamed to the target (`os.replace`); finally the folder is fsynced, so that the name survives a
power cut as well. Windows has no fsync for folders, and does not replace a file that is open or
memory-mapped: there the writer gets a `WriteError`.

A temporary name is ``.<target>.<machine>.<process>.<random>.tiltless-tmp``. Files left by a killed
writer are removed by the next write to the same target.
"""

import contextlib
import errno
import hashlib
import io
import os
import platform
import re
import secrets
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from tiltless.cache import other_cache
from tiltless.errors import WriteError

__all__ = ["SUFFIX", "atomic_write", "make_folder", "write_bytes", "write_text"]

SUFFIX = ".tiltless-tmp"
STALE_SECONDS = 86_400.0

_MACHINE = hashlib.sha256(platform.node().encode()).hexdigest()[:8]
_OWNER = re.compile(r"([0-9a-f]{8})\.([1-9][0-9]{0,9})\.[0-9a-f]{8}")
_live: set[str] = set()  # temporary files that this process is writing now

_REMEDIES = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some space",
    errno.EFBIG: "choose a disk that holds larger files",
    errno.EACCES: "choose a folder that you may write to, and close programs that have it open",
    errno.EPERM: "choose a folder that you may write to",
    errno.EROFS: "choose a folder that you may write to",
    errno.ENOENT: "create the folder first",
    errno.ENOTDIR: "create the folder first",
    errno.EISDIR: "choose the name of a file",
    errno.EEXIST: "choose the name of a folder",
    errno.ENAMETOOLONG: "choose a shorter name",
}
_INTACT = "the previous version, if any, is intact"


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A new seekable binary file that replaces ``path`` when the block ends without exception.

    After an exception the temporary file is removed and the old file untouched. Write failures
    (disk full, no permission, …) raise `WriteError`; other exceptions of the block propagate.
    Symbolic links are followed, permissions of an existing file are kept, folders are not created.
    If several writers write to one path, the last to finish wins.
    """
    target = os.path.realpath(path)
    temporary = _temporary_path(target)
    _live.add(temporary)
    try:
        with _one_line(path):
            mode = _previous_mode(target)
            _sweep(target)
            raw = _Temporary(temporary, path)
        file = io.BufferedWriter(raw)
        try:
            yield file
            with _one_line(path):
                file.flush()
                os.fsync(file.fileno())
                file.close()
                if mode is not None:
                    os.chmod(temporary, mode)
                os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                file.close()
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    finally:
        _live.discard(temporary)
    with _one_line(path, fate="the new version is in place but may not survive a power cut"):
        _sync_folder(os.path.dirname(target))


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a whole file atomically."""
    with atomic_write(path) as file:
        file.write(data)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a whole text file atomically: UTF-8, with the line endings of ``text``."""
    write_bytes(path, text.encode())


def make_folder(path: str | os.PathLike[str]) -> Path:
    """Create a folder and its missing parents; failures raise `WriteError`."""
    with _one_line(path, fate="nothing else was changed"):
        os.makedirs(path, exist_ok=True)
    return Path(path)


class _Temporary(io.FileIO):
    """A new file whose failed writes raise `WriteError`, so that other `OSError`s stay distinct."""

    def __init__(self, temporary: str, path: str | os.PathLike[str]) -> None:
        super().__init__(temporary, "x+b")
        self._path = path

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise _write_error(self._path, error) from error


@contextlib.contextmanager
def _one_line(path: str | os.PathLike[str], fate: str = _INTACT) -> Iterator[None]:
    try:
        yield
    except WriteError:
        raise
    except OSError as error:
        raise _write_error(path, error, fate) from error


def _write_error(path: str | os.PathLike[str], error: OSError, fate: str = _INTACT) -> WriteError:
    """The file, the reason, the remedy and the fate of the old file, in one line."""
    reason = error.strerror or type(error).__name__
    remedy = _REMEDIES.get(error.errno or 0, "check the disk")
    if "choose" in remedy or "free" in remedy:
        remedy += other_cache(path)
    if error.errno == errno.ENOENT:  # no folder, so no previous version
        return WriteError(f"cannot write {os.fspath(path)}: its folder does not exist; {remedy}")
    return WriteError(f"cannot write {os.fspath(path)}: {reason}; {remedy}; {fate}")


def _previous_mode(target: str) -> int | None:
    """Permissions of the file to be replaced; `OSError` if it is not one, as /dev/null."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):
        raise OSError(errno.EISDIR, "it exists and is not a file")
    return stat.S_IMODE(mode)


def _temporary_path(target: str) -> str:
    folder, name = os.path.split(target)
    owner = f"{_MACHINE}.{os.getpid()}.{secrets.token_hex(4)}"
    return os.path.join(folder, f".{name}.{owner}{SUFFIX}")


def _sweep(target: str) -> None:
    """Remove temporary files of killed writers of ``target``; never fails."""
    folder, name = os.path.split(target)
    prefix = f".{name}."
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(prefix) and entry.name.endswith(SUFFIX):
                owner = _OWNER.fullmatch(entry.name[len(prefix) : -len(SUFFIX)])
                with contextlib.suppress(OSError):
                    if owner and _is_stale(entry, owner[1], int(owner[2])):
                        os.unlink(entry.path)


def _is_stale(entry: os.DirEntry[str], machine: str, process: int) -> bool:
    """Whether the writer of a temporary file is gone.

    On this machine we check whether its process runs. For other machines (shared folders), and
    because a process number may have been reused, a file untouched for a day is stale.
    """
    if entry.path in _live:
        return False
    if sys.platform == "win32":
        return True  # Windows cannot remove an open file, so trying is safe
    if machine == _MACHINE and (process == os.getpid() or not _is_running(process)):
        return True
    return time.time() - entry.stat(follow_symlinks=False).st_mtime > STALE_SECONDS


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # it is running, under another user
    return True


def _sync_folder(folder: str) -> None:
    if sys.platform == "win32":
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:
        return  # a folder that is writable but not readable
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # file systems without folder fsync
            raise
    finally:
        os.close(handle)
