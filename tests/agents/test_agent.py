"""The agent interface: default choices, and hooks that do nothing."""

import pytest

from helpers.playing import deal
from tiltless.agents.agent import (
    Agent,
    Clock,
    Decision,
    KnownStrategy,
    check_or_call,
    check_or_fold,
    nearest_raise,
)
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, LegalActions, RaiseTo
from tiltless.games.holdem.variants import nlhe

FREE = LegalActions(False, True, 0, 2, 100)
PRICED = LegalActions(True, False, 5, 10, 100)
LAST = LegalActions(True, False, 5, 0, 0)
FREE_FOLD = LegalActions(True, True, 0, 0, 0)


def test_check_or():
    assert [check_or_fold(each) for each in (FREE, PRICED, LAST)] == [CHECK, FOLD, FOLD]
    assert [check_or_call(each) for each in (FREE, PRICED, LAST)] == [CHECK, CALL, CALL]
    assert check_or_fold(FREE_FOLD) == CHECK


@pytest.mark.parametrize(
    ("actions", "chips", "got"),
    [
        (FREE, 50, RaiseTo(50)),
        (FREE, 1, RaiseTo(2)),
        (PRICED, 1000, RaiseTo(100)),
        (PRICED, 9, RaiseTo(10)),
        (LAST, 50, CALL),
        (FREE_FOLD, 50, CHECK),
    ],
)
def test_nearest_raise(actions, chips, got):
    assert nearest_raise(actions, chips) == got
    assert got in actions


def test_an_agent_is_what_acts():
    with pytest.raises(TypeError):
        Agent()

    class Idle(Agent):
        def act(self, view, clock, rng):
            return Decision(FOLD)

    agent, view = Idle(), deal(nlhe(), "AsKd 7h7d").view(0)
    for hook in (agent.hand_start, agent.showdown, agent.hand_end):
        assert hook(view) is None
    assert agent.match_start() is None
    assert not isinstance(agent, KnownStrategy)


def test_defaults():
    assert Clock() == (None,)
    assert Decision(FOLD) == (FOLD, (), (), "")


def test_a_class_of_a_script_is_the_same_in_its_worker_processes():
    def made(module):
        body = {"act": lambda self, view, clock, rng: Decision(CALL), "__module__": module}
        return type("Mine", (Agent,), body)

    assert made("__mp_main__")().fingerprint() == made("__main__")().fingerprint()
