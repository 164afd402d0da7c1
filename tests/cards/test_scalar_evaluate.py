"""The plain-Python values are those of the kernels."""

from random import Random

import pytest

from tiltless.cards.card import parse_cards
from tiltless.cards.evaluate import evaluate, evaluate_many
from tiltless.cards.hand_order import SHORT_DECK, STANDARD, permuted
from tiltless.cards.scalar_evaluate import showdown

ORDERS = [STANDARD, SHORT_DECK, permuted("A2345678TJQK9")]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("size", [5, 6, 7, 8, 9, 10, 12, 15, 20, 33])
@pytest.mark.parametrize("eval7_flushes", [False, True])
def test_values_agree_with_the_kernels(order, size, eval7_flushes):
    rng = Random(size)
    deck = range(4 * order.lowest, 52)
    hands = [rng.sample(deck, size) for _ in range(400)]
    ranked = showdown(order, eval7_flushes)
    expected = evaluate_many(hands, order, eval7_flushes=eval7_flushes)
    assert [ranked.values(hand[2:], [hand[:2]])[0] for hand in hands] == expected.tolist()


@pytest.mark.nojit
def test_several_hands_share_a_board():
    board, hands = parse_cards("2h7c9d2c3d"), ["AsKd", "7h7d", "QcQd"]
    values = showdown().values(board, [parse_cards(hand) for hand in hands])
    assert values == [evaluate(parse_cards(hand) + board) for hand in hands]


@pytest.mark.nojit
def test_flushes_of_seven_cards():
    rng = Random(1)
    for _ in range(300):
        suit = rng.randrange(4)
        suited = rng.sample(range(suit, 52, 4), rng.randint(5, 7))
        rest = [card for card in range(52) if card not in suited]
        hand = suited + rng.sample(rest, 7 - len(suited))
        assert showdown().values(hand[:5], [hand[5:]]) == [evaluate(hand)]


def test_one_of_each_order_is_kept():
    assert showdown() is showdown()
    assert showdown(permuted("A2345678TJQK9")) is showdown(permuted("A2345678TJQK9"))
