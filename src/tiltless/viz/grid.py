"""Four-colour cards and the 13 x 13 range grid, in the terminal and as PNG.

The grid has its rows and columns from ace to deuce: pairs on the diagonal, suited hands above it,
offsuit hands below. rich and matplotlib are imported when a picture is made, not before.
"""

import io
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import CLASS_COUNT, CLASS_NAMES, Cards, card_text, parse_cards
from tiltless.cards.ranges import Range
from tiltless.errors import ArrayError
from tiltless.files.atomic import write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text
    from rich.console import Console, ConsoleOptions
    from rich.text import Text as RichText

__all__ = [
    "BETS",
    "CALL",
    "FOLD",
    "HEAT",
    "IN_RANGE",
    "GridText",
    "bet_colours",
    "blend",
    "cards_markup",
    "counts_text",
    "draw_card",
    "draw_grid",
    "grid_png",
    "grid_text",
    "heat_colour",
    "heat_png",
    "ink_on",
    "range_grid",
    "range_png",
]

Path = str | os.PathLike[str]
Cell = Sequence[tuple[float, str]]
"""What fills a cell, from left to right: (share of the width, colour)."""

# The colours that players know from other solvers.
IN_RANGE = "#eab308"
FOLD = "#3b82f6"
CALL = "#22c55e"
BETS = ("#f59e0b", "#f97316", "#ef4444", "#ec4899", "#d946ef", "#a855f7", "#8b5cf6")
HEAT = ("#ef4444", "#f97316", "#f59e0b", "#eab308", "#84cc16", "#22c55e", "#10b981")

_PAGE, _CELL, _FAINT, _PLAIN = "#111214", "#2a2c31", "#8b8f98", "#f5f5f5"
_FONT: dict[str, Any] = {"family": "DejaVu Sans", "parse_math": False, "usetex": False}
_MARGIN, _CELL_SIDE, _HEAD = 12, 72, 82  # pixels
_WIDTH = 2 * _MARGIN + 13 * _CELL_SIDE
_HEIGHT = _HEAD + 13 * _CELL_SIDE + _MARGIN
_SUIT_SYMBOLS = "♣♦♥♠"
_SUIT_STYLES = ("bold #16a34a", "bold #3b82f6", "bold #ef4444", "bold")  # spades: as the terminal
_SUIT_TILES = ("#15803d", "#2563eb", "#dc2626", "#3f434b")


def cards_markup(cards: Cards, symbols: bool | None = None) -> str:
    """Cards as rich markup in four colours: ``A♠ K♦``, or ``As Kd`` where symbols cannot be shown.

    symbols: None asks standard output whether it is UTF-8. Consoles without colour drop the
        colours by themselves.
    """
    if symbols is None:
        symbols = _is_unicode(sys.stdout.encoding)
    pieces = []
    for card in parse_cards(cards):
        text = card_text(card)[0] + _SUIT_SYMBOLS[card & 3] if symbols else card_text(card)
        pieces.append(f"[{_SUIT_STYLES[card & 3]}]{text}[/]")
    return " ".join(pieces)


def counts_text(combos: float, dead: int = 0) -> str:
    """``"22 combos (1.7%)"``, in percent of the combos that ``dead`` known cards leave possible."""
    possible = (52 - dead) * (51 - dead) // 2
    number = f"{combos:,.1f}".removesuffix(".0")
    noun = "combo" if number == "1" else "combos"
    return f"{number} {noun} ({100 * combos / possible:.1f}%)"


@final
@dataclass(frozen=True, slots=True)
class GridText:
    """The 13 x 13 grid for a terminal: print it with a rich console, or take ``str`` of it.

    78 columns wide. A console with colours gets shaded cells; one without (a file, a pipe,
    ``NO_COLOR``) gets the names of the hands that are in, and dots for the others. A hand that is
    only partly in shows its weight in tenths: ``A5s.5``.
    """

    weights: tuple[float, ...]
    header: str = ""

    def __str__(self) -> str:
        return self.plain(dot="·")

    def plain(self, dot: str = ".") -> str:
        """Without colours."""
        lines = [self.header] if self.header else []
        for row in range(13):
            cells = (self._cell(13 * row + column, dot) for column in range(13))
            lines.append("".join(cells).rstrip())
        return "\n".join(lines)

    def _cell(self, place: int, empty: str) -> str:
        weight = self.weights[place]
        if weight <= 0:
            return f" {empty:<5}"
        tenths = "" if weight >= 1 else f".{min(max(int(10 * weight + 0.5), 1), 9)}"
        return f" {CLASS_NAMES[place]:<3}{tenths:<2}"

    def __rich_console__(
        self, console: "Console", options: "ConsoleOptions"
    ) -> "Iterator[RichText]":
        from rich.text import Text

        if console.no_color or console.color_system is None:
            plain = self.plain("·" if _is_unicode(options.encoding) else ".")
            yield Text(plain, no_wrap=True, overflow="crop")
            return
        text = Text(no_wrap=True, overflow="crop")
        if self.header:
            text.append(self.header + "\n", style="bold")
        for place, weight in enumerate(self.weights):
            shade = blend((_CELL, IN_RANGE), weight)
            ink = _FAINT if weight <= 0 else ink_on(shade)
            style = f"{ink} on {shade}" if weight <= 0 else f"bold {ink} on {shade}"
            text.append(self._cell(place, CLASS_NAMES[place]), style=style)
            if place % 13 == 12 and place < CLASS_COUNT - 1:
                text.append("\n")
        yield text


