"""The examples run, and find what they claim."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_kuhn_in_one_file():
    value, distance = runpy.run_path(str(EXAMPLES / "01_kuhn_cfr.py"))["main"](2000)
    assert value == pytest.approx(-1 / 18, abs=1e-3)
    assert 0 <= distance < 0.01


def test_kuhn_with_the_package(capsys):
    solver = runpy.run_path(str(EXAMPLES / "02_kuhn_with_tiltless.py"))["solver"]
    assert solver.distance() < 1e-4
    assert "exploitability" in capsys.readouterr().out
