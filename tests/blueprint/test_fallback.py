"""The rule for hands that no row is known of."""

import numpy as np
import pytest

from helpers.playing import deal
from tiltless.blueprint.fallback import (
    choose_by_strength,
    play_by_strength,
    strengths,
    strong_raise,
)
from tiltless.cards.card import COMBO_OF, parse_cards
from tiltless.games import load
from tiltless.games.holdem.actions import CALL, FOLD, RaiseTo
from tiltless.games.holdem.bet_context import BetContext


@pytest.mark.parametrize(
    ("price", "expected"),
    [
        (0.0, [1, 1, 1, 1, 2, 2, 2]),  # nobody folds for nothing
        (0.2, [0, 0, 1, 1, 1, 1, 2]),  # calls from 0.45
        (0.5, [0, 0, 0, 1, 1, 1, 2]),  # from 0.6
    ],
)
def test_thresholds(price, expected):
    strength = np.array([0.0, 0.4, 0.46, 0.61, 0.7, 0.84, 0.85])
    assert choose_by_strength(strength, price).tolist() == expected
    prices = np.array([price, 0.2, 0.0])
    for column, each in enumerate(prices.tolist()):
        both = choose_by_strength(strength[:, None], prices[None])[:, column]
        assert both.tolist() == choose_by_strength(strength, each).tolist()


def test_strong_hands_bet_two_thirds_and_raise_the_pot():
    assert strong_raise(BetContext(bet=0, pot=30, low=2, top=100, most=100), 0.0) == 20
    assert strong_raise(BetContext(bet=10, pot=40, low=20, top=100, most=100), 0.25) == 50


def test_the_nuts_are_strong_and_blocked_hands_are_nothing():
    board = parse_cards("AsKsQsJs2d")
    found = strengths(board)
    assert found[COMBO_OF[parse_cards("Ts3c")]] == 1
    assert found[COMBO_OF[parse_cards("As3c")]] == 0
    assert (strengths((*board, 0)) == 0.5).all()
    assert strengths(())[COMBO_OF[parse_cards("AcAd")]] == pytest.approx(0.852, abs=1e-3)


def test_chips_that_come_back_do_not_count():
    """A call of 18 against 200: the price is that of a pot of 40, not of one of 222."""
    game = load("nlhe", stack=(200, 20))
    view = deal(game).apply(RaiseTo(200)).view(1)
    strength = np.array([0.57, 0.58])  # of 18 / 40 for a call, with its margin: 0.575
    actions, choice = play_by_strength(view, strength)
    assert [actions[index] for index in choice] == [FOLD, CALL]
