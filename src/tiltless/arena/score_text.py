"""Scores as text: players' stats, response times, faults and sources of decisions."""

import math
from collections.abc import Sequence

from tiltless.arena.stats.by_position import in_order_of_action
from tiltless.arena.stats.score import Score

__all__ = [
    "POSITION_STATS",
    "STATS",
    "fault_lines",
    "percent",
    "position_rows",
    "positions_text",
    "source_lines",
    "stats_row",
    "times_row",
]

STATS = (
    ("hands", "hands played against all opponents"),
    ("VPIP", "hands with a call or a raise before the flop; blinds do not count"),
    ("PFR", "hands with a raise before the flop"),
    ("3-bet", "re-raises before the flop, out of the hands that faced exactly one raise"),
    ("AF", "aggression factor: bets and raises per call, after the flop"),
    ("WTSD", "went to showdown: showdowns, out of the hands that saw the flop"),
    ("W$SD", "won at showdown: showdowns that won a whole pot; a split pot counts half"),
)
"""Columns of players' statistics, and what they mean."""


def fault_lines(names: Sequence[str], scores: Sequence[Score]) -> list[str]:
    """A line for each agent that failed: how often, and the first message."""
    return [
        f"{name}: {score.faults}; the first: {score.first_fault or 'not kept'}"
        for name, score in zip(names, scores, strict=True)
        if any(score.faults)
    ]


def source_lines(names: Sequence[str], scores: Sequence[Score]) -> list[str]:
    """A line for each agent that gives sources: how often it searched, for example."""
    return [
        f"decisions of {name}: {score.sources}"
        for name, score in zip(names, scores, strict=True)
        if score.sources.counts
    ]


def percent(fraction: float) -> str:
    """``"34 %"``; a dash if nothing was counted."""
    return "-" if math.isnan(fraction) else f"{100 * fraction:.0f} %"


def stats_row(score: Score) -> list[str]:
    """The columns of `STATS`."""
    stats = score.stats
    factor = stats.aggression
    shown = "-" if math.isnan(factor) else "never calls" if math.isinf(factor) else f"{factor:.2f}"
    return [
        f"{stats.hands:,}",
        percent(stats.vpip),
        percent(stats.pfr),
        percent(stats.three_bet),
        shown,
        percent(stats.went_to_showdown),
        percent(stats.won_at_showdown),
    ]


POSITION_STATS = ("hands", "won", "± 95 %", "VPIP", "PFR", "3-bet", "WTSD", "W$SD")
"""Columns of `position_rows`."""


def position_rows(score: Score, factor: float) -> list[tuple[str, list[str]]]:
    """For each position, in order of action before the flop: the columns of `POSITION_STATS`."""
    rows = []
    for name, (won, stats) in in_order_of_action(score.positions):
        mean, width = factor * won.mean, factor * won.interval.half_width
        shares = stats.vpip, stats.pfr, stats.three_bet, stats.went_to_showdown
        cells = [f"{stats.hands:,}", f"{mean:+,.0f}", f"{width:,.0f}", *map(percent, shares)]
        rows.append((name, [*cells, percent(stats.won_at_showdown)]))
    return rows


def positions_text(score: Score, factor: float) -> str:
    """``"UTG -12 ± 30, HJ +20 ± 28, …"``."""
    shown = [f"{name} {row[1]} ± {row[2]}" for name, row in position_rows(score, factor)]
    return ", ".join(shown)


def times_row(score: Score) -> list[str]:
    """Percentiles 50, 95 and 99, and the longest decision."""
    times = score.times
    return [_duration(times.percentile(each)) for each in (50, 95, 99)] + [_duration(times.longest)]


def _duration(seconds: float) -> str:
    for unit, length in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= length:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"
