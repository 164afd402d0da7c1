import numpy as np
import pytest

from tiltless.cards.card import CLASS_OF_COMBO, COMBO_CARDS, COMBO_OF, parse_cards
from tiltless.cards.equity import equity
from tiltless.cards.hand_order import SHORT_DECK, hand_tables
from tiltless.cards.matchups import edges_against_all, preflop_matchups
from tiltless.cards.preflop import class_pairs, preflop_equities
from tiltless.errors import CardError
from tiltless.kernels.cards.evaluate import rank_boards
from tiltless.kernels.cards.matchups import sum_matchups


def combo(text):
    first, second = parse_cards(text)
    return int(COMBO_OF[first, second])


def test_before_the_flop_against_another_way():
    net = preflop_matchups()
    assert (net == -net.T).all()
    for one, two in (("AsKs", "QdQh"), ("2c3d", "AhAs"), ("7h8h", "7d8d"), ("AsKd", "KsQd")):
        share = 0.5 + net[combo(one), combo(two)] / 2 / 1_712_304
        assert share == pytest.approx(equity(one, two).shares[0], abs=1e-12)
    assert net[combo("AsKd"), combo("AsQd")] == 0  # they cannot meet


def test_classes_have_the_mean_of_their_hands():
    member = np.eye(169)[CLASS_OF_COMBO]
    mean = member.T @ preflop_matchups() @ member / class_pairs() / 1_712_304
    assert np.abs(0.5 + mean / 2 - preflop_equities()).max() < 1e-12


@pytest.mark.parametrize(
    "board", ["2c3d4h", "AsKsQs", "9c9d9h2s", "TsJsQs2s", "2c3c4c5c9d", "AhKhQh3h2h", "Ac2c9c5d"]
)
@pytest.mark.bounds
def test_one_against_all_hand_by_hand(board):
    check_one_against_all(board)


@pytest.mark.nojit
def test_one_against_all_on_the_river():
    check_one_against_all("2c3c4c5d9d")


@pytest.mark.bounds
def test_all_against_all_on_three_boards():
    boards = np.array(
        [parse_cards(b) for b in ("2c3c4c5c9d", "AsKdQh7c7d", "AhKhQhJhTh")], np.uint8
    )
    net = np.zeros((1326, 1326), np.int32)
    sum_matchups(boards, np.int32(6), hand_tables(), net)
    values = np.zeros((3, 1326), np.uint16)
    rank_boards(boards, hand_tables(), values)
    wide = values.astype(int)
    wanted = sum(np.where(v[:, None] > 0, np.sign(v[:, None] - v), 0) for v in wide)
    assert (net == 6 * wanted).all()


def check_one_against_all(board):
    cards = parse_cards(board)
    hand = combo("7c7d")
    edges = edges_against_all(hand, cards)
    blocked = np.isin(COMBO_CARDS, (*cards, *COMBO_CARDS[hand])).any(axis=1)
    assert not edges[blocked].any()
    for other in np.random.default_rng(1).choice(np.flatnonzero(~blocked), 25).tolist():
        found = equity("7c7d", tuple(COMBO_CARDS[other].tolist()), board=board)
        assert edges[other] == pytest.approx(found.wins[0] - found.wins[1], abs=1e-12)


def test_only_the_standard_order_is_kept():
    with pytest.raises(CardError, match="standard"):
        edges_against_all(1300, (), SHORT_DECK)
