"""The cache folder: compiled code and tables, which can be rebuilt at any time."""

import os
import sys
from pathlib import Path

__all__ = ["CACHE_VARIABLE", "cache_folder", "other_cache"]

CACHE_VARIABLE = "TILTLESS_CACHE"


def cache_folder() -> Path:
    """The folder for everything that may be deleted at any time; not created here.

    The environment variable ``TILTLESS_CACHE``, or the platform's usual folder for caches.
    """
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "tiltless"


def other_cache(path: str | os.PathLike[str]) -> str:
    """For error messages: how to choose another cache folder if ``path`` is inside it, else ""."""
    inside = Path(path).absolute().is_relative_to(cache_folder().absolute())
    return f", or set {CACHE_VARIABLE} to one" if inside else ""
