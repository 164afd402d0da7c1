import numpy as np
from PIL import Image

from tiltless.tabular.solve_until import Point
from tiltless.viz.training import convergence_png


def test_a_curve_of_one_point_is_visible(tmp_path):
    path = tmp_path / "a.png"
    curves = {"dcfr": [Point(10, 0.1, 0.5), Point(100, 1.0, 0.01)], "es-mccfr": [Point(50, 0.5, 2)]}
    convergence_png(curves, path, title="leduc", measure="exploitability")
    with Image.open(path) as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    orange = (np.abs(pixels - (255, 127, 14)).sum(axis=2) < 30) & (np.arange(1210) < 600)
    assert orange.sum() > 20  # left of the legend, which has the colour anyway
