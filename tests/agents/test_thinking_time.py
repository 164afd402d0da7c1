"""Compiling is nobody's thinking time."""

import signal
import time

import numba
import pytest
from numba.core import event

from tiltless.agents import Agent, Decision, registry
from tiltless.agents.agent import check_or_call
from tiltless.agents.thinking_time import is_compiling, thinking_time
from tiltless.arena import watchdog as patience
from tiltless.arena.match import play_match
from tiltless.arena.plan import MatchPlan
from tiltless.kernels.base.jit import compiler_enabled

LOCK = "numba:compiler_lock"


def compiling(seconds):
    """Numba's events while it compiles one function inside another."""
    event.start_event(LOCK)
    event.start_event(LOCK)
    time.sleep(seconds / 2)
    event.end_event(LOCK)
    time.sleep(seconds / 2)
    event.end_event(LOCK)


def test_the_clock_stands_still():
    wall, begin = time.perf_counter(), thinking_time()
    event.start_event(LOCK)
    assert is_compiling()
    stands = thinking_time()
    time.sleep(0.01)
    assert thinking_time() == stands
    event.end_event(LOCK)
    assert not is_compiling()
    compiling(0.01)
    thought = thinking_time() - begin
    assert time.perf_counter() - wall - thought >= 0.02


class Slow(Agent):
    """Calls, and compiles before: in earnest, or in pretence."""

    def __init__(self, seconds=0.0):
        self.seconds = seconds
        self.asked = 0

    def act(self, view, clock, rng):
        self.asked += 1
        if self.seconds:
            compiling(self.seconds)
        elif self.asked == 1:
            numba.njit(lambda x: sum([x * each for each in range(10)]))(3)
        return Decision(check_or_call(view.actions))


@pytest.mark.skipif(not compiler_enabled(), reason="there is no compiler")
def test_an_agent_is_not_late_for_compiling():
    slow = Slow()
    scores = play_match(MatchPlan(("fish", slow), 2, clock=0.08))
    assert slow.asked
    assert scores[1].faults.rulings == 0


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="has no such timer")
@pytest.mark.parametrize("clock", [None, 0.05])
def test_compiling_is_not_interrupted(monkeypatch, clock):
    monkeypatch.setattr(patience, "_PATIENCE", 0.05)
    monkeypatch.setattr(patience, "_EVERY", 0.01)
    monkeypatch.setattr(patience, "_GRACE", 0.0)
    slow = Slow(0.12)
    scores = play_match(MatchPlan(("fish", slow), 1, clock=clock))
    assert slow.asked
    assert scores[1].faults.rulings == 0


class First(Agent):
    """Takes its time when the first of its kind is asked in a process."""

    made = 0
    warm = False

    def __init__(self):
        First.made += 1

    def act(self, view, clock, rng):
        if not First.warm:
            First.warm = True
            time.sleep(0.3)
        return Decision(check_or_call(view.actions))


def test_agents_of_the_registry_warm_up_before_the_clock_runs(monkeypatch):
    monkeypatch.setattr(registry, "_AGENTS", dict(registry._AGENTS))
    monkeypatch.setattr(First, "made", 0)
    monkeypatch.setattr(First, "warm", False)
    registry.register("first", First, "for tests")
    scores = play_match(MatchPlan(("fish", "first"), 3, clock=0.2))
    assert scores[1].faults.rulings == 0
    assert First.made == 2  # the one that warmed up does not play
    assert scores[1].hands == 6
    monkeypatch.setattr(First, "warm", False)
    assert play_match(MatchPlan(("fish", First()), 1, clock=0.2))[1].faults.late == 1
