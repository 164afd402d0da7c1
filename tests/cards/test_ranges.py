import copy
import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tiltless.cards.card import (
    CLASS_NAMES,
    CLASS_OF_COMBO,
    CLASS_SIZES,
    COMBO_CARDS,
    RANKS,
    combo_index,
    combo_text,
    parse_cards,
)
from tiltless.cards.range_text import CLASSES_BY_EQUITY, format_range, hand_combos, parse_range
from tiltless.cards.ranges import Range
from tiltless.errors import ArrayError, CardError, RangeError


def classes_of(text):
    """Names of the classes that are wholly in, which must be all that is in."""
    weights = Range(text).class_weights()
    assert set(weights.tolist()) <= {0.0, 1.0}
    return {CLASS_NAMES[number] for number in np.flatnonzero(weights)}


# The examples of the conventions that players know


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("QQ", "QQ"),
        ("AKs", "AKs"),
        ("AKo", "AKo"),
        ("AK", "AKs AKo"),
        ("88+", "88 99 TT JJ QQ KK AA"),
        ("98s+", "98s T9s JTs QJs KQs AKs"),
        ("A8o+", "A8o A9o ATo AJo AQo AKo"),
        ("KTs+", "KTs KJs KQs"),
        ("88-55", "88 77 66 55"),
        ("KQo-JTo", "KQo QJo JTo"),
        ("A5s-A2s", "A5s A4s A3s A2s"),
        ("T9s+", "T9s JTs QJs KQs AKs"),
        ("AA+", "AA"),
        ("AKs+", "AKs"),
        ("32+", "32s 43s 54s 65s 76s 87s 98s T9s JTs QJs KQs AKs "
                "32o 43o 54o 65o 76o 87o 98o T9o JTo QJo KQo AKo"),
        ("42o+", "42o 43o"),
        ("T8-97", "T8s T8o 97s 97o"),
        ("88-88", "88"),
        ("KAs", "AKs"),
        ("A2s-A2s", "A2s"),
    ],
)  # fmt: skip
def test_hands_of_an_item(text, expected):
    assert classes_of(text) == set(expected.split())


def test_the_example_of_the_conventions():
    hands = Range("AA,AKs,QQ-99:0.5,A5s-A2s,T9s+,AhKh:0.25")
    assert hands["AA"] == hands["AKs"] == hands["T9s"] == hands["A3s"] == 1
    assert hands["QQ"] == hands["99"] == 0.5
    assert hands["AhKh"] == 1, "AKs stands further left"
    assert hands["KK"] == hands["AKo"] == hands["88"] == 0


def test_leftmost_wins():
    assert Range("AhKh:0.25,AKs")["AhKh"] == 0.25
    assert Range("AKs,AhKh:0.25")["AhKh"] == 1
    assert Range("AA:0,random") == Range.random() - Range("AA")
    assert Range("QQ:0.5,QQ+:0.25,JJ+") == Range("JJ,QQ:0.5,KK+:0.25")
    assert Range.from_classes({"QQ": 0.5, "QQ+": 1}) == Range("QQ:0.5,KK+")


@pytest.mark.parametrize(
    ("loose", "strict"),
    [
        ("aks", "AKs"),
        ("AKS , qQ +", "AKs,QQ+"),
        ("A10s+,1010", "ATs+,TT"),
        ("10s9s", "Ts9s"),
        ("askh", "AsKh"),
        ("KhAs", "AsKh"),
        ("RANDOM", "random"),
        (" Q Q : 0.5 ", "QQ:.5"),
        ("A5s\u2013A2s", "A5s-A2s"),
        ("22-QQ", "QQ-22"),
        ("A2s-A5s", "A5s-A2s"),
        ("76o-JTo:0.5", "JTo-76o:0.5"),
        ("QQ:5e-1", "QQ:0.5"),
        ("AA:1.0,KK:1", "KK+"),
        ("\tAA,\nKK", "AA,KK"),
        ("100%", "random"),
        ("10 %", "10%"),
    ],
)
def test_loose_spelling(loose, strict):
    assert Range(loose) == Range(strict)


@pytest.mark.parametrize(
    ("text", "combos"),
    [
        ("QQ+,AKs", 22),
        ("random", 1326),
        ("15%", 198.9),
        ("AK", 16),
        ("AKs", 4),
        ("AKo", 12),
        ("22", 6),
        ("AsKh", 1),
        ("QQ+,AKs,A5s-A2s:0.5", 30),
        ("22+", 78),
        ("2%:0.5", 13.26),
        ("50%", 663),
    ],
)
def test_counts(text, combos):
    hands = Range(text)
    assert hands.combos == pytest.approx(combos, abs=1e-9)
    assert hands.percent == pytest.approx(100 * combos / 1326, abs=1e-9)


