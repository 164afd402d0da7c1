"""Where tiltless keeps what it can make again: compiled code and tables."""

import os
import sys
from pathlib import Path

__all__ = ["CACHE_VARIABLE", "cache_folder"]

CACHE_VARIABLE = "TILTLESS_CACHE"


def cache_folder() -> Path:
    """Folder for everything that may be deleted at any time; not created here.

    The environment variable ``TILTLESS_CACHE`` wins; otherwise the platform's own place for caches.
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
