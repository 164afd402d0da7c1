"""Every agent that plays hold'em plays at tables of three, six and ten."""

import pytest

from tiltless.agents.registry import make_agent, registered
from tiltless.arena.chunk import play_chunk
from tiltless.arena.plan import MatchPlan
from tiltless.errors import OptionError

FEWER = {
    "honest": "honest:rollouts=20",
    "rules": "rules:rollouts=20",
    "monte-carlo": "monte-carlo:rollouts=50",
    "simple-1400": "simple-1400:rollouts=20",
    "simple-3000": "simple-3000:rollouts=20",
    "heuristic-1": "heuristic-1:rollouts=20",
    "heuristic-2": "heuristic-2:rollouts=20",
}
"""Agents with fewer rollouts, which are quicker and no other kind."""
HEADS_UP = {"blueprint", "search", "endgame", "permutation", "river-of-blood", "calling-station"}
HEADS_UP |= {"report-inference", "libratus-fan-club", "aimbot", "cfr-v1", "cfr-v2"}
"""Agents of a blueprint of two players, or of another game."""
ELSEWHERE = {"six", "pypokerengine", "openspiel", "mit-skeleton"}
"""Agents with limits of their own, or that need another library: they have their own tests."""
NAMES = [
    entry.name
    for entry in registered()
    if not entry.needs and entry.name not in HEADS_UP | ELSEWHERE and "report" not in entry.about
]


def test_none_is_forgotten():
    assert {"fish", "rules", "monte-carlo", "heuristic-1", "probe-pot"} <= set(NAMES)
    assert len(NAMES) >= 17


@pytest.mark.parametrize("seats", [3, 6, 10])
@pytest.mark.parametrize("name", NAMES)
def test_all_others_play_at_any_table(name, seats):
    """Without a ruling, against copies and against callers who stay in to the river."""
    text = FEWER.get(name, name)
    for other in (text, "fish"):
        plan = MatchPlan((text, *[other] * (seats - 1)), 2, seed=4, mirrored=True)
        scores = play_chunk(plan, 0, plan.make_agents()).scores
        assert all(not any(score.faults) for score in scores), scores[0].first_fault
        assert sum(score.won.total for score in scores) == 0
        assert scores[0].stats.hands == 2 * seats


@pytest.mark.parametrize("name", ["blueprint:file=hundred", "search"])
def test_a_blueprint_of_two_says_so_before_the_match(name):
    """One line, before anything is played."""
    plan = MatchPlan((name, *["fish"] * 5), 2)
    with pytest.raises(OptionError, match="2 seats") as said:
        plan.make_agents()
    assert "\n" not in str(said.value)
    assert make_agent("fish")
