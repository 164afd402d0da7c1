"""Training runs as JSON, read from the files that the trainer writes; a run that grows is told.

A run is a folder with metrics.csv. Its curves come from there and from matches.csv, its limits,
litmus checks and first-in strategies from the status files (`tiltless.blueprint.training.status`),
which runs of earlier versions lack.
"""

import asyncio
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tiltless.blueprint.training import convergence
from tiltless.blueprint.training.run import METRICS
from tiltless.blueprint.training.status import FIRST_IN, RUN, read_first_in, read_run
from tiltless.errors import TiltlessError
from tiltless.files.csv_log import read_log
from tiltless.games.holdem.actions import parse_action
from tiltless.viz.strategy_grid import PALETTES, action_colours
from tiltless.web.found_files import listing
from tiltless.web.hub import Hub

__all__ = ["Runs"]

_POINTS = 1000
_SILENT_SECONDS = 180.0
"""A run that has not ended and wrote nothing for so long is not running any more."""
_LOOK_SECONDS = 1.0
_MATCHES, _CURVES = "matches.csv", "metrics.csv"
_FILES = (_CURVES, _MATCHES, RUN, FIRST_IN)


class Runs:
    """The runs below a folder.  hub: where news of ``run:NAME`` is told."""

    def __init__(self, root: Path, hub: Hub) -> None:
        self.root, self.hub = root, hub
        self._tails: dict[str, _Tail] = {}
        self._seen: dict[str, tuple[float, ...]] = {}

    def find(self, name: str) -> Path | None:
        """The folder of a run; None if there is none."""
        return self._folders().get(name)

    def all(self) -> list[dict[str, Any]]:
        """Every run in a few words, the newest first."""
        rows = [self._short(name, folder) for name, folder in self._folders().items()]
        return sorted(rows, key=lambda row: row["changed"], reverse=True)

    def read(self, name: str, folder: Path, after: int = -1) -> dict[str, Any]:
        """A run with its curves.  after: only points after so many walks."""
        rows = self._rows(name, folder)
        matches = read_log(folder / _MATCHES, convergence.COLUMNS)
        return {
            **self._short(name, folder),
            "checks": read_run(folder).get("checks", []),
            "points": [row for row in _thin(rows) if row["walks"] > after],
            "matches": [
                {key: row[key] for key in ("walks", "hands", *convergence.COLUMNS[7:])}
                for row in matches
            ],
            "checkpoints": [
                {"walks": row["walks"], "seconds": row.get("seconds")}
                for row in read_first_in(folder)
            ],
        }

    def first_in(self, folder: Path, walks: int) -> list[dict[str, Any]] | None:
        """What each player does first in at a checkpoint; None if there is no such checkpoint."""
        row = next((row for row in read_first_in(folder) if row["walks"] == walks), None)
        return None if row is None else [_opening(each) for each in row["players"]]

    def begin(self, name: str) -> bool:
        """Whether there is such a run; from now on its changes are told to who watches it."""
        stamp = self._stamp(name)
        if stamp:
            self._seen.setdefault(f"run:{name}", stamp)
        return bool(stamp)

    async def watch(self) -> None:
        """Tell of runs that somebody looks at whenever their files change; never ends."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            for topic in self.hub.watched("run:"):
                name = topic.partition(":")[2]
                stamp = await asyncio.to_thread(self._stamp, name)
                if stamp != self._seen.setdefault(topic, stamp):
                    self._seen[topic] = stamp
                    self.hub.tell(topic, "run", {"changed": max(stamp, default=0.0)})

    def _folders(self) -> dict[str, Path]:
        return listing(self.root, lambda path: (path / _CURVES).is_file())

    def _stamp(self, name: str) -> tuple[float, ...]:
        folder = self.find(name)
        return () if folder is None else tuple(_changed(folder / each) for each in _FILES)

    def _rows(self, name: str, folder: Path) -> Sequence[dict[str, float]]:
        return self._tails.setdefault(name, _Tail(folder / _CURVES)).read()

    def _short(self, name: str, folder: Path) -> dict[str, Any]:
        rows, about = self._rows(name, folder), read_run(folder)
        last = rows[-1] if rows else None
        changed = max(_changed(folder / each) for each in _FILES)
        ended = str(about.get("ended", ""))
        running = not ended and time.time() - changed < _SILENT_SECONDS
        left = _left(about, last) if running and last else None
        return {
            "id": name,
            "name": name.replace("~", "/"),
            "configuration": str(about.get("name", "")),
            "changed": changed,
            "state": "running" if running else "ended" if ended else "stopped",
            "ended": ended,
            "left_seconds": left,
            "last": last,
            "litmus": len(about.get("checks", [])),
        }


def _left(about: dict[str, Any], last: dict[str, float]) -> float | None:
    """Seconds of training until the first limit; None if there is none, or it is not known."""
    found = []
    if about.get("stop_walks") and last["walks_per_second"] > 0:
        found.append((about["stop_walks"] - last["walks"]) / last["walks_per_second"])
    if about.get("stop_minutes"):
        found.append(60 * about["stop_minutes"] - last["seconds"])
    return max(min(found), 0.0) if found else None


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _thin(rows: Sequence[dict[str, float]]) -> list[dict[str, float]]:
    """At most about a thousand rows, the last one among them."""
    step = len(rows) // _POINTS + 1
    thin = list(rows[::step])
    if rows and thin[-1] is not rows[-1]:
        thin.append(rows[-1])
    return thin


def _opening(player: dict[str, Any]) -> dict[str, Any]:
    """A first-in strategy with its colours."""
    try:
        actions = [parse_action(text) for text in player["actions"]]
    except TiltlessError:
        actions = []
    colours = {palette: action_colours(actions, palette) for palette in PALETTES}
    return {
        "short": player["short"],
        "player": player["player"],
        "chances": player["chances"],
        "actions": [
            {
                "word": player["actions"][n],
                "label": label,
                "colours": {palette: some[n] for palette, some in colours.items()},
            }
            for n, label in enumerate(player["labels"])
        ],
    }


class _Tail:
    """Rows of a CSV file that grows, of which only what is new is read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # the file, how much of it was read, columns and rows: replaced as one, as threads read them
        self._seen: tuple[int, int, list[str], list[dict[str, float]]] = (-1, 0, [], [])

    def read(self) -> list[dict[str, float]]:
        """All rows so far."""
        try:
            status = self.path.stat()
            inode, offset, columns, rows = self._seen
            if inode != status.st_ino or status.st_size < offset:  # written anew
                offset, columns, rows = 0, [], []
            if status.st_size > offset:
                with open(self.path, "rb") as file:
                    file.seek(offset)
                    new = file.read(status.st_size - offset)
                whole = new[: new.rfind(b"\n") + 1]  # a line may be half written
                lines = whole.decode(errors="replace").splitlines()
                if offset == 0 and lines:
                    columns = lines.pop(0).split(",")
                rows = [*rows, *_parsed(lines, columns)]
                offset += len(whole)
            self._seen = status.st_ino, offset, columns, rows
        except OSError:
            rows = []
            self._seen = -1, 0, [], rows
        return rows


def _parsed(lines: Sequence[str], columns: Sequence[str]) -> list[dict[str, float]]:
    """The lines that have a finite number in every column."""
    rows = []
    for line in lines:
        cells = line.split(",")
        if len(cells) != len(columns):
            continue
        given = dict(zip(columns, cells, strict=True))
        try:
            row = {name: float(given[name]) for name in METRICS}
        except (KeyError, ValueError):
            continue
        if all(map(math.isfinite, row.values())):
            rows.append(row)
    return rows
