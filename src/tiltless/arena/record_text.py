"""Match records as JSON and as plain text."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from tiltless.arena.score_text import fault_lines, source_lines
from tiltless.arena.stats.matches_won import matches_won, matches_won_text
from tiltless.arena.stats.score import FEWEST_UNITS, Score, unit_factor
from tiltless.arena.store import MatchRecord
from tiltless.intervals import Interval

__all__ = [
    "finite",
    "no_verdict",
    "record_facts",
    "record_head",
    "record_lines",
    "record_verdict",
    "verdict",
]


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
        if plan.match_hands:
            share, least, most = map(finite, matches_won(plan, score))
            agents[-1] |= {"matches_won": share, "matches_won_interval": [least, most]}
    return {
        "match": record.number,
        "game": plan.game,
        "parameters": dict(plan.parameters),
        "seed": plan.seed,
        "mirrored": plan.mirrored,
        "carry": plan.carry,
        "deals": record.deals,
        "hands": record.hands,
        "matches": record.matches,
        "match_hands": plan.match_hands,
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


def verdict(name: str, result: Interval, units: int, unit: str = "deal", even: str = "zero") -> str:
    """Whether the agent is ahead, as a sentence.

    result: how far ahead of even it is.  units: number of units in the result.  even: what the
    result is compared with.
    """
    if units < FEWEST_UNITS:
        many = f"{unit}{'es' if unit.endswith('ch') else 's'}"
        return f"No verdict: {units} {many} are too few; play {FEWEST_UNITS} or more."
    if result.low > 0:
        return f"{name} wins: {even} is outside the interval."
    if result.high < 0:
        return f"{name} loses: {even} is outside the interval."
    if result.low == result.high == 0:
        return "Exactly even."
    return f"Too close to call: {even} is inside the interval. More hands make it narrower."


def record_verdict(record: MatchRecord, unit: str) -> str:
    """Who is better, by matches won where they are counted, else by chips; "" for many players."""
    plan, score = record.plan, record.scores[0]
    why_not = no_verdict(plan.agents, record.scores)
    if why_not or len(plan.agents) != 2:
        return why_not
    if plan.match_hands:
        share = matches_won(plan, score)
        ahead = Interval(share.mean - 0.5, share.low - 0.5, share.high - 0.5)
        return verdict(plan.agents[0], ahead, score.matches.count, plan.unit, "one half")
    result = score.interval(unit_factor(unit, plan.table.rules))
    return verdict(plan.agents[0], result, score.won.count, plan.unit)


def record_head(record: MatchRecord) -> str:
    """One line: agents, game, hands played and seed."""
    plan = record.plan
    kind = "mirrored" if plan.mirrored else "not mirrored"
    stacks = ", carried stacks" if plan.carry else ""
    done = "" if record.is_over else f" of {plan.hands:,} planned"
    if plan.match_hands:
        return (
            f"match {record.number}: {plan.title}, {plan.game_text}, {record.matches:,} matches of "
            f"{plan.match_hands:,} hands ({kind}; {record.hands:,} hands{done}), seed {plan.seed}"
        )
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
        won = matches_won_text(matches_won(plan, score)) if plan.match_hands else ""
        yield f"  {text}: {f'matches won {won}, ' if won else ''}{score.interval(factor)} {unit}"
    yield from fault_lines(plan.agents, record.scores)
    yield from filter(None, [record_verdict(record, unit)])
    yield from source_lines(plan.agents, record.scores)
