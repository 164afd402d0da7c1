from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltless.abstraction.cards.bucketing import Suitless
from tiltless.abstraction.cards.buckets import (
    ONE_BUCKET,
    PREFLOP_CLASSES,
    ColourBuckets,
    ComboBuckets,
    ProductBuckets,
    board_sizes,
    need_two_cards,
    product_of,
)
from tiltless.abstraction.cards.fill import BoardTable, CanonicalBuckets, SuitlessBuckets, TrueCards
from tiltless.abstraction.cards.river_run_fill import RunBuckets
from tiltless.abstraction.information.features import buckets, colour
from tiltless.abstraction.information.product import Seen
from tiltless.cards.card import parse_cards
from tiltless.errors import OptionError

PARITY = ComboBuckets(2, np.arange(1326) & 1)
THIRDS = ComboBuckets(3, np.arange(1326) % 3)
OF_BOARDS = {
    "table": BoardTable(9, 3, "all", np.zeros(1, np.uint8)),
    "canonical": CanonicalBuckets(9, 3, "all"),
    "suitless": SuitlessBuckets(Suitless(4)),
    "run": RunBuckets(Suitless(0), 6),
    "true": TrueCards(CanonicalBuckets(9, 3, "all"), None),
}
PARTS = [PARITY, THIRDS, PREFLOP_CLASSES, ColourBuckets(6, 0b0110), ColourBuckets(8, 1)]


def filled(group, cards, players=2, streets=3, street=1):
    bucket = np.full((len(cards), players, streets), 7, dtype=np.uint32)
    group.fill(cards, street, bucket)
    assert (np.delete(bucket, street, axis=2) == 7).all()  # other streets are left alone
    assert (bucket[:, :, street] < group.count).all()
    return bucket[:, :, street].astype(np.int64)


def some_cards(hands=200, seed=0):
    rng = np.random.default_rng(seed)
    return np.array([rng.permutation(52)[:9] for _ in range(hands)], dtype=np.uint8)


@given(st.lists(st.sampled_from(PARTS), max_size=2), st.lists(st.sampled_from(PARTS), max_size=2))
def test_products_are_mixed_radix(one, other):
    cards = some_cards()
    a, b = product_of(one), product_of(other)
    both = product_of([a, b])
    assert both.count == a.count * b.count
    expected = filled(a, cards) * b.count + filled(b, cards)
    assert filled(both, cards).tolist() == expected.tolist()
    assert both == product_of([*one, *other])  # associative


def test_the_bucket_that_tells_nothing_apart_is_the_identity():
    assert product_of([]) is ONE_BUCKET
    assert product_of([ONE_BUCKET, ONE_BUCKET]) is ONE_BUCKET
    assert product_of([ONE_BUCKET, PARITY, ONE_BUCKET]) is PARITY


def test_a_product_of_two_is_one_to_one_with_pairs():
    cards = some_cards(3000)
    both = filled(ProductBuckets((PARITY, THIRDS)), cards)
    pairs = {
        (x, y)
        for x, y in zip(filled(PARITY, cards).ravel(), filled(THIRDS, cards).ravel(), strict=True)
    }
    assert len(set(both.ravel().tolist())) == len(pairs) == 6


def test_colour_of_the_newest_card():
    row = parse_cards("AsAh KsKh 2c3d4h 5s")
    cards = np.array([row, parse_cards("AsAh KsKh 2c3d4c 5h")], dtype=np.uint8)
    flop, turn = Seen(1, 2, 2, 3), Seen(2, 2, 2, 4)
    assert filled(colour().on(flop), cards).tolist() == [[1, 1], [0, 0]]
    assert filled(colour().on(turn), cards).tolist() == [[0, 0], [1, 1]]
    assert filled(colour("cs").on(turn), cards).tolist() == [[1, 1], [0, 0]]
    assert filled(colour("s").on(flop), cards).tolist() == [[0, 0], [0, 0]]
    assert colour().on(Seen(0, 2, 2, 0)) is ONE_BUCKET  # no card on the board
    assert colour().on(Seen(5, 2, 2, None)) is ONE_BUCKET  # any number of cards
    assert filled(colour().on(Seen(4, 2, 2, 20)), cards).tolist() == [[0, 0], [0, 0]]


def test_buckets_go_on_past_the_last_street():
    feature = buckets(PREFLOP_CLASSES, PARITY)
    groups = [feature.on(Seen(number, 2, 2, None)) for number in range(4)]
    assert groups == [PREFLOP_CLASSES, PARITY, PARITY, PARITY]
    product = colour() * feature
    assert product.buckets(Seen(0, 2, 2, 0)) is PREFLOP_CLASSES
    assert product.buckets(Seen(1, 2, 2, 3)) == ProductBuckets((ColourBuckets(6, 6), PARITY))


def test_too_many_buckets_are_refused():
    many = ComboBuckets(2**20, np.arange(1326))
    with pytest.raises(OptionError, match=r"1048576 \* 1048576 buckets are more than 2\^32"):
        product_of([many, many])


def test_a_part_that_does_not_keep_to_its_count_is_found():
    @dataclass(frozen=True)
    class Careless:
        count: int = 2

        def fill(self, cards, street, bucket):
            bucket[:, :, street] = 2

    product = product_of([PARITY, Careless()])
    with pytest.raises(OptionError, match="a Careless puts a hand into bucket 2 of street 1"):
        filled(product, some_cards(3))


def test_which_buckets_need_two_cards():
    assert need_two_cards(PARITY)
    assert need_two_cards(product_of([ColourBuckets(3, 6), PARITY]))
    assert not need_two_cards(product_of([ColourBuckets(3, 6), ColourBuckets(4, 6)]))
    assert not need_two_cards(ONE_BUCKET)
    for group in OF_BOARDS.values():
        assert need_two_cards(group)
        assert need_two_cards(product_of([ColourBuckets(3, 6), group]))


def test_which_boards_buckets_look_at():
    assert {name: board_sizes(group) for name, group in OF_BOARDS.items()} == {
        "table": {3}, "canonical": {3}, "suitless": {4}, "run": {6}, "true": {3},
    }  # fmt: skip
    both = product_of([OF_BOARDS["table"], OF_BOARDS["suitless"], PARITY])
    assert board_sizes(both) == {3, 4}
    assert board_sizes(PARITY) == board_sizes(ONE_BUCKET) == set()
    assert board_sizes(SuitlessBuckets(Suitless(0))) == set()


def test_buckets_of_boards_are_for_one_street():
    flop, turn, run = Seen(1, 2, 2, 3), Seen(2, 2, 2, 4), Seen(4, 2, 2, None)
    feature = buckets(PREFLOP_CLASSES, OF_BOARDS["table"], OF_BOARDS["suitless"])
    assert feature.on(flop) is OF_BOARDS["table"]
    assert feature.on(turn) is OF_BOARDS["suitless"]
    says = "buckets of 4 board cards on street 3, which has 5; give one set of buckets for each"
    with pytest.raises(OptionError, match=says):
        feature.on(Seen(3, 2, 2, 5))
    with pytest.raises(OptionError, match="buckets of 3 board cards on street 2, which has 4"):
        buckets(product_of([OF_BOARDS["table"], OF_BOARDS["suitless"]])).on(turn)
    says = "street 4 repeats, .* its buckets look at 6; lay the tree out with repeat_from=5, and"
    with pytest.raises(OptionError, match=says):
        buckets(*[PARITY] * 4, OF_BOARDS["run"]).on(run)
    assert buckets(PARITY).on(run) is PARITY
