"""Blueprints: rounding, files that are refused with the reason, and look-ups checked by hand."""

import re

import numpy as np
import pytest

from tiltless.abstraction.cards.buckets import ComboBuckets
from tiltless.abstraction.cards.design_file import save_design
from tiltless.abstraction.cards.presets import card_abstraction, card_design
from tiltless.blueprint import strategy as module
from tiltless.blueprint.files import file as blueprint_file
from tiltless.blueprint.files.file import KIND, PART_KIND
from tiltless.blueprint.simulate.playout import play
from tiltless.blueprint.strategy import Blueprint, buckets_of, tree_fingerprint
from tiltless.blueprint.tree import betting_tree
from tiltless.cards.card import CLASS_OF_COMBO, combo_index
from tiltless.errors import (
    ArrayError,
    CardError,
    DamagedFileError,
    FileError,
    FingerprintError,
    ForeignFileError,
    NewerFileError,
    OptionError,
)
from tiltless.files.arrays import read_arrays, write_arrays
from tiltless.games import load
from tiltless.kernels.blueprint.nodes import ACTIONS, ACTOR, ROW, STREET

MENU = "100%, a"
TREE = betting_tree(load("nlhe", stack=6), MENU)
CARDS = card_abstraction("tiny")
BUCKETS = buckets_of(TREE, CARDS)
ENTRIES = int(TREE.rows(BUCKETS).start[-1])


def random_average(seed=0):
    """Weights that do not sum to 1, with a third of the information sets never visited."""
    rng = np.random.default_rng(seed)
    average = rng.gamma(0.3, size=ENTRIES).astype(np.float32)
    for _, _, begin, end in infosets():
        if rng.random() < 1 / 3:
            average[begin:end] = 0
    return average


def infosets():
    """Node, bucket, first entry and end of every information set, from the layout's definition."""
    rows = TREE.rows(BUCKETS)
    for node, record in enumerate(TREE.nodes.node.tolist()):
        if record[ACTOR] >= 0:
            street, actions = record[STREET], record[ACTIONS]
            for bucket in range(BUCKETS[street]):
                begin = int(rows.start[street] + record[ROW] * BUCKETS[street] + bucket * actions)
                yield node, bucket, begin, begin + actions


def make(average=None, tree=TREE, **changes):
    options = {
        "game": "nlhe",
        "parameters": {"stack": 6},
        "menu": MENU,
        "abstraction": CARDS,
        "average": random_average() if average is None else average,
        "card": {"iterations": 12, "results": "+3 ± 2 mbb/h against “random”"},
    }
    return Blueprint.from_average(tree, **options | changes)


BLUEPRINT = make()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"


def forge(path, arrays=None, drop=(), **metadata):
    """Rewrite a saved blueprint with other metadata or arrays; the checksums are right again."""
    file = read_arrays(path, verify=False)
    said = {key: value for key, value in file.metadata.items() if key not in drop} | metadata
    held = {name: file.load(name) for name in file.arrays} if arrays is None else arrays
    write_arrays(path, held, kind=KIND, fingerprint=file.fingerprint, metadata=said)


def refused(path, error, match, **options):
    with pytest.raises(error, match=match) as caught:
        Blueprint.load(path, **options).verify()
    assert type(caught.value) is error
    assert "\n" not in str(caught.value)


# Rounding.


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rounding_keeps_sums_exact_and_probabilities_close(dtype):
    average = random_average(1).astype(dtype)
    blueprint = make(average)
    table = blueprint.probabilities
    visited = 0
    for node, bucket, begin, end in infosets():
        row, weights = blueprint.row(node, bucket), average[begin:end].astype(np.float64)
        been = weights.sum() > 0
        assert table[begin:end].sum() == (255 if been else 0)
        assert blueprint.is_visited(node, bucket) == been
        expected = weights / weights.sum() if been else np.full(len(weights), 1 / len(weights))
        assert np.abs(row - expected).max() < 1 / 255
        assert row.sum() == pytest.approx(1, abs=1e-12)
        if been:
            assert (row * 255 == table[begin:end]).all()
        visited += been
    about = blueprint.about
    assert about.visited == visited < about.infosets == len(list(infosets()))
    assert len(blueprint) == ENTRIES == len(table)
    with pytest.raises(ValueError, match="read-only"):
        table[0] = 1


