import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltless.cards.card import COMBO_CARDS, COMBO_OF, parse_cards
from tiltless.cards.ranges import Range
from tiltless.cards.suits import suit_classes, swap_combos
from tiltless.errors import ArrayError


def renamed(card, permutation):
    return card // 4 * 4 + permutation[card % 4]


def keeps(permutation, vectors, card_sets):
    """Whether a renaming of suits changes nothing, by the definition."""
    for cards in card_sets:
        if {renamed(card, permutation) for card in parse_cards(cards)} != set(parse_cards(cards)):
            return False
    for vector in vectors:
        for combo, (low, high) in enumerate(COMBO_CARDS.tolist()):
            there = COMBO_OF[renamed(low, permutation), renamed(high, permutation)]
            if vector[combo] != vector[there]:
                return False
    return True


def naive_classes(vectors, card_sets):
    classes = []
    for suit in range(4):
        for other in range(suit):
            swap = list(range(4))
            swap[suit], swap[other] = other, suit
            if keeps(swap, vectors, card_sets):
                classes.append(classes[other])
                break
        else:
            classes.append(max(classes, default=-1) + 1)
    return tuple(classes)


@pytest.mark.parametrize(
    ("hands", "cards", "expected"),
    [
        (["QQ+,AKs", "15%"], [], (0, 0, 0, 0)),
        (["QQ+,AKs"], ["KhQh2s"], (0, 0, 1, 2)),
        (["random"], ["KcKd"], (0, 0, 1, 1)),
        (["random"], ["KcKd7h"], (0, 0, 1, 2)),
        (["random"], ["Kc", "Kd"], (0, 1, 2, 2)),
        (["random"], ["KcQdJhTs"], (0, 1, 2, 3)),
        (["AsKs"], [], (0, 0, 0, 1)),
        (["AsKh"], [], (0, 0, 1, 2)),
        (["AsAh"], [], (0, 0, 1, 1)),
        (["AsAh,AdAc"], [], (0, 0, 1, 1)),
        (["AhKh:0.5,AKs"], [], (0, 0, 1, 0)),
        (["AsAh", "AsAd"], [], (0, 1, 2, 3)),
        ([], [], (0, 0, 0, 0)),
    ],
)
def test_examples(hands, cards, expected):
    vectors = [Range(text).weights for text in hands]
    assert suit_classes(vectors, cards) == expected
    assert naive_classes(vectors, cards) == expected


@given(
    st.integers(0, 2**32), st.sampled_from([(0, 0, 0, 0), (0, 0, 1, 1), (0, 1, 0, 2), (0, 1, 2, 2)])
)
def test_weights_made_symmetric_are_found_symmetric(seed, shape):
    """Average random weights over the renamings inside classes: no more and no less is found."""
    weights = np.random.default_rng(seed).random(1326)
    group = [
        permutation
        for permutation in itertools.permutations(range(4))
        if all(shape[permutation[suit]] == shape[suit] for suit in range(4))
    ]
    largest = np.zeros(1326)
    for permutation in group:
        cards = COMBO_CARDS // 4 * 4 + np.array(permutation, dtype=np.uint8)[COMBO_CARDS % 4]
        largest = np.maximum(largest, weights[COMBO_OF[cards[:, 0], cards[:, 1]]])
    assert suit_classes([largest]) == shape
    assert suit_classes([largest, weights]) == (0, 1, 2, 3)


def test_one_different_combo_is_noticed():
    for combo in range(1326):
        weights = np.full(1326, 0.5)
        weights[combo] = 0.25
        suits = sorted({int(card) % 4 for card in COMBO_CARDS[combo]})
        classes = suit_classes([weights])
        for one, two in itertools.combinations(range(4), 2):
            low, high = COMBO_CARDS[combo].tolist()
            same = (one in suits) == (two in suits) and (len(suits) == 1 or low // 4 == high // 4
                    or one not in suits)  # fmt: skip
            assert (classes[one] == classes[two]) == same


def test_swap_combos():
    swap = swap_combos(0, 3)
    assert np.array_equal(swap[swap], np.arange(1326))
    assert np.array_equal(swap, swap_combos(3, 0))
    hands = Range("AsKs,QhQc")
    assert Range.from_weights(hands.weights[swap]) == Range("AcKc,QsQh")


def test_wrong_shape():
    with pytest.raises(ArrayError, match="1326"):
        suit_classes([np.ones(169)])
