"""``tiltless train`` as a user runs it."""

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from tiltless.abstraction.buckets import PREFLOP_CLASSES
from tiltless.cli.app import app
from tiltless.games import load
from tiltless.solvers.litmus import first_in, litmus
from tiltless.strategy.blueprint import Blueprint
from tiltless.tree import betting_tree

CONFIG = """
name = "push"
[game]
name = "nlhe"
stack = "10bb"
[abstraction]
bets = "preflop: a; none"
cards = "thesis"
[rules]
discount_every = 65536
[stop]
walks = 400000
"""


def run(*arguments):
    return CliRunner().invoke(app, ["train", *map(str, arguments)])


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "push.toml"
    path.write_text(CONFIG)
    return path


def test_a_run_is_told_saved_and_resumed(config, tmp_path):
    folder = tmp_path / "run"
    done = run(config, "--out", folder, "--threads", 1, "--walks", 200_000)
    assert done.exit_code == 0, done.output
    assert "information sets" in done.stdout
    assert "200,000 walks are done" in done.stdout
    names = {path.name for path in folder.iterdir()}
    assert {"blueprint.safetensors", "metrics.csv", "first-in.png"} <= names
    again = run(config, "--out", folder, "--threads", 1, "--resume")
    assert again.exit_code == 0, again.output
    assert "going on from checkpoint-1" in again.stdout
    assert "yes  AA never folds first in" in again.stdout
    assert "what was learned: the button plays" in again.stdout
    made = Blueprint.load(folder / "blueprint.safetensors")
    assert made.about.card["iterations"] == str(49 * 8192)
    assert dict(made.query("AsAh"))["fold"] < 0.02
    with open(folder / "metrics.csv", encoding="utf-8") as file:
        walks = [int(float(row["walks"])) for row in csv.DictReader(file)]
    assert walks == sorted(walks)
    assert walks[-1] == pytest.approx(49 * 8192, rel=1e-4)
    refused = run(config, "--out", folder)
    assert "holds a run already" in str(refused.exception)


def test_what_it_takes_is_told_before(tmp_path):
    done = run("hundred", "--dry-run")
    assert "10,335,548 information sets" in done.stdout
    assert "MB of checkpoints" in done.stdout


def test_mistakes_end_in_one_line(config):
    for arguments, problem in (
        (("hour",), "choose minute"),
        ((config, "--minutes", 0), "--minutes 0.0 is too little"),
        ((config, "--walks", -1), "--walks -1 is too little"),
    ):
        done = run(*arguments)
        assert problem in str(done.exception)
        assert "\n" not in str(done.exception)


def test_litmus_sees_a_bad_strategy():
    tree = betting_tree(load("nlhe", stack=20), "preflop: a; none")
    rows = int(tree.rows([PREFLOP_CLASSES.count, 1, 1, 1]).start[-1])
    always_fold = np.zeros(rows, np.float32)
    always_fold[: 169 * 3 : 3] = 1
    assert not any(check.holds for check in litmus(tree, 169, always_fold))
    assert first_in(tree, 169, always_fold)[:, 0].tolist() == [1.0] * 169
    assert litmus(tree, 91, always_fold) == []
    assert first_in(tree, 169, np.zeros(rows, np.float32))[0].tolist() == [1 / 3] * 3
    assert json.dumps([check.text for check in litmus(tree, 169, always_fold)])
