"""Report on the quality of a card abstraction: its figures by street, as text and as JSON.

The measures and how they are taken: `tiltless.abstraction.cards.quality`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.abstraction import BOARD_CARDS, STREETS, CardAbstraction

__all__ = ["Example", "Floats", "OneBoard", "Report", "StreetReport", "WideBucket"]

Floats = npt.NDArray[np.float64]

_FEW = 20  # with fewer hands in a bucket, its spread is mostly noise
_LISTED = 10_000
_COLUMNS = 100


class Example(NamedTuple):
    """A hand, a board (high cards first) and the E[HS] of the hand there."""

    hand: str
    board: str
    equity: float

    def __str__(self) -> str:
        where = f" on {self.board}" if self.board else ""
        return f"{self.hand}{where} ({self.equity:.2f})"


class WideBucket(NamedTuple):
    """A bucket whose hands differ a lot: mean and standard deviation of E[HS], and examples."""

    bucket: int
    share: float
    equity: float
    spread: float
    examples: tuple[Example, ...]

    def __str__(self) -> str:
        return (
            f"bucket {self.bucket}: {_percent(self.share)} of deals, "
            f"equity {self.equity:.2f} ± {self.spread:.3f}, e.g. "
            f"{', '.join(map(str, self.examples))}"
        )


class OneBoard(NamedTuple):
    """Buckets on a single board, averaged over boards: distinct, effective, spread of E[HS]."""

    distinct: float
    effective: float
    spread: float


@dataclass(frozen=True, eq=False)
class StreetReport:
    """One street; arrays have an entry for each bucket that occurred, in ascending order.

    count: all buckets.  boards, of_boards: canonical boards examined, and their total.
    hands: hands examined.  bucket: int64.  share: fraction of deals, sums to 1.  equity: mean of
    E[HS].  spread: standard deviation of E[HS].  total: that of all deals.  explained,
    explained_squared: the fraction of the variance of E[HS] and of E[HS^2] between buckets.
    one_board: what a player who knows the board sees of them.
    """

    street: int
    text: str
    count: int
    boards: int
    of_boards: int
    hands: int
    bucket: npt.NDArray[np.int64] = field(repr=False)
    share: Floats = field(repr=False)
    equity: Floats = field(repr=False)
    spread: Floats = field(repr=False)
    total: float
    explained: float
    explained_squared: float
    widest: tuple[WideBucket, ...] = field(repr=False)
    one_board: OneBoard

    @property
    def name(self) -> str:
        """The name of the street."""
        return STREETS[self.street]

    @property
    def used(self) -> int:
        """The number of buckets that occurred."""
        return len(self.bucket)

    @property
    def effective(self) -> float:
        """Perplexity: the number of equally likely buckets with the same entropy."""
        return float(np.exp(-(self.share * np.log(self.share)).sum()))

    @property
    def mean_spread(self) -> float:
        """The standard deviation of E[HS] within a bucket, averaged over deals."""
        return float((self.share * self.spread).sum())

    @property
    def is_thin(self) -> bool:
        """Whether the sample has so few hands per bucket that their spread is understated."""
        sampled = self.boards < self.of_boards
        return sampled and self.hands < _FEW * self.used and self.text != "lossless"

    @property
    def sample_text(self) -> str:
        """The boards that were examined."""
        if not BOARD_CARDS[self.street]:
            return "every starting hand"
        if self.boards == self.of_boards:
            return f"all {self.boards:,} boards"
        return f"{self.boards:,} of {self.of_boards:,} boards"

    def as_json(self) -> dict[str, Any]:
        """Plain values for `json.dumps`; single buckets only if there are not too many."""
        facts: dict[str, Any] = {
            "street": self.name,
            "text": self.text,
            "buckets": self.count,
            "used": self.used,
            "effective": self.effective,
            "smallest_share": float(self.share.min()),
            "median_share": float(np.median(self.share)),
            "largest_share": float(self.share.max()),
            "spread": self.mean_spread,
            "total_spread": self.total,
            "explained": self.explained,
            "explained_squared": self.explained_squared,
            "one_board": self.one_board._asdict(),
            "boards": self.boards,
            "of_boards": self.of_boards,
            "hands": self.hands,
            "widest": [
                {**wide._asdict(), "examples": [example._asdict() for example in wide.examples]}
                for wide in self.widest
            ],
        }
        if self.used <= _LISTED:
            for name in ("bucket", "share", "equity", "spread"):
                facts[f"{name}_list"] = getattr(self, name).tolist()
        return facts


@dataclass(frozen=True, eq=False)
class Report:
    """The quality of all streets of an abstraction; created by `report`."""

    abstraction: CardAbstraction
    seed: int
    streets: tuple[StreetReport, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain values for `json.dumps`."""
        return {
            "name": self.abstraction.name,
            "text": self.abstraction.text,
            "fingerprint": self.abstraction.fingerprint,
            "seed": self.seed,
            "streets": [street.as_json() for street in self.streets],
        }

    def text(self, widest: int = 3) -> str:
        """The report for a terminal: a table, then the widest buckets of each street."""
        lines = [
            f"{self.abstraction.name}: {self.abstraction.text}",
            f"fingerprint {self.abstraction.fingerprint}",
            "",
            f"{'street':<8}{'buckets':>12}{'met':>12}{'effective':>11}"
            f"{'smallest':>11}{'median':>9}{'largest':>9}{'spread':>9}{'explained':>11}{'(HS²)':>8}",
        ]
        on_a_board = ["", f"{'on one board':<14}{'distinct':>10}{'effective':>11}{'spread':>9}"]
        for each in self.streets:
            lines.append(
                f"{each.name:<8}{each.count:>12,}{each.used:>12,}{each.effective:>11,.0f}"
                f"{_percent(each.share.min()):>11}{_percent(np.median(each.share)):>9}"
                f"{_percent(each.share.max()):>9}{each.mean_spread:>9.4f}"
                f"{_kept(each.explained):>11}{_kept(each.explained_squared):>8}"
            )
            distinct, effective, spread = each.one_board
            on_a_board.append(
                f"  {each.name:<12}{distinct:>10,.0f}{effective:>11,.0f}{spread:>9.4f}"
            )
        lines += [
            *on_a_board,
            "",
            "smallest, median, largest: shares of deals. spread: of equity inside a bucket, in",
            "standard deviations. explained: how much of the variance of equity buckets keep.",
            *_looked_at(self.streets, self.seed),
        ]
        for each in self.streets:
            if each.is_thin:
                lines.append(
                    f"The {each.name} has {each.hands / each.used:.1f} hands for each bucket: its "
                    "spread is understated; draw more boards."
                )
        for each in self.streets:
            if each.widest:
                lines += [
                    "",
                    f"Widest buckets, {each.name} (a weak, a middle, a strong hand):",
                ]
                lines += [f"  {wide}" for wide in each.widest[:widest]]
        return "\n".join(lines) + "\n"


def _percent(share: float) -> str:
    """``"0.52%"``: two significant digits."""
    return f"{100 * share:.2g}%" if share < 0.0995 else f"{100 * share:.0f}%"


def _kept(share: float) -> str:
    """``"99.62%"``; never rounded up to 100 %."""
    return f"{100 * (share if share > 1 - 1e-9 else min(share, 0.9999)):.2f}%"


def _looked_at(streets: Sequence[StreetReport], seed: int) -> list[str]:
    texts = [
        f"{each.sample_text} of the {each.name}" if each.street else each.sample_text
        for each in streets
    ]
    return wrap(f"Looked at {', '.join(texts)}; seed {seed}.", _COLUMNS)
