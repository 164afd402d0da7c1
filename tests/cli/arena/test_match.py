"""``tiltless match``, ``cross-table`` and ``agents`` as a user runs them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from helpers.command import run_here
from tiltless.agents import registry
from tiltless.agents.simple import Caller
from tiltless.arena import match as match_module
from tiltless.arena.store import DEFAULT_FILE, Store
from tiltless.cli.app import app
from tiltless.errors import OptionError


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "110"})


def output(*arguments):
    done = run(*arguments)
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout


def refused(*arguments):
    done = run(*arguments)
    assert isinstance(done.exception, OptionError), (done.output, done.exception)
    return str(done.exception)


def test_a_match():
    text = output("match", "fold", "all-in", "--hands", 200, "--seed", 1, "stack=50bb")
    assert "match 1: fold against all-in, nlhe stack=50bb, 200 hands (100 deals, mirrored)" in text
    assert "-750.0" in text
    assert "fold loses" in text
    assert "VPIP" in text
    assert os.path.exists(DEFAULT_FILE)


def test_what_decided_is_shown():
    words = ("match", "arena.match_runner:Sayer", "fish", "--hands", 40, "--chunk", 10)
    facts = json.loads(output(*words, "--json"))
    said, silent = (agent["sources"] for agent in facts["agents"])
    assert set(said) == {"street", "no luck"}
    assert silent == {}
    line = ", ".join(f"{said[name]:,} {name}" for name in sorted(said, key=lambda n: -said[n]))
    text = output(*words)
    assert f"decisions of arena.match_runner:Sayer: {line}\n" in text
    assert "decisions of fish" not in text
    assert f"Sayer: {line}\n" in output("results", "show", 1)


def test_the_command_of_the_manual():
    text = output("match", "fish", "uniform", "--hands", 40, "--game", "nlhe", "stack=100bb")
    assert "40 hands" in text


def test_matches_won():
    words = ("match", "all-in", "fold", "--score", "match", "--hands", 10)
    text = output(*words, "--matches", 39, "--seed", 2)
    assert "40 matches of 10 hands" in text
    assert "1.000" in text  # nobody contests
    assert "20 mirrored matches" in text
    assert "all-in wins" in output(*words, "--matches", 60, "--seed", 2, "--resume")
    facts = json.loads(output("results", "show", 1, "--json"))
    assert (facts["matches"], facts["match_hands"], facts["hands"]) == (60, 10, 600)
    winner, loser = facts["agents"]
    assert (winner["matches_won"], loser["matches_won"]) == (1, 0)
    assert winner["matches_won_interval"] == pytest.approx([0.025 ** (1 / 30), 1])
    assert winner["mean"] == 750
    assert "--score match" in refused("match", "fish", "fold", "--matches", 3)
    assert "points" in refused("match", "fish", "fold", "--score", "points")
    assert "two" in refused("match", "fish", "fold", "fish", "--score", "match")
    counted = json.loads(output("match", "fish", "fold", "--hands", 20, "--json"))
    assert "matches_won" not in counted["agents"][0]


def test_a_cross_table_of_matches_won():
    words = ("cross-table", "fold", "all-in", "fish", "--score", "match", "--hands", 6)
    facts = json.loads(output(*words, "--matches", 60, "--json"))
    assert "matches" in facts["unit"]
    assert facts["agents"][0] == "fold"
    cells = facts["cells"]
    assert cells[0][1][0] == -50  # never a match against who raises always
    assert cells[1][0][0] == 50
    assert cells[1][2] == [0, 0, 0]  # all-in and calling are the same


def test_a_chunk_is_rounded_to_whole_matches():
    output(
        "match", "fish", "fold", "--score", "match", "--hands", 30, "--matches", 4, "--chunk", 40
    )
    with Store(DEFAULT_FILE) as store:
        assert store.plan(1).chunk == 60


def test_json_and_units():
    arguments = ("match", "fold", "all-in", "--hands", 20, "--json", "--unit")
    means = {}
    for unit in ("mbb/h", "bb/100", "sb/h", "chips/h"):
        facts = json.loads(output(*arguments, unit))
        means[unit] = facts["agents"][0]["mean"]
        assert facts["hands"] == 20
        assert facts["agents"][1]["interval"] == [-means[unit]] * 2
    assert means == {"mbb/h": -750, "bb/100": -75, "sb/h": -1.5, "chips/h": -1.5}
    assert "euro" in refused(*arguments, "euro")


def test_many_players_carry_clock_and_no_hands():
    text = output(
        "match", "fish", "uniform", "all-in", "--hands", 90, "--carry", "--chunk", 10,
        "--clock", 5, "--no-hands", "--no-mirrored", "--db", "own.sqlite",
    )  # fmt: skip
    assert "90 hands (90 deals, not mirrored, carried stacks)" in text
    with Store("own.sqlite", create=False) as store:
        assert list(store.hands(1)) == []
        assert store.record(1).scores[0].won.count == 9


def test_resume_makes_a_match_longer():
    output("match", "fish", "uniform", "--hands", 40)
    text = output("match", "fish", "uniform", "--hands", 100, "--resume")
    assert "match 1:" in text
    assert "100 hands" in text
    assert "match 2:" in output("match", "fish", "uniform", "--hands", 40)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("fish",), "two agents"),
        (("fish", "fisch"), "did you mean 'fish'"),
        (("fish", "uniform", "stack=ten"), "stack"),
        (("fish", "uniform", "--game", "kuhn"), "kuhn"),
        (("fish", "uniform", "fold", "seats=4"), "3 agents do not fill 4 seats"),
        (("fish", "uniform", "--clock", "0"), "clock"),
    ],
)
def test_mistakes(arguments, said):
    assert said in refused("match", *arguments)


def test_late_agents_are_ruled_on():
    done = run("match", "uniform", "fish", "--hands", 20, "--clock", "1e-9")
    assert done.exit_code == 1
    assert "late" in done.stdout
    assert "rulings" in done.stdout


class Bad(Caller):
    """Always fails."""

    def act(self, view, clock, rng):
        raise ValueError("it's [red]broken[/red]")


class Seldom(Caller):
    """Fails at times."""

    def act(self, view, clock, rng):
        if rng.random() < 0.2:
            raise ValueError("seldom")
        return super().act(view, clock, rng)


@pytest.fixture
def _bad_agents(monkeypatch):
    monkeypatch.setattr(registry, "_AGENTS", dict(registry._AGENTS))
    registry.register("bad", Bad, "fails")
    registry.register("seldom", Seldom, "fails at times")


@pytest.mark.usefixtures("_bad_agents")
def test_a_match_of_crashes_is_no_result():
    done = run("match", "bad", "all-in", "--hands", 100)
    assert done.exit_code == 1
    said = "the first: deal 0, half 0: crashed: ValueError: it's [red]broken[/red]"
    assert said in done.stdout
    assert "No verdict: most decisions of bad " in done.stdout
    assert done.stdout.index(said) < done.stdout.index("No verdict")
    assert "wins" not in done.stdout
    assert "loses" not in done.stdout
    done = run("match", "bad", "all-in", "--hands", 100, "--json")
    assert done.exit_code == 1
    assert "broken" in json.loads(done.stdout)["agents"][0]["first_fault"]
    done = run("cross-table", "bad", "all-in", "fold", "--hands", 100)
    assert done.exit_code == 1
    assert said in done.stdout
    assert "No verdict: most decisions of bad " in done.stdout


@pytest.mark.usefixtures("_bad_agents")
def test_a_crash_at_times_is_told_with_the_result():
    text = output("match", "seldom", "fish", "--hands", 200)
    assert "crashed: ValueError: seldom" in text
    assert "No verdict" not in text


def test_too_few_deals_have_no_verdict():
    text = output("match", "fold", "all-in", "--hands", 40)
    assert "No verdict: 20 deals are too few; play 30 or more." in text
    assert "loses" not in text


def test_nothing_is_made_where_something_is_wrong():
    refused("match", "fish", "nobody")
    refused("cross-table", "fish", "nobody")
    assert "--out no/where" in refused("cross-table", "fish", "fold", "--out", "no/where")
    assert not os.listdir()


def test_json_has_no_infinity():
    arguments = ("cross-table", "fish", "uniform", "--hands", 2, "--json")
    text = output(*arguments)
    assert "Infinity" not in text
    facts = json.loads(text)
    assert facts["cells"][0][1][1:] == [None, None]
    assert facts["cells"][0][0] is None


def test_an_interrupt_shows_no_other_match(monkeypatch):
    """Stopped before its first chunk, a match is shown as empty, not as the one before it."""
    output("match", "fish", "uniform", "--hands", 40)

    def stop(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(match_module, "play_chunk", stop)
        done = run("match", "fish", "uniform", "--hands", 40)
    assert done.exit_code == 130
    assert "match 2:" in done.stdout
    assert "0 hands of 40 planned" in done.stdout
    with monkeypatch.context() as patch:
        patch.setattr(Store, "begin", stop)
        done = run("match", "fish", "uniform", "--hands", 40)
    assert done.exit_code == 130
    assert "match" not in done.stdout


def test_resume_says_that_an_agent_has_changed(monkeypatch):
    output("match", "fish", "uniform", "--hands", 40)
    monkeypatch.setattr(Caller, "fingerprint", lambda self: "another")
    done = run("match", "fish", "uniform", "--hands", 40, "--resume")
    assert done.exit_code == 0
    assert "match 1 was played by other versions of fish" in done.stderr
    assert "match 2:" in done.stdout


@pytest.mark.parametrize(("out", "message"), [("", "names no file"), ("no/such", "not a folder")])
def test_a_cross_table_that_cannot_be_written_is_not_played(out, message):
    done = run_here("cross-table", "fish", "fold", "--hands", "40", "--out", out)
    assert done.returncode == 2
    assert message in done.stderr
    assert not Path("tiltless-results.sqlite").exists()


def test_cross_table():
    text = output(
        "cross-table", "fish", "all-in", "fold", "--hands", 40, "--out", "t", "--unit", "bb/100",
        "--title", "Three of them",
    )  # fmt: skip
    assert "+75 exactly" in text
    assert "written: t.png, t.html" in text
    with open("t.html", encoding="utf-8") as file:
        page = file.read()
    assert "<title>Three of them</title>" in page
    assert "bb/100" in page
    with open("t.png", "rb") as file:
        assert file.read(4) == b"\x89PNG"
    arguments = ("cross-table", "fish", "all-in", "fold", "--hands", 40, "--resume", "--json")
    facts = json.loads(output(*arguments))
    assert facts["cells"][0][1] == [0, 0, 0]
    assert facts["cells"][1][2] == [750, 750, 750]
    assert facts["ranking"][-1] == "fold"
    with Store() as store:
        assert len(store.records()) == 3
    assert "once each" in refused("cross-table", "fish", "fish")


def test_agents():
    text = output("agents")
    for name in ("fish", "uniform", "all-in"):
        assert name in text
    listed = json.loads(output("agents", "--json"))
    fish = next(each for each in listed if each["name"] == "fish")
    assert (fish["about"], fish["options"]) == ("checks and calls everything", {})


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_ctrl_c_and_resume(processes):
    command = [sys.executable, "-c", "from tiltless.cli import main; main()", "match", "fish"]
    command += ["uniform", "--hands", "1000000", "--processes", str(processes)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        time.sleep(0.3)
        if os.path.exists(DEFAULT_FILE):
            with Store() as store:
                if store.records() and store.records()[0].deals:
                    break
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert "of 1,000,000 planned" in out
    assert "--resume continues" in err
    assert "Traceback" not in err
    with Store() as store:
        deals = store.record(1).deals
    assert deals > 0
    text = output("match", "fish", "uniform", "--hands", 2 * deals + 200, "--resume")
    assert "match 1:" in text


@pytest.mark.parametrize(
    "words",
    [
        ("match", "blueprint:file=hundred", "fish", "fish"),
        ("match", "blueprint", "fish", "--game", "short-deck"),
        ("cross-table", "fish", "fold", "blueprint", "--game", "short-deck"),
        ("evaluate", "fish", "blueprint", "--game", "short-deck"),
    ],
)
def test_a_blueprint_is_refused_where_it_cannot_play(words):
    assert "the blueprint is for nlhe with 2 seats" in refused(*words, "--hands", 10)
    assert not os.path.exists(DEFAULT_FILE)


def test_other_stacks_than_the_blueprints_are_told():
    stacks = (20, 100), (300, 200), (100, 0), (200, 0)
    for words, some in (
        (("match",), stacks),
        (("cross-table",), stacks[1:3]),
        (("evaluate", "--estimator", "raw"), stacks[:1] + stacks[3:]),
    ):
        for stack, ours in some:
            done = run(*words, "fish", "blueprint", f"stack={stack}bb", "--hands", 2)
            assert done.exit_code == 0, (done.output, done.exception)
            line = f"blueprint: made for stacks of {ours} big blinds; with {stack}"
            assert (line in done.stderr) == bool(ours)
            assert ("made for" in done.stderr) == bool(ours)
            assert "made for" not in done.stdout
