"""``tiltless blueprint``: what a trained strategy is, whether it is sound, what it does."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from tiltless.cards.card import CLASS_COUNT, CLASS_OF_COMBO, cards_text, parse_cards
from tiltless.cards.draw import cards_markup, grid_text
from tiltless.cli.plots import strategy_png
from tiltless.errors import CardError, OptionError
from tiltless.strategy.blueprint import Blueprint
from tiltless.strategy.export import write_csv, write_parquet
from tiltless.strategy.line_text import Choice, ReadLine

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Trained strategies: info, verify, query, export.")

File = Annotated[Path, typer.Argument(help="A blueprint; of one in parts, the index.")]
CardsFile = Annotated[
    Path | None, typer.Option(help="The file of its card abstraction, if that is no preset.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _console(stderr: bool = False) -> Console:
    return Console(highlight=False, stderr=stderr)


def _line(console: Console, text: str) -> None:
    console.print(text, markup=False, soft_wrap=True)


@app.command()
def info(file: File, as_json: AsJson = False) -> None:
    """Game, menu, buckets, fingerprints and model card; nothing is laid out."""
    blueprint = Blueprint.load(file, verify=False)
    about = blueprint.about
    if as_json:
        facts = {
            "game": about.game,
            "rules": about.rules,
            "parameters": dict(about.parameters),
            "bets": about.menu,
            "cards": about.cards,
            "cards_fingerprint": about.cards_fingerprint,
            "buckets": about.buckets,
            "tree_fingerprint": about.tree,
            "fingerprint": about.fingerprint,
            "infosets": about.infosets,
            "visited": about.visited,
            "entries": len(blueprint),
            "parts": len(blueprint.parts),
            "card": dict(about.card),
        }
        typer.echo(json.dumps(facts, indent=2))
        return
    console = _console()
    given = " ".join(f"{name}={_value(value)}" for name, value in about.parameters.items())
    _line(console, f"game:     {about.game} {given}".rstrip())
    _line(console, f"bets:     {about.menu}")
    buckets = " / ".join(f"{count:,}" for count in about.buckets)
    _line(console, f"cards:    {about.cards}, {buckets} buckets")
    share = about.visited / max(about.infosets, 1)
    _line(
        console,
        f"table:    {about.infosets:,} information sets, {about.visited:,} visited ({share:.1%}); "
        f"{len(blueprint) / 1e6:,.1f} MB in {len(blueprint.parts)} "
        f"{'file' if len(blueprint.parts) == 1 else 'parts'}",
    )
    marks = (about.fingerprint, about.tree, about.cards_fingerprint)
    names = ("blueprint", "tree", "cards")
    words = ", ".join(f"{name} {mark[:12]}" for name, mark in zip(names, marks, strict=True))
    _line(console, f"made for: {words}")
    for name, value in about.card.items():
        _line(console, f"  {name}: {value}")


def _value(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


@app.command()
def verify(file: File, cards: CardsFile = None) -> None:
    """Check every byte, that game, tree and cards are those of training, and every row."""
    blueprint = Blueprint.load(file, cards=cards)
    blueprint.verify()
    about = blueprint.about
    _line(
        _console(),
        f"{file} is sound: {len(blueprint):,} entries, {about.infosets:,} information sets, "
        f"{about.visited:,} visited",
    )


@app.command()
def query(
    file: File,
    hole: Annotated[str, typer.Option(help="The cards of the player to act: AsKd.")] = "",
    board: Annotated[str, typer.Option(help="The board as it was dealt: Ks7d2c.")] = "",
    line: Annotated[
        str, typer.Option(help="What was done before: 'r2.5bb c / x b50%'; none is first in.")
    ] = "",
    png: Annotated[
        Path | None, typer.Option(help="Without --hole: write the grid of all hands to this file.")
    ] = None,
    cards: CardsFile = None,
    as_json: AsJson = False,
) -> None:
    """What the player to act does with a hand; before the flop without --hole, with all hands.

    A line has f (fold), x (check), c (call) and bets or raises: b6 or r6 (chips in all on the
    street), r2.5bb, b50% (of the pot after calling), r3x, rmin, a (all-in); / begins a street.
    """
    blueprint = Blueprint.load(file, cards=cards)
    place = blueprint.decision_after(line)
    choices = place.choices(blueprint.tree)
    if hole:
        if png is not None:
            raise OptionError("--png draws all hands; leave --hole out")
        bucket = blueprint.bucket(place.node, hole, board)
        chances = blueprint.row(place.node, bucket)
        found: dict[str, Any] = {
            "hole": cards_text(parse_cards(hole)),
            "bucket": bucket,
            "visited": blueprint.is_visited(place.node, bucket),
        }
        hands = None
    else:
        if place.street:
            street = blueprint.tree.street_name(place.street)
            raise CardError(f"a query on the {street} needs a hand; give --hole AsKd")
        hands = _classes(blueprint.hands(place.node, board))
        weights = np.bincount(CLASS_OF_COMBO, minlength=CLASS_COUNT)
        chances = np.asarray(weights @ hands / weights.sum())
        found = {}
    if as_json:
        labels = [choice.label for choice in choices]
        found |= {
            "street": blueprint.tree.street_name(place.street),
            "player": place.actor,
            "pot": place.pot,
            "line": place.text,
            "notes": place.notes,
            "actions": dict(zip(labels, chances.tolist(), strict=True)),
        }
        typer.echo(json.dumps(found, indent=2))
        return
    console = _console()
    _head(console, blueprint, place, hole, board)
    if hole and not found["visited"]:
        _line(console, "training has never been here: all actions are equally likely")
    console.print(_table(choices, chances, blueprint.game.rules.big_blind))
    if hands is not None:
        _grids(console, choices, hands)
        if png is not None:
            title = f"after {place.text}" if place.text else "first in"
            strategy_png(png, choices, hands, title=title, subtitle=f"pot {place.pot}")
            _line(console, f"picture: {png}")


def _head(console: Console, blueprint: Blueprint, place: ReadLine, hole: str, board: str) -> None:
    for note in place.notes:
        _line(console, f"note: {note}")
    heads_up = blueprint.game.players == 2
    names = ("the button", "the big blind" if heads_up else "player 1")
    who = names[place.actor] if place.actor < len(names) else f"player {place.actor}"
    street = blueprint.tree.street_name(place.street)
    after = f" after {place.text}" if place.text else ", first to act"
    _line(console, f"{street}, {who}{after}; pot {place.pot}")
    shown = [cards_markup(each) for each in (hole, board) if each]
    if shown:
        console.print(" on ".join(shown) if hole else shown[0])


def _table(choices: Sequence[Choice], chances: npt.NDArray[np.float64], big_blind: int) -> Table:
    table = Table("action")
    for heading in ("bb", "of the pot", "probability"):
        table.add_column(heading, justify="right")
    table.add_column("")
    for choice, chance in zip(choices, chances.tolist(), strict=True):
        chips = getattr(choice.action, "chips", None)
        size = "" if chips is None else f"{chips / big_blind:.4g}"
        share = "" if choice.share is None else f"{choice.share:.0%}"
        table.add_row(choice.label, size, share, f"{chance:.1%}", "#" * round(20 * chance))
    return table


def _classes(hands: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The mean of each of the 169 classes, `[169, actions]`."""
    sums = np.zeros((CLASS_COUNT, hands.shape[1]))
    np.add.at(sums, CLASS_OF_COMBO, hands)
    return sums / np.bincount(CLASS_OF_COMBO, minlength=CLASS_COUNT)[:, None]


