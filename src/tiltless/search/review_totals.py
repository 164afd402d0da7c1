"""Totals of a review: what play costs by street, position and kind of mistake, and its tendencies.

**Value.** Costs are what choices gave up against an opponent like the blueprint, so minus their sum
is what the play is worth there, beside the best play that the review knows; the unit of its
interval is the hand.

**Tendencies.** A cost can miss a leak: in an equilibrium a bluff wins as much as a check, so who
never bluffs loses nothing against an opponent who calls as if he did. So how often the hero folds,
bets and raises is compared with how often the strategy would have, with the same cards in the same
spots: a sum of independent trials with known probabilities p. Its variance is the sum of p (1 - p),
or that of the squared differences if it is larger: a solution is often certain, and three calls
where it always folds are mistakes, but no habit. The comparison is fair only if hands were not
chosen by what came later: of hands that reached the river, turns are checked more often, since a
bet ends many hands. Where solutions are rough (`ROUGH`), their frequencies are not yet those of an
equilibrium, and a leak says so.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from tiltless.games.holdem.actions import RaiseTo
from tiltless.intervals import Interval, half_width_95, tally
from tiltless.search.review import KINDS, boldness
from tiltless.search.review_rows import DecisionRow, HandReview

__all__ = ["ROUGH", "ReviewTotals", "Tendency", "TotalLine", "review_totals", "worst_first"]

ROUGH = 3.0
"""Percent of the pot: the mean exploitability above which a street's solutions are rough."""
_STREETS = ("preflop", "flop", "turn", "river")
_WEAK = 0.4  # equity below which a bet on the river is a bluff
_SURE = 3.0  # standard deviations
_FEWEST = 3  # decisions more or fewer than expected


class TotalLine(NamedTuple):
    """Some decisions together: their number, those that were mistakes, and their cost.

    mistakes: graded worse than good.  cost: in big blinds.  rate: the same in bb/100.
    """

    name: str
    decisions: int
    mistakes: int
    cost: float
    rate: float


class Tendency(NamedTuple):
    """How often the hero does something, beside the strategy with the same cards.

    chances: decisions where it was possible.  expected, deviation: of the number of times.
    rough: whether the solutions that it is compared with are, see `ROUGH`.
    """

    name: str
    chances: int
    done: int
    expected: float
    deviation: float
    rough: bool = False

    @property
    def sigmas(self) -> float:
        """How far that is from expected, in standard deviations."""
        if self.deviation <= 0:
            return 0.0
        return (self.done - self.expected) / self.deviation

    @property
    def is_leak(self) -> bool:
        """Whether that can hardly be chance."""
        return abs(self.sigmas) >= _SURE and abs(self.done - self.expected) >= _FEWEST

    def __str__(self) -> str:
        """``folds to a bet on the river: 20 of 23, expected 9.1 ± 3.5: far more often than …``."""
        often = "more" if self.done > self.expected else "less"
        text = (
            f"{self.name}: {self.done} of {self.chances}, expected {self.expected:.1f} ± "
            f"{half_width_95(self.deviation):.1f}"
        )
        if not self.is_leak:
            return text
        remark = ", which is rough here: try more iterations" if self.rough else ""
        return f"{text}: far {often} often than the solution{remark}"


class ReviewTotals(NamedTuple):
    """The totals of a review.

    hands: all; judged: those that could be judged.  unjudged: (reason, hands).
    decisions: of the hero in judged hands.  skipped: of these, without a value.
    value: in bb/100, with the interval over hands.  won: what the hero really won, bb/100.
    accuracy: (street, mean exploitability of its solutions in percent of the pot), where solved.
    """

    hands: int
    judged: int
    unjudged: tuple[tuple[str, int], ...]
    decisions: int
    skipped: int
    value: Interval
    won: Interval
    streets: tuple[TotalLine, ...]
    positions: tuple[TotalLine, ...]
    kinds: tuple[TotalLine, ...]
    tendencies: tuple[Tendency, ...]
    accuracy: tuple[tuple[str, float], ...] = ()

    @property
    def accuracy_words(self) -> str:
        """How exact the solutions are; empty if nothing was solved."""
        each = " and ".join(f"{street}s to {mean:.1f} %" for street, mean in self.accuracy)
        return f"solved {each} of the pot on average: smaller costs mean nothing" if each else ""

    @property
    def sentence(self) -> str:
        """``your play is worth -12.3 bb/100 ± 4.5 against an opponent like the blueprint``."""
        if not self.judged:
            return "nothing could be judged"
        half = self.value.half_width
        margin = f" ± {half:.1f}" if math.isfinite(half) else ""
        return (
            f"your play is worth {self.value.mean:+.1f} bb/100{margin} against an opponent like "
            f"the blueprint ({self.judged:,} hand{'s' * (self.judged != 1)})"
        )


