import doctest
from fractions import Fraction

import numpy as np
import pytest

from tiltless.abstraction.information import features as public
from tiltless.abstraction.information.columns import DecisionColumns
from tiltless.abstraction.information.features import ODDS, buckets, colour, history, pot, pot_odds
from tiltless.errors import OptionError


def situations(pots, calls, chips=800):
    zeros = np.zeros(len(pots), dtype=int)
    words = zeros.astype(np.uint64)
    return DecisionColumns(
        chips, zeros, zeros, np.array(pots), np.array(calls), zeros, zeros, zeros, words, words
    )


def test_pot_in_bins_of_all_chips():
    found = situations([3, 39, 40, 79, 80, 760, 799, 800], [0] * 8)
    assert pot(20).values(found).tolist() == [0, 0, 1, 1, 2, 19, 19, 19]
    assert pot().values(found).tolist() == pot(20).values(found).tolist()
    assert pot(1).values(found).tolist() == [0] * 8
    assert pot(None).values(found).tolist() == found.pot.tolist()
    assert pot(800).values(found).tolist() == [3, 39, 40, 79, 80, 760, 799, 799]


def test_pot_odds_lie_in_half_open_bins():
    # A call of c into a pot of p has odds of c / (p + c); these are exactly on the edges.
    on_edges = [(5, 1), (3, 1), (2, 1), (3, 2), (5, 4)]
    found = situations([p for p, _ in on_edges], [c for _, c in on_edges])
    for (p, c), edge in zip(on_edges, ODDS, strict=True):
        assert Fraction(c, p + c) == edge
    assert pot_odds().values(found).tolist() == [1, 2, 3, 4, 5]
    just_below = situations([p * 1000 + 1 for p, _ in on_edges], [c * 1000 for _, c in on_edges])
    assert pot_odds().values(just_below).tolist() == [0, 1, 2, 3, 4]
    free = situations([10, 10**12], [0, 10**12 - 1], chips=10**13)
    assert pot_odds().values(free).tolist() == [0, 5]


def test_pot_odds_part_bets_by_their_size():
    # A bet of f pots into 100: the pot is 100 + 100f and the call costs 100f.
    sizes = [0.2, 0.25, 0.4, 0.5, 0.9, 1, 1.9, 2, 3.9, 4, 50]
    bets = [int(100 * size) for size in sizes]
    found = situations([100 + bet for bet in bets], bets)
    assert pot_odds().values(found).tolist() == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]


def test_edges_are_read_from_numbers_and_texts():
    assert pot_odds([1 / 6, 0.25, "1/3"]) == pot_odds(ODDS[:3])
    assert pot_odds([]).values(situations([5, 5], [1, 5])).tolist() == [0, 0]
    for wrong in (["1/3", "1/4"], [0.2, 0.2], [0], [1], [-0.5]):
        with pytest.raises(OptionError, match=r"0 .*1;"):
            pot_odds(wrong)
    with pytest.raises(OptionError, match=r"0.*1,000"):
        pot_odds([0.0001])
    with pytest.raises(OptionError, match=r"1/3, 1/3.*1,000"):
        pot_odds([1 / 3, 1 / 3 + 1e-9])
    for wrong in (["half"], [None], 3, [float("nan")], [float("inf")], ["1/0"]):
        with pytest.raises(OptionError, match=r"edges=.*'1/4'"):
            pot_odds(wrong)


def test_wrong_options_are_named():
    with pytest.raises(OptionError, match="bins=0"):
        pot(0)
    with pytest.raises(OptionError, match="since='flop'"):
        history("flop")
    for wrong in ("", "x", "hdx", None, 3):
        with pytest.raises(OptionError, match="'cdhs'"):
            colour(wrong)
    with pytest.raises(OptionError, match="ONE_BUCKET"):
        buckets(3)
    unhashable = type("Loose", (), {"count": 1, "fill": None, "__hash__": None})()
    with pytest.raises(OptionError, match=r"Loose.*frozen"):
        buckets(unhashable)
    with pytest.raises(OptionError, match="buckets of no street"):
        buckets()


def test_examples():
    assert doctest.testmod(public).failed == 0
