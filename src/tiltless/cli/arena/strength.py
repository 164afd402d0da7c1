"""``tiltless reproduce strength``: how strong the shipped blueprints are, beside published bots."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tiltless.cli import ui
from tiltless.cli.arena.match import noted
from tiltless.cli.arena.options import Cluster, ProcessesOrAll, output_folder
from tiltless.distributed.connect import on_cluster
from tiltless.experiments.strength.cells import SEARCH, Cell
from tiltless.experiments.strength.play import Told
from tiltless.experiments.strength.reproduction import SEED, StrengthRun, reproduce_strength
from tiltless.experiments.strength.tables import facts, result_tables, verdicts
from tiltless.interrupts import INTERRUPTED
from tiltless.intervals import Interval
from tiltless.strength import context, heading, prove

__all__ = ["strength"]


def strength(
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Quick run: a few hands of everything, in minutes; wide intervals."
        ),
    ] = False,
    scale: Annotated[
        float, typer.Option(help="Factor for the numbers of hands.", min=0.0001)
    ] = 1.0,
    agent: Annotated[
        str,
        typer.Option(help="Agent with search, without the option file=, which each model adds."),
    ] = SEARCH,
    only: Annotated[
        str,
        typer.Option(
            help="Measure only figures whose title has one of these words: lbr,probe-pot; "
            "'lbr & 100bb' for both."
        ),
    ] = "",
    seed: Annotated[int, typer.Option(help="First random seed.", min=0)] = SEED,
    processes: ProcessesOrAll = 0,
    cluster: Cluster = None,
    out: Annotated[Path | None, output_folder("strength")] = None,
    as_json: ui.AsJson = False,
) -> None:
    """Measure how strong the shipped blueprints are, with search and without.

    Plays local best responses, search against its blueprint, simple probes and the thesis' bots,
    evaluates search by vectors, and prints the results beside published ones. Everything takes
    about two days of one core for each model, --quick takes minutes. Ctrl-C shows the results so
    far; finished blocks of hands are kept in the output folder, and the same command continues.
    """
    console, errors = ui.console(markup=False), ui.console(stderr=True)
    workers = on_cluster(cluster, processes, noted(errors))
    columns = "{task.description}", "{task.fields[result]}"
    with workers as where, ui.bar(*columns, on=errors) as bar:

        def begin(cell: Cell) -> Told:
            for done in bar.task_ids:
                bar.remove_task(done)
            task = bar.add_task(cell.title, total=cell.hands, result="")

            def told(hands: int, result: Interval) -> None:
                bar.update(task, completed=hands, result=f"{result} mbb/h")

            return told

        run = reproduce_strength(
            prove,
            heading(["tiltless", *sys.argv[1:]]),
            quick=quick,
            scale=scale,
            agent=agent,
            only=[word.strip() for word in only.split(",") if word.strip()],
            seed=seed,
            processes=where,
            out=out,
            begin=begin,
        )
    if as_json:
        ui.print_json(context() | facts(run.figures, run.seed))
    else:
        _show_strength(console, run)
    errors.print(run.summary, markup=False, soft_wrap=True)
    if run.stopped:
        raise typer.Exit(INTERRUPTED)


def _show_strength(console: Console, run: StrengthRun) -> None:
    for each in result_tables(run.figures, run.seed):
        table = Table(title=each.title, box=box.SIMPLE, padding=0, collapse_padding=True)
        table.add_column(_plain(each.head[0]), overflow="fold")
        for text in each.head[1:]:
            table.add_column(_plain(text), justify="right")
        for row in each.rows:
            table.add_row(*(Text(_plain(one.text), "green" if one.good else "") for one in row))
        console.print(table)
        console.print(_plain(each.about), style="dim")
    for line in verdicts(run.figures):
        console.print(line, soft_wrap=True)


def _plain(text: str) -> str:
    """Without the marks of Markdown."""
    return text.replace("`", "")
