"""``tiltless results``: stored matches and their hands."""

import math
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from tiltless.arena.chunk import replay as play_again
from tiltless.arena.export import export as write_hands
from tiltless.arena.export import phh_text
from tiltless.arena.plan import MatchPlan
from tiltless.arena.record_text import units_text
from tiltless.arena.score_text import fault_lines
from tiltless.arena.stats.matches_won import matches_won, matches_won_text
from tiltless.arena.stats.paired import paired_difference, share_deals
from tiltless.arena.stats.score import FEWEST_UNITS, Score, unit_factor
from tiltless.arena.store import DEFAULT_FILE, MatchRecord, Store
from tiltless.cli import ui
from tiltless.cli.arena.match_text import no_verdict, print_record, record_facts, verdict
from tiltless.cli.arena.options import Database, Unit
from tiltless.errors import OptionError
from tiltless.files.atomic import write_bytes
from tiltless.files.writable import check_picture
from tiltless.intervals import Interval

__all__ = ["app"]

app = typer.Typer(
    help="List, show, compare, plot, export and replay stored matches.",
    invoke_without_command=True,
    add_completion=False,
)

Number = Annotated[int, typer.Argument(help="Match number.")]
_FILE = Path(DEFAULT_FILE)


@app.callback(invoke_without_command=True)
def start(context: typer.Context, db: Database = _FILE, unit: Unit = "mbb/h") -> None:
    """List matches; show, compare, plot, export and replay them."""
    command = context.invoked_subcommand
    if command is None:
        list_(db, unit)
    elif (db, unit) != (_FILE, "mbb/h"):
        raise OptionError(f"--db and --unit belong after {command}: tiltless results {command} ...")


@app.command("list")
def list_(db: Database = _FILE, unit: Unit = "mbb/h") -> None:
    """List all matches with the result of the first agent."""
    with Store(db, create=False) as store:
        records, bad = store.records(), store.unreadable()
    table = Table("match", "agents", "game", "hands", f"first agent, {unit}", "begun (UTC)")
    for record in records:
        result = str(record.scores[0].interval(unit_factor(unit, record.plan.table.rules)))
        if record.plan.match_hands:
            won = matches_won_text(matches_won(record.plan, record.scores[0]))
            result += f"; matches won {won}"
        table.add_row(
            str(record.number),
            Text(record.plan.title),
            Text(record.plan.game_text),
            f"{record.hands:,}" + ("" if record.is_over else f" of {record.plan.hands:,}"),
            result if record.hands else "-",
            record.begun[:16].replace("T", " "),
        )
    console = ui.console()
    if records:
        console.print(table)
    for number, why in bad.items():
        ui.say(
            console,
            f"match {number} cannot be read: {why}; tiltless results remove {number} deletes it",
        )
    if not records and not bad:
        console.print(f"{db} has no matches yet; play one with: tiltless match fish uniform")


@app.command()
def show(
    match: Number, db: Database = _FILE, unit: Unit = "mbb/h", as_json: ui.AsJson = False
) -> None:
    """Show one match: the result, statistics of the agents and their response times."""
    with Store(db, create=False) as store:
        record = store.record(match)
    if as_json:
        ui.print_json(record_facts(record, unit))
    else:
        print_record(ui.console(), record, unit)


@app.command()
def compare(first: Number, second: Number, db: Database = _FILE, unit: Unit = "mbb/h") -> None:
    """Compare the first agents of two matches.

    Matches with the same seed share their deals and are compared deal by deal if their hands were
    stored. Otherwise they are treated as independent.
    """
    with Store(db, create=False) as store:
        records = [store.record(number) for number in (first, second)]
        results = [_result(record, unit) for record in records]
        paired = paired_difference(store, records[0], records[1], unit)
    table = Table("match", "agents", "hands", f"first agent, {unit}")
    for record, result in zip(records, results, strict=True):
        title = Text(record.plan.title)
        table.add_row(str(record.number), title, f"{record.hands:,}", str(result))
    console = ui.console()
    console.print(table)
    if paired is not None:
        difference, units = paired.interval, paired.count
        how = f"deal by deal, {units_text(units, records[0].plan.unit)} that both have"
    else:
        mean = results[0].mean - results[1].mean
        half = math.hypot(results[0].half_width, results[1].half_width)
        difference = Interval.around(mean, half)
        units = min(record.scores[0].won.count for record in records)
        how = "independent matches"
        if share_deals(*records):
            how = (
                "the matches share deals that cannot be paired, so the interval may be too wide or "
                "too narrow"
            )
    ui.say(console, f"difference: {difference} {unit} ({how})")
    who = f"{records[0].plan.agents[0]} in match {first}"
    for record in records:
        for line in fault_lines(record.plan.agents, record.scores):
            ui.say(console, f"match {record.number}: {line}")
    reasons = (no_verdict(record.plan.agents, record.scores) for record in records)
    why_not = next(filter(None, reasons), "")
    sentence = why_not or verdict("", difference, units, records[0].plan.unit).strip()
    enough = units >= FEWEST_UNITS and not why_not
    better = enough and (difference.low > 0 or difference.high < 0)
    word = "more" if difference.low > 0 else "less"
    other = f"{records[1].plan.agents[0]} in match {second}"
    conclusion = f"{who} won {word} than {other}" if better else sentence
    ui.say(console, conclusion)


