"""Notebook pictures of ranges, decisions of a solved spot and cross tables.

`import tiltless` calls `show_pictures` where IPython runs. It tells IPython's PNG formatter which
function draws which class, by the names of both, so nothing is imported before there is something
to draw, and no class knows of its picture.
"""

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tiltless.arena.cross_table import CrossTable
    from tiltless.cards.ranges import Range
    from tiltless.postflop.node import Node
    from tiltless.postflop.solution import SolvedNode

__all__ = ["PICTURES", "cross_table_picture", "node_picture", "range_picture", "show_pictures"]


def range_picture(hands: "Range") -> bytes:
    """The 13 x 13 grid of a range as a PNG."""
    from tiltless.viz.grid import range_png

    return _bytes(lambda path: range_png(hands, path))


def node_picture(node: "SolvedNode | Node") -> bytes | None:
    """The strategy at a decision as a PNG; None where nobody acts, so the text is shown instead."""
    from tiltless.postflop.node import Node
    from tiltless.viz.strategy import node_png

    decision = node if isinstance(node, Node) else node.node
    return _bytes(lambda path: node_png(decision, path)) if decision.actor >= 0 else None


def cross_table_picture(table: "CrossTable") -> bytes:
    """The heat map of a cross table as a PNG."""
    from tiltless.viz.cross_table import heat_map_png

    return heat_map_png(table, f"{table.hands:,} hands, {table.unit}")


PICTURES: dict[tuple[str, str], Callable[[Any], bytes | None]] = {
    ("tiltless.cards.ranges", "Range"): range_picture,
    ("tiltless.postflop.solution", "SolvedNode"): node_picture,
    ("tiltless.postflop.node", "Node"): node_picture,
    ("tiltless.arena.cross_table", "CrossTable"): cross_table_picture,
}
"""Module and name of each class that has a picture, and what draws it."""


def show_pictures(shell: Any = None) -> bool:
    """Register the pictures with an IPython shell; False where there is none.

    shell: by default the one that runs.
    """
    if shell is None:
        with suppress(AttributeError, KeyError):
            shell = sys.modules["IPython"].get_ipython()
    if shell is None:
        return False
    formatter = shell.display_formatter.formatters["image/png"]
    for (module, name), picture in PICTURES.items():
        formatter.for_type_by_name(module, name, picture)
    return True


def _bytes(draw: Callable[[Path], None]) -> bytes:
    """The bytes of a picture that a function writes to a file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "picture.png"
        draw(path)
        return path.read_bytes()
