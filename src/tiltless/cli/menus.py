"""``tiltless menus``: bet sizes by name."""

import json
from typing import Annotated

import typer
from rich.console import Console

from tiltless.abstraction.bets.presets import MENUS

__all__ = ["menus"]


def menus(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the menus of bet sizes, each with the text that makes it."""
    if as_json:
        typer.echo(json.dumps({name: str(each.menu) for name, each in MENUS.items()}, indent=2))
        return
    console = Console(highlight=False)
    for name, each in MENUS.items():
        console.print(f"[bold]{name}[/]: {each.about}")
        console.print(f"  {each.menu}", markup=False, soft_wrap=True)
    console.print(
        "how large a tree is: tiltless tree nlhe stack=100bb --bets '50%, 100%, a; cap 4'",
        markup=False,
        soft_wrap=True,
    )
