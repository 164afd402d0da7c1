"""``tiltless reproduce strength`` as a user runs it, with players that take no time."""

import json

import pytest
from typer.testing import CliRunner

from tiltless.cli.app import app
from tiltless.experiments.strength import play, reproduction
from tiltless.experiments.strength.cells import Cell

GAME = "stack=100bb"
CELLS = [
    Cell("lbr", "4", "fold", GAME, 8, 4),
    Cell("probes", "probe-pot", "fold", GAME, 8, 4),
]


@pytest.fixture(autouse=True)
def _small(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reproduction, "cells", lambda sizes, agent, only: CELLS)


def run(*arguments, code=0):
    words = ["reproduce", "strength", "--processes", "1", *arguments]
    done = CliRunner().invoke(app, words, env={"COLUMNS": "120"})
    assert done.exit_code == code, (done.output, done.exception)
    return done


def test_tables_files_and_a_second_run(tmp_path):
    first = run("--quick")
    assert "DeepStack, published" in first.stdout
    assert "`" not in first.stdout
    assert "earlier" not in first.stderr
    text = (tmp_path / "strength-quick/tables.md").read_text()
    for figure in ("lbr: LBR (4) against fold", "probes: probe-pot against fold"):
        line = next(each for each in text.splitlines() if each.startswith(f"| {figure}"))
        assert "| 750 ± ? |" in line  # raw, of few deals: who always folds loses the blinds
    assert len((tmp_path / "strength-quick/blocks.jsonl").read_text().splitlines()) == 4
    again = run("--quick")
    assert again.stdout == first.stdout
    assert "4 blocks from earlier runs" in again.stderr
    found = json.loads(run("--quick", "--json").stdout)
    assert [cell["raw"]["mbb_per_hand"] for cell in found["cells"]] == pytest.approx([750, 750])


def test_ctrl_c_shows_what_is_known_and_the_same_command_continues(tmp_path, monkeypatch):
    real = play.play_responses

    def interrupted(plan, setting, **more):
        if plan.seed > 1000:
            raise KeyboardInterrupt
        return real(plan, setting, **more)

    monkeypatch.setattr(play, "play_responses", interrupted)
    stopped = run(code=130)
    assert "stopped, the same command continues" in stopped.stderr
    assert "Local best response" in stopped.stdout
    assert "probe-pot" not in stopped.stdout
    text = (tmp_path / "strength/tables.md").read_text()
    line = next(each for each in text.splitlines() if each.startswith("| lbr: LBR (4)"))
    assert "| 4 of 8 |" in line
    assert "| 750 ± ? |" in line
    monkeypatch.setattr(play, "play_responses", real)
    assert "1 block from earlier runs" in run().stderr
    assert "probe-pot" in (tmp_path / "strength/tables.md").read_text()
