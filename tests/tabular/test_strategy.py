"""The strategy object, and its files: exact to the bit, refused when made for something else."""

import json
from collections import Counter
from dataclasses import FrozenInstanceError
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.tabular.trees import random_strategy
from tiltless.errors import (
    ArrayError,
    DamagedFileError,
    FileError,
    FingerprintError,
    ForeignFileError,
    OptionError,
    WriteError,
)
from tiltless.files.arrays import read_arrays, write_arrays
from tiltless.games import CHANCE, TERMINAL, GameEntry, load, registry
from tiltless.games.kuhn import Kuhn
from tiltless.protocols.openspiel import openspiel_game, openspiel_policy
from tiltless.tabular.flat import flatten
from tiltless.tabular.public import public_form
from tiltless.tabular.strategy import Row, Strategy
from tiltless.tabular.strategy_file import KIND, game_fingerprint

GAMES = {
    "rps": load("rps"),
    "matrix": load("matrix", row=[[0.1, 2], [1 / 3, -1]], column=[[1, 0], [5, 0]]),
    "bargaining": load("bargaining", pie=3),
    "kuhn": load("kuhn"),
    "kuhn3": load("kuhn", players=3),
    "leduc": load("leduc"),
    "leduc-ranks": load("leduc", rank_only=True, raise_sizes=(1, 3)),
}
FLAT = {name: flatten(game) for name, game in GAMES.items()}
KUHN = FLAT["kuhn"]
every_game = pytest.mark.parametrize("name", GAMES)


def random(name, seed=0, **about):
    return Strategy.from_table(FLAT[name], random_strategy(FLAT[name], seed)[1], **about)


def kuhn_state(*moves):
    state = GAMES["kuhn"].start()
    for move in moves:
        state = state.apply(move)
    return state


# Reading.


def test_uniform():
    assert Strategy.uniform(KUHN)[0] == {"check": 0.5, "bet": 0.5}
    assert Strategy.uniform(FLAT["rps"])[1] == {"rock": 1 / 3, "paper": 1 / 3, "scissors": 1 / 3}


@every_game
def test_an_infoset_a_key_and_a_number_find_the_same(name):
    strategy, flat = random(name), FLAT[name]
    rows, _ = random_strategy(flat, 0)
    stack, seen = [flat.game.start()], set()
    while stack and len(seen) < 200:
        state = stack.pop()
        if state.actor == TERMINAL:
            continue
        if state.actor == CHANCE:
            stack += [state.apply(move) for move, _ in state.chance.outcomes()]
            continue
        infoset = state.infoset(state.actor)
        expected = dict(zip(infoset.actions, rows[infoset.key], strict=True))
        assert strategy[infoset] == strategy[infoset.key] == expected
        assert strategy.probabilities(flat.number[infoset.key]) == expected
        assert strategy[np.int64(flat.number[infoset.key])] == expected
        assert infoset in strategy
        assert infoset.key in strategy
        seen.add(infoset.key)
        stack += [state.apply(move) for move in state.actions]
    assert seen


def test_rows_in_words():
    rows = list(Strategy.uniform(KUHN).items())
    assert len(rows) == len(Strategy.uniform(KUHN)) == 12
    assert rows[0] == Row("player 0, J", ("check", "bet"), (0.5, 0.5))
    assert Row("player 1, K: bet", ("fold", "call"), (0.5, 0.5)) in rows


def test_places_where_nobody_acts_are_refused():
    strategy = Strategy.uniform(KUHN)
    waiting = kuhn_state(0, 1).infoset(1)
    assert waiting not in strategy
    with pytest.raises(OptionError, match=r"kuhn: player 1, Q$"):
        strategy[waiting]
    with pytest.raises(OptionError, match=r"infoset 12.*0 to 11"):
        strategy[12]
    with pytest.raises(OptionError, match="kuhn: 'K'"):
        strategy["K"]


