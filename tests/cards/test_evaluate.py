from collections import Counter
from functools import cache
from itertools import chain, combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.cards.evaluate import strength
from tiltless.cards.card import RANKS, card_text, cards_text, combo_index, parse_cards
from tiltless.cards.evaluate import (
    best_five,
    evaluate,
    evaluate_many,
    hand_category,
    hand_name,
    hand_name_against,
    rank_all_hands,
)
from tiltless.cards.hand_order import (
    CATEGORIES,
    NO_STRAIGHTS,
    SHORT_DECK,
    STANDARD,
    HandOrder,
    hand_classes,
    hand_tables,
    permuted,
)
from tiltless.errors import ArrayError, CardError, InputError, OptionError
from tiltless.kernels.cards.evaluate import count_all_seven, evaluate_large_hands

SHUFFLED = permuted("4392T7JA5KQ68")
RULES = {
    STANDARD: {},
    SHUFFLED: {"true_rank": SHUFFLED.true_ranks},
    SHORT_DECK: {"lowest": 4, "flush_beats_full_house": True},
    NO_STRAIGHTS: {"straights": False},
}
ORDER_NAMES = ["standard", "permuted", "short deck", "no straights"]


def random_hands(count, size, seed=0, lowest=0):
    rng = np.random.default_rng(seed)
    deck = 52 - 4 * lowest
    return (np.argsort(rng.random((count, deck)), axis=1)[:, :size] + 4 * lowest).astype(np.uint8)


def assert_same_order(values, strengths):
    """Equal values for equal strengths, and larger for larger."""
    ranked = sorted(zip(strengths, values, strict=True))
    for (low, v), (high, w) in pairwise(ranked):
        assert (v < w) == (low < high)
        assert (v == w) == (low == high)


@cache
def all_fives():
    """Every hand of five cards, uint8 ``[2598960, 5]``."""
    cards = chain.from_iterable(combinations(range(52), 5))
    return np.fromiter(cards, np.uint8, 5 * 2_598_960).reshape(-1, 5)


def test_five_card_counts():
    hands = all_fives()
    values = evaluate_many(hands)
    counts = Counter(np.take(hand_classes().category, values).tolist())
    assert [counts[i] for i in range(8, -1, -1)] == [
        40, 624, 3744, 5108, 10200, 54912, 123552, 1098240, 1302540,
    ]  # fmt: skip
    assert len(np.unique(values)) == 7462
    assert (values.min(), values.max()) == (1, 7462)


def test_five_card_counts_without_straights():
    """A straight counts as its high card, a straight flush as a flush: still 7,462 values."""
    hands = all_fives()
    values = evaluate_many(hands, NO_STRAIGHTS)
    counts = Counter(np.take(hand_classes(NO_STRAIGHTS).category, values).tolist())
    assert [counts[i] for i in range(8, -1, -1)] == [
        0, 624, 3744, 5108 + 40, 0, 54912, 123552, 1098240, 1302540 + 10200,
    ]  # fmt: skip
    assert len(np.unique(values)) == 7462
    assert (values.min(), values.max()) == (1, 7462)
    assert hand_name(evaluate("AsKsQsJsTs", NO_STRAIGHTS), NO_STRAIGHTS) == "flush, ace high"
    assert hand_name(evaluate("Ac2d3h4s5s", NO_STRAIGHTS), NO_STRAIGHTS) == "ace high"
    both = HandOrder(SHUFFLED.rank_order, straights=False)  # keeps its ranks and has no straights
    assert evaluate("8s8d6s6d2c", both) > evaluate("AsAdKsKd2c", both)
    assert hand_category(evaluate("4s3s9s2dTs", both), both) == "high card"
    assert not hand_tables(both).straights.any()
    assert hand_tables(SHUFFLED).straights.any()


