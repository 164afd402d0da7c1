"""Means over flops: rows by texture or by flop, with both players' EV, equity and EQR.

A row is a mean over the hands of all deals in which its flops come: a flop counts by its weight
times the pairs of hands that both players can have on it. Frequencies are means over the deals that
reach the decision.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from tiltless.cards.flops import TEXTURES, FlopTexture, WeightedFlop, flop_texture
from tiltless.errors import OptionError
from tiltless.postflop.flops.settings import FlopDecision, FlopSettings
from tiltless.postflop.flops.solve import FlopResult
from tiltless.postflop.tables import NodeReport, aggregate
from tiltless.validate import brief

__all__ = ["BY_FLOP", "EVERY", "FlopRow", "FlopSummary", "SolvedFlop", "read_kinds"]

BY_FLOP = "flop"
"""The kind of rows that are single flops."""
EVERY = "all flops"
"""The name of the row of all flops."""
_NUMBERS = ("ev", "equity", "eqr")
_PLAYERS = ("oop", "ip")


@dataclass(frozen=True)
class SolvedFlop:
    """A flop of a report with its weight and its result."""

    flop: WeightedFlop
    result: FlopResult

    @cached_property
    def texture(self) -> FlopTexture:
        """Its texture."""
        return flop_texture(self.flop.cards)

    @property
    def deals(self) -> float:
        """How often it comes: its weight times the pairs of hands."""
        return self.flop.weight * self.result.pairs


class FlopRow(NamedTuple):
    """A row of a table.

    kind: ``suits``, ``suits, high``, ``flop``; empty for all flops.  name: ``two-tone``.
    flops: how many it has.  share: of all deals, 0 to 1.
    report: the means at the decision; None if play never reaches it.
    """

    kind: str
    name: str
    flops: int
    share: float
    report: NodeReport | None

    def often(self, words: Iterable[str]) -> float:
        """How often one of some actions is taken; NaN if the decision is never reached."""
        if self.report is None:
            return math.nan
        return sum(self.report.frequencies.get(word, 0.0) for word in words)

    def number(self, player: str, name: str) -> float:
        """``number("oop", "ev")``: EV in chips, equity or EQR of a player; NaN if unknown."""
        if self.report is None:
            return math.nan
        return float(getattr(getattr(self.report, player), name))


class FlopSummary:
    """The solved flops of a report, to be grouped.

    flops: those asked for, with their weights.  results: by the text of a flop.
    missing: flops that are dealt and not solved.
    """

    def __init__(
        self,
        settings: FlopSettings,
        flops: Sequence[WeightedFlop],
        results: dict[str, FlopResult],
    ) -> None:
        self.settings = settings
        dealt = [flop for flop in flops if settings.is_dealt(flop)]
        self.never = len(flops) - len(dealt)
        self.solved = [
            SolvedFlop(flop, results[flop.text]) for flop in dealt if flop.text in results
        ]
        self.missing = [flop.text for flop in dealt if flop.text not in results]
        self._deals = sum(each.deals for each in self.solved)

    def total(self, decision: FlopDecision) -> FlopRow:
        """The row of all flops."""
        return self._row("", EVERY, self.solved, decision)

    def rows(
        self, decision: FlopDecision, kind: str, *, sort: str = "", most: int | None = None
    ) -> list[FlopRow]:
        """A row for each class of a kind, or of several kinds joined with a comma.

        kind: one of `TEXTURES`, some of them as ``suits, high``, or `BY_FLOP`.
        sort: a column from large to small: ``share``, ``bet`` (all bets and raises), an action such
        as ``b20``, or a number such as ``ip ev``; ``-`` before it, from small to large. Without it,
        classes are in the order of `TEXTURES`, and flops from aces to deuces.
        most: the number of rows.
        """
        kinds = read_kinds(kind)
        order = self._order(decision, sort) if sort else None
        rows = [self._row(kind, name, some, decision) for name, some in self._groups(kinds)]
        if order is not None:
            rows.sort(key=order)
        return rows[:most]

    def _groups(self, kinds: Sequence[str]) -> Iterator[tuple[str, list[SolvedFlop]]]:
        groups: dict[tuple[str, ...], list[SolvedFlop]] = {}
        for each in self.solved:
            groups.setdefault(_classes(each, kinds), []).append(each)

        def rank(key: tuple[str, ...]) -> list[int]:
            pairs = zip(kinds, key, strict=True)
            return [TEXTURES[kind].index(name) for kind, name in pairs if kind in TEXTURES]

        for key in sorted(groups, key=rank):  # stable: flops stay as they are
            yield ", ".join(key), groups[key]

    def _row(
        self, kind: str, name: str, some: Sequence[SolvedFlop], decision: FlopDecision
    ) -> FlopRow:
        deals = sum(each.deals for each in some)
        reports = [each.result.reports[decision.line] for each in some]
        report = None
        if any(each.often > 0 for each in reports):
            report = aggregate(reports, [each.deals / deals for each in some])
        return FlopRow(kind, name, len(some), deals / self._deals, report)

    def _order(self, decision: FlopDecision, sort: str) -> "_Order":
        name = sort.removeprefix("-").strip()
        words: tuple[str, ...] = ()
        player, _, number = name.partition(" ")
        if name == "bet":
            words = decision.bets
        elif name in decision.actions:
            words = (name,)
        elif name != "share" and not (player in _PLAYERS and number in _NUMBERS):
            known = ["share", "bet", *decision.actions]
            known += [f"{who} {each}" for who in _PLAYERS for each in _NUMBERS]
            raise OptionError(f"sort={brief(sort)} is not a column; choose {', '.join(known)}")
        return _Order(words, player, number, -1 if not sort.startswith("-") else 1)


@dataclass(frozen=True)
class _Order:
    """Sorts rows; those without a number are last."""

    words: tuple[str, ...]
    player: str
    number: str
    sign: int

    def __call__(self, row: FlopRow) -> tuple[bool, float]:
        value = row.share
        if self.words:
            value = row.often(self.words)
        elif self.number:
            value = row.number(self.player, self.number)
        return math.isnan(value), 0.0 if math.isnan(value) else self.sign * value


def read_kinds(kind: str) -> list[str]:
    """The kinds of a text such as ``suits, high``; `OptionError` lists those that are known."""
    kinds = [part.strip() for part in kind.split(",")]
    for part in kinds:
        if part not in (*TEXTURES, BY_FLOP):
            known = ", ".join((*TEXTURES, BY_FLOP))
            raise OptionError(f"{brief(part)} is not a kind of flops; choose {known}")
    if len(set(kinds)) < len(kinds):
        raise OptionError(f"{brief(kind)} names a kind twice; name it once")
    return kinds


def _classes(each: SolvedFlop, kinds: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        each.flop.text if kind == BY_FLOP else getattr(each.texture, kind) for kind in kinds
    )