def worst_first(reviews: Iterable[HandReview]) -> list[DecisionRow]:
    """All judged decisions, the most expensive first."""
    rows = [row for each in reviews for row in each.rows if row.cost is not None]
    return sorted(rows, key=lambda row: row.cost.mean if row.cost else 0.0, reverse=True)


def review_totals(reviews: Sequence[HandReview]) -> ReviewTotals:
    """The totals of reviewed hands."""
    judged = [each for each in reviews if not each.note]
    notes: dict[str, int] = {}
    for each in reviews:
        if each.note:
            notes[each.note] = notes.get(each.note, 0) + 1
    rows = [row for each in judged for row in each.rows]
    known = [row for row in rows if row.cost is not None]
    hands = max(len(judged), 1)

    def line(attribute: str, name: str) -> TotalLine:
        some = [row for row in known if getattr(row, attribute) == name]
        cost = sum(row.cost.mean for row in some if row.cost is not None)
        wrong = sum(row.grade not in ("best", "good") for row in some)
        return TotalLine(name, len(some), wrong, cost, 100 * cost / hands)

    positions = sorted({row.position for row in rows})
    accuracy = tuple(
        (street, fmean(found))
        for street in _STREETS
        if (found := [row.exploitability for row in rows if row.street == street and row.solved])
    )
    return ReviewTotals(
        len(reviews),
        len(judged),
        tuple(sorted(notes.items(), key=lambda pair: -pair[1])),
        len(rows),
        len(rows) - len(known),
        tally(each.cost for each in judged).interval.scaled(-100),
        tally(each.won for each in judged).interval.scaled(100),
        tuple(line("street", name) for name in _STREETS),
        tuple(line("position", name) for name in positions),
        tuple(line("kind", name) for name in KINDS),
        tuple(filter(lambda each: each.chances, _tendencies(rows, dict(accuracy)))),
        accuracy,
    )


def _tendencies(rows: Sequence[DecisionRow], accuracy: Mapping[str, float]) -> list[Tendency]:
    found: list[Tendency] = []
    for street in _STREETS:
        rough, before = accuracy.get(street, 0.0) > ROUGH, len(found)
        here = [row for row in rows if row.street == street and not math.isnan(row.chance(0, 2))]
        where = "before the flop" if street == "preflop" else f"on the {street}"
        faced = [row for row in here if row.faced]
        found.append(_tendency(f"folds to a bet {where}", faced, 0, 0))
        found.append(_tendency(f"raises a bet {where}", faced, 2, 2, can_raise=True))
        free = [row for row in here if not row.faced]
        found.append(_tendency(f"bets {where}", free, 2, 2, can_raise=True))
        found[before:] = [each._replace(rough=rough) for each in found[before:]]
    river = [row for row in rows if row.street == "river" and row.equity < _WEAK]
    bluffs = _tendency("bluffs on the river", river, 2, 2, can_raise=True)
    return [*found, bluffs._replace(rough=accuracy.get("river", 0.0) > ROUGH)]


def _tendency(
    name: str, rows: Sequence[DecisionRow], least: int, most: int, can_raise: bool = False
) -> Tendency:
    """Of decisions between two `boldness`es; can_raise: only where a bet or raise is possible."""
    if can_raise:
        rows = [row for row in rows if any(isinstance(each, RaiseTo) for each in row.actions)]
    chances = [min(row.chance(least, most), 1.0) for row in rows]
    hits = [least <= boldness(row.action) <= most for row in rows]
    certain = sum(each * (1 - each) for each in chances)
    seen = sum((each - hit) ** 2 for each, hit in zip(chances, hits, strict=True))
    return Tendency(name, len(rows), sum(hits), sum(chances), math.sqrt(max(certain, seen)))