@pytest.mark.slow
def test_seven_card_counts():
    counts = np.zeros(7463, dtype=np.uint64)
    count_all_seven(hand_tables(), counts)
    by_category = np.bincount(hand_classes().category, counts, 9).astype(int).tolist()
    assert by_category[::-1] == [
        41_584, 224_848, 3_473_184, 4_047_644, 6_180_020, 6_461_620, 31_433_400, 58_627_800,
        23_294_460,
    ]  # fmt: skip
    assert np.count_nonzero(counts) == 4824
    assert int(counts.sum()) == 133_784_560


@pytest.mark.bounds
@pytest.mark.parametrize("order", RULES, ids=ORDER_NAMES)
@pytest.mark.parametrize("size", [5, 6, 7, 8, 11, 14])
def test_values_order_hands_like_the_naive_twin(order, size):
    hands = random_hands(60 if size < 11 else 15, size, size, order.lowest)
    naive = [strength([int(c) for c in hand], **RULES[order]) for hand in hands]
    assert_same_order(evaluate_many(hands, order).tolist(), naive)


@pytest.mark.nojit
@pytest.mark.bounds
@pytest.mark.parametrize("order", RULES, ids=ORDER_NAMES)
def test_masks_agree_with_tables(order):
    """The path for large hands also takes 5 to 7 cards: the two must agree on every one."""
    for size in (5, 6, 7):
        hands = random_hands(300, size, size, order.lowest)
        values = evaluate_many(hands, order)
        large = np.empty(len(hands), dtype=np.uint16)
        evaluate_large_hands(hands, False, hand_tables(order), large)
        assert (values == large).all()


@pytest.mark.nojit
def test_one_hand_agrees_with_many():
    for size in (5, 6, 7, 8, 12, 33):
        hands = random_hands(50, size, size)
        many = evaluate_many(hands)
        assert [evaluate([int(c) for c in hand]) for hand in hands] == many.tolist()


def test_ten_thousand_hands_agree_with_eval7_and_phevaluator():
    eval7 = pytest.importorskip("eval7")
    phevaluator = pytest.importorskip("phevaluator")
    hands = random_hands(10_000, 7, seed=7)
    ours = evaluate_many(hands).tolist()
    theirs = [eval7.evaluate([eval7.Card(card_text(int(c))) for c in hand]) for hand in hands]
    assert_same_order(ours, theirs)
    worse = [-phevaluator.evaluate_cards(*(int(c) for c in hand)) for hand in hands]
    assert_same_order(ours, worse)


@pytest.mark.parametrize("size", [8, 10, 13, 20, 33])
def test_large_hands_agree_with_eval7_where_asked(size):
    """eval7 looks at the first suit with five cards only; red-heavy hands make it matter."""
    eval7 = pytest.importorskip("eval7")
    rng = np.random.default_rng(size)
    hands = random_hands(2000, size, size)
    if size <= 20:  # from the red cards alone
        reds = np.array([c for c in range(52) if c % 4 in (1, 2)], dtype=np.uint8)
        hands = reds[np.argsort(rng.random((2000, 26)), axis=1)[:, :size]]
    theirs = [eval7.evaluate([eval7.Card(card_text(int(c))) for c in hand]) for hand in hands]
    ours = evaluate_many(hands, eval7_flushes=True)
    assert_same_order(ours.tolist(), theirs)
    right = evaluate_many(hands)
    assert (right >= ours).all()
    if size in (13, 20):
        assert (right > ours).any()


def test_a_short_deck_has_no_low_hands():
    ranked = rank_all_hands("9sTsJsQd6h", SHORT_DECK)
    assert ranked[combo_index("2d2c")] == ranked[combo_index("As5s")] == 0
    assert ranked[combo_index("AsKs")] > 0


def test_a_straight_flush_behind_another_flush():
    hand = "2h3h4h5h6h" + "Kd9d7d3d2d"
    assert hand_name(evaluate(hand)) == "straight flush, six high"
    assert hand_name(evaluate(hand, eval7_flushes=True)) == "flush, king high"
    assert cards_text(best_five(hand, eval7_flushes=True)) == "Kd9d7d3d2d"


