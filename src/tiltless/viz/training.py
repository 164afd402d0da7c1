"""Pictures of training progress and convergence."""

import io
import os
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from tiltless.blueprint.line_text import Choice
from tiltless.blueprint.training.convergence import Match
from tiltless.files.atomic import write_bytes
from tiltless.tabular.solve_until import Point
from tiltless.viz.grid import CALL, FOLD, bet_colours, grid_png

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


def training_png(
    metrics: Sequence[Mapping[str, float]],
    matches: Sequence[Match],
    path: str | os.PathLike[str],
    *,
    title: str,
) -> None:
    """A training run against time: regret, information sets met, matches, value of the game.

    metrics: rows of metrics.csv, with seconds, walks, mean_regret and touched.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, NullFormatter, PercentFormatter

    figure = Figure(figsize=(11, 7.6), dpi=110)
    canvas = FigureCanvasAgg(figure)
    (regret, touched), (won, value) = figure.subplots(2, 2)
    unit, length = _unit(metrics[-1]["seconds"])
    times = [row["seconds"] / length for row in metrics]
    looks = [metrics[0]]  # rows between two looks through the tables repeat what was counted
    looks += [row for last, row in pairwise(metrics) if row["mean_regret"] != last["mean_regret"]]
    looked = [row["seconds"] / length for row in looks]
    regret.plot(looked, [max(row["mean_regret"], 1e-12) for row in looks], linewidth=1.8)
    regret.set_yscale("log")
    regret.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    regret.yaxis.set_major_formatter("{x:g}")
    regret.yaxis.set_minor_formatter(NullFormatter())
    regret.set_ylabel("chips a walk")
    regret.set_title("Regret: the room left for better play (falls)", fontsize=11)
    touched.plot(looked, [100 * row["touched"] for row in looks], linewidth=1.8)
    touched.set_ylim(0, 103)
    touched.yaxis.set_major_formatter(PercentFormatter())
    touched.set_ylabel("of all information sets")
    touched.set_title("Situations met at least once (rises)", fontsize=11)
    walks = [row["walks"] for row in metrics]
    when = np.interp([match.walks for match in matches], walks, times)
    for axes, heading, points, reaches in (
        (
            won,
            "Each checkpoint against the one before (goes to 0)",
            [match.mbb for match in matches],
            [match.mbb_95 for match in matches],
        ),
        (
            value,
            "What the button wins in these matches (settles)",
            [match.value_mbb for match in matches],
            [match.value_mbb_95 for match in matches],
        ),
    ):
        axes.set_ylabel("thousandths of a big blind a hand\n(bars: 95 % interval)")
        axes.set_title(heading, fontsize=11)
        if not matches:
            axes.text(0.5, 0.5, "no match yet", ha="center", transform=axes.transAxes)
            axes.set_yticks([])
            continue
        axes.errorbar(when, points, yerr=reaches, fmt="o-", capsize=4, linewidth=1.2, markersize=5)
        axes.axhline(0, color="black", linewidth=0.8)
    for axes in (regret, touched, won, value):
        axes.set_xlim(0, times[-1] * 1.02)
        axes.set_xlabel(f"{unit} of training")
        axes.grid(True, which="major", alpha=0.35)
    figure.suptitle(title)
    figure.tight_layout()
    buffer = io.BytesIO()
    canvas.print_png(buffer)  # type: ignore[no-untyped-call]
    write_bytes(path, buffer.getvalue())


def _unit(seconds: float) -> tuple[str, float]:
    """A unit of time in which a run has a readable length, and its seconds."""
    units = (("seconds", 1.0, 180), ("minutes", 60.0, 180 * 60), ("hours", 3600.0, float("inf")))
    return next((name, length) for name, length, most in units if seconds <= most)


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