def test_the_policy_is_the_table_and_is_played():
    policy = BLUEPRINT.policy()
    assert policy.dtype == np.float32
    assert (np.rint(policy * 255) == BLUEPRINT.probabilities).all()
    assert (policy[BLUEPRINT.probabilities == 0] == 0).all()
    average = np.zeros(ENTRIES, np.float32)
    average[[begin for _, _, begin, _ in infosets()]] = 1  # always the first action: fold, check
    groups = [ComboBuckets(8, CLASS_OF_COMBO % 8)] * TREE.streets
    done = play(TREE, 100, policy=make(average).policy(), buckets=groups)
    assert done.sums.tolist() == [-100, 100]  # the button folds the small blind each time


@pytest.mark.parametrize(
    ("average", "match"),
    [
        (np.zeros(ENTRIES + 1, np.float32), f"needs {ENTRIES:,} numbers"),
        (np.zeros(ENTRIES, np.int64), "dtype int64"),
        (np.full(ENTRIES, np.nan, np.float32), "number 0 of the average is nan"),
        (np.full(ENTRIES, np.inf), "number 0 of the average is inf"),
        (np.full(ENTRIES, 1e308), "from 0 to 1e"),
        (-np.eye(1, ENTRIES, 5, dtype=np.float32)[0], r"number 5 of the average is -1\.0"),
    ],
)
def test_an_average_must_be_weights(average, match):
    with pytest.raises(ArrayError, match=match):
        make(average)


def test_the_tree_must_be_of_this_game_and_menu():
    with pytest.raises(OptionError, match="another game"):
        make(parameters={"stack": 8})
    with pytest.raises(OptionError, match="another menu"):
        make(menu="a")


# Files.


def same(a, b):
    assert (a.probabilities == b.probabilities).all()
    assert a.about == b.about
    assert a.fingerprint == b.fingerprint


def test_a_file_comes_back_as_it_was(path):
    BLUEPRINT.save(path)
    found = Blueprint.load(path)
    same(found, BLUEPRINT)
    assert found.about.card == {"iterations": "12", "results": "+3 ± 2 mbb/h against “random”"}
    assert found.about.parameters == {"stack": 6}
    found.verify()
    assert tree_fingerprint(found.tree) == tree_fingerprint(TREE)
    assert found.abstraction.fingerprint == CARDS.fingerprint
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_loading_makes_no_tree(path, monkeypatch):
    BLUEPRINT.save(path)
    made = []
    monkeypatch.setattr(
        module, "betting_tree", lambda *args, **kw: made.append(1) or betting_tree(*args, **kw)
    )
    found = Blueprint.load(path)
    assert len(found) == ENTRIES
    found.policy()
    assert not made
    assert found.tree is found.tree
    assert made == [1]


def wide():
    """A blueprint of several parts of 4 kB each."""
    tree = betting_tree(load("nlhe", stack=40), "50%, 100%, a; cap 2")
    entries = int(tree.rows(buckets_of(tree, CARDS)).start[-1])
    average = np.random.default_rng(2).random(entries, dtype=np.float32)
    return make(average, tree, parameters={"stack": 40}, menu="50%, 100%, a; cap 2")


WIDE = wide()


def test_a_large_table_is_cut_into_small_files(path):
    WIDE.save(path, parts_of=4096)
    files = list(path.parent.iterdir())
    assert len(files) > 3
    assert max(file.stat().st_size for file in files) <= 4096
    found = Blueprint.load(path)
    assert len(found.parts) == len(files) - 1
    same(found, WIDE)
    found.verify()
    assert (found.policy() == WIDE.policy()).all()
    for node in range(len(WIDE.tree.nodes.node)):  # rows and decisions that lie in two parts
        if WIDE.tree.nodes.node[node, ACTOR] >= 0:
            assert (found.table(node) == WIDE.table(node)).all()
            assert (found.row(node, 7) == WIDE.row(node, 7)).all()
    found.save(path.with_name("again.safetensors"))
    same(Blueprint.load(path.with_name("again.safetensors")), WIDE)


