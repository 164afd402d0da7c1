from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

from tiltless.tabular.solve_until import Point
from tiltless.viz.canvas import Canvas
from tiltless.viz.training import convergence_png


def test_a_curve_of_one_point_is_visible(tmp_path):
    path = tmp_path / "a.png"
    curves = {"dcfr": [Point(10, 0.1, 0.5), Point(100, 1.0, 0.01)], "es-mccfr": [Point(50, 0.5, 2)]}
    convergence_png(curves, path, title="leduc", measure="exploitability")
    with Image.open(path) as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    orange = (np.abs(pixels - (255, 127, 14)).sum(axis=2) < 30) & (np.arange(1210) < 600)
    assert orange.sum() > 20  # left of the legend, which has the colour anyway


@pytest.mark.parametrize("seconds", [(2e-4, 3e-3), (2e-5, 2e-4), (1e-3, 2e-3), (1e-4, 10.0)])
def test_labels_along_the_axes_do_not_overlap(tmp_path, seconds, monkeypatch):
    def save(canvas, _):
        canvas.figure.draw_without_rendering()
        for axes in canvas.figure.axes:
            ticks = [*axes.xaxis.get_major_ticks(), *axes.xaxis.get_minor_ticks()]
            texts = [each.label1 for each in ticks if each.label1.get_text()]
            boxes = sorted((each.get_window_extent() for each in texts), key=lambda box: box.x0)
            assert boxes
            assert all(left.x1 < right.x0 for left, right in pairwise(boxes))

    monkeypatch.setattr(Canvas, "save", save)
    points = [Point(10, seconds[0], 0.5), Point(400, seconds[1], 0.01)]
    convergence_png({"dcfr": points}, tmp_path / "a.png", title="leduc", measure="exploitability")
