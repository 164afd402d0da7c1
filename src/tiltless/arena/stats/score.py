"""Scores: what one agent won and how it played, a value that chunks add up to."""

from typing import NamedTuple

from tiltless.arena.stats.by_position import Positions, merged_positions
from tiltless.arena.stats.decision_sources import Sources
from tiltless.arena.stats.hand_stats import HandStats
from tiltless.arena.stats.response_times import ResponseTimes
from tiltless.errors import OptionError
from tiltless.games.holdem.rules import Rules
from tiltless.intervals import Interval, Tally

__all__ = ["FEWEST_UNITS", "UNITS", "Faults", "Score", "per_unit", "unit_factor"]

UNITS = ("mbb/h", "bb/100", "sb/h", "chips/h")
"""Thousandths of a big blind per hand, big blinds per hundred hands, small blinds per hand."""
FEWEST_UNITS = 30
"""Deals or sessions needed before an agent can be called ahead."""


class Faults(NamedTuple):
    """Numbers of faults by kind; see `tiltless.arena.rulings`."""

    crashed: int = 0
    illegal: int = 0
    late: int = 0
    hook: int = 0

    def merge(self, other: "Faults") -> "Faults":
        """The sum of two parts."""
        return Faults(*map(sum, zip(self, other, strict=True)))

    @property
    def rulings(self) -> int:
        """Decisions that were replaced by a check or a fold."""
        return self.crashed + self.illegal + self.late

    def __str__(self) -> str:
        """``"3 late"``; empty if there are none."""
        pairs = zip(self._fields, self, strict=True)
        return ", ".join(f"{count:,} {name}" for name, count in pairs if count)


class Score(NamedTuple):
    """One agent's result in a match.

    won: tally of the chips won in each unit of statistics (a deal or a session), summed over its
    hands; integers, so merging does not depend on the order.  first_fault: the first fault, with
    its deal.  sources: what produced the decisions, if the agent says so; rulings are not counted.
    matches: tally of points for matches won; see `tiltless.arena.stats.matches_won`.
    positions: by position, at tables of more than two seats.
    """

    won: Tally = Tally(0, 0, 0)
    hands: int = 0
    stats: HandStats = HandStats()
    times: ResponseTimes = ResponseTimes()
    faults: Faults = Faults()
    first_fault: str = ""
    sources: Sources = Sources()
    matches: Tally = Tally(0, 0, 0)
    positions: Positions = ()

    def merge(self, other: "Score") -> "Score":
        """The sum of two parts."""
        return Score(
            self.won.merge(other.won),
            self.hands + other.hands,
            self.stats.merge(other.stats),
            self.times.merge(other.times),
            self.faults.merge(other.faults),
            self.first_fault or other.first_fault,
            self.sources.merge(other.sources),
            self.matches.merge(other.matches),
            merged_positions(self.positions, other.positions),
        )

    @property
    def is_broken(self) -> bool:
        """Whether the dealer ruled on most decisions, so that the agent did not really play."""
        return 2 * self.faults.rulings > self.stats.decisions

    @property
    def is_enough(self) -> bool:
        """Whether there are enough units to say who is ahead, even if all results are equal."""
        return self.won.count >= FEWEST_UNITS

    @property
    def mean(self) -> float:
        """Mean chips per hand."""
        return self.won.total / self.hands if self.hands else 0.0

    def __str__(self) -> str:
        """``"+0.25 ± 0.10 chips a hand in 1,000 hands"``."""
        won = self.interval()
        return f"{won.mean:+,.2f} ± {won.half_width:,.2f} chips a hand in {self.hands:,} hands"

    def interval(self, factor: float = 1.0) -> Interval:
        """Chips per hand with a 95 % confidence interval, times a factor such as `unit_factor`.

        Its width is exactly 0 if every unit had the same result. Where games end early, the number
        of hands is taken as given.
        """
        if not self.hands:
            return Interval.around(0.0, float("inf"))
        return self.won.interval.scaled(factor * self.won.count / self.hands)


def unit_factor(unit: str, rules: Rules) -> float:
    """Factor from chips per hand to a unit of `UNITS`, in a game with these rules."""
    posted = [blind for blind in rules.blinds if blind]
    small = posted[0] if len(posted) > 1 else None
    return per_unit(unit, rules.big_blind, small)


def per_unit(unit: str, big_blind: float, small_blind: float | None = None) -> float:
    """Factor from chips per hand to a unit of `UNITS`.

    small_blind: half of the big blind if not given.
    """
    if unit == "mbb/h":
        return 1000 / big_blind
    if unit == "bb/100":
        return 100 / big_blind
    if unit == "sb/h":
        return 1 / (big_blind / 2 if small_blind is None else small_blind)
    if unit == "chips/h":
        return 1.0
    raise OptionError(f"unit={unit!r} is not known; use one of {', '.join(UNITS)}")
