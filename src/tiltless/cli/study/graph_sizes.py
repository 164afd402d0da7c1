"""``tiltless tree`` with a menu of several seats: shared streets and exact histories, counted."""

from typing import Any

from rich.table import Table

from tiltless.blueprint.multiway.graph_layout import graph_size
from tiltless.blueprint.multiway.menu import MULTIWAY_MENUS, MultiwayMenu
from tiltless.blueprint.multiway.menu_text import read_multiway_menu
from tiltless.cli import ui
from tiltless.errors import OptionError
from tiltless.games.holdem.game import Holdem

__all__ = ["graph_sizes", "is_multiway", "show_sizes"]

_BYTES_PER_ROW = 8  # a regret and an average, 32 bits each
_LAYOUTS = (
    ("shared streets", {"shared": True, "pairs": True}),
    ("shared streets, no pairs of seats", {"shared": True, "pairs": False}),
    ("exact histories", {"shared": False, "pairs": False}),
)


def is_multiway(bets: str) -> bool:
    """Whether this is a menu of several seats: a name, or a text with parts for players left."""
    return bets in MULTIWAY_MENUS or "|" in bets


def graph_sizes(game: Holdem, bets: str, buckets: list[int]) -> dict[str, Any]:
    """Sizes of all layouts of a menu."""
    menu: MultiwayMenu = read_multiway_menu(bets)
    streets = len(game.rules.streets)
    if game.players <= 2:
        raise OptionError(
            f"--bets {bets} is for three to six seats and the game has {game.players}; add seats=6"
        )
    numbers = (buckets + buckets[-1:] * streets)[:streets]
    layouts = []
    for name, options in _LAYOUTS:
        size = graph_size(game, menu, **options)
        rows = size.entries(numbers)
        layouts.append(
            {
                "layout": name,
                "decisions": sum(size.decisions),
                "rows": rows,
                "graph_bytes": size.nbytes,
                "table_bytes": rows * _BYTES_PER_ROW,
                "model_bytes": rows // 2,
            }
        )
    return {
        "game": game.name,
        "players": game.players,
        "bets": str(menu),
        "buckets": numbers,
        "layouts": layouts,
    }


def show_sizes(facts: dict[str, Any]) -> None:
    """As a table."""
    console = ui.console()
    console.print(f"{facts['game']}, {facts['players']} players", markup=False)
    ui.say(console, f"bets: {facts['bets']}")
    table = Table("layout")
    for heading in ("decisions", "rows", "training", "model, at most"):
        table.add_column(heading, justify="right")
    for line in facts["layouts"]:
        memory = (line["graph_bytes"] + line["table_bytes"]) / 1e9
        table.add_row(
            line["layout"],
            f"{line['decisions']:,}",
            f"{line['rows']:,}",
            f"{memory:,.2f} GB",
            f"{line['model_bytes'] / 1e6:,.0f} MB",
        )
    console.print(table)
