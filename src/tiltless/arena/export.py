"""Export of the hands of a match: CSV, JSON lines, Parquet (with pyarrow) and PHH.

One row is one hand: match, deal, half, button, seats (the number of the agent in each seat),
agent_1, agent_2 … (chips won by each), faults, line. Parquet files also have the plan, and the
sources of decisions by agent, as JSON in the metadata of the schema.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tiltless.arena.chunk import HandRow
from tiltless.arena.plan import MatchPlan
from tiltless.arena.store import MatchRecord, Store
from tiltless.errors import OptionError
from tiltless.files.atomic import atomic_write
from tiltless.files.tables import TABLES, check_format, write_table
from tiltless.games.holdem.phh import to_phh
from tiltless.games.holdem.record import HandRecord, parse_hand, plain_name, record_hand

__all__ = ["FORMATS", "export", "hand_record", "phh_text"]

FORMATS = (*TABLES, ".phhs")
"""Supported file name endings."""


def export(
    store: Store, match: int, path: str | Path, progress: Callable[[int], object] = lambda _: None
) -> int:
    """Write the hands of a match to a file and return their number.

    path: must have an ending of `FORMATS`.  progress: called now and then with the hands so far.
    """
    ending = check_format(path, FORMATS)
    record, rows = store.record(match), store.hands(match)
    if store.done(match) and next(store.hands(match), None) is None:
        raise OptionError(f"match {match} was played with --no-hands; its hands were not kept")
    if ending == ".phhs":
        return _write_phh(record, rows, Path(path))
    sources = json.dumps([dict(score.sources.counts) for score in record.scores])
    about = {"plan": record.plan.to_json(), "sources": sources}
    cells = (_cells(match, row) for row in rows)
    return write_table(path, _columns(record.plan), cells, about=about, progress=progress)


def _columns(plan: MatchPlan) -> dict[str, str]:
    won = [f"agent_{number}" for number in range(1, len(plan.agents) + 1)]
    names = ("match", "deal", "half", "button", "seats", *won, "faults", "line")
    return {name: "string" if name in ("seats", "faults", "line") else "int64" for name in names}


def _cells(match: int, row: HandRow) -> list[Any]:
    faults = "; ".join(f"seat {f.seat} {f.kind}: {f.detail}" for f in row.faults)
    seats = "|".join(str(agent + 1) for agent in row.agents)
    return [match, row.deal, row.half, row.button, seats, *row.payoffs, faults, row.line]


def _write_phh(record: MatchRecord, rows: Iterator[HandRow], path: Path) -> int:
    """Write all hands to one file, each in a numbered table: ``[1]``."""
    count = 0
    with atomic_write(path) as file:
        for row in rows:
            count += 1
            file.write(f"[{count}]\n{phh_text(record.plan, row)}\n".encode())
    return count


def hand_record(plan: MatchPlan, row: HandRow) -> HandRecord:
    """A stored hand as a record with the agents' names."""
    record = parse_hand(row.line, plan.smaller_table(len(row.agents)))
    names = tuple(plain_name(plan.agents[agent]) for agent in row.agents)
    return record_hand(record.final, names, row.deal)


def phh_text(plan: MatchPlan, row: HandRow) -> str:
    """A stored hand as PHH."""
    return to_phh(hand_record(plan, row))
