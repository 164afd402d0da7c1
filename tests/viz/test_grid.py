import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from tiltless.cards.card import CLASS_NAMES
from tiltless.cards.ranges import Range
from tiltless.errors import ArrayError, WriteError
from tiltless.viz import grid as draw
from tiltless.viz.canvas import Canvas
from tiltless.viz.colours import CALL, FOLD, IN_RANGE, bet_colours


def pixels(path):
    with Image.open(path) as image:
        image.verify()
    with Image.open(path) as image:
        assert image.format == "PNG"
        return np.asarray(image.convert("RGB"))


def rgb(colour):
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


def cell_of(image, name):
    """The 72 x 72 pixels of a class."""
    row, column = divmod(CLASS_NAMES.index(name), 13)
    top, left = image.shape[0] - 12 - 13 * 72 + 72 * row, 12 + 72 * column
    return image[top : top + 72, left : left + 72]


def share(cell, colour):
    """Share of the rows whose middle-left pixel has a colour."""
    return float(np.mean(np.all(cell[:, 3] == rgb(colour), axis=1)))


def test_range_png(tmp_path):
    path = tmp_path / "range.png"
    draw.range_png(Range("QQ+,AKs:0.25,A5s-A2s:0.5"), path)
    image = pixels(path)
    assert image.shape == (1030, 960, 3)
    assert 10_000 < path.stat().st_size < 200_000
    for name, weight in (("AA", 1), ("KK", 1), ("AKs", 0.25), ("A2s", 0.5), ("72o", 0)):
        assert share(cell_of(image, name), IN_RANGE) == pytest.approx(weight, abs=0.03)
    bottom, top = cell_of(image, "A5s")[60], cell_of(image, "A5s")[5]
    assert np.mean(np.all(bottom == rgb(IN_RANGE), axis=1)) > 0.5, "filled from the bottom"
    assert not np.any(np.all(top == rgb(IN_RANGE), axis=1))
    assert [p.name for p in tmp_path.iterdir()] == ["range.png"]


def test_range_png_is_the_same_every_time(tmp_path):
    for name in ("a.png", "b.png"):
        draw.range_png(Range("15%"), tmp_path / name, "Open $5/$10 _x^", board="KsTh2d")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_board_changes_the_picture(tmp_path):
    draw.range_png(Range("AA"), tmp_path / "plain.png", "t")
    draw.range_png(Range("AA"), tmp_path / "board.png", "t", board="AsAhAd")
    plain, board = pixels(tmp_path / "plain.png"), pixels(tmp_path / "board.png")
    assert share(cell_of(plain, "AA"), IN_RANGE) > 0.9
    assert share(cell_of(board, "AA"), IN_RANGE) == 0
    assert not np.array_equal(plain[:50, 800:], board[:50, 800:])


def test_stacked_bars(tmp_path):
    bets = bet_colours(2)
    cell = [(0.25, FOLD), (0.5, CALL), (0.25, bets[1])]
    heights = np.zeros(169)
    heights[0], heights[168] = 1, 0.5
    draw.grid_png(
        [cell] * 169, tmp_path / "a.png", heights=heights, legend=[("Fold", FOLD)], title="t"
    )
    image = pixels(tmp_path / "a.png")
    row = cell_of(image, "AA")[55, :71]
    for colour, expected in ((FOLD, 0.25), (CALL, 0.5), (bets[1], 0.25)):
        found = np.flatnonzero(np.all(row == rgb(colour), axis=1))
        assert len(found) / 71 == pytest.approx(expected, abs=0.03)
    assert np.all(row[2] == rgb(FOLD))
    assert np.all(row[68] == rgb(bets[1]))
    assert share(cell_of(image, "22"), FOLD) == pytest.approx(0.5, abs=0.03)
    assert share(cell_of(image, "AKs"), FOLD) == 0
    assert np.any(np.all(image[50:80] == rgb(FOLD), axis=2)), "the legend"


def test_mistakes(tmp_path):
    with pytest.raises(ArrayError, match="169"):
        draw.grid_png([()], tmp_path / "x.png")
    with pytest.raises(WriteError, match=r"x\.png.*create"):
        draw.range_png(Range("AA"), tmp_path / "missing" / "x.png")
    assert list(tmp_path.iterdir()) == []


def test_drawing_libraries_are_imported_late():
    code = (
        "import sys, tiltless.viz.grid; "
        "print([m for m in ('rich', 'matplotlib', 'PIL') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize("count", [4, 6])
def test_a_long_legend_does_not_run_into_the_subtitle(count):
    axes = Canvas(960, 82).pixels(0, 0, 960, 82)
    legend = [(f"raise to {20 * number} chips", "#ff0000") for number in range(count)]
    draw._draw_head(axes, "The button", "pot 3 chips, 100 big blinds deep", legend, ())
    subtitle = next(text for text in axes.texts if text.get_text().startswith("pot"))
    labels = [text for text in axes.texts if text.get_text().startswith("raise")]
    assert len(labels) == count
    end = subtitle.get_window_extent().x1
    assert min(text.get_window_extent().x0 for text in labels) > end
