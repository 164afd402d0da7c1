"""``tiltless mit-engine`` and ``tiltless mit pack`` as a user runs them."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tiltless.cli.app import app
from tiltless.errors import OptionError

EXAMPLES = Path(__file__).parents[3] / "examples"
pytestmark = pytest.mark.skipif(os.name != "posix", reason="bots are started by a shell")


def run(*arguments, error=None):
    done = CliRunner().invoke(app, [str(each) for each in arguments], env={"COLUMNS": "110"})
    if error:
        assert isinstance(done.exception, error), done.output
    return done


@pytest.fixture
def skeleton(tmp_path):
    folder = tmp_path / "skeleton"
    shutil.copytree(EXAMPLES / "mit_skeleton", folder)
    commands = {"build": ["echo", "built"], "run": [sys.executable, "-S", "player.py"]}
    (folder / "commands.json").write_text(json.dumps(commands))
    return folder


def test_a_folder_against_an_agent(skeleton, tmp_path):
    out = tmp_path / "logs"
    done = run(
        "mit-engine", skeleton, "rules", "--hands", 40, "--out", out, "--json", "--names", "S,R"
    )
    assert done.exit_code == 0, (done.output, done.exception)
    facts = json.loads(done.stdout)
    assert (facts["year"], facts["game"], facts["hands"]) == (2023, "river-of-blood", 40)
    (first, second) = facts["bankrolls"][0]
    assert first == -second
    assert [bot["chips"] for bot in facts["bots"]] == [first, second]
    assert all(bot[kind] == 0 for bot in facts["bots"] for kind in ("illegal", "late", "lost"))
    log = (out / "gamelog.txt").read_text()
    assert log.startswith("6.176 MIT Pokerbots - S vs R\n")
    assert log.endswith(f"Final, S ({first}), R ({second})")
    assert (out / "S.txt").read_text() == "built\n"


def test_several_matches_have_an_interval_and_repeat():
    arguments = ("mit-engine", "uniform", "fish", "--year", "2020", "--hands", 20, "--matches", 4)
    first, again = (json.loads(run(*arguments, "--json").stdout) for _ in range(2))
    assert first["bankrolls"] == again["bankrolls"]
    assert len(set(map(tuple, first["bankrolls"]))) > 1
    assert len(set(first["ranks"])) == 4
    mean, low, high = first["won_percent"]
    assert mean == 25 * sum((chips > 0) + (chips == 0) / 2 for chips, _ in first["bankrolls"])
    assert low <= mean <= high
    done = run(*arguments)
    assert done.exit_code == 0
    assert "4 matches of 20 hands" in done.stdout


def test_an_interval_for_few_matches():
    """Wilson (1927): three of three matches are 43.9 to 100 %."""
    arguments = ("mit-engine", "fish", "fold", "--hands", 4, "--matches", 3, "--json")
    facts = json.loads(run(*arguments).stdout)
    assert facts["won_percent"] == pytest.approx([100, 43.85, 100], abs=0.01)


def test_an_agent_for_another_table_is_told_once():
    arguments = ("--year", "2020", "--hands", 2, "--matches", 2, "--stack", 40)
    done = run("mit-engine", "blueprint", "fish", *arguments)
    assert done.exit_code == 0
    assert done.stderr.count("made for stacks of 100 big blinds") == 1


def test_a_rules_file():
    rules = EXAMPLES / "variant" / "rules.toml"
    done = run("mit-engine", "all-in", "fish", "--year", rules, "--hands", 10, "--json")
    facts = json.loads(done.stdout)
    assert (facts["game"], facts["stack"], facts["clock"]) == ("nlhe", 60, 30.0)
    assert facts["bankrolls"][0][0] % 60 == 0


def test_a_bot_that_fails_sets_the_exit_code(tmp_path):
    (tmp_path / "bot").mkdir()
    done = run("mit-engine", tmp_path / "bot", "fish", "--hands", 4)
    assert done.exit_code == 1
    assert "1 absent" in done.stdout
    assert "commands.json not found" in done.stderr


def test_an_agent_that_crashes_is_reported(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crashing_bot.py").write_text(
        "from tiltless.agents.agent import Agent\n"
        "class Crash(Agent):\n"
        "    def act(self, view, clock, rng):\n"
        "        raise RuntimeError('no idea')\n"
    )
    done = run("mit-engine", "crashing_bot:Crash", "fish", "--hands", 4, "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["bots"][0]["crashed"] > 0
    assert "no idea" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("no-such-agent", "fish"),
        ("./no-such-folder", "fish"),
        ("fish", "fish", "--year", "2021"),
        ("fish", "fish", "--year", "no-such.toml"),
        ("fish", "fish", "--names", "A,A"),
        ("fish", "fish", "--names", "../A,B"),
        ("fish", "fish", "--ranks", "23456789TJQKA"),
    ],
)
def test_mistakes_are_one_line(words):
    done = run("mit-engine", *words)
    assert done.exit_code != 0
    assert isinstance(done.exception, ValueError)
    assert "\n" not in str(done.exception)


def test_a_place_that_cannot_be_written_is_told_before_the_work():
    done = run("mit", "pack", "--game", "permutation", "--out", "/no/such/bot.zip")
    assert "there is no folder /no/such" in str(done.exception)


def test_packing(tmp_path):
    out = tmp_path / "bot.zip"
    arguments = ("mit", "pack", "--game", "river-of-blood", "--agent", "fish", "--out", out)
    done = run(*arguments, "--json")
    assert done.exit_code == 0, (done.output, done.exception)
    facts = json.loads(done.stdout)
    assert facts["zip_bytes"] == out.stat().st_size
    assert facts["parts"]["player"]["files"] == facts["files"] == 4
    refused = run(*arguments, "--server", "2027", "--wheels", tmp_path, error=OptionError)
    assert "numba" in str(refused.exception)
