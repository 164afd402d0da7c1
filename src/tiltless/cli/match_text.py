"""Results in words and tables, for the terminal."""

import math
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from tiltless.arena.cross_table import CrossTable
from tiltless.arena.intervals import Interval
from tiltless.arena.pictures import cell_text
from tiltless.arena.report import STATS, stats_row, times_row
from tiltless.arena.score import Score, unit_factor
from tiltless.arena.store import MatchRecord

__all__ = ["print_cross_table", "print_record", "record_facts", "verdict"]


def record_facts(record: MatchRecord, unit: str) -> dict[str, Any]:
    """A match as JSON."""
    plan = record.plan
    factor = unit_factor(unit, plan.table.rules)
    agents = []
    for text, score in zip(plan.agents, record.scores, strict=True):
        mean, low, high = (_finite(each) for each in score.interval(factor))
        stats, times = score.stats, score.times
        agents.append(
            {
                "agent": text,
                "mean": mean,
                "interval": [low, high],
                "vpip": _finite(stats.vpip),
                "pfr": _finite(stats.pfr),
                "three_bet": _finite(stats.three_bet),
                "aggression": _finite(stats.aggression),
                "went_to_showdown": _finite(stats.went_to_showdown),
                "won_at_showdown": _finite(stats.won_at_showdown),
                "seconds": {str(each): times.percentile(each) for each in (50, 95, 99)},
                "faults": score.faults._asdict(),
            }
        )
    return {
        "match": record.number,
        "game": plan.game,
        "parameters": dict(plan.parameters),
        "seed": plan.seed,
        "mirrored": plan.mirrored,
        "carry": plan.carry,
        "deals": record.deals,
        "hands": record.hands,
        "unit": unit,
        "agents": agents,
    }


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def verdict(name: str, result: Interval) -> str:
    """Whether somebody is ahead, as a sentence."""
    if result.low > 0:
        return f"{name} wins: zero is outside of the interval."
    if result.high < 0:
        return f"{name} loses: zero is outside of the interval."
    if result.low == result.high == 0:
        return "Exactly even."
    return "Too close to call: zero is inside of the interval. More hands make it narrower."


def print_record(console: Console, record: MatchRecord, unit: str) -> None:
    """A match: the result, the stats that players know, the times."""
    plan = record.plan
    factor = unit_factor(unit, plan.table.rules)
    kind = "mirrored" if plan.mirrored else "not mirrored"
    stacks = ", stacks carried on" if plan.carry else ""
    done = "" if record.is_over else f" of {plan.hands:,} planned"
    console.print(
        f"match {record.number}: {plan.title}, {plan.game_text}, {record.hands:,} hands{done} "
        f"({record.deals:,} deals, {kind}{stacks}), seed {plan.seed}",
        markup=False,
        soft_wrap=True,
    )
    if not record.hands:
        return
    table = Table("", f"won, {unit}", "95 % from", "to")
    for text, score in zip(plan.agents, record.scores, strict=True):
        result = score.interval(factor)
        ends = [f"{end:+,.1f}" if math.isfinite(end) else "?" for end in result[1:]]
        table.add_row(Text(text), f"{result.mean:+,.1f}", *ends)
    console.print(table)
    if len(plan.agents) == 2:
        console.print(verdict(plan.agents[0], record.scores[0].interval(factor)), markup=False)
    _print_play(console, plan.agents, record.scores)


def _print_play(console: Console, names: Sequence[str], scores: Sequence[Score]) -> None:
    """Stats, then times; rulings where there were any."""
    stats = Table("how they played", *(name for name, _ in STATS[1:]))
    ruled = any(any(score.faults) for score in scores)
    times = Table("time of a decision", "50 %", "95 %", "99 %", "longest")
    if ruled:
        times.add_column("rulings")
    for name, score in zip(names, scores, strict=True):
        stats.add_row(Text(name), *stats_row(score)[1:])
        rulings = [str(score.faults) or "none"] if ruled else []
        times.add_row(Text(name), *times_row(score), *rulings)
    console.print(stats)
    console.print(times)


def print_cross_table(console: Console, table: CrossTable) -> None:
    """The table, the best agent on top; then stats and times."""
    table = table.sorted()
    heads = map(escape, table.names)
    shown = Table("", *heads, "mean", title=f"won by the row from the column, {table.unit}, ± 95 %")
    for row, agent in enumerate(table.names):
        cells = [table.cell(row, column) for column in range(len(table.agents))]
        shown.add_row(Text(agent), *map(_cell, cells), _cell(table.standing(row).mean))
    console.print(shown)
    scores = [table.score(row) for row in range(len(table.agents))]
    _print_play(console, table.names, scores)


def _cell(cell: Interval | None) -> Text:
    if cell is None:
        return Text("")
    big, small = cell_text(cell)
    colour = "green" if cell.low > 0 else "red" if cell.high < 0 else ""
    return Text.assemble((big, colour), " ", (small, "dim"))
