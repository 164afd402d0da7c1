"""Rehearsals: a few hands in which an agent needs everything that it will need in a match.

A rehearsal has two uses. When a bot is built it compiles the kernels that this agent calls, and no
others, so that no match waits for them. When it is packed it tells which files the agent reads:
models, tables, modules of the user.
"""

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tiltless.agents.registry import make_agent
from tiltless.protocols.mit.agent_player import AgentPlayer
from tiltless.protocols.mit.engine import play_match
from tiltless.protocols.mit.year_file import load_year

__all__ = ["OPPONENTS", "files_read", "main", "rehearse"]

OPPONENTS = ("fish", "uniform", "all-in")
"""They see every street, raise by odd amounts, and go all-in.

The one that comes to showdowns is first: on a slow machine time may end before the last."""
_HANDS = 40
_CLOCK = 300.0


class _EnoughError(Exception):
    """The time of a rehearsal is over."""


def rehearse(year: str | int, agent: str, hands: int = _HANDS, seconds: float = 60.0) -> int:
    """Play hands against each of `OPPONENTS`; returns how many were played.

    year: as for `load_year`.  agent: its text, which may name the user's code.
    seconds: after which no new hand begins.
    """
    rules, stop = load_year(year), time.monotonic() + seconds
    played = 0

    def progress(number: int, bankroll: int) -> None:
        nonlocal played
        played += 1
        if time.monotonic() > stop:
            raise _EnoughError

    try:
        for seed, other in enumerate(OPPONENTS):
            players = [
                AgentPlayer(make_agent(text, trusted=True), name, rules)
                for name, text in zip("AB", (agent, other), strict=True)
            ]
            play_match(rules, players, hands=hands, clock=_CLOCK, seed=seed, progress=progress)
    except _EnoughError:
        pass
    return played


def files_read(year: str | int, agent: str, seconds: float = 60.0) -> tuple[Path, ...]:
    """The files that a rehearsal opens for reading, and those of the modules that it imports.

    It cannot be undone for this process (`sys.addaudithook`), so call it in one of its own.
    """
    seen: dict[Path, None] = {}

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
            seen.setdefault(Path(os.path.abspath(os.fsdecode(arguments[0]))))

    sys.addaudithook(hook)
    rehearse(year, agent, seconds=seconds)
    for module in tuple(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str):
            seen.setdefault(Path(os.path.abspath(file)))
    return tuple(path for path in seen if path.is_file() and not _describes_a_package(path))


def _describes_a_package(path: Path) -> bool:
    """Whether a file is what pip notes about a package, which programs read when they start."""
    return path.parent.suffix in (".egg-info", ".dist-info")


def main(arguments: Sequence[str]) -> None:
    """``YEAR AGENT SECONDS``: print the files that the agent reads, one per line."""
    year, agent, seconds = arguments
    for path in files_read(year, agent, float(seconds)):
        print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
