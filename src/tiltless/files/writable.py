"""Output paths, checked before the work starts."""

import os
from pathlib import Path

from tiltless.errors import OptionError, WriteError

__all__ = ["check_picture", "check_writable"]


def check_writable(path: str | os.PathLike[str]) -> None:
    """`WriteError` unless the folder of a file is there and open to us, and the name is free.

    An existing file may be replaced. A disk that is full is only found out by writing.
    """
    target = Path(os.path.realpath(path))
    name, folder = os.fspath(path), target.parent
    if not folder.is_dir():
        raise WriteError(f"cannot write {name}: there is no folder {folder}; create it first")
    if target.exists() and not target.is_file():
        raise WriteError(f"cannot write {name}: it is not a file; choose the name of a file")
    if not os.access(folder, os.W_OK):
        raise WriteError(f"cannot write {name}: {folder} is closed to you; choose another")


def check_picture(path: str | os.PathLike[str]) -> None:
    """The same for a picture, whose name ends in .png."""
    if os.path.splitext(path)[1].lower() != ".png":
        raise OptionError(
            f"{os.fspath(path)} is no name of a picture; pictures are PNG, so write .png at its end"
        )
    check_writable(path)
