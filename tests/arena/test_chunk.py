"""Matches with known results, and hands that can be replayed."""

from typing import ClassVar

import pytest

from tiltless.agents import registry
from tiltless.agents.agent import Agent, Decision, check_or_call
from tiltless.arena.chunk import play_chunk, replay
from tiltless.arena.match import play_match
from tiltless.arena.plan import MatchPlan
from tiltless.arena.stats.score import unit_factor
from tiltless.errors import OptionError
from tiltless.games.holdem.record import hand_line, parse_hand

CHEAP = ["fish", "fold", "all-in", "uniform", "random", "rules:rollouts=50"]
CHEAP += ["honest:rollouts=50", "monte-carlo:rollouts=100", "simple-1400:rollouts=50"]
CHEAP += ["monte-carlo:rollouts=50,pot-odds,range", "heuristic-1:rollouts=50", "blueprint"]
CHEAP = [text for text in CHEAP if text.partition(":")[0] in registry._AGENTS]


def chips(*agents, deals=200, **given):
    """(mean, low, high) in mbb/h of the first agent."""
    plan = MatchPlan(agents, deals, **given)
    return play_match(plan)[0].interval(unit_factor("mbb/h", plan.table.rules))


# --- results that are known ------------------------------------------------------------------


@pytest.mark.parametrize("agent", CHEAP)
def test_self_play_mirrored_is_exactly_zero(agent):
    """The two halves are the same game with seats swapped: every deal is even, not only the sum."""
    deals = 3 if "range" in agent else 10 if ":" in agent or agent == "blueprint" else 100
    plan = MatchPlan((agent, agent), deals, seed=3)
    for score in play_match(plan):
        assert (score.won.total, score.won.squares) == (0, 0)
        assert score.interval() == (0, 0, 0)
        assert not any(score.faults)


def test_call_against_all_in_mirrored_is_exactly_zero():
    assert chips("fish", "all-in") == (0, 0, 0)
    assert chips("fish", "all-in", mirrored=False) != (0, 0, 0)


@pytest.mark.parametrize("stack", [20, "100bb", "200bb"])
def test_folding_to_who_always_bets_costs_750(stack):
    """Half of the time the small blind, half of the time the big one."""
    assert chips("fold", "all-in", parameters={"stack": stack}) == (-750, -750, -750)
    assert chips("all-in", "fold", parameters={"stack": stack}) == (750, 750, 750)


def test_folding_to_who_only_calls_costs_250():
    """The small blind is folded; the big one is checked down for nothing, on average."""
    _, low, high = chips("fold", "fish", deals=3000, seed=1)
    assert low < -250 < high
    assert high - low < 60


def test_folding_among_many_costs_the_blinds():
    for count in (3, 6):
        agents = ("fold", *["all-in"] * (count - 1))
        assert chips(*agents, deals=20).mean == pytest.approx(-1500 / count)


def test_three_of_a_kind_are_even():
    plan = MatchPlan(("uniform",) * 3, 60, seed=2)
    assert [score.won.total for score in play_match(plan)] == [0, 0, 0]
    assert [score.won.squares for score in play_match(plan)] == [0, 0, 0]


def test_all_in_against_all_in_wins_stacks():
    chunk = play_chunk(
        plan := MatchPlan(("all-in", "all-in"), 100, mirrored=False), 0, plan.make_agents()
    )
    assert {abs(row.payoffs[0]) for row in chunk.hands} <= {0, 200}


def test_units_agree():
    rules = MatchPlan(("fold", "all-in"), 1).table.rules
    factors = [unit_factor(unit, rules) for unit in ("mbb/h", "bb/100", "sb/h", "chips/h")]
    assert factors == [500, 50, 1, 1]
    odd = MatchPlan(("fold", "all-in"), 1, parameters={"blinds": (2, 5), "stack": 100}).table.rules
    assert unit_factor("sb/h", odd) == 1 / 2
    with pytest.raises(OptionError, match="unit='euros'"):
        unit_factor("euros", rules)


# --- hands ----------------------------------------------------------------------------------


