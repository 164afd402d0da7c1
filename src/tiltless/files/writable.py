"""Output paths, checked before the work starts."""

import os
from pathlib import Path

from tiltless.errors import OptionError, WriteError

__all__ = ["check_picture", "check_writable"]


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise `WriteError` unless a file can be created or replaced at this path.

    A full disk is only detected by writing.
    """
    target = Path(os.path.realpath(path))
    name, folder = os.fspath(path), target.parent
    if not folder.is_dir():
        raise WriteError(f"cannot write {name}: there is no folder {folder}; create it first")
    if target.exists() and not target.is_file():
        raise WriteError(f"cannot write {name}: it is not a file; choose the name of a file")
    if not os.access(folder, os.W_OK):
        raise WriteError(f"cannot write {name}: {folder} is not writable; choose another folder")


def check_picture(path: str | os.PathLike[str]) -> None:
    """`check_writable` for a picture, whose name must end in .png."""
    if os.path.splitext(path)[1].lower() != ".png":
        raise OptionError(
            f"{os.fspath(path)} is not the name of a PNG picture; write .png at the end"
        )
    check_writable(path)
