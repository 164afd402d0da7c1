"""Subgames: the rest of a hand from the start of its street, solved with both ranges.

The tree has the bets that were really made, on the menu or not, and those of a menu. It is solved
in one of three ways (`SAFETY`):

* ``none``: both ranges are taken as they are (unsafe search).
* ``gadget``, ``max-margin``: the opponent may do otherwise, see `tiltless.search.gadget`. The
  alternative values are those of a best response to the blueprint within this tree: one pass over
  it with the blueprint's strategy in it (`tiltless.search.blueprint_policy`). So the blueprint
  itself keeps to them, in this tree, also after bets that it does not know. What is promised to the
  hands of an opponent holds only where nobody is believed; `TRUST` gives part of it up, and says
  why.

The opponent's strategy has a small uniform part on the first street (`Tremble`), so that nothing
becomes impossible, and there is something to know after any bet.

A warm start takes the blueprint for the first strategy. Solving stops at a time or after so many
iterations, by default a thousand; who asks for less time than the first few take gets None.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tiltless.cards.card import COMBO_CARDS, COMBO_COUNT
from tiltless.cards.ranges import Range
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import Action
from tiltless.kernels.postflop.decision import lift
from tiltless.kernels.postflop.street import ACTIONS, ACTOR, BEST, ROW
from tiltless.postflop.node import Node, find_node
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP, Spot, unblocked
from tiltless.search.beliefs import Vector
from tiltless.search.blueprint_policy import BlueprintPolicy, Table
from tiltless.search.budget import MOST_NODES, check_memory_for, grow_forests
from tiltless.search.gadget import FixedRange, Gadget, MaxMarginGadget, ResolvingGadget
from tiltless.search.streets import StreetStart
from tiltless.validate import brief

__all__ = [
    "RIVER_SIZES",
    "SAFETY",
    "TREMBLE",
    "TRUST",
    "TURN_SIZES",
    "WARM",
    "Subgame",
    "Tremble",
    "alternatives",
    "hands_apart",
    "iterate",
    "make_entry",
    "one_iteration",
    "solve_subgame",
    "strategy_at",
    "subgame_spot",
    "warm_start",
]

TRUST = {"none": 1.0, "gadget": 0.75, "max-margin": 0.98}
"""The part of the time that an opponent is believed, by kind of safety; see
`tiltless.search.gadget`. 0, as in the papers, is safe, and loses to our blueprint; what these give
up, and gain, is measured in docs/decisions/0007-search.md."""
SAFETY = tuple(TRUST)
WARM = 0.3
"""The weight of the blueprint in a warm start, in iterations."""
TREMBLE = 0.01
"""How much of an opponent's play is anything, while a street is solved."""
RIVER_SIZES = "50%, 100%, a / 50%, a; force 15%"
TURN_SIZES = "75%, a / 75%, a; river: 75%, a / a; force 15%"

_LEAST = 1e-5  # of the largest weight: for hands that should not be there, but may be asked about
_FEWEST, _MOST = 8, 1000  # iterations that are worth anything, and after which more are not
_TREMBLING = 100  # decisions
_STEPS = 4  # iterations on the river between two looks at the clock


def subgame_spot(start: StreetStart, ip: Vector, oop: Vector, sizes: str) -> Spot:
    """The spot of a street with two ranges; every hand that the board allows has some weight."""
    free = np.ones(COMBO_COUNT, np.bool_)
    free[np.isin(COMBO_CARDS, start.board).any(axis=1)] = False
    both = []
    for weights in (ip, oop):
        scaled = np.maximum(weights / max(weights.max(), 1e-300), _LEAST)
        both.append(Range.from_weights(np.where(free, scaled, 0.0)))
    return Spot(
        start.board,
        ip=both[0],
        oop=both[1],
        pot=start.pot,
        stack=start.stack,
        bets=sizes,
        big_blind=start.smallest,
        aggressor=start.aggressor,
    )


@dataclass(frozen=True)
class Subgame:
    """A solved rest of a hand.

    solver: with the tree and the strategies.  safe: one of `SAFETY`, as it was done.  seconds: what
    it took.
    """

    solver: PostflopSolver
    safe: str
    seconds: float

    def place(self, line: Sequence[Action]) -> Node | None:
        """Where a line leads; None if the tree does not have it."""
        place = find_node(self.solver)
        for action in line:
            if action not in place.actions:
                return None
            place = place.after(action)
        return place


