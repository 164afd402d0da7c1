"""Reviews of finished hands, checked against a showdown that is added up hand by hand."""

import math

import numpy as np
import pytest

from tiltless.cards.card import COMBO_CARDS, parse_cards
from tiltless.cards.evaluate import evaluate
from tiltless.errors import OptionError
from tiltless.games import load
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.search.review import GRADES, SolvedChances, grade, review_hand, reviewable

GAME = load("nlhe", seats=2, stack="10bb")
HERO, VILLAIN = "AhKd", "7c7d"


def uniform(view):
    """Plays every hand alike: a strategy that tells nothing."""
    first = CHECK if view.actions.check else CALL
    actions = (first, RaiseTo(view.actions.max_raise)) if view.actions.max_raise else (FOLD, first)
    return SolvedChances(actions, np.full((1326, len(actions)), 1 / len(actions), np.float32))


def played(*actions, hero=HERO):
    """A hand on Kh 8s 2c 5d 9h in which seat 0, on the button, is reviewed."""
    state = GAME.start(0)
    cards = iter(map(parse_cards, (hero, VILLAIN, "Kh8s2c", "5d", "9h")))
    todo = list(actions)
    while state.actor != TERMINAL:
        state = state.apply(next(cards) if state.actor == CHANCE else todo.pop(0))
    assert not todo
    return state.view(0)


CHECKED = [CALL, CHECK, CHECK, CHECK, CHECK, CHECK]
SHOVE = RaiseTo(18)


@pytest.fixture(scope="module")
def shoved():
    view = played(*CHECKED, SHOVE, CALL)
    return list(review_hand(view, uniform, iterations=200))


def test_every_decision_is_there_in_order(shoved):
    assert [each.view.seat for each in shoved] == [0, 1, 1, 0, 1, 0, 1, 0]
    assert [each.view.street for each in shoved] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert [each.solved for each in shoved] == [False] * 4 + [True] * 4
    assert all(each.cost is None for each in shoved[:4])


def test_a_call_on_the_river_is_worth_its_showdown(shoved):
    """EV = (pot + call) x equity - call, against the hands with which the solution shoves."""
    shove, call = shoved[-2:]
    column = shove.strategy.actions.index(SHOVE)
    reach = shove.ranges[1] * shove.strategy.chances[:, column]
    board, hero = parse_cards("Kh8s2c5d9h"), parse_cards(HERO)
    mine = evaluate((*hero, *board))
    won = total = 0.0
    for combo, weight in enumerate(reach.tolist()):
        cards = tuple(COMBO_CARDS[combo].tolist())
        if weight and not set(cards) & {*hero, *board}:
            theirs = evaluate((*cards, *board))
            won += weight * (1.0 if mine > theirs else 0.5 if mine == theirs else 0.0)
            total += weight
    pot, price = call.view.pot, call.view.actions.call
    values = dict(call.values)
    assert values[CALL] == pytest.approx((pot + price) * won / total - price, abs=0.02)
    assert values[FOLD] == pytest.approx(0, abs=1e-4)
    assert call.cost == pytest.approx(max(values.values()) - values[CALL])
    assert call.cost == 0  # top pair, top kicker


def test_a_bad_choice_costs_what_the_best_one_wins_more():
    view = played(*CHECKED, SHOVE, FOLD, hero="KsKd")  # only a straight is better
    folded = list(review_hand(view, uniform, iterations=80))[-1]
    assert folded.action == FOLD
    assert folded.cost == pytest.approx(dict(folded.values)[CALL], abs=1e-4)
    assert folded.cost > 1
    assert folded.prob < 0.2


def test_cards_that_were_not_shown_are_not_used(shoved):
    assert set(shoved[-2].view.cards) == set(parse_cards(VILLAIN))  # at the showdown they were
    hidden = list(review_hand(played(*CHECKED, SHOVE, FOLD), uniform, seconds=0.2))
    theirs = [each for each in hidden if each.view.seat == 1]
    assert all(each.view.cards == () and not each.policy and each.prob is None for each in theirs)


def test_what_was_stopped_is_compared_with_the_strategy():
    rows = list(review_hand(played(*CHECKED, SHOVE, CALL), uniform, stop=lambda: True))
    assert len(rows) == 8
    assert not any(each.solved for each in rows)
    assert math.isnan(rows[-1].exploitability)


def test_only_finished_hands_of_two_are_reviewed():
    three = load("nlhe", seats=3).start(0)
    assert not reviewable(three.view(0))
    with pytest.raises(OptionError):
        next(review_hand(GAME.start(0).view(0), uniform))


def test_grades():
    assert [grade(cost, 100) for cost in (0, 0.6, 3, 10, 21)] == list(GRADES)
