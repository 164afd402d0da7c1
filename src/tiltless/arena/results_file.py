"""The SQLite file of results: opened, created, brought to the current format.

::

    matches   number, plan (JSON), begun (UTC), program, agents (JSON: their fingerprints)
    chunks    match, chunk, deals
    scores    match, chunk, agent: chips won (count, sum and sum of squares over units), counts,
              times, faults with the first of them, sources of decisions (JSON), matches won (JSON)
    positions match, chunk, agent: scores by position (JSON); the table exists once a match of more
              than two seats is stored
    hands     match, deal, half: button, agents by seat, payoffs by agent, faults, line

The file is in WAL mode, so results can be read while a match is played.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tiltless.errors import (
    DamagedFileError,
    FileError,
    ForeignFileError,
    NewerFileError,
    WriteError,
)
from tiltless.files.writable import check_writable

__all__ = ["POSITIONS", "ResultsFile"]

_APPLICATION = 0x546C7452  # "TltR"
_FORMAT = 4  # 2: fingerprints of agents; 3: sources of decisions; 4: matches won
_PATIENCE = 60.0  # seconds to wait for another process to finish writing

_ADDED = ((2, "matches", "agents"), (3, "scores", "sources"), (4, "scores", "matches"))
"""Columns that older files do not have, and the format since which they exist."""

_SCHEMA = """
CREATE TABLE matches (
    number INTEGER PRIMARY KEY, plan TEXT NOT NULL, begun TEXT NOT NULL, program TEXT NOT NULL,
    agents TEXT NOT NULL DEFAULT '');
CREATE TABLE chunks (
    match INTEGER NOT NULL REFERENCES matches ON DELETE CASCADE, chunk INTEGER NOT NULL,
    deals INTEGER NOT NULL, PRIMARY KEY (match, chunk)) WITHOUT ROWID;
CREATE TABLE scores (
    match INTEGER NOT NULL, chunk INTEGER NOT NULL, agent INTEGER NOT NULL,
    units INTEGER NOT NULL, won TEXT NOT NULL, squares TEXT NOT NULL, hands INTEGER NOT NULL,
    stats TEXT NOT NULL, times TEXT NOT NULL, faults TEXT NOT NULL,
    sources TEXT NOT NULL DEFAULT '', matches TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (match, chunk, agent),
    FOREIGN KEY (match, chunk) REFERENCES chunks ON DELETE CASCADE) WITHOUT ROWID;
CREATE TABLE hands (
    match INTEGER NOT NULL, deal INTEGER NOT NULL, half INTEGER NOT NULL, chunk INTEGER NOT NULL,
    button INTEGER NOT NULL, agents TEXT NOT NULL, payoffs TEXT NOT NULL, faults TEXT NOT NULL,
    line TEXT NOT NULL, PRIMARY KEY (match, deal, half),
    FOREIGN KEY (match, chunk) REFERENCES chunks ON DELETE CASCADE) WITHOUT ROWID;
"""

POSITIONS = """
CREATE TABLE IF NOT EXISTS positions (
    match INTEGER NOT NULL, chunk INTEGER NOT NULL, agent INTEGER NOT NULL, scores TEXT NOT NULL,
    PRIMARY KEY (match, chunk, agent),
    FOREIGN KEY (match, chunk) REFERENCES chunks ON DELETE CASCADE) WITHOUT ROWID;
"""


class ResultsFile:
    """An open file of results.

    create: create the file if it does not exist; otherwise that is a `FileError`.
    """

    def __init__(self, path: Path, *, create: bool) -> None:
        self.path = path
        if not create and not path.exists():
            raise FileError(
                f"{path} does not exist; play a match first, or name another file with --db"
            )
        try:
            self._db = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
        except sqlite3.Error as problem:
            check_writable(path)  # which says more
            raise WriteError(f"cannot open {path}: {problem}; choose another file") from problem
        try:
            with self.problems():
                self._prepare()
        except BaseException:
            self._db.close()
            raise

    def _prepare(self) -> None:
        db = self._db
        application = db.execute("PRAGMA application_id").fetchone()[0]
        tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables and application != _APPLICATION:
            raise ForeignFileError(
                f"{self.path} is a database of another program; choose another file"
            )
        if self._format() > _FORMAT:
            raise NewerFileError(f"{self.path} was written by a newer tiltless; update this one")
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("PRAGMA synchronous = NORMAL")
        if tables:
            self._update()
            return
        db.execute("PRAGMA journal_mode = WAL")
        with self._transaction():
            if not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                for statement in filter(str.strip, _SCHEMA.split(";")):
                    db.execute(statement)
                db.execute(f"PRAGMA application_id = {_APPLICATION}")
                db.execute(f"PRAGMA user_version = {_FORMAT}")

    def _update(self) -> None:
        """Bring an older file to the current format."""
        if self._format() == _FORMAT:
            return
        with self._transaction():
            version = self._format()  # another process may have updated it meanwhile
            for since, table, column in _ADDED:
                if version < since:
                    text = f"ALTER TABLE {table} ADD COLUMN {column} TEXT NOT NULL DEFAULT ''"
                    self._db.execute(text)
            self._db.execute(f"PRAGMA user_version = {max(version, _FORMAT)}")

    def _format(self) -> int:
        return int(self._db.execute("PRAGMA user_version").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def problems(self) -> Iterator[None]:
        """Turn SQLite's errors into ours."""
        try:
            yield
        except sqlite3.OperationalError as problem:
            raise WriteError(f"{self.path} cannot be used: {problem}") from problem
        except sqlite3.DatabaseError as problem:
            if "not a database" in str(problem):
                raise ForeignFileError(
                    f"{self.path} is not a results file: {problem}; choose another file"
                ) from problem
            raise DamagedFileError(f"{self.path}: {problem}") from problem

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Commit everything, or roll back on any exception."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:  # SQLite rolls back by itself if the disk is full
                self._db.execute("ROLLBACK")
            raise

    @contextmanager
    def changes(self) -> Iterator[None]:
        """A transaction with our errors."""
        with self.problems(), self._transaction():
            yield

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Queries that all see the same state of the file."""
        with self.problems():
            self._db.execute("BEGIN")
            try:
                yield
            finally:
                self._db.execute("COMMIT")

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with self.problems():
            return self._db.execute(query, values).fetchall()

    def execute(self, statement: str, values: tuple[Any, ...] = ()) -> sqlite3.Cursor:
        """One statement, within `problems` or `changes`."""
        return self._db.execute(statement, values)

    def executemany(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """The same statement with each of several rows of values."""
        self._db.executemany(statement, rows)