def _result(record: MatchRecord, unit: str) -> Interval:
    if not record.hands:
        raise OptionError(f"match {record.number} has no hands yet; continue it with --resume")
    return record.scores[0].interval(unit_factor(unit, record.plan.table.rules))


@app.command()
def remove(match: Number, db: Database = _FILE) -> None:
    """Delete a match and its hands."""
    with Store(db, create=False) as store:
        store.remove(match)
    typer.echo(f"removed: match {match}")


@app.command()
def plot(
    match: Number,
    out: Annotated[
        Path | None, typer.Option(help="PNG file for the picture; match-N.png by default.")
    ] = None,
    db: Database = _FILE,
    unit: Unit = "mbb/h",
) -> None:
    """Plot the first agent's mean and interval over the match."""
    from tiltless.viz.cross_table import course_png

    path = out or Path(f"match-{match}.png")
    check_picture(path)
    with Store(db, create=False) as store:
        plan, parts = store.plan(match), list(store.by_chunk(match))
    if not parts:
        raise OptionError(f"match {match} has no hands yet; continue it with --resume")
    factor = unit_factor(unit, plan.table.rules)
    so_far, hands, course = Score(), [], []
    for _, scores in parts:
        so_far = so_far.merge(scores[0])
        hands.append(so_far.hands)
        course.append(so_far.interval(factor))
    title = f"{plan.title} ({plan.game_text})"
    won = f"won by {plan.agents[0]}, {unit}"
    write_bytes(path, course_png(hands, course, title=title, unit=won, axis="hands"))
    typer.echo(f"written: {path}")


@app.command()
def export(
    match: Number,
    out: Annotated[
        Path, typer.Argument(help="Output file, ending in .csv, .jsonl, .parquet or .phhs.")
    ],
    db: Database = _FILE,
) -> None:
    """Export the hands of a match."""
    with Store(db, create=False) as store, ui.bar("{task.completed:,.0f} hands") as bar:
        task = bar.add_task("", total=None)
        count = write_hands(store, match, out, lambda done: bar.update(task, completed=done))
    typer.echo(f"written: {out}, {count:,} hands")


@app.command()
def replay(
    match: Number,
    deal: Annotated[int, typer.Argument(help="Deal number, from 0.")],
    half: Annotated[int, typer.Argument(help="Seating of the deal, from 0.")] = 0,
    phh: Annotated[bool, typer.Option("--phh", help="Print the hand as PHH.")] = False,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODULE:CLASS",
            help="Your own module:Class agent of that match; it runs only if named here.",
        ),
    ] = None,
    db: Database = _FILE,
) -> None:
    """Replay one hand of a match and compare it with the stored one."""
    with Store(db, create=False) as store:
        plan, kept = store.plan(match), store.hand(match, deal, half)
    plan = plan.trusting([text.strip() for text in agent or ()])
    again = play_again(plan, deal, half)
    if phh:
        typer.echo(phh_text(plan, again), nl=False)
        return
    typer.echo(again.line)
    for seat, number in enumerate(again.agents):
        typer.echo(f"seat {seat}: {plan.agents[number]} {again.payoffs[number]:+,}")
    for fault in again.faults:
        typer.echo(f"ruling: seat {fault.seat} {fault.kind}: {fault.detail}")
    if kept is not None and kept.line != again.line:
        typer.echo(f"kept:  {kept.line}")
        typer.echo(_why(plan))
        raise typer.Exit(1)
    typer.echo("the same as the stored hand" if kept else "this hand was not stored")


def _why(plan: MatchPlan) -> str:
    reasons = "an agent has changed since, or uses randomness or memory of its own"
    return f"not the same: {reasons}" + (", or was late" if plan.clock else "")
