"""Pictures of training progress and convergence, and of a strategy before the flop."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tiltless.blueprint.line_text import Choice
from tiltless.blueprint.training.convergence import Match
from tiltless.tabular.solve_until import Point
from tiltless.viz.canvas import Canvas, FilePath
from tiltless.viz.colours import CALL, FOLD, bet_colours
from tiltless.viz.grid import grid_png

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["convergence_png", "strategy_png", "training_png"]


def convergence_png(
    curves: Mapping[str, Sequence[Point]],
    path: FilePath,
    *,
    title: str,
    measure: str,
) -> None:
    """Distance to equilibrium against iterations and against time, one line per algorithm."""
    canvas = Canvas(1210, 528, page="white", dpi=110)
    left, right = canvas.figure.subplots(1, 2, sharey=True)
    for name, points in curves.items():
        distances = [max(point.distance, 1e-16) for point in points]
        iterations = [point.iteration for point in points]
        seconds = [max(point.seconds, 1e-6) for point in points]
        dots = "o" if len(points) < 30 else ""  # one point alone has no line
        for axes, across in ((left, iterations), (right, seconds)):
            axes.plot(across, distances, label=name, linewidth=1.8, marker=dots, markersize=4)
    left.set_xlabel("iterations")
    right.set_xlabel("seconds of iterating")
    left.set_ylabel(f"{measure} (0 is an equilibrium)")
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.grid(True, which="major", alpha=0.35)
        axes.grid(True, which="minor", alpha=0.12)
        _label_few(axes)
    right.legend(frameon=False)
    canvas.figure.suptitle(title)
    canvas.figure.tight_layout()
    canvas.save(path)


def _label_few(axes: "Axes") -> None:
    """Label powers of ten along x; 2 and 5 too where there are few, as more would overlap."""
    from matplotlib.ticker import LogFormatterSciNotation, LogLocator, NullFormatter

    low, high = axes.get_xlim()
    if high > 30 * low:
        axes.xaxis.set_minor_formatter(NullFormatter())
        return
    every = (np.inf, np.inf)
    axes.xaxis.set_minor_locator(LogLocator(subs=(2, 5)))
    axes.xaxis.set_minor_formatter(LogFormatterSciNotation(minor_thresholds=every))


def training_png(
    metrics: Sequence[Mapping[str, float]],
    matches: Sequence[Match],
    path: FilePath,
    *,
    title: str,
) -> None:
    """A training run against time: regret, information sets visited, matches, game value.

    metrics: rows of metrics.csv, with seconds, walks, mean_regret and touched.
    """
    from matplotlib.ticker import LogLocator, NullFormatter, PercentFormatter

    canvas = Canvas(1210, 836, page="white", dpi=110)
    (regret, touched), (won, value) = canvas.figure.subplots(2, 2)
    unit, length = _unit(metrics[-1]["seconds"])
    times = [row["seconds"] / length for row in metrics]
    looks = [metrics[0]]  # rows between two looks through the tables repeat what was counted
    looks += [row for last, row in pairwise(metrics) if row["mean_regret"] != last["mean_regret"]]
    looked = [row["seconds"] / length for row in looks]
    regrets = [max(row["mean_regret"], 1e-12) for row in looks]
    regret.plot(looked, regrets, linewidth=1.8)
    regret.set_yscale("log")
    few = max(regrets) < 10 * min(regrets)  # less than a decade has hardly a label otherwise
    steps = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0) if few else (1.0, 2.0, 5.0)
    regret.yaxis.set_major_locator(LogLocator(subs=steps))
    regret.yaxis.set_major_formatter("{x:g}")
    regret.yaxis.set_minor_formatter(NullFormatter())
    regret.set_ylabel("chips per traversal")
    regret.set_title("Mean regret: the room left for better play (falls)", fontsize=11)
    touched.plot(looked, [100 * row["touched"] for row in looks], linewidth=1.8)
    touched.set_ylim(0, 103)
    touched.yaxis.set_major_formatter(PercentFormatter())
    touched.set_ylabel("share of all information sets")
    touched.set_title("Information sets visited at least once (rises)", fontsize=11)
    walks = [row["walks"] for row in metrics]
    when = np.interp([match.walks for match in matches], walks, times)
    for axes, heading, points, reaches in (
        (
            won,
            "What each checkpoint wins from the one before (goes to 0)",
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
        axes.set_ylabel("thousandths of a big blind per hand\n(bars: 95 % interval)")
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
    canvas.figure.suptitle(title)
    canvas.figure.tight_layout()
    canvas.save(path)


def _unit(seconds: float) -> tuple[str, float]:
    """A unit of time in which a run has a readable length, and its seconds."""
    units = (("seconds", 1.0, 180), ("minutes", 60.0, 180 * 60), ("hours", 3600.0, float("inf")))
    return next((name, length) for name, length, most in units if seconds <= most)


def strategy_png(
    path: FilePath,
    choices: Sequence[Choice],
    hands: npt.NDArray[np.float64],
    *,
    title: str,
    subtitle: str = "",
) -> None:
    """The strategy of each of the 169 starting hands, in the usual colours; hands ``[169, n]``."""
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
