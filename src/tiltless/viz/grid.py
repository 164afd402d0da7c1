"""The 13 x 13 range grid as a PNG file: ranges, numbers, and strategies as stacked bars.

The grid has its rows and columns from ace to deuce: pairs on the diagonal, suited hands above it,
offsuit hands below. `tiltless.viz.terminal` prints the same in the terminal.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import CLASS_COUNT, CLASS_NAMES, Cards, parse_cards
from tiltless.cards.ranges import Range
from tiltless.errors import ArrayError
from tiltless.viz.canvas import FONT, Canvas, FilePath, box, draw_card, fit, write
from tiltless.viz.colours import CELL, FAINT, IN_RANGE, PAGE, PLAIN, ink_on
from tiltless.viz.terminal import counts_text, per_class

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CELL_SIDE", "MARGIN", "Cell", "draw_grid", "grid_png", "range_png"]

Cell = Sequence[tuple[float, str]]
"""The bars of a cell, from left to right: (fraction of the width, colour)."""
MARGIN, CELL_SIDE = 12, 72
"""Pixels around the grid, and of a cell."""
_HEAD = 82
_WIDTH = 2 * MARGIN + 13 * CELL_SIDE


def range_png(hands: Range, path: FilePath, title: str | None = None, board: Cards = ()) -> None:
    """The grid of a range as a PNG file: each cell is filled from the bottom up to its weight.

    A board, if given, is drawn too, and the hands that it makes impossible are left out.
    """
    board = parse_cards(board)
    left = hands.without(board)
    heights = left.class_weights(board)
    text = str(hands)
    grid_png(
        [((1.0, IN_RANGE),)] * CLASS_COUNT,
        path,
        heights=heights,
        notes=[_percent(height) if 0 < height < 1 else "" for height in heights.tolist()],
        title=(text if 0 < len(text) <= 80 else "Range") if title is None else title,
        subtitle=counts_text(left.combos, len(board)),
        board=board,
    )


def grid_png(
    cells: Sequence[Cell],
    path: FilePath,
    *,
    heights: npt.ArrayLike | None = None,
    notes: Sequence[str] | None = None,
    title: str = "",
    subtitle: str = "",
    legend: Sequence[tuple[str, str]] = (),
    board: Cards = (),
) -> None:
    """A 13 x 13 grid of stacked bars as a PNG file, 960 pixels wide, written atomically.

    cells: 169 sequences of (share of the width, colour), from left to right: the actions of a
        class, say. Shares need not sum to 1.
    heights: how far each bar rises from the bottom, 0 to 1, ``[169]``: the weight of a class in the
        range. None means 1.
    notes: 169 short texts for the bottom right corner.
    legend: (label, colour) pairs for the top right corner; either may be empty.
    board: cards for the top right corner.
    """
    if len(cells) != CLASS_COUNT:
        raise ArrayError(f"a grid has 169 cells, not {len(cells)}; give one per hand class")
    tops = np.ones(CLASS_COUNT) if heights is None else per_class(heights).clip(0, 1)
    side = 13 * CELL_SIDE
    canvas = Canvas(_WIDTH, _HEAD + side + MARGIN)
    draw_grid(canvas.pixels(MARGIN, _HEAD, side, side), cells, tops.tolist(), notes)
    _draw_head(canvas.pixels(0, 0, _WIDTH, _HEAD), title, subtitle, legend, parse_cards(board))
    canvas.save(path)


def draw_grid(
    axes: "Axes", cells: Sequence[Cell], tops: Sequence[float], notes: Sequence[str] | None = None
) -> None:
    """Draw the grid of `grid_png` into axes, for pictures with more around it; 72 pixels a cell."""
    axes.set(xlim=(0, 13), ylim=(13, 0))
    _draw_cells(axes, cells, tops)
    _draw_labels(axes, cells, tops, notes or [""] * CLASS_COUNT)


def _draw_cells(axes: "Axes", cells: Sequence[Cell], tops: Sequence[float]) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    side = 1 - 1 / CELL_SIDE  # one pixel of page between cells
    patches, colours = [], []
    for cell_index, (cell, top) in enumerate(zip(cells, tops, strict=True)):
        row, column = divmod(cell_index, 13)
        patches.append(Rectangle((column, row), side, side))
        colours.append(CELL)
        left = float(column)
        for share, colour in cell:
            width = min(max(share, 0.0) * side, column + side - left)
            patches.append(Rectangle((left, row + side * (1 - top)), width, side * top))
            colours.append(colour)
            left += width
    axes.add_collection(
        PatchCollection(patches, facecolors=colours, linewidths=0, antialiased=False)
    )


def _draw_labels(
    axes: "Axes", cells: Sequence[Cell], tops: Sequence[float], notes: Sequence[str]
) -> None:
    from matplotlib.patheffects import withStroke

    for cell_index, (cell, top, note) in enumerate(zip(cells, tops, notes, strict=True)):
        row, column = divmod(cell_index, 13)
        filled = bool(cell) and top > 0
        first, last = (cell[0][1], cell[-1][1]) if filled else (CELL, CELL)
        # A bar that ends behind the text, or changes its colour there, needs an outline.
        name_clear = not filled or (top > 0.95 and len(cell) == 1) or top < 0.6
        name_ink = ink_on(first if top > 0.95 else CELL) if filled else FAINT
        note_clear = not filled or (top > 0.35 and len(cell) == 1) or top < 0.05
        note_ink = ink_on(last if top > 0.35 else CELL)
        for text, x, y, size, ink, clear, corner in (
            (CLASS_NAMES[cell_index], 0.07, 0.08, 14.0, name_ink, name_clear, ("left", "top")),
            (note, 0.92, 0.90, 10.5, note_ink, note_clear, ("right", "bottom")),
        ):
            if text:
                axes.text(
                    column + x,
                    row + y,
                    text,
                    size=size,
                    color=ink if clear else PLAIN,
                    weight="bold" if filled else "normal",
                    ha=corner[0],
                    va=corner[1],
                    path_effects=None if clear else [withStroke(linewidth=2.5, foreground=PAGE)],
                    **FONT,
                )


def _draw_head(
    axes: "Axes",
    title: str,
    subtitle: str,
    legend: Sequence[tuple[str, str]],
    board: Sequence[int],
) -> None:
    """Title and subtitle on the left, board and legend on the right."""
    right = float(_WIDTH - MARGIN)
    for card in reversed(board):
        right -= 40
        draw_card(axes, card, right + 1, 10)
    write(axes, MARGIN, 26, title, 18, bold=True, room=right - 2 * MARGIN)
    below = write(axes, MARGIN, 60, subtitle, 13, FAINT)
    most = _WIDTH - 4 * MARGIN  # for the subtitle and the legend beside it
    room = most - below.get_window_extent().width
    width, drawn = _draw_legend(axes, legend, 1.0)
    if width > room:
        for artist in drawn:
            artist.remove()
        width, _ = _draw_legend(axes, legend, max(0.98 * room / width, 0.65))
        fit(below, most - width)


def _draw_legend(
    axes: "Axes", legend: Sequence[tuple[str, str]], scale: float
) -> tuple[float, list[Any]]:
    """Draw the legend from the right; return its width in pixels and what was drawn."""
    right = float(_WIDTH - MARGIN)
    drawn: list[Any] = []
    for label, colour in reversed(legend):
        if label:
            right -= 0 if colour else 6 * scale
            drawn.append(write(axes, right, 60, label, 12 * scale, right=True))
            right -= drawn[-1].get_window_extent().width + 6 * scale
        if colour:
            right -= 16 * scale
            drawn.append(box(axes, right, 60 - 8 * scale, 16 * scale, 16 * scale, colour))
        right -= 14 * scale if label and colour else 0
    return _WIDTH - MARGIN - right, drawn


def _percent(weight: float) -> str:
    """``"50%"`` for 0.5; values other than 0 and 1 never look like 0% or 100%."""
    percent = min(max(100 * weight, 0.1), 99.9)
    return f"{percent:.0f}%" if 0.95 <= percent < 99.5 else f"{percent:.1f}%"
