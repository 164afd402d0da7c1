"""Servers of MIT Pokerbots: what they run, and what they accept.

The servers of 2020 to 2025 have Python 3.7, on which neither tiltless nor a current NumPy runs; for
their games use a local engine. Numba is installed on none of them, so a package brings it along.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tiltless.errors import OptionError
from tiltless.validate import brief

__all__ = ["LOCAL", "SERVERS", "Server", "find_server"]

LOCAL = "local"


@dataclass(frozen=True, slots=True)
class Server:
    """A server and its limits.

    platforms: tags of wheels that it can use, for pip; none for the user's own interpreter.
    python: its version.  build_seconds: limit of the build step.  zip_bytes, unpacked_bytes,
    files: limits of a package.
    """

    name: str
    about: str
    platforms: tuple[str, ...]
    python: str
    build_seconds: float
    zip_bytes: int = 100_000_000
    unpacked_bytes: int = 1 << 30
    files: int = 20_000


def _manylinux(machine: str) -> tuple[str, ...]:
    """Tags from the newest to the oldest; pip does not know which of them include others."""
    names = ("manylinux_2_28", "manylinux_2_27", "manylinux_2_17", "manylinux2014")
    return tuple(f"{name}_{machine}" for name in names)


SERVERS: Mapping[str, Server] = {
    server.name: server
    for server in (
        Server(LOCAL, "an engine on this machine, with this interpreter and cache", (), "", 10.0),
        Server(
            "2026",
            "x86-64, Python 3.13, built before every match",
            _manylinux("x86_64"),
            "3.13",
            180.0,
        ),
        Server(
            "2027",
            "64-bit Arm, Python 3.13, built once",
            _manylinux("aarch64"),
            "3.13",
            600.0,
        ),
    )
}
"""The servers that can run tiltless, by their names."""


def find_server(name: str) -> Server:
    """The server of a name; `OptionError` if it is not known."""
    if name not in SERVERS:
        raise OptionError(f"server {brief(name)} is not known; choose one of {', '.join(SERVERS)}")
    return SERVERS[name]