def test_short_deck_rules():
    flush, full = "AsKsQsJs9s", "AsAhAdKsKh"
    assert evaluate(flush, SHORT_DECK) > evaluate(full, SHORT_DECK)
    assert evaluate(flush) < evaluate(full)
    assert hand_name(evaluate("As6h7d8c9s", SHORT_DECK), SHORT_DECK) == "straight, nine high"
    assert hand_category(evaluate("As6h7d8c9s")) == "high card"
    with pytest.raises(CardError, match="5s"):
        evaluate("As6h7d8c5s", SHORT_DECK)
    with pytest.raises(CardError, match="2c"):
        evaluate_many(random_hands(50, 7) * 0 + np.arange(7, dtype=np.uint8), SHORT_DECK)


def test_permuted_ranks_decide_straights_and_kickers():
    order = permuted("23456789TJQAK")  # king above ace
    assert evaluate("KsKd2c3h4d", order) > evaluate("AsAd2c3h4d", order)
    assert hand_category(evaluate("JsQdAcKhTd", order), order) == "straight"
    assert hand_name(evaluate("Ks2d3c4h5d", order), order) == "straight, five high"
    assert cards_text(best_five("Ks2d3c4h5d", order)) == "5d4h3c2dKs"


@pytest.mark.parametrize(
    ("hand", "name", "five"),
    [
        ("AsKsQsJsTs2d3c", "royal flush", "AsKsQsJsTs"),
        ("5h4h3h2hAh", "straight flush, five high", "5h4h3h2hAh"),
        ("6c6d6h6s2d3h4c", "four of a kind, sixes", "6s6h6d6c4c"),
        ("AhAd5c5d5h2s2c", "full house, fives over aces", "5h5d5cAhAd"),
        ("Kh9h7h5h2hAsAd", "flush, king high", "Kh9h7h5h2h"),
        ("Ac2d3h4s5s9d9h", "straight, five high", "5s4s3h2dAc"),
        ("7c7d7hAsKd2c3d", "three of a kind, sevens", "7h7d7cAsKd"),
        ("AsAdKsKdQsQdJh", "two pair, aces and kings", "AsAdKsKdQs"),
        ("2c2d5h7s9dJcKh", "pair of deuces", "2d2cKhJc9d"),
        ("2c4d5h7s9dJcKh", "king high", "KhJc9d7s5h"),
    ],
)
def test_names_and_best_five(hand, name, five):
    assert hand_name(evaluate(hand)) == name
    assert cards_text(best_five(hand)) == five


@given(st.permutations(range(52)), st.integers(5, 14))
def test_best_five_are_worth_the_whole_hand(deck, size):
    five = best_five(deck[:size])
    assert len(set(five)) == 5
    assert evaluate(five) == evaluate(deck[:size])


def test_every_value_has_a_name():
    names = {hand_name(value) for value in range(1, 7463)}
    assert {name.split(",")[0] for name in names} >= {"royal flush", "full house", "two pair"}
    assert CATEGORIES[hand_classes().category[7462]] == "straight flush"


