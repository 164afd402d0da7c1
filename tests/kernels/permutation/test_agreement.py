import numpy as np
import pytest

from helpers.hidden_order import drawn_order, random_showdowns, rows_of
from naive.permutation import agreement as naive
from tiltless.cards.card import parse_cards

FLUSHES = [
    "AsKs 2s3s 4s5s6sTd9c",  # straight flushes under some orders, flushes under all
    "AsKd 2c2d 4s5s6sTs9s",  # the board is a flush; the ace improves it under some orders
    "AsAd KsKd QsQdQcJs9s",
    "2c2d 3c3d AsKsQsJsTs",
]


@pytest.mark.nojit
def test_results_are_those_of_evaluated_cards():
    orders = np.array([drawn_order(seed) for seed in range(12)], np.int8)
    showdowns = list(random_showdowns(1, orders[0], 12))
    showdowns += [(parse_cards(text), seen) for text in FLUSHES for seen in (-1, 0, 1)]
    rows = rows_of(showdowns)
    for i, (cards, seen) in enumerate(showdowns):
        found = rows.agreeing(orders, np.array([i]))
        assert found.tolist() == [naive.result(cards, order) == seen for order in orders]


@pytest.mark.nojit
@pytest.mark.bounds
def test_an_order_agrees_if_it_agrees_with_all():
    orders = np.array([drawn_order(seed) for seed in range(40)], np.int8)
    showdowns = list(random_showdowns(2, orders[3], 4))
    rows = rows_of(showdowns)
    found = rows.agreeing(orders)
    assert found.tolist() == [naive.agrees(order, showdowns) for order in orders]
    assert found[3]
    assert 0 < found.sum() < 40
    rejections = rows.arrays()[0].rejections
    assert rejections.sum() == (~found).sum()  # each wrong order is rejected once
    assert rows.counting[0] == rejections.argmax()


def test_all_ties_and_both_winners_occur():
    order = drawn_order(5)
    seen = {result for _, result in random_showdowns(7, order, 200)}
    assert seen == {-1, 0, 1}
