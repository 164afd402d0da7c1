"""Hand review: each decision of a finished hand, what the strategy does there, and what it cost.

The reviewed player's view of the finished hand is enough: own cards, the board, what everybody did,
and the hands that were shown. Hidden cards are neither needed nor looked for.

Before the turn a decision is compared with a known strategy, such as a blueprint. On the turn and
the river the street is solved again (`tiltless.postflop`), from its start, with the sizes that were
really bet and the ranges that the strategy gives both players (`tiltless.search.beliefs`), so there
each action has an EV, and the choice a *cost*: the EV of the best action less that of the one
taken, in chips. A cost is against the solution's opponent with the believed range, not against the
cards that the opponent happened to have; it is uncertain by about the exploitability.
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import COMBO_OF
from tiltless.cards.hand_order import STANDARD
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import Action
from tiltless.games.holdem.history import PastStreet, streets, view_before
from tiltless.games.holdem.view import View
from tiltless.postflop.node import Node, find_node
from tiltless.postflop.report import HandReport, hand_report
from tiltless.postflop.solver import PostflopSolver
from tiltless.search.beliefs import EveryHand, Ranges, both_ranges, likelihood
from tiltless.search.budget import grow_forests
from tiltless.search.streets import Past, callable_line, street_start
from tiltless.search.subgame import RIVER_SIZES, TURN_SIZES, subgame_spot

__all__ = ["GRADES", "ReviewedDecision", "SolvedChances", "grade", "review_hand", "reviewable"]

GRADES = {
    "best": 0.005,
    "good": 0.02,
    "inaccuracy": 0.06,
    "mistake": 0.2,
    "blunder": math.inf,
}
"""Five steps of what a choice cost, each with its upper limit as a share of the pot."""

_BOTH = -1  # no seat's strategy is certain
_MENUS = {2: TURN_SIZES, 3: RIVER_SIZES}
_UNTIL = 0.25  # percent of the pot
_SHARE = {2: 0.8, 3: 0.2}  # of the seconds


class SolvedChances(NamedTuple):
    """The strategy of a solved node; see `tiltless.search.beliefs.EveryHand`."""

    actions: tuple[Action, ...]
    chances: npt.NDArray[np.float32]


class ReviewedDecision(NamedTuple):
    """A decision of a finished hand.

    view: what the player saw; its cards are empty if they were not shown.  action: what was done,
    limited to chips that can be called if it was solved.
    strategy: of every hand; `solved` says by whom.  ranges: both believed ranges before the action,
    by seat, float64 ``[2, 1326]``.
    values: (action, chips) with the player's cards, where folding is 0; empty if it was not solved
    or the cards are not known.  exploitability: of the solution, in percent of the pot; else NaN.
    """

    view: View
    action: Action
    strategy: EveryHand
    ranges: Ranges
    solved: bool = False
    values: tuple[tuple[Action, float], ...] = ()
    exploitability: float = math.nan

    @property
    def combo(self) -> int | None:
        """The index of the player's hand; None if it is not known."""
        return int(COMBO_OF[self.view.cards[0], self.view.cards[1]]) if self.view.cards else None

    @property
    def policy(self) -> tuple[tuple[Action, float], ...]:
        """(action, probability) with the player's cards; empty if they are not known."""
        if self.combo is None:
            return ()
        row = self.strategy.chances[self.combo].tolist()
        return tuple(zip(self.strategy.actions, row, strict=True))

    @property
    def prob(self) -> float | None:
        """How often the strategy does the same with this hand; None if that is not known."""
        chances = likelihood(self.view, self.strategy, self.action)
        return None if self.combo is None or chances is None else float(chances[self.combo])

    @property
    def cost(self) -> float | None:
        """What the choice cost in chips, 0 or more; None if it was not solved."""
        values = dict(self.values)
        if self.action not in values:
            return None
        return max(values.values()) - values[self.action]


def grade(cost: float, pot: float) -> str:
    """One of `GRADES` for a cost and a pot in the same unit."""
    return next(name for name, share in GRADES.items() if cost <= share * pot)


