"""Blueprint policy in a post-flop tree: its strategy at every node, for every hand.

`tiltless.search.blueprint_lines` finds the blueprint's answer at every decision of the solver, by
bucket; here it becomes rows of the solver's tables, by hand, on every board.

Rows that training never visited are played by strength (`tiltless.blueprint.fallback`), as the
agent does, unless another reading was visited; beyond the end of the blueprint's tree, hands check
and call.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, overload

import numpy as np
import numpy.typing as npt

from tiltless.blueprint.fallback import choose_by_strength, strengths
from tiltless.blueprint.strategy import Blueprint
from tiltless.blueprint.tree_spot import TreeSpots
from tiltless.games.holdem.actions import RaiseTo
from tiltless.kernels.base.simd import aligned_zeros
from tiltless.kernels.blueprint.nodes import PARENT
from tiltless.kernels.postflop import street as ranges
from tiltless.postflop.betting_forest import StreetForest
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import PLAYERS
from tiltless.search.blueprint_lines import (
    Answered,
    BlueprintLines,
    Buckets,
    Roots,
    unvisited_answer,
)
from tiltless.search.streets import StreetStart

__all__ = ["BlueprintPolicy", "Table", "player_rows"]

Table = npt.NDArray[np.float32]
"""A strategy of both players in a solver's tree, laid out like ``RangeTables.average``."""
Vector = npt.NDArray[np.float64]
Strengths = Callable[[tuple[int, ...]], Vector]

_strengths = lru_cache(maxsize=512)(strengths)


class _PlayerRows(NamedTuple):
    """The blueprint's decisions of one player on a street, whatever the board.

    rows: float32 ``[rows, buckets]``, in the order of the solver's rows of that player.
    unvisited: bool ``[decisions, buckets]``, where all rows of a decision are 0.  first: its first
    row, int64.  choices: int64 ``[decisions, 3]``, its actions for hands that training never
    visited, by the numbers of `choose_by_strength`.  price: see `UnvisitedAnswer`.
    """

    rows: npt.NDArray[np.float32]
    unvisited: npt.NDArray[np.bool_]
    first: npt.NDArray[np.int64]
    choices: npt.NDArray[np.int64]
    price: Vector


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
    strengths: E[HS] of every hand on a board, for rows that training never visited.
    """

    def __init__(
        self,
        blueprint: Blueprint,
        buckets: Buckets | None = None,
        strengths: Strengths | None = None,
    ) -> None:
        self.blueprint = blueprint
        self.buckets: Buckets = buckets or blueprint.buckets
        self.strengths: Strengths = strengths or _strengths
        self._spots = TreeSpots(blueprint.tree)
        self._lines = BlueprintLines(blueprint, self._spots, self.buckets)

    @overload
    def table(self, solver: PostflopSolver, root: int | Roots) -> Table: ...

    @overload
    def table(
        self, solver: PostflopSolver, root: int | Roots, over: Callable[[], bool]
    ) -> Table | None: ...

    def table(
        self, solver: PostflopSolver, root: int | Roots, over: Callable[[], bool] | None = None
    ) -> Table | None:
        """The blueprint's strategy for both players, from its node ``root`` on.

        root: the blueprint's decision that corresponds to the root of the solver's tree, or several
        of them.  over: called before each board; if true, stop and return None.
        """
        table: Table = aligned_zeros(len(solver.tables.average))
        for street_index, answered in enumerate(self._lines.streets(solver, root)):
            forest = solver.forests[street_index]
            by_player = [_player_rows(forest, answered, player) for player in (0, 1)]
            for board_index in range(len(solver.boards[street_index])):
                if over is not None and over():
                    return None
                self._fill(solver, street_index, board_index, by_player, table)
        return table

    def start(self, node: int, board: tuple[int, ...]) -> StreetStart:
        """The start of the street whose first decision is a node of the blueprint."""
        tree, rules = self.blueprint.tree, self.blueprint.game.rules
        here = self._spots.spot(node)
        stacks, bettor, at = here.betting.stacks, None, node
        while at and bettor is None:
            up = self._spots.spot(int(tree.nodes.node[at, PARENT]))
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
            _, _, _, betting, spot, actions = self._spots.spot(node)
            assert spot is not None
            unvisited = unvisited_answer(actions, spot, betting)
            choice = choose_by_strength(self.strengths(board)[some], unvisited.price)
            rows[some, np.array(unvisited.choices)[choice]] = 1
        return rows

    def _fill(
        self,
        solver: PostflopSolver,
        street_index: int,
        board: int,
        by_player: list[_PlayerRows],
        table: Table,
    ) -> None:
        """Fill the rows of all decisions on one board."""
        boards = solver.boards[street_index]
        cards = boards.boards[board]
        buckets = self.buckets(cards)
        for player, own in enumerate(by_player):
            hands = boards.combos[board][player]
            filled = solver.player_rows(table, street_index, board, player)
            of_hands = np.minimum(buckets[hands].astype(np.intp), own.rows.shape[1] - 1)
            filled[:, : len(hands)] = own.rows.take(of_hands, axis=1)
            decision, hand = np.nonzero(own.unvisited.take(of_hands, axis=1))
            if len(hand):
                strength = self.strengths(cards)[hands[hand]]
                choice = choose_by_strength(strength, own.price[decision])
                filled[own.first[decision] + own.choices[decision, choice], hand] = 1


def _player_rows(forest: StreetForest, answered: list[Answered | None], player: int) -> _PlayerRows:
    """The decisions of a player on a street, for every bucket."""
    own = [
        (int(forest.forest.node[node, ranges.ROW]), each)
        for node, each in enumerate(answered)
        if each is not None and forest.forest.node[node, ranges.ACTOR] == player
    ]
    size = max((each.rows.shape[1] for _, each in own), default=1)
    rows = np.zeros((forest.rows[player], size), np.float32)
    unvisited = np.zeros((len(own), size), np.bool_)
    for number, (first, each) in enumerate(own):
        here, wide = rows[first : first + len(each.rows)], each.rows.shape[1]
        here[:, :wide] = each.rows
        here[:, wide:] = each.rows[:, -1:]
        unvisited[number] = ~here.any(axis=0)
    choices = [each.unvisited.choices for _, each in own]
    return _PlayerRows(
        rows,
        unvisited,
        np.array([first for first, _ in own], np.int64),
        np.array(choices, np.int64).reshape(-1, 3),
        np.array([each.unvisited.price for _, each in own]),
    )
