"""The River of Blood experiment: its rows, the opponents, small runs."""

import json
from random import Random

import pytest
from typer.testing import CliRunner

from helpers.playing import view_after
from helpers.toy_river_of_blood import save_toy
from tiltless.agents import make_agent
from tiltless.agents.agent import Clock
from tiltless.arena.store import Store
from tiltless.cli.app import app
from tiltless.errors import OptionError
from tiltless.experiments.river_of_blood.reproduction import (
    QUICK,
    HandCounts,
    facts,
    markdown,
    play_rows,
    row_plan,
    rows,
    scaled,
)
from tiltless.games import load
from tiltless.games.holdem.actions import CALL, RaiseTo

FEW = HandCounts(20, 40, 4)


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    return str(save_toy(tmp_path_factory.mktemp("blood") / "toy.safetensors"))


def test_the_rows(toy):
    made = rows(toy, report=toy)
    assert made[0].name == "Calling Station"
    assert len({(row.ours, row.other) for row in made}) == len(made)
    for row in made:
        plan = row_plan(row, QUICK, 3)
        assert plan.table.rules.stacks == (400, 400)
        assert plan.table.rules.run_suits == "dh"
        assert all(text.partition(":")[0] for text in plan.agents)
    assert [row.name for row in rows(toy, only=["skeleton", "red"])] == [
        "skeleton",
        "cut at red rivers",
    ]
    with pytest.raises(OptionError):
        rows(toy, only=["nobody"])


def test_hands_are_even():
    assert scaled(HandCounts(1000, 2000, 200), 0.0333) == HandCounts(34, 66, 6)
    assert scaled(QUICK, 1e-9) == HandCounts(2, 2, 2)


def test_a_small_run_is_played_once_and_told(toy, tmp_path):
    wanted = rows(toy, only=["skeleton", "cut at the river", "without search"])[:3]
    with Store(tmp_path / "results.sqlite") as store:
        found = play_rows(store, wanted, FEW, seed=2)
        again = play_rows(store, wanted, FEW, seed=2)
        assert len(store.records()) == 3
    assert markdown(found, 2) == markdown(again, 2)
    told = facts(found, 2)
    assert [row["hands"] for row in told["rows"]] == [20, 40, 4]
    assert all(row["low"] <= row["mean"] <= row["high"] for row in told["rows"])
    assert all(row["rulings"] == [0, 0] for row in told["rows"])


def test_the_command(toy, tmp_path):
    words = ["reproduce", "river-of-blood", "--quick", "--scale", "0.01", "--processes", "1"]
    words += ["--file", toy, "--only", "skeleton, all-in", "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 0, (done.output, done.exception)
    told = json.loads(done.stdout)
    assert [row["row"] for row in told["rows"]] == ["all-in", "skeleton"]
    assert (tmp_path / "out/table.md").read_text().count("\n| ") == 3
    done = CliRunner().invoke(app, words)
    assert "skeleton" in done.stdout


def test_the_skeleton_raises_the_minimum_one_time_in_five():
    agent, view = make_agent("mit-skeleton"), view_after(load("river-of-blood"))
    taken = [agent.act(view, Clock(), Random(seed)).action for seed in range(500)]
    assert set(taken) == {CALL, RaiseTo(4)}
    assert 70 < taken.count(RaiseTo(4)) < 130


def test_calling_station_says_what_it_needs(tmp_path):
    with pytest.raises(OptionError, match="tiltless train calling-station"):
        make_agent(f"calling-station:file={tmp_path / 'none'}")
