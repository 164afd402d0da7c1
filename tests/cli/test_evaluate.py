"""``tiltless evaluate`` as a user runs it."""

import json

import pytest
from typer.testing import CliRunner

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


def test_a_test_that_stops():
    arguments = ("all-in", "fold", "--hands", 100_000, "--sprt", 20, "--estimator", "raw")
    done = run(*arguments, "--chunk", 100)
    assert "1,000 hands (500 deals, mirrored)" in done.stdout
    assert "all-in is better (LLR +" in done.stdout
    assert ", by raw" in done.stdout
    facts = json.loads(run(*arguments, "--json").stdout)
    assert facts["sprt"]["decision"] == "better"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("fish",), "two agents"),
        (("fish", "fish", "--estimator", "luck"), "raw, all-in, aivat"),
        (("fish", "fish", "--sprt", "0"), "above 0"),
        (("fish", "fihs"), "did you mean 'fish'"),
    ],
)
def test_mistakes_in_one_line(arguments, words):
    done = run(*arguments)
    assert isinstance(done.exception, OptionError), (done.output, done.exception)
    assert words in str(done.exception)