def test_it_does_not_change():
    table = np.full(24, 0.5)
    strategy = Strategy.from_table(KUHN, table, algorithm="none")
    table[0] = 7
    assert strategy[0] == {"check": 0.5, "bet": 0.5}
    with pytest.raises(ValueError, match="read-only"):
        strategy.table[0] = 1
    with pytest.raises(FrozenInstanceError):
        strategy.table = table
    with pytest.raises(TypeError):
        strategy.about["algorithm"] = "some"
    strategy[0]["check"] = 7  # a copy
    assert strategy[0]["check"] == 0.5


def test_drawing_actions():
    strategy = Strategy.from_table(FLAT["rps"], [0.2, 0.5, 0.3, 0, 1, 0])
    rng = Random(1)
    counts = Counter(strategy.sample(0, rng) for _ in range(20_000))
    for action, chance_probs in strategy[0].items():
        assert counts[action] / 20_000 == pytest.approx(chance_probs, abs=0.015)  # four deviations
    assert {strategy.sample(1, rng) for _ in range(100)} == {"paper"}
    again = [Random(3), Random(3)]
    assert [strategy.sample(0, again[0]) for _ in range(50)] == [
        strategy.sample(0, again[1]) for _ in range(50)
    ]


class Fixed(Random):
    def __init__(self, value):
        super().__init__(0)
        self.value = value

    def random(self):
        return self.value


def test_actions_of_no_probability_are_never_drawn():
    """Not even when sums are a little below one, or the draw is zero."""
    almost = 1 - 2**-53
    low = Strategy.from_table(FLAT["rps"], [0, 0.7, 0.3 - 5e-10, 0.5, 0.5 - 5e-10, 0])
    assert low.sample(0, Fixed(0.0)) == "paper"
    assert low.sample(0, Fixed(almost)) == "scissors"
    assert low.sample(1, Fixed(almost)) == "paper"


# Making.


@pytest.mark.parametrize(
    "wrong", [(0.5, 0.6), (1.5, -0.5), (np.nan, 1.0), (np.inf, 0.0), (0.0, 0.0), (0.5, 0.5 + 2e-9)]
)
def test_what_is_no_distribution_is_refused(wrong):
    table = np.full(24, 0.5)
    place = KUHN.tree.start[KUHN.number[1, "check", "Q"]]
    table[place : place + 2] = wrong
    with pytest.raises(ArrayError, match=r"kuhn .*player 1, Q: check .*1$"):
        Strategy.from_table(KUHN, table)


def test_rounding_is_accepted():
    assert Strategy.from_table(KUHN, [0.5, 0.5 + 5e-10] * 12)


@pytest.mark.parametrize("shape", [(), (23,), (25,), (12, 2)])
def test_wrong_shapes_are_refused(shape):
    with pytest.raises(ArrayError, match=r"kuhn.*\(24,\).*each"):
        Strategy.from_table(KUHN, np.full(shape, 0.5))


@pytest.mark.parametrize("lane", [1, 8])
@every_game
def test_public_tables_there_and_back(name, lane):
    form, strategy = public_form(GAMES[name], lane=lane), random(name)
    table = strategy.to_public(form)
    assert table.shape == (form.rows, form.width)
    again = Strategy.from_public(form, table, FLAT[name], algorithm="x")
    assert np.array_equal(again.table, strategy.table)
    assert again.about == {"algorithm": "x"}
    table[form.flat_indices(FLAT[name]) < 0] = np.nan  # padding
    assert np.array_equal(Strategy.from_public(form, table, FLAT[name]).table, strategy.table)


def test_public_tables_of_another_game_are_refused():
    form = public_form(GAMES["kuhn"])
    with pytest.raises(OptionError, match=r"kuhn.*leduc"):
        Strategy.from_public(form, np.ones((8, 3)), FLAT["leduc"])
    with pytest.raises(OptionError, match=r"kuhn.*kuhn"):
        Strategy.uniform(FLAT["kuhn3"]).to_public(form)
    with pytest.raises(ArrayError, match=r"\(3, 8\).*kuhn.*\(8, 3\)"):
        Strategy.from_public(form, np.ones((3, 8)), KUHN)


