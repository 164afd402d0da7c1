"""``tiltless blueprint`` as a user runs it."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.blueprint import shipped
from tiltless.blueprint.files.model_card import CardResult
from tiltless.blueprint.strategy import Blueprint, buckets_of
from tiltless.blueprint.tree import betting_tree
from tiltless.cards.card import CLASS_OF_COMBO
from tiltless.cli import ui
from tiltless.cli.app import app
from tiltless.errors import CardError, DamagedFileError, FileError, OptionError, WriteError
from tiltless.games import load


def run(*arguments):
    """In this process, which is quicker: kernels are loaded once."""
    return CliRunner().invoke(app, ["blueprint", *map(str, arguments)], env={"COLUMNS": "100"})


def output(*arguments):
    done = run(*arguments)
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout


def refused(error, *arguments):
    done = run(*arguments)
    assert type(done.exception) is error, done.output
    return str(done.exception)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "tiny.safetensors"
    menu = "preflop: 2bb, 3bb, a; flop: 50%, 100%, a; cap 2"
    tree, cards = betting_tree(load("nlhe", stack=40), menu), card_abstraction("tiny")
    entries = int(tree.rows(buckets_of(tree, cards)).start[-1])
    average = np.random.default_rng(7).random(entries, dtype=np.float32)
    average[: 5 * 8] = 0
    average[: 5 * 8].reshape(8, 5)[range(8), [0, 1, 2, 3, 4, 0, 0, 0]] = 1
    made = Blueprint.from_average(
        tree, "nlhe", {"stack": 40}, menu, cards, average, {"command": "tiltless train", "n": 3}
    )
    made.save(path)
    return path


def test_info(model):
    text = output("info", model)
    assert "game:     nlhe stack=40" in text
    assert "cards:    tiny, 8 / 8 / 8 / 8 buckets" in text
    assert "command: tiltless train" in text
    told = json.loads(output("info", model, "--json"))
    made = Blueprint.load(model)
    assert told["fingerprint"] == made.fingerprint
    assert told["entries"] == len(made)
    assert told["parameters"] == {"stack": 40}
    assert told["card"] == {"command": "tiltless train", "n": "3"}
    assert told["results"] == []
    assert told["visited"] == told["infosets"] == made.about.infosets


def test_verify(model, tmp_path):
    assert "information sets" in output("verify", model)
    broken = tmp_path / "broken.safetensors"
    broken.write_bytes(model.read_bytes()[:-1] + b"\xff")
    assert "was changed" in refused(DamagedFileError, "verify", broken)


def test_query(model):
    made = Blueprint.load(model)
    line = "r2.5bb c / x b50%"
    text = output("query", model, "--hole", "AsKd", "--board", "Ks7d2c", "--line", line)
    assert "note: r2.5bb is 5 chips, which the tree does not have; took 4 of 4, 6, 40" in text
    assert "flop, the big blind after r4 c / x b4; pot 12" in text
    expected = made.query("AsKd", "Ks7d2c", line)
    for label, chance in expected:
        row = next(each for each in text.splitlines() if f" {label} " in each)
        assert f" {chance:.1%} " in row
    command = ("--hole", "AsKd", "--board", "Ks7d2c", "--line", line, "--json")
    told = json.loads(output("query", model, *command))
    assert told["actions"] == dict(expected)
    assert told["bucket"] == card_abstraction("tiny").bucket("AsKd", "Ks7d2c")
    assert told["visited"] is True
    assert told["line"] == "r4 c / x b4"


@pytest.mark.parametrize("more", [(), ("--hole", "AsKd")])
def test_a_board_needs_a_line(model, more):
    assert "--line" in refused(OptionError, "query", model, "--board", "Ks7d2c", *more)


def test_an_export_that_cannot_be_is_refused_before(model, tmp_path):
    assert "no folder" in refused(WriteError, "export", model, tmp_path / "no" / "x.csv")


def test_all_hands_before_the_flop(model, tmp_path):
    text = output("query", model)
    assert "preflop, the button, first to act; pot 3" in text
    of_combo = card_abstraction("tiny").buckets()
    action = np.array([0, 1, 2, 3, 4, 0, 0, 0])[of_combo]  # each bucket has one action
    told = json.loads(output("query", model, "--json"))
    expected = np.bincount(action, minlength=5) / 1326
    assert list(told["actions"].values()) == pytest.approx(expected.tolist())
    raises = text.split("bets and raises")[1].splitlines()[1:14]
    aces = action[np.flatnonzero(CLASS_OF_COMBO == 0)]
    assert raises[0].split()[0] == ("AA" if (aces >= 2).all() else "·")
    assert "checks and calls" in text
    picture = tmp_path / "grid.png"
    output("query", model, "--png", picture)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_hand_that_training_never_saw_is_told(model, tmp_path):
    made = Blueprint.load(model)
    path = tmp_path / "empty.safetensors"
    Blueprint.from_average(
        made.tree,
        "nlhe",
        {"stack": 40},
        made.about.menu,
        made.abstraction,
        np.zeros(len(made), np.float32),
    ).save(path)
    assert "never visited" in output("query", path, "--hole", "7c2d")


def test_bad_queries_are_one_line(model):
    assert "give --hole" in refused(CardError, "query", model, "--line", "c x")
    assert "leave --hole out" in refused(
        OptionError, "query", model, "--hole", "AsKd", "--png", "x.png"
    )
    done = subprocess.run(
        [
            *(sys.executable, "-c", "from tiltless.cli import main; main()"),
            *("blueprint", "query", str(model), "--hole", "AsKd", "--line", "zz"),
        ],
        env={**os.environ, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: 'zz' at the start in the line 'zz': ")
    assert done.stderr.count("\n") == 1


def test_export(model, tmp_path, monkeypatch):
    out = tmp_path / "out.csv"
    infosets = Blueprint.load(model).about.infosets
    assert f"{infosets:,} rows of {infosets:,} information sets" in output("export", model, out)
    monkeypatch.setattr(ui, "EVERY", 0.0)
    said = run("export", model, out).stderr.splitlines()
    assert said
    assert len(said) == len(set(said))  # progress is told once
    assert all(re.fullmatch(r"[\d,]+ decisions \d+%( \(.* left\))?", line) for line in said), said
    lines = out.read_text().splitlines()
    assert lines[0] == "street,player,line,bucket,visited,actions,probabilities"
    assert lines[1].startswith("preflop,0,,0,1,f c r4 r6 r40,1.0000 0.0000 0.0000 0.0000 0.0000")
    assert len(lines) == 1 + infosets
    assert ".csv, .jsonl or .parquet" in refused(OptionError, "export", model, tmp_path / "a.txt")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "tiltless[analysis]" in refused(OptionError, "export", model, tmp_path / "a.parquet")


def test_results_are_printed_with_their_intervals(model, tmp_path):
    path = tmp_path / "proven.safetensors"
    match = CardResult(
        "[bold] caller", -12.25, (-20, -4.5), 1_000_000, 7, "tiltless match --seed 7"
    )
    Blueprint.load(model).with_card({"results": [match]}).save(path)
    text = output("info", path)
    row = next(line for line in text.splitlines() if "bold" in line)
    cells = [cell.strip() for cell in row.strip("│").split("│")]
    assert cells == ["[bold] caller", "-12.2", "-20.0 to -4.5", "1,000,000", "7"]
    assert "  [bold] caller: tiltless match --seed 7" in text.splitlines()
    assert "results:" not in text
    told = json.loads(output("info", path, "--json"))
    assert told["results"] == [{**match._asdict(), "interval": [-20, -4.5]}]
    assert "results" not in told["card"]
    Blueprint.load(model).with_card({"results": "wins a little"}).save(path)
    assert "  results: wins a little" in output("info", path).splitlines()


@pytest.fixture
def models(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "MODELS", tmp_path / "models")
    (tmp_path / "models").mkdir()
    return tmp_path / "models"


def test_nothing_ships(models):
    assert "tiltless train" in output("list")
    assert json.loads(output("list", "--json")) == []
    assert "known: none" in refused(OptionError, "info")


def test_without_a_file_it_is_the_shipped_one(model, models, tmp_path):
    made = Blueprint.load(model)
    made.save(models / "hundred.safetensors", parts_of=4096)
    made.with_card({"results": []}).save(models / "other.safetensors")
    assert len(list(models.iterdir())) > 3
    text = output("list")
    assert text.splitlines()[0] == "hundred: nlhe stack=40, cards tiny (the default)"
    assert "other: nlhe stack=40, cards tiny\n" in text
    names = [each["name"] for each in json.loads(output("list", "--json"))]
    assert names == ["hundred", "other"]
    for name in ((), ("hundred",), ("other",)):
        assert json.loads(output("info", *name, "--json"))["fingerprint"] == made.fingerprint
    assert "hundred is intact" in output("verify")
    assert "other is intact" in output("verify", "other")
    hand = ("--hole", "AsKd", "--json")
    assert json.loads(output("query", *hand))["actions"] == dict(made.query("AsKd"))
    assert output("query", *hand) == output("query", "hundred", *hand)
    out = tmp_path / "out.csv"
    assert f"{made.about.infosets:,} rows" in output("export", out)
    assert f"{made.about.infosets:,} rows" in output("export", "other", out)
    wrong = refused(OptionError, "query", "hundrd", *hand)
    assert "'hundrd'" in wrong
    assert "did you mean 'hundred'? known: hundred, other" in wrong
    assert "[FILE] OUT.csv" in refused(OptionError, "export", "hundred")


@pytest.mark.parametrize("parts_of", [None, 4096])
def test_a_compact_one_is_described_without_being_unpacked(model, tmp_path, monkeypatch, parts_of):
    path, made = tmp_path / "compact.safetensors", Blueprint.load(model).compact()
    made.save(path, parts_of=parts_of)
    monkeypatch.setattr("tiltless.blueprint.files.file.unpacked", None)
    told = json.loads(output("info", path, "--json"))
    assert (told["entries"], told["parts"]) == (len(made), 1)
    assert told["fingerprint"] == made.fingerprint
    for part in tmp_path.glob("compact.*of*"):
        part.unlink()
        assert part.name in refused(FileError, "info", path)
        break


def test_export_as_the_thesis_has_it(tmp_path, model):
    menu = "none"
    tree, cards = betting_tree(load("toy-holdem"), menu), card_abstraction("thesis")
    average = np.zeros(int(tree.rows(buckets_of(tree, cards)).start[-1]), np.float32)
    average[:6] = 1, 1, 1, 3, 0, 2  # AA, AKs, AQs first to act: one of them is still uniform
    path, out = tmp_path / "toy.safetensors", tmp_path / "out.csv"
    Blueprint.from_average(tree, "toy-holdem", {}, menu, cards, average).save(path)
    counts = "154,102 information sets, 3 visited (with an average strategy), 2 after cleaning"
    for flags, rows in (((), 154_102), (("--visited",), 3), (("--clean",), 2)):
        text = output("export", path, out, "--format", "thesis", *flags)
        assert f"out.csv: {rows:,} rows; {counts}" in " ".join(text.split())
        assert len(out.read_text().splitlines()) == rows + 1
    assert out.read_text() == (
        'info_set,strategies\nAKs,"[0.25,0.75,0.00]"\nAQs,"[0.00,1.00,0.00]"\n'
    )
    thesis = ("--format", "thesis")
    assert "'thesis'" in refused(OptionError, "export", model, out, *thesis)
    assert "does not end in .csv" in refused(OptionError, "export", path, "a.parquet", *thesis)
    assert "--visited" in refused(OptionError, "export", path, out, "--clean")
    assert "rows or thesis" in refused(OptionError, "export", path, out, "--format", "xml")


def test_a_compact_copy_is_smaller_and_sound(model, tmp_path):
    out = tmp_path / "small.safetensors"
    text = output("compact", model, out)
    made = Blueprint.load(out)
    assert f"{len(made):,} actions" in text
    assert out.stat().st_size < model.stat().st_size
    assert not (made.probabilities % 17).any()
    assert "is intact" in output("verify", out)
    refused(OptionError, "compact", model, tmp_path / "small.bin")
