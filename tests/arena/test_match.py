"""Matches in one process and in several, stopped and killed and resumed."""

import os
import pickle
import random
import signal
import subprocess
import sys
import time
from copy import copy

import pytest

from arena.match_runner import plan as runner_plan
from arena.match_runner import vanish
from tiltless.agents import Agent, Decision
from tiltless.agents.agent import check_or_call
from tiltless.arena import match as match_module
from tiltless.arena.match import play_match, play_stored
from tiltless.arena.plan import MatchPlan
from tiltless.arena.store import Store
from tiltless.errors import OptionError
from tiltless.executor import WorkerError

RUNNER = os.path.join(os.path.dirname(__file__), "match_runner.py")


def won(scores):
    return [(score.won, score.stats, score.hands) for score in scores]


def test_any_number_of_processes_gives_one_result(tmp_path):
    plan = MatchPlan(("uniform", "fish"), 150, seed=5, chunk=20)
    alone = play_match(plan)
    with Store(tmp_path / "a.sqlite") as one, Store(tmp_path / "b.sqlite") as two:
        first = play_stored(plan, one)
        second = play_stored(plan, two, processes=2)
        assert won(first.scores) == won(second.scores) == won(alone)
        assert list(one.hands(1)) == list(two.hands(1))


def test_scores_can_be_copied_and_pickled():
    scores = play_match("uniform", "fish", hands=20)
    for other in (copy(scores), pickle.loads(pickle.dumps(scores))):
        assert (other, other.plan, other.mean) == (scores, scores.plan, scores.mean)


def test_progress_is_told_in_order():
    told = []
    plan = MatchPlan(("uniform", "fish"), 50, chunk=20)
    play_match(plan, progress=lambda deals, scores: told.append((deals, scores[0].won.count)))
    assert told == [(20, 20), (40, 40), (50, 50)]


@pytest.mark.parametrize("processes", [0, -1, 1.5])
def test_processes_are_a_number(processes):
    with pytest.raises(OptionError, match="processes="):
        play_match(MatchPlan(("fish", "fish"), 5), processes=processes)


def test_an_interrupt_keeps_whole_chunks(tmp_path):
    plan = MatchPlan(("uniform", "fish"), 100, chunk=10)

    def stop(deals, scores):
        if deals == 40:
            raise KeyboardInterrupt

    with Store(tmp_path / "a.sqlite") as store:
        with pytest.raises(KeyboardInterrupt):
            play_stored(plan, store, progress=stop)
        record = store.record(1)
        assert record.deals == 40
        assert not record.is_over
        assert won(record.scores) == won(play_match(plan.with_deals(40)))
        assert won(play_stored(plan, store, resume=True).scores) == won(play_match(plan))


def test_the_number_is_told_before_a_hand_is_played(tmp_path):
    plan = MatchPlan(("uniform", "fish"), 100, chunk=10)
    told = []

    def stop(deals, scores):
        raise KeyboardInterrupt

    with Store(tmp_path / "a.sqlite") as store:
        play_stored(plan, store, began=told.append)
        with pytest.raises(KeyboardInterrupt):
            play_stored(plan, store, progress=stop, began=told.append)
        play_stored(plan, store, resume=True, began=told.append)
    assert told == [1, 2, 2]


def test_a_worker_that_is_gone_is_said_in_one_line(monkeypatch):
    monkeypatch.setattr(match_module, "_play", vanish)
    with pytest.raises(WorkerError, match="--resume") as caught:
        play_match(MatchPlan(("fish", "fish"), 40, chunk=10), processes=2)
    assert "\n" not in str(caught.value)


