import io
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image
from rich.console import Console
from rich.text import Text

from tiltless.cards.card import CLASS_NAMES
from tiltless.cards.ranges import Range
from tiltless.errors import ArrayError, CardError, WriteError
from tiltless.viz import grid as draw

GRID = """\
 QQ+,AKs,A5s-A2s:0.5  30 combos (2.3%)
 AA    AKs   .     .     .     .     .     .     .     A5s.5 A4s.5 A3s.5 A2s.5
 .     KK    .     .     .     .     .     .     .     .     .     .     .
 .     .     QQ    .     .     .     .     .     .     .     .     .     .
 .     .     .     .     .     .     .     .     .     .     .     .     .
 .     .     .     .     .     .     .     .     .     .     .     .     .
 .     .     .     .     .     .     .     .     .     .     .     .     .
 .     .     .     .     .     .     .     .     .     .     .     .     .
 .     .     .     .     .     .     .     .     .     .     .     .     .
 .     .     .     .     .     .     .     .     .     .     .     .     .
 .     .     .     .     .     .     .     .     .     .     .     .     .
 .     .     .     .     .     .     .     .     .     .     .     .     .
 .     .     .     .     .     .     .     .     .     .     .     .     .
 .     .     .     .     .     .     .     .     .     .     .     .     .
"""


def printed(thing, encoding="utf-8", environment=(), **options):
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    Console(file=file, width=80, _environ=dict(environment), **options).print(thing)
    file.flush()
    return raw.getvalue().decode(encoding)


# Terminal


def test_cards_have_four_colours():
    markup = draw.cards_markup("AsKdTh9c", symbols=True)
    text = Text.from_markup(markup)
    assert text.plain == "A♠ K♦ T♥ 9♣"
    styles = [str(span.style) for span in text.spans]
    assert len(set(styles)) == 4
    assert styles[0] == "bold", "spades take the colour of the terminal"
    assert Text.from_markup(draw.cards_markup("AsKdTh9c", symbols=False)).plain == "As Kd Th 9c"
    assert draw.cards_markup("") == ""
    with pytest.raises(CardError):
        draw.cards_markup("Ax")


def test_cards_ask_the_terminal_for_symbols(monkeypatch):
    for encoding, expected in (("utf-8", "A♠"), ("ascii", "As"), ("cp1252", "As")):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        monkeypatch.setattr(sys, "stdout", stream)
        assert Text.from_markup(draw.cards_markup("As")).plain == expected


def test_plain_grid():
    grid = draw.range_grid(Range("QQ+,AKs,A5s-A2s:0.5"))
    assert grid.plain() + "\n" == GRID
    assert str(grid) == GRID[:-1].replace(" .", " ·")
    assert printed(grid) == GRID.replace(" .", " ·")
    assert printed(grid, encoding="ascii") == GRID


def test_grid_degrades_under_no_color():
    grid = draw.range_grid(Range("QQ+,AKs,A5s-A2s:0.5"))
    environment = {"NO_COLOR": "1", "COLORTERM": "truecolor"}
    shown = printed(grid, environment=environment, force_terminal=True)
    assert shown == GRID.replace(" .", " ·")


def test_coloured_grid():
    grid = draw.range_grid(Range("QQ+,AKs,A5s-A2s:0.5"))
    shown = printed(grid, force_terminal=True, color_system="truecolor")
    lines = Text.from_ansi(shown.rstrip("\n")).plain.split("\n")
    assert lines[0] == " QQ+,AKs,A5s-A2s:0.5  30 combos (2.3%)"
    assert len(lines) == 14
    assert all(len(line) == 78 for line in lines[1:])
    assert "".join(lines[1:]).replace(".5", "").split() == list(CLASS_NAMES)
    full, none, half = "48;2;234;179;8", "48;2;42;44;49", "48;2;138;112;28"
    assert shown.count(full) == 4
    assert shown.count(half) == 4
    assert shown.count(none) == 161


@pytest.mark.parametrize(
    ("weight", "cell"),
    [(0.0, "."), (1.0, "AA"), (0.5, "AA .5"), (1e-9, "AA .1"), (0.999, "AA .9"), (0.25, "AA .3")],
)
def test_cell_shows_tenths(weight, cell):
    weights = np.zeros(169)
    weights[0] = weight
    assert draw.grid_text(weights).plain().split("\n")[0][:6].strip() == cell


def test_headers():
    assert draw.counts_text(22) == "22 combos (1.7%)"
    assert draw.counts_text(1) == "1 combo (0.1%)"
    assert draw.counts_text(198.9) == "198.9 combos (15.0%)"
    assert draw.counts_text(1326) == "1,326 combos (100.0%)"
    assert draw.range_grid(Range("AA"), "mine").header == " mine  6 combos (0.5%)"
    assert draw.range_grid(Range.random(), board="AsKd2c").header.endswith("(100.0%)")
    long = Range.from_weights(np.random.default_rng(1).random(1326))
    assert len(draw.range_grid(long).header) < 78


