"""Canvas of all pictures: page, text that fits, boxes, cards, plots, and an atomic save.

matplotlib is imported when a picture is made, not before.
"""

import io
import os
from typing import TYPE_CHECKING, Any, final

from tiltless.cards.card import card_text
from tiltless.files.atomic import write_bytes
from tiltless.viz.colours import FAINT, LINE, PAGE, PANEL, PLAIN, SUIT_TILES, SUITS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Patch
    from matplotlib.text import Text

__all__ = [
    "FONT",
    "Area",
    "Canvas",
    "FilePath",
    "Sheet",
    "box",
    "draw_card",
    "fit",
    "percent_axis",
    "whole_number_axis",
    "write",
]

FilePath = str | os.PathLike[str]
Area = tuple[float, float, float, float]
"""Left, bottom, width and height of a plot, as fractions of the picture."""
FONT: dict[str, Any] = {"family": "DejaVu Sans", "parse_math": False, "usetex": False}
_SMALLEST = 8.0  # points; a text that is still too wide is cut


@final
class Canvas:
    """An empty picture of a size in pixels; page: its colour, white for plots on paper."""

    def __init__(self, width: float, height: float, *, page: str = PAGE, dpi: int = 100) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.width, self.height = width, height
        self.figure = Figure(figsize=(width / dpi, height / dpi), dpi=dpi, facecolor=page)
        self._agg: Any = FigureCanvasAgg(self.figure)

    def pixels(self, left: float, top: float, width: float, height: float) -> "Axes":
        """A part of the picture to draw on, in pixels from its upper left corner."""
        bottom = self.height - top - height
        area = left / self.width, bottom / self.height, width / self.width, height / self.height
        axes = self.figure.add_axes(area)
        axes.set(xlim=(0, width), ylim=(height, 0))
        axes.set_axis_off()
        return axes

    def png(self) -> bytes:
        """The picture as a PNG file, the same bytes each time."""
        buffer = io.BytesIO()
        self._agg.print_png(buffer, metadata={"Software": None})
        return buffer.getvalue()

    def save(self, path: FilePath) -> None:
        """Write the PNG file atomically."""
        write_bytes(path, self.png())


def write(
    on: Any,
    x: float,
    y: float,
    text: str,
    size: float,
    ink: str = PLAIN,
    *,
    bold: bool = False,
    right: bool = False,
    room: float | None = None,
    keep_end: bool = False,
) -> "Text":
    """Write a line of text on axes or a figure; y is its middle.

    room, keep_end: see `fit`.
    """
    weight, side = "bold" if bold else "normal", "right" if right else "left"
    made: Text = on.text(
        x, y, text, size=size, color=ink, weight=weight, ha=side, va="center", **FONT
    )
    if room is not None:
        fit(made, room, keep_end)
    return made


def fit(made: "Text", room: float, keep_end: bool = False) -> None:
    """Fit a text into ``room`` pixels: first with a smaller font, then by cutting it.

    The end is cut, or with ``keep_end`` the beginning.
    """
    text, size = made.get_text(), float(made.get_fontsize())
    while made.get_window_extent().width > room and size > _SMALLEST:
        size = max(size - 0.5, _SMALLEST)
        made.set_fontsize(size)
    while made.get_window_extent().width > room and len(text) > 1:
        text = text[1:] if keep_end else text[:-1]
        made.set_text(f"… {text.lstrip()}" if keep_end else f"{text.rstrip()}…")


def box(axes: "Axes", left: float, top: float, width: float, height: float, colour: str) -> "Patch":
    """Fill a rectangle."""
    from matplotlib.patches import Rectangle

    patch = Rectangle((left, top), width, height, facecolor=colour, linewidth=0, antialiased=False)
    return axes.add_patch(patch)


def draw_card(axes: "Axes", card: int, left: float, top: float) -> None:
    """Draw a card, 38 by 30, into axes whose units are pixels."""
    from matplotlib.patches import FancyBboxPatch

    axes.add_patch(
        FancyBboxPatch(
            (left, top),
            38,
            30,
            boxstyle="round,pad=0,rounding_size=4",
            facecolor=SUIT_TILES[card & 3],
            linewidth=0,
        )
    )
    face = card_text(card)[0] + SUITS[card & 3]
    write(axes, left + 19, top + 16, face, 14, "white", bold=True).set_horizontalalignment("center")


@final
class Sheet:
    """A dark page of 1,000 x 640 pixels with a title, a line under it, and room for plots.

    note: for the lower corner.
    """

    WIDTH, HEIGHT = 1000, 640
    WHOLE: Area = (0.085, 0.13, 0.885, 0.71)
    WITH_SCALE: Area = (0.085, 0.13, 0.79, 0.71)
    """Leaves room for a colour scale on the right."""

    def __init__(self, title: str, subtitle: str, note: str = "") -> None:
        self.canvas = Canvas(self.WIDTH, self.HEIGHT)
        figure, room = self.canvas.figure, 0.885 * self.WIDTH
        write(figure, 0.085, 0.945, title, 16, bold=True, room=room)
        write(figure, 0.085, 0.885, subtitle, 11, FAINT, room=room)
        write(figure, 0.97, 0.03, note, 9, FAINT, right=True, room=room)

    def axes(self, area: Area = WHOLE) -> "Axes":
        """A plot."""
        axes = self.canvas.figure.add_axes(area, facecolor=PANEL)
        _style(axes)
        return axes

    def scale(self, image: Any, label: str, beside: "Axes", percent: bool = True) -> None:
        """A colour scale on the right."""
        at = beside.get_position()
        axes = self.canvas.figure.add_axes((at.x1 + 0.015, at.y0, 0.018, at.height))
        scale = self.canvas.figure.colorbar(image, cax=axes)
        if percent:
            percent_axis(axes.yaxis)
        scale.set_label(label, size=11)
        _style(axes)

    def save(self, path: FilePath) -> None:
        """Write the PNG file atomically."""
        self.canvas.save(path)


def percent_axis(axis: Any) -> None:
    """Label an axis of fractions in percent."""
    from matplotlib.ticker import PercentFormatter

    axis.set_major_formatter(PercentFormatter(1.0, None))


def whole_number_axis(axis: Any) -> None:
    """Label an axis with whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(10, integer=True))


def _style(axes: "Axes") -> None:
    axes.tick_params(colors=PLAIN, labelsize=10)
    for side in axes.spines.values():
        side.set_color(LINE)
    for label in (axes.xaxis.label, axes.yaxis.label):
        label.set(color=PLAIN, size=12)
