import re
from itertools import combinations, pairwise
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive.cards import isomorphism as naive
from tiltless.cards.card import CLASS_OF_COMBO, COMBO_CARDS, cards_text, parse_cards
from tiltless.cards.isomorphism import (
    SUIT_CLASSES,
    Isomorphism,
    board_as_one_set,
    canonical_boards,
    isomorphism,
    streets_apart,
)
from tiltless.errors import ArrayError, CardError, OptionError

HOLDEM = [(2,), (2, 3), (2, 3, 1), (2, 3, 1, 1), (2, 4), (2, 5)]
LAYOUTS = [*HOLDEM, (1,), (3,), (4,), (5,), (7,), (1, 1), (1, 1, 1, 4), (2, 2, 2, 1), (3, 3)]
PARTITIONS = ["all", "red-black", ("c", "d", "h", "s"), ("cdh", "s"), ("ch", "d", "s")]
both = pytest.mark.parametrize("suits", ["all", "red-black"])


def random_hands(n: int, width: int, seed: int) -> np.ndarray:
    keys = np.random.default_rng(seed).random((n, 52))
    return np.argsort(keys, axis=1)[:, :width].astype(np.uint8)


def all_rows(width: int) -> np.ndarray:
    return np.array(list(combinations(range(52), width)), dtype=np.uint8)


def renamed(cards: np.ndarray, permutation: tuple[int, ...]) -> np.ndarray:
    table = np.array([card // 4 * 4 + permutation[card % 4] for card in range(52)], dtype=np.uint8)
    return table[cards]


def swaps(classes: tuple[str, ...]) -> list[tuple[int, ...]]:
    """The allowed permutations that exchange two suits; they generate all others."""
    return [
        permutation
        for permutation in naive.allowed(classes)
        if sum(permutation[suit] != suit for suit in range(4)) == 2
    ]


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("groups", "suits", "size"),
    [
        ((2,), "all", 169),
        ((2, 3), "all", 1_286_792),
        ((2, 3, 1), "all", 55_190_538),
        ((2, 3, 1, 1), "all", 2_428_287_420),
        ((2, 4), "all", 13_960_050),
        ((2, 5), "all", 123_156_254),
        ((3,), "all", 1_755),
        ((4,), "all", 16_432),
        ((5,), "all", 134_459),
        ((2,), "red-black", 507),
        ((2, 3), "red-black", 6_895_928),
        ((2, 4), "red-black", 78_791_804),
        ((2, 5), "red-black", 714_497_264),
    ],
)
def test_known_counts(groups, suits, size):
    assert isomorphism(groups, suits).size == size


@pytest.mark.nojit
def test_names_of_the_two_questions():
    assert [streets_apart(n).groups for n in (0, 3, 4, 5)] == HOLDEM[:4]
    assert [board_as_one_set(n).groups for n in (0, 3, 4, 5)] == [(2,), (2, 3), (2, 4), (2, 5)]
    assert streets_apart(3, "red-black") is isomorphism((2, 3), "red-black")
    for wrong in (1, 2, 6, -1, "flop"):
        with pytest.raises(OptionError, match=r"0, 3, 4.*5 cards"):
            streets_apart(wrong)


def test_every_layout_has_the_size_that_burnside_gives():
    layouts = naive.layouts()
    assert len(layouts) == 98
    for number, groups in enumerate(layouts):
        space = isomorphism(groups, PARTITIONS[number % len(PARTITIONS)])
        assert space.size == naive.count(groups, space.suits), groups


@both
@pytest.mark.parametrize("groups", LAYOUTS)
def test_size_by_burnside(groups, suits):
    space = isomorphism(groups, suits)
    assert space.size == naive.count(groups, space.suits)


@pytest.mark.parametrize("suits", PARTITIONS)
@pytest.mark.parametrize("groups", [(1,), (2,), (1, 1)])
def test_every_small_hand_agrees_with_the_naive_twin(groups, suits):
    """One index for each naive canonical form, one form for each index, no index left out."""
    space = isomorphism(groups, suits)
    rows = all_rows(sum(groups))
    rows = np.concatenate([rows, rows[:, ::-1]])  # any card may be in any group
    index_of = {}
    for row, index in zip(rows.tolist(), space.index_many(rows).tolist(), strict=True):
        form = naive.canonical(naive.split(row, groups), space.suits)
        assert index_of.setdefault(form, index) == index
    assert sorted(index_of.values()) == list(range(space.size))


@both
def test_every_flop_agrees_with_the_naive_twin(suits):
    rows = all_rows(3)
    indices = isomorphism((3,), suits).index_many(rows).tolist()
    classes = isomorphism((3,), suits).suits
    forms = {}
    for row, index in zip(rows.tolist(), indices, strict=True):
        forms.setdefault(naive.canonical((tuple(row),), classes), []).append(index)
    assert all(len(set(found)) == 1 for found in forms.values())
    boards, weights = canonical_boards(3, suits)
    assert sorted(found[0] for found in forms.values()) == list(range(len(boards)))
    for form, found in forms.items():
        assert naive.canonical((tuple(boards[found[0]].tolist()),), classes) == form
        assert weights[found[0]] == len(found)


def test_hole_cards_are_the_169_classes():
    indices = isomorphism((2,)).index_many(COMBO_CARDS)
    pairs = set(zip(CLASS_OF_COMBO.tolist(), indices.tolist(), strict=True))
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs}) == 169


