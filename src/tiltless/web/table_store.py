"""Table store: tables, their finished hands and the sessions that own them, in one SQLite file.

A table is written after every request, so that a restart continues in the middle of a hand. The
file contains decks of unfinished hands and must stay on this machine; it is readable by its owner
only.
"""

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from tiltless.agents.agent import Agent
from tiltless.errors import DamagedFileError, ForeignFileError, WriteError
from tiltless.games.holdem.record import hand_line
from tiltless.web.table import TableChoice, WebTable

__all__ = ["TableStore"]

_APPLICATION = 0x546C7457  # "TltW"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS sessions (digest TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tables (
    id TEXT PRIMARY KEY, owner TEXT NOT NULL, choice TEXT NOT NULL, state TEXT NOT NULL,
    changed TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hands (
    game TEXT NOT NULL REFERENCES tables ON DELETE CASCADE, number INTEGER NOT NULL,
    line TEXT NOT NULL, PRIMARY KEY (game, number)) WITHOUT ROWID;
"""


class TableStore:
    """The file of all tables; one process, any number of threads."""

    def __init__(self, path: Path) -> None:
        self.path, self._lock = path, Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            new = not path.exists()
            self._file = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            if new:
                os.chmod(path, 0o600)
                self._file.execute(f"PRAGMA application_id = {_APPLICATION}")
            (mark,) = self._file.execute("PRAGMA application_id").fetchone()
            if mark != _APPLICATION:
                raise ForeignFileError(f"{path} is not a file of tables; choose another folder")
            self._file.execute("PRAGMA journal_mode = WAL")
            self._file.execute("PRAGMA synchronous = NORMAL")
            self._file.execute("PRAGMA foreign_keys = ON")
            self._file.executescript(_SCHEMA)
            rows = self._file.execute("SELECT digest FROM sessions")
            self._sessions = {digest for (digest,) in rows}
        except sqlite3.DatabaseError as problem:
            raise DamagedFileError(
                f"cannot read {path}: {problem}; move it away to start afresh"
            ) from problem
        except OSError as problem:
            raise WriteError(f"cannot write {path}: {problem}; choose another folder") from problem

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()

    def add_session(self, digest: str) -> None:
        """Remember a session by the digest of its secret."""
        with self._lock:
            self._file.execute("INSERT OR IGNORE INTO sessions VALUES (?)", (digest,))
            self._sessions.add(digest)

    def has_session(self, digest: str) -> bool:
        """Whether a session is known; from memory, as every request asks."""
        return digest in self._sessions

    def save(self, table: WebTable) -> None:
        """Write a table, and the hand that has just ended."""
        choice = table.choice
        words = {
            "game": choice.game,
            "parameters": choice.parameters,
            "opponents": choice.opponents,
            "position": choice.position,
        }
        state, ended = table.saved(), table.finished
        row = (table.number, table.session.hands, hand_line(ended)) if ended else None
        try:
            with self._lock, self._file:  # committed, or rolled back
                self._file.execute("BEGIN")
                self._file.execute(
                    "INSERT INTO tables (id, owner, choice, state) VALUES (?, ?, ?, ?)"
                    " ON CONFLICT (id)"
                    " DO UPDATE SET state = excluded.state, changed = CURRENT_TIMESTAMP",
                    (table.number, table.owner, json.dumps(words), state),
                )
                if row is not None:
                    self._file.execute("INSERT OR IGNORE INTO hands VALUES (?, ?, ?)", row)
        except sqlite3.OperationalError as problem:
            raise WriteError(
                f"cannot save the table: {problem}; free some disk space and try again"
            ) from problem

    def load(
        self, number: str, owner: str, make: Callable[[str], Agent] | None = None
    ) -> WebTable | None:
        """A table of an owner; None if there is none of that name.  make: see `TableSession`."""
        with self._lock:
            row = self._file.execute(
                "SELECT choice, state FROM tables WHERE id = ? AND owner = ?", (number, owner)
            ).fetchone()
        if row is None:
            return None
        words = json.loads(row[0])
        choice = TableChoice(
            words["game"], words["parameters"], tuple(words["opponents"]), words["position"]
        )
        return WebTable.restored(number, owner, choice, row[1], self.lines(number), make)

    def count(self, owner: str) -> int:
        """The number of an owner's tables."""
        with self._lock:
            found = self._file.execute("SELECT count(*) FROM tables WHERE owner = ?", (owner,))
            return int(found.fetchone()[0])

    def tables(self, owner: str) -> list[tuple[str, str, str]]:
        """(id, choice as JSON, time of the last change) of an owner's tables, newest first."""
        with self._lock:
            return self._file.execute(
                "SELECT id, choice, changed FROM tables WHERE owner = ? ORDER BY changed DESC, id",
                (owner,),
            ).fetchall()

    def lines(self, number: str) -> list[str]:
        """The lines of a table's finished hands, see `tiltless.games.holdem.record`."""
        with self._lock:
            rows = self._file.execute(
                "SELECT line FROM hands WHERE game = ? ORDER BY number", (number,)
            )
            return [line for (line,) in rows]

    def line(self, number: str, hand: int) -> str | None:
        """The line of one finished hand; None if there is none."""
        with self._lock:
            row = self._file.execute(
                "SELECT line FROM hands WHERE game = ? AND number = ?", (number, hand)
            ).fetchone()
        return None if row is None else str(row[0])

    def delete(self, number: str, owner: str) -> bool:
        """Forget a table; False if there is none of that name."""
        with self._lock:
            done = self._file.execute(
                "DELETE FROM tables WHERE id = ? AND owner = ?", (number, owner)
            )
            return done.rowcount > 0