# The whole grammar against rules written down a second time


def split(name):
    ranks = RANKS.index(name[0]), RANKS.index(name[1])
    return *ranks, name[2:]


def naive_plus(name):
    high, low, suffix = split(name)
    found = set()
    for other in CLASS_NAMES:
        a, b, s = split(other)
        if s == suffix and (
            (high - low <= 1 and a - b == high - low and a >= high)
            or (high - low > 1 and a == high and b >= low)
        ):
            found.add(other)
    return found


def naive_dash(first, last):
    """The classes between, or None where the dash is wrong."""
    a, b, s = split(first)
    c, d, t = split(last)
    if s != t:
        return None
    if b < d:
        a, b, c, d = c, d, a, b
    if a - b == c - d:
        return {n for n in CLASS_NAMES if (x := split(n))[2] == s and x[0] - x[1] == a - b
                and d <= x[1] <= b}  # fmt: skip
    if a == c:
        return {n for n in CLASS_NAMES if (x := split(n))[2] == s and x[0] == a and d <= x[1] <= b}
    return None


def test_every_class_alone_and_with_plus():
    for number, name in enumerate(CLASS_NAMES):
        assert set(hand_combos(name)) == set(np.flatnonzero(number == CLASS_OF_COMBO))
        assert classes_of(name + "+") == naive_plus(name)


def test_every_dash():
    numbers = {name: number for number, name in enumerate(CLASS_NAMES)}
    right = 0
    for first in CLASS_NAMES:
        for last in CLASS_NAMES:
            expected = naive_dash(first, last)
            if expected is None:
                with pytest.raises(RangeError):
                    hand_combos(f"{first}-{last}")
            else:
                right += 1
                found = hand_combos(f"{first}-{last}")
                assert len(set(found.tolist())) == len(found)
                assert set(CLASS_OF_COMBO[found].tolist()) == {numbers[n] for n in expected}
    assert right > 1000


def test_every_combo_in_either_order():
    for combo in range(1326):
        text = combo_text(combo)
        assert hand_combos(text).tolist() == [combo]
        assert hand_combos(text[2:] + text[:2]).tolist() == [combo]


# Percentages


def test_order_of_classes():
    assert sorted(CLASSES_BY_EQUITY) == sorted(CLASS_NAMES)
    assert CLASSES_BY_EQUITY[:9] == ("AA", "KK", "QQ", "JJ", "TT", "99", "88", "AKs", "77")
    assert CLASSES_BY_EQUITY[-3:] == ("62o", "42o", "32o")
    place = {name: number for number, name in enumerate(CLASSES_BY_EQUITY)}
    for name in CLASS_NAMES:
        if name.endswith("s"):
            assert place[name] < place[name[:2] + "o"]


@given(st.floats(0.001, 100))
def test_percent_is_exact_and_a_prefix_of_the_order(percent):
    hands = Range.top(percent)
    assert hands.percent == pytest.approx(percent, abs=1e-9)
    weights = dict(zip(CLASS_NAMES, hands.class_weights().tolist(), strict=True))
    ordered = [weights[name] for name in CLASSES_BY_EQUITY]
    assert ordered == sorted(ordered, reverse=True)
    assert sum(0 < weight < 1 for weight in ordered) <= 1


def test_percent_of_whole_classes_has_no_crumbs():
    sizes = dict(zip(CLASS_NAMES, CLASS_SIZES.tolist(), strict=True))
    combos = 0
    for count, name in enumerate(CLASSES_BY_EQUITY, start=1):
        combos += sizes[name]
        hands = Range.top(100 * combos / 1326)
        assert set(hands.weights.tolist()) <= {0.0, 1.0}
        assert hands.combos == combos
        assert np.count_nonzero(hands.class_weights()) == count


def test_percent_text_is_the_method():
    assert Range("15%") == Range.top(15)
    for wrong in (0, 100.5, -1, float("nan"), "15", None):
        with pytest.raises(RangeError, match=f"^{wrong!r} % of hands is impossible"):
            Range.top(wrong)
    assert Range("12.5%:0.5") == Range.top(12.5) * 0.5
    assert Range("AA:0.25,15%") == Range("AA:0.25") | (Range.top(15) - Range("AA"))


