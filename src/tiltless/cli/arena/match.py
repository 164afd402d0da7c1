"""``tiltless match`` and ``tiltless cross-table``: matches between agents."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from tiltless.arena.cross_table import CrossTable, pair_plans, play_cross_table
from tiltless.arena.match import Progress as Told
from tiltless.arena.match import play_stored
from tiltless.arena.plan import (
    CHUNK,
    HANDS,
    MATCHES,
    MatchPlan,
    deals_for,
    deals_for_matches,
    match_size,
    parted,
    usual_chunk,
)
from tiltless.arena.stats.matches_won import matches_won, matches_won_text
from tiltless.arena.stats.score import Score, unit_factor
from tiltless.arena.store import DEFAULT_FILE, MatchRecord, Store
from tiltless.cli import ui
from tiltless.cli.arena.match_text import finite, print_cross_table, print_record, record_facts
from tiltless.cli.arena.options import (
    Carry,
    ChunkSize,
    CountedBy,
    Database,
    Game,
    Hands,
    KeepHands,
    Matches,
    Mirrored,
    Processes,
    Resume,
    Seconds,
    Seed,
    Unit,
    Words,
)
from tiltless.errors import OptionError
from tiltless.files.atomic import write_bytes, write_text
from tiltless.interrupts import INTERRUPTED
from tiltless.intervals import Interval

__all__ = ["cross_table", "match", "noted", "progress_bar", "shown_match", "tell_notes"]


def match(
    words: Words,
    hands: Hands = None,
    score: CountedBy = "chips",
    matches: Matches = None,
    game: Game = "nlhe",
    seed: Seed = 0,
    processes: Processes = 1,
    mirrored: Mirrored = True,
    carry: Carry = False,
    clock: Seconds = None,
    chunk: ChunkSize = None,
    resume: Resume = False,
    keep_hands: KeepHands = True,
    db: Database = Path(DEFAULT_FILE),
    unit: Unit = "mbb/h",
    as_json: ui.AsJson = False,
) -> None:
    """Play a match between agents, two or as many as the game has seats.

    tiltless match fish uniform --hands 100000 --game nlhe stack=100bb --seed 1 --processes 2

    tiltless match endgame:agent=blueprint blueprint --score match --matches 200 --hands 1000

    Ctrl-C keeps the hands played so far, and --resume continues. Results are kept in a file; see
    tiltless results.
    """
    agents, parameters = parted(words)
    settings = (game, parameters, seed, mirrored, carry, clock)
    plan = _plan(agents, hands, score, matches, chunk, settings)
    factor = unit_factor(unit, plan.table.rules)
    console = ui.console(stderr=True)
    tell_notes(console, plan)  # and refuse agents before there is a file
    number: list[int] = []
    with Store(db) as store, progress_bar(console) as bar:
        progress = shown_match(bar, plan, factor, unit, plan.agents[0])
        try:
            record = play_stored(
                plan,
                store,
                processes=processes,
                resume=resume,
                keep_hands=keep_hands,
                progress=progress,
                note=noted(console),
                began=number.append,
            )
        except KeyboardInterrupt:
            bar.stop()
            if number:
                _show(store.record(number[0]), unit, as_json)
            console.print("stopped; the same command with --resume continues", markup=False)
            raise typer.Exit(INTERRUPTED) from None
    _show(record, unit, as_json)
    if any(score.is_broken for score in record.scores):
        raise typer.Exit(1)


def cross_table(
    words: Words,
    hands: Annotated[
        int | None,
        typer.Option(
            help="Hands per pair of agents, 10,000 by default. With --score match, hands of one "
            "match, 1,000 by default.",
            min=1,
        ),
    ] = None,
    score: CountedBy = "chips",
    matches: Matches = None,
    game: Game = "nlhe",
    seed: Seed = 0,
    processes: Processes = 1,
    mirrored: Mirrored = True,
    carry: Carry = False,
    clock: Seconds = None,
    chunk: ChunkSize = None,
    resume: Resume = False,
    keep_hands: KeepHands = False,
    db: Database = Path(DEFAULT_FILE),
    unit: Unit = "mbb/h",
    out: Annotated[
        Path,
        typer.Option(
            help="Output path without extension, for the picture (.png) and the report (.html)."
        ),
    ] = Path("cross-table"),
    title: Annotated[
        str, typer.Option(help="Title of the picture and the report.")
    ] = "Who beats whom",
    as_json: ui.AsJson = False,
) -> None:
    """Play every pair of agents; print a table, write a picture and a report.

    tiltless cross-table fish uniform all-in fold --hands 20000 --unit bb/100

    Ctrl-C keeps the hands played so far, and --resume continues.
    """
    from tiltless.viz.cross_table import heat_map_png
    from tiltless.viz.report import html_report

    agents, parameters = parted(words)
    settings = (game, parameters, seed, mirrored, carry, clock)
    plan = _plan(agents[:2], hands, score, matches, chunk, settings, slow=agents)
    factor = unit_factor(unit, plan.table.rules)
    console = ui.console(stderr=True)
    tell_notes(console, *pair_plans(plan, agents))
    if not out.parent.is_dir():
        raise OptionError(f"--out {out}: {out.parent} is not a folder; create it, or name another")
    with Store(db) as store, progress_bar(console) as bar:

        def begin(pair: MatchPlan) -> Told:
            return shown_match(bar, pair, factor, unit, pair.title)

        try:
            table = play_cross_table(
                plan,
                agents,
                store,
                unit=unit,
                processes=processes,
                resume=resume,
                keep_hands=keep_hands,
                begin=begin,
                note=noted(console),
            )
        except KeyboardInterrupt:
            bar.stop()
            console.print("stopped; the same command with --resume continues", markup=False)
            raise typer.Exit(INTERRUPTED) from None
    picture = heat_map_png(table.sorted(), title)
    image, page = out.with_name(out.name + ".png"), out.with_name(out.name + ".html")
    write_bytes(image, picture)
    write_text(page, html_report(table, title=title, picture=picture))
    if as_json:
        ui.print_json(_table_facts(table))
    else:
        print_cross_table(ui.console(), table)
        typer.echo(f"written: {image}, {page}")
    if table.broken:
        raise typer.Exit(1)


def _plan(
    agents: tuple[str, ...],
    hands: int | None,
    score: str,
    matches: int | None,
    chunk: int | None,
    settings: tuple[str, dict[str, Any], int, bool, bool, float | None],
    slow: Sequence[str] = (),
) -> MatchPlan:
    """The plan of a match from its options.

    settings: game, parameters, seed, mirrored, carry, clock.  slow: agents that decide how large a
    chunk is, if there are others.
    """
    mirrored, carry = settings[3:5]
    size = match_size(score, hands, matches)
    usual = CHUNK if carry or not mirrored else usual_chunk(slow or agents)
    deals_per_chunk = chunk or usual
    if size:
        deals = deals_for_matches(matches or MATCHES, size, mirrored=mirrored)
        deals_per_chunk = max(1, -(-chunk // size) if chunk else usual // size) * size
    else:
        session = (chunk or CHUNK) if carry else 1
        deals = deals_for(hands or HANDS, len(agents), mirrored=mirrored, session=session)
    return MatchPlan(agents, deals, *settings, deals_per_chunk, match_hands=size, trusted=True)


def tell_notes(console: Console, *plans: MatchPlan) -> None:
    """Report agents made for another table; `OptionError` if one cannot play at all."""
    for note in dict.fromkeys(note for plan in plans for note in plan.notes(plan.make_agents())):
        noted(console)(note)


def noted(console: Console) -> Callable[[str], None]:
    """Notes for the user, next to the bar."""
    return partial(ui.say, console)


def _table_facts(table: CrossTable) -> dict[str, Any]:
    rows = range(len(table.agents))
    return {
        "unit": table.cell_unit,
        "agents": list(table.agents),
        "seed": table.seed,
        "cells": [[_cell_facts(table.cell(row, column)) for column in rows] for row in rows],
        "ranking": [table.agents[row] for row in table.ranking],
        "matches": [record_facts(each, table.unit) for each in table.matches.values()],
    }


def _cell_facts(cell: Interval | None) -> list[float | None] | None:
    return None if cell is None else list(map(finite, cell))


def _show(record: MatchRecord, unit: str, as_json: bool) -> None:
    if as_json:
        ui.print_json(record_facts(record, unit))
    else:
        print_record(ui.console(), record, unit)


def progress_bar(console: Console) -> Progress:
    """A bar that counts hands, for several matches in turn."""
    return ui.bar(
        "{task.description}", "{task.completed:,.0f} of {task.total:,.0f} hands", on=console
    )


def shown_match(bar: Progress, plan: MatchPlan, factor: float, unit: str, who: str) -> Told:
    """A line of the bar for a match: the first agent's mean so far, and its interval."""
    task = bar.add_task(who, total=plan.hands)

    def show(deals: int, scores: Sequence[Score]) -> None:
        text = f"{who} {scores[0].interval(factor)} {unit}" if deals else who
        if deals and plan.match_hands:
            text = f"{who} won {matches_won_text(matches_won(plan, scores[0]))} of matches"
        total = max(plan.hands, deals * plan.seatings)
        bar.update(task, completed=deals * plan.seatings, total=total, description=text)

    return show
