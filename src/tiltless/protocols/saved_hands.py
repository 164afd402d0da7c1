"""The hands of a session at another program's table, written to a file of hands.

While a match is played only what was seen is kept, because its clock may be running; hands become
records, PHH or lines of text (`tiltless.arena.table.hand_file`), when the session ends, however it
ends, or after every ``every`` hands. Cards that were never shown stay unknown.
"""

import os
from collections.abc import Mapping
from types import TracebackType
from typing import NamedTuple

from tiltless.arena.table.hand_file import HandFile
from tiltless.errors import TiltlessError
from tiltless.files.writable import check_writable
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.record import HandRecord, plain_name, record_view
from tiltless.games.holdem.view import View

__all__ = ["SavedHands", "player_names"]


class _Seen(NamedTuple):
    game: Holdem
    view: View
    cards: Mapping[int, tuple[int, ...]]


class SavedHands:
    """A file that the hands of a session are added to; a context manager that writes at its end.

    path: None to keep nothing.  agent: the name of our player.  every: hands after which the file
    is written; 0 for the end only.  written: number of hands.  problems: one line for each hand
    that could not be recorded.
    """

    def __init__(
        self, path: str | os.PathLike[str] | None, agent: str = "tiltless", every: int = 0
    ) -> None:
        self._file = None
        if path is not None:
            check_writable(path)  # not at the end of a session
            self._file = HandFile(path)
        self._agent, self._every = agent, every
        self._seen: list[_Seen] = []
        self._number = 0
        self.written = 0
        self.problems: list[str] = []

    def keep(
        self, game: Holdem, view: View, cards: Mapping[int, tuple[int, ...]] | None = None
    ) -> None:
        """Keep a hand that is over; cards: hole cards that are known and were not shown."""
        if self._file is None:
            return
        self._seen.append(_Seen(game, view, cards or {}))
        if self._every and len(self._seen) >= self._every:
            self.write()

    def write(self) -> None:
        """Write what was kept; `WriteError` if that fails."""
        records = []
        for seen in self._seen:
            self._number += 1
            try:
                records.append(self._record(seen))
            except TiltlessError as problem:
                self.problems.append(f"hand {self._number} was not saved: {problem}")
        self._seen.clear()
        if self._file is not None and records:
            self._file.extend(records)
            self.written += len(records)

    def _record(self, seen: _Seen) -> HandRecord:
        names = player_names(self._agent, seen.view.seat, seen.game.players)
        return record_view(seen.view, seen.game, names, self._number, seen.cards)

    def __enter__(self) -> "SavedHands":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.write()


def player_names(agent: str, seat: int, seats: int) -> tuple[str, ...]:
    """Our player's name and those of the others, without characters that hand files reserve."""
    others = iter(["opponent", *(f"opponent {number}" for number in range(2, seats))])
    own = plain_name(agent)[:60] or "tiltless"
    return tuple(own if each == seat else next(others) for each in range(seats))
