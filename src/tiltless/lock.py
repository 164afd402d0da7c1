"""Inter-process locks: one process builds a cached file; the others wait and then use it.

A lock is a small file that the operating system locks (``flock``, on Windows ``msvcrt.locking``),
so that it is released however its process ends; the file contains the process number, for the
message of waiting processes, and is removed with the lock. If the system or the disk does not
support locks, every process gets one: files are written atomically, so work may be done twice but
nothing breaks.
"""

import contextlib
import errno
import os
import sys
import time
import weakref
from collections.abc import Callable, Iterator

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]
try:
    import msvcrt
except ImportError:
    msvcrt = None  # type: ignore[assignment]

__all__ = ["Lock", "Waiting", "locked", "try_lock", "waiting_for"]

Waiting = Callable[[int | None], None]

_TAKEN = (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK)
_POLL_SECONDS = 0.05
_QUIET_SECONDS = 1.0  # a shorter wait needs no message
_LOCKED_BYTE = 1 << 20  # the byte that Windows locks; the process number before it stays readable
_TRIES = 20


class Lock:
    """A lock that is held until ``release()``, or until the object is garbage-collected."""

    def __init__(self, path: str, handle: int) -> None:
        self.path = path
        self.release = weakref.finalize(self, _release, path, handle, os.getpid())


def try_lock(path: str | os.PathLike[str]) -> Lock | None:
    """Lock a file, which is created if necessary; None if another process holds the lock.

    `OSError` if the file cannot be created, because its folder is missing or not writable.
    """
    path = os.path.abspath(path)
    while True:
        handle = _open(path)
        try:
            if not _take(handle):
                os.close(handle)
                return None
            if msvcrt is not None or _is_named(handle, path):
                os.ftruncate(handle, 0)
                os.lseek(handle, 0, os.SEEK_SET)
                os.write(handle, str(os.getpid()).encode())
                return Lock(path, handle)
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # the previous holder removed the file: the path is free, or another's


@contextlib.contextmanager
def locked(path: str | os.PathLike[str], waiting: Waiting | None = None) -> Iterator[bool]:
    """Hold the lock of a file during the block; wait for it while another process holds it.

    waiting: called once if that takes more than a second, with the number of the process that holds
    the lock, or None if it is unknown.
    Yields whether there is a lock: if its file cannot be created, the block runs without.
    """
    lock = None
    with contextlib.suppress(OSError):
        start = time.monotonic()
        while (lock := try_lock(path)) is None:
            if waiting is not None and time.monotonic() - start >= _QUIET_SECONDS:
                waiting(_holder(path))
                waiting = None
            time.sleep(_POLL_SECONDS)
    try:
        yield lock is not None
    finally:
        if lock is not None:
            lock.release()


def waiting_for(what: str) -> Waiting:
    """A callback for `locked` that reports on standard error which process is building ``what``."""

    def say(process: int | None) -> None:
        who = "another process" if process is None else f"process {process}"
        if sys.stderr is not None:
            sys.stderr.write(f"waiting for {who}, which makes {what}\n")  # at once, as a whole
            sys.stderr.flush()

    return say


def _open(path: str) -> int:
    for _ in range(_TRIES):
        with contextlib.suppress(PermissionError):
            return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        if msvcrt is None:
            break
        time.sleep(_POLL_SECONDS)  # Windows refuses to open a file that is being removed
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)


def _take(handle: int) -> bool:
    """Whether we now hold the lock of an open file, or locks are not supported here."""
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        elif msvcrt is not None:
            os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    except OSError as error:
        return error.errno not in _TAKEN
    return True


def _is_named(handle: int, path: str) -> bool:
    """Whether a path still refers to an open file."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


def _holder(path: str | os.PathLike[str]) -> int | None:
    with contextlib.suppress(OSError, ValueError), open(path, "rb") as file:
        return int(file.read(20))
    return None


def _release(path: str, handle: int, owner: int) -> None:
    """Remove the file while we hold the lock (on Windows, which cannot remove open files, after).

    A forked process only closes its copy.
    """
    ours = os.getpid() == owner
    with contextlib.suppress(OSError):
        if ours and msvcrt is None:
            os.unlink(path)
    with contextlib.suppress(OSError):
        if ours and fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_UN)
    os.close(handle)
    with contextlib.suppress(OSError):
        if ours and msvcrt is not None:
            os.unlink(path)
