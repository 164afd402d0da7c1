"""Folder lock: one run at a time in a folder."""

from pathlib import Path

from tiltless.errors import OptionError, WriteError
from tiltless.files.atomic import make_folder
from tiltless.lock import Lock, try_lock

__all__ = ["FolderLock"]

_NAME = ".lock"


class FolderLock:
    """The exclusive lock of a folder (see `tiltless.lock`), taken and given back."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock: Lock | None = None

    @property
    def held(self) -> bool:
        """Whether it is ours."""
        return self._lock is not None

    def take(self) -> None:
        """Make the folder if need be, and lock it; `OptionError` if another run has it."""
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
                f"another run is at work in {self.folder}; wait for its end, or choose another "
                "folder"
            )

    def give_back(self) -> None:
        """Let others have it; nothing happens if it is not ours."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None
