"""``tiltless match`` and ``tiltless cross-table``: matches between agents."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from tiltless.arena.cross_table import CrossTable, pair_plans, play_cross_table
from tiltless.arena.lineup import LINEUPS, lineup_tables
from tiltless.arena.match import Progress as Told
from tiltless.arena.match import play_stored
from tiltless.arena.match_options import (
    MatchOptions,
    match_plan,
    match_plans,
    parted,
    table_parameters,
)
from tiltless.arena.plan import MatchPlan
from tiltless.arena.stats.matches_won import matches_won, matches_won_text
from tiltless.arena.stats.score import Score, unit_factor
from tiltless.arena.store import DEFAULT_FILE, MatchRecord, Store
from tiltless.cli import ui
from tiltless.cli.arena.match_text import finite, print_cross_table, print_record, record_facts
from tiltless.cli.arena.options import (
    Carry,
    ChunkSize,
    Cluster,
    CountedBy,
    Database,
    Game,
    GameHands,
    Hands,
    KeepHands,
    Lineup,
    Matches,
    Mirrored,
    Processes,
    Resume,
    Seats,
    Seconds,
    Seed,
    Unit,
    Words,
)
from tiltless.distributed.connect import on_cluster
from tiltless.errors import OptionError
from tiltless.files.atomic import write_bytes, write_text
from tiltless.files.writable import check_writable
from tiltless.games.holdem.rules import MOST_SEATS
from tiltless.interrupts import INTERRUPTED
from tiltless.intervals import Interval

__all__ = [
    "cross_table",
    "match",
    "noted",
    "progress_bar",
    "shown_match",
    "stoppable_bar",
    "tell_notes",
]


def match(
    words: Words,
    seats: Seats = None,
    lineup: Lineup = "",
    hands: Hands = None,
    score: CountedBy = "chips",
    matches: Matches = None,
    game: Game = "nlhe",
    seed: Seed = 0,
    processes: Processes = 1,
    cluster: Cluster = None,
    mirrored: Mirrored = True,
    carry: Carry = False,
    game_hands: GameHands = 0,
    clock: Seconds = None,
    chunk: ChunkSize = None,
    resume: Resume = False,
    keep_hands: KeepHands = True,
    db: Database = Path(DEFAULT_FILE),
    unit: Unit = "mbb/h",
    as_json: ui.AsJson = False,
) -> None:
    """Play a match between agents: two, or a table of up to ten.

    tiltless match fish uniform --hands 100000 --game nlhe stack=100bb --seed 1 --processes 2

    tiltless match rules fish --seats 6 --lineup one-against-five

    tiltless match endgame:agent=blueprint blueprint --score match --matches 200 --hands 1000

    Each deal is played in every rotation of the seats. With two agents and more than two seats, one
    of the first plays against copies of the second, and then the other way round. Ctrl-C keeps the
    hands played so far, and --resume continues. Results are kept in a file; see tiltless results.
    """
    options = MatchOptions(
        hands, score, matches, game, seed, mirrored, carry, game_hands, clock, chunk
    )
    plans = match_plans(words, options, seats, lineup)
    unit_factor(unit, plans[0].table.rules)  # refuses a wrong unit before there is a file
    console = ui.console(stderr=True)
    tell_notes(console, *plans)  # and refuse agents before there is a file
    numbers: list[int] = []
    stopped = False
    workers = on_cluster(cluster, processes, noted(console))
    with workers as where, Store(db) as store, progress_bar(console) as bar:
        try:
            for plan in plans:
                play_stored(
                    plan,
                    store,
                    processes=where,
                    resume=resume,
                    keep_hands=keep_hands,
                    progress=shown_match(bar, plan, unit, plan.agents[0]),
                    note=noted(console),
                    began=numbers.append,
                )
        except KeyboardInterrupt:
            stopped = True
            bar.stop()
        records = [store.record(number) for number in numbers]
    _show(records, unit, as_json, several=len(plans) > 1)
    if stopped:
        console.print("stopped; the same command with --resume continues", markup=False)
        raise typer.Exit(INTERRUPTED)
    if any(score.is_broken for record in records for score in record.scores):
        raise typer.Exit(1)


def cross_table(
    words: Words,
    seats: Annotated[
        int | None,
        typer.Option(
            help="Seats at the table, 2 by default; with more, one agent of the row plays against "
            "copies of the column's.",
            min=2,
            max=MOST_SEATS,
        ),
    ] = None,
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
    cluster: Cluster = None,
    mirrored: Mirrored = True,
    carry: Carry = False,
    game_hands: GameHands = 0,
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

    tiltless cross-table rules fish heuristic-1 --seats 6 --hands 6000

    Ctrl-C keeps the hands played so far, and --resume continues.
    """
    from tiltless.viz.cross_table import heat_map_png
    from tiltless.viz.report import html_report

    agents, given = parted(words)
    seats, parameters = table_parameters(given, seats)
    (first,) = lineup_tables(agents[:2], seats or 2, LINEUPS[1] if (seats or 2) > 2 else "")
    options = MatchOptions(
        hands, score, matches, game, seed, mirrored, carry, game_hands, clock, chunk
    )
    plan = match_plan(first, parameters, options, slow=agents)
    unit_factor(unit, plan.table.rules)  # refuses a wrong unit before there is a file
    console = ui.console(stderr=True)
    tell_notes(console, *pair_plans(plan, agents))
    if not out.name:
        raise OptionError(f"--out {out} names no file; write a name without .png and .html")
    if not out.parent.is_dir():
        raise OptionError(f"--out {out}: {out.parent} is not a folder; create it, or name another")
    image, page = out.with_name(out.name + ".png"), out.with_name(out.name + ".html")
    check_writable(image)
    check_writable(page)
    workers = on_cluster(cluster, processes, noted(console))
    bars = stoppable_bar(console, "the same command with --resume")
    with workers as where, Store(db) as store, bars as bar:
        table = play_cross_table(
            plan,
            agents,
            store,
            unit=unit,
            processes=where,
            resume=resume,
            keep_hands=keep_hands,
            begin=lambda pair: shown_match(bar, pair, unit, pair.title),
            note=noted(console),
        )
    picture = heat_map_png(table.sorted(), title)
    write_bytes(image, picture)
    write_text(page, html_report(table, title=title, picture=picture))
    if as_json:
        ui.print_json(_table_facts(table))
    else:
        print_cross_table(ui.console(), table)
        typer.echo(f"written: {image}, {page}")
    if table.broken:
        raise typer.Exit(1)


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