def started(path, deals, processes):
    process = subprocess.Popen(
        [sys.executable, RUNNER, str(path), str(deals), str(processes)],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout.readline() == "ready\n"
    return process


def check_whole(path, plan):
    with Store(path) as store:
        record = store.record(1)
        assert len(store.records()) == 1
        assert record.is_over
        assert won(record.scores) == won(play_match(plan))
        places = [(row.deal, row.half) for row in store.hands(1)]
        assert places == [(deal, half) for deal in range(plan.deals) for half in range(2)]
        assert store._db.rows("PRAGMA integrity_check") == [("ok",)]


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_killed_at_random_and_resumed(tmp_path, processes):
    """No hand twice, none missing, whenever kill -9 comes."""
    path, rng, plan = tmp_path / "killed.sqlite", random.Random(processes), runner_plan(400)
    kills = 0
    for _ in range(2):
        process = started(path, plan.deals, processes)
        time.sleep(rng.uniform(0.02, 0.25) if processes == 1 else rng.uniform(1.0, 2.0))
        kills += process.poll() is None
        process.kill()
        process.wait()
        process.stdout.close()
        with Store(path) as store:
            for record in store.records():  # what is there is whole at any time
                done = sum(store.done(record.number).values())
                assert len(list(store.hands(record.number))) == 2 * done
    assert kills
    process = started(path, plan.deals, 1)
    assert process.stdout.readline() == "done\n"
    assert process.wait() == 0
    process.stdout.close()
    check_whole(path, plan)


@pytest.mark.slow
def test_workers_do_not_outlive_their_parent(tmp_path):
    process = started(tmp_path / "orphans.sqlite", 100_000, 2)
    deadline = time.monotonic() + 30
    while not (children := _children(process.pid)) or len(children) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    time.sleep(1.0)
    process.kill()
    process.wait()
    process.stdout.close()
    while any(map(_alive, children)):
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.slow
def test_ctrl_c_ends_the_workers_too(tmp_path):
    process = started(tmp_path / "stopped.sqlite", 100_000, 2)
    time.sleep(1.5)
    children = _children(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(timeout=300) != 0
    process.stdout.close()
    time.sleep(0.2)
    assert not any(map(_alive, children))


def _children(parent):
    shown = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True
    )
    return [int(each) for each in shown.stdout.split()]


def _alive(process):
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


class Caller(Agent):
    def act(self, view, clock, rng):
        return Decision(check_or_call(view.actions))


def test_objects_play_in_one_process(tmp_path):
    plan = MatchPlan((Caller(), "uniform"), 20, seed=2, chunk=5)
    scores = play_match(plan)
    assert won(scores) == won(play_match(MatchPlan(("fish", "uniform"), 20, seed=2, chunk=5)))
    with pytest.raises(OptionError, match="trusted=True"):
        play_match(plan, processes=2)
    with Store(tmp_path / "a.sqlite") as store:
        play_stored(plan.with_deals(10), store)
        record = play_stored(plan, store, resume=True)
        assert record.number == 1
        assert won(record.scores) == won(scores)


def test_scores_have_a_mean_and_words():
    scores = play_match(MatchPlan(("fold", "all-in"), 40))
    assert scores.mean == scores.interval.mean == -750
    assert scores.of(1).mean == 750
    assert scores.of(0, "bb/100").mean == -75
    assert scores[0].mean == -1.5
    assert "-1.50 ± 0.00" in str(scores[0])
    for words in (str(scores), repr(scores)):
        assert "fold -750.0 ± 0.0, all-in +750.0 ± 0.0 mbb/h in 80 hands" in words


def test_a_script_without_a_guard_is_told_in_one_line(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from tiltless.arena.match import play_match\n"
        "from tiltless.arena.plan import MatchPlan\n"
        "play_match(MatchPlan(('fish', 'uniform'), 40, chunk=5), processes=2)\n"
    )
    said = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120
    )
    assert said.returncode == 1
    assert said.stderr.count("Traceback") == 1
    assert "__name__ == '__main__'" in said.stderr.splitlines()[-1]
    assert "WorkerError" in said.stderr.splitlines()[-1]


def test_agents_are_as_good_as_a_plan():
    named = play_match("fish", "uniform", hands=39, seed=2, stack="20bb")
    plan = MatchPlan(("fish", "uniform"), 20, parameters={"stack": "20bb"}, seed=2)
    assert won(named) == won(play_match(plan))
    assert named[0].hands == 40  # whole deals
    assert named.plan == plan


def test_a_plan_or_agents_not_both():
    plan = MatchPlan(("fish", "fish"), 5)
    with pytest.raises(OptionError, match="MatchPlan"):
        play_match(plan, hands=10)
    with pytest.raises(OptionError, match=r"^agents="):
        play_match("fish")
    with pytest.raises(OptionError, match=r"^agents="):
        play_match()
