"""Match records as JSON and as plain text."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from tiltless.arena.score_text import fault_lines, source_lines
from tiltless.arena.stats.score import FEWEST_UNITS, Score, unit_factor
from tiltless.arena.store import MatchRecord
from tiltless.intervals import Interval

__all__ = ["finite", "no_verdict", "record_facts", "record_head", "record_lines", "verdict"]


def record_facts(record: MatchRecord, unit: str) -> dict[str, Any]:
    """A match as JSON."""
    plan = record.plan
    factor = unit_factor(unit, plan.table.rules)
    agents = []
    for text, score in zip(plan.agents, record.scores, strict=True):
        mean, low, high = map(finite, score.interval(factor))
        stats, times = score.stats, score.times
        agents.append(
            {
                "agent": text,
                "mean": mean,
                "interval": [low, high],
                "vpip": finite(stats.vpip),
                "pfr": finite(stats.pfr),
                "three_bet": finite(stats.three_bet),
                "aggression": finite(stats.aggression),
                "went_to_showdown": finite(stats.went_to_showdown),
                "won_at_showdown": finite(stats.won_at_showdown),
                "seconds": {str(each): times.percentile(each) for each in (50, 95, 99)},
                "faults": score.faults._asdict(),
                "first_fault": score.first_fault or None,
                "sources": dict(score.sources.counts),
            }
        )
    return {
        "match": record.number,
        "game": plan.game,
        "parameters": dict(plan.parameters),
        "seed": plan.seed,
        "mirrored": plan.mirrored,
        "carry": plan.carry,
        "deals": record.deals,
        "hands": record.hands,
        "unit": unit,
        "agents": agents,
    }


def finite(number: float) -> float | None:
    """A number for JSON; None if it is infinite or NaN."""
    return number if math.isfinite(number) else None


def no_verdict(names: Sequence[str], scores: Sequence[Score]) -> str:
    """Why a match cannot show who is better; empty if it can."""
    broken = [name for name, score in zip(names, scores, strict=True) if score.is_broken]
    if broken:
        who = ", ".join(dict.fromkeys(broken))
        return f"No verdict: most decisions of {who} were ruled on by the dealer."
    return ""


def verdict(name: str, result: Interval, units: int, unit: str = "deal") -> str:
    """Whether the agent is ahead, as a sentence.  units: number of units in the result."""
    if units < FEWEST_UNITS:
        return f"No verdict: {units} {unit}s are too few; play {FEWEST_UNITS} or more."
    if result.low > 0:
        return f"{name} wins: zero is outside the interval."
    if result.high < 0:
        return f"{name} loses: zero is outside the interval."
    if result.low == result.high == 0:
        return "Exactly even."
    return "Too close to call: zero is inside the interval. More hands make it narrower."


def record_head(record: MatchRecord) -> str:
    """One line: agents, game, hands played and seed."""
    plan = record.plan
    kind = "mirrored" if plan.mirrored else "not mirrored"
    stacks = ", carried stacks" if plan.carry else ""
    done = "" if record.is_over else f" of {plan.hands:,} planned"
    return (
        f"match {record.number}: {plan.title}, {plan.game_text}, {record.hands:,} hands{done} "
        f"({record.deals:,} deals, {kind}{stacks}), seed {plan.seed}"
    )


def record_lines(record: MatchRecord, unit: str) -> Iterator[str]:
    """The result of a match as plain text."""
    plan = record.plan
    factor = unit_factor(unit, plan.table.rules)
    yield record_head(record)
    if not record.hands:
        return
    for text, score in zip(plan.agents, record.scores, strict=True):
        yield f"  {text}: {score.interval(factor)} {unit}"
    yield from fault_lines(plan.agents, record.scores)
    why_not = no_verdict(plan.agents, record.scores)
    if why_not or len(plan.agents) == 2:
        score = record.scores[0]
        sentence = verdict(plan.agents[0], score.interval(factor), score.won.count, plan.unit)
        yield why_not or sentence
    yield from source_lines(plan.agents, record.scores)
