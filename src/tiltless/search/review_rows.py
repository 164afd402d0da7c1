"""Rows of a review: reviewed decisions in big blinds, small enough to keep thousands of them."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import cards_text
from tiltless.cards.evaluate import rank_all_hands
from tiltless.cards.matchups import HOLDING
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.games.holdem.history import decisions
from tiltless.games.holdem.notation import action_label, number_text
from tiltless.games.holdem.positions import seat_position
from tiltless.games.holdem.view import View
from tiltless.intervals import Interval, half_width_95
from tiltless.postflop.report import class_means
from tiltless.search.review import ReviewedDecision, boldness, is_unclear

__all__ = ["DecisionRow", "HandReview", "Option", "by_size", "decision_row"]

Vector = npt.NDArray[np.float64]
_RIVER = 5


class Option(NamedTuple):
    """An action of a decision.

    ev: in big blinds, where folding is 0, NaN if not known.  error: half of its 95 % interval; 0 if
    it was solved.  chance: how often the strategy takes it with this hand, NaN if it never could.
    """

    action: Action
    label: str
    ev: float
    error: float
    chance: float


class DecisionRow(NamedTuple):
    """A decision of the hero; chips are in big blinds.

    hand: the number of the hand in its file.  position: ``BTN``.  line: what happened before;
    story: the same in words, (street, words) for each street.
    pot: before the decision.  faced: whether there was a bet to call.
    taken, best: labels; best is empty if nothing is known.  cost: with its interval, or None.
    grade: of the lower end of the cost's interval, so that noise is no mistake.
    exploitability: of the solution in percent of the pot, NaN if it was not solved.
    equity: on the river, against the believed range, else NaN.
    actions, weight, strategy: of the grid: how often each of the 169 classes is there, and takes
    each of the actions, ``[169]`` and ``[169, actions]``.
    """

    hand: int
    street: str
    position: str
    cards: str
    board: str
    line: str
    story: tuple[tuple[str, str], ...]
    pot: float
    faced: bool
    taken: str
    action: Action
    best: str
    kind: str | None
    cost: Interval | None
    grade: str | None
    options: tuple[Option, ...]
    solved: bool
    exploitability: float
    equity: float
    note: str
    actions: tuple[Action, ...]
    weight: Vector
    strategy: Vector

    @property
    def verdict(self) -> str:
        """``mistake, too loose``; where the loss may be noise, ``unclear``; empty if not known."""
        if self.grade is None or self.cost is None:
            return ""
        if self.kind is None or self.grade not in ("best", "good"):
            return f"{self.grade}, {self.kind}" if self.kind else self.grade
        return "unclear" if is_unclear(self.grade, self.cost) else self.grade

    def chance(self, least: int, most: int) -> float:
        """How often the strategy does something of a `boldness` between two."""
        return sum(
            each.chance
            for each in self.options
            if each.chance > 0 and least <= boldness(each.action) <= most
        )


class HandReview(NamedTuple):
    """A reviewed hand.

    number: in its file.  rows: the hero's decisions, in order.  won: by the hero, in big blinds.
    note: why nothing of it was judged; else empty.
    """

    number: int
    rows: tuple[DecisionRow, ...]
    won: float
    note: str = ""

    @property
    def cost(self) -> float:
        """What all judged decisions cost."""
        return sum(row.cost.mean for row in self.rows if row.cost is not None)


def by_size(action: Action) -> tuple[int, int]:
    """The order in which people list actions; a mixture of two spots has one's raises first."""
    return boldness(action), action.chips if isinstance(action, RaiseTo) else 0


