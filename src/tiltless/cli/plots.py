"""Pictures of progress."""

import io
import os
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tiltless.cards.draw import CALL, FOLD, bet_colours, grid_png
from tiltless.files.atomic import write_bytes
from tiltless.solvers.progress import Point
from tiltless.solvers.training import Tick
from tiltless.strategy.line_text import Choice

__all__ = ["convergence_png", "strategy_png", "training_png"]


def convergence_png(
    curves: Mapping[str, Sequence[Point]],
    path: str | os.PathLike[str],
    *,
    title: str,
    measure: str,
) -> None:
    """Distance to equilibrium against iterations and against time, one line per algorithm."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.8), dpi=110)
    canvas = FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2, sharey=True)
    for name, points in curves.items():
        distances = [max(point.distance, 1e-16) for point in points]
        left.plot([point.iteration for point in points], distances, label=name, linewidth=1.8)
        right.plot([max(p.seconds, 1e-6) for p in points], distances, label=name, linewidth=1.8)
    left.set_xlabel("iterations")
    right.set_xlabel("seconds of iterating")
    left.set_ylabel(f"{measure} (0 is an equilibrium)")
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.grid(True, which="major", alpha=0.35)
        axes.grid(True, which="minor", alpha=0.12)
    right.legend(frameon=False)
    figure.suptitle(title)
    figure.tight_layout()
    buffer = io.BytesIO()
    canvas.print_png(buffer)  # type: ignore[no-untyped-call]
    write_bytes(path, buffer.getvalue())


def training_png(ticks: Sequence[Tick], path: str | os.PathLike[str], *, title: str) -> None:
    """Regret and speed of a training run against time."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.8), dpi=110)
    canvas = FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    minutes = [tick.seconds / 60 for tick in ticks]
    left.plot(minutes, [tick.mean_regret for tick in ticks], linewidth=1.8)
    left.set_yscale("log")
    left.set_ylabel("positive regret for each walk, chips (falls as play converges)")
    right.plot(minutes, [tick.nodes_per_second / 1e6 for tick in ticks], linewidth=1.2)
    right.set_ylabel("million nodes a second")
    right.set_ylim(bottom=0)
    for axes in (left, right):
        axes.set_xlabel("minutes of training")
        axes.grid(True, which="major", alpha=0.35)
    figure.suptitle(title)
    figure.tight_layout()
    buffer = io.BytesIO()
    canvas.print_png(buffer)  # type: ignore[no-untyped-call]
    write_bytes(path, buffer.getvalue())


def strategy_png(
    path: str | os.PathLike[str],
    choices: Sequence[Choice],
    hands: npt.NDArray[np.float64],
    *,
    title: str,
    subtitle: str = "",
) -> None:
    """How each of the 169 starting hands is played, in the usual colours; hands ``[169, n]``."""
    raises = iter(bet_colours(sum(choice.share is not None for choice in choices)))
    plain = {"f": FOLD, "c": CALL}
    colours = [
        plain[choice.label[0]] if choice.share is None else next(raises) for choice in choices
    ]
    cells = [
        [pair for pair in zip(row, colours, strict=True) if pair[0] > 0][::-1]
        for row in hands.tolist()
    ]
    legend = [(choice.label, colour) for choice, colour in zip(choices, colours, strict=True)]
    grid_png(cells, path, title=title, subtitle=subtitle, legend=legend[::-1])
