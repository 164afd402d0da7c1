"""Match results as tables for the terminal."""

import math
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from tiltless.arena.cross_table import CrossTable
from tiltless.arena.record_text import (
    finite,
    no_verdict,
    record_facts,
    record_head,
    record_verdict,
    shown_scores,
    verdict,
)
from tiltless.arena.score_text import (
    POSITION_STATS,
    STATS,
    fault_lines,
    position_rows,
    source_lines,
    stats_row,
    times_row,
)
from tiltless.arena.stats.matches_won import matches_won
from tiltless.arena.stats.score import Score, unit_factor
from tiltless.arena.store import MatchRecord
from tiltless.cli import ui
from tiltless.intervals import Interval
from tiltless.viz.cross_table import cell_text

__all__ = [
    "finite",
    "no_verdict",
    "print_cross_table",
    "print_positions",
    "print_record",
    "record_facts",
    "verdict",
]


def print_record(console: Console, record: MatchRecord, unit: str) -> None:
    """A match: the result, the usual statistics, the times."""
    plan = record.plan
    factor = unit_factor(unit, plan.table.rules)
    ui.say(console, record_head(record))
    if not record.hands:
        return
    matches = ["matches won", "95 % from", "to"] if plan.match_hands else []
    table = Table("", *matches, f"won, {unit}", "95 % from", "to")
    shown = shown_scores(record)
    names, scores = [name for name, _ in shown], [score for _, score in shown]
    for text, score in shown:
        shares = [_number(each, ".3f") for each in matches_won(plan, score) if matches]
        table.add_row(
            Text(text), *shares, *(_number(each, "+,.1f") for each in score.interval(factor))
        )
    console.print(table)
    for line in fault_lines(names, scores):
        ui.say(console, line)
    sentence = record_verdict(record, unit)
    if sentence:
        ui.say(console, sentence)
    _print_play(console, names, scores)
    print_positions(console, names, scores, factor, unit)


def _number(number: float, form: str) -> str:
    return format(number, form) if math.isfinite(number) else "?"


def _print_play(console: Console, names: Sequence[str], scores: Sequence[Score]) -> None:
    """Statistics, times and sources of decisions; rulings if there were any."""
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
        ui.say(console, line)


def print_positions(
    console: Console, names: Sequence[str], scores: Sequence[Score], factor: float, unit: str
) -> None:
    """What each agent won in each position, and how it played there; nothing for two seats."""
    if not any(score.positions for score in scores):
        return
    for name, score in zip(names, scores, strict=True):
        table = Table("position", *POSITION_STATS, title=Text(f"{name} by position, {unit}"))
        for position, cells in position_rows(score, factor):
            table.add_row(position, *cells)
        console.print(table)


def print_cross_table(console: Console, table: CrossTable) -> None:
    """The table with the best agent on top, then statistics and times."""
    table = table.sorted()
    heads = map(escape, table.names)
    shown = Table("", *heads, "mean", title=f"won by {table.what}, {table.cell_unit}, ± 95 %")
    for row, agent in enumerate(table.names):
        cells = [table.cell(row, column) for column in range(len(table.agents))]
        signs = [table.sign(row, column) for column in range(len(table.agents))]
        standing = table.standing(row)
        shown.add_row(Text(agent), *map(_cell, cells, signs), _cell(standing.mean, standing.sign))
    scores = [table.score(row) for row in range(len(table.agents))]
    for line in fault_lines(table.names, scores):
        ui.say(console, line)
    if table.broken:
        names = ", ".join(table.names[row] for row in table.broken)
        ui.say(console, f"No verdict: most decisions of {names} were rulings.")
    console.print(shown)
    _print_play(console, table.names, scores)
    factor = unit_factor(table.unit, next(iter(table.matches.values())).plan.table.rules)
    alone = [table.alone(row) for row in range(len(table.agents))]
    print_positions(console, table.names, alone, factor, table.unit)


def _cell(cell: Interval | None, sign: int) -> Text:
    if cell is None:
        return Text("")
    big, small = cell_text(cell)
    colour = ("", "green", "red")[sign]
    return Text.assemble((big, colour), " ", (small, "dim"))
