from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltless.abstraction.bets.presets import find_menu
from tiltless.abstraction.cards.buckets import ONE_BUCKET, PREFLOP_CLASSES, ComboBuckets
from tiltless.abstraction.cards.presets import card_design
from tiltless.abstraction.information.columns import DecisionColumns
from tiltless.abstraction.information.features import (
    actions,
    buckets,
    colour,
    history,
    last_action,
    pot,
    pot_odds,
    raises,
    seat,
    street,
)
from tiltless.abstraction.information.presets import PRESETS
from tiltless.abstraction.information.product import ONE, Product, Seen, classes_of, refines
from tiltless.cards.card import COMBO_CARDS
from tiltless.errors import ArrayError

FEATURES = [
    *(street, seat, last_action, raises, actions, history(), history("street")),
    *(pot(20), pot(3), pot(None), pot_odds(), pot_odds(["1/4", 0.3])),
    *(colour(), buckets(PREFLOP_CLASSES, ONE_BUCKET)),
]
SUITS_OF_COMBO = ComboBuckets(16, np.array([4 * (a & 3) + (b & 3) for a, b in COMBO_CARDS]))
PUBLIC = [feature for feature in FEATURES if feature.public]
products = st.lists(st.sampled_from(FEATURES), max_size=4).map(lambda some: prod(some, start=ONE))