def grid_text(weights: npt.ArrayLike, header: str = "") -> GridText:
    """The grid of 169 weights from 0 to 1, for the terminal."""
    return GridText(tuple(_per_class(weights).tolist()), header)


def range_grid(hands: Range, header: str | None = None, board: Cards = ()) -> GridText:
    """The grid of a range, for the terminal; the header is its text and its number of combos."""
    board = parse_cards(board)
    left = hands.without(board)
    counts = counts_text(left.combos, len(board))
    text = str(hands) if header is None else header
    fits = text and len(text) + len(counts) + 3 <= 78
    return grid_text(left.class_weights(board), f" {text}  {counts}" if fits else f" {counts}")


def range_png(hands: Range, path: Path, title: str | None = None, board: Cards = ()) -> None:
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


def heat_png(
    values: npt.ArrayLike,
    path: Path,
    title: str = "",
    subtitle: str = "",
    spec: str = ".1f",
    low: float | None = None,
    high: float | None = None,
) -> None:
    """169 numbers as a PNG file, coloured from red (``low``) to green (``high``); NaN stays empty.

    spec: how numbers are written, as in `format`: ``".1%"`` for equities from 0 to 1.
    """
    numbers = _per_class(values)
    finite = numbers[np.isfinite(numbers)]
    low = float(finite.min(initial=np.inf)) if low is None else low
    high = float(finite.max(initial=-np.inf)) if high is None else high
    cells: list[Cell] = []
    notes = []
    for value in numbers.tolist():
        shown = np.isfinite(value)
        cells.append(((1.0, heat_colour(value, low, high)),) if shown else ())
        notes.append(format(value, spec) if shown else "")
    legend = []
    if len(finite):
        scale = (("", colour) for colour in HEAT)
        legend = [(format(low, spec), ""), *scale, (format(high, spec), "")]
    grid_png(cells, path, notes=notes, title=title, subtitle=subtitle, legend=legend)