def _show(records: Sequence[MatchRecord], unit: str, as_json: bool, several: bool) -> None:
    if as_json and several:
        ui.print_json({"matches": [record_facts(record, unit) for record in records]})
        return
    for record in records:
        if as_json:
            ui.print_json(record_facts(record, unit))
        else:
            print_record(ui.console(), record, unit)


def progress_bar(console: Console) -> Progress:
    """A bar that counts hands, for several matches in turn."""
    return ui.bar(
        "{task.description}", "{task.completed:,.0f} of {task.total:,.0f} hands", on=console
    )


@contextmanager
def stoppable_bar(console: Console, again: str = "the same command") -> Iterator[Progress]:
    """The same; Ctrl-C ends the command, with a note what continues it."""
    with progress_bar(console) as bar:
        try:
            yield bar
        except KeyboardInterrupt:
            bar.stop()
            console.print(f"stopped; {again} continues", markup=False)
            raise typer.Exit(INTERRUPTED) from None


def shown_match(bar: Progress, plan: MatchPlan, unit: str, who: str) -> Told:
    """A line of the bar for a match: the first agent's mean so far, and its interval."""
    factor = unit_factor(unit, plan.table.rules)
    task = bar.add_task(who, total=plan.hands)

    def show(deals: int, scores: Sequence[Score]) -> None:
        text = f"{who} {scores[0].interval(factor)} {unit}" if deals else who
        if deals and plan.match_hands:
            text = f"{who} won {matches_won_text(matches_won(plan, scores[0]))} of matches"
        total = max(plan.hands, deals * plan.seatings)
        bar.update(task, completed=deals * plan.seatings, total=total, description=text)

    return show
