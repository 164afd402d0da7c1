"""``tiltless reproduce permutation-play``: Permutation Hold'em against a report's bots."""

from pathlib import Path
from typing import Annotated

import typer

from tiltless.cli import ui
from tiltless.cli.arena.options import Cluster, ProcessesOrAll
from tiltless.distributed.connect import on_cluster
from tiltless.experiments.permutation.play_reproduction import (
    ARENA,
    DEALS,
    ORDERS,
    PAIRS,
    SEED,
    markdown,
    reproduce_play,
)
from tiltless.experiments.permutation.seeking_reproduction import (
    PRICE_DEALS,
    SEEKING_PAIRS,
    reproduce_seeking,
    seeking_tables,
)
from tiltless.files.atomic import write_text
from tiltless.system import usable_cores

__all__ = ["permutation_play"]

_QUICK, _USUAL = (4, 2, 2, 1024), (PAIRS, ARENA, ORDERS, DEALS)
_QUICK_SEEKING, _USUAL_SEEKING = (4, 1 << 14), (SEEKING_PAIRS, PRICE_DEALS)


def permutation_play(
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Quick run: a few matches of everything; wide intervals."),
    ] = False,
    pairs: Annotated[
        int | None,
        typer.Option(
            help="Number of mirrored pairs of compiled matches per row; 0 for none.", min=0
        ),
    ] = None,
    matches: Annotated[
        int | None,
        typer.Option(help="Number of matches against each bot of the report; 0 for none.", min=0),
    ] = None,
    orders: Annotated[
        int | None,
        typer.Option(help="Number of orders in the table by showdowns; 0 for no table.", min=0),
    ] = None,
    opponents: Annotated[
        str,
        typer.Option(help="Agents to play instead of the report's, separated by semicolons."),
    ] = "",
    seeking: Annotated[
        bool,
        typer.Option(
            "--seeking", help="Measure showdown seeking instead: calls and checks to see more."
        ),
    ] = False,
    seed: Annotated[int, typer.Option(help="Random seed for orders and deals.", min=0)] = SEED,
    processes: ProcessesOrAll = 0,
    cluster: Cluster = None,
    out: Annotated[Path | None, typer.Option(help="File for the tables, in Markdown.")] = None,
) -> None:
    """Measure play under an uncertain order: ours, a report's, and play that knows the order.

    Plays compiled matches of 1,000 hands between kinds of beliefs that share our blueprint, makes a
    table by the number of showdowns seen, and plays our agent against the report's bots. The
    report's blueprint takes part if it is in the cache folder: tiltless train libratus-fan-club
    --out CACHE/libratus-fan-club, where CACHE is the folder that tiltless cache list names.
    With --seeking, players deviate towards showdowns until the order is known: what that costs, and
    what it wins.
    """
    console, errors = ui.console(markup=False), ui.console(stderr=True)
    usual = _QUICK if quick else _USUAL
    given = (pairs, matches, orders)
    sizes = [one if two is None else two for one, two in zip(usual, given, strict=False)]
    usual_pairs, deals = _QUICK_SEEKING if quick else _USUAL_SEEKING
    with on_cluster(cluster, processes or usable_cores(), errors.print) as where:
        if seeking:
            text = seeking_tables(
                reproduce_seeking(
                    pairs=usual_pairs if pairs is None else pairs,
                    deals=deals,
                    seed=seed,
                    processes=where,
                    say=errors.print,
                )
            )
        else:
            run = reproduce_play(
                pairs=sizes[0],
                arena_matches=sizes[1],
                orders=sizes[2],
                deals=usual[3],
                seed=seed,
                opponents=tuple(filter(None, opponents.split(";"))),
                processes=where,
                say=errors.print,
            )
            text = markdown(run)
    console.print(text, soft_wrap=True)
    if out is not None:
        write_text(out, text)
