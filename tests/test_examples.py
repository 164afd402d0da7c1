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


def test_buckets_and_bets(capsys):
    runpy.run_path(str(EXAMPLES / "03_buckets_and_bets.py"))
    said = capsys.readouterr().out
    assert "AsQs on Ks7s2d: bucket" in said
    assert "is read as half pot" in said or "is read as pot" in said


def test_play_and_interop():
    pytest.importorskip("pypokerengine", reason="PyPokerEngine is not installed (extra interop)")
    example = runpy.run_path(str(EXAMPLES / "04_play_and_interop.py"))
    assert example["words"]() == ["call", "raise to 4", "raise to 6", "raise to 200"]
    assert 19_900 < sum(example["at_their_table"](20)) <= 20_000
    assert example["at_our_table"](50) > 0


def test_a_searched_hand(capsys):
    example = runpy.run_path(str(EXAMPLES / "06_searched_hand.py"))
    told, decision = example["think"]("iterations=30,turn=75%+a/a")
    assert told.iterations == 4 * 30  # on a river
    assert decision.source == "search"
    assert str(decision.action) in {str(action) for action, _ in told.policy}
    assert "come here with" in capsys.readouterr().out


def test_a_solved_spot():
    example = runpy.run_path(str(EXAMPLES / "05_solve_a_spot.py"))
    assert example["SPOT"].street_name == "river"
    good, nit = example["against_a_nit"]()
    assert 35 < good < 45
    assert nit > good + 10


def test_a_learner_in_leduc(capsys):
    pytest.importorskip("gymnasium")
    value, most = runpy.run_path(str(EXAMPLES / "08_learn_leduc.py"))["main"](8_000)
    assert most == pytest.approx(2.0875, abs=1e-3)
    assert 1.3 < value <= most
    assert "best response +2.088" in capsys.readouterr().out


def test_a_report_over_flops(tmp_path, capsys):
    example = runpy.run_path(str(EXAMPLES / "09_flop_report.py"))
    summary = example["report"](tmp_path / "kept")
    assert len(summary.solved) == 3
    bets = {
        row.name: row.often(("b30", "b270"))
        for row in summary.rows(example["SETTINGS"].decisions[1], "flop")
    }
    assert bets["AsKh4d"] > bets["Ts9s8h"]
    assert capsys.readouterr().out.count("solved to") == 3
