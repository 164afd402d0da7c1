"""``tiltless range``: read a range, draw it, write it back."""

from pathlib import Path
from typing import Annotated

import typer

from tiltless.cards.card import parse_cards
from tiltless.cards.ranges import Range
from tiltless.cli import ui
from tiltless.errors import RangeError
from tiltless.files.writable import check_picture
from tiltless.viz.grid import range_png
from tiltless.viz.terminal import range_grid

__all__ = ["range_"]


def range_(
    text: Annotated[str, typer.Argument(help="A range: QQ+,AKs,A5s-A2s:0.5 or 15% or random")],
    board: Annotated[str, typer.Option(help="Dead cards: remove the combos that they block.")] = "",
    png: Annotated[
        Path | None, typer.Option(help="Also write the picture to this PNG file.")
    ] = None,
    as_json: ui.AsJson = False,
) -> None:
    """Show a range as a 13 x 13 picture, its size and its canonical text."""
    if png is not None:
        check_picture(png)
    cards = parse_cards(board)
    given = Range(text)
    live = given.without(cards)
    if not len(live):
        raise RangeError(f"the board {board} blocks every combo of {text}; remove a card")
    if png is not None:
        range_png(given, png, board=cards)
    if as_json:
        result = {"range": str(live), "combos": live.combos, "percent": live.percent}
        ui.print_json(result, indent=None)
        return
    console = ui.console()
    console.print(range_grid(given, board=cards))
    ui.say(console, f"\n{live}")
    if png is not None:
        ui.say(console, f"picture: {png}")
