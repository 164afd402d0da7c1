"""Hand review: each decision of a finished hand, what the strategy does there, and what it cost.

The reviewed player's view of the finished hand is enough: own cards, the board, what everybody did,
and the hands that were shown. Hidden cards are neither needed nor looked for, and the hands shown
are used for nothing but the shower's own decisions.

**Turn and river** are solved again (`tiltless.postflop`), each from its start, with the sizes that
were really bet and the ranges that the strategy gives both players (`tiltless.search.beliefs`). So
there each action has an EV: against the solution's opponent, with the player's best play from
there on. A choice has a *cost*: the EV of the best action less that of the one taken, in chips.
With Q(h, a) such EVs and V = max Q, the costs of play s, each weighted by how often it comes there,
add up along every line to ``V(root) - value of s``. So actions drawn from the solution cost its own
exploitability, no more and no less, and a cost is uncertain by about that.

**Before the turn** a decision is compared with a known strategy, such as a blueprint; with
`tiltless.search.early_streets` its actions are valued by playouts, with intervals.

A cost is against the believed range, not against the cards that the opponent happened to have.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import COMBO_OF
from tiltless.cards.hand_order import STANDARD
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import Action, Fold, RaiseTo
from tiltless.games.holdem.history import PastStreet, streets, view_before
from tiltless.games.holdem.view import View
from tiltless.intervals import Interval
from tiltless.postflop.node import Node, find_node
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP
from tiltless.search.beliefs import EveryHand, Ranges, both_ranges, likelihood
from tiltless.search.budget import check_memory_for, grow_forests
from tiltless.search.early_streets import EarlyStreets
from tiltless.search.left_out import BOTH
from tiltless.search.solved import Subgame, kept_strategy
from tiltless.search.streets import Past, callable_line, street_start
from tiltless.search.subgame import RIVER_SIZES, TREMBLE, TURN_SIZES, Tremble, subgame_spot
from tiltless.seeding import mixed

__all__ = [
    "GRADES",
    "KINDS",
    "ReviewedDecision",
    "SolvedChances",
    "boldness",
    "grade",
    "is_unclear",
    "review_hand",
    "reviewable",
]

GRADES = {
    "best": 0.005,
    "good": 0.02,
    "inaccuracy": 0.06,
    "mistake": 0.2,
    "blunder": math.inf,
}
"""Five steps of what a choice cost, each with its upper limit as a share of the pot."""
KINDS = ("too loose", "too tight", "wrong size")
"""Kinds of mistakes: more than the best action (a call instead of a fold, a bet instead of a
check), less than it, or another bet."""

_BOTH = -1  # no seat's strategy is certain
_MIX = 0.002  # of a uniform strategy: enough that every action is possible
_MENUS = {2: TURN_SIZES, 3: RIVER_SIZES}
_UNTIL = 0.25  # percent of the pot
_SHARE = {2: 0.8, 3: 0.2}  # of the seconds
_STEPS = {2: 4, 3: 20}  # iterations between two looks at the clock
_TIMES = {2: 1, 3: 4}  # the iterations that are asked for; those of a river are cheap
_CHECK = 40  # iterations between two looks at the exploitability


class SolvedChances(NamedTuple):
    """The strategy of a solved node; see `tiltless.search.beliefs.EveryHand`."""

    actions: tuple[Action, ...]
    chances: npt.NDArray[np.float32]


class _Solved(NamedTuple):
    """A solved street, and its exploitability in percent of the pot."""

    subgame: Subgame
    exploitability: float


class ReviewedDecision(NamedTuple):
    """A decision of a finished hand.

    view: what the player saw; its cards are empty if they were not shown.  action: what was done,
    limited to chips that can be called if it was solved.
    strategy: of every hand; `solved` says by whom.  ranges: both believed ranges before the action,
    by seat, float64 ``[2, 1326]``.
    values: (action, chips) with the player's cards, where folding is 0; empty if nothing is known.
    errors: the standard error of each value where they are estimated; else empty.
    exploitability: of the solution, in percent of the pot; else NaN.
    lost: what the choice cost, with its interval; None if that is not known.  best: the action that
    it is compared with.  note: why a decision was not judged.
    """

    view: View
    action: Action
    strategy: EveryHand
    ranges: Ranges
    solved: bool = False
    values: tuple[tuple[Action, float], ...] = ()
    exploitability: float = math.nan
    errors: tuple[float, ...] = ()
    lost: Interval | None = None
    best: Action | None = None
    note: str = ""

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
        """What the choice cost in chips; None if that is not known.

        0 or more where the street was solved; an estimate may be below 0.
        """
        return None if self.lost is None else self.lost.mean

    @property
    def grade(self) -> str | None:
        """One of `GRADES`, of the lower end of the cost's interval, so that noise is no mistake."""
        return None if self.lost is None else grade(self.lost.low, self.view.pot)

    @property
    def kind(self) -> str | None:
        """One of `KINDS`; None if the best action was taken, or none is known."""
        if self.best is None or self.best == self.action:
            return None
        more, less = boldness(self.action), boldness(self.best)
        return KINDS[0] if more > less else KINDS[1] if more < less else KINDS[2]


