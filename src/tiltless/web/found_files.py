"""Training runs and results files below a folder: a listing by name.

Requests name an entry of the listing and never a path. Folders are looked through two levels deep,
without hidden ones and without links.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

__all__ = ["listing"]

_DEPTH = 2
_MOST_FOLDERS = 2000
_SEPARATOR = "~"


def listing(root: Path, wanted: Callable[[Path], bool]) -> dict[str, Path]:
    """Entries for which ``wanted`` holds, by their names: the path with ``~`` for ``/``."""
    found: dict[str, Path] = {}
    waiting, seen = [(root, 0)], 0
    while waiting and seen < _MOST_FOLDERS:
        folder, depth = waiting.pop(0)
        seen += 1
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda each: each.name):
                if entry.name.startswith(".") or entry.is_symlink():
                    continue
                path = Path(entry.path)
                if wanted(path):
                    found[_SEPARATOR.join(path.relative_to(root).parts)] = path
                elif depth < _DEPTH - 1 and entry.is_dir(follow_symlinks=False):
                    waiting.append((path, depth + 1))
    return found