@pytest.mark.nojit
@pytest.mark.bounds
@pytest.mark.parametrize("order", RULES, ids=ORDER_NAMES)
@pytest.mark.parametrize(
    "board",
    ["QsJh8h7d6c", "AsKsQs7d7c", "AsKsQsTs7c", "9s8s7sTsAs", "AsAhAdAcKs", "KsKhKdQsQh"],
    ids=["rainbow", "3 suited", "4 suited", "5 suited", "quads", "full house"],
)
def test_all_hands_of_a_board(board, order):
    cards = parse_cards(board)
    ranked = rank_all_hands(board, order)
    rng = np.random.default_rng(3)
    combos = [(a, b) for b in range(4 * order.lowest, 52) for a in range(4 * order.lowest, b)]
    for a, b in [combos[i] for i in rng.choice(len(combos), 60)] + combos[-12:]:
        expected = 0 if {a, b} & {*cards} else evaluate((a, b, *cards), order)
        assert ranked[b * (b - 1) // 2 + a] == expected


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: evaluate("AsKsQsJs"), CardError, "4 cards.*5 to 33"),
        (lambda: evaluate(""), CardError, "0 cards"),
        (lambda: evaluate("AsAsQsJsTs"), CardError, "As"),
        (lambda: evaluate_many(np.zeros(7, np.uint8)), ArrayError, r"\(7,\)"),
        (lambda: evaluate_many(np.zeros((2, 7))), ArrayError, "dtype float64"),
        (lambda: evaluate_many(np.full((2, 7), 52)), ArrayError, "52 .*51"),
        (lambda: evaluate_many(np.full((2, 7), -1)), ArrayError, "-1 .*51"),
        (lambda: evaluate_many(np.zeros((2, 34), np.uint8)), CardError, "34 cards"),
        (lambda: rank_all_hands("AsKs"), CardError, "2 cards.*5"),
        (lambda: hand_name(0), OptionError, "^0 .*7462"),
        (lambda: hand_name(5.5), OptionError, "5.5"),
        (lambda: evaluate_many([[1, 2, 3, 4, 5], [1]]), ArrayError, "differ in length"),
        (lambda: rank_all_hands("2c3c4d5h6s", SHORT_DECK), CardError, "2c"),
        (lambda: hand_name(7463), OptionError, "1 to 7462"),
        (lambda: permuted("23456789TJQK"), OptionError, "13 ranks"),
        (lambda: HandOrder(lowest=2), OptionError, "rank 2 .*0 .*4"),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert isinstance(caught.value, InputError)
    assert isinstance(caught.value, ValueError)
    assert "\n" not in str(caught.value)


def test_no_hands_are_fine():
    assert evaluate_many(np.zeros((0, 7), np.uint8)).shape == (0,)


def test_read_only_and_strided_arrays_are_taken():
    hands = random_hands(20, 7)
    frozen = hands.copy()
    frozen.flags.writeable = False
    wide = np.zeros((20, 14), np.int64)
    wide[:, ::2] = hands
    assert (evaluate_many(frozen) == evaluate_many(hands)).all()
    assert (evaluate_many(wide[:, ::2]) == evaluate_many(hands)).all()


def test_true_ranks_invert_the_order():
    assert STANDARD.true_ranks == tuple(range(13))
    assert [SHUFFLED.rank_order[i] for i in SHUFFLED.true_ranks] == list(RANKS)


@pytest.mark.parametrize(
    ("board", "hands", "names"),
    [
        ("7c 7d 2h 9s Ts", ("AcKd", "QcJd"), ("ace kicker", "queen kicker")),
        ("7c 7d 2h 9s Ts", ("AcKd", "AdKh"), ("pair of sevens", "pair of sevens")),
        ("7c 7d 2h 9s Ts", ("AcKd", "AdQh"), ("king kicker", "queen kicker")),
        ("7c 7d 2h 9s Ts", ("AcKd", "7h3c"), ("pair of sevens", "three of a kind, sevens")),
        ("Ac Kc Qd 9c 2s", ("5c3c", "4c2c"), ("flush, ace high, five kicker", "four kicker")),
        ("Ac Ad Kc Kd 2s", ("QhJh", "JcTc"), ("kings, queen kicker", "kings, jack kicker")),
    ],
)
def test_kickers_are_told_where_they_decide(board, hands, names):
    values = [evaluate(f"{board} {hand}") for hand in hands]
    for value, name in zip(values, names, strict=True):
        told = hand_name_against(value, values)
        assert told.endswith(name)
        assert ("kicker" in told) == ("kicker" in name)