# Mistakes


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "an empty text"),
        ("  \n", "an empty text"),
        (",", "extra comma"),
        ("AA,,KK", "extra comma"),
        ("AA,", "extra comma"),
        (":0.5", "before the colon"),
        ("A5s-A2o", "same letter on both sides, such as A5s-A2s"),
        ("A5-A2s", "A5-A2"),
        ("A5s-K2s", "neither the same gap nor the same first card"),
        ("88-A5s", "neither"),
        ("KK-K5s", "neither"),
        ("AA:1.5", "'1.5'"),
        ("AA:-0.5", "'-0.5'"),
        ("AA:nan", "'nan'"),
        ("AA:inf", "'inf'"),
        ("AA:1e999", "0 to 1"),
        ("AA:", "''"),
        ("AA:0.5:0.5", "0 to 1"),
        ("AA:1_0", "0 to 1"),
        ("AA:\u0661", "0 to 1"),
        ("AsAs", "'AsAs'"),
        ("QQs", "QQ"),
        ("QQo+", "QQ"),
        ("AKx", "'AKx'"),
        ("AK\u017f", "is not a hand"),
        ("\u212aKs", "is not a hand"),
        ("AA KK", "'AA KK'"),
        ("AsKs+", "'AsKs+'"),
        ("AsKs-AsQs", "'AsKs-AsQs'"),
        ("88-55+", "'88-55+'"),
        ("88--55", "'88--55'"),
        ("-", "'-'"),
        ("+", "'+'"),
        ("0.4(AsKs)", "AKs:0.5"),
        ("[50.0]AKs[/50.0]", "AKs:0.5"),
        ("0%", "0 %"),
        ("101%", "100 %"),
        ("%", "'%'"),
        ("-5%", "'-5%'"),
        ("nan%", "'nan%'"),
        ("AA:0", "no hand with a weight above 0"),
        ("hello", "'hello'"),
        ("A", "'A'"),
        ("AKQ", "'AKQ'"),
        ("1s2s", "'1s2s'"),
        ("x" * 200_000, "200,000 characters"),
    ],
)
def test_mistakes_name_the_piece_and_the_remedy(text, says):
    with pytest.raises(RangeError) as caught:
        Range(text)
    message = str(caught.value)
    assert says in message
    assert "\n" not in message
    assert len(message) < 250


def test_a_mistake_names_its_own_piece():
    with pytest.raises(RangeError, match="'A2s-K5s'"):
        Range("QQ+,A2s-K5s,AKx")


@pytest.mark.parametrize("value", [None, 3, b"AA", ["AA"], np.ones(1326)])
def test_not_text(value):
    with pytest.raises(RangeError, match="from_weights"):
        Range(value)


@settings(max_examples=400)
@given(st.one_of(st.text(max_size=30), st.text("AKQT9832shdco10+-:,.%e random", max_size=24)))
def test_any_text_is_read_or_refused(text):
    hands, message = None, ""
    try:
        hands = Range(text)
    except RangeError as error:
        message = str(error)
    assert "\n" not in message
    if hands is not None:
        assert len(hands) > 0
        assert Range(str(hands)) == hands


def test_long_texts_do_not_hang():
    for text in ("1" * 99_000 + "x%", "AA:" + "1" * 99_000 + "x", "," * 99_000, "-" * 99_000):
        with pytest.raises(RangeError):
            Range(text)
    assert Range(",".join(["22+"] * 24_000)) == Range("22+")


# Printing


@pytest.mark.parametrize(
    "text",
    [
        "QQ+,AKs,A5s-A2s:0.5",
        "AA",
        "KK",
        "22+,A2s+,ATo+,K9s+,KJo+,QTs+,JTs,T9s",
        "QQ+,AK",
        "JJ-99,A5+:0.25",
        "AA,QQ,TT-88",
        "AQs+,AKo",
        "random",
        "random:0.5",
        "AsKh",
        "KK,AsAh:0.5,AhAd:0.25,AhKh:0.1",
        "32",
        "32s:1e-05",
        "A2s:0.3333333333333333",
    ],
)
def test_canonical_text(text):
    assert str(Range(text)) == text
    assert repr(Range(text)) == f"Range('{text}')"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("AKo,AKs,KK,AA", "KK+,AK"),
        ("54s,65s,AA:0.50", "AA:0.5,65s,54s"),
        ("AdAc,AhAc,AhAd,AsAc,AsAd,AsAh", "AA"),
        ("KhAs,AsAh", "AsAh,AsKh"),
        ("AsKs:0.5,AhKh:0.5,AdKd:0.5,AcKc:0.5", "AKs:0.5"),
        ("15%", "55+,A7s+,A6s:0.725,A5s,A9o+,K9s+,KJo+,QJs"),
    ],
)
def test_canonical_form(text, canonical):
    assert str(Range(text)) == canonical


