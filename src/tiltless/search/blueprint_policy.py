"""Blueprint policy in a post-flop tree: its strategy at every node, for every hand.

The solver's tree and the blueprint's are followed together from a common root: checks, calls and
folds match exactly, bets are translated by their fraction of the pot, in both directions
(`tiltless.abstraction.bets.translation`). If both trees have the same sizes this is exact. After
bets that are not in the blueprint, its root is the node that they are translated to, and its bets
are the same fractions of the real pot.

Rows that training never visited are played by strength (`tiltless.blueprint.fallback`), as the
agent does; beyond the end of the blueprint's tree, hands check and call.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, overload

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.bets.size import BetContext, spot_of
from tiltless.abstraction.bets.translation import Translation
from tiltless.blueprint.fallback import choose_by_strength, strengths, strong_raise
from tiltless.blueprint.locate import Locator, passive_index, translated
from tiltless.blueprint.strategy import Blueprint
from tiltless.games.holdem.actions import Action, RaiseTo
from tiltless.games.holdem.betting import Betting
from tiltless.kernels.blueprint.nodes import ACTOR, FIRST, PARENT, STREET
from tiltless.kernels.blueprint.quantise import WHOLE
from tiltless.kernels.postflop import street as ranges
from tiltless.postflop.betting_forest import StreetForest
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import PLAYERS
from tiltless.search.streets import StreetStart

__all__ = ["BlueprintPolicy", "Table", "player_rows"]

Table = npt.NDArray[np.float32]
"""A strategy of both players in a solver's tree, laid out like ``RangeTables.average``."""
Buckets = Callable[[tuple[int, ...]], npt.NDArray[np.integer]]
Vector = npt.NDArray[np.float64]

_NOWHERE = -1
_strengths = lru_cache(maxsize=512)(strengths)


class _Shadow(NamedTuple):
    """The blueprint's counterpart of a decision of the solver.

    node: the blueprint's decision, or -1.  to: for each of its actions, the index of the solver's
    action that represents it.  actions: the number of the solver's actions.
    passive, strong, price: for hands that training never visited: the index of check or call, that
    of the raise with a strong hand, and the pot odds, 0 if checking is free.
    """

    node: int
    to: tuple[int, ...]
    actions: int
    passive: int
    strong: int
    price: float


def player_rows(solver: PostflopSolver, player: int) -> list[slice]:
    """The slices of a player's rows in the tables of a solver, by street and then by board."""
    slices = []
    for forest, boards in zip(solver.forests, solver.boards, strict=True):
        for board in range(len(boards)):
            begin = int(boards.arrays.row[board, player])
            size = int(boards.arrays.width[board, player]) * forest.rows[player]
            slices.append(slice(begin, begin + size))
    return slices