def decision_row(reviewed: ReviewedDecision, hand: int) -> DecisionRow:
    """The row of a decision."""
    view, unit, strategy = reviewed.view, reviewed.view.rules.big_blind, reviewed.strategy
    values, policy = dict(reviewed.values), dict(reviewed.policy)
    errors = dict(zip(values, reviewed.errors, strict=False))
    options = tuple(
        Option(
            action,
            _label(action, view),
            values.get(action, math.nan) / unit,
            half_width_95(errors.get(action, 0.0)) / unit,
            policy.get(action, math.nan),
        )
        for action in sorted({**policy, **values, reviewed.action: None}, key=by_size)
    )
    cost = None if reviewed.lost is None else reviewed.lost.scaled(1 / unit)
    actions = tuple(sorted(strategy.actions, key=by_size))
    columns = [strategy.actions.index(action) for action in actions]
    chances = strategy.chances[:, columns].astype(np.float64)
    possible = (chances.sum(axis=1) > 0).astype(np.float64)
    weight = np.where(possible > 0, reviewed.ranges[view.seat], 0.0)
    shares = class_means(chances, weight)
    return DecisionRow(
        hand,
        view.street_name,
        seat_position(view.seat, view.button, len(view.starting_stacks)),
        cards_text(view.cards),
        cards_text(view.board),
        _line(view),
        _story(view),
        view.pot / unit,
        view.to_call > 0,
        _label(reviewed.action, view),
        reviewed.action,
        "" if reviewed.best is None else _label(reviewed.best, view),
        reviewed.kind,
        cost,
        reviewed.grade,
        options,
        reviewed.solved,
        reviewed.exploitability,
        _equity(reviewed),
        reviewed.note,
        actions,
        np.nan_to_num(class_means(weight, possible)),
        np.where(np.isnan(shares), class_means(chances, possible), shares),
    )


def _label(action: Action, view: View) -> str:
    """``call``, ``bet 4.5bb (75%)``, ``raise to 9bb``, ``all-in 97bb``."""
    if not isinstance(action, RaiseTo):
        return str(action)
    chips = f"{number_text(round(action.chips / view.rules.big_blind, 2))}bb"
    whole = action_label(action, view.betting, view.pot)
    if whole.startswith("All-in"):
        return f"all-in {chips}"
    if view.betting.high:
        return f"raise to {chips}"
    return f"bet {chips} {whole[whole.index('(') :]}"


def _line(view: View) -> str:
    """What was done before a decision: ``r2.5 c / x b4``, in big blinds."""
    words, street, unit = list[str](), 0, view.rules.big_blind
    for past in decisions(view):
        if past.street != street:
            words, street = [*words, "/"], past.street
        if isinstance(past.action, RaiseTo):
            size = number_text(round(past.action.chips / unit, 2))
            words.append(f"{'r' if past.betting.high else 'b'}{size}")
        else:
            words.append({FOLD: "f", CHECK: "x", CALL: "c"}[past.action])
    return " ".join(words + ["/"] * (view.street != street))


def _story(view: View) -> tuple[tuple[str, str], ...]:
    """The same in words, by street: ``you raise to 2.5, opponent calls``."""
    told: dict[str, list[str]] = {}
    for past in decisions(view):
        who, verb = ("you", "") if past.seat == view.seat else ("opponent", "s")
        if isinstance(past.action, RaiseTo):
            size = number_text(round(past.action.chips / view.rules.big_blind, 2))
            done = f"raise{verb} to {size}" if past.betting.high else f"bet{verb} {size}"
        else:
            done = f"{past.action}{verb}"
        told.setdefault(view.rules.street_name(past.street), []).append(f"{who} {done}")
    return tuple((street, ", ".join(words)) for street, words in told.items())


def _equity(reviewed: ReviewedDecision) -> float:
    """On the river, the part of the pot at a showdown with the opponent's believed range."""
    view, combo = reviewed.view, reviewed.combo
    if combo is None or len(view.board) != _RIVER:
        return math.nan
    theirs = np.where(HOLDING[list(view.cards)].any(axis=0), 0.0, reviewed.ranges[1 - view.seat])
    values = rank_all_hands(view.board)
    won = theirs @ (values < values[combo]) + theirs @ (values == values[combo]) / 2
    return float(won / theirs.sum()) if theirs.any() else math.nan
