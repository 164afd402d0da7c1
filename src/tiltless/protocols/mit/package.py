"""Packages: an agent as a zip file for the servers of MIT Pokerbots.

::

    commands.json   build.sh   run.sh   player.py
    wheels/         Numba, llvmlite and NumPy for the server, unpacked by the build step
    lib/            tiltless, without commands, pictures and benchmarks
    cache/          flop and turn tables; the build step adds compiled kernels
    ...             the models and modules that the agent reads, at their relative paths

What an agent needs is found out by a rehearsal (`tiltless.protocols.mit.rehearsal`) in a process of
its own. The build step repeats the rehearsal, so that exactly the kernels of this agent are
compiled, into a cache inside the bot's folder. ``player.py`` connects before it imports anything.

For ``local`` there are no wheels and no copy of tiltless: the bot uses this interpreter, this
installation and this cache, which the rehearsal has filled, so that its build step ends within the
ten seconds of the published engines.

There is no player without Numba: every server that has a Python new enough for tiltless accepts its
wheels, and older ones have NumPy 1.18 to 1.20 on Python 3.7.
"""

import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tiltless.abstraction.cards.tables import build_tables
from tiltless.blueprint.shipped import MODELS, blueprint_for
from tiltless.blueprint.strategy import Blueprint
from tiltless.cache import cache_folder
from tiltless.errors import FileError, OptionError
from tiltless.files.atomic import write_bytes
from tiltless.protocols.mit.package_scripts import (
    COPY_CACHE,
    HEAD,
    ON_A_SERVER,
    ON_THIS_MACHINE,
    PLAYER,
    REHEARSE,
    RUN,
    UNPACK,
)
from tiltless.protocols.mit.servers import LOCAL, Server, find_server
from tiltless.protocols.mit.wheels import NEEDED, download_wheels, wheels_in
from tiltless.protocols.mit.year_file import load_year
from tiltless.protocols.mit.years import Year
from tiltless.validate import brief

__all__ = ["Packed", "Part", "pack_bot"]

