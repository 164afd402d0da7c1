"""``tiltless reproduce permutation``: how fast the hidden order of the ranks becomes known."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.table import Table

from tiltless.cli import ui
from tiltless.cli.arena.match import noted
from tiltless.cli.arena.options import Cluster, ProcessesOrAll, output_folder
from tiltless.distributed.connect import on_cluster
from tiltless.experiments.permutation.reproduction import SEED, reproduce_permutation
from tiltless.experiments.permutation.showdowns import SOURCES
from tiltless.experiments.permutation.tables import facts, inference_tables
from tiltless.interrupts import INTERRUPTED
from tiltless.strength import context, heading
from tiltless.validate import one_of

__all__ = ["permutation"]


def permutation(
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Quick run: ten random matches, in a minute; wide intervals."),
    ] = False,
    matches: Annotated[
        int, typer.Option(help="Number of matches per source of showdowns; 0 means 200.", min=0)
    ] = 0,
    showdowns: Annotated[
        str,
        typer.Option(
            help="Source of showdowns: random (any two hands, checked down), play (the shipped "
            "blueprint against itself) or both; by default both, or random with --quick."
        ),
    ] = "",
    seed: Annotated[int, typer.Option(help="Random seed of the first match.", min=0)] = SEED,
    processes: ProcessesOrAll = 0,
    cluster: Cluster = None,
    out: Annotated[Path | None, output_folder("permutation")] = None,
    as_json: ui.AsJson = False,
) -> None:
    """Infer the hidden order of Permutation Hold'em as a report of 2020 did, and as we do.

    Three methods watch the same matches of 300 showdowns: the exact posterior, the report's
    Metropolis-Hastings chain and its particle filter. The tables show how often each has found the
    order, beside an earlier study. Everything takes about 15 minutes of one core; showdowns by play
    need bucket tables, which are built once. Finished matches are kept in the output folder: after
    Ctrl-C the same command continues.
    """
    console, errors = ui.console(markup=False), ui.console(stderr=True)
    chosen = one_of("showdowns", showdowns or ("random" if quick else "both"), (*SOURCES, "both"))
    workers = on_cluster(cluster, processes, noted(errors))
    columns = "matches", "{task.completed} of {task.total}"
    with workers as where, ui.bar(*columns, on=errors) as bar:
        task = bar.add_task("", total=None)

        def told(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        run = reproduce_permutation(
            heading(["tiltless", *sys.argv[1:]]),
            quick=quick,
            matches=matches,
            sources=SOURCES if chosen == "both" else (chosen,),
            seed=seed,
            processes=where,
            out=out,
            told=told,
        )
    if as_json:
        ui.print_json(context() | facts(run))
    else:
        for each in inference_tables(run):
            table = Table(title=each.title, box=box.SIMPLE, padding=0, collapse_padding=True)
            for text in each.head:
                table.add_column(text, justify="right")
            for row in each.rows:
                table.add_row(*row)
            console.print(table)
            ui.say(console, each.about)
    errors.print(run.summary, markup=False, soft_wrap=True)
    if run.stopped:
        raise typer.Exit(INTERRUPTED)
