"""Strategy pictures: the 13 x 13 grid of a decision as a PNG file, with its summary.

matplotlib is imported when a picture is made, not before.
"""

import io
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from tiltless.errors import OptionError
from tiltless.files.atomic import write_bytes
from tiltless.postflop.node import Node
from tiltless.postflop.report import Totals, actor_report, hand_report, number_text
from tiltless.postflop.spot import PLAYERS
from tiltless.postflop.tables import made_hand_report
from tiltless.viz.grid import Cell, draw_card, draw_grid
from tiltless.viz.strategy_grid import StrategyGrid, strategy_grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["NUMBERS", "node_png"]

NUMBERS = ("ev", "equity", "eqr", "none")
"""What may stand in the corner of the cells."""

_PAGE, _PANEL, _LINE, _FAINT, _PLAIN = "#111214", "#1b1d21", "#33363d", "#9aa0aa", "#f5f5f5"
_MARGIN, _CELL, _SIDE = 12, 72, 400  # pixels
_GRID = 13 * _CELL
_WIDTH = _GRID + _SIDE + 3 * _MARGIN
_HEIGHT = _GRID + 2 * _MARGIN
_KEY = 92  # pixels for the lines that explain the picture


def node_png(
    place: Node,
    path: str | os.PathLike[str],
    *,
    numbers: str = "ev",
    heights: str = "relative",
    palette: str = "usual",
    title: str = "",
) -> None:
    """The strategy at a decision as a picture of 1,372 x 960 pixels, written atomically.

    numbers: what stands in the corner of cells, one of `NUMBERS`: a mean over the class.
    heights, palette: see `tiltless.viz.strategy_grid`.  title: instead of who acts.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    if numbers not in NUMBERS:
        raise OptionError(f"numbers={numbers!r} is not known; known: {', '.join(NUMBERS)}")
    mine = actor_report(place)
    theirs = hand_report(place, 1 - mine.player)
    grid = strategy_grid(mine, heights=heights, palette=palette)
    figure = Figure(figsize=(_WIDTH / 100, _HEIGHT / 100), dpi=100, facecolor=_PAGE)
    canvas: Any = FigureCanvasAgg(figure)
    margin = _MARGIN / _WIDTH, _MARGIN / _HEIGHT
    axes = figure.add_axes((*margin, _GRID / _WIDTH, _GRID / _HEIGHT))
    draw_grid(axes, _cells(grid), grid.heights.tolist(), _notes(grid, numbers))
    left = (_GRID + 2 * _MARGIN) / _WIDTH
    panel = figure.add_axes((left, margin[1], _SIDE / _WIDTH, _GRID / _HEIGHT))
    _Panel(panel).fill(grid, theirs.totals, numbers, heights, title)
    buffer = io.BytesIO()
    canvas.print_png(buffer, metadata={"Software": None})
    write_bytes(path, buffer.getvalue())


def _cells(grid: StrategyGrid) -> list[Cell]:
    """Bets on the left, the largest first, then calls, then folds."""
    return [
        [pair for pair in zip(row, grid.colours, strict=True) if pair[0] > 0.0005][::-1]
        for row in grid.shares.tolist()
    ]


def _notes(grid: StrategyGrid, numbers: str) -> list[str]:
    classes, pot = grid.report.by_class(), grid.report.place.pot
    if numbers == "none":
        return [""] * len(grid.heights)
    if numbers == "equity":
        values, spec = classes["equity"], "{:.0%}"
    elif numbers == "eqr":
        due = classes["equity"] * pot
        values, spec = classes["ev"] / np.where(due > 0, due, np.nan), "{:.2f}"
    else:
        values, spec = classes["ev"], "{:.1f}" if pot < 1000 else "{:.0f}"
    shown = np.isfinite(values) & (grid.heights > 0)
    return [
        number_text(value, spec) if show else "" for value, show in zip(values, shown, strict=True)
    ]


class _Panel:
    """The column on the right, filled from the top; y: how far it is filled, in pixels."""

    def __init__(self, axes: "Axes") -> None:
        axes.set(xlim=(0, _SIDE), ylim=(_GRID, 0))
        axes.set_axis_off()
        self.axes, self.y = axes, 0.0

    def fill(
        self, grid: StrategyGrid, theirs: Totals, numbers: str, heights: str, title: str
    ) -> None:
        report = grid.report
        place, spot = report.place, report.place.solver.spot
        who, other = (PLAYERS[player].upper() for player in (report.player, 1 - report.player))
        self.box(0, self.y, _SIDE, _GRID, _PANEL)
        self.y = 34
        self.write(20, title or f"{who} to act", 21, bold=True, room=_SIDE - 40)
        self.y += 30
        for number, card in enumerate(place.board):
            draw_card(self.axes, card, 20 + 42 * number, self.y)
        self.y += 56
        behind = min(place.betting.stacks)
        if title:
            self.pair("To act", who)
        self.pair("Pot", f"{place.pot}")
        self.pair("Behind", f"{behind}   (stack-to-pot {behind / place.pot:.2g})")
        if place.betting.to_call:
            price = place.betting.to_call
            odds = price / (place.pot + price)
            self.pair("To call", f"{price}   (needs {odds:.0%} equity)")
        self.pair("Line", place.line or f"first action of the {spot.street_name}")
        self.rule()
        self.actions(grid)
        self.rule()
        self.players((who, report.totals), (other, theirs))
        self.rule()
        self.hands(grid, _GRID - _KEY - 24)
        self.y = _GRID - _KEY
        self.key(numbers, heights)

    def actions(self, grid: StrategyGrid) -> None:
        """A row for each action, the largest bet first: colour, name, how often, EV, a bar."""
        report = grid.report
        often = report.totals.frequencies
        self.write(20, "Action", 11, _FAINT)
        for x, name in ((256, "Often"), (324, "Combos"), (380, "EV")):
            self.write(x, name, 11, _FAINT, right=True)
        self.y += 28
        step = min(40.0, 224 / len(grid.labels))
        for n in reversed(range(len(grid.labels))):
            taken = report.pairs * report.strategy[:, n]
            met = float(taken.sum())
            ev = float(np.nan_to_num(report.action_ev[:, n]) @ taken) / met if met else np.nan
            combos = float(report.weight @ report.strategy[:, n])
            self.box(20, self.y - 9, 18, 18, grid.colours[n])
            self.write(48, grid.labels[n], 13, room=150)
            self.write(256, f"{often[n]:.1%}", 13, bold=True, right=True)
            self.write(324, f"{combos:.1f}", 12, _FAINT, right=True)
            self.write(
                380,
                number_text(ev, "{:.1f}") if often[n] >= 0.0005 else "-",
                12,
                _FAINT,
                right=True,
            )
            if step >= 28:
                self.box(20, self.y + step / 2 - 4, 360, 4, _LINE)
                self.box(20, self.y + step / 2 - 4, 360 * often[n], 4, grid.colours[n])
            self.y += step
        self.y -= 8

    def players(self, *both: tuple[str, Totals]) -> None:
        for (name, totals), x in zip(both, (248, 380), strict=True):
            self.write(x, name, 13, bold=True, right=True)
            for row, text in enumerate(
                (
                    f"{totals.combos:.1f}",
                    number_text(totals.equity, "{:.1%}"),
                    number_text(totals.ev),
                    number_text(totals.eqr),
                ),
                start=1,
            ):
                self.y += 24 * row
                self.write(x, text, 13, right=True)
                self.y -= 24 * row
        for name in ("Combos", "Equity", "EV, chips", "EQR"):
            self.y += 24
            self.write(20, name, 12, _FAINT)
        self.y += 22

    def hands(self, grid: StrategyGrid, bottom: float) -> None:
        """A row for each made hand: name, part of the range, actions; the rare ones if they fit."""
        kinds = made_hand_report(grid.report)
        room = max(bottom - self.y, 0)
        step = min(max(room / len(kinds), 16), 20)
        common = sorted(kinds, key=lambda name: -kinds[name].share)[: int(room / step)]
        for name in (name for name in kinds if name in common):
            self.write(20, name, 11.5, room=118)
            self.write(188, f"{kinds[name].share:.1%}", 11.5, _FAINT, right=True)
            left = 200.0
            for share, colour in list(zip(kinds[name].frequencies, grid.colours, strict=True))[
                ::-1
            ]:
                self.box(left, self.y - 6, 180 * share, 12, colour)
                left += 180 * share
            self.y += step

    def key(self, numbers: str, heights: str) -> None:
        meaning = {
            "ev": "EV of the class in chips, folding is 0",
            "equity": "equity against the other range",
            "eqr": "EV as a part of equity x pot",
        }
        filled = {
            "relative": "weight in the range, largest class full",
            "absolute": "weight in the range",
            "full": "always full",
        }
        self.box(20, self.y - 20, _SIDE - 40, 1, _LINE)
        lines = [
            "Width of a colour: how often the action is taken.",
            f"Height: {filled[heights]}.",
            f"Number: {meaning[numbers]}." if numbers in meaning else "",
            "Dark cells: not in the range, or hardly.",
            "EQR: EV / (equity x pot).",
        ]
        for line in filter(None, lines):
            self.write(20, line, 10.5, _FAINT, room=_SIDE - 40)
            self.y += 18

    def pair(self, name: str, text: str) -> None:
        self.write(20, name, 12, _FAINT)
        self.write(100, text, 13, room=280)
        self.y += 27

    def rule(self) -> None:
        self.box(20, self.y, _SIDE - 40, 1, _LINE)
        self.y += 24

    def box(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        from matplotlib.patches import Rectangle

        patch = Rectangle((x, y), width, height, facecolor=colour, linewidth=0, antialiased=False)
        self.axes.add_patch(patch)

    def write(
        self,
        x: float,
        text: str,
        size: float,
        ink: str = _PLAIN,
        *,
        bold: bool = False,
        right: bool = False,
        room: float = _SIDE,
    ) -> None:
        made = self.axes.text(
            x,
            self.y,
            text,
            size=size,
            color=ink,
            weight="bold" if bold else "normal",
            ha="right" if right else "left",
            va="center",
            family="DejaVu Sans",
            parse_math=False,
        )
        while made.get_window_extent().width > room and size > 6:
            size -= 0.5
            made.set_fontsize(size)
