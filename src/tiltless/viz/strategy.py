"""Strategy pictures: the 13 x 13 grid of a decision as a PNG file, with its summary."""

from typing import TYPE_CHECKING, Any

import numpy as np

from tiltless.errors import OptionError
from tiltless.postflop.node import Node
from tiltless.postflop.report import Totals, actor_report, hand_report, number_text
from tiltless.postflop.spot import PLAYERS
from tiltless.postflop.tables import action_report, made_hand_report
from tiltless.viz.canvas import Canvas, FilePath, box, draw_card, write
from tiltless.viz.colours import FAINT, LINE, PANEL, PLAIN
from tiltless.viz.grid import CELL_SIDE, MARGIN, Cell, draw_grid
from tiltless.viz.strategy_grid import StrategyGrid, strategy_grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["NUMBERS", "node_png"]

NUMBERS = ("ev", "equity", "eqr", "none")
"""Numbers that can be shown in the corner of the cells."""

_GRID, _SIDE = 13 * CELL_SIDE, 400  # pixels
_KEY = 92  # pixels for the lines that explain the picture


def node_png(
    node: Node,
    path: FilePath,
    *,
    numbers: str = "ev",
    heights: str = "relative",
    palette: str = "usual",
    title: str = "",
) -> None:
    """The strategy at a decision as a picture of 1,372 x 960 pixels, written atomically.

    numbers: shown in the corner of cells, one of `NUMBERS`: a mean over the class.
    heights, palette: see `tiltless.viz.strategy_grid`.  title: replaces the default title.
    """
    if numbers not in NUMBERS:
        raise OptionError(f"numbers={numbers!r} is not known; known: {', '.join(NUMBERS)}")
    mine = actor_report(node)
    theirs = hand_report(node, 1 - mine.player)
    grid = strategy_grid(mine, heights=heights, palette=palette)
    canvas = Canvas(_GRID + _SIDE + 3 * MARGIN, _GRID + 2 * MARGIN)
    axes = canvas.pixels(MARGIN, MARGIN, _GRID, _GRID)
    draw_grid(axes, _cells(grid), grid.heights.tolist(), _notes(grid, numbers))
    panel = _Panel(canvas.pixels(_GRID + 2 * MARGIN, MARGIN, _SIDE, _GRID))
    panel.fill(grid, theirs.totals, numbers, heights, title)
    canvas.save(path)


def _cells(grid: StrategyGrid) -> list[Cell]:
    """Bets on the left, the largest first, then calls, then folds."""
    return [
        [pair for pair in zip(row, grid.colours, strict=True) if pair[0] > 0.0005][::-1]
        for row in grid.shares.tolist()
    ]


def _notes(grid: StrategyGrid, numbers: str) -> list[str]:
    classes, pot = grid.report.by_class(), grid.report.node.pot
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
    """The column on the right, filled from the top; y: its filled height, in pixels."""

    def __init__(self, axes: "Axes") -> None:
        self.axes, self.y = axes, 0.0

    def fill(
        self, grid: StrategyGrid, theirs: Totals, numbers: str, heights: str, title: str
    ) -> None:
        report = grid.report
        node, spot = report.node, report.node.solver.spot
        who, other = (PLAYERS[player].upper() for player in (report.player, 1 - report.player))
        self.box(0, self.y, _SIDE, _GRID, PANEL)
        self.y = 34
        self.write(20, title or f"{who} to act", 21, bold=True, room=_SIDE - 40)
        self.y += 30
        for number, card in enumerate(node.board):
            draw_card(self.axes, card, 20 + 42 * number, self.y)
        self.y += 56
        behind = min(node.betting.stacks)
        if title:
            self.pair("To act", who)
        self.pair("Pot", f"{node.pot}")
        self.pair("Behind", f"{behind}   (stack-to-pot {behind / node.pot:.2g})")
        if node.betting.to_call:
            price = node.betting.to_call
            fraction = price / (node.pot + price)
            self.pair("To call", f"{price}   (needs {fraction:.0%} equity)")
        self.pair("Line", node.line or f"first action of the {spot.street_name}")
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
        self.write(20, "Action", 11, FAINT)
        for x, name in ((256, "Often"), (324, "Combos"), (380, "EV")):
            self.write(x, name, 11, FAINT, right=True)
        self.y += 28
        step = min(40.0, 224 / len(grid.labels))
        evs = [row.ev for row in action_report(report)]
        for n in reversed(range(len(grid.labels))):
            combos = float(report.weight @ report.strategy[:, n])
            self.box(20, self.y - 9, 18, 18, grid.colours[n])
            self.write(48, grid.labels[n], 13, room=142)
            self.write(256, f"{often[n]:.1%}", 13, bold=True, right=True)
            self.write(324, f"{combos:.1f}", 12, FAINT, right=True)
            self.write(
                380,
                number_text(evs[n], "{:.1f}") if often[n] >= 0.0005 else "-",
                12,
                FAINT,
                right=True,
            )
            if step >= 28:
                self.box(20, self.y + step / 2 - 4, 360, 4, LINE)
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
            self.write(20, name, 12, FAINT)
        self.y += 22

    def hands(self, grid: StrategyGrid, bottom: float) -> None:
        """A row for each made hand: name, fraction of the range, actions; rare ones if they fit."""
        kinds = made_hand_report(grid.report)
        self.y -= 6
        self.write(20, "Made hand", 11, FAINT)
        self.write(188, "Range", 11, FAINT, right=True)
        self.write(200, "Actions", 11, FAINT)
        self.y += 20
        room = max(bottom - self.y, 0)
        step = min(max(room / len(kinds), 16), 20)
        common = sorted(kinds, key=lambda name: -kinds[name].share)[: int(room / step)]
        for name in (name for name in kinds if name in common):
            self.write(20, name, 11.5, room=118)
            self.write(188, f"{kinds[name].share:.1%}", 11.5, FAINT, right=True)
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
        self.box(20, self.y - 20, _SIDE - 40, 1, LINE)
        lines = [
            "Width of a colour: how often the action is taken.",
            f"Height: {filled[heights]}.",
            f"Number: {meaning[numbers]}." if numbers in meaning else "",
            "Dark cells: not in the range, or hardly.",
            "EQR: EV / (equity x pot).",
        ]
        for line in filter(None, lines):
            self.write(20, line, 10.5, FAINT, room=_SIDE - 40)
            self.y += 18

    def pair(self, name: str, text: str) -> None:
        self.write(20, name, 12, FAINT)
        self.write(100, text, 13, room=280, keep_end=True)
        self.y += 27

    def rule(self) -> None:
        self.box(20, self.y, _SIDE - 40, 1, LINE)
        self.y += 24

    def box(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        box(self.axes, x, y, width, height, colour)

    def write(self, x: float, text: str, size: float, ink: str = PLAIN, **how: Any) -> None:
        write(self.axes, x, self.y, text, size, ink, **how)
