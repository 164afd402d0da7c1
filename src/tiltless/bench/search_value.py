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

Both strategies must be in one tree: that of search, with the agent's menu and the blueprint
translated into it (`tiltless.search.blueprint_policy`), both as the opponent and as the baseline.
So (b) and (c) are judged **inside search's own tree and at ranges that it believes**: they say
nothing of bets of other sizes or of opponents with other ranges. Another menu may be given, such as
the blueprint's own, in which nothing is translated.

In River of Blood roots are rivers. On a red one search may solve without bets after the next card
and be judged with them (``judged_after``), where it then plays the blueprint like its opponent: so
(a) and (b) show what leaving out those bets costs. In both, hands are shown after the next card.

Search is `solve_subgame`, as the agent calls it, with the hands that it leaves out. It knows less
than the evaluation: its beliefs include a uniform mix (`tiltless.search.beliefs`), while the
evaluation uses the true ranges, and all hands.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
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
from tiltless.postflop.node import Node
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP
from tiltless.search.beliefs import UNIFORM_MIX, Vector
from tiltless.search.blueprint_policy import BlueprintPolicy, Table, player_rows
from tiltless.search.entry import ENTRIES, hands_apart
from tiltless.search.left_out import LEAST, response_solver
from tiltless.search.solved import Subgame, kept_strategy
from tiltless.search.subgame import TREMBLE, WARM, solve_subgame, subgame_spot
from tiltless.validate import whole_number

__all__ = ["Finding", "Proof", "Root", "one_root", "prove", "sample_roots"]


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
    red: bool | None = None,
) -> Iterator[Root]:
    """Roots of a street, 2 turn or 3 river, as often as hands come there.

    red: only boards that go on past the river, or only boards that do not; None: both.
    """
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
        if red not in (None, bool(blueprint.game.rules.deal_size(street, board))):
            continue
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
    sizes: a menu; empty for the blueprint's.  trust, tremble, warm: see `tiltless.search.subgame`.
    least: see `tiltless.search.left_out`.
    red: see `sample_roots`.  bets_after, judged_after: whether search's tree, and the one that it
    is judged in, have bets after the next card of a red river.
    """

    street: int
    seconds: float | None = None
    iterations: int | None = None
    sizes: str = ""
    entries: Sequence[str] = ENTRIES
    trust: float | None = None
    tremble: float = TREMBLE
    warm: float = WARM
    least: float = LEAST
    threads: int = 1
    red: bool | None = None
    bets_after: bool = False
    judged_after: bool = False
    now: Callable[[], float] = field(default=time.thread_time, repr=False)


class Finding(NamedTuple):
    """The result at one root for one kind of search: chips, mean of both seats.

    gain: (a).  loss: (b), below 0 where search is harder to beat.  gift: (c).
    blueprint_loss: what a best response wins against the blueprint.  iterations: mean.
    late: whether a seat had no time to search, and played the blueprint.  seconds: mean, of the
    search alone.
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
    seconds: float


def one_root(policy: BlueprintPolicy, root: Root, proof: Proof) -> list[Finding]:
    """Search at a root with every setting of a proof, in both seats."""
    start = policy.start(root.node, root.board)
    sizes = proof.sizes or str(policy.blueprint.tree.menu)
    runs = policy.blueprint.game.rules.run_suits
    made = partial(subgame_spot, start, sizes=sizes, run_suits=runs)
    spot = made(root.beliefs[IP], root.beliefs[OOP], bets_after=proof.judged_after)
    solver = PostflopSolver(spot, threads=proof.threads)
    table = policy.table(solver, root.node)
    judge = _Judge(solver, root, table)
    found = []
    for entry in proof.entries:
        mixed, pure, rounds, seconds, late = table.copy(), table.copy(), 0, 0.0, False
        for player in (IP, OOP):
            both = [root.beliefs[IP], root.beliefs[OOP]]
            both[player] = root.reaches[player]
            subgame = solve_subgame(
                made(
                    both[IP],
                    both[OOP],
                    searcher=player,
                    least=proof.least,
                    bets_after=proof.bets_after,
                ),
                (),
                player,
                entry=entry,
                policy=policy,
                root=root.node,
                trust=proof.trust,
                tremble=proof.tremble,
                warm=proof.warm,
                seconds=proof.seconds,
                iterations=proof.iterations,
                threads=proof.threads,
                now=proof.now,
            )
            late |= subgame is None
            if subgame is not None:
                rounds += subgame.solver.iterations
                seconds += subgame.seconds
                _write(solver, mixed, subgame, player)
                likeliest_of = _likeliest(solver, mixed)
                for rows in player_rows(solver, player):
                    pure[rows] = likeliest_of[rows]
        for argmax, strategy in ((False, mixed), (True, pure)):
            judged = (*judge.compare(strategy), judge.against)
            numbers = rounds / 2, start.pot, late, seconds / 2
            found.append(Finding(entry, argmax, *judged, *numbers))
    return found


def _write(solver: PostflopSolver, table: Table, subgame: Subgame, player: int) -> None:
    """Write a player's strategy in a subgame into a table of a solver that has all hands.

    Hands that the subgame leaves out play a best response, on later streets as on the first.
    Streets without decisions in the subgame stay as they are.
    """
    whole = response_solver(subgame.solver, player)
    for street, forest in enumerate(solver.forests):
        if not subgame.solver.forests[street].decisions:
            continue
        nodes = np.flatnonzero(forest.forest.node[:, ranges.ACTOR] == player).tolist()
        for board, cards in enumerate(solver.boards[street].boards):
            assert cards == subgame.solver.boards[street].boards[board]
            combos = solver.boards[street].combos[board][player]
            kept = np.isin(combos, subgame.solver.boards[street].combos[board][player])
            best = whole.cfv(street, board, player, BEST)[:, : len(combos)]
            for index in nodes:
                children = forest.children(index)
                rows = np.eye(len(children))[best[children].argmax(axis=0)].T
                node = Node(subgame.solver, (), street, board, index, cards, (0, 1, 2, 3))
                rows[:, kept] = kept_strategy(node)[combos[kept]].T
                solver.rows(table, street, board, index)[:, : len(combos)] = rows


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
    for root in sample_roots(policy, proof.street, roots, seed=seed, red=proof.red):
        found.append(one_root(policy, root, proof))
        if progress is not None:
            progress(len(found), found[-1])
    return found
