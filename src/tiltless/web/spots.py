"""Spots that were solved in the browser: files in a folder, and the solving of new ones.

A spot is known by the fingerprint of what was asked for, so asking twice finds the first answer.
``{id}.spot`` is the file of `tiltless.postflop.file`, which ``tiltless solve-spot --resume`` reads,
too; ``{id}.json`` has its name and how it was solved. Files that were put there by hand are listed
by their names. One spot is solved at a time, others wait.
"""

import asyncio
import json
import re
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tiltless.errors import OptionError
from tiltless.files.atomic import make_folder, write_text
from tiltless.files.fingerprint import fingerprint
from tiltless.postflop.spot import Spot
from tiltless.web.hub import Hub
from tiltless.web.workers import LARGE, CancelledError, Job, WorkerPool

__all__ = ["Solving", "SpotFolder"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_WAITING = 5
_CURVE = 400


@dataclass(slots=True)
class Solving:
    """A spot that is being solved, or was.

    state: ``waiting``, ``solving``, ``done``, ``cancelled`` or ``failed``.  curve: (seconds,
    iterations, exploitability in percent of the pot).  grid: the first decision as it stands, and
    how often it was told.
    """

    about: dict[str, Any]
    job: Job | None = None
    state: str = "waiting"
    error: str = ""
    curve: list[tuple[float, int, float]] = field(default_factory=list)
    grid: dict[str, Any] | None = None
    grids: int = 0

    @property
    def news(self) -> dict[str, Any]:
        """Its state, and the last point of its curve."""
        last = self.curve[-1] if self.curve else None
        return {"state": self.state, "error": self.error, "last": last, "grids": self.grids}

    def as_json(self) -> dict[str, Any]:
        """What the page is told."""
        curve = self.curve
        if len(curve) > _CURVE:
            curve = [*curve[:: len(curve) // _CURVE + 1], curve[-1]]
        return {**self.about, "state": self.state, "error": self.error, "curve": curve}


class SpotFolder:
    """All spots of a folder.

    readers: processes that read solved spots.  solvers: the process that solves.
    """

    def __init__(self, folder: Path, hub: Hub, readers: WorkerPool, solvers: WorkerPool) -> None:
        self.folder, self.hub, self.readers, self.solvers = folder, hub, readers, solvers
        self._solving: dict[str, Solving] = {}

    async def estimate(self, spot: dict[str, Any], locks: list[str]) -> dict[str, Any]:
        """What a spot takes, see `tiltless.web.tasks.estimate`."""
        asked = {"spot": spot, "locks": locks}
        found: dict[str, Any] = await self._read("estimate", asked)
        return found

    async def solve(
        self, spot: dict[str, Any], locks: list[str], name: str, until: float, seconds: float
    ) -> Solving:
        """Begin to solve a spot, unless it is known."""
        made = await asyncio.to_thread(Spot, **spot)
        number = fingerprint(made.fingerprint, sorted(locks), until)[:16]
        if (known := await self.find(number)) is not None and _is_busy_or_done(known):
            return known
        waiting = sum(each.state in ("waiting", "solving") for each in self._solving.values())
        if waiting >= _WAITING:
            raise OptionError(f"{waiting} spots are waiting to be solved; cancel one, or wait")
        cost = await self.estimate(spot, locks)
        found = self._solving.get(number)
        if found is not None and _is_busy_or_done(found):
            return found  # asked for at the same time
        make_folder(self.folder)
        about = {
            "id": number,
            "name": name or f"{made.board_text}, pot {made.pot}, stack {made.stack}",
            "spot": {**spot, "bets": str(made.bets)},
            "locks": locks,
            "until": until,
            "cost": cost,
            "made": time.strftime("%Y-%m-%d %H:%M", time.gmtime()),
        }
        solving = self._solving[number] = Solving(about)
        loop = asyncio.get_running_loop()
        asked = {
            "spot": spot,
            "locks": locks,
            "until": until,
            "seconds": seconds,
            "path": str(self.folder / f"{number}.spot"),
        }

        def told(progress: dict[str, Any]) -> None:
            loop.call_soon_threadsafe(self._told, solving, progress)

        solving.job = self.solvers.submit("solve", asked, tell=told)
        solving.job.result.add_done_callback(
            lambda _: loop.call_soon_threadsafe(self._ended, solving)
        )
        return solving

    def _told(self, solving: Solving, progress: dict[str, Any]) -> None:
        solving.state = "solving"
        if progress.get("grid") is not None:
            solving.grid, solving.grids = progress["grid"], solving.grids + 1
        if progress["exploitability"] is not None:
            point = progress["seconds"], progress["iterations"], progress["exploitability"]
            solving.curve.append(point)
        self._tell(solving)

    def _ended(self, solving: Solving) -> None:
        assert solving.job is not None
        problem = solving.job.result.exception()
        if problem is None:
            last = solving.job.result.result()
            solving.curve.append((last["seconds"], last["iterations"], last["exploitability"]))
            solving.state = "done"
            solving.about["early"] = solving.job.enough.is_set()
            about = {**solving.about, "curve": solving.as_json()["curve"]}
            with suppress(OSError):  # the spot itself is there
                write_text(self.folder / f"{solving.about['id']}.json", json.dumps(about))
        elif isinstance(problem, CancelledError):
            solving.state = "cancelled"
            if (self.folder / f"{solving.about['id']}.spot").exists():  # kept when it was stopped
                self._solving.pop(solving.about["id"], None)
        else:
            solving.state, solving.error = "failed", str(problem)
        self._tell(solving)

    def _tell(self, solving: Solving) -> None:
        self.hub.tell(f"spot:{solving.about['id']}", "spot", solving.news)

    async def find(self, number: str) -> Solving | None:
        """A spot by its id; None if there is none."""
        if number in self._solving:
            return self._solving[number]
        listed = await asyncio.to_thread(self._listed)
        return next((each for each in listed if each.about["id"] == number), None)

    async def all(self) -> list[Solving]:
        """All spots, the newest first."""
        saved = {each.about["id"]: each for each in await asyncio.to_thread(self._listed)}
        everything = {**saved, **self._solving}
        shown = [each for each in everything.values() if each.state != "cancelled"]
        return sorted(shown, key=lambda each: each.about["made"], reverse=True)

    def _listed(self) -> list[Solving]:
        """What lies in the folder; names are taken from the listing and never from a request."""
        found = []
        for path in sorted(self.folder.glob("*.spot")):
            if not _NAME.fullmatch(path.stem) or path.is_symlink():
                continue
            about: dict[str, Any] = {}
            with suppress(OSError, ValueError):
                about = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
            if not isinstance(about, dict) or about.get("id") != path.stem:
                made = time.strftime("%Y-%m-%d %H:%M", time.gmtime(path.stat().st_mtime))
                about = {"id": path.stem, "name": path.stem, "made": made, "locks": []}
            curve = about.pop("curve", [])
            found.append(Solving(about, state="done", curve=curve))
        return found

    def cancel(self, number: str, keep: bool = False) -> bool:
        """Cancel the solving of a spot; False if it is not being solved.

        keep: save what was solved so far, if it has begun.
        """
        found = self._solving.get(number)
        if found is None or found.job is None or found.state not in ("waiting", "solving"):
            return False
        if keep and found.curve:
            found.job.finish()
        else:
            found.job.cancel()
        return True

    async def delete(self, number: str) -> bool:
        """Forget a spot and its files; False if there is none."""
        found = await self.find(number)
        if found is None:
            return False
        self.cancel(number)
        self._solving.pop(number, None)

        def remove() -> None:
            for ending in (".spot", ".json"):
                (self.folder / f"{number}{ending}").unlink(missing_ok=True)

        await asyncio.to_thread(remove)
        return True

    async def node(self, number: str, line: str, of: str) -> dict[str, Any]:
        """A node of a solved spot."""
        asked = {**await self._file(number), "line": line, "of": of}
        found: dict[str, Any] = await self._read("spot-node", asked, f"{LARGE}{number}")
        return found

    async def cards(self, number: str, line: str) -> list[dict[str, Any]]:
        """What every next card does."""
        asked = {**await self._file(number), "line": line}
        key = f"{LARGE}{number}"
        found: list[dict[str, Any]] = await self._read("spot-cards", asked, key)
        return found

    async def _file(self, number: str) -> dict[str, Any]:
        found = await self.find(number)
        if found is None or found.state != "done":
            raise OptionError("this spot is not solved; solve it first")
        path = self.folder / f"{number}.spot"
        return {"path": str(path), "stamp": (await asyncio.to_thread(path.stat)).st_mtime_ns}

    async def blueprint(self, task: str, asked: dict[str, Any]) -> dict[str, Any]:
        """A node of a blueprint, or its spot: ``blueprint-node`` or ``blueprint-spot``."""
        found: dict[str, Any] = await self._read(task, asked, f"blueprint:{asked['name']}")
        return found

    def blueprint_values(self, asked: dict[str, Any]) -> Job:
        """Begin to value a decision of a blueprint, see `tiltless.web.blueprint_values`."""
        return self.readers.submit("blueprint-values", asked)

    async def _read(self, task: str, asked: dict[str, Any], key: str = "") -> Any:
        job = self.readers.submit(task, asked, key=key)
        return await asyncio.wrap_future(job.result)


def _is_busy_or_done(found: Solving) -> bool:
    """Whether there is nothing to begin; a spot that was stopped early can be solved on."""
    if found.state == "done":
        return not found.about.get("early")
    return found.state in ("waiting", "solving")
