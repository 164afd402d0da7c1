"""Rows of the result store: scores and hands as SQL values, and back."""

import json
from typing import Any

from tiltless.arena.chunk import HandRow
from tiltless.arena.rulings import Fault
from tiltless.arena.stats.by_position import positions_from_json
from tiltless.arena.stats.decision_sources import Sources
from tiltless.arena.stats.hand_stats import HandStats
from tiltless.arena.stats.response_times import ResponseTimes
from tiltless.arena.stats.score import Faults, Score
from tiltless.intervals import Tally

__all__ = ["HAND_COLUMNS", "SUMS", "hand_from_row", "hand_row", "score_from_row", "score_row"]

SUMS = "units, won, squares, hands, stats, times, faults, sources, matches"
"""Columns of a score."""
HAND_COLUMNS = "deal, half, button, agents, payoffs, faults, line"


def score_row(match: int, chunk: int, agent: int, score: Score) -> tuple[Any, ...]:
    """The row of an agent's score in a chunk."""
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


def score_from_row(
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
    """A score from its columns `SUMS`, after its scores by position (JSON)."""
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


def hand_row(match: int, chunk: int, row: HandRow) -> tuple[Any, ...]:
    """The row of a hand."""
    agents, payoffs = ("|".join(map(str, each)) for each in (row.agents, row.payoffs))
    faults = json.dumps(row.faults) if row.faults else ""
    return match, row.deal, row.half, chunk, row.button, agents, payoffs, faults, row.line


def hand_from_row(
    deal: int, half: int, button: int, agents: str, payoffs: str, faults: str, line: str
) -> HandRow:
    """A hand from its columns `HAND_COLUMNS`."""
    return HandRow(
        deal,
        half,
        button,
        tuple(map(int, agents.split("|"))),
        tuple(map(int, payoffs.split("|"))),
        tuple(Fault(*fault) for fault in json.loads(faults or "[]")),
        line,
    )