def strategy_at(place: Node) -> Vector:
    """What every hand does, float64 ``[1326, actions]``; zeros for those that the board rules out.

    The average strategy. Hands that it never brings here have no average; they follow their
    regrets, which are known of all hands.
    """
    solver, actor = place.solver, place.actor
    count = len(place.combos(actor))
    average, regret = (
        solver.rows(table, place.level, place.number, place.node)[:, :count].T
        for table in (solver.tables.average, solver.tables.regret)
    )
    actions = average.shape[1]
    total = average.sum(axis=1, dtype=np.float64)
    come = total > 1e-4 * _LEAST * max(float(total.max()), 1e-30)
    shares = average / np.where(come, total, 1)[:, None]
    if not come.all():
        plus = np.maximum(regret[~come], 0).astype(np.float64)
        best = np.eye(actions)[regret[~come].argmax(axis=1)]
        sums = plus.sum(axis=1, keepdims=True)
        shares[~come] = np.where(sums > 0, plus / np.where(sums > 0, sums, 1), best)
    found = np.zeros((COMBO_COUNT, actions))
    found[place.combos(actor)] = shares
    return found


def alternatives(solver: PostflopSolver, table: Table, opponent: int) -> Vector:
    """What each hand of an opponent gets by a best response to a strategy, times our reach.

    table: see `BlueprintPolicy.table`. In the order of the solver's hands.
    """
    kept = solver.tables.average.copy()
    solver.tables.average[:] = table
    cfv: Vector = solver.root_values(opponent, BEST).astype(np.float64)
    solver.tables.average[:] = kept
    return cfv[: len(solver.boards[0].combos[0][opponent])]


def hands_apart(solver: PostflopSolver, player: int) -> Vector:
    """The other's weight of hands that leave each hand of a player possible, at the root."""
    weights = np.zeros(COMBO_COUNT)
    combos = solver.boards[0].combos[0]
    weights[combos[1 - player]] = solver.start(1 - player)[: len(combos[1 - player])]
    return unblocked(weights)[combos[player]]


def warm_start(solver: PostflopSolver, table: Table, weight: float) -> None:
    """Make a strategy the first one: regrets as large as some iterations' would be.

    ``R(h, a) = weight * p(h, a) * pot / 2 * (the opponent's reach of the node)``; the reach is that
    of the street's first board. On a later street it is shared among the cards that may come, which
    the solver's reach is not: a start there that is soon forgotten, and better than a strong one.
    """
    regret = solver.tables.regret
    mass = [np.array([float(solver.start(player).sum())]) for player in (IP, OOP)]
    for level, made in enumerate(solver.forests):
        come = [np.zeros(made.nodes) for _ in (IP, OOP)]
        for player in (IP, OOP):
            come[player][: len(mass[player])] = mass[player]
        for n, (actor, first, actions, _) in enumerate(made.forest.node.tolist()):
            if actor < 0:
                continue
            mean = solver.rows(table, level, 0, n).sum(axis=1)
            come[actor][first : first + actions] = come[actor][n] * mean / max(mean.sum(), 1e-30)
            come[1 - actor][first : first + actions] = come[1 - actor][n]
            pot = solver.spot.pot + sum(solver.spot.stack - left for left in made.betting[n].stacks)
            scale = weight * pot / 2 * come[1 - actor][n]
            for board in range(len(solver.boards[level])):
                rows = solver.rows(table, level, board, n)
                np.multiply(rows, scale, out=solver.rows(regret, level, board, n))
        left = 1 / max(52 - len(solver.boards[level].boards[0]) - 4, 1)
        mass = [come[player][made.forest.next] * left for player in (IP, OOP)]


def make_entry(
    solver: PostflopSolver,
    safe: str,
    table: Table | None,
    opponent: int,
    trust: float | None = None,
) -> Gadget:
    """How the opponent comes to a subgame: one of `SAFETY`.

    table: the blueprint's strategy, for alternative values; None: nothing is safe.
    believed: instead of `TRUST`.
    """
    if safe not in SAFETY:
        raise OptionError(f"safe={brief(safe)} is not known; use one of {', '.join(SAFETY)}")
    deal = solver.start(opponent)[: len(solver.boards[0].combos[0][opponent])].astype(np.float64)
    if safe == "none" or table is None:
        return FixedRange(deal)
    alternative = alternatives(solver, table, opponent)
    trust = TRUST[safe] if trust is None else trust
    if safe == "gadget":
        return ResolvingGadget(alternative, deal, trust)
    return MaxMarginGadget(alternative, hands_apart(solver, opponent), deal, trust)