def test_saving_again_leaves_no_parts_behind_and_touches_nothing_else(path):
    other = path.with_name("model.0123456789ab.1of2.txt")
    for file in (other, path.with_name("modelx.0123456789ab.1of2.safetensors")):
        file.write_text("mine")
    WIDE.save(path, parts_of=4096)
    before = {file.name for file in path.parent.iterdir()}
    average = WIDE.policy() + np.float32(0.1)
    make(average, WIDE.tree, parameters={"stack": 40}, menu=str(WIDE.tree.menu)).save(
        path, parts_of=8192
    )
    Blueprint.load(path).verify()
    after = {file.name for file in path.parent.iterdir()}
    assert before & after == {path.name, other.name, "modelx.0123456789ab.1of2.safetensors"}
    WIDE.save(path)
    assert len(list(path.parent.iterdir())) == 3


def test_a_writer_that_dies_between_parts_leaves_the_old_blueprint(path, monkeypatch):
    WIDE.save(path, parts_of=4096)
    average = WIDE.policy() + np.float32(0.1)
    new = make(average, WIDE.tree, parameters={"stack": 40}, menu=str(WIDE.tree.menu))
    for survivors in range(4):
        left = [survivors]

        def dying(*args, left=left, **kw):
            left[0] -= 1
            if left[0] < 0:
                raise OSError("dead")
            write_arrays(*args, **kw)

        monkeypatch.setattr(blueprint_file, "write_arrays", dying)
        with pytest.raises(OSError, match="dead"):
            new.save(path, parts_of=4096)
        same(Blueprint.load(path), WIDE)
    monkeypatch.setattr(blueprint_file, "write_arrays", write_arrays)
    new.save(path, parts_of=4096)
    same(Blueprint.load(path), new)
    assert len(list(path.parent.iterdir())) == len(Blueprint.load(path).parts) + 1


def test_parts_that_are_missing_or_of_another_save_are_refused(path):
    WIDE.save(path, parts_of=4096)
    part = next(path.parent.glob("*.2of*"))
    other = next(path.parent.glob("*.1of*"))
    kept = part.read_bytes()
    part.write_bytes(other.read_bytes())
    refused(path, FingerprintError, re.escape(part.name))
    part.unlink()
    refused(path, FileError, "is not beside it")
    part.write_bytes(kept[:-1] + bytes([kept[-1] ^ 1]))
    refused(path, DamagedFileError, re.escape(part.name))
    part.write_bytes(kept)
    Blueprint.load(path).verify()


@pytest.mark.parametrize("parts_of", [0, 4095, "15", 1.5])
def test_parts_have_a_sensible_size(path, parts_of):
    with pytest.raises(OptionError, match="parts_of"):
        BLUEPRINT.save(path, parts_of=parts_of)


def test_one_file_of_any_size(path):
    WIDE.save(path, parts_of=None)
    same(Blueprint.load(path), WIDE)
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_every_flipped_byte_and_every_cut_is_noticed(path):
    BLUEPRINT.save(path)
    sound = path.read_bytes()
    rng = np.random.default_rng(3)
    for place in rng.choice(len(sound), 200, replace=False).tolist():
        path.write_bytes(
            sound[:place] + bytes([sound[place] ^ 1 << int(rng.integers(8))]) + sound[place + 1 :]
        )
        with pytest.raises(FileError):
            Blueprint.load(path)
    for end in rng.choice(len(sound), 200, replace=False).tolist():
        path.write_bytes(sound[:end])
        with pytest.raises(FileError):
            Blueprint.load(path)


def test_other_files_are_refused(path):
    path.write_bytes(b"info_set,strategies\n" * 20)
    refused(path, ForeignFileError, "was not written by tiltless")
    refused(path.with_name("none"), FileError, "No such file")
    write_arrays(path, {"probabilities": np.zeros(9)}, kind="tabular-strategy")
    refused(path, FingerprintError, "has the kind 'tabular-strategy', not 'blueprint'")
    write_arrays(path, {"probabilities": np.zeros(9, np.uint8)}, kind=PART_KIND)
    refused(path, FingerprintError, "has the kind 'blueprint-part'")


def test_other_versions_are_refused(path):
    BLUEPRINT.save(path)
    forge(path, format="3")
    refused(path, NewerFileError, "format '3' and this tiltless reads up to 2; install")
    forge(path, format="2")
    refused(path, DamagedFileError, "format 2 does not match its arrays")
    forge(path, format="0")
    refused(path, FingerprintError, "format '0', not 1 or 2")
    forge(path, format="9" * 5000)
    refused(path, FingerprintError, "format '999")