def grid_png(
    cells: Sequence[Cell],
    path: Path,
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
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if len(cells) != CLASS_COUNT:
        raise ArrayError(f"a grid of {len(cells)} cells cannot be drawn; give 169, one per class")
    tops = np.ones(CLASS_COUNT) if heights is None else _per_class(heights).clip(0, 1)
    figure = Figure(figsize=(_WIDTH / 100, _HEIGHT / 100), dpi=100, facecolor=_PAGE)
    canvas: Any = FigureCanvasAgg(figure)
    side = 13 * _CELL_SIDE
    axes = figure.add_axes((_MARGIN / _WIDTH, _MARGIN / _HEIGHT, side / _WIDTH, side / _HEIGHT))
    draw_grid(axes, cells, tops.tolist(), notes)
    _draw_head(figure, title, subtitle, legend, parse_cards(board))
    buffer = io.BytesIO()
    canvas.print_png(buffer, metadata={"Software": None})
    write_bytes(path, buffer.getvalue())


def bet_colours(count: int) -> tuple[str, ...]:
    """Colours for ``count`` bet sizes from small to large: amber alone, or amber to violet."""
    if count <= 1:
        return BETS[:count]
    return tuple(blend(BETS, place / (count - 1)) for place in range(count))


def heat_colour(value: float, low: float, high: float) -> str:
    """The colour of a value between ``low`` (red) and ``high`` (green); values outside are cut."""
    return blend(HEAT, (value - low) / (high - low) if high > low else 0.5)


def draw_grid(
    axes: "Axes", cells: Sequence[Cell], tops: Sequence[float], notes: Sequence[str] | None = None
) -> None:
    """Draw the grid of `grid_png` into axes, for pictures with more around it; 72 pixels a cell."""
    axes.set(xlim=(0, 13), ylim=(13, 0))
    axes.set_axis_off()
    _draw_cells(axes, cells, tops)
    _draw_labels(axes, cells, tops, notes or [""] * CLASS_COUNT)


def draw_card(axes: "Axes", card: int, left: float, top: float) -> None:
    """Draw a card, 38 by 30, into axes whose units are pixels."""
    from matplotlib.patches import FancyBboxPatch

    axes.add_patch(
        FancyBboxPatch(
            (left, top),
            38,
            30,
            boxstyle="round,pad=0,rounding_size=4",
            facecolor=_SUIT_TILES[card & 3],
            linewidth=0,
        )
    )
    face = card_text(card)[0] + _SUIT_SYMBOLS[card & 3]
    ink: dict[str, Any] = {"color": "white", "weight": "bold", "ha": "center", "va": "center"}
    axes.text(left + 19, top + 16, face, size=14, **ink, **_FONT)


def _draw_cells(axes: "Axes", cells: Sequence[Cell], tops: Sequence[float]) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    side = 1 - 1 / _CELL_SIDE  # one pixel of page between cells
    patches, colours = [], []
    for place, (cell, top) in enumerate(zip(cells, tops, strict=True)):
        row, column = divmod(place, 13)
        patches.append(Rectangle((column, row), side, side))
        colours.append(_CELL)
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

    for place, (cell, top, note) in enumerate(zip(cells, tops, notes, strict=True)):
        row, column = divmod(place, 13)
        filled = bool(cell) and top > 0
        first, last = (cell[0][1], cell[-1][1]) if filled else (_CELL, _CELL)
        # A bar that ends behind the text, or changes its colour there, needs an outline.
        name_clear = not filled or (top > 0.95 and len(cell) == 1) or top < 0.6
        name_ink = ink_on(first if top > 0.95 else _CELL) if filled else _FAINT
        note_clear = not filled or (top > 0.35 and len(cell) == 1) or top < 0.05
        note_ink = ink_on(last if top > 0.35 else _CELL)
        for text, x, y, size, ink, clear, corner in (
            (CLASS_NAMES[place], 0.07, 0.08, 14.0, name_ink, name_clear, ("left", "top")),
            (note, 0.92, 0.90, 10.5, note_ink, note_clear, ("right", "bottom")),
        ):
            if text:
                axes.text(
                    column + x,
                    row + y,
                    text,
                    size=size,
                    color=ink if clear else _PLAIN,
                    weight="bold" if filled else "normal",
                    ha=corner[0],
                    va=corner[1],
                    path_effects=None if clear else [withStroke(linewidth=2.5, foreground=_PAGE)],
                    **_FONT,
                )


def _draw_head(
    figure: "Figure",
    title: str,
    subtitle: str,
    legend: Sequence[tuple[str, str]],
    board: Sequence[int],
) -> None:
    """Title and subtitle on the left, board and legend on the right."""
    from matplotlib.patches import Rectangle

    axes = figure.add_axes((0, 1 - _HEAD / _HEIGHT, 1, _HEAD / _HEIGHT))
    axes.set(xlim=(0, _WIDTH), ylim=(_HEAD, 0))  # pixels
    axes.set_axis_off()

    def write(x: float, y: float, text: str, size: float, ink: str, bold: bool = False) -> "Text":
        return axes.text(
            x,
            y,
            text,
            size=size,
            color=ink,
            weight="bold" if bold else "normal",
            va="center",
            **_FONT,
        )

    def width(text: "Text") -> float:
        return float(text.get_window_extent().width)

    right = float(_WIDTH - _MARGIN)
    for card in reversed(board):
        right -= 40
        draw_card(axes, card, right + 1, 10)
    heading = write(_MARGIN, 26, title, 18, _PLAIN, bold=True)
    room = right - 2 * _MARGIN
    if width(heading) > room:
        heading.set_fontsize(max(18 * room / width(heading), 8))
    write(_MARGIN, 60, subtitle, 13, _FAINT)
    right = _WIDTH - _MARGIN
    for label, colour in reversed(legend):
        if label:
            right -= 0 if colour else 6
            text = write(right, 60, label, 12, _PLAIN)
            text.set_horizontalalignment("right")
            right -= width(text) + 6
        if colour:
            right -= 16
            axes.add_patch(Rectangle((right, 52), 16, 16, facecolor=colour, linewidth=0))
        right -= 14 if label and colour else 0


def _per_class(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (CLASS_COUNT,):
        raise ArrayError(f"a grid of shape {array.shape} cannot be drawn; give 169 values, (169,)")
    return array


def _is_unicode(encoding: str | None) -> bool:
    return (encoding or "").lower().startswith("utf")


def _percent(weight: float) -> str:
    """``"50%"`` for 0.5; what is neither 0 nor 1 never looks like it."""
    percent = min(max(100 * weight, 0.1), 99.9)
    return f"{percent:.0f}%" if 0.95 <= percent < 99.5 else f"{percent:.1f}%"


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def blend(colours: Sequence[str], place: float) -> str:
    """The colour at ``place`` (0 to 1) on the way through ``colours``."""
    at = min(max(place, 0.0), 1.0) * (len(colours) - 1)
    step = min(int(at), len(colours) - 2)
    start, end = _channels(colours[step]), _channels(colours[step + 1])
    mixed = (round(a + (b - a) * (at - step)) for a, b in zip(start, end, strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def ink_on(colour: str) -> str:
    """Black or white, whichever is easier to read on a colour."""
    red, green, blue = _channels(colour)
    return "#111214" if 0.299 * red + 0.587 * green + 0.114 * blue > 118 else _PLAIN
