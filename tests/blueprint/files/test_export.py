"""Blueprints as CSV and Parquet: every information set once, with its line and its numbers."""

import csv
import json
import sys

import numpy as np
import pytest

from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.blueprint.files.export import COLUMNS, decisions, export
from tiltless.blueprint.line_text import offered_words
from tiltless.blueprint.strategy import Blueprint, buckets_of
from tiltless.blueprint.tree import betting_tree
from tiltless.errors import OptionError
from tiltless.games import load


def blueprint(name="nlhe", cards="tiny", menu="100%, a", **parameters):
    tree, cards = betting_tree(load(name, **parameters), menu), card_abstraction(cards)
    rng = np.random.default_rng(5)
    entries = int(tree.rows(buckets_of(tree, cards)).start[-1])
    average = rng.random(entries, dtype=np.float32) * (np.arange(entries) % 20 < 12)
    return Blueprint.from_average(tree, name, parameters, menu, cards, average)


SMALL = blueprint(stack=6)


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check(rows, visited):
    """Every row leads back to its place in the table, and no place is there twice."""
    about, places = SMALL.about, set()
    assert len(rows) == (about.visited if visited else about.infosets)
    for row in rows:
        place = SMALL.follow(row["line"])
        bucket = int(row["bucket"])
        assert (row["street"], int(row["player"])) == (
            SMALL.tree.street_name(place.street),
            place.actor,
        )
        assert tuple(row["actions"]) == offered_words(SMALL.tree, place.node)
        assert row["probabilities"] == pytest.approx(SMALL.row(place.node, bucket), abs=5e-5)
        assert row["visited"] == SMALL.is_visited(place.node, bucket)
        places.add((place.node, bucket))
    assert len(places) == len(rows)


@pytest.mark.parametrize("visited", [False, True])
def test_csv(tmp_path, visited):
    path = tmp_path / "out.csv"
    calls = []
    count = export(path, SMALL, visited=visited, progress=lambda *done: calls.append(done))
    rows = rows_of(path)
    assert count == len(rows)
    assert tuple(rows[0]) == tuple(COLUMNS)
    assert 0 < SMALL.about.visited < SMALL.about.infosets
    for row in rows:
        row["actions"] = row["actions"].split()
        row["probabilities"] = [float(word) for word in row["probabilities"].split()]
        row["visited"] = row["visited"] == "1"
    check(rows, visited)
    assert calls[-1] == (16, 16)


@pytest.mark.parametrize("visited", [False, True])
def test_parquet(tmp_path, visited):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "out.parquet"
    count = export(path, SMALL, visited=visited)
    rows = parquet.read_table(path).to_pylist()
    assert count == len(rows)
    check(rows, visited)


def test_json_lines(tmp_path):
    path = tmp_path / "out.jsonl"
    assert export(path, SMALL) == SMALL.about.infosets
    check([json.loads(line) for line in path.read_text("utf-8").splitlines()], visited=False)


def test_parquet_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(OptionError, match=r"pip install 'tiltless\[analysis\]'"):
        export(tmp_path / "out.parquet", SMALL)
    assert list(tmp_path.iterdir()) == []


def test_streets_that_repeat_come_once():
    blood = blueprint("river-of-blood", "river-of-blood", "100%, a; cap 1", stack=12)
    found = list(decisions(blood))
    assert len(found) == sum(blood.tree.size.decisions)
    assert sum(len(each.buckets) for each in found) == blood.about.infosets