class BlueprintPolicy:
    """The policy of a blueprint in the trees of solvers.

    buckets: the bucket of every hand on a board; by default computed by the card abstraction.
    """

    def __init__(self, blueprint: Blueprint, buckets: Buckets | None = None) -> None:
        self.blueprint = blueprint
        self.buckets: Buckets = buckets or blueprint.buckets
        self._locator = Locator(blueprint.tree, Translation("deterministic"))

    @overload
    def table(self, solver: PostflopSolver, root: int) -> Table: ...

    @overload
    def table(
        self, solver: PostflopSolver, root: int, over: Callable[[], bool]
    ) -> Table | None: ...

    def table(
        self, solver: PostflopSolver, root: int, over: Callable[[], bool] | None = None
    ) -> Table | None:
        """The blueprint's strategy for both players, from its node ``root`` on.

        root: the blueprint's decision that corresponds to the root of the solver's tree.
        over: called before each board; if true, stop and return None.
        """
        table: Table = np.zeros(len(solver.tables.average), np.float32)
        shadows: list[_Shadow | None] = []
        roots = [root]
        for street_index, forest in enumerate(solver.forests):
            nodes, shadows = self._follow(solver, forest, roots)
            roots = [nodes[n] for n in forest.forest.next.tolist()]
            bucket_rows = [self._in_sizes(shadow) for shadow in shadows]
            for board in range(len(solver.boards[street_index])):
                if over is not None and over():
                    return None
                self._fill(solver, street_index, board, shadows, bucket_rows, table)
        return table

    def _in_sizes(self, shadow: _Shadow | None) -> npt.NDArray[np.float32] | None:
        """The blueprint's decision in the solver's actions, float32 ``[actions, buckets]``."""
        if shadow is None or shadow.node < 0:
            return None
        table = self.blueprint.table(shadow.node)
        rows = np.zeros((shadow.actions, len(table)), np.float32)
        for action, to in enumerate(shadow.to):
            rows[to] += table[:, action]
        return rows / np.float32(WHOLE)

    def start(self, node: int, board: tuple[int, ...]) -> StreetStart:
        """The start of the street whose first decision is a node of the blueprint."""
        tree, rules = self.blueprint.tree, self.blueprint.game.rules
        here = self._locator.spot(node)
        stacks, bettor, at = here.betting.stacks, None, node
        while at and bettor is None:
            up = self._locator.spot(int(tree.nodes.node[at, PARENT]))
            if up.street == here.street - 1 and isinstance(tree.action(at), RaiseTo):
                bettor = PLAYERS[up.actor]
            at = up.node
        pot = sum(rules.stacks) - sum(stacks)
        return StreetStart(board, pot, min(stacks), rules.big_blind, aggressor=bettor)

    def rows(self, node: int, board: tuple[int, ...]) -> Vector:
        """The strategy of every hand at a blueprint decision, float64 ``[1326, actions]``."""
        table = self.blueprint.table(node).astype(np.float64)
        table /= np.maximum(table.sum(axis=1, keepdims=True), 1)
        rows: Vector = table[self.buckets(board)]
        some = np.flatnonzero(~rows.any(axis=1))
        if len(some):
            _, _, _, betting, spot, actions = self._locator.spot(node)
            assert spot is not None
            shadow = self._shadow(node, actions, spot, betting)
            rows[some, self._by_strength(shadow, _strengths(board)[some])] = 1
        return rows

    def _fill(
        self,
        solver: PostflopSolver,
        street_index: int,
        board: int,
        shadows: list[_Shadow | None],
        bucket_rows: list[npt.NDArray[np.float32] | None],
        table: Table,
    ) -> None:
        """Fill the rows of all decisions on one board."""
        boards, forest = solver.boards[street_index], solver.forests[street_index]
        cards = boards.boards[board]
        buckets = self.buckets(cards)
        of_player = [buckets[boards.combos[board][player]].astype(np.intp) for player in (0, 1)]
        for node, (shadow, by_bucket) in enumerate(zip(shadows, bucket_rows, strict=True)):
            if shadow is None:
                continue
            actor = int(forest.forest.node[node, ranges.ACTOR])
            hands = of_player[actor]
            rows = solver.rows(table, street_index, board, node)[:, : len(hands)]
            if by_bucket is None:
                rows[shadow.passive] = 1
                continue
            np.take(by_bucket, hands, axis=1, out=rows, mode="clip")
            if not by_bucket.any(axis=0).all():
                some = np.flatnonzero(~rows.any(axis=0))
                strength = _strengths(cards)[boards.combos[board][actor][some]]
                rows[self._by_strength(shadow, strength), some] = 1

    def _by_strength(self, shadow: _Shadow, strength: Vector) -> npt.NDArray[np.int64]:
        """The index of the action for hands that training never visited; 0 is fold."""
        choices = np.array([0, shadow.passive, shadow.strong])
        return choices[choose_by_strength(strength, shadow.price)]

    def _follow(
        self, solver: PostflopSolver, forest: StreetForest, roots: list[int]
    ) -> tuple[list[int], list[_Shadow | None]]:
        """The blueprint's node at each node of a street, and the shadows of decisions."""
        record = self.blueprint.tree.nodes.node
        nodes = roots + [_NOWHERE] * (forest.nodes - len(roots))
        shadows: list[_Shadow | None] = []
        for node in range(forest.nodes):
            betting, mine = forest.betting[node], nodes[node]
            if betting.actor < 0:
                shadows.append(None)
                continue
            if mine >= 0 and (
                int(record[mine, ACTOR]) != betting.actor
                or int(record[mine, STREET]) != forest.street
            ):
                mine = _NOWHERE  # its tree has ended, or is on another street or player
            children = forest.children(node)
            offers = (forest.action[child] for child in children)
            actions = tuple(action for action in offers if action is not None)
            spot = spot_of(betting, _pot(solver, betting), legal=betting.actions)
            shadow = self._shadow(mine, actions, spot, betting)
            shadows.append(shadow)
            if mine < 0:
                continue
            first, tree = int(record[mine, FIRST]), self._locator.spot(mine)
            for child, action in zip(children, actions, strict=True):
                nodes[child] = first + self._read(action, spot, tree.actions, tree.spot)
        return nodes, shadows

    def _shadow(
        self, node: int, actions: tuple[Action, ...], spot: BetContext, betting: Betting
    ) -> _Shadow:
        passive = passive_index(actions)
        call = betting.actions.call
        price = call / spot.pot if call else 0.0  # the pot includes the call
        strong = passive
        if any(isinstance(action, RaiseTo) for action in actions):
            chips = spot.legal(strong_raise(spot, price))
            strong = self._read(RaiseTo(chips), spot, actions, spot)
        to: tuple[int, ...] = ()
        if node >= 0:
            tree = self._locator.spot(node)
            to = tuple(self._read(action, tree.spot, actions, spot) for action in tree.actions)
        return _Shadow(node, to, len(actions), passive, strong, price)

    def _read(
        self,
        action: Action,
        spot: BetContext | None,
        others: tuple[Action, ...],
        other: BetContext | None,
    ) -> int:
        """The index of the action of the other tree that an action is translated to."""
        assert spot is not None
        assert other is not None
        return translated(action, spot, others, other, self._locator.translation)


def _pot(solver: PostflopSolver, betting: Betting) -> int:
    spot = solver.spot
    return spot.pot + sum(spot.stack - behind for behind in betting.stacks)