def test_empty():
    empty = Range.empty()
    assert str(empty) == ""
    assert repr(empty) == "Range.empty()"
    assert empty.combos == 0
    assert not empty
    assert Range("AA") - Range("AA") == empty
    assert list(empty) == []


unit = st.sampled_from([0.0, 0.0, 1.0, 1.0, 0.5, 0.25, 1 / 3, 1e-7, 5e-324]) | st.floats(0, 1)


@given(arrays(np.float64, 169, elements=unit))
def test_round_trip_of_class_weights(weights):
    hands = Range.from_classes(weights)
    if hands:
        assert Range(str(hands)) == hands
    assert np.allclose(hands.class_weights(), weights, rtol=1e-15)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([1.0, 0.9, 0.5, 0.02]), st.booleans())
def test_round_trip_of_random_weights(seed, share, smooth):
    rng = np.random.default_rng(seed)
    weights = np.where(rng.random(1326) < share, rng.random(1326) if smooth else 1.0, 0.0)
    weights[0] = 0.5
    text = format_range(weights)
    assert np.array_equal(parse_range(text), weights)
    assert format_range(parse_range(text)) == text


def test_text_merges():
    """The canonical text never says more items than classes plus odd combos."""
    rng = np.random.default_rng(7)
    weights = rng.choice([0.0, 1.0], 169, p=[0.3, 0.7])
    text = str(Range.from_classes(weights))
    assert len(text.split(",")) < np.count_nonzero(weights) / 1.5
    assert not re.search(r"[cdh]", text)


# The value


def test_from_weights_checks():
    with pytest.raises(ArrayError, match=r"\(1326,\)"):
        Range.from_weights(np.ones(169))
    with pytest.raises(ArrayError, match="1,326"):
        Range.from_weights(["a"] * 1326)
    with pytest.raises(ArrayError, match="1,326"):
        Range.from_weights([[1], [1, 2]])
    with pytest.raises(ArrayError, match=r"\(169,\)"):
        Range.from_classes(np.ones(1326))
    for bad in (-0.1, 1.1, np.nan, np.inf):
        weights = np.zeros(1326)
        weights[5] = bad
        with pytest.raises(RangeError, match="of combo 5"):
            Range.from_weights(weights)
        with pytest.raises(RangeError, match="hand 0"):
            Range.from_classes({"AKs": bad})
    with pytest.raises(RangeError, match=r"'AKx'.*QQ"):
        Range.from_classes({"AKx": 1})
    assert Range.from_weights(np.ones(1326, dtype=np.int8)) == Range.random()
    assert Range.from_weights([True] * 1326) == Range.random()


