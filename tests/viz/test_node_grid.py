import io
import re

import pytest
from rich.console import Console

from helpers.solved_spots import single, turn, wide
from tiltless.errors import OptionError
from tiltless.postflop.node import find_node
from tiltless.viz.node_grid import node_grid


def _printed(place, **options):
    out = io.StringIO()
    Console(file=out, width=80, **options).print(node_grid(place))
    return out.getvalue()


def test_plain_grid():
    text = _printed(find_node(wide()), color_system=None)
    lines = text.splitlines()
    assert lines[0] == "OOP to act on QsJh2h8d, pot 64"
    assert re.fullmatch(r"[0-9.]+ combos, EV [0-9.]+, equity [0-9.]+%, EQR [0-9.]+", lines[1])
    assert lines[2].split() == list("AKQJT98765432")
    rows = {line[1]: line[3:] for line in lines[3:16]}
    assert list(rows) == list("AKQJT98765432")
    assert rows["3"].split() == ["."] * 13 or rows["3"].split() == ["·"] * 13
    cells = [rows["9"][start : start + 5].strip() for start in range(0, 65, 5)]
    assert cells[6].endswith(".5")  # 98s, half of which is in the range
    assert cells[12] in (".", "·")
    assert "x Check" in text
    assert "s Bet 32 (50%)" in text
    assert "a All-in 320" in text
    assert lines[-1].startswith("two letters: the more frequent one first")
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in text


def test_nobody_is_left():
    with pytest.raises(OptionError, match=r"OOP .*card"):
        node_grid(find_node(single(), "x x As"))


def test_letters_are_what_is_played():
    grid = node_grid(find_node(wide(), "x b64"))
    for place, cell in ((n, grid._letters(n)) for n in range(169)):
        if not cell:
            assert grid.grid.heights[place] == 0
            continue
        shares = grid.grid.shares[place]
        assert grid.grid.symbols[int(shares.argmax())] == cell[0]
        two = len(cell.partition(".")[0]) == 2
        assert two == (shares.max() < 0.9)


def test_coloured_grid():
    place = find_node(wide())
    text = _printed(place, force_terminal=True, color_system="truecolor", no_color=False)
    assert "\x1b[" in text
    grid = node_grid(place).grid
    for colour in grid.colours[:3]:  # the legend has every colour
        channels = ";".join(str(int(colour[n : n + 2], 16)) for n in (1, 3, 5))
        assert f"48;2;{channels}m" in text
    console = Console(record=True, width=80, file=io.StringIO(), color_system="truecolor")
    console.print(node_grid(place))
    plain = console.export_text()
    assert max(map(len, plain.splitlines())) <= 80
    assert " AA    AKs   AQs" in plain
    assert plain.splitlines()[-1].startswith("width: how often")


def test_str_needs_no_console():
    assert "·" in str(node_grid(find_node(wide())))


def test_nobody_acts():
    with pytest.raises(OptionError, match="'x x'"):
        node_grid(find_node(turn(), "x x"))
