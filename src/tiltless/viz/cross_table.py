"""Pictures of match results; matplotlib is imported when one is drawn."""

import io
from collections.abc import Sequence
from math import isfinite
from typing import Any

from tiltless.arena.cross_table import CrossTable
from tiltless.arena.stats.intervals import Interval

__all__ = ["cell_text", "course_png", "heat_colour", "heat_map_png"]


def heat_colour(value: float, scale: float) -> tuple[float, float, float]:
    """Red for losses, white for nothing, green for wins: RGB from 0 to 1.

    The square root spreads small results, so that one huge one does not bleach the table.
    """
    part = min(abs(value) / scale, 1.0) ** 0.5 if scale else 0.0
    strong = (0.30, 0.67, 0.42) if value > 0 else (0.85, 0.37, 0.33)
    red, green, blue = (1 - part * (1 - each) for each in strong)
    return red, green, blue


def cell_text(cell: Interval) -> tuple[str, str]:
    """``("+1,234", "±56")``: no more digits than the interval deserves."""
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
    figure, canvas = _figure(side + label + 1.8, 0.72 * count + 1.5 + 0.75 * label)
    axes = figure.subplots()
    scale = largest(table)
    for row in range(count):
        for column in range(count + 1):
            mean = column == count
            standing = table.standing(row)
            cell = standing.mean if mean else table.cell(row, column)
            x = column + (0.25 if mean else 0)
            if cell is None:
                _box(axes, x, row, (0.93, 0.93, 0.93))
                continue
            _box(axes, x, row, heat_colour(cell.mean, scale))
            big, small = cell_text(cell)
            sign = standing.sign if mean else table.sign(row, column)
            weight = "bold" if sign else "normal"
            axes.text(x, row - 0.12, big, ha="center", va="center", fontsize=10, weight=weight)
            axes.text(x, row + 0.25, small, ha="center", va="center", fontsize=7.5, color="#444444")
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
    note = (
        f"{table.unit} that the row wins from the column, ± 95 %; bold: zero is outside of it\n"
        f"{first.plan.game_text}, {first.hands:,} hands a pair"
    )
    figure.suptitle(title, fontsize=12, x=0.02, ha="left")
    figure.text(0.02, 0.015, note, fontsize=8.5, color="#444444")
    figure.tight_layout(rect=(0, 0.055, 1, 1))
    return _png(canvas)


def course_png(
    deals: Sequence[int], course: Sequence[Interval], *, title: str, unit: str, axis: str
) -> bytes:
    """How an estimate settled: the running mean and its interval against hands or deals."""
    figure, canvas = _figure(9, 4.6)
    axes = figure.subplots()
    means = [each.mean for each in course]
    known = [place for place, each in enumerate(course) if each.half_width < float("inf")]
    axes.axhline(0, color="#888888", linewidth=1)
    axes.fill_between(
        [deals[place] for place in known],
        [course[place].low for place in known],
        [course[place].high for place in known],
        alpha=0.22,
        label="95 % interval",
        linewidth=0,
    )
    axes.plot(deals, means, linewidth=1.8, label="mean so far")
    late = [place for place in known if place >= len(course) // 20] or known
    if late:  # the first few deals would squeeze all the rest
        low = min(*(course[place].low for place in late), 0.0)
        high = max(*(course[place].high for place in late), 0.0)
        room = 0.06 * (high - low) or 1.0
        axes.set_ylim(low - room, high + room)
    axes.set_xlabel(axis)
    axes.set_ylabel(unit)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_formatter("{x:,.6g}")
    axes.grid(True, alpha=0.3)
    axes.legend(frameon=False)
    axes.set_title(title, fontsize=11)
    figure.tight_layout()
    return _png(canvas)


def _box(axes: Any, x: float, y: float, colour: tuple[float, float, float]) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, facecolor=colour, edgecolor="none"))


def _figure(width: float, height: float) -> tuple[Any, Any]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=130)
    return figure, FigureCanvasAgg(figure)


def _png(canvas: Any) -> bytes:
    buffer = io.BytesIO()
    canvas.print_png(buffer)
    return buffer.getvalue()
