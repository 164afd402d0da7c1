"""Ray with its files and its token in our folder, imported when a cluster is asked for.

Ray keeps logs and sockets in ``/tmp/ray`` and a token in the home folder by default. Here both are
in one folder of ours, `ray_folder`: the token, and a folder for each process of ours that has
started something, which is removed when it ends, or by the next one if it was killed. Token
authentication is always on: whoever lacks the token can neither submit work nor join. Ray's usage
reports are off.
"""

import contextlib
import hashlib
import os
import platform
import re
import secrets
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tiltless.cache import cache_folder
from tiltless.errors import OptionError
from tiltless.files.atomic import make_folder, write_text

__all__ = [
    "FOLDER_VARIABLE",
    "check_address",
    "keep_head",
    "local_head",
    "ray_environment",
    "ray_folder",
    "ray_library",
    "remove_session",
    "session_folder",
    "sweep_sessions",
    "token_file",
]

FOLDER_VARIABLE = "TILTLESS_CLUSTER"
_LONGEST = 103 if sys.platform == "darwin" else 107  # bytes of the path of a socket
_BELOW = len("/abcdefg/session_2026-01-01_00-00-00_000000_4194304/sockets/plasma_store")
_MACHINE = hashlib.sha256(platform.node().encode()).hexdigest()[:2]
_SESSION = re.compile(rf"{_MACHINE}([0-9a-z]+)")
_HEAD = "head"
_TOKEN = re.compile(r"[0-9a-f]{64}")


def ray_folder() -> Path:
    """The folder of Ray's files: ``TILTLESS_CLUSTER``, or ``ray`` in the cache folder.

    Where that is too long for the path of a socket, ``.tiltless-ray`` in the home folder.
    """
    chosen = os.environ.get(FOLDER_VARIABLE)
    usual = [cache_folder() / "ray", Path("~/.tiltless-ray")]
    folders = [path.expanduser().absolute() for path in ([Path(chosen)] if chosen else usual)]
    for folder in folders:
        if len(os.fsencode(folder)) + _BELOW <= _LONGEST:
            return folder
    raise OptionError(
        f"{folders[0]} is too long for the sockets of a cluster, which allow {_LONGEST - _BELOW} "
        f"bytes; set {FOLDER_VARIABLE} to a shorter one"
    )


def token_file() -> Path:
    """The file of the token; it is made, readable for its owner only, if it is not there."""
    path = make_folder(ray_folder()) / "token"
    if not path.exists():
        new = path.with_name(f"token.{secrets.token_hex(4)}")
        with open(new, "x", encoding="ascii", opener=_private) as file:
            file.write(secrets.token_hex(32))
        with contextlib.suppress(FileExistsError):
            os.link(new, path)  # whole, and never over another one
        new.unlink()
    try:
        sound = _TOKEN.fullmatch(path.read_text(encoding="ascii").strip())
    except (OSError, UnicodeDecodeError):
        sound = None
    if not sound:
        raise OptionError(
            f"{path} does not hold a token of 64 hexadecimal digits; copy it from the machine "
            "where the cluster was started"
        )
    return path


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def session_folder() -> Path:
    """The folder of what this process starts; not created here."""
    return ray_folder() / f"{_MACHINE}{np.base_repr(os.getpid(), 36).lower()}"


def keep_head(address: str) -> None:
    """Remember the address of a cluster that this process has started; "" to forget it."""
    path = ray_folder() / _HEAD
    if address:
        write_text(path, f"{address} {session_folder().name}\n")
    else:
        path.unlink(missing_ok=True)


def local_head() -> str:
    """The address of the cluster that was started on this machine; "" if none is."""
    try:
        address, session = (ray_folder() / _HEAD).read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        return ""
    return address if _is_alive(session) else ""


def check_address(address: str) -> str:
    """An address ``HOST:PORT``, as it is; `OptionError` if it is none."""
    host, colon, port = address.rpartition(":")
    if not (host and colon and port.isdecimal() and 0 < int(port) < 65536):
        raise OptionError(f"{address!r} is not the address of a cluster; give HOST:PORT")
    return address


def ray_environment() -> Mapping[str, str]:
    """Environment variables for every process of Ray's."""
    return {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(token_file()),
        "RAY_TMPDIR": str(session_folder()),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    }


def ray_library() -> Any:
    """The module ``ray``, with its environment set; `OptionError` if it is not installed."""
    os.environ.update(ray_environment())
    try:
        import ray
    except ImportError:
        raise OptionError(
            "a cluster needs Ray, which is not installed; install it: "
            "pip install 'tiltless[cluster]'"
        ) from None
    return ray


def remove_session() -> None:
    """Remove the files of what this process has started and ended; never fails."""
    shutil.rmtree(session_folder(), ignore_errors=True)


def sweep_sessions() -> None:
    """Remove the files of processes of this machine that were killed; never fails."""
    with contextlib.suppress(OSError):
        for path in ray_folder().iterdir():
            if _SESSION.fullmatch(path.name) and not _is_alive(path.name):
                shutil.rmtree(path, ignore_errors=True)


def _is_alive(session: str) -> bool:
    """Whether the process of a folder runs, on this machine."""
    name = _SESSION.fullmatch(session)
    try:
        if name:
            os.kill(int(name[1], 36), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return name is not None
