import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltless.cards import card as c
from tiltless.errors import CardError


def test_numbers_follow_rank_then_suit():
    assert [c.parse_card(text) for text in ("2c", "2d", "2h", "2s", "3c", "As")] == [
        0,
        1,
        2,
        3,
        4,
        51,
    ]
    assert c.cards_text(range(52)) == "".join(r + s for r in c.RANKS for s in c.SUITS)


@pytest.mark.parametrize("text", ["AsKd", "as kd", "As,Kd", " aS  KD ", "ASKD"])
def test_text_is_read_generously(text):
    assert c.parse_cards(text) == (51, 45)


def test_ten_may_be_written_with_two_digits():
    assert c.parse_cards("10s 10h Td") == c.parse_cards("TsThTd")
    assert c.card_text(c.parse_card("10s")) == "Ts"


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ("Ax", "'Ax'"),
        ("1s", "23456789TJQKA"),
        ("A", "23456789TJQKA"),
        ("AsAs", "As"),
        ([51, 51], "As"),
        ([52], "52 .*51"),
        ([-1], "-1 .*51"),
        ([1.5], r"1\.5 .*51"),
    ],
)
def test_wrong_cards_are_named(cards, message):
    with pytest.raises(CardError, match=message) as caught:
        c.parse_cards(cards)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "AsKd"])
def test_one_card_is_one_card(text):
    with pytest.raises(CardError, match="such as As"):
        c.parse_card(text)


@given(st.permutations(range(52)), st.integers(0, 52))
def test_text_round_trips(deck, count):
    assert c.parse_cards(c.cards_text(deck[:count])) == tuple(deck[:count])


@given(st.text(max_size=20))
def test_any_text_is_cards_or_a_card_error(text):
    try:
        cards = c.parse_cards(text)
    except CardError:
        return
    assert all(0 <= card < 52 for card in cards)


def test_combos_are_numbered_as_documented():
    assert [c.combo_text(i) for i in (0, 1, 2, 1325)] == ["2d2c", "2h2c", "2h2d", "AsAh"]
    for combo in range(1326):
        low, high = map(int, c.COMBO_CARDS[combo])
        assert low < high
        assert (
            combo == high * (high - 1) // 2 + low == c.COMBO_OF[low, high] == c.COMBO_OF[high, low]
        )
        assert c.combo_index(c.combo_text(combo)) == combo
    assert (np.diag(c.COMBO_OF) == -1).all()


def test_classes_are_cells_of_the_picture():
    assert [c.CLASS_NAMES[i] for i in (0, 1, 13, 14, 168)] == ["AA", "AKs", "AKo", "KK", "22"]
    assert len(set(c.CLASS_NAMES)) == 169
    for combo in range(1326):
        high, low = c.combo_text(combo)[:2], c.combo_text(combo)[2:]
        suffix = "" if high[0] == low[0] else "s" if high[1] == low[1] else "o"
        assert c.CLASS_NAMES[c.CLASS_OF_COMBO[combo]] == high[0] + low[0] + suffix
    sizes = {6: 13, 4: 78, 12: 78}
    assert {size: c.CLASS_SIZES.tolist().count(size) for size in sizes} == sizes


@pytest.mark.parametrize("combo", [-1, 1326, 5000])
def test_combos_outside_are_refused(combo):
    with pytest.raises(CardError, match="1325"):
        c.combo_text(combo)


def test_a_hand_is_two_cards():
    with pytest.raises(CardError, match="AsKdQc"):
        c.combo_index("AsKdQc")
    with pytest.raises(CardError, match=r"^As"):
        c.combo_index([51])


def test_overlap_names_both_places():
    with pytest.raises(CardError, match=r"As .*board.*dead"):
        c.check_disjoint(board=(51, 3), dead_cards=(0, 51))