PLANS = [
    MatchPlan(("fish", "uniform"), 130, seed=4),
    MatchPlan(("uniform", "uniform"), 130, seed=4, mirrored=False),
    MatchPlan(("uniform", "fish"), 60, seed=4, carry=True, chunk=30, parameters={"stack": 20}),
    MatchPlan(("uniform", "fish", "all-in"), 60, seed=4, carry=True, chunk=30, mirrored=False),
    MatchPlan(("uniform", "fish", "fold"), 60, game="limit-holdem", seed=4, chunk=30),
    MatchPlan(("uniform", "uniform"), 60, "permutation", seed=4, chunk=30),
    MatchPlan(("uniform", "uniform"), 60, "river-of-blood", seed=4, chunk=30),
]


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.game + ("-carry" * plan.carry))
def test_hands_of_a_chunk(plan):
    number = plan.chunks - 1
    chunk = play_chunk(plan, number, plan.make_agents())
    deals = plan.deals_of(number)
    assert chunk.deals == len(deals)
    places = [(row.deal, row.half) for row in chunk.hands]
    assert sorted(places) == [(deal, half) for deal in deals for half in range(plan.seatings)]
    for agent in range(len(plan.agents)):
        score = chunk.scores[agent]
        assert score.hands == len(chunk.hands)
        assert score.won.total == sum(row.payoffs[agent] for row in chunk.hands)
        assert score.won.count == (1 if plan.carry else len(deals))
    for row in chunk.hands:
        assert sum(row.payoffs) == 0
        record = parse_hand(row.line, plan.smaller_table(len(row.agents)))
        assert hand_line(record) == row.line
        assert [row.payoffs[agent] for agent in row.agents] == list(record.payoffs)
        assert record.button == row.button
        assert record.number == row.deal
    assert not any(any(score.faults) for score in chunk.scores)


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.game + ("-carry" * plan.carry))
def test_a_hand_can_be_played_again_by_itself(plan):
    rows = play_chunk(plan, 1, plan.make_agents()).hands
    for row in rows[:: len(rows) // 7]:
        assert replay(plan, row.deal, row.half) == row


def test_mirrored_hands_have_the_same_cards():
    rows = play_chunk(plan := PLANS[0], 0, plan.make_agents()).hands
    for first, second in zip(rows[::2], rows[1::2], strict=True):
        assert first.deal == second.deal
        assert (first.agents, second.agents) == ((0, 1), (1, 0))
        cards = [row.line.split(":")[6].split("/")[0] for row in (first, second)]
        assert cards[0] == cards[1]
    assert {row.button for row in rows} == {0, 1}


def test_sums_do_not_depend_on_the_size_of_chunks():
    base = MatchPlan(("fish", "uniform"), 90, seed=6)
    results = [
        play_match(MatchPlan(base.agents, 90, seed=6, chunk=chunk)) for chunk in (7, 45, 90, 1000)
    ]
    assert len({tuple(score.won for score in scores) for scores in results}) == 1
    assert len({tuple(score.stats for score in scores) for scores in results}) == 1


def test_there_is_no_such_hand():
    for deal, half in ((130, 0), (-1, 0), (0, 2), (0, -1)):
        with pytest.raises(OptionError, match=f"{deal}/{half}.* 129.* 1$"):
            replay(PLANS[0], deal, half)


# --- carried stacks --------------------------------------------------------------------------


def test_stacks_are_carried_until_one_has_all():
    plan = MatchPlan(
        ("all-in", "fish", "uniform"), 40, carry=True, chunk=40, parameters={"stack": 30}
    )
    chunk = play_chunk(plan, 0, plan.make_agents())
    restarts = leavers = 0
    for half in range(3):
        stacks = [30, 30, 30]
        for row in (row for row in chunk.hands if row.half == half):
            if sum(stack > 0 for stack in stacks) == 1:
                stacks, restarts = [30, 30, 30], restarts + 1
            kept = [int(each) for each in row.line.split(":")[4].split("|")]
            assert kept == [stacks[agent] for agent in row.agents]
            assert all(kept)
            leavers += len(row.agents) < 3
            stacks = [stack + won for stack, won in zip(stacks, row.payoffs, strict=True)]
    assert restarts
    assert leavers


# --- memory ----------------------------------------------------------------------------------


class Counting(Agent):
    """Raises to what it can remember of hands since the last start."""

    made: ClassVar = []

    def __init__(self):
        self.hands, self.starts = 0, 0
        self.made.append(self)

    def match_start(self):
        self.hands, self.starts = 0, self.starts + 1

    def hand_start(self, view):
        self.hands += 1
        self.most = max(getattr(self, "most", 0), self.hands)

    def act(self, view, clock, rng):
        return Decision(check_or_call(view.actions))


class Broken(Counting):
    def match_start(self):
        raise RuntimeError("cannot")


@pytest.fixture
def _counting(monkeypatch):
    monkeypatch.setattr(registry, "_AGENTS", dict(registry._AGENTS))
    registry.register("counting", Counting, "counts")
    registry.register("broken", Broken, "fails at the start")
    Counting.made.clear()


@pytest.mark.usefixtures("_counting")
@pytest.mark.parametrize(
    ("given", "starts", "most"),
    [
        ({}, 60, 1),
        ({"mirrored": False}, 3, 10),
        ({"carry": True}, 6, 10),
        ({"carry": True, "mirrored": False}, 3, 10),
        ({"match_hands": 5}, 12, 5),
        ({"match_hands": 5, "mirrored": False}, 6, 5),
    ],
)
def test_agents_forget_between_units(given, starts, most):
    play_match(MatchPlan(("counting", "fish"), 30, chunk=10, **given))
    agent = Counting.made[-1]
    assert (agent.starts, agent.most) == (starts, most)


@pytest.mark.usefixtures("_counting")
@pytest.mark.parametrize("given", [{}, {"mirrored": False}, {"carry": True}, {"match_hands": 10}])
def test_who_fails_to_start_is_noted(given):
    plan = MatchPlan(("fish", "broken"), 20, chunk=10, **given)
    chunk = play_chunk(plan, 0, plan.make_agents())
    assert chunk.scores[1].faults.hook == chunk.scores[1].faults[3] > 0
    assert not any(chunk.scores[0].faults)
    details = {fault.detail for row in chunk.hands for fault in row.faults}
    assert details == {"match_start: RuntimeError: cannot"}
