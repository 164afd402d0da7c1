"""Result store: matches and hands in one file (`tiltless.arena.results_file`).

A chunk of deals is one transaction: after a crash it is stored as a whole, with its hands and
scores, or not at all.
"""

import json
import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from tiltless._version import __version__
from tiltless.arena.chunk import Chunk, HandRow
from tiltless.arena.plan import MatchPlan
from tiltless.arena.results_file import POSITIONS, ResultsFile
from tiltless.arena.results_rows import (
    HAND_COLUMNS,
    SUMS,
    hand_from_row,
    hand_row,
    score_from_row,
    score_row,
)
from tiltless.arena.stats.by_position import positions_json
from tiltless.arena.stats.score import Score
from tiltless.errors import OptionError, TiltlessError

__all__ = ["DEFAULT_FILE", "MatchRecord", "Store"]

DEFAULT_FILE = "tiltless-results.sqlite"


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
        self._db = ResultsFile(self.path, create=create)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- writing ------------------------------------------------------------------------------

    def begin(self, plan: MatchPlan, fingerprints: Sequence[str] = ()) -> int:
        """Add a new match and return its number.  fingerprints: see `MatchPlan.fingerprints`."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._db.changes():
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
        rows = self._db.rows("SELECT number, plan, agents FROM matches ORDER BY number DESC")
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
            with self._db.changes():
                self._db.execute(
                    "UPDATE matches SET plan = ? WHERE number = ?",
                    (plan.with_deals(deals).to_json(), match),
                )

    def add(self, match: int, chunk: Chunk) -> bool:
        """Write a chunk; False, and no change, if it is already stored.

        A shorter chunk of the same number, the last one of a match that was extended, is replaced.
        """
        key = (match, chunk.number)
        with self._db.changes():
            stored = self._db.execute(
                "SELECT deals FROM chunks WHERE match = ? AND chunk = ?", key
            ).fetchone()
            if stored and stored[0] >= chunk.deals:
                return False
            self._db.execute("DELETE FROM chunks WHERE match = ? AND chunk = ?", key)
            self._db.execute("INSERT INTO chunks VALUES (?, ?, ?)", (*key, chunk.deals))
            self._db.executemany(
                f"INSERT INTO scores (match, chunk, agent, {SUMS}) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (score_row(*key, agent, score) for agent, score in enumerate(chunk.scores)),
            )
            if chunk.scores[0].positions:
                self._db.execute(POSITIONS)
                self._db.executemany(
                    "INSERT INTO positions VALUES (?, ?, ?, ?)",
                    (
                        (*key, agent, json.dumps(positions_json(score.positions)))
                        for agent, score in enumerate(chunk.scores)
                    ),
                )
            self._db.executemany(
                "INSERT INTO hands VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (hand_row(*key, row) for row in chunk.hands),
            )
        return True

    def remove(self, match: int) -> None:
        """Delete a match and its hands, even one whose plan cannot be read."""
        self._plan_text(match)
        with self._db.changes():
            self._db.execute("DELETE FROM matches WHERE number = ?", (match,))

    # --- reading ------------------------------------------------------------------------------

    def plan(self, match: int) -> MatchPlan:
        """The plan of a match."""
        return MatchPlan.from_json(self._plan_text(match))

    def _plan_text(self, match: int) -> str:
        rows = self._db.rows("SELECT plan FROM matches WHERE number = ?", match)
        if not rows:
            numbers = [number for (number,) in self._db.rows("SELECT number FROM matches")]
            have = f"it has {numbers[0]} to {numbers[-1]}" if numbers else "it has no matches yet"
            raise OptionError(f"{self.path} has no match {match}; {have}")
        return str(rows[0][0])

    def fingerprints(self, match: int) -> tuple[str, ...]:
        """Fingerprints of the agents of a match; empty for a match stored before they existed."""
        rows = self._db.rows("SELECT agents FROM matches WHERE number = ?", match)
        return tuple(json.loads(rows[0][0] or "[]")) if rows else ()

    def done(self, match: int) -> dict[int, int]:
        """The number of deals of each stored chunk, by chunk number."""
        rows = self._db.rows(
            "SELECT chunk, deals FROM chunks WHERE match = ? ORDER BY chunk", match
        )
        return dict(rows)

    def record(self, match: int) -> MatchRecord:
        """A match and its scores."""
        plan = self.plan(match)
        with self._db.snapshot():
            begun = self._db.rows("SELECT begun FROM matches WHERE number = ?", match)[0][0]
            deals = sum(self.done(match).values())
            scores = [Score()] * len(plan.agents)
            parts = self._parts(match)
        for _, agent, score in parts:
            scores[agent] = scores[agent].merge(score)
        return MatchRecord(match, plan, begun, deals, tuple(scores))

    def records(self) -> list[MatchRecord]:
        """Every match that can be read, oldest first."""
        bad = self.unreadable()
        rows = self._db.rows("SELECT number FROM matches ORDER BY number")
        return [self.record(number) for (number,) in rows if number not in bad]

    def unreadable(self) -> dict[int, str]:
        """Matches whose plans this program cannot read, with the reason."""
        bad = {}
        for number, text in self._db.rows("SELECT number, plan FROM matches ORDER BY number"):
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
        rows = self._db.rows(
            f"SELECT chunk, agent, {SUMS} FROM scores WHERE match = ? ORDER BY chunk, agent",
            match,
        )
        positions: dict[tuple[int, int], str] = {}
        if self._db.rows("SELECT 1 FROM sqlite_master WHERE name = 'positions'"):
            kept = self._db.rows(
                "SELECT chunk, agent, scores FROM positions WHERE match = ?", match
            )
            positions = {(chunk, agent): text for chunk, agent, text in kept}
        return [
            (chunk, agent, score_from_row(positions.get((chunk, agent), ""), *sums))
            for chunk, agent, *sums in rows
        ]

    def hands(self, match: int) -> Iterator[HandRow]:
        """Every stored hand, in the order of deals."""
        self.plan(match)
        with self._db.problems():
            for row in self._db.execute(
                f"SELECT {HAND_COLUMNS} FROM hands WHERE match = ? ORDER BY deal, half",
                (match,),
            ):
                yield hand_from_row(*row)

    def hand(self, match: int, deal: int, half: int) -> HandRow | None:
        """One hand; None if it was not stored."""
        rows = self._db.rows(
            f"SELECT {HAND_COLUMNS} FROM hands WHERE match = ? AND deal = ? AND half = ?",
            match,
            deal,
            half,
        )
        return hand_from_row(*rows[0]) if rows else None