def boldness(action: Action) -> int:
    """0 fold, 1 check or call, 2 bet or raise."""
    return 0 if isinstance(action, Fold) else 2 if isinstance(action, RaiseTo) else 1


def grade(cost: float, pot: float) -> str:
    """One of `GRADES` for a cost and a pot in the same unit."""
    return next(name for name, share in GRADES.items() if cost <= share * pot)


def is_unclear(grade: str, cost: Interval) -> bool:
    """Whether a choice seems worse than another only as far as noise goes.

    The cost of an action that is the best itself has no width.
    """
    return grade in ("best", "good") and cost.half_width > 0


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
    iterations: int | None = None,
    threads: int = 1,
    stop: Callable[[], bool] | None = None,
    seats: Sequence[int] = (0, 1),
    early: EarlyStreets | None = None,
    seed: int = 0,
) -> Iterator[ReviewedDecision]:
    """All decisions of a finished hand, in order.

    view: the hand as the reviewed player saw it, see `reviewable`.  known: a strategy for every
    hand at a decision, such as `BlueprintAgent.policies`.
    seconds: for solving, in total.  iterations: of a turn instead of seconds; of a river, four
    times as many.
    stop: asked about ten times a second; what has no value by then is compared with ``known``.
    seats: whose decisions; streets after their last one are not solved.
    early: values decisions before the turn.  seed: of its playouts.
    A street whose tree is too large is not solved.
    """
    if not reviewable(view):
        raise OptionError("only finished heads-up hands of nlhe are reviewed; play one to its end")
    cards = {**dict(view.shown), view.seat: view.cards}
    solved: dict[int, _Solved] = {}
    past_streets = streets(view)
    last = max(
        (past.before for each in past_streets for past in each.decisions if past.seat in seats),
        default=-1,
    )
    for street in past_streets:
        if not street.decisions or street.before > last:
            continue
        first = view_before(view, street.decisions[0])
        if street.street in _MENUS:
            ranges = _ranges(first, known, solved)
            limit = None if iterations else _SHARE[street.street] * seconds
            most = iterations and iterations * _TIMES[street.street]
            subgame = _solve(view, street, ranges, limit, most, threads, stop, seats)
            if subgame is not None:
                solved[street.street] = _Solved(subgame, subgame.solver.exploitability())
        for past in street.decisions:
            if past.seat in seats:
                here = view_before(view, past)._replace(cards=cards.get(past.seat, ()))
                ranges = _ranges(here, known, solved, inside=True)
                if street.street in solved:
                    yield _solved(here, past.action, ranges, solved[street.street])
                else:
                    row = ReviewedDecision(here, past.action, known(here), ranges)
                    over = stop is not None and stop()
                    yield _estimated(row, None if over else early, seed)