@st.composite
def situations(draw):
    """Situations with few different values, so that many are alike."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, 60))
    small = rng.integers(0, draw(st.integers(1, 4)), (5, n))
    pots = rng.integers(3, 12, n) * 20
    words = rng.integers(0, 5, (2, n)).astype(np.uint64) << np.uint64(60)
    return DecisionColumns(
        400, *small[:2], pots, np.minimum(pots, small[2] * 40), *small[2:], *words
    )


def same_partition(one, other):
    return refines(one, other) and refines(other, one)


@given(products, products, products)
def test_products_are_a_monoid(a, b, c):
    assert a * ONE == ONE * a == a
    assert (a * b) * c == a * (b * c)
    assert hash((a * b) * c) == hash(a * (b * c))
    assert a * a == a
    assert (a * b) * a == a * b
    assert set((a * b).factors) == set((b * a).factors) == {*a.factors, *b.factors}
    assert len((a * b).factors) == len({*a.factors, *b.factors})


@given(situations(), products, products)
def test_either_order_gives_the_same_classes_and_keys(found, a, b):
    assert (a * b).classes(found).tolist() == (b * a).classes(found).tolist()
    assert (a * b).keys(found).tolist() == (b * a).keys(found).tolist()


@given(situations(), products, products)
def test_a_product_tells_apart_what_either_tells_apart(found, a, b):
    both, ones, others = (each.classes(found).tolist() for each in (a * b, a, b))
    for i in range(len(both)):
        for j in range(i):
            alike = ones[i] == ones[j] and others[i] == others[j]
            assert (both[i] == both[j]) == alike


@given(situations(), products, products, st.integers(0, 2**32 - 1))
def test_a_product_is_the_coarsest_refinement_of_its_factors(found, a, b, seed):
    n = len(found.street)
    both = (a * b).classes(found)
    assert refines(both, a.classes(found))
    assert refines(both, b.classes(found))
    any_split = np.random.default_rng(seed).integers(0, 3, n)
    finer = classes_of(n, [b.classes(found), any_split, a.classes(found)])
    assert refines(finer, a.classes(found))
    assert refines(finer, b.classes(found))
    assert refines(finer, both)


@given(situations(), products)
def test_classes_are_numbered_in_order_of_appearance(found, product):
    seen = []
    for number in product.classes(found).tolist():
        if number not in seen:
            assert number == len(seen)
            seen.append(number)


@given(situations(), products)
def test_keys_and_classes_part_the_same_situations(found, product):
    keys = product.keys(found)
    assert keys.dtype == np.uint64
    assert same_partition(keys, product.classes(found))
    last = DecisionColumns(found.chips, *(column[-1:] for column in found[1:]))
    assert product.keys(last)[0] == keys[-1]


@given(situations(), st.sampled_from(PUBLIC))
def test_every_feature_parts_situations_by_its_values(found, feature):
    values = feature.values(found)
    assert values.shape == found.street.shape
    assert (values >= 0).all()
    assert same_partition(feature.classes(found), values)


def test_one_tells_nothing_apart():
    found = DecisionColumns(10, *[np.arange(6)] * 7, *[np.arange(6, dtype=np.uint64)] * 2)
    assert ONE.classes(found).tolist() == [0] * 6
    assert len(set(ONE.keys(found).tolist())) == 1
    assert (colour() * ONE).classes(found).tolist() == [0] * 6
    assert ONE.buckets(Seen(1, 2, 2, 3)) is ONE_BUCKET
    nobody = DecisionColumns(10, *[np.arange(0)] * 7, *[np.arange(0, dtype=np.uint64)] * 2)
    assert (street * pot()).classes(nobody).shape == (0,)


def test_different_features_never_have_the_same_key():
    found = DecisionColumns(10, *[np.ones(1, dtype=int)] * 7, *[np.ones(1, dtype=np.uint64)] * 2)
    keys = {int((feature * ONE).keys(found)[0]) for feature in PUBLIC}
    assert len(keys) == len(PUBLIC)


def test_large_values_do_not_overflow():
    big = np.array([2**62, 5, 2**62, 0, 5]), np.array([2**63, 0, 2**63, 0, 1], dtype=np.uint64)
    assert classes_of(5, [*big, *big, *big]).tolist() == [0, 1, 0, 2, 3]
    n = 70_000
    columns = [np.arange(n) % 65_521, np.arange(n) // 3, np.arange(n)[::-1].copy() * 2**40]
    assert classes_of(n, columns).tolist() == list(range(n))


def test_refines():
    assert refines([0, 1, 2, 2], [5, 5, 7, 7])
    assert not refines([5, 5, 7, 7], [0, 1, 2, 2])
    assert refines([1, 1], [2, 2])
    assert refines([], [])
    with pytest.raises(ArrayError, match=r"\(2,\).*\(3,\)"):
        refines([1, 2], [1, 2, 3])


def test_texts():
    product = street * seat * pot(20) * history() * buckets(PREFLOP_CLASSES, ONE_BUCKET)
    assert str(product) == "street * seat * pot(20) * history(hand) * buckets(169, 1)"
    assert str(colour("hd") * pot(None) * pot_odds(["1/4", "1/3"])) == (
        "colour(dh) * pot(exact) * pot_odds(1/4, 1/3)"
    )
    assert str(last_action * raises * actions * history("street")) == (
        "last_action * raises * actions * history(street)"
    )
    assert str(ONE) == "1"
    assert len({str(feature) for feature in FEATURES}) == len(FEATURES)


def test_what_is_no_abstraction_cannot_be_multiplied():
    with pytest.raises(TypeError):
        street * 2
    with pytest.raises(TypeError):
        2 * street


def test_presets_are_products_of_features():
    assert PRESETS["ep-white"].features == colour() * street * seat * pot(20) * actions
    assert isinstance(PRESETS["libratus-fan-club"].features, Product)
    for name in ("thesis", "calling-station", "six-player"):
        assert PRESETS[name].features == history()
    assert [*PRESETS] == [
        "thesis", "calling-station", "ep-white", "six-player", "libratus-fan-club",
    ]  # fmt: skip
    for name, preset in PRESETS.items():
        assert preset.name == preset.bets == name
        assert card_design(preset.cards).name == preset.cards
        assert str(find_menu(preset.bets))


@given(st.permutations([colour(), buckets(PREFLOP_CLASSES), buckets(SUITS_OF_COMBO)]))
def test_buckets_of_a_product_are_equal_up_to_renaming(factors):
    seen = Seen(1, 2, 2, 3)
    rng = np.random.default_rng(0)
    cards = np.array([rng.permutation(52)[:9] for _ in range(500)], dtype=np.uint8)

    def filled(product):
        bucket = np.zeros((len(cards), 2, 2), dtype=np.uint32)
        product.buckets(seen).fill(cards, 1, bucket)
        return bucket[:, :, 1].ravel()

    a, b, c = factors
    one, other = filled(a * b * c), filled(c * b * a)
    assert (one != other).any()
    assert same_partition(one, other)
    for factor in factors:
        assert refines(one, filled(factor))
        assert not refines(filled(factor), one)
