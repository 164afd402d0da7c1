"""Subgames: the rest of a hand from the start of its street, solved with both ranges.

The tree has the bets that were actually made, on the menu or not, and those of a menu. It is solved
in one of three ways (`ENTRIES`), which differ in the hands with which the opponent enters it:

* ``fixed-range``: those that we believe it has (unsafe search).
* ``resolving-gadget``, ``max-margin``: in part those that it chooses, see `tiltless.search.gadget`.
  The alternative values are those of a best response to the blueprint within this tree: one pass
  with the blueprint's strategy in it (`tiltless.search.blueprint_policy`). So the blueprint itself
  satisfies them in this tree, even after bets that are not in its own. That no hand gains more
  than its alternative value is guaranteed only with a trust of 0, which is not the default (`TRUST`
  says why); with the default, these are mixtures of unsafe and safe search.

The opponent's strategy is mixed with a small uniform part on the first street (`Tremble`), so that
no action becomes impossible and the response to every bet is learned.

A warm start uses the blueprint as the first strategy. Solving stops at a time limit or after a
number of iterations, by default a thousand; if there is no time for the first few, the result is
None.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from tiltless.cards.card import COMBO_COUNT
from tiltless.cards.matchups import HOLDING
from tiltless.cards.ranges import Range
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import Action
from tiltless.kernels.postflop.decision import lift
from tiltless.kernels.postflop.street import ACTIONS, ACTOR, BEST, ROW
from tiltless.postflop.node import Node, find_node
from tiltless.postflop.run_spot import RunSpot
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP, Spot, unblocked
from tiltless.search.beliefs import Vector
from tiltless.search.blueprint_policy import BlueprintPolicy, Roots, Table, has_root
from tiltless.search.budget import MOST_NODES, check_memory_for, grow_forests
from tiltless.search.gadget import FixedRange, Gadget, MaxMarginGadget, ResolvingGadget
from tiltless.search.left_out import LEAST, Values, best_responses, kept_ranges
from tiltless.search.past_play import OwnDecision, lock_past
from tiltless.search.streets import StreetStart
from tiltless.validate import brief

__all__ = [
    "ENTRIES",
    "RED_SIZES",
    "RIVER_SIZES",
    "TREMBLE",
    "TRUST",
    "TURN_SIZES",
    "WARM",
    "Subgame",
    "Tremble",
    "alternatives",
    "carried_values",
    "hands_apart",
    "iterate",
    "kept_strategy",
    "make_entry",
    "one_iteration",
    "solve_subgame",
    "subgame_spot",
    "warm_start",
]

TRUST = {"fixed-range": 1.0, "resolving-gadget": 0.75, "max-margin": 0.98}
"""The probability that the opponent enters with its believed range, by kind of entry; see
`tiltless.search.gadget`. 0, as in the papers, is safe but loses to our blueprint; what these values
give up and gain is measured in docs/decisions/0007-search.md."""
CARRIED_TRUST = {**TRUST, "max-margin": 0.9}
"""The same where alternative values are carried from a solved street; measured in
docs/decisions/0009-re-solving.md."""
ENTRIES = tuple(TRUST)
FIXED = ENTRIES[0]
WARM = 0.3
"""The weight of the blueprint in a warm start, in iterations."""
TREMBLE = 0.01
"""The uniform part of the opponent's strategy while a street is solved."""
RIVER_SIZES = "50%, 100%, a / 50%, a; force 15%"
TURN_SIZES = "75%, a / 75%, a; river: 75%, a / a; force 15%"
RED_SIZES = "75%, a / a; river: 75%, a / a; force 15%"
"""For boards that go on past the river: this street's, and the next one's if it has bets."""

_REACHED = 1e-9  # of the largest total: a hand with less of an average has not reached a node
_FEWEST = 8, 16  # iterations of a river, and of more streets, with fewer of which there is no
# result: a turn with 8 is worse than the blueprint (docs/decisions/0009-re-solving.md)
_MOST = 1000  # more do not help
_TREMBLING = 100  # decisions with a tremble, at most
_STEPS = 4  # iterations on the river between two checks of the clock


