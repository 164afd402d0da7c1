"""Spots after the flop: what they say, how they are written, what is refused."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from tiltless.cards.card import COMBO_CARDS
from tiltless.errors import CardError, OptionError, RangeError
from tiltless.postflop.spot import Spot, parse_spot, unblocked

SPOT = Spot("QsJh2h8d", "QQ+, AKs:0.5, JTs", "88+, AQs+", 64, 320, "50%, a / 60%")


def test_what_a_spot_says():
    assert (SPOT.board_text, SPOT.street, SPOT.street_name) == ("QsJh2h8d", 2, "turn")
    ip, oop = SPOT.weights
    assert ip.sum() == pytest.approx(SPOT.ranges[0].combos)
    assert oop[np.isin(COMBO_CARDS, SPOT.board).any(axis=1)].sum() == 0
    assert SPOT.leads_into == -1
    assert replace(SPOT, aggressor="ip").leads_into == 0
    assert replace(SPOT, rake=0.05).raked(100) == 5
    assert replace(SPOT, rake=0.05, rake_cap=3).raked(100) == 3


@pytest.mark.parametrize("oop", ["QQ+, AKs:0.5, JTs", "AhKh", "random", "22+:0.3"])
def test_pairs_are_counted_as_one_by_one(oop):
    spot = replace(SPOT, oop=oop)
    ip, oop = spot.weights
    total = 0.0
    for i, j in itertools.product(np.flatnonzero(ip), np.flatnonzero(oop)):
        if not {*COMBO_CARDS[i].tolist()} & {*COMBO_CARDS[j].tolist()}:
            total += ip[i] * oop[j]
    assert spot.pairs == pytest.approx(total)


@pytest.mark.parametrize(
    "spot",
    [
        SPOT,
        replace(SPOT, rake=0.05, rake_cap=6, big_blind=2, aggressor="oop"),
        replace(SPOT, rake=1 / 3, oop="random", board="QsJh2h", bets="flop: 33%; turn, river: a"),
    ],
)
def test_toml_there_and_back(spot):
    again = parse_spot(spot.toml())
    assert again == spot
    assert again.fingerprint == spot.fingerprint
    assert [np.array_equal(*pair) for pair in zip(again.weights, spot.weights, strict=True)]


def test_every_change_changes_the_fingerprint():
    changes = [
        {"board": "QsJh2h8c"},
        {"oop": "QQ+"},
        {"ip": "QQ+"},
        {"pot": 65},
        {"stack": 321},
        {"bets": "50%, a"},
        {"rake": 0.01},
        {"rake_cap": 1},
        {"big_blind": 2},
        {"aggressor": "ip"},
    ]
    found = {replace(SPOT, **change).fingerprint for change in changes}
    assert len(found | {SPOT.fingerprint}) == len(changes) + 1


def test_toml_as_people_write_it():
    spot = parse_spot(
        'board = "Qs Jh 2h"\npot = 10\nstack = 20\noop = "AA"\nip = "KK"\nbets = "a"\nrake = "5%"'
    )
    assert spot.rake == 0.05
    assert spot.rake_cap == math.inf


@pytest.mark.parametrize(
    "bets", ["turn: 50%; river: a", "turn, river: a", "TURN : a", "none; turn: 50%"]
)
def test_a_menu_needs_only_the_streets_that_come(bets):
    assert replace(SPOT, bets=bets).bets.street(2).oop[0]


@pytest.mark.parametrize(
    ("board", "bets", "street"),
    [
        ("QsJh2h8d", "river: a", "turn"),
        ("QsJh2h8d", "flop: a; river: a", "turn"),
        ("QsJh2h", "turn: 50%; river: a", "flop"),
        ("QsJh2h8d3c", "turn: a", "river"),
    ],
)
def test_a_menu_without_the_street_of_the_spot(board, bets, street):
    with pytest.raises(OptionError, match=street):
        replace(SPOT, board=board, bets=bets)


def test_what_a_combo_leaves_possible():
    weights = np.random.default_rng(3).random(len(COMBO_CARDS))
    found = unblocked(weights)
    for combo in (0, 7, 640, 1325):
        apart = ~np.isin(COMBO_CARDS, COMBO_CARDS[combo]).any(axis=1)
        assert found[combo] == pytest.approx(weights[apart].sum())
    assert unblocked(np.eye(len(COMBO_CARDS))[7])[7] == 0


@pytest.mark.parametrize(
    ("change", "kind", "says"),
    [
        ({"board": "QsJh"}, CardError, "2 cards.*3"),
        ({"board": "QsJh2h8d3c4c"}, CardError, "6 cards"),
        ({"board": "QsQs2h"}, CardError, "Qs"),
        ({"board": "QsJx2h"}, CardError, "'Jx'"),
        ({"oop": "QsQs"}, RangeError, "'QsQs'"),
        ({"oop": ""}, RangeError, r"QQ\+"),
        ({"oop": "8d8h, QsJs, 2h2s"}, RangeError, "OOP.*QsJh2h8d"),
        ({"ip": "Jh2h"}, RangeError, "IP"),
        ({"oop": "AhAs", "ip": "AhKh, AsKs"}, RangeError, "OOP"),
        ({"pot": 0}, OptionError, "pot"),
        ({"pot": -5}, OptionError, "pot"),
        ({"pot": 1.5}, OptionError, "pot"),
        ({"stack": 0}, OptionError, "stack"),
        ({"stack": -1}, OptionError, "stack"),
        ({"big_blind": 0}, OptionError, "big_blind=0"),
        ({"bets": ""}, OptionError, "''.*'none'"),
        ({"bets": "half"}, OptionError, "'half'"),
        ({"rake": 5}, OptionError, "rake=5 .*0.5"),
        ({"rake": -0.1}, OptionError, r"rake=-0\.1"),
        ({"rake": "x"}, OptionError, r"rake.*0\.05"),
        ({"rake_cap": -1}, OptionError, "rake_cap=-1"),
        ({"rake_cap": "x"}, OptionError, "rake_cap='x'.*write 6"),
        ({"aggressor": "me"}, OptionError, "aggressor='me'.*oop.*ip"),
    ],
)
def test_what_is_refused_in_one_line(change, kind, says):
    with pytest.raises(kind, match=says) as caught:
        replace(SPOT, **change)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("board = ", "TOML"),
        ('board = "QsJh2h"', 'oop = "'),
        ("colour = 1", "colour.*big_blind"),
        (SPOT.toml() + 'rake = "x%"', "5%"),
        (SPOT.toml() + "rake = 5", '0.05.*"5%"'),
        (SPOT.toml() + "rake = true", r"rake.*0\.05"),
    ],
)
def test_toml_that_is_refused(text, says):
    with pytest.raises(OptionError, match=says) as caught:
        parse_spot(text)
    assert "\n" not in str(caught.value)
