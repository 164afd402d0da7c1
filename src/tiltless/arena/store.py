"""Result store: matches and hands in one SQLite file.

A chunk of deals is one transaction: after a crash it is stored as a whole, with its hands and
scores, or not at all. The file is in WAL mode, so results can be read while a match is played.

::

    matches   number, plan (JSON), begun (UTC), program, agents (JSON: their fingerprints)
    chunks    match, chunk, deals
    scores    match, chunk, agent: chips won (count, sum and sum of squares over units), counts,
              times, faults with the first of them, sources of decisions (JSON), matches won (JSON)
    positions match, chunk, agent: scores by position (JSON); the table exists once a match of more
              than two seats is stored
    hands     match, deal, half: button, agents by seat, payoffs by agent, faults, line
"""

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from tiltless._version import __version__
from tiltless.arena.chunk import Chunk, HandRow
from tiltless.arena.plan import MatchPlan
from tiltless.arena.rulings import Fault
from tiltless.arena.stats.by_position import positions_from_json, positions_json
from tiltless.arena.stats.decision_sources import Sources
from tiltless.arena.stats.hand_stats import HandStats
from tiltless.arena.stats.response_times import ResponseTimes
from tiltless.arena.stats.score import Faults, Score
from tiltless.errors import (
    DamagedFileError,
    FileError,
    ForeignFileError,
    NewerFileError,
    OptionError,
    TiltlessError,
    WriteError,
)
from tiltless.intervals import Tally

__all__ = ["DEFAULT_FILE", "MatchRecord", "Store"]

DEFAULT_FILE = "tiltless-results.sqlite"
_APPLICATION = 0x546C7452  # "TltR"
_FORMAT = 4  # 2: fingerprints of agents; 3: sources of decisions; 4: matches won
_PATIENCE = 60.0  # seconds to wait for another process to finish writing

_SUMS = "units, won, squares, hands, stats, times, faults, sources, matches"

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

_POSITIONS = """
CREATE TABLE IF NOT EXISTS positions (
    match INTEGER NOT NULL, chunk INTEGER NOT NULL, agent INTEGER NOT NULL, scores TEXT NOT NULL,
    PRIMARY KEY (match, chunk, agent),
    FOREIGN KEY (match, chunk) REFERENCES chunks ON DELETE CASCADE) WITHOUT ROWID;
"""


class MatchRecord(NamedTuple):
    """A match, as far as it has been played.

    begun: when it began, UTC.  deals: deals played so far.  scores: by agent.
    """

    number: int
    plan: MatchPlan
    begun: str
    deals: int
    scores: tuple[Score, ...]

    @property
    def is_over(self) -> bool:
        """Whether all planned deals were played."""
        return self.deals >= self.plan.deals

    @property
    def hands(self) -> int:
        """Hands played so far, all rotations counted."""
        if self.plan.game_hands:  # some games ended early
            return self.scores[0].hands
        return self.deals * self.plan.seatings

    @property
    def matches(self) -> int:
        """Matches played so far, both halves counted; 0 unless they are the unit."""
        return self.hands // self.plan.match_hands if self.plan.match_hands else 0


