import io
import sys

import numpy as np
import pytest
from rich.console import Console
from rich.text import Text

from tiltless.cards.card import CLASS_NAMES
from tiltless.cards.ranges import Range
from tiltless.errors import ArrayError, CardError
from tiltless.viz import terminal as draw

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


def test_a_grid_has_169_cells():
    with pytest.raises(ArrayError, match="169"):
        draw.grid_text(np.ones(1326))