def _grids(console: Console, choices: Sequence[Choice], hands: npt.NDArray[np.float64]) -> None:
    """One grid for calls or checks, one for all raises together; folds are what is left."""
    for heading, wanted in (
        ("bets and raises", [choice.share is not None for choice in choices]),
        ("checks and calls", [choice.label.startswith(("check", "call")) for choice in choices]),
    ):
        if any(wanted):
            weights = hands[:, np.array(wanted)].sum(axis=1)
            weights = np.where(weights < 0.05, 0, np.where(weights > 0.95, 1, weights))
            console.print()
            console.print(grid_text(weights, f" {heading} (a digit: tenths)"))


@app.command()
def export(
    file: File,
    out: Annotated[Path, typer.Argument(help="Where to write: ends in .csv or .parquet.")],
    visited: Annotated[
        bool, typer.Option("--visited", help="Leave out what training has never been to.")
    ] = False,
) -> None:
    """One row for each information set: street, player, line, bucket, actions, probabilities."""
    writers = {".csv": write_csv, ".parquet": write_parquet}
    write = writers.get(out.suffix.casefold())
    if write is None:
        raise OptionError(f"{out} ends in neither .csv nor .parquet; choose one of them")
    blueprint = Blueprint.load(file)
    with Progress(
        TextColumn("decisions"),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=_console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("", total=None)

        def report(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        rows = write(out, blueprint, visited=visited, progress=report)
    about = blueprint.about
    _line(
        _console(),
        f"{out}: {rows:,} rows of {about.infosets:,} information sets, "
        f"{about.visited:,} of them visited",
    )
