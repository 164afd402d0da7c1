"""Value of search, computed exactly with range vectors instead of sampled hands.

The blueprint plays against itself until a street begins with both players to act; that is a *root*,
with the two ranges with which the blueprint reaches it. The rest of the hand is one tree. In it,
three values are computed exactly over both ranges:

* (a) what search wins against the blueprint, less what the blueprint wins against itself;
* (b) what a best response wins against search, less what it wins against the blueprint;

both as the mean of the two seats. Search should have (a) above 0 and (b) below.

* (c) the largest *gift*: the most that any opponent hand gains against search over what it could
  have got against the blueprint. An opponent who knows how we search may steer that hand here; (b)
  does not show this, because its ranges are fixed. Gadgets are about (c).

Both strategies must be in one tree. By default that is the blueprint's own, with its sizes, so that
nothing is translated and the blueprint is as good as it can be. Another menu may be given where the
tree would be too large for the time: then the blueprint is translated into that tree
(`tiltless.search.blueprint_policy`), both as the opponent and as the baseline.

Search knows less than the evaluation: its beliefs include a uniform mix
(`tiltless.search.beliefs`), while the evaluation uses the true ranges.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.blueprint.likeliest import likeliest, tie_order
from tiltless.cards.card import COMBO_COUNT, COMBO_OF
from tiltless.cards.matchups import HOLDING
from tiltless.errors import OptionError
from tiltless.kernels.blueprint.nodes import ACTOR, FIRST, STREET
from tiltless.kernels.postflop import street as ranges
from tiltless.kernels.postflop.street import AVERAGE, BEST
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP
from tiltless.search.beliefs import UNIFORM_MIX, Vector
from tiltless.search.blueprint_policy import BlueprintPolicy, Table, player_rows
from tiltless.search.subgame import (
    ENTRIES,
    TREMBLE,
    WARM,
    hands_apart,
    iterate,
    make_entry,
    subgame_spot,
    warm_start,
)
from tiltless.validate import whole_number

__all__ = ["Finding", "Proof", "Root", "one_root", "prove", "sample_roots"]

_LEAST = 1e-5


class Root(NamedTuple):
    """The start of a street in a hand of the blueprint against itself.

    node: of the blueprint's tree.  reaches: float64 ``[2, 1326]``, the true ranges, by player.
    beliefs: the same as an opponent believes them.
    """

    node: int
    board: tuple[int, ...]
    reaches: npt.NDArray[np.float64]
    beliefs: npt.NDArray[np.float64]


def sample_roots(
    policy: BlueprintPolicy,
    street: int,
    count: int,
    *,
    seed: int = 0,
    uniform_mix: float = UNIFORM_MIX,
) -> Iterator[Root]:
    """Roots of a street, 2 turn or 3 river, as often as hands come there."""
    whole_number("street", street, 2, 3)
    blueprint = policy.blueprint
    record, rng = blueprint.tree.nodes.node, np.random.default_rng(seed)
    while count > 0:
        cards = rng.permutation(52)[:9].tolist()
        hands = [int(COMBO_OF[cards[2 * player], cards[2 * player + 1]]) for player in (0, 1)]
        node = 0
        reaches, beliefs = np.ones((2, COMBO_COUNT)), np.ones((2, COMBO_COUNT))
        while (actor := int(record[node, ACTOR])) >= 0 and int(record[node, STREET]) < street:
            on = int(record[node, STREET])
            board = tuple(cards[4 : 4 + (on + 2 if on else 0)])
            rows = policy.rows(node, board)
            chances = rows[hands[actor]]
            taken = int(rng.choice(len(chances), p=chances / chances.sum()))
            reaches[actor] *= rows[:, taken]
            beliefs[actor] *= (1 - uniform_mix) * rows[:, taken] + uniform_mix / rows.shape[1]
            node = int(record[node, FIRST]) + taken
        if actor < 0:
            continue
        board = tuple(cards[4 : 4 + street + 2])
        gone = HOLDING[list(board)].any(axis=0)
        reaches[:, gone] = beliefs[:, gone] = 0
        count -= 1
        reaches /= reaches.max(axis=1, keepdims=True)
        beliefs /= beliefs.max(axis=1, keepdims=True)
        yield Root(node, board, reaches, beliefs)


@dataclass(frozen=True)
class Proof:
    """Settings of a comparison: street, kinds of entry, with and without argmax.

    seconds: the whole time budget of a decision; None: limited by iterations alone.
    sizes: a menu instead of the blueprint's.  trust, tremble: see `tiltless.search.subgame`.
    """

    street: int
    seconds: float | None = None
    iterations: int | None = None
    sizes: str | None = None
    entries: Sequence[str] = ENTRIES
    trust: float | None = None
    tremble: float = TREMBLE
    warm: float = WARM
    threads: int = 1
    now: Callable[[], float] = field(default=time.thread_time, repr=False)


class Finding(NamedTuple):
    """The result at one root for one kind of search: chips, mean of both seats.

    gain: (a).  loss: (b), below 0 where search is harder to beat.  gift: (c).
    blueprint_loss: what a best response wins against the blueprint.  iterations: mean.
    late: whether a seat had no time to search, and played the blueprint.
    """

    entry: str
    argmax: bool
    gain: float
    loss: float
    gift: float
    blueprint_loss: float
    iterations: float
    pot: int
    late: bool


def one_root(policy: BlueprintPolicy, root: Root, proof: Proof) -> list[Finding]:
    """Search at a root with every setting of a proof, in both seats."""
    begin = proof.now()
    start = policy.start(root.node, root.board)
    sizes = proof.sizes or str(policy.blueprint.tree.menu)
    spot = subgame_spot(start, root.beliefs[IP], root.beliefs[OOP], sizes, least=0.0)
    solver = PostflopSolver(spot, threads=proof.threads)
    table = policy.table(solver, root.node)
    spent = proof.now() - begin
    judge = _Judge(solver, root, table)
    found = []
    for entry in proof.entries:
        mixed, pure, rounds, late = table.copy(), table.copy(), 0, False
        for player in (IP, OOP):
            done = _search(solver, root, table, player, entry, proof, spent)
            rounds += solver.iterations
            late |= not done
            if done:
                likeliest_of = _likeliest(solver, solver.tables.average)
                for rows in player_rows(solver, player):
                    mixed[rows] = solver.tables.average[rows]
                    pure[rows] = likeliest_of[rows]
        for argmax, strategy in ((False, mixed), (True, pure)):
            judged = judge.compare(strategy)
            found.append(
                Finding(entry, argmax, *judged, judge.against, rounds / 2, start.pot, late)
            )
    return found


def _search(
    solver: PostflopSolver,
    root: Root,
    table: Table,
    player: int,
    entry: str,
    proof: Proof,
    spent: float,
) -> bool:
    """Solve for a player from scratch; return whether there was time for it."""
    begin = proof.now() - spent
    solver.tables.regret[:] = 0
    solver.tables.average[:] = 0
    solver.iterations = 0
    _set(solver, player, np.maximum(root.reaches[player], _LEAST))
    _set(solver, 1 - player, np.maximum(root.beliefs[1 - player], _LEAST))
    gadget = make_entry(solver, entry, table, 1 - player, proof.trust)
    if proof.warm:
        warm_start(solver, table, proof.warm)
    return iterate(
        solver,
        gadget,
        player,
        tremble=proof.tremble,
        begin=begin,
        now=proof.now,
        seconds=proof.seconds,
        iterations=proof.iterations,
    )


def _set(solver: PostflopSolver, player: int, weights: Vector) -> None:
    combos = solver.boards[0].combos[0][player]
    solver.start(player)[: len(combos)] = weights[combos]


def _likeliest(solver: PostflopSolver, table: Table) -> Table:
    """A strategy that takes the most likely action of every row, as agents with argmax do."""
    found = np.zeros_like(table)
    for level, made in enumerate(solver.forests):
        for node in np.flatnonzero(made.forest.node[:, ranges.ACTOR] >= 0).tolist():
            offers = (made.action[child] for child in made.children(node))
            order = tie_order([action for action in offers if action is not None])
            for board in range(len(solver.boards[level])):
                chosen = likeliest(solver.rows(table, level, board, node).T, order)
                solver.rows(found, level, board, node)[chosen, np.arange(len(chosen))] = 1
    return found


class _Judge:
    """Exact values at a root, over the true ranges."""

    def __init__(self, solver: PostflopSolver, root: Root, table: Table) -> None:
        self.solver, self.root, self.table = solver, root, table
        self._ready()
        self.apart = [hands_apart(solver, player) for player in (IP, OOP)]
        self.pairs = float(self.apart[IP] @ solver.start(IP)[: len(self.apart[IP])])
        self.even = [self._value(table, player, AVERAGE) for player in (IP, OOP)]
        self.best = [self._worth(table, player, BEST) for player in (IP, OOP)]
        self.against = sum(self._value(table, player, BEST) for player in (IP, OOP)) / 2

    def _ready(self) -> None:
        for player in (IP, OOP):
            _set(self.solver, player, self.root.reaches[player])

    def _value(self, table: Table, player: int, mode: int) -> float:
        """What a player wins with a table, or with a best response to the opponent's part of it."""
        cfv = self._worth(table, player, mode)
        return float(cfv @ self.solver.start(player)[: len(cfv)]) / self.pairs

    def _worth(self, table: Table, player: int, mode: int) -> Vector:
        """The same for each hand, weighted by the opponent's reach."""
        self.solver.tables.average[:] = table
        hands = len(self.solver.boards[0].combos[0][player])
        return np.array(self.solver.root_values(player, mode)[:hands], np.float64)

    def compare(self, strategy: Table) -> tuple[float, float, float]:
        """(a), (b) and (c) of a strategy of both players."""
        self._ready()
        gain = loss = gift = 0.0
        for player in (IP, OOP):
            ours = self.table.copy()
            for rows in player_rows(self.solver, player):
                ours[rows] = strategy[rows]
            gain += (self._value(ours, player, AVERAGE) - self.even[player]) / 2
            best, apart = self._worth(strategy, 1 - player, BEST), self.apart[1 - player]
            come = self.solver.start(1 - player)[: len(best)]
            loss += float(best @ come) / self.pairs / 2
            some = apart > 1e-3 * apart.max()
            gift += float(((best - self.best[1 - player])[some] / apart[some]).max()) / 2
        return gain, loss - self.against, gift


def prove(
    policy: BlueprintPolicy,
    proof: Proof,
    roots: int,
    *,
    seed: int = 0,
    progress: Callable[[int, list[Finding]], None] | None = None,
) -> list[list[Finding]]:
    """Findings at a number of roots: for each root a list with one for each kind of search."""
    if roots < 1:
        raise OptionError(f"roots={roots} is not possible; give 1 or more")
    found: list[list[Finding]] = []
    for root in sample_roots(policy, proof.street, roots, seed=seed):
        found.append(one_root(policy, root, proof))
        if progress is not None:
            progress(len(found), found[-1])
    return found
