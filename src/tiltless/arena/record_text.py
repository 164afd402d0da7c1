"""Match records as JSON and as plain text."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from tiltless.arena.lineup import copies
from tiltless.arena.score_text import fault_lines, positions_text, source_lines
from tiltless.arena.stats.by_position import in_order_of_action
from tiltless.arena.stats.matches_won import matches_won, matches_won_text
from tiltless.arena.stats.score import FEWEST_UNITS, Score, unit_factor
from tiltless.arena.store import MatchRecord
from tiltless.intervals import Interval, Tally

__all__ = [
    "finite",
    "no_verdict",
    "record_facts",
    "record_head",
    "record_lines",
    "record_verdict",
    "shown_scores",
    "units_text",
    "verdict",
]


def shown_scores(record: MatchRecord) -> list[tuple[str, Score]]:
    """Names and scores as they are shown: copies that the first agent plays against as one.

    What the copies win together is what the first agent loses, in each unit. In rotation the hands
    of all copies in one position of a deal share their cards, so they count as one.
    """
    agents, scores = record.plan.agents, record.scores
    count = copies(agents)
    if not count:
        return list(zip(agents, scores, strict=True))
    together = Score()
    for score in scores[1:]:
        together = together.merge(score)
    units, total, squares = scores[0].won
    positions, sharing = [], count if record.plan.mirrored else 1
    for name, position in together.positions:
        hands, won, of_squares = position.won
        shared = Tally(hands // sharing, won / sharing, of_squares / sharing)
        positions.append((name, position._replace(won=shared)))
    together = together._replace(won=Tally(units, -total, squares), positions=tuple(positions))
    return [(agents[0], scores[0]), (f"{count} x {agents[1]}", together)]


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
        if score.positions:
            agents[-1]["positions"] = _position_facts(score, factor)
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
        **({"game_hands": plan.game_hands} if plan.game_hands else {}),
        "unit": unit,
        "agents": agents,
    }


def _position_facts(score: Score, factor: float) -> dict[str, Any]:
    """What was won by position, and how, in the order of action before the flop."""
    found = {}
    for name, (won, stats) in in_order_of_action(score.positions):
        mean, low, high = map(finite, won.interval.scaled(factor))
        found[name] = {
            "hands": stats.hands,
            "mean": mean,
            "interval": [low, high],
            "vpip": finite(stats.vpip),
            "pfr": finite(stats.pfr),
            "three_bet": finite(stats.three_bet),
        }
    return found


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
        few = f"{units_text(units, unit)} {'is' if units == 1 else 'are'} too few"
        return f"No verdict: {few}; play {FEWEST_UNITS} or more."
    if result.low > 0:
        return f"{name} wins: {even} is outside the interval."
    if result.high < 0:
        return f"{name} loses: {even} is outside the interval."
    if result.low == result.high == 0:
        return "Exactly even."
    return f"Too close to call: {even} is inside the interval. More hands make it narrower."


def units_text(units: int, unit: str) -> str:
    """``"30 deals"``, ``"20 mirrored matches"``."""
    many = "" if units == 1 else "es" if unit.endswith("ch") else "s"
    return f"{units:,} {unit}{many}"


def record_verdict(record: MatchRecord, unit: str) -> str:
    """Who is better, by matches won where they are counted, else by chips.

    "" for a table of several agents.
    """
    plan, score = record.plan, record.scores[0]
    why_not = no_verdict(plan.agents, record.scores)
    if why_not or (len(plan.agents) != 2 and not copies(plan.agents)):
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
    kind = "in every rotation" if plan.mirrored and len(plan.agents) > 2 else kind
    stacks = ", carried stacks" if plan.carry else ""
    if plan.game_hands:
        stacks += f", games of {plan.game_hands} hands"
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
    for text, score in shown_scores(record):
        won = matches_won_text(matches_won(plan, score)) if plan.match_hands else ""
        yield f"  {text}: {f'matches won {won}, ' if won else ''}{score.interval(factor)} {unit}"
    names, scores = zip(*shown_scores(record), strict=True)
    yield from fault_lines(names, scores)
    yield from filter(None, [record_verdict(record, unit)])
    for name, score in zip(names, scores, strict=True):
        if score.positions:
            yield f"  by position, {name}: {positions_text(score, factor)} {unit}"
    yield from source_lines(names, scores)
