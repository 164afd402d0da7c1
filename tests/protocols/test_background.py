"""Agents in a thread of their own: in time, in order, and failing as they would have."""

import random
import signal
import threading
import time

import pytest

from tiltless.agents.agent import Agent, Clock, Decision
from tiltless.arena.watchdog import NoAnswer
from tiltless.errors import OptionError
from tiltless.games import load
from tiltless.games.holdem.actions import CALL
from tiltless.protocols import background
from tiltless.protocols.background import BackgroundAgent

SOON, LONG = 0.02, 30.0
VIEW = load("nlhe").start().apply((0, 1)).apply((2, 3)).view(0)


class Obedient(Agent):
    """Calls; waits at `gates` that are closed; records its calls and its thread."""

    def __init__(self):
        self.seen, self.threads, self.gates = [], set(), {}

    def _note(self, name):
        self.seen.append(name)
        self.threads.add(threading.get_ident())
        gate = self.gates.get(name)
        if isinstance(gate, threading.Event):
            assert gate.wait(LONG)
        elif gate is not None:
            raise gate

    def act(self, view, clock, rng):
        self._note("act")
        return Decision(CALL, source=f"{clock.seconds}")

    def hand_start(self, view):
        self._note("hand_start")

    def hand_end(self, view):
        self._note("hand_end")

    def match_start(self):
        self._note("match_start")

    def check_table(self, game, rules):
        self._note("check_table")
        return game


def act(agent, seconds=LONG):
    return agent.act(VIEW, Clock(seconds), random.Random(1))


def test_calls_are_passed_on_in_order():
    inner = Obedient()
    agent = BackgroundAgent(lambda: inner)
    assert agent.check_table("nlhe", VIEW.rules) == "nlhe"
    agent.match_start()
    agent.hand_start(VIEW)
    assert act(agent) == Decision(CALL, source=f"{LONG}")
    assert agent.act(VIEW, Clock(), random.Random(1)).source == "None"
    agent.hand_end(VIEW)
    assert agent.finish(LONG)
    hooks = ["check_table", "match_start", "hand_start", "act", "act", "hand_end"]
    assert inner.seen == hooks
    assert len(inner.threads) == 1
    assert threading.get_ident() not in inner.threads


def test_late_decisions_are_ruled_late_and_the_agent_recovers():
    inner = Obedient()
    gate = inner.gates["act"] = threading.Event()
    agent = BackgroundAgent(lambda: inner)
    for _ in range(3):
        with pytest.raises(NoAnswer):
            act(agent, SOON)
    assert not agent.finish(SOON)
    gate.set()
    assert agent.finish(LONG)
    assert inner.seen == ["act"]  # the others are not begun
    assert act(agent).action == CALL


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="there are no alarms")
def test_signals_do_not_prolong_the_wait():
    """An alarm whose handler outlasts the deadline, as one of the watchdog of `Adapter` may."""
    inner, rung = Obedient(), []
    gate = inner.gates["act"] = threading.Event()
    agent = BackgroundAgent(lambda: inner)
    opens = threading.Timer(5.0, gate.set)
    opens.start()
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(time.sleep(0.2)))
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(NoAnswer):
            act(agent, 0.1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        opens.cancel()
        gate.set()
    assert rung


def test_an_agent_that_is_still_busy_is_not_waited_for_as_long(monkeypatch):
    monkeypatch.setattr(background, "_STILL_BUSY", 0.0)
    inner = Obedient()
    gate = inner.gates["act"] = threading.Event()
    agent = BackgroundAgent(lambda: inner)
    opens = threading.Timer(1.0, gate.set)
    opens.start()
    for seconds in (SOON, LONG, LONG):
        with pytest.raises(NoAnswer):
            act(agent, seconds)
    opens.cancel()
    gate.set()
    assert agent.finish(LONG)
    assert act(agent).action == CALL


def test_the_limit_may_be_another_one():
    inner = Obedient()
    inner.gates["act"] = threading.Event()
    agent = BackgroundAgent(lambda: inner, wait=lambda clock: clock.seconds / 1000)
    with pytest.raises(NoAnswer):
        act(agent, 10.0)
    inner.gates["act"].set()


def test_hooks_do_not_wait():
    inner = Obedient()
    gate = inner.gates["hand_start"] = threading.Event()
    agent = BackgroundAgent(lambda: inner)
    agent.hand_start(VIEW)
    agent.hand_end(VIEW)
    gate.set()
    assert act(agent).action == CALL
    assert inner.seen == ["hand_start", "hand_end", "act"]


def test_failures_are_raised_where_they_can_be_recorded():
    inner = Obedient()
    inner.gates |= {"act": ZeroDivisionError("lost"), "hand_start": KeyError("hook")}
    agent = BackgroundAgent(lambda: inner)
    with pytest.raises(ZeroDivisionError):
        act(agent)
    agent.hand_start(VIEW)
    assert agent.finish(LONG)
    with pytest.raises(KeyError, match="hook"):
        agent.hand_end(VIEW)
    agent.hand_end(VIEW)
    assert agent.finish(LONG)
    assert inner.seen == ["act", "hand_start", "hand_end", "hand_end"]


def test_an_agent_that_cannot_be_made():
    def make():
        raise OptionError("no such agent")

    agent = BackgroundAgent(make)
    with pytest.raises(OptionError, match="no such agent"):
        agent.check_table("nlhe", VIEW.rules)
    with pytest.raises(OptionError, match="no such agent"):
        act(agent)


def test_loading_is_waited_for_only_so_long():
    gate = threading.Event()

    def make():
        assert gate.wait(LONG)
        return Obedient()

    agent = BackgroundAgent(make, wait_for_loading=SOON)
    assert agent.check_table("nlhe", VIEW.rules) == ""
    with pytest.raises(NoAnswer):
        act(agent, SOON)
    gate.set()
    assert act(agent).action == CALL


def test_the_thread_ends_with_the_match():
    before = threading.active_count()
    inner = Obedient()
    with BackgroundAgent(lambda: inner) as agent:
        agent.match_start()
    assert inner.seen == ["match_start"]  # what was told before is done
    assert threading.active_count() == before
    gate = inner.gates["act"] = threading.Event()
    busy = BackgroundAgent(lambda: inner)
    with pytest.raises(NoAnswer):
        act(busy, SOON)
    busy.close(SOON)  # is not waited for, and ends when it has finished
    assert threading.active_count() == before + 1
    gate.set()
    busy.close(LONG)
    assert threading.active_count() == before
