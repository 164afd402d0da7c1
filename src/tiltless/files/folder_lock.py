"""Folder lock: one run at a time in a folder."""

from pathlib import Path

from tiltless.errors import OptionError, WriteError
from tiltless.files.atomic import make_folder
from tiltless.lock import Lock, try_lock

__all__ = ["FolderLock"]

_NAME = ".lock"


class FolderLock:
    """The exclusive lock of a folder; see `tiltless.lock`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock: Lock | None = None

    @property
    def held(self) -> bool:
        """Whether we hold the lock."""
        return self._lock is not None

    def take(self) -> None:
        """Create the folder if necessary, and lock it; `OptionError` if another run has it."""
        if self.held:
            return
        make_folder(self.folder)
        path = self.folder / _NAME
        try:
            self._lock = try_lock(path)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise WriteError(
                f"cannot write {path}: {reason}; choose a folder that you may write to"
            ) from error
        if self._lock is None:
            raise OptionError(
                f"another run is at work in {self.folder}; wait until it ends, or choose another "
                "folder"
            )

    def give_back(self) -> None:
        """Release the lock, if we hold it."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None
