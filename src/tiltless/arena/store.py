"""Result store: matches and hands in one SQLite file.

A chunk of deals is one transaction: after a crash it is there as a whole, with its hands and sums,
or not at all. The file is in WAL mode, so results can be read while a match is played.

::

    matches   number, plan (JSON), begun (UTC), program, agents (JSON: their fingerprints)
    chunks    match, chunk, deals
    scores    match, chunk, agent: chips won (count, sum, squares of units), counts, times, faults,
              the first of them, sources of decisions (JSON)
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
_FORMAT = 3  # 2: fingerprints of agents; 3: sources of decisions
_PATIENCE = 60.0  # seconds to wait for another process that writes

_SUMS = "units, won, squares, hands, stats, times, faults, sources"

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
    sources TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (match, chunk, agent),
    FOREIGN KEY (match, chunk) REFERENCES chunks ON DELETE CASCADE) WITHOUT ROWID;
CREATE TABLE hands (
    match INTEGER NOT NULL, deal INTEGER NOT NULL, half INTEGER NOT NULL, chunk INTEGER NOT NULL,
    button INTEGER NOT NULL, agents TEXT NOT NULL, payoffs TEXT NOT NULL, faults TEXT NOT NULL,
    line TEXT NOT NULL, PRIMARY KEY (match, deal, half),
    FOREIGN KEY (match, chunk) REFERENCES chunks ON DELETE CASCADE) WITHOUT ROWID;
"""


class MatchRecord(NamedTuple):
    """A match as far as it was played.

    scores: by agent.  deals: how many were played of those planned.
    """

    number: int
    plan: MatchPlan
    begun: str
    deals: int
    scores: tuple[Score, ...]

    @property
    def is_over(self) -> bool:
        """Whether all of it was played."""
        return self.deals >= self.plan.deals

    @property
    def hands(self) -> int:
        """How many were played, all rotations counted."""
        return self.deals * self.plan.seatings


