"""One run at a time in a folder: a lock that the system takes back however the process ends."""

import errno
import os
import sys
import weakref
from pathlib import Path

from tiltless.errors import OptionError, WriteError
from tiltless.files.atomic import make_folder

if sys.platform != "win32":
    import fcntl

__all__ = ["FolderLock"]

_NAME = ".lock"
_TAKEN = (errno.EWOULDBLOCK, errno.EACCES)


class FolderLock:
    """An exclusive lock of a folder (``flock`` of the file ``.lock``), taken and given back.

    The file stays: to remove it would let two processes hold locks of two files with one name.
    Where the system or the disk has no such locks, every run gets one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._give_back: weakref.finalize[[int], FolderLock] | None = None

    @property
    def held(self) -> bool:
        """Whether it is ours."""
        return self._give_back is not None

    def take(self) -> None:
        """Make the folder if need be, and lock it; `OptionError` if another run has it."""
        if self.held or sys.platform == "win32":
            return
        make_folder(self.folder)
        path = self.folder / _NAME
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise WriteError(
                f"cannot write {path}: {reason}; choose a folder that you may write to"
            ) from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _TAKEN:
                os.close(handle)
                raise OptionError(
                    f"another run is at work in {self.folder}; wait for its end, or choose another "
                    "folder"
                ) from None
        self._give_back = weakref.finalize(self, os.close, handle)

    def give_back(self) -> None:
        """Let others have it; nothing happens if it is not ours."""
        if self._give_back is not None:
            self._give_back()
            self._give_back = None
