"""Equities of all hands against a range, against the exact ones of `tiltless.cards`."""

import numpy as np
import pytest

from helpers.playing import view_after
from tiltless.agents.endgame.equities import equities, is_standard, opponent_range, weight_met
from tiltless.agents.registry import make_agent
from tiltless.cards.card import COMBO_CARDS, COMBO_OF, parse_cards
from tiltless.cards.equity import equity
from tiltless.cards.ranges import Range
from tiltless.games import load
from tiltless.games.holdem.actions import RaiseTo

RANGE = "TT+,AJs+,KQs,AKo,76s"


@pytest.mark.parametrize(
    ("board", "tolerance"), [("", 1e-3), ("KhTd2s", 0.04), ("KhTd2s5c", 1e-9), ("KhTd2s5c9c", 1e-9)]
)
def test_equities_are_those_of_cards(board, tolerance):
    found = equities(tuple(parse_cards(board)), Range(RANGE).weights)
    for hand in ("AsQd", "TsTc", "8c7c", "3d3c"):
        first, second = parse_cards(hand)
        exact = equity(hand, RANGE, board=board).shares[0]
        assert found[COMBO_OF[first, second]] == pytest.approx(exact, abs=tolerance)


def test_weight_met_leaves_out_shared_cards():
    weights = np.random.default_rng(1).random(1326)
    found = weight_met(weights)
    for hand in (0, 77, 1325):
        apart = ~np.isin(COMBO_CARDS, COMBO_CARDS[hand]).any(axis=1)
        assert found[hand] == pytest.approx(weights[apart].sum())


def test_games_whose_hands_can_be_compared():
    names = ("nlhe", "limit-holdem", "river-of-blood", "permutation", "short-deck")
    found = [is_standard(view_after(load(name))) for name in names]
    assert found == [True, True, False, False, False]


@pytest.mark.parametrize(("agent", "least"), [("blueprint", 0.51), ("rules", 0.51), ("fish", 0.49)])
def test_the_range_of_who_has_raised(agent, least):
    view = view_after(load("nlhe", stack=200), RaiseTo(6))
    weights = opponent_range(view, make_agent(agent))
    assert weights.shape == (1326,)
    mean = float((weights * equities((), np.ones(1326))).sum() / weights.sum())
    assert least < mean < 0.7