class Store:
    """A file of results; ``with Store(path) as store:`` closes it.

    create: make the file if it is not there; otherwise that is an error.
    """

    def __init__(self, path: str | os.PathLike[str] = DEFAULT_FILE, *, create: bool = True) -> None:
        self.path = Path(path)
        if not create and not self.path.exists():
            raise FileError(f"{self.path} is not there; play a match first, or name it with --db")
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
            raise ForeignFileError(f"{self.path} is a database of another program; name another")
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
        """Bring an older file to the present format."""
        if self._format() == _FORMAT:
            return
        with self._transaction():
            there = self._format()  # somebody else may have been quicker
            for made_by, table, column in ((2, "matches", "agents"), (3, "scores", "sources")):
                if there < made_by:
                    text = f"ALTER TABLE {table} ADD COLUMN {column} TEXT NOT NULL DEFAULT ''"
                    self._db.execute(text)
            self._db.execute(f"PRAGMA user_version = {max(there, _FORMAT)}")

    def _format(self) -> int:
        return int(self._db.execute("PRAGMA user_version").fetchone()[0])

    def close(self) -> None:
        """Give the file back."""
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
        """What SQLite says, as an error of ours."""
        try:
            yield
        except sqlite3.OperationalError as problem:
            raise WriteError(f"{self.path} cannot be used: {problem}") from problem
        except sqlite3.DatabaseError as problem:
            if "not a database" in str(problem):
                raise ForeignFileError(f"{self.path} is no file of results: {problem}") from problem
            raise DamagedFileError(f"{self.path}: {problem}") from problem

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All of it or nothing."""
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
        """Enter a new match; its number.  fingerprints: of the agents that play it."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._problems(), self._transaction():
            cursor = self._db.execute(
                "INSERT INTO matches (plan, begun, program, agents) VALUES (?, ?, ?, ?)",
                (plan.to_json(), now, f"tiltless {__version__}", json.dumps(list(fingerprints))),
            )
            return int(cursor.lastrowid or 0)

    def find(self, plan: MatchPlan, fingerprints: Sequence[str] | None = None) -> int | None:
        """The newest match that differs from a plan in the number of deals at most.

        fingerprints: of the agents; a match of others, or of unknown ones, is none.
        """
        wanted = plan.with_deals(plan.chunk).to_json()
        made = None if fingerprints is None else json.dumps(list(fingerprints))
        rows = self._rows("SELECT number, plan, agents FROM matches ORDER BY number DESC")
        for number, text, agents in rows:
            if made is not None and agents != made:
                continue
            try:
                there = MatchPlan.from_json(text)
            except TiltlessError:
                continue
            if there.with_deals(there.chunk).to_json() == wanted:
                return int(number)
        return None

    def lengthen(self, match: int, deals: int) -> None:
        """Plan more deals of a match; fewer than there are is left as it is."""
        plan = self.plan(match)
        if deals > plan.deals:
            with self._problems(), self._transaction():
                self._db.execute(
                    "UPDATE matches SET plan = ? WHERE number = ?",
                    (plan.with_deals(deals).to_json(), match),
                )

    def add(self, match: int, chunk: Chunk) -> bool:
        """Write a chunk; False if it was there already, in which case nothing changes.

        A shorter chunk of the same number, the last one of a match that was made longer, is
        replaced.
        """
        key = (match, chunk.number)
        with self._problems(), self._transaction():
            there = self._db.execute(
                "SELECT deals FROM chunks WHERE match = ? AND chunk = ?", key
            ).fetchone()
            if there and there[0] >= chunk.deals:
                return False
            self._db.execute("DELETE FROM chunks WHERE match = ? AND chunk = ?", key)
            self._db.execute("INSERT INTO chunks VALUES (?, ?, ?)", (*key, chunk.deals))
            self._db.executemany(
                f"INSERT INTO scores (match, chunk, agent, {_SUMS}) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (_score_row(*key, agent, score) for agent, score in enumerate(chunk.scores)),
            )
            self._db.executemany(
                "INSERT INTO hands VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (_hand_row(*key, row) for row in chunk.hands),
            )
        return True

    def remove(self, match: int) -> None:
        """Forget a match and its hands, also one that cannot be read."""
        self._plan_text(match)
        with self._problems(), self._transaction():
            self._db.execute("DELETE FROM matches WHERE number = ?", (match,))

    # --- reading ------------------------------------------------------------------------------

    def plan(self, match: int) -> MatchPlan:
        """What was to be played."""
        return MatchPlan.from_json(self._plan_text(match))

    def _plan_text(self, match: int) -> str:
        rows = self._rows("SELECT plan FROM matches WHERE number = ?", match)
        if not rows:
            known = [number for (number,) in self._rows("SELECT number FROM matches")]
            have = f"there are {known[0]} to {known[-1]}" if known else "there is none yet"
            raise OptionError(f"{self.path} has no match {match}; {have}")
        return str(rows[0][0])

    def fingerprints(self, match: int) -> tuple[str, ...]:
        """Of the agents that play a match; none where it is older than they are."""
        rows = self._rows("SELECT agents FROM matches WHERE number = ?", match)
        return tuple(json.loads(rows[0][0] or "[]")) if rows else ()

    def done(self, match: int) -> dict[int, int]:
        """Deals by chunk, of the chunks that are there."""
        rows = self._rows("SELECT chunk, deals FROM chunks WHERE match = ? ORDER BY chunk", match)
        return dict(rows)

    def record(self, match: int) -> MatchRecord:
        """A match and its sums."""
        plan = self.plan(match)
        with self._problems():
            self._db.execute("BEGIN")  # all of what follows as of one moment
            try:
                begun = self._rows("SELECT begun FROM matches WHERE number = ?", match)[0][0]
                deals = sum(self.done(match).values())
                scores = [Score()] * len(plan.agents)
                rows = self._rows(
                    f"SELECT agent, {_SUMS} FROM scores WHERE match = ? ORDER BY chunk, agent",
                    match,
                )
            finally:
                self._db.execute("COMMIT")
        for agent, *kept in rows:
            scores[agent] = scores[agent].merge(_score(*kept))
        return MatchRecord(match, plan, begun, deals, tuple(scores))

    def records(self) -> list[MatchRecord]:
        """Every match that can be read, the oldest first."""
        bad = self.unreadable()
        rows = self._rows("SELECT number FROM matches ORDER BY number")
        return [self.record(number) for (number,) in rows if number not in bad]

    def unreadable(self) -> dict[int, str]:
        """Matches with plans that this program cannot read, and why."""
        bad = {}
        for number, text in self._rows("SELECT number, plan FROM matches ORDER BY number"):
            try:
                MatchPlan.from_json(text)
            except TiltlessError as problem:
                bad[int(number)] = str(problem)
        return bad

    def by_chunk(self, match: int) -> Iterator[tuple[int, tuple[Score, ...]]]:
        """The sums of each chunk, in order: how a match went on."""
        agents = len(self.plan(match).agents)
        rows = self._rows(
            f"SELECT chunk, {_SUMS} FROM scores WHERE match = ? ORDER BY chunk, agent",
            match,
        )
        for place in range(0, len(rows), agents):
            scores = tuple(_score(*row[1:]) for row in rows[place : place + agents])
            yield rows[place][0], scores

    def hands(self, match: int) -> Iterator[HandRow]:
        """Every hand that was kept, in the order of deals."""
        self.plan(match)
        with self._problems():
            for row in self._db.execute(
                "SELECT deal, half, button, agents, payoffs, faults, line FROM hands "
                "WHERE match = ? ORDER BY deal, half",
                (match,),
            ):
                yield _hand(*row)

    def hand(self, match: int, deal: int, half: int) -> HandRow | None:
        """One hand, if it was kept."""
        rows = self._rows(
            "SELECT deal, half, button, agents, payoffs, faults, line FROM hands "
            "WHERE match = ? AND deal = ? AND half = ?",
            match,
            deal,
            half,
        )
        return _hand(*rows[0]) if rows else None


def _score_row(match: int, chunk: int, agent: int, score: Score) -> tuple[Any, ...]:
    won, hands, stats, times, faults, first_fault, sources = score
    return (
        match,
        chunk,
        agent,
        won.count,
        str(won.total),  # text, since squares of chips may have more than 64 bits
        str(won.squares),
        hands,
        json.dumps(stats._asdict()),
        json.dumps(times._asdict()),
        json.dumps({**faults._asdict(), "first": first_fault}),
        json.dumps(dict(sources.counts)) if sources.counts else "",
    )


def _score(
    units: int,
    won: str,
    squares: str,
    hands: int,
    stats: str,
    times: str,
    faults: str,
    sources: str,
) -> Score:
    spent, ruled = json.loads(times), json.loads(faults)
    first_fault = ruled.pop("first", "")
    counts = tuple((place, count) for place, count in spent["counts"])
    return Score(
        Tally(units, int(won), int(squares)),
        hands,
        HandStats(**json.loads(stats)),
        ResponseTimes(counts, spent["total"], spent["longest"]),
        Faults(**ruled),
        first_fault,
        Sources(tuple(json.loads(sources or "{}").items())),
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
