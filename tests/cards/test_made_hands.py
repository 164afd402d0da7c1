import numpy as np
import pytest

from naive.cards import made_hands as naive
from tiltless.cards.card import COMBO_CARDS, COMBO_OF, combo_index, parse_cards
from tiltless.cards.made_hands import BLOCKED, DRAWS, MADE_HANDS, draws, made_hands
from tiltless.errors import CardError

MADE = [
    ("Qs7d2c", "AcQd", "top pair"),
    ("Qs7d2c", "Ac7h", "second pair"),
    ("Qs7d2c", "Ac2h", "low pair"),
    ("Qs7d2c", "KcKd", "overpair"),
    ("Qs7d2c", "8c8d", "underpair"),
    ("Qs7d2c", "QcQd", "set"),
    ("Qs7d2c", "Qc7h", "two pair"),
    ("Qs7d2c", "AcKd", "ace high"),
    ("Qs7d2c", "Kc9d", "king high"),
    ("Qs7d2c", "Jc9d", "nothing"),
    ("QsQd7c", "AcQh", "trips"),
    ("QsQd7c", "Ac7d", "second pair"),  # everybody has the queens
    ("QsQd7c", "AcAd", "overpair"),
    ("QsQd7c", "7h7d", "full house"),
    ("QsQd7c", "QhQc", "quads"),
    ("KsKdKc", "AcTh", "ace high"),
    ("KsKd7c7h", "3s3d", "nothing"),  # counterfeited
    ("KsKd7d2c", "7s2d", "second pair"),  # two pair that do not both play
    ("5s6d7c8h9s", "2s2d", "plays the board"),
    ("5s6d7c8h9s", "Ts2d", "straight"),
    ("AsKsQsJsTs", "2s2d", "plays the board"),
    ("As9s6s4s2s", "Ks3d", "flush"),
    ("As9s6s4s2s", "AdAc", "plays the board"),
    ("AsKsQs", "JsTs", "straight flush"),
]
DRAW = [
    ("QsJh2h", "AhKh", "combo draw"),
    ("QsJh2h", "Ah5h", "flush draw"),
    ("QsJh2h", "KsTd", "open-ended"),
    ("QsJh2h", "AsKd", "gutshot"),
    ("Js9h7d", "Tc8s", "no draw"),  # a straight already
    ("Js9h5d", "8c7s", "open-ended"),  # a ten, or a six: a double gutshot
    ("QsJh2h", "9s5s", "backdoor flush draw"),
    ("QsJh2h3d", "9s5s", "no draw"),  # too late for two more spades
    ("Qs7h2h", "AcKd", "overcards"),
    ("5c6d7s8h", "AhAd", "no draw"),  # whatever comes, the straight is the board's
    ("5c6d7s8h", "Ts2d", "gutshot"),
    ("AsKsQsJs", "2h2d", "no draw"),
    ("QsJh2h8d3c", "AhKh", "no draw"),
]


@pytest.mark.parametrize(("board", "hand", "kind"), MADE)
def test_made_hands(board, hand, kind):
    assert MADE_HANDS[made_hands(board)[combo_index(hand)]] == kind


@pytest.mark.parametrize(("board", "hand", "kind"), DRAW)
def test_draws(board, hand, kind):
    assert DRAWS[draws(board)[combo_index(hand)]] == kind


def test_counts_on_a_dry_flop():
    count = np.bincount(made_hands("Qs7d2c")[made_hands("Qs7d2c") >= 0], minlength=17)
    named = dict(zip(MADE_HANDS, count.tolist(), strict=True))
    assert named["set"] == 9
    assert named["two pair"] == 27
    assert named["overpair"] == 12
    assert named["underpair"] == 8 * 6  # 33 to JJ without 77
    assert named["top pair"] == named["second pair"] == named["low pair"] == 3 * 40
    assert count.sum() == 49 * 48 // 2


@pytest.mark.parametrize("cards", [3, 4, 5])
def test_against_one_hand_at_a_time(cards):
    rng = np.random.default_rng(cards)
    for _ in range(6):
        board = tuple(rng.choice(52, cards, replace=False).tolist())
        made, drawn = made_hands(board), draws(board)
        for combo in rng.choice(1326, 150, replace=False).tolist():
            hand = tuple(COMBO_CARDS[combo].tolist())
            if set(hand) & set(board):
                assert made[combo] == drawn[combo] == BLOCKED
                continue
            assert MADE_HANDS[made[combo]] == naive.made_hand(hand, board), (hand, board)
            assert DRAWS[drawn[combo]] == naive.draw(hand, board), (hand, board)


def test_boards_with_straights_and_flushes_against_one_hand_at_a_time():
    rng = np.random.default_rng(9)
    for text in ("9s8s7d", "9s8s7s6d", "QsQdJsJd", "9s8s7s6s2d", "TdTcThTs2c", "AsAdKsKd2c"):
        board = parse_cards(text)
        made, drawn = made_hands(board), draws(board)
        for combo in rng.choice(1326, 200, replace=False).tolist():
            hand = tuple(COMBO_CARDS[combo].tolist())
            if not set(hand) & set(board):
                assert MADE_HANDS[made[combo]] == naive.made_hand(hand, board), (hand, text)
                assert DRAWS[drawn[combo]] == naive.draw(hand, board), (hand, text)


def test_suits_do_not_matter():
    suits = np.array([2, 0, 3, 1])
    board = np.array(parse_cards("Qs7s2h8c"))
    moved = board & ~3 | suits[board & 3]
    cards = COMBO_CARDS & ~np.uint8(3) | suits[COMBO_CARDS & 3]
    place = COMBO_OF[cards[:, 0], cards[:, 1]]
    for kinds in (made_hands, draws):
        assert (kinds(moved.tolist())[place] == kinds(board.tolist())).all()


def test_boards_before_the_flop_have_no_names():
    for kinds in (made_hands, draws):
        with pytest.raises(CardError, match="2 cards"):
            kinds("AsKs")