def reviewable(view: View) -> bool:
    """Whether a hand can be reviewed: two players of no-limit hold'em, and it is over."""
    rules = view.rules
    return (
        view.is_over
        and len(view.starting_stacks) == 2
        and rules.hole_cards == 2
        and rules.hand_order == STANDARD
        and not rules.run_suits
        and view.game == "nlhe"
    )


def review_hand(
    view: View,
    known: Callable[[View], EveryHand],
    *,
    seconds: float = 5.0,
    threads: int = 1,
    stop: Callable[[], bool] | None = None,
) -> Iterator[ReviewedDecision]:
    """All decisions of a finished hand, in order.

    view: the hand as the reviewed player saw it, see `reviewable`.  known: a strategy for every
    hand at a decision, such as `BlueprintAgent.policies`.  seconds: for solving, in total.
    stop: asked about ten times a second; what is not solved by then is compared with ``known``.
    A street whose tree is too large is not solved.
    """
    if not reviewable(view):
        raise OptionError("only finished heads-up hands of nlhe are reviewed; play one to its end")
    cards = {**dict(view.shown), view.seat: view.cards}
    solved: dict[int, PostflopSolver] = {}
    for street in streets(view):
        if not street.decisions:
            continue
        first = view_before(view, street.decisions[0])
        if street.street in _MENUS:
            ranges = _ranges(first, known, solved)
            limit = _SHARE[street.street] * seconds
            solver = _solve(view, street, ranges, limit, threads, stop)
            if solver is not None:
                solved[street.street] = solver
        for past in street.decisions:
            here = view_before(view, past)._replace(cards=cards.get(past.seat, ()))
            yield _reviewed(here, past.action, known, solved)


def _reviewed(
    view: View,
    action: Action,
    known: Callable[[View], EveryHand],
    solved: dict[int, PostflopSolver],
) -> ReviewedDecision:
    ranges = _ranges(view, known, solved, inside=True)
    solver = solved.get(view.street)
    if solver is None:
        return ReviewedDecision(view, action, known(view), ranges)
    report = _report(solver, view)
    values: tuple[tuple[Action, float], ...] = ()
    if view.cards:
        row = (report.action_ev[int(COMBO_OF[view.cards[0], view.cards[1]])] + 0.0).tolist()
        if not any(map(math.isnan, row)):
            values = tuple(zip(report.node.actions, row, strict=True))
    (taken,) = callable_line((action,), street_start(view).stack)
    strategy, lost = _chances(report.node), solver.exploitability()
    return ReviewedDecision(view, taken, strategy, ranges, True, values, lost)


def _ranges(
    view: View,
    known: Callable[[View], EveryHand],
    solved: dict[int, PostflopSolver],
    inside: bool = False,
) -> Ranges:
    """Both ranges at the start of the street of a view, or inside of it at the decision."""

    def in_force(past: Past) -> EveryHand:
        solver = solved.get(past.view.street)
        return known(past.view) if solver is None else _chances(_node(solver, past.view))

    return both_ranges(view, in_force, own=_BOTH, streets=None if inside else view.street)


def _solve(
    view: View,
    street: PastStreet,
    ranges: Ranges,
    seconds: float,
    threads: int,
    stop: Callable[[], bool] | None,
) -> PostflopSolver | None:
    """The solved street with its whole line in the tree; None if the tree is too large."""
    if stop is not None and stop():
        return None
    start = street_start(view_before(view, street.decisions[0]))
    line = callable_line(street.line, start.stack)
    ip = view.button
    spot = subgame_spot(start, ranges[ip], ranges[1 - ip], _MENUS[street.street])
    try:
        forests = grow_forests(spot, line)
        solver = PostflopSolver(spot, played=line, threads=threads, forests=forests)
    except OptionError:  # too large for this machine
        return None
    solver.solve(_UNTIL, seconds=seconds, stop=stop)
    return solver


def _node(solver: PostflopSolver, view: View) -> Node:
    return find_node(solver, street_start(view).line)


def _report(solver: PostflopSolver, view: View) -> HandReport:
    node = _node(solver, view)
    return hand_report(node, node.actor, equity=False)


def _chances(node: Node) -> SolvedChances:
    return SolvedChances(node.actions, node.strategy.astype(np.float32))
