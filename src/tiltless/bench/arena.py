"""Benchmark of matches: hands per second, with agents and compiled, and times of agents."""

import time
from collections.abc import Callable
from statistics import median

from tiltless.abstraction.cards.tables import build_tables
from tiltless.agents.endgame.values import match_values
from tiltless.agents.registry import registered
from tiltless.arena.chunk import play_chunk
from tiltless.arena.plan import MatchPlan
from tiltless.bench import Result
from tiltless.blueprint.shipped import find_blueprint
from tiltless.blueprint.simulate.match import Side, simulate_match
from tiltless.blueprint.strategy import Blueprint

__all__ = ["run"]

_MODEL = "hundred"
_COMPILED_DEALS = 200_000
_CHUNKS, _DEALS, _REPEATS = 25, 20, 8


def run() -> Result:
    """Measure everything in one process; compiled play on one thread."""
    return {
        "readable_hands_per_s": _hands_per_s("fish", "uniform"),
        "compiled_hands_per_s": _compiled(),
        "blueprint_hands_per_s": _if_there("blueprint", lambda: _hands_per_s("blueprint")),
        "monte_carlo_decision_ms": _if_there("monte-carlo", _monte_carlo),
        "match_values_s": _match_values(),
    }


def _if_there(agent: str, measure: Callable[[], float | None]) -> float | None:
    """None if no agent has that name."""
    return measure() if any(entry.name == agent for entry in registered()) else None


def _hands_per_s(first: str, second: str | None = None) -> float:
    """Mirrored hands of two agents at 100 big blinds, dealing and counting included.

    Hands are not kept. The same hands are played several times in small chunks, and the best time
    of each chunk counts: other programs interrupt some of them, but seldom one every time.
    """
    plan = MatchPlan((first, second or first), _CHUNKS * _DEALS, seed=1, chunk=_DEALS)
    agents = plan.make_agents()
    best = [float("inf")] * plan.chunks
    for _ in range(_REPEATS):
        for number in range(plan.chunks):
            start = time.perf_counter()
            play_chunk(plan, number, agents, keep_hands=False)
            best[number] = min(best[number], time.perf_counter() - start)
    return plan.hands / sum(best)


def _compiled() -> float:
    """The shipped blueprint against itself, bucket tables built before."""
    blueprint = Blueprint.load(find_blueprint(_MODEL))
    tree = blueprint.tree
    side = Side(blueprint.probabilities, blueprint.groups(build_tables(blueprint.abstraction)))
    simulate_match(tree, 1000, side, side, seed=1)
    best = 0.0
    for _ in range(3):
        start = time.perf_counter()
        result = simulate_match(tree, _COMPILED_DEALS, side, side, seed=1)
        best = max(best, result.hands / (time.perf_counter() - start))
    return best


def _match_values() -> float:
    """Best time of the dynamic program of a match of 1,000 hands, blinds 1 and 2, in seconds."""
    best = float("inf")
    for _ in range(3):
        match_values.cache_clear()
        start = time.perf_counter()
        match_values(1000, (1, 2), 2, 200)
        best = min(best, time.perf_counter() - start)
    return best


def _monte_carlo() -> float:
    """Median time of a decision with 10,000 rollouts, heads-up, in milliseconds."""
    plan = MatchPlan(("monte-carlo:rollouts=10000", "fish"), 300, seed=1)
    agents = plan.make_agents()
    play_chunk(plan, 0, agents, keep_hands=False)
    parts = [play_chunk(plan, number, agents, keep_hands=False) for number in (1, 2)]
    return 1e3 * median(part.scores[0].times.percentile(50) for part in parts)