_PACKAGE = Path(__file__).parents[2]  # tiltless
_LEFT_OUT = ("cli", "viz", "bench", "web", "distributed")  # of tiltless
_TABLES = ("flop", "turn")
_MODEL = ".safetensors"
_DATE = (2020, 1, 1, 0, 0, 0)  # the same files make the same zip
_BUILD_SHARE = 0.6  # of the build limit for the rehearsal


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a package: how many files, and their bytes unpacked and in the zip."""

    name: str
    files: int
    unpacked: int
    zipped: int


@dataclass(frozen=True, slots=True)
class Packed:
    """A package that was written: for whom, what it plays, and the sizes of its parts."""

    path: Path
    server: Server
    year: int | str
    agent: str
    parts: tuple[Part, ...]
    zip_bytes: int

    @property
    def unpacked_bytes(self) -> int:
        """Bytes of all files in the zip."""
        return sum(part.unpacked for part in self.parts)

    @property
    def files(self) -> int:
        """The number of files in the zip."""
        return sum(part.files for part in self.parts)


def pack_bot(
    game: str,
    server: str,
    agent: str,
    out: str | os.PathLike[str],
    *,
    wheels: str | os.PathLike[str] | None = None,
    python: str = "",
    bring: Sequence[str] = NEEDED,
    seconds: float = 60.0,
    say: Callable[[str], None] = lambda line: None,
) -> Packed:
    """Write a package; `OptionError` if it is larger than the server allows.

    game: that of a year, such as ``permutation``, or a rules file (`year_file`).
    agent: its text, which may name files and code of the user in the working directory; empty for
    our own bot for the game.
    wheels: a folder to take them from instead of asking pip.  python: the server's version, if it
    is another.  bring: wheels to bring along; what is not among them must be installed there.
    seconds: most of the rehearsal.  say: told about each step.
    """
    rules = load_year(game)
    year, agent = rules.number or Path(game).name, agent or rules.bot
    if not agent:
        raise OptionError(f"no bot of ours plays {brief(game)}; name an agent to pack with --agent")
    where = find_server(server)
    if python and not re.fullmatch(r"3\.\d{1,2}", python):
        raise OptionError(f"Python {brief(python)} is not a version; write one such as 3.13")
    where = replace(where, python=python) if python and server != LOCAL else where
    say(f"rehearsing {agent}")
    read = _played(_rehearsed(game, agent, seconds), rules, agent)
    content = _Content()
    if isinstance(year, str):
        content.add_file(year, Path(game))
    text = _add_files(content, read, agent)
    _add_scripts(content, where, year, text)
    if server != LOCAL:
        _add_tiltless(content, read)
        _add_tables(content, read, say)
        with tempfile.TemporaryDirectory() as folder:
            if wheels is None and bring:
                say(f"downloading wheels for {where.about}")
                chosen = download_wheels(where, Path(folder), bring)
            else:
                chosen = wheels_in(Path(wheels or folder), where, bring)
            for wheel in chosen:
                content.add_file(f"wheels/{wheel.path.name}", wheel.path)
    say("writing the zip")
    data, parts = content.zipped()
    packed = Packed(Path(out), where, year, text, parts, len(data))
    _check_limits(packed)
    write_bytes(out, data)
    return packed


class _Content:
    """The files of a package, by their names in it."""

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}

    def add(self, name: str, data: bytes | str) -> None:
        self._files[name] = data.encode() if isinstance(data, str) else data

    def add_file(self, name: str, path: Path) -> None:
        try:
            self.add(name, path.read_bytes())
        except OSError as error:
            raise FileError(f"cannot read {path}: {error.strerror}; check the file") from None

    def __contains__(self, name: str) -> bool:
        return name in self._files

    def zipped(self) -> tuple[bytes, tuple[Part, ...]]:
        """The zip file, and what it consists of."""
        buffer = io.BytesIO()
        files: Counter[str] = Counter()
        unpacked: Counter[str] = Counter()
        zipped: Counter[str] = Counter()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name, data in sorted(self._files.items()):
                entry = zipfile.ZipInfo(name, _DATE)
                entry.external_attr = 0o100644 << 16
                wheel = name.endswith(".whl")  # compressed already
                entry.compress_type = zipfile.ZIP_STORED if wheel else zipfile.ZIP_DEFLATED
                archive.writestr(entry, data)
                part = _part(name)
                files[part] += 1
                unpacked[part] += entry.file_size
                zipped[part] += entry.compress_size
        parts = tuple(
            Part(part, files[part], size, zipped[part]) for part, size in unpacked.items()
        )
        return buffer.getvalue(), parts


def _part(name: str) -> str:
    """What a file of the zip belongs to, for the table of sizes."""
    if name.startswith("wheels/"):
        return name.removeprefix("wheels/").partition("-")[0]
    if name.startswith("cache/"):
        return "tables"
    if name.endswith(_MODEL):
        return "models"
    return "tiltless" if name.startswith("lib/tiltless/") else "player"


def _rehearsed(game: str, agent: str, seconds: float) -> tuple[Path, ...]:
    """The files that an agent reads in a rehearsal."""
    command = [sys.executable, "-m", "tiltless.protocols.mit.rehearsal"]
    command += [game, agent, str(seconds)]
    environment = {**os.environ, "PYTHONPATH": _python_path(_PACKAGE.parent)}
    done = subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environment
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]
        raise OptionError(f"{brief(agent)} cannot play {game}: {last}")
    return tuple(map(Path, done.stdout.splitlines()))


def _played(read: Iterable[Path], year: Year, agent: str) -> tuple[Path, ...]:
    """The files without those of shipped blueprints that the agent only looked at to choose one."""
    played = {blueprint_for(year.game().rules), *re.split(r"[=:,+]", agent)}
    return tuple(
        path for path in read if path.parent != MODELS or path.name.partition(".")[0] in played
    )


def _python_path(first: Path) -> str:
    rest = os.environ.get("PYTHONPATH")
    return os.pathsep.join([str(first), rest] if rest else [str(first)])


def _add_files(content: _Content, read: Iterable[Path], agent: str) -> str:
    """Add the user's files; returns the agent's text as the package understands it.

    Files below the working directory keep their relative paths, since a bot runs in its folder;
    others that the text names move to ``files/``. Modules move to ``lib/``, also those from other
    folders of Python's path.
    """
    here = Path.cwd()
    foreign = [Path(sys.prefix), Path(sys.base_prefix), _PACKAGE, cache_folder().absolute()]
    for path in read:
        if path.suffix == ".pyc" or any(path.is_relative_to(each) for each in foreign):
            continue
        if path.suffix == ".py":
            folders = [each for each in (here, *map(Path, sys.path)) if path.is_relative_to(each)]
            if folders:
                nearest = max(folders, key=lambda folder: len(folder.parts))
                content.add_file(f"lib/{path.relative_to(nearest).as_posix()}", path)
        elif path.is_relative_to(here):
            content.add_file(path.relative_to(here).as_posix(), path)
    text = agent
    for word in re.split(r"[=:,]", agent):
        path = Path(os.path.abspath(Path(word).expanduser()))
        inside = path.is_relative_to(here)
        if not word or not path.is_file() or (inside and Path(word) == path.relative_to(here)):
            continue  # no file, or one that the bot finds under the same name
        folder = path.parent.relative_to(here) if inside else Path("files")
        for each in (path, *(other for other in read if other.parent == path.parent)):
            if each.name.startswith(path.stem):  # and the parts of a large model
                content.add_file((folder / each.name).as_posix(), each)
        text = text.replace(word, (folder / path.name).as_posix())
    return text


def _add_tiltless(content: _Content, read: Iterable[Path]) -> None:
    """The sources, and of the data only what the agent has read."""
    for path in sorted(_PACKAGE.rglob("*.py")):
        name = path.relative_to(_PACKAGE)
        if name.parts[0] not in _LEFT_OUT:
            content.add_file(f"lib/tiltless/{name.as_posix()}", path)
    for path in read:
        if path.suffix == _MODEL and path.is_relative_to(_PACKAGE):
            content.add_file(f"lib/tiltless/{path.relative_to(_PACKAGE).as_posix()}", path)


def _add_tables(content: _Content, read: Iterable[Path], say: Callable[[str], None]) -> None:
    """Flop and turn tables of every blueprint that was read; rivers are computed in play."""
    for path in read:
        if path.suffix != _MODEL or path.is_relative_to(cache_folder().absolute()):
            continue
        try:
            abstraction = Blueprint.load(path, verify=False).abstraction
        except FileError:
            continue  # another kind of file
        say(f"flop and turn tables of {abstraction.name}")
        tables = build_tables(abstraction, streets=_TABLES)
        for table in tables.paths:
            if table.name.partition("-")[0] in _TABLES:
                content.add_file(f"cache/buckets/{table.name}", table)


def _add_scripts(content: _Content, server: Server, year: int | str, agent: str) -> None:
    commands = {"build": ["bash", "build.sh"], "run": ["bash", "run.sh"]}
    content.add("commands.json", json.dumps(commands) + "\n")
    content.add("player.py", PLAYER.format(year=year, agent=agent))
    if server.name == LOCAL:
        path = _python_path(_PACKAGE.parent)
        values = {"python": sys.executable, "path": f"lib{os.pathsep}{path}"}
        values["cache"] = str(cache_folder().absolute())
        setup = ON_THIS_MACHINE.format(**{key: shlex.quote(value) for key, value in values.items()})
        content.add("build.sh", HEAD + setup + "exit 0\n")
        content.add("run.sh", HEAD + setup + RUN)
        return
    seconds = round(_BUILD_SHARE * server.build_seconds)
    content.add("build.sh", HEAD + UNPACK + ON_A_SERVER + REHEARSE.format(seconds=seconds))
    content.add("run.sh", HEAD + ON_A_SERVER + COPY_CACHE + RUN)


def _check_limits(packed: Packed) -> None:
    server = packed.server
    for what, size, limit in (
        ("bytes in the zip", packed.zip_bytes, server.zip_bytes),
        ("bytes unpacked", packed.unpacked_bytes, server.unpacked_bytes),
        ("files", packed.files, server.files),
    ):
        if size > limit:
            largest = sorted(packed.parts, key=lambda part: part.zipped, reverse=True)[:3]
            sizes = ", ".join(f"{part.name} {part.zipped / 1e6:.1f} MB" for part in largest)
            raise OptionError(
                f"the package has {size:,} {what}, and {server.name} allows {limit:,}; choose a "
                f"smaller model, or --no-numpy where the server has NumPy (largest: {sizes})"
            )
