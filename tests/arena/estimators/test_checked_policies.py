"""Agents that report strategies that are none: one line, in every estimator that asks for them."""

import numpy as np
import pytest

from tiltless.agents.agent import Policies, check_or_call
from tiltless.agents.simple import Caller
from tiltless.arena.estimators.checked_policies import checked_policies
from tiltless.arena.estimators.evaluation import evaluate_agents
from tiltless.arena.estimators.lbr import SETTINGS
from tiltless.arena.estimators.lbr_match import play_lbr
from tiltless.arena.plan import MatchPlan
from tiltless.errors import OptionError, TiltlessError
from tiltless.games.holdem.actions import RaiseTo
from tiltless.games.registry import load


class Wrong(Caller):
    """Calls, and says what a function of its legal action gives."""

    def __init__(self, says):
        self.says = says

    def policies(self, view):
        return self.says(check_or_call(view.actions))


def rows(*chances):
    return np.tile(np.array(chances, np.float32), (1326, 1))


def fails(action):
    raise RuntimeError("boom")


WRONG = {
    "RuntimeError: boom": fails,
    "TypeError": lambda action: None,
    "names no action": lambda action: Policies((), rows()),
    "shape": lambda action: Policies((action,), np.ones((5, 1), np.float32)),
    "which is not legal": lambda action: Policies((action, RaiseTo(1)), rows(0.5, 0.5)),
    "not probabilities; make": lambda action: Policies((action,), rows(np.nan)),
    "not probabilities": lambda action: Policies((action,), rows(0.5)),
    "every number 0 or more": lambda action: Policies((action, action), rows(2, -1)),
}


@pytest.mark.parametrize("named", WRONG)
@pytest.mark.parametrize("seats", [2, 3])
def test_aivat_refuses_them(named, seats):
    agents = (Wrong(WRONG[named]), *["fish"] * (seats - 1))
    with pytest.raises(OptionError, match=named):
        evaluate_agents(MatchPlan(agents, 1, chunk=1), ("aivat",))


@pytest.mark.parametrize("named", WRONG)
def test_whole_ranges_refuse_them(named):
    with pytest.raises(OptionError, match=rf"^Wrong.policies .*{named}"):
        evaluate_agents(MatchPlan((Wrong(WRONG[named]), "fish"), 1), ("ranges",))


@pytest.mark.parametrize("named", WRONG)
def test_local_best_responses_refuse_them(named):
    with pytest.raises(TiltlessError, match=rf"Wrong.policies .*{named}"):
        play_lbr(load("nlhe"), Wrong(WRONG[named]), SETTINGS["2"], 1)


def test_hands_that_the_board_rules_out_need_no_sum():
    hand = load("nlhe").start()
    for move in ((0, 1), (2, 3)):
        hand = hand.apply(move)
    for _ in range(2):
        hand = hand.apply(check_or_call(hand.actions))
    view = hand.apply((4, 5, 6)).view(1)
    policies = Caller().policies(view)
    assert policies.chances.min() == 0
    assert checked_policies(Caller(), view) is policies
