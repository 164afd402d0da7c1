"""The identity of a program: version and sources, so that machines with another one are refused."""

import hashlib
import platform
from functools import cache
from pathlib import Path

from tiltless import _version

__all__ = ["machine_name", "program"]


@cache
def program() -> str:
    """``"0.1.0, sources 1a2b3c4d"``: equal if two machines run the same program.

    The hash is of every Python file of the package, so it tells apart two states of a checkout.
    """
    folder = Path(str(_version.__file__)).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py"), key=lambda each: each.relative_to(folder).as_posix()):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return f"{_version.__version__}, sources {digest.hexdigest()[:8]}"


def machine_name() -> str:
    """The name of this machine, for messages."""
    return platform.node() or "a machine without a name"