def test_combining_players():
    strategies = [random("kuhn3", seed) for seed in range(3)]
    mixed = Strategy.combine(*strategies)
    for number, key in enumerate(FLAT["kuhn3"].keys):
        assert mixed[number] == strategies[key[0]][number]
    with pytest.raises(OptionError, match=r"2 strategies.*3"):
        Strategy.combine(*strategies[:2])
    with pytest.raises(OptionError, match=r"0 strategies.*each"):
        Strategy.combine()
    with pytest.raises(OptionError, match="different flat forms"):
        Strategy.combine(Strategy.uniform(KUHN), Strategy.uniform(flatten(load("kuhn"))))


# Files.


@every_game
def test_files_keep_every_bit(name, tmp_path):
    path = tmp_path / "strategy"
    strategy = random(name, 3, algorithm="CFR+", iterations=1000, exploitability=0.1 + 0.2)
    strategy.save(path)
    for again in (Strategy.load(path), Strategy.load(path, FLAT[name])):
        assert again.table.tobytes() == strategy.table.tobytes()
        assert again.game == strategy.game
        assert list(again.items()) == list(strategy.items())
        assert again.about == {
            "algorithm": "CFR+", "iterations": "1000", "exploitability": "0.30000000000000004",
        }  # fmt: skip


@given(st.lists(st.floats(0, 1), min_size=12, max_size=12))
def test_files_keep_every_bit_of_any_table(tmp_path_factory, first):
    path = tmp_path_factory.mktemp("any") / "strategy"
    table = np.array([[p, 1 - p] for p in first]).ravel()
    Strategy.from_table(KUHN, table).save(path)
    assert Strategy.load(path, KUHN).table.tobytes() == table.tobytes()


def test_what_a_file_says(tmp_path):
    path = tmp_path / "strategy"
    random("leduc-ranks", algorithm="DCFR").save(path)
    file = read_arrays(path, kind="tabular-strategy")
    assert set(file.metadata) == {"game", "rules", "parameters", "algorithm"}
    assert (file.metadata["game"], file.metadata["rules"]) == ("leduc", "1")
    assert json.loads(file.metadata["parameters"])["raise_sizes"] == [1, 3]
    assert file.arrays["probabilities"].dtype == np.float64


def test_fingerprints_tell_games_apart():
    prints = {game_fingerprint(flat) for flat in FLAT.values()}
    assert len(prints) == len(FLAT)
    assert game_fingerprint(flatten(load("kuhn"))) == game_fingerprint(KUHN)


def test_strategies_of_another_game_are_refused(tmp_path):
    path = tmp_path / "strategy"
    random("kuhn").save(path)
    with pytest.raises(FingerprintError, match=r"'kuhn'.*'leduc'"):
        Strategy.load(path, FLAT["leduc"])
    with pytest.raises(FingerprintError, match=r"2.*, .*3"):
        Strategy.load(path, FLAT["kuhn3"])


def test_strategies_of_other_rules_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "strategy"
    random("kuhn").save(path)
    monkeypatch.setattr(Kuhn, "version", 2)
    with pytest.raises(FingerprintError, match=r"kuhn.*version 2.*1"):
        Strategy.load(path)
    with pytest.raises(FingerprintError, match=r"'1'.*'2'"):
        Strategy.load(path, KUHN)


def test_rules_that_changed_in_silence_are_noticed(tmp_path, monkeypatch):
    path = tmp_path / "strategy"
    random("kuhn").save(path)
    monkeypatch.setattr(Kuhn, "ranks", property(lambda self: "234"))
    with pytest.raises(FingerprintError, match="kuhn"):
        Strategy.load(path)


def test_games_that_are_not_registered(tmp_path, monkeypatch):
    path = tmp_path / "strategy"
    monkeypatch.setattr(Kuhn, "name", "kuhn-of-mine")
    flat = flatten(Kuhn())
    strategy = Strategy.uniform(flat)
    strategy.save(path)
    with pytest.raises(FingerprintError, match="'kuhn-of-mine'"):
        Strategy.load(path)
    assert np.array_equal(Strategy.load(path, flat).table, strategy.table)
    entry = GameEntry("kuhn-of-mine", Kuhn, "mine")
    monkeypatch.setitem(registry._entries, "kuhn-of-mine", entry)
    assert np.array_equal(Strategy.load(path).table, strategy.table)


