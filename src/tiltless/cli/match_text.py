"""Results in words and tables, for the terminal."""

import math
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from tiltless.arena.cross_table import CrossTable
from tiltless.arena.stats.intervals import Interval
from tiltless.arena.stats.score import FEWEST_UNITS, Score, unit_factor
from tiltless.arena.store import MatchRecord
from tiltless.viz.cross_table import cell_text
from tiltless.viz.report import STATS, fault_lines, source_lines, stats_row, times_row

__all__ = [
    "finite",
    "no_verdict",
    "print_cross_table",
    "print_record",
    "record_facts",
    "verdict",
]


def record_facts(record: MatchRecord, unit: str) -> dict[str, Any]:
    """A match as JSON."""
    plan = record.plan
    factor = unit_factor(unit, plan.table.rules)
    agents = []
    for text, score in zip(plan.agents, record.scores, strict=True):
        mean, low, high = map(finite, score.interval(factor))
        stats, times = score.stats, score.times
        agents.append(
            {
                "agent": text,
                "mean": mean,
                "interval": [low, high],
                "vpip": finite(stats.vpip),
                "pfr": finite(stats.pfr),
                "three_bet": finite(stats.three_bet),
                "aggression": finite(stats.aggression),
                "went_to_showdown": finite(stats.went_to_showdown),
                "won_at_showdown": finite(stats.won_at_showdown),
                "seconds": {str(each): times.percentile(each) for each in (50, 95, 99)},
                "faults": score.faults._asdict(),
                "first_fault": score.first_fault or None,
                "sources": dict(score.sources.counts),
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


def finite(number: float) -> float | None:
    """A number as JSON has it: none that is infinite."""
    return number if math.isfinite(number) else None


def no_verdict(names: Sequence[str], scores: Sequence[Score]) -> str:
    """Why a match says nothing about who is better; empty where it may."""
    broken = [name for name, score in zip(names, scores, strict=True) if score.is_broken]
    if broken:
        who = ", ".join(dict.fromkeys(broken))
        return f"No verdict: most decisions of {who} were ruled on; the dealer played, not they."
    return ""


def verdict(name: str, result: Interval, units: int, unit: str = "deal") -> str:
    """Whether somebody is ahead, as a sentence.  units: how many numbers the result is of."""
    if units < FEWEST_UNITS:
        return f"No verdict: {units} {unit}s are too few; play {FEWEST_UNITS} or more."
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
    for line in fault_lines(plan.agents, record.scores):
        console.print(line, markup=False, soft_wrap=True)
    why_not = no_verdict(plan.agents, record.scores)
    if why_not or len(plan.agents) == 2:
        score = record.scores[0]
        said = verdict(plan.agents[0], score.interval(factor), score.won.count, plan.unit)
        console.print(why_not or said, markup=False, soft_wrap=True)
    _print_play(console, plan.agents, record.scores)


def _print_play(console: Console, names: Sequence[str], scores: Sequence[Score]) -> None:
    """Stats, then times, then what decided; rulings where there were any."""
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
    for line in source_lines(names, scores):
        console.print(line, markup=False, soft_wrap=True)


def print_cross_table(console: Console, table: CrossTable) -> None:
    """The table, the best agent on top; then stats and times."""
    table = table.sorted()
    heads = map(escape, table.names)
    shown = Table("", *heads, "mean", title=f"won by the row from the column, {table.unit}, ± 95 %")
    for row, agent in enumerate(table.names):
        cells = [table.cell(row, column) for column in range(len(table.agents))]
        signs = [table.sign(row, column) for column in range(len(table.agents))]
        standing = table.standing(row)
        shown.add_row(Text(agent), *map(_cell, cells, signs), _cell(standing.mean, standing.sign))
    scores = [table.score(row) for row in range(len(table.agents))]
    for line in fault_lines(table.names, scores):
        console.print(line, markup=False, soft_wrap=True)
    if table.broken:
        names = ", ".join(table.names[row] for row in table.broken)
        console.print(
            f"No verdict: most decisions of {names} were ruled on.", markup=False, soft_wrap=True
        )
    console.print(shown)
    _print_play(console, table.names, scores)


def _cell(cell: Interval | None, sign: int) -> Text:
    if cell is None:
        return Text("")
    big, small = cell_text(cell)
    colour = ("", "green", "red")[sign]
    return Text.assemble((big, colour), " ", (small, "dim"))
