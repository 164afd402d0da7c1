"""``tiltless evaluate`` as a user runs it."""

import json

import pytest
from typer.testing import CliRunner

from tiltless.agents import Agent, Decision, register, registered
from tiltless.agents.agent import check_or_call
from tiltless.cli.app import app
from tiltless.errors import OptionError


def run(*arguments):
    return CliRunner().invoke(app, ["evaluate", *map(str, arguments)], env={"COLUMNS": "110"})


def test_a_table_of_estimators():
    done = run("all-in", "fish", "stack=20bb", "--hands", 200, "--no-mirrored", "--seed", 3)
    assert done.exit_code == 0, (done.output, done.exception)
    assert (
        "all-in against fish, nlhe stack=20bb, 200 hands (200 deals, not mirrored)" in done.stdout
    )
    for name in ("raw", "all-in", "aivat"):
        assert f"│ {name} " in done.stdout
    assert "│ 1.000 " in done.stdout


def test_json_is_json():
    done = run("fold", "all-in", "--hands", 2, "--json", "--estimator", "raw,aivat")
    assert done.exit_code == 0, (done.output, done.exception)
    facts = json.loads(done.stdout, parse_constant=pytest.fail)
    assert list(facts["estimates"]) == ["raw", "aivat"]
    assert facts["estimates"]["raw"]["mean"] == -750
    assert facts["estimates"]["raw"]["interval"] == [None, None]  # of one deal
    assert facts["sprt"] is None


def test_a_test_that_has_not_decided():
    done = run("fish", "uniform", "--hands", 4, "--sprt", 20, "--estimator", "raw")
    assert "undecided whether fish is better (LLR" in done.stdout


def test_a_test_that_stops():
    arguments = ("all-in", "fold", "--hands", 100_000, "--sprt", 20, "--estimator", "raw")
    done = run(*arguments, "--chunk", 100)
    assert "1,000 hands (500 deals, mirrored)" in done.stdout
    assert "all-in is better (LLR +" in done.stdout
    assert ", by raw" in done.stdout
    facts = json.loads(run(*arguments, "--json").stdout)
    assert facts["sprt"]["decision"] == "better"


class Crashing(Agent):
    """On the last streets."""

    def __init__(self, streets: int = 1) -> None:
        self.sound = range(4 - streets)

    def act(self, view, clock, rng):
        if view.street not in self.sound:
            raise RuntimeError("no idea")
        return Decision(check_or_call(view.actions))


@pytest.fixture
def crashing():
    """Its name; other tests ask all agents that are registered before they begin."""
    if "test-crashing" not in {entry.name for entry in registered()}:
        register("test-crashing", Crashing, "for tests")
    return "test-crashing"


def test_rulings_are_told(crashing):
    done = run("fish", crashing, "--hands", 20)
    assert done.exit_code == 0, (done.output, done.exception)
    assert "test-crashing: 20 of 80 decisions were ruled on" in done.stdout
    assert "the first: deal 0, half 0: crashed: RuntimeError: no idea" in done.stdout
    facts = json.loads(run("fish", crashing, "--hands", 20, "--json").stdout)
    assert facts["rulings"] == 20
    assert "ruled on" not in run("fish", "fish", "--hands", 20).stdout


def test_what_decided_is_told():
    """As `tiltless match` does."""
    words = ("arena.match_runner:Sayer", "fish", "--hands", 40)
    said, silent = json.loads(run(*words, "--json").stdout)["sources"]
    assert set(said) == {"street", "no luck"}
    assert silent == {}
    line = ", ".join(f"{said[name]:,} {name}" for name in sorted(said, key=lambda n: -said[n]))
    text = run(*words).stdout
    assert f"decisions of arena.match_runner:Sayer: {line}\n" in text
    assert "decisions of fish" not in text


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_no_estimates_where_the_dealer_played(crashing, options):
    done = run("fish", f"{crashing}:streets=3", "--hands", 20, *options)
    assert done.exit_code == 1
    assert done.stdout == ""
    assert "most decisions of test-crashing:streets=3 were ruled on" in done.stderr
    assert "RuntimeError: no idea" in done.stderr


def test_a_clock_rules():
    done = run("fish", "fish", "--hands", 4, "--clock", 1e-9)
    assert done.exit_code == 1
    assert "late" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("fish",), "two agents"),
        (("fish", "fish", "--estimator", "luck"), "raw, all-in, aivat"),
        (("fish", "fish", "--sprt", "0"), "above 0"),
        (("fish", "fihs"), "did you mean 'fish'"),
        (("fish", "fish", "--game", "kuhn"), "kuhn"),
        (("fish", "fish", "--game", "matrix"), "matrix"),
    ],
)
def test_mistakes_in_one_line(arguments, words):
    done = run(*arguments)
    assert isinstance(done.exception, OptionError), (done.output, done.exception)
    assert words in str(done.exception)
