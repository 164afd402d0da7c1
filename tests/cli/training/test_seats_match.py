"""``tiltless blueprint match`` and ``respond`` of four seats, as a user runs them."""

import json

import pytest
from typer.testing import CliRunner

from helpers.small_six import random_model
from tiltless.cli.app import app
from tiltless.errors import OptionError


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    for seed in (1, 2):
        random_model(seed, unmet=0).save(folder / f"{seed}.safetensors")
    return [str(folder / f"{seed}.safetensors") for seed in (1, 2)]


def run(*arguments):
    done = CliRunner().invoke(app, ["blueprint", *map(str, arguments)])
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout


def test_one_against_copies_both_ways(files):
    told = json.loads(run("match", *files, "--deals", 2000, "--seed", 3, "--json"))
    one, other = told["matches"]
    assert one["one"] == other["copies"] == files[0]
    assert one["hands"] == 8000
    assert one["mbb_per_hand"] != other["mbb_per_hand"]
    lines = run("match", files[0], files[0], "--deals", 100).splitlines()
    assert "against 3 of" in lines[0]
    assert "+0.0 ± 0.0 mbb/h in 400 hands" in lines[1]


def test_strategies_of_other_seats_do_not_meet(files):
    done = CliRunner().invoke(app, ["blueprint", "match", "hundred", files[0]])
    assert isinstance(done.exception, OptionError)
    assert "for several players" in str(done.exception)


def test_a_response_wins_from_random_play(files):
    told = json.loads(
        run("respond", files[0], "--walks", 8000, "--deals", 2000, "--threads", 1, "--json")
    )
    walks = [each["walks"] for each in told["responses"]]
    assert walks == sorted(set(walks))
    last = told["responses"][-1]
    assert last["mbb_per_hand"] > 2 * last["error_95"] > 0
    assert last["mbb_per_hand"] > told["responses"][0]["mbb_per_hand"]