@pytest.mark.parametrize(
    ("groups", "suits"),
    [((2, 3), "all"), *((groups, suits) for groups in [(3,), (4,), (5,)] for suits in PARTITIONS)],
)
def test_all_indices_come_back(groups, suits):
    space = isomorphism(groups, suits)
    indices = np.arange(space.size, dtype=np.uint64)
    hands = space.unindex_many(indices)
    assert np.array_equal(space.index_many(hands), indices)
    assert int(space.orbit_sizes(indices).sum()) == naive.deals(groups)
    for permutation in swaps(space.suits):
        assert np.array_equal(space.index_many(renamed(hands, permutation)), indices)


@pytest.mark.slow
@both
def test_all_hands_on_all_flops(suits):
    """Every hand with a flop: as many have an index as its orbit is large, under every swap."""
    space = isomorphism((2, 3), suits)
    seen = np.zeros(space.size, dtype=np.int64)
    flops = all_rows(3)
    for combo in COMBO_CARDS:
        free = flops[~np.isin(flops, combo).any(axis=1)]
        rows = np.hstack([np.broadcast_to(combo, (len(free), 2)), free])
        indices = space.index_many(rows)
        seen += np.bincount(indices.astype(np.int64), minlength=space.size)
        for permutation in swaps(space.suits):
            assert np.array_equal(space.index_many(renamed(rows, permutation)), indices)
    assert np.array_equal(seen, space.orbit_sizes(np.arange(space.size)))


@pytest.mark.bounds
@pytest.mark.parametrize("suits", PARTITIONS)
@pytest.mark.parametrize("groups", LAYOUTS)
def test_indices_come_back_and_are_sorted_hands(groups, suits):
    space = isomorphism(groups, suits)
    rng = np.random.default_rng([*groups, 5])
    indices = rng.integers(0, space.size, 2_000, dtype=np.uint64)
    borders = space.tables.offsets  # the first and last index of each hand shape
    indices = np.concatenate([indices, borders[:-1], borders[1:] - np.uint64(1)])
    assert indices.min() == 0
    assert indices.max() == space.size - 1
    hands = space.unindex_many(indices)
    assert np.array_equal(space.index_many(hands), indices)
    starts = np.cumsum((0, *groups))
    for start, stop in pairwise(starts):
        assert (np.diff(hands[:, start:stop].astype(int), axis=1) > 0).all()


@pytest.mark.parametrize("suits", PARTITIONS)
@pytest.mark.parametrize("groups", LAYOUTS)
def test_hands_come_back_in_their_orbit(groups, suits):
    space = isomorphism(groups, suits)
    rows = random_hands(100, sum(groups), seed=11)
    rows[50:] = np.sort(rows[50:] % 16, axis=1)  # few ranks: many symmetric hands
    rows = np.array([row for row in rows if len(set(row.tolist())) == len(row)])
    indices = space.index_many(rows)
    canonical = space.unindex_many(indices)
    weights = space.orbit_sizes(indices)
    for row, found, weight in zip(rows, canonical, weights, strict=True):
        orbit = naive.orbit(naive.split(row, groups), space.suits)
        assert naive.split(found, groups) in orbit
        assert weight == len(orbit)


