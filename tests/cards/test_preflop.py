import numpy as np
import pytest

from tiltless.cards.card import CLASS_NAMES, CLASS_SIZES
from tiltless.cards.equity import equity
from tiltless.cards.preflop import class_pairs, equity_vs_random, preflop_equities
from tiltless.cards.range_text import CLASSES_BY_EQUITY


def test_table_equals_single_equities():
    table = preflop_equities()
    for one, two in [("AA", "KK"), ("AKs", "22"), ("72o", "AA"), ("T9s", "T9s"), ("AKo", "AKs")]:
        expected = equity(one, two).shares[0]
        got = table[CLASS_NAMES.index(one), CLASS_NAMES.index(two)]
        assert got == pytest.approx(expected, abs=1e-12)


def test_table_is_antisymmetric():
    table = preflop_equities()
    assert table + table.T == pytest.approx(np.ones((169, 169)), abs=1e-12)
    assert np.diag(table) == pytest.approx(np.full(169, 0.5))


def test_pairs_of_classes():
    pairs = class_pairs()
    assert pairs.sum() == 1326 * 1225
    assert pairs[0, 0] == 6  # aces against aces: the other two of each
    assert pairs[0, CLASS_NAMES.index("KK")] == 36


def test_against_a_random_hand():
    against = dict(zip(CLASS_NAMES, equity_vs_random(), strict=True))
    assert against["AA"] == pytest.approx(0.8520371330, abs=1e-9)
    assert against["AKs"] == pytest.approx(0.6704463, abs=1e-6)
    assert (equity_vs_random() * CLASS_SIZES).sum() / 1326 == pytest.approx(0.5, abs=1e-12)


def test_percentages_follow_the_exact_table():
    against = dict(zip(CLASS_NAMES, equity_vs_random(), strict=True))
    assert list(CLASSES_BY_EQUITY) == sorted(CLASS_NAMES, key=against.get, reverse=True)