def test_board_is_taken_out():
    grid = draw.range_grid(Range("AA,AsKs"), board="AsAhAd2c")
    assert grid.weights[0] == 0
    assert grid.weights[1] == 0


# PNG


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
        assert share(cell_of(image, name), draw.IN_RANGE) == pytest.approx(weight, abs=0.03)
    bottom, top = cell_of(image, "A5s")[60], cell_of(image, "A5s")[5]
    assert np.mean(np.all(bottom == rgb(draw.IN_RANGE), axis=1)) > 0.5, "filled from the bottom"
    assert not np.any(np.all(top == rgb(draw.IN_RANGE), axis=1))
    assert [p.name for p in tmp_path.iterdir()] == ["range.png"]


def test_range_png_is_the_same_every_time(tmp_path):
    for name in ("a.png", "b.png"):
        draw.range_png(Range("15%"), tmp_path / name, "Open $5/$10 _x^", board="KsTh2d")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_board_changes_the_picture(tmp_path):
    draw.range_png(Range("AA"), tmp_path / "plain.png", "t")
    draw.range_png(Range("AA"), tmp_path / "board.png", "t", board="AsAhAd")
    plain, board = pixels(tmp_path / "plain.png"), pixels(tmp_path / "board.png")
    assert share(cell_of(plain, "AA"), draw.IN_RANGE) > 0.9
    assert share(cell_of(board, "AA"), draw.IN_RANGE) == 0
    assert not np.array_equal(plain[:50, 800:], board[:50, 800:])


def test_stacked_bars(tmp_path):
    bets = draw.bet_colours(2)
    cell = [(0.25, draw.FOLD), (0.5, draw.CALL), (0.25, bets[1])]
    heights = np.zeros(169)
    heights[0], heights[168] = 1, 0.5
    draw.grid_png(
        [cell] * 169, tmp_path / "a.png", heights=heights, legend=[("Fold", draw.FOLD)], title="t"
    )
    image = pixels(tmp_path / "a.png")
    row = cell_of(image, "AA")[55, :71]
    for colour, expected in ((draw.FOLD, 0.25), (draw.CALL, 0.5), (bets[1], 0.25)):
        found = np.flatnonzero(np.all(row == rgb(colour), axis=1))
        assert len(found) / 71 == pytest.approx(expected, abs=0.03)
    assert np.all(row[2] == rgb(draw.FOLD))
    assert np.all(row[68] == rgb(bets[1]))
    assert share(cell_of(image, "22"), draw.FOLD) == pytest.approx(0.5, abs=0.03)
    assert share(cell_of(image, "AKs"), draw.FOLD) == 0
    assert np.any(np.all(image[50:80] == rgb(draw.FOLD), axis=2)), "the legend"


def test_heat_png(tmp_path):
    values = np.linspace(1, 0, 169)
    values[7] = np.nan
    draw.heat_png(values, tmp_path / "heat.png", "Equity", spec=".1%")
    image = pixels(tmp_path / "heat.png")
    assert share(cell_of(image, "AA"), draw.HEAT[-1]) > 0.9
    assert share(cell_of(image, "22"), draw.HEAT[0]) > 0.9
    assert np.all(cell_of(image, CLASS_NAMES[7])[60, 3] == cell_of(image, CLASS_NAMES[7])[40, 3])
    assert not np.any(np.all(cell_of(image, CLASS_NAMES[7])[60] == rgb(draw.HEAT[-1]), axis=1))
    draw.heat_png(np.full(169, np.nan), tmp_path / "none.png")
    draw.heat_png(np.full(169, 3.0), tmp_path / "same.png")


def test_colours():
    assert draw.bet_colours(0) == ()
    assert draw.bet_colours(1) == ("#f59e0b",)
    assert draw.bet_colours(2) == ("#f59e0b", "#8b5cf6")
    assert draw.bet_colours(7) == draw.BETS
    assert len(set(draw.bet_colours(12))) == 12
    assert draw.heat_colour(0, 0, 1) == draw.HEAT[0]
    assert draw.heat_colour(5, 0, 1) == draw.HEAT[-1]
    assert draw.heat_colour(0.5, 0, 1) == draw.HEAT[3]
    assert draw.heat_colour(1, 1, 1) == draw.HEAT[3]


def test_mistakes(tmp_path):
    with pytest.raises(ArrayError, match="169"):
        draw.grid_text(np.ones(1326))
    with pytest.raises(ArrayError, match="169"):
        draw.heat_png(np.ones(13), tmp_path / "x.png")
    with pytest.raises(ArrayError, match="169"):
        draw.grid_png([()], tmp_path / "x.png")
    with pytest.raises(WriteError, match="create the folder"):
        draw.range_png(Range("AA"), tmp_path / "missing" / "x.png")
    assert list(tmp_path.iterdir()) == []


def test_drawing_libraries_are_imported_late():
    code = (
        "import sys, tiltless.viz.grid; "
        "print([m for m in ('rich', 'matplotlib', 'PIL') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
