"""``tiltless menus``: bet sizes by name."""

from tiltless.abstraction.bets.presets import MENUS
from tiltless.cli import ui

__all__ = ["menus"]


def menus(
    as_json: ui.AsJson = False,
) -> None:
    """List the named menus of bet sizes, each with its text."""
    if as_json:
        ui.print_json({name: str(each.menu) for name, each in MENUS.items()})
        return
    console = ui.console()
    for name, each in MENUS.items():
        console.print(f"[bold]{name}[/]: {each.about}")
        ui.say(console, f"  {each.menu}")
    ui.say(
        console,
        "size of a tree: tiltless tree nlhe stack=100bb --bets '50%, 100%, a; cap 4'",
    )