class Tremble:
    """Lets a player do everything on the first street now and then, with every hand.

    In a large tree only at the decisions that come first, for the time that it takes.
    Each of n actions, in the next iteration, at least ``share / n`` of the time, or a little less.
    So the other learns what to do after bets that would hardly ever be made, and what hands they
    are made with.
    Safe search does so in every iteration; unsafe search, which does some iterations of a river at
    a time, after each of these.
    """

    def __init__(self, solver: PostflopSolver, player: int, share: float) -> None:
        node, arrays = solver.forests[0].forest.node, solver.boards[0].arrays
        acts = node[node[:, ACTOR] == player][:_TREMBLING]
        self.player, self.share, self.regret = player, share, solver.tables.regret
        self.width = int(arrays.width[0, player])
        begin = int(arrays.row[0, player]) + acts[:, ROW].astype(np.uint64) * self.width
        self.rows = np.stack([begin, acts[:, ACTIONS].astype(np.uint64)], axis=1)

    def __call__(self) -> None:
        """Lift regrets; to be done after the player has learned."""
        if self.share > 0:
            lift(self.regret, self.rows, self.width, self.share)


def solve_subgame(
    spot: Spot,
    line: Sequence[Action],
    player: int,
    *,
    safe: str = "none",
    guide: BlueprintPolicy | None = None,
    root: int = -1,
    trust: float | None = None,
    tremble: float = TREMBLE,
    warm: float = WARM,
    seconds: float | None = None,
    iterations: int | None = None,
    patient: bool = False,
    most: int = MOST_NODES,
    threads: int = 1,
    now: Callable[[], float] = time.perf_counter,
) -> Subgame | None:
    """Solve a spot for one of its players, until the time or the iterations are over.

    line: bets that the tree must have.  player: `IP` or `OOP`.  guide, root: a blueprint, and its
    node at the start of the street; without them nothing is safe, and the start is cold.
    tremble: of the opponent, see `Tremble`.
    patient: do the first few iterations in any case, never None.  most: nodes, times boards; a
    larger tree is a `TooLargeError` before anything is made for it.
    """
    begin = now()

    def over() -> bool:
        return not patient and seconds is not None and now() - begin > seconds

    forests = grow_forests(spot, line, most)
    check_memory_for(spot, forests)
    solver = PostflopSolver(spot, played=line, threads=threads, forests=forests)
    table = None
    if guide is not None and root >= 0 and (safe != "none" or warm > 0):
        table = guide.table(solver, root, over)
        if table is None:
            return None
    else:
        safe = "none" if safe in SAFETY else safe  # refused below
    if over():
        return None
    entry = make_entry(solver, safe, table, 1 - player, trust)
    if table is not None and warm > 0:
        warm_start(solver, table, warm)
    done = iterate(
        solver,
        entry,
        player,
        tremble=tremble,
        begin=begin,
        seconds=seconds,
        iterations=iterations,
        patient=patient,
        now=now,
    )
    if not done:
        return None
    combos = solver.boards[0].combos[0][1 - player]
    solver.start(1 - player)[: len(combos)] = spot.weights[1 - player][combos]  # as it is believed
    return Subgame(solver, safe, now() - begin)


def iterate(
    solver: PostflopSolver,
    entry: Gadget,
    player: int,
    *,
    tremble: float = TREMBLE,
    begin: float,
    seconds: float | None,
    iterations: int | None,
    patient: bool = False,
    now: Callable[[], float] = time.perf_counter,
) -> bool:
    """Iterate until the time since ``begin`` or the iterations are over.

    The next iterations are done only if there is time for them, judged by the last ones. False if
    there was no time for the fewest that are worth anything.
    """
    most = _MOST if iterations is None else iterations
    steps = _STEPS if len(solver.forests) == 1 else 1
    opponent = Tremble(solver, 1 - player, tremble)
    opponent()
    before, longest = now(), 0.0
    while solver.iterations < most:
        over = seconds is not None and before - begin + longest > seconds
        if over and not (patient and solver.iterations < _FEWEST):
            break
        some = min(steps, most - solver.iterations)
        if isinstance(entry, FixedRange):
            solver.run(some)
            opponent()
        else:
            for _ in range(some):
                one_iteration(solver, entry, opponent)
        after = now()
        longest = max(0.7 * longest, after - before)
        before = after
    return solver.iterations >= min(_FEWEST, most)


def one_iteration(solver: PostflopSolver, entry: Gadget, tremble: Tremble) -> None:
    """Both players learn, and the opponent learns with what to come; tremble: the opponent's."""
    opponent, t = tremble.player, solver.iterations + 1
    come = solver.start(opponent)
    for traverser in (OOP, IP):
        cfv = solver.learn(traverser)
        if traverser == opponent:
            tremble()
            entry.learn(cfv[: len(entry.weights)], t)
            come[: len(entry.weights)] = entry.weights
