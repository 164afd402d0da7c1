"""Agents that never answer."""

import signal
import threading
import time

import numpy as np
import pytest

from tiltless.agents import Clock
from tiltless.agents.simple import Caller
from tiltless.arena import watchdog as patience
from tiltless.arena.dealer import shuffled_decks
from tiltless.arena.estimators.lbr import SETTINGS
from tiltless.arena.estimators.lbr_match import play_responses
from tiltless.arena.match import play_match, play_stored
from tiltless.arena.plan import MatchPlan
from tiltless.arena.store import Store
from tiltless.arena.watchdog import NoAnswer, NoAnswerError, asked, longest, watched

SLEEPER = "arena.match_runner:Sleeper"
pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="has no such timer")


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    """Restores the settings that the sleeper changes."""
    monkeypatch.setattr(patience, "_PATIENCE", 0.3)
    monkeypatch.setattr(patience, "_EVERY", 0.05)
    monkeypatch.setattr(patience, "_GRACE", 0.1)


@pytest.mark.parametrize("where", ["act", "hand_end", "match_start"])
def test_a_match_ends_where_an_agent_sleeps(where):
    plan = MatchPlan(("fish", f"{SLEEPER}:where={where}"), 1, seed=1, trusted=True)
    with pytest.raises(NoAnswerError) as caught:
        play_match(plan)
    told = str(caught.value)
    assert told.startswith(f"{SLEEPER}:where={where} did not answer for 0.3 seconds in deal 0;")
    assert "--clock" in told
    assert "\n" not in told
    assert asked.now is None
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


@pytest.mark.parametrize("processes", [1, 2])
def test_what_was_played_before_is_kept(tmp_path, processes):
    plan = MatchPlan(("fish", f"{SLEEPER}:card=51"), 400, seed=1, chunk=2, trusted=True)
    with Store(tmp_path / "a.sqlite") as store:
        with pytest.raises(NoAnswerError) as caught:
            play_stored(plan, store, processes=processes)
        told = int(str(caught.value).split("in deal ")[1].split(";")[0])
        decks = shuffled_decks(plan.table, plan.seed, 0, plan.deals)
        first = int(np.flatnonzero((decks[:, :4] == 51).any(axis=1))[0])  # in either seating
        assert told == first
        assert store.record(1).deals == first // 2 * 2 > 0


def test_with_a_clock_it_was_late_and_the_match_goes_on():
    score = play_match(MatchPlan(("fish", SLEEPER), 1, seed=1, clock=0.1, trusted=True))[1]
    assert score.hands == 2
    assert score.faults.late == score.faults.rulings == score.stats.decisions > 0
    assert "late: interrupted after 0." in score.first_fault


def test_how_long_is_waited():
    assert longest(Clock()) == 0.3
    assert longest(Clock(2.0)) == 2.1


def test_nobody_is_interrupted_in_time_or_when_nobody_is_asked():
    with watched():
        asked.now = None
        time.sleep(0.5)
        asked.now = None, time.perf_counter(), Clock(100.0), 0
        time.sleep(0.5)
        asked.now = None


def test_other_threads_are_left_alone():
    def wait():
        asked.now = None, 0.0, Clock(), 0

    with watched():
        thread = threading.Thread(target=wait)
        thread.start()
        thread.join()
        time.sleep(0.2)
    failed = []

    def play():
        with watched():
            failed.append(signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL)

    thread = threading.Thread(target=play)
    thread.start()
    thread.join()
    assert failed == [False]


def test_an_alarm_of_somebody_else_is_left_alone():
    rang = []
    before = signal.signal(signal.SIGALRM, lambda *_: rang.append(True))
    try:
        with watched():
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            time.sleep(0.1)
        assert rang
    finally:
        signal.signal(signal.SIGALRM, before)


def test_what_goes_on_is_interrupted_again():
    """An agent that catches it once is interrupted a second time."""
    times = 0
    with watched():
        asked.now = None, 0.0, Clock(), 0
        while times < 2:
            try:
                time.sleep(5)
                pytest.fail("nobody came")
            except NoAnswer:
                times += 1
                if times == 2:
                    asked.now = None


def test_an_agent_of_a_match_that_was_stopped_is_not_waited_for():
    """Nobody is asked where whole ranges are played, so nothing replaces whom was asked last."""
    asked.now = None, 0.0, Clock(), 0
    try:
        with watched():
            time.sleep(0.2)
    except NoAnswer:
        pytest.fail("it was waited for")


def test_a_response_that_waits_for_a_strategy_is_named():
    class Thinker(Caller):
        def policies(self, view):
            time.sleep(5)

    with pytest.raises(
        NoAnswerError, match=r"^LocalBestResponse, or the agent .*, did not answer for 0.3 s"
    ):
        play_responses(MatchPlan((Thinker(), "fish"), 1, seed=1), SETTINGS["1"])
