"""Arrays that take a while to make and can be made again: built once, kept in the cache folder."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy.typing as npt

from tiltless.errors import FileError
from tiltless.files.arrays import read_arrays, write_arrays
from tiltless.files.fingerprint import fingerprint
from tiltless.folders import cache_folder

__all__ = ["kept_arrays"]

Arrays = Mapping[str, npt.NDArray[Any]]


def kept_arrays(kind: str, source: str, *parts: Any, build: Callable[[], Arrays]) -> Arrays:
    """Writable arrays by name, from the cache folder, or from ``build`` the first time.

    kind: the name of the table.  source: path of the module that builds it (its ``__file__``); the
    table is made again when that file changes.  parts: what else decides the content, plain data.
    A file that is damaged is made again; a folder that cannot be written only costs time.
    """
    made_for = fingerprint(kind, Path(source).read_text(encoding="utf-8"), *parts)
    path = cache_folder() / "tables" / f"{kind}-{made_for[:16]}.safetensors"
    try:
        file = read_arrays(path, kind=kind, fingerprint=made_for)
        return {name: file.load(name) for name in file.arrays}
    except FileError:
        arrays = build()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_arrays(path, arrays, kind=kind, fingerprint=made_for)
    except (FileError, OSError):
        pass
    return arrays
