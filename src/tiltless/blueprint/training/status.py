"""Status files of a run, for whoever watches it: limits, litmus checks, first-in strategies.

``run.json`` has the name and limits of the run, its litmus checks as they are, and in the end the
reason why it stopped. ``first-in.jsonl`` has a line for each checkpoint: the walks, and what each
player does first in with the 169 starting hands. A disk that is full costs a line and not the run.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tiltless.blueprint.opening import Opening
from tiltless.blueprint.training.config import TrainingConfig
from tiltless.blueprint.training.litmus import LitmusCheck
from tiltless.errors import WriteError
from tiltless.files.atomic import write_text
from tiltless.games.holdem.actions import action_text

__all__ = ["FIRST_IN", "RUN", "RunStatus", "read_first_in", "read_run"]

RUN, FIRST_IN = "run.json", "first-in.jsonl"
_DIGITS = 3


class RunStatus:
    """Writes both files.  until: walks from which a run resumes; later lines are dropped."""

    def __init__(self, folder: Path, config: TrainingConfig, infosets: int, until: int) -> None:
        self.folder = folder
        self._about: dict[str, Any] = {
            "name": config.name,
            "game": dict(config.game),
            "infosets": infosets,
            "stop_walks": config.stop_walks,
            "stop_minutes": config.stop_minutes,
            "stop_flat": config.stop_flat,
            "checks": [],
            "ended": "",
        }
        self._lines = [row for row in read_first_in(folder) if row["walks"] <= until]
        self._write()
        self._write_lines()

    def look(self, checks: Sequence[LitmusCheck]) -> None:
        """The litmus checks as they are; nothing is written if they are as before."""
        found = [[check.text, bool(check.holds)] for check in checks]
        if found != self._about["checks"]:
            self._about["checks"] = found
            self._write()

    def checkpoint(self, walks: int, seconds: float, openings: Sequence[Opening]) -> None:
        """A checkpoint with what each player does first in."""
        players = [
            {
                "short": opening.short,
                "player": opening.player,
                "labels": [choice.label for choice in opening.choices],
                "actions": [action_text(choice.action) for choice in opening.choices],
                "chances": [[round(x, _DIGITS) for x in row] for row in opening.chances.tolist()],
            }
            for opening in openings
        ]
        self._lines.append({"walks": walks, "seconds": round(seconds, 1), "players": players})
        self._write_lines()

    def end(self, reason: str) -> None:
        """Why the run stopped."""
        self._about["ended"] = reason
        self._write()

    def _write(self) -> None:
        with suppress(WriteError):
            write_text(self.folder / RUN, json.dumps(self._about, default=str) + "\n")

    def _write_lines(self) -> None:
        with suppress(WriteError):
            text = "".join(json.dumps(line) + "\n" for line in self._lines)
            write_text(self.folder / FIRST_IN, text)


def read_run(folder: Path) -> dict[str, Any]:
    """``run.json``; empty if there is none that can be read."""
    try:
        found = json.loads((folder / RUN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def read_first_in(folder: Path) -> list[dict[str, Any]]:
    """The lines of ``first-in.jsonl`` that can be read."""
    rows = []
    with suppress(OSError, UnicodeDecodeError):
        for line in (folder / FIRST_IN).read_text(encoding="utf-8").splitlines():
            with suppress(ValueError):
                row = json.loads(line)
                if isinstance(row, dict) and isinstance(row.get("walks"), int):
                    rows.append(row)
    return rows
