"""The Borda order and the order of median strength, on posteriors made up by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltless.abstraction.cards.relabelled import true_cards, true_combos
from tiltless.agents.permutation.hands import (
    borda_order,
    card_names,
    combo_names,
    median_orders,
)
from tiltless.cards.card import COMBO_CARDS, RANKS, combo_index, parse_cards
from tiltless.cards.hand_order import permuted

orders = st.permutations(range(13)).map(lambda ranks: np.array(ranks, np.int8))
IDENTITY = np.arange(13, dtype=np.int8)


def swapped(one, two):
    order = IDENTITY.copy()
    one, two = RANKS.index(one), RANKS.index(two)
    order[[one, two]] = order[[two, one]]
    return order


def by_high_card(board):
    """The bucket of a hand is its higher rank, and 500 more on boards with an ace."""
    high = (COMBO_CARDS.max(axis=1) >> 2).astype(np.uint16)
    return high + np.uint16(500 if max(board) >> 2 == 12 else 0)


@given(orders)
def test_names_are_those_of_relabelled_abstractions(order):
    text = permuted("".join(RANKS[shown] for shown in np.argsort(order)))
    assert (card_names(order) == true_cards(text)).all()
    assert (combo_names(order) == true_combos(text)).all()


@given(orders)
def test_renaming_back_is_the_identity(order):
    back = np.argsort(order).astype(np.int8)
    assert (card_names(back)[card_names(order)] == np.arange(52)).all()
    assert (combo_names(back)[combo_names(order)] == np.arange(1326)).all()


def test_borda_sorts_by_mean_and_keeps_the_order_of_ties():
    means = np.arange(13.0)
    means[3] = 9.5
    assert borda_order(means).tolist() == [0, 1, 2, 9, 3, 4, 5, 6, 7, 8, 10, 11, 12]
    assert borda_order(np.zeros(13)).tolist() == [*range(13)]
    sure = swapped("2", "A")
    assert (borda_order(np.array([sure] * 5).mean(axis=0)) == sure).all()


def medians(board, samples, *hands):
    combos = np.array([combo_index(parse_cards(hand)) for hand in hands])
    return median_orders(by_high_card, parse_cards(board), np.array(samples), combos).tolist()


def test_the_median_is_of_the_strength_of_each_hand():
    # a king is a deuce, a king or a queen; a queen is a queen, a queen or a king
    samples = [swapped("K", "2"), IDENTITY, swapped("K", "Q")]
    assert medians("8c7d6h", samples, "Ks3s", "Qs3s", "Ts4s") == [2, 0, 0]
    assert medians("8c7d6h", samples[::-1], "Ks3s", "Qs3s", "2s3s") == [0, 1, 0]


def test_the_first_of_equal_samples_is_taken():
    samples = [swapped("K", "2"), IDENTITY, swapped("J", "T"), IDENTITY, swapped("K", "2")]
    assert medians("8c7d6h", samples, "Ks3s") == [1]
    assert medians("8c7d6h", samples[::-1], "Ks3s") == [1]


def test_percentiles_compare_hands_of_one_board():
    # under the second order the board has an ace, and all its buckets have higher numbers
    samples = [IDENTITY, swapped("8", "A"), swapped("K", "2")]
    assert medians("8c7d6h", samples, "Ks3s") == [0]


@pytest.mark.parametrize("count", [1, 4, 31])
@given(orders)
def test_one_order_is_its_own_median(count, order):
    live = np.flatnonzero(~np.isin(COMBO_CARDS, parse_cards("8c7d6h")).any(axis=1))[::50]
    chosen = median_orders(
        by_high_card, parse_cards("8c7d6h"), np.repeat(order[None], count, axis=0), live
    )
    assert not chosen.any()
