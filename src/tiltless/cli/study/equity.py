"""``tiltless equity``: equity of hands and ranges."""

import dataclasses
import json
import time
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tiltless.cards import equity as exact
from tiltless.cards.card import parse_cards
from tiltless.cli import ui
from tiltless.cli.compiling import besides
from tiltless.cli.study.hand import Ranks, order_from_options
from tiltless.intervals import half_width_95
from tiltless.kernels.base.compiling import compile_seconds
from tiltless.viz.terminal import cards_markup

__all__ = ["equity"]


def equity(
    players: Annotated[list[str], typer.Argument(help="Hands or ranges: AsAh KK,QQ random 15%")],
    board: Annotated[str, typer.Option(help="Board: 3, 4 or 5 cards.")] = "",
    dead: Annotated[str, typer.Option(help="Dead cards.")] = "",
    method: Annotated[
        str,
        typer.Option(
            help="Method: auto, exact or 'monte carlo'; auto samples only if exact is too slow."
        ),
    ] = "auto",
    samples: Annotated[
        int, typer.Option(help="Number of deals to sample.")
    ] = exact.DEFAULT_SAMPLES,
    seed: Annotated[int, typer.Option(help="Random seed for Monte Carlo sampling.")] = 0,
    short_deck: Annotated[bool, typer.Option(help="Use the 36-card short deck.")] = False,
    ranks: Ranks = "",
    as_json: ui.AsJson = False,
) -> None:
    """Compute the equity of two or more hands or ranges, exactly if that is fast enough."""
    order = order_from_options(short_deck, ranks)
    start, compiled = time.perf_counter(), compile_seconds()
    result = exact.equity(
        *players,
        board=board,
        dead=dead,
        method=method,
        samples=samples,
        seed=seed,
        order=order,
    )
    compiled = compile_seconds() - compiled
    seconds = time.perf_counter() - start - compiled
    if as_json:
        typer.echo(json.dumps({"players": players, **dataclasses.asdict(result)}))
        return
    console = Console(highlight=False)
    title = cards_markup(parse_cards(board)) if board else None
    table = Table(title=title, title_style="")
    table.add_column("player")
    for heading in ("equity", "wins", "ties"):
        table.add_column(heading, justify="right")
    sampled = result.method != "exact"
    if sampled:
        table.add_column("+/- (95 %)", justify="right")
    for player, share, win, tie, error in zip(
        players, result.shares, result.wins, result.ties, result.standard_errors, strict=True
    ):
        row = [player, f"[bold]{share:.4%}[/]", f"{win:.4%}", f"{tie:.4%}"]
        table.add_row(*row, *([f"{half_width_95(error):.4%}"] if sampled else []))
    console.print(table)
    how = f"Monte Carlo, seed {seed}" if sampled else "exact"
    console.print(f"{how}: {result.deals:,.0f} deals in {seconds:.3g} s{besides(compiled)}")
