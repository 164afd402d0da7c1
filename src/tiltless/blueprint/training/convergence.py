"""Convergence: each checkpoint plays against the previous one until the gain vanishes.

A match is mirrored: every deal is played twice, with the seats exchanged. What the newer strategy
wins is what training between the two checkpoints was worth; what the button wins is the value of
the game, which settles as both players do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from tiltless.intervals import half_width_95

__all__ = ["COLUMNS", "Match", "is_flat"]

COLUMNS = (
    *("walks", "before", "hands", "chips", "chips_error", "value", "value_error"),
    *("mbb", "mbb_95", "value_mbb", "value_mbb_95"),
)
"""Of matches.csv: chips a hand with standard errors, then the same in mbb/h with half a 95 %
interval."""

_NO_GAIN = 1.0
_SHARPEST = 20.0


@dataclass(frozen=True)
class Match:
    """A checkpoint against the one before.

    walks, before: how far each had been trained.  hands: both halves of the deals together.
    chips, chips_error: what the newer one wins a hand, and the standard error.  value, value_error:
    what the button wins a hand, whoever sits there.  big_blind: in chips.
    """

    walks: int
    before: int
    hands: int
    chips: float
    chips_error: float
    value: float
    value_error: float
    big_blind: int

    @property
    def mbb(self) -> float:
        """Thousandths of a big blind that the newer one wins a hand."""
        return 1000 * self.chips / self.big_blind

    @property
    def mbb_95(self) -> float:
        """Half of the 95 % interval of `mbb`."""
        return 1000 * half_width_95(self.chips_error) / self.big_blind

    @property
    def value_mbb(self) -> float:
        """Thousandths of a big blind that the button wins a hand."""
        return 1000 * self.value / self.big_blind

    @property
    def value_mbb_95(self) -> float:
        """Half of the 95 % interval of `value_mbb`."""
        return 1000 * half_width_95(self.value_error) / self.big_blind

    @classmethod
    def from_row(cls, row: Mapping[str, float], big_blind: int) -> "Match":
        """Read back from a row of matches.csv."""
        walks, before, hands = (int(row[name]) for name in COLUMNS[:3])
        chips, chips_error, value, value_error = (row[name] for name in COLUMNS[3:7])
        return cls(walks, before, hands, chips, chips_error, value, value_error, big_blind)

    def row(self) -> list[float]:
        """A row of matches.csv."""
        return [getattr(self, name) for name in COLUMNS]


def is_flat(matches: Sequence[Match], checkpoints: int) -> bool:
    """Has training stopped to gain, as far as hands can tell?

    Of the last ``checkpoints`` matches, each must have a 95 % interval that reaches down to 1 mbb/h
    or below, and so must their mean; the mean must be known to within 20 mbb/h, so that a few hands
    never look flat; and the value of the game in the first and the last of them may differ by no
    more than the interval of that difference. More checkpoints are a stricter test: gains that are
    too small for one match show in the mean of many. Matches after less than half of the usual
    walks, as at the end of a process, do not count.
    """
    recent = matches[-2 * checkpoints :] if checkpoints else ()
    usual = median(match.walks - match.before for match in recent) if recent else 0
    last = [match for match in recent if 2 * (match.walks - match.before) >= usual][-checkpoints:]
    if not last or len(last) < checkpoints:
        return False
    mean = sum(match.mbb for match in last) / len(last)
    known = sum(match.mbb_95**2 for match in last) ** 0.5 / len(last)
    each = all(match.mbb - match.mbb_95 <= _NO_GAIN for match in last)
    moved = abs(last[-1].value_mbb - last[0].value_mbb)
    still = moved <= (last[0].value_mbb_95 ** 2 + last[-1].value_mbb_95 ** 2) ** 0.5
    return each and still and known <= _SHARPEST and mean - known <= _NO_GAIN