def subgame_spot(
    start: StreetStart,
    ip: Vector,
    oop: Vector,
    sizes: str,
    searcher: int | None = None,
    least: float = LEAST,
    *,
    run_suits: str = "",
    bets_after: bool = False,
) -> Spot:
    """The spot of a street with two ranges.  searcher, least: see `kept_ranges`.

    run_suits, bets_after: of a `RunSpot`, in games whose board may grow past the river.
    """
    kept = kept_ranges(start.board, ip, oop, searcher, least)
    both = [Range.from_weights(weights) for weights in kept]
    made = partial(RunSpot, run_suits=run_suits, bets_after=bets_after) if run_suits else Spot
    return made(
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
    """A solved subgame.

    solver: has the tree and the strategies.  entry, trust: how the opponent entered, one of
    `ENTRIES`, and how often with its believed range.  seconds: the time that it took.
    """

    solver: PostflopSolver
    entry: str
    trust: float
    seconds: float
    _responses: dict[int, Values] = field(default_factory=dict, repr=False, compare=False)

    def node_at(self, line: Sequence[Action]) -> Node | None:
        """The node that a line leads to; None if it is not in the tree."""
        node = find_node(self.solver)
        for action in line:
            if action not in node.actions:
                return None
            node = node.after(action)
        return node

    def responses(self, player: int) -> Values:
        """`best_responses` of a player, computed when somebody asks for a left-out hand."""
        if player not in self._responses:
            self._responses[player] = best_responses(self.solver, player)
        return self._responses[player]

    def strategy_at(self, node: Node) -> Vector:
        """The strategy of every hand on the first street, float64 ``[1326, actions]``.

        Hands that were left out play a best response; hands that the board blocks have zeros.
        """
        strategy = kept_strategy(node)
        out = np.logical_not(HOLDING[list(node.board)].any(axis=0))
        out[node.combos(node.actor)] = False
        if out.any():
            values = self.responses(node.actor)[node.forest.children(node.index)]
            strategy[out, values[:, out].argmax(axis=0)] = 1
        return strategy

    def values_at(self, node: Node, combo: int) -> list[float]:
        """Chips that a hand of the actor wins with each action of a node, relative to folding now.

        Of a hand that was left out, with best play from there on.
        """
        player, solver, children = node.actor, self.solver, node.forest.children(node.index)
        others = float(unblocked(node.reaches[1 - player])[combo])
        if others <= 0:
            return [0.0] * len(children)
        (hand,) = np.nonzero(node.combos(player) == combo)
        if len(hand):
            cfv = solver.cfv(node.street_index, node.board_index, player)[:, int(hand[0])]
        else:
            cfv = self.responses(player)[:, combo]
        lost = solver.spot.pot / 2 + solver.spot.stack - node.betting.stacks[player]
        return [float(cfv[child]) / others + lost for child in children]


def kept_strategy(node: Node) -> Vector:
    """The strategy of the hands in the tree, float64 ``[1326, actions]``; zeros for others.

    It is the average strategy. Hands that never reach the node have no average; they use regret
    matching, as regrets exist for all hands.
    """
    solver, actor = node.solver, node.actor
    count = len(node.combos(actor))
    average, regret = (
        solver.rows(table, node.street_index, node.board_index, node.index)[:, :count].T
        for table in (solver.tables.average, solver.tables.regret)
    )
    actions = average.shape[1]
    total = average.sum(axis=1, dtype=np.float64)
    reached = total > _REACHED * max(float(total.max()), 1e-30)
    probs = average / np.where(reached, total, 1)[:, None]
    if not reached.all():
        plus = np.maximum(regret[~reached], 0).astype(np.float64)
        best = np.eye(actions)[regret[~reached].argmax(axis=1)]
        sums = plus.sum(axis=1, keepdims=True)
        probs[~reached] = np.where(sums > 0, plus / np.where(sums > 0, sums, 1), best)
    strategy = np.zeros((COMBO_COUNT, actions))
    strategy[node.combos(actor)] = probs
    return strategy


def alternatives(solver: PostflopSolver, table: Table, opponent: int) -> Vector:
    """Alternative values: those of the opponent's hands in a best response to a strategy.

    table: see `BlueprintPolicy.table`. Counterfactual, in the order of the solver's hands.
    """
    saved = solver.tables.average.copy()
    solver.tables.average[:] = table
    cfv: Vector = solver.root_values(opponent, BEST).astype(np.float64)
    solver.tables.average[:] = saved
    return cfv[: len(solver.boards[0].combos[0][opponent])]


def carried_values(subgame: Subgame, line: Sequence[Action], card: int, opponent: int) -> Vector:
    """Values of the opponent's hands at the start of the next street, carried from this one.

    Chips that each hand wins after the street's whole line and a card in a best response to our
    solution, net of its half of the pot, ``[1326]``; NaN for hands that the tree does not have.
    Alternative values of continual re-solving: our solution itself keeps to them on the next
    street, so their guarantee does not rest on the blueprint.

    Paper: Moravčík et al. (2017), "DeepStack", section on continual re-solving.
    Deviations: values of a best response to our strategy, not those of the solution.
    """
    node = find_node(subgame.solver, (*line, card))
    others, held = node.others(opponent), node.combos(opponent)
    some = held[others[held] > 0]
    values = np.full(COMBO_COUNT, np.nan)
    values[some] = node.cfv(opponent, BEST)[some] / others[some]
    return values


def hands_apart(solver: PostflopSolver, player: int) -> Vector:
    """For each hand of a player, the other's reach at the root with hands that share no card."""
    weights = np.zeros(COMBO_COUNT)
    combos = solver.boards[0].combos[0]
    weights[combos[1 - player]] = solver.start(1 - player)[: len(combos[1 - player])]
    return unblocked(weights)[combos[player]]


def warm_start(solver: PostflopSolver, table: Table, weight: float) -> None:
    """Start from a strategy, by regrets of the size that some iterations would give.

    ``R(h, a) = weight * p(h, a) * pot / 2 * (the opponent's reach of the node)``; the reach is that
    on the street's first board. On a later street it is divided by the number of possible cards,
    unlike the solver's reach: such a weak start is soon forgotten, and better than a strong one.
    """
    regret = solver.tables.regret
    mass = [np.array([float(solver.start(player).sum())]) for player in (IP, OOP)]
    for street_index, forest in enumerate(solver.forests):
        reach = [np.zeros(forest.nodes) for _ in (IP, OOP)]
        for player in (IP, OOP):
            reach[player][: len(mass[player])] = mass[player]
        for n, (actor, first, actions, _) in enumerate(forest.forest.node.tolist()):
            if actor < 0:
                continue
            mean = solver.rows(table, street_index, 0, n).sum(axis=1)
            reach[actor][first : first + actions] = reach[actor][n] * mean / max(mean.sum(), 1e-30)
            reach[1 - actor][first : first + actions] = reach[1 - actor][n]
            pot = solver.spot.pot + sum(
                solver.spot.stack - left for left in forest.betting[n].stacks
            )
            scale = weight * pot / 2 * reach[1 - actor][n]
            for board in range(len(solver.boards[street_index])):
                rows = solver.rows(table, street_index, board, n)
                np.multiply(rows, scale, out=solver.rows(regret, street_index, board, n))
        left = 1 / max(52 - len(solver.boards[street_index].boards[0]) - 4, 1)
        mass = [reach[player][forest.forest.next] * left for player in (IP, OOP)]


def make_entry(
    solver: PostflopSolver,
    entry: str,
    table: Table | None,
    opponent: int,
    trust: float | None = None,
    carried: Vector | None = None,
) -> Gadget:
    """The gadget by which the opponent enters a subgame; entry: one of `ENTRIES`.

    table: the blueprint's strategy, for alternative values.  carried: `carried_values`, which
    replace them; hands without one never choose to enter.  Without both the range is fixed.
    trust: replaces that of `TRUST` or `CARRIED_TRUST`.
    """
    if entry not in ENTRIES:
        raise OptionError(f"entry={brief(entry)} is not known; use one of {', '.join(ENTRIES)}")
    deal = solver.start(opponent)[: len(solver.boards[0].combos[0][opponent])].astype(np.float64)
    if entry == FIXED or (table is None and carried is None):
        return FixedRange(deal)
    apart = hands_apart(solver, opponent)
    if carried is not None:
        most = solver.spot.pot / 2 + solver.spot.stack
        values = carried[solver.boards[0].combos[0][opponent]]
        alternative = apart * np.where(np.isnan(values), most, values)
    elif table is not None:
        alternative = alternatives(solver, table, opponent)
    if trust is None:
        trust = (TRUST if carried is None else CARRIED_TRUST)[entry]
    if entry == "resolving-gadget":
        return ResolvingGadget(alternative, deal, trust)
    return MaxMarginGadget(alternative, apart, deal, trust)


class Tremble:
    """Makes a player take every action of the first street now and then, with every hand.

    In the next iteration each of n actions has a probability of about ``prob / n`` or more, so the
    other player learns responses to bets that are hardly ever made, and the range that makes them.
    To save time, a large tree trembles only at its first decisions.
    With a gadget it trembles in every iteration; with a fixed range, where several iterations of a
    river run at once, after each such batch.
    """

    def __init__(self, solver: PostflopSolver, player: int, prob: float) -> None:
        node, arrays = solver.forests[0].forest.node, solver.boards[0].arrays
        acts = node[node[:, ACTOR] == player][:_TREMBLING]
        self.player, self.prob, self.regret = player, prob, solver.tables.regret
        self.width = int(arrays.width[0, player])
        begin = int(arrays.row[0, player]) + acts[:, ROW].astype(np.uint64) * self.width
        self.rows = np.stack([begin, acts[:, ACTIONS].astype(np.uint64)], axis=1)

    def __call__(self) -> None:
        """Raise the regrets; call it after the player's update."""
        if self.prob > 0:
            lift(self.regret, self.rows, self.width, self.prob)


def solve_subgame(
    spot: Spot,
    line: Sequence[Action],
    player: int,
    *,
    entry: str = FIXED,
    policy: BlueprintPolicy | None = None,
    root: int | Roots = -1,
    past: Sequence[OwnDecision] = (),
    carried: Vector | None = None,
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

    line: actions that the tree must have.  player: `IP` or `OOP`.  policy, root: a blueprint, and
    its node, or nodes, at the start of the street; without them the range is fixed and the start
    is cold.  entry, trust: see `make_entry`.  past: our earlier decisions on the street, to be
    locked.
    tremble: of the opponent, see `Tremble`.  carried: see `make_entry`.
    patient: always do the first few iterations, so the result is never None.  most: the limit of
    nodes times boards; a larger tree raises `TooLargeError` before anything is allocated.
    """
    begin = now()

    def over() -> bool:
        return not patient and seconds is not None and now() - begin > seconds

    forests = grow_forests(spot, line, most)
    check_memory_for(spot, forests)
    solver = PostflopSolver(spot, played=line, threads=threads, forests=forests)
    table = None
    if policy is not None and has_root(root) and (entry != FIXED or warm > 0):
        table = policy.table(solver, root, over)
        if table is None:
            return None
    elif carried is None:
        entry = FIXED if entry in ENTRIES else entry  # refused below
    if over():
        return None
    lock_past(solver, past, table)
    gadget = make_entry(solver, entry, table, 1 - player, trust, carried)
    if table is not None and warm > 0:
        warm_start(solver, table, warm)
        solver.run(0)  # writes the locked decisions again
    done = iterate(
        solver,
        gadget,
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
    solver.run(0)  # writes the locked decisions again
    combos = solver.boards[0].combos[0][1 - player]
    solver.start(1 - player)[: len(combos)] = spot.weights[1 - player][
        combos
    ]  # the believed range again
    return Subgame(solver, entry, gadget.trust, now() - begin)


def iterate(
    solver: PostflopSolver,
    gadget: Gadget,
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

    The next iterations are done only if there is time for them, judging by the last ones. Returns
    False if there was no time for the fewest that are useful.
    """
    most, fewest = _MOST if iterations is None else iterations, _FEWEST[len(solver.forests) > 1]
    steps = _STEPS if len(solver.forests) == 1 else 1
    opponent = Tremble(solver, 1 - player, tremble)
    opponent()
    before, longest = now(), 0.0
    while solver.iterations < most:
        over = seconds is not None and before - begin + longest > seconds
        if over and not (patient and solver.iterations < fewest):
            break
        some = min(steps, most - solver.iterations)
        if isinstance(gadget, FixedRange):
            solver.run(some)
            opponent()
        else:
            for _ in range(some):
                one_iteration(solver, gadget, opponent)
        after = now()
        longest = max(0.7 * longest, after - before)
        before = after
    return solver.iterations >= min(fewest, most)


def one_iteration(solver: PostflopSolver, gadget: Gadget, tremble: Tremble) -> None:
    """Update both players and the opponent's gadget.  tremble: the opponent's."""
    opponent, t = tremble.player, solver.iterations + 1
    start = solver.start(opponent)
    for traverser in (OOP, IP):
        cfv = solver.learn(traverser)
        if traverser == opponent:
            tremble()
            gadget.learn(cfv[: len(gadget.weights)], t)
            start[: len(gadget.weights)] = gadget.weights
