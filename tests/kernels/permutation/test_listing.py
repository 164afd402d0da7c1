from functools import lru_cache
from itertools import pairwise
from math import factorial
from random import Random

import numpy as np
import pytest

from helpers.hidden_order import drawn_order, pins, random_showdowns, rows_of
from naive.permutation import listing as naive
from naive.permutation.agreement import result
from naive.permutation.chain import inversions
from tiltless.kernels.permutation.listing import list_agreeing, possible_results

MASK = {1: 1, -1: 2, 0: 4}


def listed(rows, nodes=10**7, most=5040):
    orders, inverted = np.empty((most, 13), np.int8), np.empty(most, np.uint8)
    found, visited = list_agreeing(rows.plans(), nodes, orders, inverted)
    return found, visited, orders[: max(found, 0)], inverted[: max(found, 0)]


def possible(cards, order, depth):
    """What the kernel says of nine cards under the highest ranks of an order."""
    placed = np.array(np.argsort(order)[::-1], np.int64)
    out = np.empty(1, np.int64)
    possible_results(plans_of(tuple(cards)), placed, depth, out)
    return int(out[0])


@lru_cache(maxsize=1)
def plans_of(cards):
    return rows_of([(cards, 0)]).plans()


@pytest.mark.parametrize(
    ("above", "free", "showdowns"),
    [
        (0, 5, 3),
        (3, 6, 10),
        (6, 5, 12),
        *(pytest.param(above, 7, 4 + 4 * above, marks=pytest.mark.slow) for above in (0, 2, 4, 6)),
    ],
)
def test_the_list_is_that_of_full_enumeration(above, free, showdowns):
    """Some shown ranks are pinned to the top and the bottom, the others are free."""
    truth = drawn_order(above)
    shown_at = np.argsort(truth).tolist()
    top, bottom = shown_at[::-1][:above], shown_at[: 13 - free - above]
    fixed = list(pins(top, bottom))
    found, _, orders, inverted = listed(rows_of(fixed))
    assert found == factorial(free)
    assert {tuple(order) for order in orders.tolist()} == set(naive.orders_between(top, bottom))
    assert inverted.tolist() == [inversions(order) for order in orders.tolist()]
    evidence = list(random_showdowns(above, truth, showdowns))
    _, _, orders, _ = listed(rows_of(fixed + evidence))
    agreeing = naive.list_agreeing(evidence, top, bottom)
    assert {tuple(order) for order in orders.tolist()} == agreeing
    assert tuple(truth) in agreeing
    assert 0 < len(agreeing) < factorial(free)


@pytest.mark.nojit
@pytest.mark.bounds
def test_a_whole_order_decides_every_showdown():
    for seed in range(60):
        order = drawn_order(seed)
        for cards, seen in random_showdowns(seed, order, 2):
            assert possible(cards, order, 13) == MASK[seen]


def test_what_is_excluded_is_impossible_and_what_is_possible_mostly_happens():
    """At depth 8 the five lowest ranks have 120 orders, which are tried one by one."""
    rng = Random(3)
    tight = 0
    for seed in range(40):
        order, depth = drawn_order(seed), rng.choice([8, 9, 10, 11])
        placed = np.argsort(order)[::-1][:depth].tolist()
        cards = hard_cards(rng, order)
        truth = sum(MASK[each] for each in naive.possible_results(cards, placed))
        told = possible(cards, order, depth)
        assert truth & ~told == 0, (order, depth, cards)
        tight += truth == told
    assert tight > 34


def hard_cards(rng, order):
    """Nine cards: any, of two suits for flushes, or of seven neighbouring true ranks and an ace."""
    kind = rng.randrange(3)
    deck = list(range(52))
    if kind == 1:
        deck = [card for card in deck if card & 3 < 2 or card < 12]
    elif kind == 2:
        low = rng.randrange(-1, 7)
        near = {true % 13 for true in range(low, low + 7)}
        deck = [card for card in deck if order[card >> 2] in near]
    return rng.sample(deck, 9)


@pytest.mark.parametrize("cases", [500, pytest.param(20_000, marks=pytest.mark.slow)])
def test_no_showdown_is_decided_wrongly_at_any_depth(cases):
    rng = Random(4)
    for seed in range(cases):
        order = drawn_order(seed)
        cards = hard_cards(rng, order)
        seen = MASK[result(cards, order)]
        told = [possible(cards, order, depth) for depth in range(14)]
        assert all(results & seen for results in told), (order, cards, told)
        assert all(now & ~before == 0 for before, now in pairwise(told)), (order, cards, told)
        assert told[13] == seen, (order, cards)


def test_limits_are_kept():
    rows = rows_of(pins([12, 11, 10], [0, 1, 2]))
    found, nodes, _, _ = listed(rows)
    assert found == 5040
    assert listed(rows, nodes=nodes)[0] == 5040
    assert listed(rows, nodes=nodes - 1)[0] == -1
    assert listed(rows, most=5039)[0] == -1


def test_contradictions_leave_an_empty_list():
    fixed = list(pins([12, 11, 10, 9], [0, 1, 2, 3]))
    cards, seen = fixed[0]
    assert listed(rows_of([*fixed, (cards, -seen)]))[0] == 0
    board_plays = ([4, 9, 5, 8, 48, 44, 40, 36, 32], 1)  # the board is the best hand of one order
    assert listed(rows_of([*fixed, board_plays]))[0] >= 0
