"""Matches won: the share of matches that an agent won, where a match counts and not its chips.

A match is won with a bankroll above zero; a tie is half a win. The unit of statistics is the match,
or both halves of a mirrored match, which are not independent.
"""

from collections.abc import Mapping, Sequence

from tiltless.arena.plan import MatchPlan
from tiltless.arena.stats.score import Score
from tiltless.intervals import Interval, Tally, tally

__all__ = ["longer_side", "match_points", "matches_won", "matches_won_text"]

_WON = 2  # points of a match; whole numbers, so that merging tallies does not depend on the order


def match_points(bankrolls: Mapping[tuple[int, int], Sequence[int]], agent: int) -> Tally:
    """The tally of an agent's points by unit, 2 for a win and 1 for a tie.

    bankrolls: chips won by agent, at the end of each (unit, half).
    """
    units: dict[int, int] = {}
    for (unit, _), chips in bankrolls.items():
        mine = chips[agent]
        units[unit] = units.get(unit, 0) + (_WON if mine > 0 else 1 if mine == 0 else 0)
    points = tally(units.values())
    return Tally(points.count, int(points.total), int(points.squares))


def matches_won(plan: MatchPlan, score: Score) -> Interval:
    """The share of matches won, with its 95 % interval.

    If all were won, or lost, the interval is that of a binomial distribution with as many trials
    as units: the other end is 0.025^(1/n).
    """
    points = score.matches
    share = points.interval.scaled(1 / (_WON * plan.seatings))
    if points.count and share.mean in (0.0, 1.0):
        end = 1 - 0.025 ** (1 / points.count)
        return Interval(share.mean, max(0.0, share.mean - end), min(1.0, share.mean + end))
    return share


def matches_won_text(share: Interval) -> str:
    """``"0.581 ± 0.020"``."""
    return f"{share.mean:.3f} ± {longer_side(share):.3f}"


def longer_side(share: Interval) -> float:
    """What stands after the ±: where all were won the interval has one side only."""
    return max(share.high - share.mean, share.mean - share.low)
