"""Cached arrays: built once, kept in the cache folder."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy.typing as npt

from tiltless.cache import cache_folder
from tiltless.errors import FileError
from tiltless.files.arrays import read_arrays, write_arrays
from tiltless.files.fingerprint import fingerprint
from tiltless.lock import locked, waiting_for

__all__ = ["kept_arrays"]

Arrays = Mapping[str, npt.NDArray[Any]]


def kept_arrays(kind: str, made_by: Sequence[ModuleType], build: Callable[[], Arrays]) -> Arrays:
    """Writable arrays by name, from the cache folder, or from ``build`` the first time.

    kind: the name of the table, which determines its content up to the code.
    made_by: the modules that build it; if one of them changes, the table is rebuilt and the old one
    removed. A damaged file is rebuilt; a folder that is not writable only costs time. If several
    processes need it, one builds it and the others wait.
    """
    sources = [Path(str(module.__file__)).read_text(encoding="utf-8") for module in made_by]
    made_for = fingerprint(kind, sources)
    path = cache_folder() / "tables" / f"{kind}-{made_for[:16]}.safetensors"
    cached = _read(path, kind, made_for)
    if cached is not None:
        return cached
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.with_suffix(".lock"), waiting_for(f"the table {kind}")):
        cached = _read(path, kind, made_for)  # built while we waited
        if cached is not None:
            return cached
        arrays = build()
        with suppress(FileError, OSError):
            write_arrays(path, arrays, kind=kind, fingerprint=made_for)
            for other in path.parent.glob(f"{kind}-{'?' * 16}.safetensors"):
                if other != path:
                    other.unlink(missing_ok=True)
    return arrays


def _read(path: Path, kind: str, made_for: str) -> Arrays | None:
    try:
        file = read_arrays(path, kind=kind, fingerprint=made_for)
        return {name: file.load(name) for name in file.arrays}
    except FileError:
        return None
