"""Subgames: the rest of a hand from the start of its street, solved with both ranges.

The tree has the bets that were actually made, on the menu or not, and those of a menu. The opponent
enters it in one of three ways (`tiltless.search.entry`). What comes out is a `Subgame`
(`tiltless.search.solved`).

The opponent's strategy is mixed with a small uniform part on the first street (`Tremble`), so that
no action becomes impossible and the response to every bet is learned.

A warm start uses the blueprint as the first strategy. Solving stops at a time limit or after a
number of iterations, by default a thousand; if there is no time for the first few, the result is
None. Passes may run on a GPU.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from tiltless.cards.ranges import Range
from tiltless.games.holdem.actions import Action
from tiltless.kernels.postflop.street import ACTIONS, ACTOR, ROW
from tiltless.postflop.betting_forest import StreetForest
from tiltless.postflop.device.machine import Machine
from tiltless.postflop.run_spot import RunSpot
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP, Spot
from tiltless.search.beliefs import Vector
from tiltless.search.blueprint_lines import Roots, has_root
from tiltless.search.blueprint_policy import BlueprintPolicy, Table
from tiltless.search.budget import (
    MOST_DEVICE_NODES,
    MOST_NODES,
    check_memory_for,
    grow_forests,
)
from tiltless.search.entry import ENTRIES, FIXED, make_entry
from tiltless.search.gadget import FixedRange, Gadget
from tiltless.search.left_out import LEAST, kept_ranges
from tiltless.search.past_play import OwnDecision, lock_past
from tiltless.search.solved import Subgame
from tiltless.search.streets import StreetStart

__all__ = [
    "FLOP_SIZES",
    "RED_SIZES",
    "RIVER_SIZES",
    "TREMBLE",
    "TURN_SIZES",
    "WARM",
    "Tremble",
    "iterate",
    "one_iteration",
    "solve_subgame",
    "subgame_spot",
    "warm_start",
]

WARM = 0.3
"""The weight of the blueprint in a warm start, in iterations."""
TREMBLE = 0.01
"""The uniform part of the opponent's strategy while a street is solved."""
RIVER_SIZES = "50%, 100%, a / 50%, a; force 15%"
TURN_SIZES = "75%, a / 75%, a; river: 75%, a / a; force 15%"
FLOP_SIZES = "50% / 75%; turn: 75% / a; river: 75% / a; force 15%"
RED_SIZES = "75%, a / a; river: 75%, a / a; force 15%"
"""For boards that go on past the river: this street's, and the next one's if it has bets."""

_FEWEST = 8, 16  # iterations of a river, and of more streets, with fewer of which there is no
# result: a turn with 8 is worse than the blueprint (docs/decisions/0009-re-solving.md)
_MOST = 1000  # more do not help
_TREMBLING = 100  # decisions with a tremble, at most
_STEPS = 4  # iterations on the river, or on a GPU, between two checks of the clock


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
        scale = [np.zeros(rows) for rows in forest.rows]
        for n, (actor, first, actions, row) in enumerate(forest.forest.node.tolist()):
            if actor < 0:
                continue
            mean = solver.rows(table, street_index, 0, n).sum(axis=1)
            reach[actor][first : first + actions] = reach[actor][n] * mean / max(mean.sum(), 1e-30)
            reach[1 - actor][first : first + actions] = reach[1 - actor][n]
            pot = solver.spot.pot + sum(
                solver.spot.stack - left for left in forest.betting[n].stacks
            )
            scale[actor][row : row + actions] = weight * pot / 2 * reach[1 - actor][n]
        for player, board in np.ndindex(2, len(solver.boards[street_index])):
            rows = solver.player_rows(table, street_index, board, player)
            start = solver.player_rows(regret, street_index, board, player)
            np.multiply(rows, scale[player][:, None], out=start)
        left = 1 / max(52 - len(solver.boards[street_index].boards[0]) - 4, 1)
        mass = [reach[player][forest.forest.next] * left for player in (IP, OOP)]


class Tremble:
    """Makes a player take every action of the first street now and then, with every hand.

    In the next iteration each of n actions has a probability of about ``prob / n`` or more, so the
    other player learns responses to bets that are hardly ever made, and the range that makes them.
    To save time, a large tree trembles only at its first decisions.
    With a gadget it trembles in every iteration; with a fixed range, where several iterations of a
    river, or on a GPU, run at once, after each such batch.
    """

    def __init__(self, solver: PostflopSolver, player: int, prob: float) -> None:
        node, arrays = solver.forests[0].forest.node, solver.boards[0].arrays
        acts = node[node[:, ACTOR] == player][:_TREMBLING]
        self.player, self.prob = player, prob
        width = int(arrays.width[0, player])
        begin = int(arrays.row[0, player]) + acts[:, ROW].astype(np.uint64) * width
        rows = np.stack([begin, acts[:, ACTIONS].astype(np.uint64)], axis=1)
        self._lift = solver.lifter(rows, width, prob)

    def __call__(self) -> None:
        """Raise the regrets; call it after the player's update."""
        if self.prob > 0:
            self._lift()


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
    most: int | None = None,
    forests: list[StreetForest] | None = None,
    threads: int = 1,
    device: str | Machine = "cpu",
    now: Callable[[], float] = time.perf_counter,
) -> Subgame | None:
    """Solve a spot for one of its players, until the time or the iterations are over.

    line: actions that the tree must have.  player: `IP` or `OOP`.  policy, root: a blueprint, and
    its node, or nodes, at the start of the street; without them the range is fixed and the start
    is cold.  entry, trust: see `make_entry`.  past: our earlier decisions on the street, to be
    locked.
    tremble: of the opponent, see `Tremble`.  carried: see `make_entry`.
    patient: always do the first few iterations, so the result is never None.  most: the limit of
    nodes times boards, by default that of the device; a larger tree raises `TooLargeError` before
    anything is allocated.  forests: those of the spot with the line (`grow_forests`), if they exist
    already.  device: see `PostflopSolver`.
    """
    begin = now()

    def over() -> bool:
        return not patient and seconds is not None and now() - begin > seconds

    on_card = device != "cpu"
    if forests is None:
        usual = MOST_DEVICE_NODES if on_card else MOST_NODES
        forests = grow_forests(spot, line, usual if most is None else most)
    if not on_card:  # a GPU's own memory is checked by the solver
        check_memory_for(spot, forests)
    solver = PostflopSolver(spot, played=line, threads=threads, forests=forests, device=device)
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
    steps = _STEPS if len(solver.forests) == 1 or solver.on_gpu else 1
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
        solver.wait()
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
