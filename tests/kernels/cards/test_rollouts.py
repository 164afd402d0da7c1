import numpy as np
import pytest

from naive.cards import rollouts as naive
from tiltless.cards.card import COMBO_CARDS, COMBO_COUNT, parse_cards
from tiltless.cards.equity import equity
from tiltless.cards.hand_order import SHORT_DECK, STANDARD, hand_tables
from tiltless.cards.ranges import Range
from tiltless.kernels.cards.rollouts import MOST_DRAWS, roll_out, roll_out_large, roll_out_ranges

BOARDS = ["", "Qs7h2c", "Qs7h2c9s", "Qs7h2c9s3s"]


def known(hand, board, lowest=0):
    """Arrays of the hand, the board, and the cards that are left."""
    hole, common = (np.array(parse_cards(text), np.uint8) for text in (hand, board))
    left = [c for c in range(4 * lowest, 52) if c not in hole and c not in common]
    return hole, common, np.array(left, np.uint8)


def state_of(number):
    return np.array([number], np.uint64)


def free_weights(hole, board, weights):
    blocked = np.isin(COMBO_CARDS, [*hole, *board]).any(axis=1)
    return np.where(blocked, 0.0, weights)


@pytest.mark.nojit
@pytest.mark.bounds
@pytest.mark.parametrize("opponents", [1, 3])
@pytest.mark.parametrize("board", BOARDS)
def test_random_hands_like_the_twin(board, opponents):
    hole, common, deck = known("AsKs", board)
    state, missing = state_of(7), 5 - len(common)
    expected = naive.roll_out(30, state[0], hole, common, missing, deck, opponents)
    counts = roll_out(30, state, hole, common, missing, deck, opponents, hand_tables())
    assert (*counts, int(state[0])) == expected
    assert sorted(deck.tolist()) == known("AsKs", board)[2].tolist()


@pytest.mark.nojit
@pytest.mark.bounds
def test_short_deck_and_a_board_of_three_like_the_twin():
    short = {"lowest": 4, "flush_beats_full_house": True}
    hole, common, deck = known("AsKs", "6s", SHORT_DECK.lowest)
    state = state_of(8)
    expected = naive.roll_out(30, state[0], hole, common, 4, deck, 2, **short)
    counts = roll_out(30, state, hole, common, 4, deck, 2, hand_tables(SHORT_DECK))
    assert (*counts, int(state[0])) == expected
    hole, common, deck = known("AsKs", "")
    expected = naive.roll_out(30, state[0], hole, common, 3, deck, 2)
    counts = roll_out(30, state, hole, common, 3, deck, 2, hand_tables())
    assert (*counts, int(state[0])) == expected


@pytest.mark.nojit
@pytest.mark.bounds
@pytest.mark.parametrize("board", [*BOARDS[:3], "Qs7h2c9s3h", "Qs7h2c9s3hTd", "Qs7h2c9s3hTdJc"])
def test_boards_that_run_on_like_the_twin(board):
    hole, common, deck = known("AsKs", board)
    state, missing = state_of(9), max(5 - len(common), 0)
    expected = naive.roll_out(20, state[0], hole, common, missing, deck, 2, run_suits="dh")
    counts = roll_out_large(
        20, state, hole, common, missing, 0b0110, False, deck, 2, hand_tables(STANDARD)
    )
    assert (*counts, int(state[0])) == expected


@pytest.mark.parametrize("board", BOARDS)
def test_large_hands_count_like_small_ones(board):
    hole, common, deck = known("Ts8s", board)
    other, missing = deck.copy(), 5 - len(common)
    one = roll_out(5000, state_of(3), hole, common, missing, deck, 2, hand_tables())
    two = roll_out_large(5000, state_of(3), hole, common, missing, 0, True, other, 2, hand_tables())
    assert one == two
    assert deck.tolist() == other.tolist()


@pytest.mark.nojit
@pytest.mark.bounds
@pytest.mark.parametrize("opponents", [1, 3])
@pytest.mark.parametrize("board", BOARDS)
def test_ranges_like_the_twin(board, opponents):
    rng = np.random.default_rng(4)
    hole, common, deck = known("AsKs", board)
    weights = rng.random((opponents, COMBO_COUNT)) * (rng.random(COMBO_COUNT) < 0.3)
    weights = free_weights(hole, common, weights)
    state, missing = state_of(10), 5 - len(common)
    before = state[0], hole, common, missing, deck
    expected = naive.roll_out_ranges(15, *before, weights, MOST_DRAWS)
    counts = roll_out_ranges(15, state, hole, common, missing, deck, weights, hand_tables())
    assert (*counts, int(state[0])) == expected


@pytest.mark.nojit
@pytest.mark.bounds
def test_ranges_without_room_for_each_other_skip_every_rollout():
    hole, common, deck = known("AsKs", "")
    weights = np.zeros((2, COMBO_COUNT))
    weights[:, 0] = 1.0
    counts = roll_out_ranges(5, state_of(1), hole, common, 5, deck, weights, hand_tables())
    assert counts == (0, 0, 0)


def within_four_errors(counts, rollouts, exact):
    for count, chance in zip(counts, exact, strict=True):
        error = (chance * (1 - chance) / rollouts) ** 0.5
        assert abs(count / rollouts - chance) <= 4 * error + 1e-12


FLOPPED = [
    (board, hand)
    for board in ("Qs7h6c", "Qs7h6c9s", "Qs7h6c9sJd")
    for hand in ("AsKs", "9h8h", "7c6d")
]


@pytest.mark.parametrize("order", [STANDARD, SHORT_DECK], ids=["standard", "short deck"])
@pytest.mark.parametrize(
    ("board", "hand"), [pytest.param("", "AsKs", marks=pytest.mark.slow), *FLOPPED]
)
def test_random_hands_against_exact_equity(board, hand, order):
    hole, common, deck = known(hand, board, order.lowest)
    exact = equity(hand, "random", board=board, order=order)
    missing = 5 - len(common)
    counts = roll_out(50_000, state_of(5), hole, common, missing, deck, 1, hand_tables(order))
    within_four_errors(counts, 50_000, (exact.wins[0], exact.ties[0]))


@pytest.mark.parametrize("villain", ["QQ+,AK", "22,AKs,72o", "A2s+"])
@pytest.mark.parametrize("board", BOARDS)
def test_ranges_against_exact_equity(board, villain):
    hole, common, deck = known("JhTh", board)
    weights = free_weights(hole, common, Range(villain).weights)[None]
    exact = equity("JhTh", villain, board=board)
    missing = 5 - len(common)
    won, tied, played = roll_out_ranges(
        200_000, state_of(6), hole, common, missing, deck, weights, hand_tables()
    )
    assert played == 200_000
    within_four_errors((won, tied), played, (exact.wins[0], exact.ties[0]))


def test_two_ranges_against_exact_equity():
    hole, common, deck = known("JhTh", "Qs7h2c")
    weights = [free_weights(hole, common, Range(text).weights) for text in ("AA,KK", "AK,AA")]
    exact = equity("JhTh", "AA,KK", "AK,AA", board="Qs7h2c")
    won, tied, played = roll_out_ranges(
        200_000, state_of(6), hole, common, 2, deck, np.array(weights), hand_tables()
    )
    within_four_errors((won, tied), played, (exact.wins[0], exact.ties[0]))