@pytest.mark.parametrize(
    "claim",
    [
        {"rules": "2"},
        {"parameters": '{"stack": 8}'},
        {"parameters": "[]"},
        {"parameters": '{"stack": NaN}'},
        {"parameters": '{"stack": "\\ud800"}'},
        {"parameters": "[" * 100_000},
        {"parameters": '{"version": 1}'},
        {"menu": "a"},
        {"buckets": "8,8,8,9"},
        {"buckets": ""},
        {"rules": "one"},
        {"tree": "0" * 32},
        {"cards_fingerprint": "0" * 32},
        {"card": '{"iterations": 5}'},
    ],
)
def test_what_a_file_says_must_fit_its_fingerprint(path, claim):
    BLUEPRINT.save(path)
    forge(path, **claim)
    refused(path, DamagedFileError, "is damaged: it")


@pytest.mark.parametrize("key", ["game", "menu", "tree", "buckets", "visited", "card"])
def test_nothing_may_be_left_out(path, key):
    BLUEPRINT.save(path)
    forge(path, drop=[key])
    refused(path, DamagedFileError, "game and buckets")


@pytest.mark.parametrize(
    ("arrays", "match"),
    [
        ({}, "neither probabilities nor lengths"),
        ({"probabilities": np.zeros(ENTRIES)}, "no array probabilities of bytes"),
        ({"probabilities": np.zeros((1, ENTRIES), np.uint8)}, "no array probabilities of bytes"),
        ({"lengths": np.array([5])}, "list of parts"),
        ({"lengths": np.array([], np.int64)}, "neither"),
        ({"probabilities": np.zeros(ENTRIES - 1, np.uint8)}, "entries and its tree"),
        ({"probabilities": np.full(ENTRIES, 3, np.uint8)}, "do not sum to 255"),
        ({"probabilities": np.zeros(ENTRIES, np.uint8)}, "0 information sets were visited, not"),
    ],
)
def test_tables_that_cannot_be_are_refused(path, arrays, match):
    BLUEPRINT.save(path)
    forge(path, arrays)
    refused(path, DamagedFileError, match)


