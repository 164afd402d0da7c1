"""Wheels for another machine: found by pip in the user's own index, or in a folder."""

import re
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from tiltless.errors import OptionError
from tiltless.protocols.mit.servers import Server

__all__ = ["NEEDED", "Wheel", "download_wheels", "wheels_in"]

NEEDED = ("numba", "llvmlite", "numpy")
"""Everything that a packed bot imports besides tiltless; NumPy last, which servers may have."""
_WHEEL = re.compile(
    r"(?P<name>[A-Za-z0-9_.]+)-(?P<version>[^-]+)(-\d[^-]*)?-(?P<python>[^-]+)-[^-]+-"
    r"(?P<platform>[^-]+)\.whl"
)


class Wheel(NamedTuple):
    """A wheel file by the parts of its name."""

    path: Path
    name: str
    version: str
    pythons: tuple[str, ...]
    platforms: tuple[str, ...]

    def fits(self, server: Server) -> bool:
        """Whether the server can use it."""
        tags = {f"cp{server.python.replace('.', '')}", "py3"}
        return bool(tags & set(self.pythons)) and bool(
            {"any", *server.platforms} & set(self.platforms)
        )


def download_wheels(server: Server, folder: Path, names: Collection[str]) -> tuple[Wheel, ...]:
    """Let pip download wheels for a server into a folder; `OptionError` if it finds none."""
    platforms = [word for each in server.platforms for word in ("--platform", each)]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--only-binary=:all:", "--implementation", "cp", *platforms]
    command += ["--python-version", server.python, "--dest", str(folder), NEEDED[0]]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        reason = lines[-1].removeprefix("ERROR: ") if lines else "pip failed"
        raise OptionError(
            f"no wheels of {NEEDED[0]} for {server.name}, Python {server.python}: {reason}; name a "
            "folder that has them with --wheels"
        )
    return wheels_in(folder, server, names)


def wheels_in(folder: Path, server: Server, names: Collection[str]) -> tuple[Wheel, ...]:
    """The newest wheel of each name in a folder that a server can use."""
    found: dict[str, Wheel] = {}
    for path in sorted(folder.glob("*.whl")) if folder.is_dir() else ():
        match = _WHEEL.fullmatch(path.name)
        if match is None:
            continue
        tags = match["python"].split("."), match["platform"].split(".")
        wheel = Wheel(path, match["name"].lower(), match["version"], *map(tuple, tags))
        if wheel.name in names and wheel.fits(server):
            if wheel.name not in found or _number(found[wheel.name]) < _number(wheel):
                found[wheel.name] = wheel
    missing = [name for name in names if name not in found]
    if missing:
        raise OptionError(
            f"{folder} has no wheel of {', '.join(missing)} for {server.name} (Python "
            f"{server.python}, {server.platforms[0]}); put it there, or leave --wheels out"
        )
    return tuple(found[name] for name in names)


def _number(wheel: Wheel) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", wheel.version))
