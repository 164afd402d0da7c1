"""Pictures of progress."""

import io
import os
from collections.abc import Mapping, Sequence

from tiltless.files.atomic import write_bytes
from tiltless.solvers.progress import Point

__all__ = ["convergence_png"]


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