@st.composite
def hands(draw):
    """A layout, a partition, a hand, and the same cards shuffled in groups under new suits."""
    groups = draw(st.sampled_from(LAYOUTS))
    suits = draw(st.sampled_from(PARTITIONS))
    top = draw(st.sampled_from([12, 16, 52]))  # few ranks: many symmetric hands
    width = sum(groups)
    cards = draw(st.lists(st.integers(0, top - 1), min_size=width, max_size=width, unique=True))
    permutation = draw(st.permutations(range(4)))
    other, start = [], 0
    for size in groups:
        group = draw(st.permutations(cards[start : start + size]))
        other += [card // 4 * 4 + permutation[card % 4] for card in group]
        start += size
    return groups, suits, cards, other, tuple(permutation)


@settings(deadline=None, max_examples=400)
@given(hands())
def test_equal_index_means_equal_but_for_allowed_suits(case):
    groups, suits, cards, other, permutation = case
    space = isomorphism(groups, suits)
    same = naive.canonical(naive.split(cards, groups), space.suits) == naive.canonical(
        naive.split(other, groups), space.suits
    )
    assert (space.index(cards) == space.index(other)) == same
    assert (space.canonical(cards) == space.canonical(other)) == same
    if permutation in naive.allowed(space.suits):
        assert same


@pytest.mark.nojit
@pytest.mark.bounds
def test_red_is_not_black():
    red_black, every = isomorphism((2, 3), "red-black"), isomorphism((2, 3))
    clubs, spades = "AcKc 2c7d9h", "AsKs 2s7d9h"
    diamonds = "AdKd 2d7c9s"
    assert red_black.index(clubs) == red_black.index(spades) != red_black.index(diamonds)
    assert every.index(clubs) == every.index(spades) == every.index(diamonds)
    assert red_black.index("AcKc 2c7d9h") == red_black.index("KcAc 9d2c7h")


@pytest.mark.nojit
@pytest.mark.bounds
@both
def test_streets_apart_and_board_as_one_set_disagree(suits):
    apart, together = streets_apart(4, suits), board_as_one_set(4, suits)
    first, second = "AsKs 2s7d9h Tc", "AsKs Tc2s7d 9h"
    assert apart.index(first) != apart.index(second)
    assert together.index(first) == together.index(second)


@pytest.mark.nojit
@pytest.mark.bounds
@both
@pytest.mark.parametrize("groups", HOLDEM)
def test_one_hand_at_a_time(groups, suits):
    space = isomorphism(groups, suits)
    for index in (0, 1, space.size // 2, space.size - 1):
        hand = space.unindex(index)
        assert space.index(hand) == index
        assert space.index(cards_text(hand)) == index
        assert space.canonical(hand) == hand
        assert space.orbit_size(index) == len(naive.orbit(naive.split(hand, groups), space.suits))


@pytest.mark.nojit
def test_canonical_hands_prefer_spades():
    assert isomorphism((2,)).canonical("AcKc") == parse_cards("KsAs")
    assert isomorphism((2,)).canonical("AcAd") == parse_cards("AhAs")
    assert isomorphism((2,), "red-black").canonical("AcKc") == parse_cards("KsAs")
    assert isomorphism((2,), "red-black").canonical("AdKd") == parse_cards("KhAh")


@both
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_canonical_boards(size, suits):
    boards, weights = canonical_boards(size, suits)
    space = isomorphism((size,), suits)
    assert boards.dtype == np.uint8
    assert weights.dtype == np.uint32
    assert boards.shape == (space.size, size)
    assert int(weights.sum()) == comb(52, size)
    assert np.array_equal(space.index_many(boards), np.arange(space.size))


@pytest.mark.bounds
def test_weights_of_boards_count_raw_boards():
    rows = all_rows(4)
    for suits in PARTITIONS:
        indices = isomorphism((4,), suits).index_many(rows).astype(np.int64)
        assert np.array_equal(np.bincount(indices), canonical_boards(4, suits)[1])


@pytest.mark.nojit
def test_built_once_for_each_meaning():
    assert isomorphism([2, 3]) is isomorphism((2, 3), "all")
    assert isomorphism((2, 3), ["hd", "sc"]) is isomorphism((2, 3), "red-black")
    assert isomorphism((2, 3)) is not isomorphism((2, 3), "red-black")
    assert isomorphism((2,), "red-black").suits == SUIT_CLASSES["red-black"]
    assert repr(isomorphism((2,))) == "Isomorphism(groups=(2,), suits=('cdhs',), size=169)"
    assert isinstance(isomorphism((2,)), Isomorphism)


@pytest.mark.nojit
def test_shared_tables_are_read_only():
    assert not any(table.flags.writeable for table in isomorphism((2, 3)).tables)


@pytest.mark.nojit
@pytest.mark.parametrize(
    "groups", [(), (0,), (2, 0), (8,), (2, 5, 1), (1, 1, 1, 1, 1), (-1, 3), ("2",), 5, (2.0,)]
)
def test_layouts_outside_the_limits(groups):
    with pytest.raises(OptionError, match=re.escape(str(groups))):
        isomorphism(groups)


@pytest.mark.nojit
@pytest.mark.parametrize(
    "suits", ["red", "", (), ("cs",), ("cs", "dhs"), ("cd", "hx"), ("cdhs", ""), (1, 2), None, 4]
)
def test_suits_that_are_no_partition(suits):
    with pytest.raises(OptionError, match="'red-black'"):
        isomorphism((2,), suits)


@pytest.mark.nojit
def test_wrong_hands():
    space = isomorphism((2, 3))
    with pytest.raises(CardError, match=r"AsKs.*2 cards.*2\+3.*5"):
        space.index("AsKs")
    with pytest.raises(CardError, match="0 cards"):
        space.index("")
    with pytest.raises(CardError, match="As"):
        space.index("AsKs As2c3c")
    with pytest.raises(CardError, match=r"52 .*51"):
        space.canonical((0, 1, 2, 3, 52))


@pytest.mark.nojit
@pytest.mark.bounds
@pytest.mark.parametrize("bad", [1, 52, 63, 64, 255])
def test_wrong_rows_are_named(bad):
    space = isomorphism((2, 3))
    rows = np.array([[0, 1, 2, 3, 4], [0, 1, 2, 3, 5]], dtype=np.uint8)
    rows[1, 3] = bad
    with pytest.raises(CardError, match=r"^row 1: .*(appears twice|is not a card number)"):
        space.index_many(rows)


@pytest.mark.nojit
def test_wrong_arrays():
    space = isomorphism((2, 3))
    with pytest.raises(ArrayError, match=r"int64.*uint8"):
        space.index_many(np.zeros((1, 5), dtype=np.int64))
    with pytest.raises(ArrayError, match=r"list.*uint8"):
        space.index_many([[0, 1, 2, 3, 4]])
    for shape in [(5,), (1, 4), (1, 1, 5)]:
        with pytest.raises(ArrayError, match=r"2\+3.*\(n, 5\)"):
            space.index_many(np.zeros(shape, dtype=np.uint8))
    with pytest.raises(ArrayError, match="float64"):
        space.unindex_many(np.zeros(1))
    with pytest.raises(ArrayError, match="indices are list"):
        space.orbit_sizes([0])
    with pytest.raises(ArrayError, match=r"shape \(1, 1\)"):
        space.unindex_many(np.zeros((1, 1), dtype=np.uint64))


@pytest.mark.nojit
@pytest.mark.parametrize("index", [-1, 169, 1 << 70])
def test_indices_out_of_range(index):
    space = isomorphism((2,))
    message = rf"{index} .*0 to 168"
    with pytest.raises(OptionError, match=message):
        space.unindex(index)
    with pytest.raises(OptionError, match=message):
        space.orbit_size(index)
    if index < 1 << 60:
        with pytest.raises(OptionError, match=message):
            space.unindex_many(np.array([0, index, 3]))


@pytest.mark.nojit
def test_index_must_be_an_integer():
    with pytest.raises(OptionError, match=r"1\.5"):
        isomorphism((2,)).unindex(1.5)


@pytest.mark.nojit
def test_empty_and_strided_arrays():
    space = isomorphism((2,))
    assert space.index_many(np.empty((0, 2), dtype=np.uint8)).shape == (0,)
    assert space.unindex_many(np.empty(0, dtype=np.uint64)).shape == (0, 2)
    wide = random_hands(8, 4, seed=3)
    narrow = np.ascontiguousarray(wide[:, ::2])
    assert np.array_equal(space.index_many(wide[:, ::2]), space.index_many(narrow))
    indices = np.arange(8, dtype=np.int16)
    assert np.array_equal(space.unindex_many(indices[::2]), space.unindex_many(indices)[::2])
    narrow.setflags(write=False)
    assert np.array_equal(space.index_many(narrow), space.index_many(wide[:, ::2]))