def test_rules_tree_and_cards_of_another_time_are_refused(path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(module, "tree_fingerprint", lambda tree: "f" * 32)
        make().save(path)
    refused(path, FingerprintError, "the tree of .* training")
    BLUEPRINT.save(path)
    with monkeypatch.context() as patch:
        patch.setattr("tiltless.games.holdem.game.VERSION", 2)
        refused(path, FingerprintError, "at version 2 of its rules, not 1")
    refused(path, FingerprintError, "card abstraction 'thesis' has the fingerprint", cards="thesis")


def test_cards_from_a_file(path, tmp_path):
    design = card_design("tiny")
    own = tmp_path / "own-cards.safetensors"
    save_design(own, type(design)("my own", design.text, design.arrays, "", design.order))
    cards = card_abstraction(own)
    make(abstraction=cards).save(path)
    refused(path, FingerprintError, "needs the card abstraction 'my own'.*is called")
    for given in (own, str(own), cards):
        Blueprint.load(path, cards=given).verify()


def test_a_fingerprint_covers_raises_and_chips():
    fold, deeper = (load("nlhe", stack=stack) for stack in (6, 7))
    marks = {tree_fingerprint(betting_tree(game, MENU)) for game in (fold, fold, deeper)}
    assert len(marks) == 2
    labels = TREE.nodes.label.copy()
    labels[np.argmax(labels)] -= 1
    changed = type(TREE)(
        TREE.game, TREE.menu, TREE.nodes._replace(label=labels), TREE.size, 5, 0, TREE.repeat_from
    )
    assert tree_fingerprint(changed) != tree_fingerprint(TREE)


# Looking things up.


def test_a_query_is_the_row_of_the_table():
    rows = TREE.rows(BUCKETS)
    for line, board, path in (
        ("", "", []),
        ("c", "", [1]),
        ("c x / x", "Ks7d2c", [1, 0, 0]),
        ("c x / x x / x x / a", "Ks7d2c9h9s", [1, 0, 0, 0, 0, 0, 1]),
    ):
        node = 0
        for child in path:
            node = TREE.children(node)[child]
        assert BLUEPRINT.locate(line) == node
        street, actions = TREE.nodes.node[node, STREET], TREE.nodes.node[node, ACTIONS]
        bucket = int(CARDS.buckets(board)[combo_index("AsQd")])
        begin = rows.start[street] + TREE.nodes.node[node, ROW] * 8 + bucket * actions
        expected = BLUEPRINT.probabilities[begin : begin + actions] / 255
        if not expected.any():
            expected[:] = 1 / actions
        found = BLUEPRINT.query("AsQd", board, line)
        assert [chance for _, chance in found] == expected.tolist()
        every = BLUEPRINT.hands(node, board)
        assert every.shape == (1326, actions)
        assert (every[combo_index("AsQd")] == expected).all()
        if board:
            assert (every[combo_index("AsKs")] == 0).all()
    assert [label for label, _ in BLUEPRINT.query("AsQd")] == [
        "fold",
        "call 1",
        "raise to 6 (all-in)",
    ]


def test_a_row_that_was_never_visited_is_uniform():
    blueprint = make(np.zeros(ENTRIES, np.float32))
    assert blueprint.about.visited == 0
    assert blueprint.query("7c2d") == [
        ("fold", 1 / 3),
        ("call 1", 1 / 3),
        ("raise to 6 (all-in)", 1 / 3),
    ]
    assert (blueprint.hands(0) == 1 / 3).all()
    assert not blueprint.is_visited(0, 0)


def test_bad_queries_are_refused():
    query = BLUEPRINT.query
    for call, error, match in (
        (lambda: query("AsAs"), CardError, "twice"),
        (lambda: query("AsKdQd"), CardError, "not a hand"),
        (lambda: query("AsKd", "As7d2c", "c x"), CardError, "As is in the"),
        (lambda: query("AsKd", "", "c x"), CardError, "flop has 3 .* 0 "),
        (lambda: query("AsKd", "Ks7d2c"), CardError, "preflop has 0 .* 3 "),
        (lambda: query("AsKd", "", "f"), OptionError, "nobody is to act after 'f'"),
        (lambda: query("AsKd", "", "z"), OptionError, "'z'"),
        (lambda: BLUEPRINT.row(0, 8), OptionError, "bucket=8 is not possible"),
        (lambda: BLUEPRINT.row(0, -1), OptionError, "bucket=-1 is not possible"),
        (lambda: BLUEPRINT.row(10**6, 0), OptionError, "node=1000000 is not possible"),
        (lambda: BLUEPRINT.row(TREE.children(0)[0], 0), OptionError, "nobody acts at node"),
    ):
        with pytest.raises(error, match=match):
            call()


def test_streets_that_repeat_have_one_block_each():
    tree = betting_tree(load("river-of-blood", stack=12), "100%, a; cap 1")
    cards = card_abstraction("river-of-blood")
    buckets = buckets_of(tree, cards)
    assert buckets == (8, 40, 40, 40, 40)
    average = np.ones(int(tree.rows(buckets).start[-1]), np.float32)
    options = {"game": "river-of-blood", "parameters": {"stack": 12}, "menu": "100%, a; cap 1"}
    blueprint = make(average, tree, abstraction=cards, **options)
    decisions = np.array(tree.size.decisions)
    assert blueprint.about.infosets == blueprint.about.visited == decisions @ buckets
    blueprint.verify()
    line = "c x / x x / x x / x x / "
    found = blueprint.query("AsKd", "Ks7d2c9h9d8h", line)
    assert sum(chance for _, chance in found) == pytest.approx(1)
    with pytest.raises(CardError, match="has 6 board cards"):
        blueprint.query("AsKd", "Ks7d2c9h9d", line)


def test_a_game_of_two_streets_uses_the_first_buckets():
    tree = betting_tree(load("toy-holdem"), "thesis")
    cards = card_abstraction("tiny")
    average = np.ones(int(tree.rows(buckets_of(tree, cards)).start[-1]), np.float32)
    blueprint = make(average, tree, game="toy-holdem", parameters={}, menu="thesis")
    assert blueprint.about.buckets == (8, 8)
    found = blueprint.query("AsKd", "Ks7d2c", "c x /")
    assert [label for label, _ in found] == ["fold", "check", "bet 10"]
