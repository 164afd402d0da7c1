"""Parts of a match on any executor: the same results, and agents made where they play."""

from dataclasses import dataclass, field

import pytest

from tiltless.agents.simple import Caller
from tiltless.arena import workers
from tiltless.arena.estimators.evaluation import evaluate_agents
from tiltless.arena.match import play_match
from tiltless.arena.plan import MatchPlan
from tiltless.arena.workers import in_order
from tiltless.errors import OptionError
from tiltless.executor import Held, WorkerRefusedError


@dataclass
class Elsewhere:
    """An executor of somebody else, such as a cluster: it runs jobs backwards, and one twice."""

    jobs: list = field(default_factory=list)

    is_here = False

    def map(self, task, jobs):
        self.jobs = list(jobs)
        results = {job: task(job) for job in reversed(self.jobs)}
        results[self.jobs[0]] = task(self.jobs[0])
        yield from (results[job] for job in self.jobs)

    def share(self, value):
        return Held(value)


def won(scores):
    return [(score.won, score.stats, score.hands) for score in scores]


def test_another_executor_gives_the_same_match():
    plan = MatchPlan(("uniform", "fish"), 60, seed=5, chunk=20)
    other = Elsewhere()
    assert won(play_match(plan, processes=other)) == won(play_match(plan))
    assert other.jobs == [0, 1, 2]


def test_another_executor_gives_the_same_evaluation():
    plan = MatchPlan(("uniform", "fish"), 20, seed=5, chunk=10)
    names = ("raw", "all-in")
    here, there = (evaluate_agents(plan, names, processes=each) for each in (1, Elsewhere()))
    assert here.estimates == there.estimates


def test_objects_stay_in_this_process():
    plan = MatchPlan((Caller(), "uniform"), 20, chunk=5)
    with pytest.raises(OptionError, match="trusted=True"):
        play_match(plan, processes=Elsewhere())


def agents_of(plan, number, agents):
    return number, [id(agent) for agent in agents]


def test_agents_are_made_once_for_all_chunks():
    plan = MatchPlan(("uniform", "fish"), 30, chunk=10)
    for processes in (1, Elsewhere()):
        found = list(in_order(agents_of, plan, range(3), processes))
        assert [number for number, _ in found] == [0, 1, 2]
        assert len({tuple(ids) for _, ids in found}) == 1


def test_a_worker_with_another_version_of_an_agent_is_refused(monkeypatch):
    class Outdated(Elsewhere):
        def map(self, task, jobs):
            with monkeypatch.context() as there:
                there.setattr(Caller, "fingerprint", lambda _: "older")
                yield from map(task, jobs)

    plan = MatchPlan(("fish", "uniform"), 20, chunk=10, seed=77)
    with pytest.raises(WorkerRefusedError, match=r"another version of fish;"):
        play_match(plan, processes=Outdated())
    assert play_match(plan, processes=Elsewhere())[0].hands == 40


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"mirrored": False},
        {"carry": True},
        {"carry": True, "game_hands": 5},
        {"match_hands": 5},
    ],
)
def test_every_kind_of_match_can_have_a_clock(given):
    plan = MatchPlan(("uniform", "fish"), 10, chunk=5, clock=9, **given)
    assert play_match(plan)[0].hands > 0


def test_agents_of_the_registry_play_a_few_hands_before_their_clock_runs(monkeypatch):
    trials = []
    monkeypatch.setattr(workers, "play_chunk", lambda plan, *_, **__: trials.append(plan))
    own = "arena.match_runner:Sayer"
    for agents, clock in (
        (("fish", "uniform"), 9),
        (("fish", "uniform"), None),
        (("fish", own), 9),  # it may remember what it sees
        (("fish", Caller()), 9),
    ):
        play_match(MatchPlan(agents, 5, clock=clock, trusted=True))
    (trial,) = trials
    assert (trial.agents, trial.deals, trial.chunks) == (("fish", "uniform"), 4, 1)
    assert trial.clock > 60
