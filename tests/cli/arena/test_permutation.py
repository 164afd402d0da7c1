"""``tiltless reproduce permutation`` as a user runs it, with few showdowns."""

import json

import pytest
from typer.testing import CliRunner

from tiltless.cli.app import app
from tiltless.experiments.permutation import reproduction


@pytest.fixture(autouse=True)
def _small(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reproduction, "_MOST", 40)


def run(*arguments, code=0):
    words = ["reproduce", "permutation", "--processes", "1", *arguments]
    done = CliRunner().invoke(app, words, env={"COLUMNS": "120"})
    assert done.exit_code == code, (done.output, done.exception)
    return done


def test_tables_files_json_and_a_second_run(tmp_path):
    first = run("--quick", "--matches", "2")
    assert "2 matches from seed 0" in first.stdout
    assert "play" not in first.stdout
    assert (tmp_path / "permutation-quick/tables.md").exists()
    again = run("--quick", "--matches", "2", "--json")
    assert "2 matches from earlier runs" in again.stderr
    found = json.loads(again.stdout)
    assert found["sources"]["random"]["rows"][0]["showdowns"] == 20
    assert found["published"]["random"]["right"]["200"] == 83


def test_unknown_sources_are_refused():
    assert "random, play, both" in str(run("--showdowns", "dreams", code=1).exception)