def _solved(view: View, action: Action, ranges: Ranges, solved: _Solved) -> ReviewedDecision:
    """A decision on a solved street."""
    subgame = solved.subgame
    node = _node(subgame, view)
    (taken,) = callable_line((action,), street_start(view).stack)
    row = ReviewedDecision(
        view,
        taken,
        SolvedChances(node.actions, subgame.strategy_at(node).astype(np.float32)),
        ranges,
        True,
        exploitability=solved.exploitability,
    )
    if row.combo is None:
        return row
    values = subgame.best_values(node, row.combo)
    if not values:
        return row._replace(note="the believed range leaves the opponent no hand")
    found = dict(zip(node.actions, values, strict=True))
    best = max(found, key=found.__getitem__)
    lost = found[best] - found[taken] if best != taken else 0.0
    return row._replace(values=tuple(found.items()), lost=Interval(lost, lost, lost), best=best)


def _estimated(row: ReviewedDecision, early: EarlyStreets | None, seed: int) -> ReviewedDecision:
    """A decision on a street that was not solved, valued by playouts where that is possible."""
    view = row.view
    if view.street in _MENUS:
        return row._replace(note="the street was not solved: its tree is too large, or no time")
    if early is None or not view.cards:
        return row._replace(note="decisions before the turn are valued by playouts alone")
    try:
        found = early.values(
            view, row.action, row.ranges[1 - view.seat], mixed(seed, len(view.moves))
        )
    except OptionError as problem:
        return row._replace(note=str(problem))
    means = found.estimate.means
    return row._replace(
        values=tuple((each, mean) for each, (mean, _) in zip(found.actions, means, strict=True)),
        errors=tuple(error for _, error in means),
        lost=found.estimate.cost,
        best=found.actions[found.estimate.best],
    )


def _ranges(
    view: View,
    known: Callable[[View], EveryHand],
    solved: dict[int, _Solved],
    inside: bool = False,
) -> Ranges:
    """Both ranges at the start of the street of a view, or inside of it at the decision."""

    def in_force(past: Past) -> EveryHand:
        found = solved.get(past.view.street)
        if found is None:
            return known(past.view)
        node = _node(found.subgame, past.view)
        return SolvedChances(node.actions, kept_strategy(node).astype(np.float32))

    until = None if inside else view.street
    return both_ranges(view, in_force, own=_BOTH, uniform_mix=_MIX, streets=until)


def _solve(
    view: View,
    street: PastStreet,
    ranges: Ranges,
    seconds: float | None,
    iterations: int | None,
    threads: int,
    stop: Callable[[], bool] | None,
    seats: Sequence[int],
) -> Subgame | None:
    """The solved street with its whole line in the tree; None if the tree is too large.

    Reviewed players tremble (`Tremble`), so that the other learns to answer what they hardly do.
    """
    if stop is not None and stop():
        return None
    start = street_start(view_before(view, street.decisions[0]))
    line = callable_line(street.line, start.stack)
    ip, begin = view.button, time.perf_counter()
    spot = subgame_spot(start, ranges[ip], ranges[1 - ip], _MENUS[street.street], BOTH)
    try:
        forests = grow_forests(spot, line)
        check_memory_for(spot, forests)
    except OptionError:
        return None
    solver = PostflopSolver(spot, played=line, threads=threads, forests=forests)
    trembles = [Tremble(solver, IP if seat == ip else OOP, TREMBLE) for seat in seats]

    def over() -> bool:
        late = seconds is not None and time.perf_counter() - begin >= seconds
        return late or (stop is not None and stop())

    most = iterations or math.inf
    while solver.iterations < most and not (solver.iterations and over()):
        solver.run(int(min(_STEPS[street.street], most - solver.iterations)))
        for tremble in trembles:
            tremble()
        late = iterations is None and not solver.iterations % _CHECK
        if late and solver.exploitability() <= _UNTIL:
            break
    return Subgame(solver, "fixed-range", 1.0, time.perf_counter() - begin)


def _node(subgame: Subgame, view: View) -> Node:
    return find_node(subgame.solver, street_start(view).line)