def test_foreign_and_missing_files_are_refused(tmp_path):
    foreign = tmp_path / "foreign"
    foreign.write_text("call call raise")
    with pytest.raises(ForeignFileError, match="not written by tiltless"):
        Strategy.load(foreign)
    with pytest.raises(FileError, match="nothing: No such file"):
        Strategy.load(tmp_path / "nothing")
    other = tmp_path / "other"
    write_arrays(other, {"probabilities": np.full(24, 0.5)}, kind="equity-table")
    with pytest.raises(FingerprintError, match=r"'equity-table'.*'tabular-strategy'"):
        Strategy.load(other)
    with pytest.raises(WriteError):
        random("kuhn").save(tmp_path / "no folder" / "strategy")


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "strategy"
    random("kuhn").save(path)
    whole = path.read_bytes()
    for changed in (whole[:-1], whole + b"x", whole[:-9] + b"\x01" + whole[-8:], whole[:300]):
        path.write_bytes(changed)
        with pytest.raises(DamagedFileError, match="is damaged"):
            Strategy.load(path)


SAID = {"game": "kuhn", "rules": "1", "parameters": '{"players": 2}'}
TABLE = {"probabilities": np.full(24, 0.5)}


@pytest.mark.parametrize(
    ("said", "arrays", "reason"),
    [
        ({"game": None}, TABLE, "does not say its game"),
        ({"rules": None}, TABLE, "does not say its rules"),
        ({"rules": "one"}, TABLE, "not described as it should be"),
        ({"parameters": "["}, TABLE, "not described as it should be"),
        ({"parameters": "[" * 100_000}, TABLE, "not described as it should be"),
        ({"parameters": "[2]"}, TABLE, "not described as it should be"),
        ({"parameters": '{"version": 1}'}, TABLE, "not described as it should be"),
        ({}, {}, "24 float64"),
        ({}, {"probabilities": np.full(23, 0.5)}, "24 float64"),
        ({}, {"probabilities": np.full(24, 0.5, np.float32)}, "24"),
        ({}, {"probabilities": np.full(24, 0.4)}, r"kuhn .*player 0, J .*0\.4, 0\.4"),
        ({}, {"probabilities": np.full(24, np.nan)}, "kuhn .*player 0, J .*nan, nan"),
    ],
)
def test_files_that_somebody_else_made(tmp_path, said, arrays, reason):
    """Sound to the last byte, and still not to be believed."""
    path = tmp_path / "strategy"
    metadata = {key: value for key, value in (SAID | said).items() if value is not None}
    mark = game_fingerprint(KUHN)
    write_arrays(path, arrays, kind=KIND, fingerprint=mark, metadata=metadata)
    with pytest.raises(DamagedFileError, match=reason) as caught:
        Strategy.load(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "said",
    [{"game": "ku\nhn"}, {"parameters": '{"players": "two"}'}, {"parameters": '{"seats": 2}'}],
)
def test_games_that_cannot_be_made(tmp_path, said):
    path = tmp_path / "strategy"
    mark = game_fingerprint(KUHN)
    write_arrays(path, TABLE, kind=KIND, fingerprint=mark, metadata=SAID | said)
    with pytest.raises(FingerprintError, match="strategy cannot be used: ") as caught:
        Strategy.load(path)
    assert "\n" not in str(caught.value)


def test_names_that_files_need_are_reserved(tmp_path):
    with pytest.raises(OptionError, match="'game'"):
        random("kuhn", game="chess").save(tmp_path / "strategy")


# OpenSpiel.


@pytest.mark.parametrize("name", ["kuhn", "kuhn3", "leduc"])
def test_openspiel_gets_every_infoset(name):
    pytest.importorskip("pyspiel")
    policy = openspiel_policy(random(name))
    assert len(policy) == FLAT[name].infosets
    assert all(sum(p for _, p in row) == pytest.approx(1) for row in policy.values())


def test_games_that_openspiel_does_not_have():
    pytest.importorskip("pyspiel")
    for name in ("rps", "leduc-ranks"):
        with pytest.raises(OptionError, match="OpenSpiel"):
            openspiel_game(GAMES[name])
