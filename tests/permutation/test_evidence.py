import numpy as np
import pytest

from helpers.hidden_order import drawn_order, random_showdowns, rows_of
from tiltless.cards.card import parse_cards
from tiltless.errors import CardError, InputError, OptionError
from tiltless.permutation.evidence import EvidenceRows, ShowdownResult, comparison


def ranks(mask):
    return "".join(rank for i, rank in enumerate("23456789TJQKA") if mask >> i & 1)


@pytest.mark.parametrize(
    ("hand", "category", "first", "second", "straight"),
    [
        ("As Ks Qs Js 9s 2d 2c", "flush", "9JQKA", "", "9JQKA"),
        ("As Ad Ac Ah Ks Kd 2c", "four of a kind", "A", "2KA", ""),
        ("As Ad Ac Ks Kd Kc 2c", "full house", "KA", "KA", ""),
        ("As Ad Ac Ks Kd 2c 3d", "full house", "A", "KA", ""),
        ("As Ad Ac Ks Qd 2c 3d", "three of a kind", "A", "23QKA", "23QKA"),
        ("As Ad Kc Ks Qd Qc 3d", "two pair", "QKA", "3QKA", ""),
        ("As Ad Kc Ts Qd 2c 3d", "pair", "A", "23TQKA", "23TQKA"),
        ("As Jd Kc Ts Qd 2c 3d", "high card", "23TJQKA", "", "23TJQKA"),
    ],
)
def test_how_hands_are_compared(hand, category, first, second, straight):
    told, sets, window = comparison(parse_cards(hand))
    assert (told, *map(ranks, sets), ranks(window)) == (category, first, second, straight)


def test_rows_grow_and_keep_what_was_there():
    showdowns = list(random_showdowns(1, drawn_order(1), 300))  # past the first 256
    rows = rows_of(showdowns)
    orders = np.array([drawn_order(seed) for seed in range(1, 4)], np.int8)
    assert rows.agreeing(orders).tolist() == [True, False, False]
    few = rows_of(showdowns[:10])
    assert np.array_equal(few.plans().sets, rows.plans().sets[np.argsort(rows.counting)][:10])


def test_only_what_counts_is_checked():
    order = drawn_order(1)
    rows = rows_of(random_showdowns(1, order, 5))
    cards = rows.showdowns[0].cards
    rows.add(ShowdownResult.checked(cards[:2], cards[2:4], cards[4:], -rows.showdowns[0].result))
    wanted = np.array([order], np.int8)
    assert not rows.agreeing(wanted)[0]
    rows.counts[5] = False
    assert rows.agreeing(wanted)[0]
    assert len(rows.plans().wanted) == 5


def test_text_names_cards_and_winner():
    assert (
        str(ShowdownResult.checked("AsKd", "2c2d", "3h4h5h6h7h", 0)) == "AsKd = 2c2d on 3h4h5h6h7h"
    )


@pytest.mark.parametrize(
    ("first", "second", "board", "result", "error"),
    [
        ("As", "2c2d", "3h4h5h6h7h", 1, CardError),
        ("AsKd", "2c2d", "3h4h5h6h", 1, CardError),
        ("AsKd", "As2d", "3h4h5h6h7h", 1, CardError),
        ("AsKd", "2c2d", "3h4h5h6hAs", 1, CardError),
        ((52, 1), "2c2d", "3h4h5h6h7h", 1, CardError),
        ("AsKd", "2c2d", "3h4h5h6h7h", 2, OptionError),
        ("AsKd", "2c2d", "3h4h5h6h7h", None, OptionError),
        ("AsKd", "2c2d", "3h4h5h6h7h", 0.5, OptionError),
        (None, "2c2d", "3h4h5h6h7h", 0, InputError),
    ],
)
def test_bad_showdowns_are_refused(first, second, board, result, error):
    with pytest.raises(error):
        ShowdownResult.checked(first, second, board, result)
    rows = EvidenceRows()
    assert rows.showdowns == []