def test_a_range_cannot_change():
    source = np.zeros(1326)
    hands = Range.from_weights(source)
    source[0] = 1
    assert not hands
    with pytest.raises(ValueError, match="read-only"):
        hands.weights[0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        hands.weights.flags.writeable = True
    with pytest.raises(AttributeError, match=r"Range.*_weights"):
        hands._weights = source
    with pytest.raises(AttributeError):
        hands.anything = 1
    mine = hands.to_array(np.float32)
    mine[0] = 1
    assert mine.dtype == np.float32
    assert not hands
    assert np.asarray(hands).dtype == np.float64
    assert np.array(hands).flags.writeable


def test_equality_and_hash():
    one, two = Range("KK+"), Range("AA,KK")
    assert one == two
    assert hash(one) == hash(two)
    assert one != Range("QQ+")
    assert one != "KK+"
    negative_zero = np.zeros(1326)
    negative_zero[3] = -0.0
    assert hash(Range.from_weights(negative_zero)) == hash(Range.empty())
    assert Range(one) == one
    assert copy.deepcopy(one) == one
    again = pickle.loads(pickle.dumps(one))
    assert again == one
    assert not again.weights.flags.writeable


ranges = st.integers(0, 2**32).map(
    lambda seed: Range.from_weights(
        np.random.default_rng(seed).choice([0.0, 0.25, 0.5, 0.75, 1.0], 1326)
    )
)


@given(ranges, ranges, ranges)
def test_laws_of_sets(a, b, c):
    assert a | b == b | a
    assert a & b == b & a
    assert ~(a | b) == ~a & ~b
    assert ~~a == a
    assert a & (b | c) == (a & b) | (a & c)
    assert (a - b) & Range.random() == a - b
    assert a - a == Range.empty()
    assert a - Range.empty() == a
    assert (a - b) | a == a


def test_set_operations_by_example():
    a, b = Range("QQ+:0.75,AKs"), Range("QQ:0.5,KK,AKs:0.25")
    assert a | b == Range("QQ:0.75,KK,AA:0.75,AKs")
    assert a & b == Range("QQ:0.5,KK:0.75,AKs:0.25")
    assert a - b == Range("QQ:0.25,AA:0.75,AKs:0.75")
    assert ~Range("AA:0.25") == Range("AA:0.75,random")
    for operation in ("__or__", "__and__", "__sub__"):
        assert getattr(a, operation)("AA") is NotImplemented
    with pytest.raises(TypeError):
        a | "AA"


def test_scaling():
    assert Range("AA,KK:0.5") * 0.5 == 0.5 * Range("AA,KK:0.5") == Range("AA:0.5,KK:0.25")
    assert np.float64(0.5) * Range("AA") == Range("AA:0.5")
    assert Range("AA:0.25") * 4 == Range("AA")
    for factor in (2, -1, float("nan"), float("inf")):
        with pytest.raises(RangeError, match="factor"):
            Range("AA") * factor
    with pytest.raises(TypeError):
        Range("AA") * "2"
    with pytest.raises(TypeError):
        np.ones(1326) * Range("AA")


def test_lookup():
    hands = Range("AsKs:0.5,AhKh,QQ")
    assert hands["AsKs"] == hands["KsAs"] == 0.5
    assert hands["AKs"] == 0.375
    assert hands["AK"] == 1.5 / 16
    assert hands["QQ+"] == pytest.approx(1 / 3)
    assert hands[combo_index("AhKh")] == 1
    assert hands[np.int16(combo_index("AsKs"))] == 0.5
    assert "AsKs" in hands
    assert "AKs" in hands
    assert "AcKc" not in hands
    assert "JJ" not in hands
    for wrong in ("AKx", "15%", 1326, -1, 1.5, None):
        with pytest.raises(RangeError):
            hands[wrong]


def test_iteration():
    hands = Range("KdKc,AsKh:0.5,AhAd")
    assert list(hands) == [("AhAd", 1.0), ("AsKh", 0.5), ("KdKc", 1.0)]
    assert len(hands) == 3
    everything = list(Range.random())
    assert everything[0][0] == "AsAh"
    assert everything[6][0] == "AsKs"
    assert len({combo for combo, _ in everything}) == 1326


@pytest.mark.parametrize("dead", ["As", "AsKd2c", "", (51, 0), np.array([51, 47])])
def test_card_removal(dead):
    cards = set(parse_cards(dead))
    hands = Range("random:0.5")
    left = hands.without(dead)
    for combo in range(1326):
        touched = bool(cards & set(COMBO_CARDS[combo].tolist()))
        assert left.weights[combo] == (0 if touched else 0.5)
    live = 52 - len(cards)
    assert left.combos == live * (live - 1) / 4
    assert np.array_equal(hands.live(dead), np.flatnonzero(left.weights))
    assert np.all(hands.class_weights(dead)[CLASS_OF_COMBO[left.live()]] == 0.5)


def test_class_weights():
    assert Range("AsKs").class_weights()[1] == 0.25
    assert Range("AsKs").class_weights("Ah")[1] == pytest.approx(1 / 3)
    assert Range.random().class_weights("AsAhAdAc")[:13].tolist() == [0.0] * 13
    with pytest.raises(CardError):
        Range("AA").without("Ax")


def test_sample():
    hands = Range("AA,AsKs:0.25,7h2d:0.5")
    drawn = hands.sample(np.random.default_rng(1), 27_000)
    assert drawn.shape == (27_000,)
    counts = np.bincount(drawn, minlength=1326)
    expected = hands.weights / hands.combos * len(drawn)
    assert np.all(counts[expected == 0] == 0)
    alive = expected > 0
    z = (counts - expected)[alive] / np.sqrt(expected[alive])
    assert np.abs(z).max() < 4.5
    assert hands.sample(np.random.default_rng(1), 0).shape == (0,)
    again = hands.sample(np.random.default_rng(1), 27_000)
    assert np.array_equal(drawn, again)
    tiny = Range("AsAh:5e-324")
    assert tiny.sample(np.random.default_rng(1)).tolist() == [1325]
    with pytest.raises(RangeError, match="empty"):
        Range.empty().sample(np.random.default_rng(1), 1)
