import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from helpers.solved_spots import single, turn, wide
from tiltless.cards.card import CLASS_NAMES, CLASS_OF_COMBO
from tiltless.errors import OptionError
from tiltless.postflop.node import find_node
from tiltless.postflop.report import actor_report, hand_report
from tiltless.postflop.spot import IP
from tiltless.viz.colours import CALL, FOLD
from tiltless.viz.strategy import node_png
from tiltless.viz.strategy_grid import strategy_grid


def test_nobody_is_left(tmp_path):
    with pytest.raises(OptionError, match=r"OOP .*card"):
        node_png(find_node(single(), "x x As"), tmp_path / "x.png")
    assert not list(tmp_path.iterdir())


def test_grid_of_a_first_action():
    report = actor_report(find_node(wide()))
    grid = strategy_grid(report)
    assert grid.labels == ("Check", "Bet 32 (50%)", "Bet 64 (100%)", "All-in 320")
    assert grid.symbols == ("x", "s", "l", "a")
    assert grid.colours[0] == CALL
    brightness = [int(colour[1:3], 16) + int(colour[3:5], 16) for colour in grid.colours[1:]]
    assert brightness == sorted(brightness, reverse=True)  # larger is darker
    inside = grid.heights > 0
    assert np.nansum(grid.shares[inside], axis=1) == pytest.approx(1)
    assert {CLASS_NAMES[n] for n in np.flatnonzero(inside)} >= {"AA", "AKs", "QJs", "98s"}
    assert not inside[CLASS_NAMES.index("22")]
    assert grid.heights[CLASS_NAMES.index("98s")] == pytest.approx(0.5)


def test_grid_that_faces_a_bet():
    grid = strategy_grid(actor_report(find_node(wide(), "x b64")))
    assert grid.symbols == ("f", "c", "r", "a")
    assert grid.colours[:2] == (FOLD, CALL)


def test_heights():
    report = actor_report(find_node(wide(), "x b64"))
    absolute = strategy_grid(report, heights="absolute").heights
    relative = strategy_grid(report, heights="relative").heights
    full = strategy_grid(report, heights="full").heights
    assert absolute.max() < 1
    assert relative.max() == 1
    assert relative == pytest.approx(absolute / absolute.max())
    assert set(full.tolist()) == {0.0, 1.0}


def test_classes_that_hardly_come_are_left_out():
    report = actor_report(find_node(wide()))
    weight = report.weight.copy()
    weight[CLASS_NAMES.index("AA") == CLASS_OF_COMBO] = 0.004
    grid = strategy_grid(replace(report, weight=weight))
    assert grid.heights[CLASS_NAMES.index("AA")] == 0
    assert grid.heights[CLASS_NAMES.index("AKs")] == 1


def test_mistakes():
    place = find_node(wide())
    with pytest.raises(OptionError, match="heights='tall'"):
        strategy_grid(actor_report(place), heights="tall")
    with pytest.raises(OptionError, match="palette='grey'"):
        strategy_grid(actor_report(place), palette="grey")
    with pytest.raises(OptionError, match="does not act after ''"):
        strategy_grid(hand_report(place, IP))


def test_picture(tmp_path):
    node_png(find_node(wide()), tmp_path / "a.png")
    node_png(find_node(wide()), tmp_path / "b.png")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    with Image.open(tmp_path / "a.png") as file:
        image = file.convert("RGB")
    assert image.size == (1372, 960)
    grid = strategy_grid(actor_report(find_node(wide())))
    place = CLASS_NAMES.index("AJs")  # a whole cell
    row, column = divmod(place, 13)
    colours = [
        "#{:02x}{:02x}{:02x}".format(*image.getpixel((12 + 72 * column + x, 12 + 72 * row + 45)))
        for x in range(70)
    ]
    for share, colour in zip(grid.shares[place], grid.colours, strict=True):
        assert colours.count(colour) == pytest.approx(71 * share, abs=2)


def test_every_picture_can_be_drawn(tmp_path):
    for n, (line, more) in enumerate(
        [
            ("x b64", {"numbers": "equity"}),
            ("x x Ah b32", {"numbers": "eqr", "palette": "colour-blind"}),
            ("x x Ah b32 r96", {"numbers": "none", "heights": "full", "palette": "rainbow"}),
        ]
    ):
        node_png(find_node(wide(), line), tmp_path / f"{n}.png", **more)
        with Image.open(tmp_path / f"{n}.png") as image:
            assert image.size == (1372, 960)
    with pytest.raises(OptionError, match="'x x'"):
        node_png(find_node(turn(), "x x"), tmp_path / "c.png")
    with pytest.raises(OptionError, match="numbers='chips'"):
        node_png(find_node(turn()), tmp_path / "c.png", numbers="chips")
    assert not (tmp_path / "c.png").exists()


def test_matplotlib_is_imported_late():
    code = (
        "import sys, tiltless.viz.strategy, tiltless.postflop.export\n"
        "sys.exit(any(name in sys.modules for name in ('matplotlib', 'rich', 'pyarrow')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
