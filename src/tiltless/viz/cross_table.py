"""Pictures of match results: the cross table as a heat map, and the course of an estimate."""

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

from tiltless.arena.cross_table import CrossTable
from tiltless.intervals import Interval
from tiltless.viz.canvas import Canvas, box
from tiltless.viz.colours import result_colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["cell_text", "course_png", "heat_map_png", "largest"]


def cell_text(cell: Interval) -> tuple[str, str]:
    """``("+1,234", "±56")``: no more digits than the interval justifies."""
    if not cell.half_width:
        return (f"{cell.mean:+,.10g}" if cell.mean else "0"), "exactly"
    width = cell.half_width
    if not isfinite(width):
        return f"{cell.mean:+,.3g}", "±?"
    digits = 0 if width >= 10 else 1 if width >= 1 else 2 if width >= 0.01 else 3
    shown = f"{cell.mean:+,.{digits}f}"
    return (shown if float(shown.replace(",", "")) else "0"), f"±{width:,.{digits}f}"


def largest(table: CrossTable) -> float:
    """The largest mean of all cells, for the scale of colours."""
    rows = range(len(table.agents))
    cells = [table.cell(row, column) for row in rows for column in rows]
    return max(abs(cell.mean) for cell in cells if cell is not None)


def heat_map_png(table: CrossTable, title: str) -> bytes:
    """The cross table as a picture: each row's winnings against each column."""
    agents, count = table.names, len(table.agents)
    longest = max(map(len, agents))
    side = 1.05 * count + 0.5
    label = 0.085 * longest
    width, height = side + label + 1.8, 0.72 * count + 1.5 + 0.75 * label  # inches
    canvas = Canvas(130 * width, 130 * height, page="white", dpi=130)
    figure, axes = canvas.figure, canvas.figure.subplots()
    scale = largest(table)
    for row in range(count):
        for column in range(count + 1):
            mean = column == count
            standing = table.standing(row)
            cell = standing.mean if mean else table.cell(row, column)
            x = column + (0.25 if mean else 0)
            if cell is None:
                _box(axes, x, row, "#ededed")
                continue
            _box(axes, x, row, result_colour(cell.mean, scale))
            big, small = cell_text(cell)
            sign = standing.sign if mean else table.sign(row, column)
            weight = "bold" if sign else "normal"
            axes.text(x, row - 0.12, big, ha="center", va="center", fontsize=10, weight=weight)
            axes.text(x, row + 0.25, small, ha="center", va="center", fontsize=8.5, color="#444444")
    axes.set_xlim(-0.52, count + 0.77)
    axes.set_ylim(count - 0.48, -0.52)
    axes.set_xticks([*range(count), count + 0.25], [*agents, "mean"])
    axes.set_yticks(range(count), agents)
    axes.xaxis.tick_top()
    for tick in axes.get_xticklabels():
        tick.set(rotation=35, ha="left", rotation_mode="anchor")
    axes.tick_params(length=0)
    for edge in axes.spines.values():
        edge.set_visible(False)
    first = next(iter(table.matches.values()))
    match = "pair" if table.seats == 2 else "cell"
    note = (
        f"{table.cell_unit} won by {table.what}, ± 95 %; bold: zero is outside\n"
        f"{first.plan.game_text}, {first.hands:,} hands a {match}"
    )
    figure.suptitle(title, fontsize=12, x=0.02, ha="left")
    figure.text(0.02, 0.015, note, fontsize=8.5, color="#444444")
    figure.tight_layout(rect=(0, 0.055, 1, 1))
    return canvas.png()


def course_png(
    deals: Sequence[int], course: Sequence[Interval], *, title: str, unit: str, axis: str
) -> bytes:
    """Plot the running mean and its interval against the number of hands or deals."""
    canvas = Canvas(1170, 598, page="white", dpi=130)
    axes = canvas.figure.subplots()
    means = [each.mean for each in course]
    known = [number for number, each in enumerate(course) if each.half_width < float("inf")]
    axes.axhline(0, color="#888888", linewidth=1)
    axes.fill_between(
        [deals[number] for number in known],
        [course[number].low for number in known],
        [course[number].high for number in known],
        alpha=0.22,
        label="95 % interval",
        linewidth=0,
    )
    dots = "o" if len(course) < 30 else ""
    axes.plot(deals, means, linewidth=1.8, label="mean so far", marker=dots, markersize=4)
    late = [number for number in known if number >= len(course) // 20] or known
    if late:  # the first few deals would squeeze all the rest
        low = min(*(course[number].low for number in late), 0.0)
        high = max(*(course[number].high for number in late), 0.0)
        room = 0.06 * (high - low) or 1.0
        axes.set_ylim(low - room, high + room)
    axes.set_xlabel(axis)
    axes.set_ylabel(unit)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_formatter("{x:,.6g}")
    axes.grid(True, alpha=0.3)
    axes.legend(frameon=False)
    axes.set_title(title, fontsize=11)
    canvas.figure.tight_layout()
    return canvas.png()


def _box(axes: "Axes", x: float, y: float, colour: str) -> None:
    box(axes, x - 0.48, y - 0.46, 0.96, 0.92, colour)
