"""Results files as JSON: matches, cross tables, the course of a match, and replays of deals.

A results file is the SQLite file that ``tiltless match`` and ``tiltless cross-table`` write. Hands
of a match between agents are over and nobody's secret, so a replay shows all cards.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from tiltless.arena.chunk import HandRow
from tiltless.arena.cross_table import CrossTable, short_name
from tiltless.arena.export import hand_record
from tiltless.arena.lineup import copies
from tiltless.arena.plan import MatchPlan
from tiltless.arena.record_text import record_facts, record_verdict
from tiltless.arena.stats.score import Score, unit_factor
from tiltless.arena.store import MatchRecord, Store
from tiltless.arena.table.narration import narration
from tiltless.cards.card import card_text
from tiltless.games.holdem.events import Acted, BoardCards, HoleCards, RanksDrawn
from tiltless.games.holdem.record import HandRecord
from tiltless.games.holdem.state import HoldemState
from tiltless.intervals import Interval
from tiltless.web.answers.grid import number
from tiltless.web.answers.table import line_json
from tiltless.web.found_files import listing

__all__ = ["cross_tables", "match_json", "matches_json", "replay_json", "results_files"]

UNIT = "bb/100"
_MAGIC = b"SQLite format 3\x00"
_MARK = 0x546C7452  # "TltR", see `tiltless.arena.store`
_SWINGS, _LOOKED_AT = 100, 100_000
_COURSE = 500


def results_files(root: Path) -> dict[str, Path]:
    """Results files below a folder, by name."""
    return listing(root, _is_results)


def _is_results(path: Path) -> bool:
    if path.suffix not in (".sqlite", ".db") or not path.is_file():
        return False
    try:
        with open(path, "rb") as file:
            head = file.read(72)
    except OSError:
        return False
    return head.startswith(_MAGIC) and int.from_bytes(head[68:72], "big") == _MARK


def _interval(found: Interval | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "mean": number(found.mean, 2),
        "low": number(found.low, 2),
        "high": number(found.high, 2),
    }


def matches_json(store: Store) -> dict[str, Any]:
    """All matches with the result of the first agent, and the cross tables they make."""
    records = store.records()
    rows = [
        {
            "number": record.number,
            "title": record.plan.title,
            "agents": [short_name(agent) for agent in record.plan.agents],
            "game": record.plan.game_text,
            "hands": record.hands,
            "planned": record.plan.hands,
            "over": record.is_over,
            "begun": record.begun[:16].replace("T", " "),
            "won": _interval(_won(record)) if record.hands else None,
        }
        for record in records
    ]
    return {"unit": UNIT, "matches": rows[::-1], "tables": list(cross_tables(records))}


def _won(record: MatchRecord) -> Interval:
    return record.scores[0].interval(unit_factor(UNIT, record.plan.table.rules))


def cross_tables(records: Sequence[MatchRecord]) -> Iterator[dict[str, Any]]:
    """A table for each group of matches of the same game that has three agents or more.

    Of two matches of the same pair the newer one counts; a pair without a match is None.
    """
    groups: dict[str, dict[tuple[str, str], MatchRecord]] = {}
    for record in records:
        agents = record.plan.agents
        if record.hands and (len(agents) == 2 or copies(agents)):
            pairs = groups.setdefault(f"{record.plan.game_text}, {len(agents)} seats", {})
            if len(agents) == 2:
                pairs.pop((agents[1], agents[0]), None)
            pairs[agents[0], agents[1]] = record
    for game, pairs in groups.items():
        agents = tuple(dict.fromkeys(agent for pair in pairs for agent in pair))
        if len(agents) >= 3:
            yield {"game": game, **_table(agents, pairs)}


def _table(agents: tuple[str, ...], pairs: dict[tuple[str, str], MatchRecord]) -> dict[str, Any]:
    at = {agent: row for row, agent in enumerate(agents)}
    matches = {(at[one], at[two]): record for (one, two), record in pairs.items()}
    table = CrossTable(agents, matches, UNIT)
    both = table.seats == 2
    size = range(len(agents))

    def played(row: int, column: int) -> bool:
        return (row, column) in matches or (both and (column, row) in matches)

    means = {}
    for row in size:
        cells = [table.cell(row, column) for column in size if played(row, column)]
        values = [cell.mean for cell in cells if cell is not None]
        means[row] = sum(values) / len(values) if values else 0.0
    order = sorted(size, key=lambda row: -means[row])
    names = table.names
    return {
        "unit": table.cell_unit,
        "what": table.what,
        "hands": table.hands,
        "rows": [
            {
                "agent": names[row],
                "mean": _interval(table.standing(row).mean)
                if all(played(row, column) for column in size if column != row)
                else None,
                "cells": [_cell(table, matches, row, column) for column in order],
            }
            for row in order
        ],
    }


def _cell(
    table: CrossTable, matches: dict[tuple[int, int], MatchRecord], row: int, column: int
) -> dict[str, Any] | None:
    record = matches.get((row, column)) or (
        matches.get((column, row)) if table.seats == 2 else None
    )
    if record is None:
        return None
    found = _interval(table.cell(row, column))
    assert found is not None
    return {**found, "sign": table.sign(row, column), "match": record.number}


def match_json(store: Store, match: int) -> dict[str, Any]:
    """A match: the facts of its agents, the course of the result, and the deals that swung most."""
    record = store.record(match)
    plan = record.plan
    factor = unit_factor(UNIT, plan.table.rules)
    return {
        **record_facts(record, UNIT),
        "number": match,
        "unit": UNIT,
        "title": plan.title,
        "names": [short_name(agent) for agent in plan.agents],
        "game": plan.game_text,
        "hands": record.hands,
        "planned": plan.hands,
        "begun": record.begun[:16].replace("T", " "),
        "verdict": record_verdict(record, UNIT) if record.hands else "",
        "course": _course(store, match, factor),
        "deals": _swings(store, record),
    }


def _course(store: Store, match: int, factor: float) -> list[list[float | None]]:
    """(hands, mean, low, high) of the first agent after each chunk, at most about 500 points."""
    so_far, points = Score(), []
    for _, scores in store.by_chunk(match):
        so_far = so_far.merge(scores[0])
        mean, low, high = so_far.interval(factor)
        points.append([so_far.hands, number(mean, 2), number(low, 2), number(high, 2)])
    step = len(points) // _COURSE + 1
    return [*points[:-1][::step], *points[-1:]]


def _swings(store: Store, record: MatchRecord) -> list[dict[str, Any]]:
    """The deals in which all halves together won or lost the first agent most.

    Of a long match only the first hands are looked at.
    """
    unit = record.plan.table.rules.big_blind
    sums: dict[int, list[int]] = {}
    for row in islice(store.hands(record.number), _LOOKED_AT):
        sums.setdefault(row.deal, []).append(row.payoffs[0])
    worst = sorted(sums.items(), key=lambda item: -abs(sum(item[1])))[:_SWINGS]
    return [
        {"deal": deal, "won": number(sum(halves) / unit, 1), "halves": [h / unit for h in halves]}
        for deal, halves in worst
    ]


def replay_json(store: Store, match: int, deal: int) -> list[dict[str, Any]]:
    """Every stored half of a deal, step by step; empty if none was stored."""
    plan = store.plan(match)
    rows = (store.hand(match, deal, half) for half in range(plan.seatings))
    return [_half(plan, row) for row in rows if row is not None]


def _half(plan: MatchPlan, row: HandRow) -> dict[str, Any]:
    record = hand_record(plan, row)
    rules, names = record.game.rules, [short_name(plan.agents[agent]) for agent in row.agents]
    final = record.final
    return {
        "half": row.half,
        "deals": plan.deals,
        "names": names,
        "agents": list(row.agents),
        "button": row.button,
        "big_blind": rules.big_blind,
        "cards": [[card_text(card) for card in hand] for hand in final.hole],
        "payoffs": list(final.payoffs),
        "faults": [f"{names[fault.seat]} {fault.kind}: {fault.detail}" for fault in row.faults],
        "steps": list(_steps(record, names)),
        "log": [line_json(line) for line in narration(final.view(0)._replace(seat=-1), names)],
    }


def _steps(record: HandRecord, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The table after each action and each street; the first is before anybody has acted."""
    state = record.game.start(record.button, record.stacks)
    begun = False
    for event in record.events:
        if isinstance(event, HoleCards | BoardCards):
            move: Any = event.cards
        elif isinstance(event, Acted):
            move = event.action
        elif isinstance(event, RanksDrawn):
            move = event.ranks
        else:
            continue
        if isinstance(event, Acted | BoardCards) and not begun:
            begun = True
            yield _step(state, "Cards are dealt")
        state = state.apply(move)
        if isinstance(event, BoardCards):
            yield _step(state, event.street.capitalize())
        elif isinstance(event, Acted):
            view = state.view(0)._replace(seat=-1)
            lines = [line for line in narration(view, names) if line.kind == "action"]
            yield _step(state, str(lines[-1].parts[0]), event.seat)


def _step(state: HoldemState, text: str, seat: int = -1) -> dict[str, Any]:
    view = state.view(0)
    return {
        "text": text,
        "seat": seat,
        "board": [card_text(card) for card in view.board],
        "pot": view.pot,
        "stacks": list(view.stacks),
        "bets": list(view.bets),
        "live": [each in view.live for each in range(len(view.stacks))],
    }
