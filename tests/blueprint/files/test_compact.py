"""Compact tables: rounding against a twin in fractions, lossless packing, refused files."""

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.blueprint.quantise import quantise_row
from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.blueprint.files import compact
from tiltless.blueprint.files.compact import BLOCK, is_compact, packed, rounded, unpacked
from tiltless.blueprint.strategy import Blueprint
from tiltless.blueprint.tree import betting_tree
from tiltless.errors import DamagedFileError
from tiltless.files.arrays import read_arrays, write_arrays
from tiltless.games import load
from tiltless.kernels.blueprint.quantise import Blocks

MENU = "100%, a"
TREE = betting_tree(load("nlhe", stack=60), MENU)
CARDS = card_abstraction("tiny")


def make(seed=0):
    """A blueprint with random rows, some of them never visited."""
    rng = np.random.default_rng(seed)
    entries = int(TREE.rows(CARDS.counts).start[-1])
    average = rng.gamma(0.3, size=entries).astype(np.float32)
    average[: entries // 5] = 0
    return Blueprint.from_average(TREE, "nlhe", {"stack": 60}, MENU, CARDS, average)


@pytest.fixture(scope="module")
def blueprint():
    return make()


bytes_of_a_row = st.lists(st.integers(0, 1000), min_size=1, max_size=20).map(quantise_row)


@given(st.lists(bytes_of_a_row, min_size=1, max_size=6))
def test_rounding_is_the_largest_remainder(rows):
    table = np.array([byte for row in rows for byte in row], np.uint8)
    width = np.array([len(row) for row in rows], np.int64)
    blocks = Blocks(np.cumsum(width) - width, width, np.ones(len(rows), np.int64))
    wanted = [17 * nibble for row in rows for nibble in quantise_row(row, 15)]
    out = rounded(table, blocks)
    assert out.tolist() == wanted
    for row, begin in zip(rows, blocks.begin, strict=True):
        if any(row):
            assert out[begin + int(np.argmax(row))] > 0


def test_rows_of_a_decision_are_rounded_one_by_one(monkeypatch, blueprint):
    monkeypatch.setattr(compact, "_MOST_ROWS", 7)
    small = blueprint.compact()
    for node in range(len(TREE.nodes.node)):
        if TREE.nodes.node[node, 0] < 0:
            continue
        before, after = blueprint.table(node), small.table(node)
        assert (after % 17 == 0).all()
        assert np.array_equal(before.any(axis=1), after.any(axis=1))
        assert np.abs(before.astype(int) - after).max() < 17
        assert [quantise_row(row, 15) for row in before.tolist()] == (after // 17).tolist()
    small.verify()


@pytest.mark.parametrize(
    "entries",
    [0, 1, 2, 99, BLOCK, BLOCK + 1, pytest.param(2 * BLOCK + 3, marks=pytest.mark.slow)],
)
def test_packing_loses_nothing(entries):
    table = np.random.default_rng(entries).choice([0, 17, 34, 255], entries).astype(np.uint8)
    content, sizes = packed(table)
    assert np.array_equal(unpacked(content, sizes, entries), table)
    assert len(content) < entries / 3.5 + 100


def test_a_compact_file_comes_back_whole_or_in_parts(tmp_path, blueprint, monkeypatch):
    assert not is_compact(blueprint.parts)
    small, path = blueprint.compact(), tmp_path / "x.safetensors"
    small.save(path)
    assert read_arrays(path, kind="blueprint").metadata["format"] == "2"
    back = Blueprint.load(path)
    assert np.array_equal(back.probabilities, small.probabilities)
    assert back.fingerprint == blueprint.fingerprint
    back.verify()
    assert not back.probabilities.flags.writeable
    back.with_card({"machine": "x"}).save(path)
    assert read_arrays(path, kind="blueprint").metadata["format"] == "2"
    small.save(path, parts_of=4096)
    assert len(os.listdir(tmp_path)) > 2
    assert np.array_equal(Blueprint.load(path).probabilities, small.probabilities)
    blueprint.save(path)
    assert read_arrays(path, kind="blueprint").metadata["format"] == "1"
    assert np.array_equal(Blueprint.load(path).probabilities, blueprint.probabilities)


def changed(path, arrays, **metadata):
    """The file with other arrays and metadata, and sound checksums."""
    file = read_arrays(path, kind="blueprint")
    every = {name: file.load(name) for name in file.arrays} | arrays
    about = {**file.metadata, **metadata}
    mark = file.fingerprint
    write_arrays(path, every, kind="blueprint", fingerprint=mark, metadata=about)


@pytest.mark.parametrize(
    ("arrays", "metadata"),
    [
        ({}, {"entries": "7"}),
        ({}, {"entries": "x"}),
        ({}, {"entries": "9" * 15}),
        ({}, {"entries": "9" * 40}),
        ({"blocks": np.array([1], np.int64)}, {}),
        ({"blocks": np.array([-1, 3], np.int64)}, {}),
        ({"blocks": np.zeros(0, np.int64)}, {}),
        ({"blocks": np.zeros((1, 1), np.int64)}, {}),
        ({"probabilities": np.zeros(0, np.uint8)}, {}),
    ],
)
def test_blocks_that_cannot_be_are_refused(tmp_path, blueprint, arrays, metadata):
    path = tmp_path / "x.safetensors"
    blueprint.compact().save(path)
    changed(path, arrays, **metadata)
    with pytest.raises(DamagedFileError):
        Blueprint.load(path)


def test_content_that_is_not_compressed_is_refused(tmp_path, blueprint):
    path = tmp_path / "x.safetensors"
    blueprint.compact().save(path)
    size = len(read_arrays(path, kind="blueprint").arrays["probabilities"])
    for noise in (np.zeros(size, np.uint8), np.full(size, 255, np.uint8)):
        changed(path, {"probabilities": noise})
        with pytest.raises(DamagedFileError):
            Blueprint.load(path)
