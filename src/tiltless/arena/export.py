"""Export of the hands of a match: CSV, Parquet (with pyarrow) and PHH.

One row is one hand: match, deal, half, button, seats (the number of the agent in each seat),
agent_1, agent_2 … (what each has won, in chips), faults, line. Parquet also has the plan, and the
sources of decisions by agent, as JSON in the metadata of its schema.
"""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from tiltless.arena.chunk import HandRow
from tiltless.arena.plan import MatchPlan
from tiltless.arena.store import MatchRecord, Store
from tiltless.errors import OptionError
from tiltless.files.atomic import atomic_write
from tiltless.games.holdem.phh import to_phh
from tiltless.games.holdem.record import HandRecord, parse_hand, record_hand

__all__ = ["export", "hand_record", "phh_text"]

_BATCH = 50_000


def export(store: Store, match: int, path: str | Path) -> int:
    """Write the hands of a match as .csv, .parquet or .phhs; how many there were."""
    out = Path(path)
    writers = {".csv": _write_csv, ".parquet": _write_parquet, ".phhs": _write_phh}
    if out.suffix not in writers:
        raise OptionError(f"{out} has no ending that is known; use {', '.join(writers)}")
    record = store.record(match)
    if store.done(match) and next(store.hands(match), None) is None:
        raise OptionError(f"match {match} was played with --no-hands; its hands were not kept")
    return writers[out.suffix](record, store.hands(match), out)


def _columns(plan: MatchPlan) -> list[str]:
    won = [f"agent_{number}" for number in range(1, len(plan.agents) + 1)]
    return ["match", "deal", "half", "button", "seats", *won, "faults", "line"]


def _cells(match: int, row: HandRow) -> list[Any]:
    faults = "; ".join(f"seat {f.seat} {f.kind}: {f.detail}" for f in row.faults)
    seats = "|".join(str(agent + 1) for agent in row.agents)
    return [match, row.deal, row.half, row.button, seats, *row.payoffs, faults, row.line]


def _write_csv(record: MatchRecord, rows: Iterator[HandRow], path: Path) -> int:
    count = 0
    with atomic_write(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(_columns(record.plan))
        for row in rows:
            writer.writerow(_cells(record.number, row))
            count += 1
        text.detach()
    return count


def _write_parquet(record: MatchRecord, rows: Iterator[HandRow], path: Path) -> int:
    arrow, parquet = _arrow("pyarrow"), _arrow("pyarrow.parquet")
    names = _columns(record.plan)
    kinds = [
        arrow.string() if name in ("seats", "faults", "line") else arrow.int64() for name in names
    ]
    sources = json.dumps([dict(score.sources.counts) for score in record.scores])
    about = {"plan": record.plan.to_json(), "sources": sources}
    schema = arrow.schema(list(zip(names, kinds, strict=True)), about)
    count = 0
    with atomic_write(path) as file, parquet.ParquetWriter(file, schema) as writer:
        while batch := list(islice(rows, _BATCH)):
            cells = zip(*(_cells(record.number, row) for row in batch), strict=True)
            columns = [list(column) for column in cells]
            writer.write_table(arrow.table(columns, schema=schema))
            count += len(batch)
    return count


def _arrow(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise OptionError(
            "Parquet is written by pyarrow; pip install 'tiltless[analysis]', or export .csv"
        ) from None


def _write_phh(record: MatchRecord, rows: Iterator[HandRow], path: Path) -> int:
    """Many hands in one file, each under its number: ``[1]``."""
    count = 0
    with atomic_write(path) as file:
        for row in rows:
            count += 1
            file.write(f"[{count}]\n{phh_text(record.plan, row)}\n".encode())
    return count


def hand_record(plan: MatchPlan, row: HandRow) -> HandRecord:
    """A hand that was kept, as a record with the agents' names."""
    record = parse_hand(row.line, plan.smaller_table(len(row.agents)))
    return record_hand(record.final, _names(plan.agents, row.agents), row.deal)


def _names(texts: Sequence[str], agents: Sequence[int]) -> tuple[str, ...]:
    """Names without the signs that lines and PHH use."""
    plain = str.maketrans({":": " ", "|": " ", "'": "", "\\": "/", "\n": " ", "\r": " "})
    return tuple(texts[agent].translate(plain) for agent in agents)


def phh_text(plan: MatchPlan, row: HandRow) -> str:
    """A hand that was kept, as PHH."""
    return to_phh(hand_record(plan, row))
