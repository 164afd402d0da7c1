"""Decision sources: few names, exact counts, in any order and from any process."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match_runner import Sayer
from tiltless.agents import registry
from tiltless.agents.agent import Agent, Decision, check_or_call
from tiltless.agents.search import SearchAgent
from tiltless.arena.chunk import play_chunk
from tiltless.arena.match import play_match, play_stored
from tiltless.arena.plan import MatchPlan
from tiltless.arena.stats.decision_sources import OTHER, Sources, count_sources, short_source
from tiltless.arena.store import Store

NAMES = [f"name {letter}" for letter in "abcdefghijklmnop"]


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("search", "search"),
        ("blueprint, no time to search", "no time to search"),
        ("blueprint, past the tree, no time to search", "no time to search"),
        ("win rate 0.534", "win rate"),
        ("  two \n lines\t", "two lines"),
        ("0.25", OTHER),
        (",", OTHER),
        ("x ½ \ud800 \x1b[31m y", "x y"),
        ("long " * 100, ("long " * 8).rstrip()),
    ],
)
def test_sources_are_short(text, short):
    assert short_source(text) == short
    short.encode()


def test_counts_in_words():
    found = count_sources({"win rate 0.1": 2, "win rate 0.2": 3, "chart": 1200})
    assert found.counts == (("chart", 1200), ("win rate", 5))
    assert str(found) == "1,200 chart, 5 win rate"
    assert (str(Sources()), count_sources({})) == ("", Sources())


def test_a_source_of_changing_words_does_not_explode():
    found = count_sources(dict.fromkeys(NAMES, 3))
    assert found.counts == (*((name, 3) for name in NAMES[:12]), (OTHER, 12))


@given(st.permutations([*NAMES, *NAMES, OTHER]), st.integers(0, 33), st.integers(0, 33))
def test_parts_add_up_in_any_order(said, first, second):
    whole = count_sources(Counter(NAMES) + Counter(NAMES) + Counter([OTHER]))
    assert sum(count for _, count in whole.counts) == len(said)
    assert len(whole.counts) == 13
    ends = [0, *sorted([first, second]), len(said)]
    parts = [count_sources(Counter(said[a:b])) for a, b in pairwise(ends)]
    assert parts[0].merge(parts[1]).merge(parts[2]) == whole
    assert parts[2].merge(parts[0].merge(parts[1])) == whole


# --- in matches ------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"mirrored": False}, {"carry": True}])
def test_a_match_counts_what_each_agent_says(options):
    agents = ("fish", "arena.match_runner:Sayer", "arena.match_runner:Sayer:unlucky=0.8")
    plan = MatchPlan(agents, 40, seed=3, chunk=20, trusted=True, **options)
    made = plan.make_agents()
    assert isinstance(made[1], Sayer)
    chunks = [play_chunk(plan, number, made).scores for number in range(2)]
    scores = [first.merge(second) for first, second in zip(*chunks, strict=True)]
    assert [dict(score.sources.counts) for score in scores] == [{}, made[1].said, made[2].said]
    assert set(made[1].said) == {"street", "no luck"}
    assert made[1].said != made[2].said
    assert made[1].said.total() < scores[1].stats.decisions  # it is silent before the flop


def test_any_number_of_processes_counts_the_same(tmp_path, two_processes):
    plan = MatchPlan(("fish", "arena.match_runner:Sayer"), 60, seed=5, chunk=20, trusted=True)
    alone = [score.sources for score in play_match(plan)]
    assert alone[0] == Sources()
    assert len(alone[1].counts) == 2
    with Store(tmp_path / "a.sqlite") as store:
        record = play_stored(plan, store, processes=two_processes)
        assert [score.sources for score in record.scores] == alone
        assert store.record(1) == record
        parts = [scores[1].sources for _, scores in store.by_chunk(1)]
        assert parts[0].merge(parts[1]).merge(parts[2]) == alone[1]


class Odd(Agent):
    """Gives strange sources, or fails."""

    said = None
    action = None

    def act(self, view, clock, rng):
        return self.said(self.action or check_or_call(view.actions))


class _Text(str):
    def __getitem__(self, place):
        raise SystemExit


class _Hidden(Decision):
    @property
    def source(self):
        raise SystemExit(3)


@pytest.mark.parametrize(
    ("said", "action", "counted"),
    [
        (lambda action: Decision(action, source="well"), None, True),
        (lambda action: Decision(action, source=None), None, False),
        (lambda action: Decision(action, source=["well"]), None, False),
        (lambda action: Decision(action, source=_Text("well")), None, False),
        (lambda action: _Hidden(action), None, False),
        (lambda action: Decision(action, source="well"), "illegal", False),  # it was ruled on
    ],
)
def test_only_words_of_decisions_that_stood(monkeypatch, said, action, counted):
    monkeypatch.setattr(registry, "_AGENTS", dict(registry._AGENTS))
    monkeypatch.setattr(Odd, "said", staticmethod(said))
    monkeypatch.setattr(Odd, "action", action)
    registry.register("odd", Odd, "says odd things")
    score = play_match(MatchPlan(("odd", "fish"), 10, chunk=10))[0]
    decisions = score.stats.decisions
    assert score.sources.counts == ((("well", decisions),) if counted else ())
    assert score.faults.rulings == (decisions if action else 0)


@pytest.mark.parametrize("options", ["seconds=0.004", "iterations=1,turn=a/a,river=a/a"])
def test_search_is_counted_as_it_counts_itself(options):
    plan = MatchPlan((f"search:{options}", "fish"), 10, game="nlhe", seed=4, chunk=10)
    agents = plan.make_agents()
    assert isinstance(agents[0], SearchAgent)
    score = play_chunk(plan, 0, agents).scores[0]
    found, own = dict(score.sources.counts), agents[0].counts
    assert sum(found.values()) == score.stats.decisions == own.total()
    assert found.get("search", 0) == own["solved"] + own["reused"]
    assert found.get("no time to search", 0) == own["late"]
    searched = "iterations" in options
    assert (own["solved"] > 0) == searched
    assert (own["late"] > 0) != searched