class Store:
    """A file of results; ``with Store(path) as store:`` closes it.

    create: create the file if it does not exist; otherwise that is a `FileError`.
    """

    def __init__(self, path: str | os.PathLike[str] = DEFAULT_FILE, *, create: bool = True) -> None:
        self.path = Path(path)
        if not create and not self.path.exists():
            raise FileError(
                f"{self.path} does not exist; play a match first, or name another file with --db"
            )
        try:
            self._db = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None)
        except sqlite3.Error as problem:
            raise WriteError(f"{self.path} cannot be opened: {problem}") from problem
        try:
            with self._problems():
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

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextmanager
    def _problems(self) -> Iterator[None]:
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
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._problems():
            return self._db.execute(query, values).fetchall()

    # --- writing ------------------------------------------------------------------------------

    def begin(self, plan: MatchPlan, fingerprints: Sequence[str] = ()) -> int:
        """Add a new match and return its number.  fingerprints: see `MatchPlan.fingerprints`."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._problems(), self._transaction():
            cursor = self._db.execute(
                "INSERT INTO matches (plan, begun, program, agents) VALUES (?, ?, ?, ?)",
                (plan.to_json(), now, f"tiltless {__version__}", json.dumps(list(fingerprints))),
            )
            return int(cursor.lastrowid or 0)

    def find(self, plan: MatchPlan, fingerprints: Sequence[str] | None = None) -> int | None:
        """The newest match that has the same plan, except perhaps the number of deals.

        fingerprints: if given, only a match of agents with these fingerprints.
        """
        wanted = plan.with_deals(plan.chunk).to_json()
        versions = None if fingerprints is None else json.dumps(list(fingerprints))
        rows = self._rows("SELECT number, plan, agents FROM matches ORDER BY number DESC")
        for number, text, agents in rows:
            if versions is not None and agents != versions:
                continue
            try:
                stored = MatchPlan.from_json(text)
            except TiltlessError:
                continue
            if stored.with_deals(stored.chunk).to_json() == wanted:
                return int(number)
        return None

    def lengthen(self, match: int, deals: int) -> None:
        """Extend the plan of a match to ``deals`` deals; it is never shortened."""
        plan = self.plan(match)
        if deals > plan.deals:
            with self._problems(), self._transaction():
                self._db.execute(
                    "UPDATE matches SET plan = ? WHERE number = ?",
                    (plan.with_deals(deals).to_json(), match),
                )

    def add(self, match: int, chunk: Chunk) -> bool:
        """Write a chunk; False, and no change, if it is already stored.

        A shorter chunk of the same number, the last one of a match that was extended, is replaced.
        """
        key = (match, chunk.number)
        with self._problems(), self._transaction():
            stored = self._db.execute(
                "SELECT deals FROM chunks WHERE match = ? AND chunk = ?", key
            ).fetchone()
            if stored and stored[0] >= chunk.deals:
                return False
            self._db.execute("DELETE FROM chunks WHERE match = ? AND chunk = ?", key)
            self._db.execute("INSERT INTO chunks VALUES (?, ?, ?)", (*key, chunk.deals))
            self._db.executemany(
                f"INSERT INTO scores (match, chunk, agent, {_SUMS}) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (_score_row(*key, agent, score) for agent, score in enumerate(chunk.scores)),
            )
            if chunk.scores[0].positions:
                self._db.execute(_POSITIONS)
                self._db.executemany(
                    "INSERT INTO positions VALUES (?, ?, ?, ?)",
                    (
                        (*key, agent, json.dumps(positions_json(score.positions)))
                        for agent, score in enumerate(chunk.scores)
                    ),
                )
            self._db.executemany(
                "INSERT INTO hands VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (_hand_row(*key, row) for row in chunk.hands),
            )
        return True

    def remove(self, match: int) -> None:
        """Delete a match and its hands, even one whose plan cannot be read."""
        self._plan_text(match)
        with self._problems(), self._transaction():
            self._db.execute("DELETE FROM matches WHERE number = ?", (match,))

    # --- reading ------------------------------------------------------------------------------

    def plan(self, match: int) -> MatchPlan:
        """The plan of a match."""
        return MatchPlan.from_json(self._plan_text(match))

    def _plan_text(self, match: int) -> str:
        rows = self._rows("SELECT plan FROM matches WHERE number = ?", match)
        if not rows:
            numbers = [number for (number,) in self._rows("SELECT number FROM matches")]
            have = f"it has {numbers[0]} to {numbers[-1]}" if numbers else "it has no matches yet"
            raise OptionError(f"{self.path} has no match {match}; {have}")
        return str(rows[0][0])

    def fingerprints(self, match: int) -> tuple[str, ...]:
        """Fingerprints of the agents of a match; empty for a match stored before they existed."""
        rows = self._rows("SELECT agents FROM matches WHERE number = ?", match)
        return tuple(json.loads(rows[0][0] or "[]")) if rows else ()

    def done(self, match: int) -> dict[int, int]:
        """The number of deals of each stored chunk, by chunk number."""
        rows = self._rows("SELECT chunk, deals FROM chunks WHERE match = ? ORDER BY chunk", match)
        return dict(rows)

    def record(self, match: int) -> MatchRecord:
        """A match and its scores."""
        plan = self.plan(match)
        with self._problems():
            self._db.execute("BEGIN")  # one consistent snapshot
            try:
                begun = self._rows("SELECT begun FROM matches WHERE number = ?", match)[0][0]
                deals = sum(self.done(match).values())
                scores = [Score()] * len(plan.agents)
                parts = self._parts(match)
            finally:
                self._db.execute("COMMIT")
        for _, agent, score in parts:
            scores[agent] = scores[agent].merge(score)
        return MatchRecord(match, plan, begun, deals, tuple(scores))

    def records(self) -> list[MatchRecord]:
        """Every match that can be read, oldest first."""
        bad = self.unreadable()
        rows = self._rows("SELECT number FROM matches ORDER BY number")
        return [self.record(number) for (number,) in rows if number not in bad]

    def unreadable(self) -> dict[int, str]:
        """Matches whose plans this program cannot read, with the reason."""
        bad = {}
        for number, text in self._rows("SELECT number, plan FROM matches ORDER BY number"):
            try:
                MatchPlan.from_json(text)
            except TiltlessError as problem:
                bad[int(number)] = str(problem)
        return bad

    def by_chunk(self, match: int) -> Iterator[tuple[int, tuple[Score, ...]]]:
        """The number and the scores of each chunk, in order."""
        agents, parts = len(self.plan(match).agents), self._parts(match)
        for first in range(0, len(parts), agents):
            yield parts[first][0], tuple(part[2] for part in parts[first : first + agents])

    def _parts(self, match: int) -> list[tuple[int, int, Score]]:
        """The score of each agent in each chunk, as (chunk, agent, score), in order."""
        rows = self._rows(
            f"SELECT chunk, agent, {_SUMS} FROM scores WHERE match = ? ORDER BY chunk, agent",
            match,
        )
        positions: dict[tuple[int, int], str] = {}
        if self._rows("SELECT 1 FROM sqlite_master WHERE name = 'positions'"):
            kept = self._rows("SELECT chunk, agent, scores FROM positions WHERE match = ?", match)
            positions = {(chunk, agent): text for chunk, agent, text in kept}
        return [
            (chunk, agent, _score(positions.get((chunk, agent), ""), *sums))
            for chunk, agent, *sums in rows
        ]

    def hands(self, match: int) -> Iterator[HandRow]:
        """Every stored hand, in the order of deals."""
        self.plan(match)
        with self._problems():
            for row in self._db.execute(
                "SELECT deal, half, button, agents, payoffs, faults, line FROM hands "
                "WHERE match = ? ORDER BY deal, half",
                (match,),
            ):
                yield _hand(*row)

    def hand(self, match: int, deal: int, half: int) -> HandRow | None:
        """One hand; None if it was not stored."""
        rows = self._rows(
            "SELECT deal, half, button, agents, payoffs, faults, line FROM hands "
            "WHERE match = ? AND deal = ? AND half = ?",
            match,
            deal,
            half,
        )
        return _hand(*rows[0]) if rows else None


def _score_row(match: int, chunk: int, agent: int, score: Score) -> tuple[Any, ...]:
    won, hands, stats, times, faults, first_fault, sources, matches, _ = score
    return (
        match,
        chunk,
        agent,
        won.count,
        str(won.total),  # text, since sums of squares may exceed 64 bits
        str(won.squares),
        hands,
        json.dumps(stats._asdict()),
        json.dumps(times._asdict()),
        json.dumps({**faults._asdict(), "first": first_fault}),
        json.dumps(dict(sources.counts)) if sources.counts else "",
        json.dumps(matches) if matches.count else "",
    )


def _score(
    positions: str,
    units: int,
    won: str,
    squares: str,
    hands: int,
    stats: str,
    times: str,
    faults: str,
    sources: str,
    matches: str,
) -> Score:
    spent, ruled = json.loads(times), json.loads(faults)
    first_fault = ruled.pop("first", "")
    counts = tuple((each, count) for each, count in spent["counts"])
    return Score(
        Tally(units, int(won), int(squares)),
        hands,
        HandStats(**json.loads(stats)),
        ResponseTimes(counts, spent["total"], spent["longest"]),
        Faults(**ruled),
        first_fault,
        Sources(tuple(json.loads(sources or "{}").items())),
        Tally(*json.loads(matches or "[0, 0, 0]")),
        positions_from_json(json.loads(positions or "{}")),
    )


def _hand_row(match: int, chunk: int, row: HandRow) -> tuple[Any, ...]:
    agents, payoffs = ("|".join(map(str, each)) for each in (row.agents, row.payoffs))
    faults = json.dumps(row.faults) if row.faults else ""
    return match, row.deal, row.half, chunk, row.button, agents, payoffs, faults, row.line


def _hand(
    deal: int, half: int, button: int, agents: str, payoffs: str, faults: str, line: str
) -> HandRow:
    return HandRow(
        deal,
        half,
        button,
        tuple(map(int, agents.split("|"))),
        tuple(map(int, payoffs.split("|"))),
        tuple(Fault(*fault) for fault in json.loads(faults or "[]")),
        line,
    )
