"""Batched public trees: subtrees of the same shape are stacked into long vectors.

In Leduc the betting after the board card has the same shape under each of the six cards, so the six
copies of a node become one node with a vector of 6 x 6 hands. A stack is a set of public nodes with
the same history (chance aside) and subtrees of the same shape; its members are contiguous, so that
a kernel works on long vectors and visits few nodes.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.errors import OptionError
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.kernels.base.simd import LANES
from tiltless.tabular.public import PublicForm

__all__ = ["StackedTree", "stack"]


class StackedTree(NamedTuple):
    """Stacks, parents before children; a two-player, zero-sum game.

    A vector of a stack has ``length`` numbers: one for each member and hand, hands side by side. A
    table of actions is float64 ``[entries]``; a stack of n actions owns n vectors, side by side.

    actor: int64 `[stacks]`, a player, CHANCE or TERMINAL.  length: uint64 `[stacks]`.
    first: uint64 `[stacks + 1]`; the children of a stack are ``first[i]`` … ``first[i + 1] - 1``,
        one for each action; behind chance, one for each shape.
    entry: uint64 `[stacks]`, where its vectors begin in tables of actions.
    value: uint64 `[stacks]`, where its vector begins among values.
    reach: uint64 `[2, stacks]`, where the vector of player q's reach begins; behind moves of the
        other player it is the parent's.
    member: uint64 `[stacks]`, the number of its first member.
    parent: uint64 `[members]`; behind chance, which member of the parent each one belongs to.
    matrix: uint64 `[members]`, scale: float64 `[members]`; what terminal members pay player 0.
    payoff: float64, flat, of shape `[2, matrices, width, width]`; ``[p, m, k, h]`` is what player p
        wins with hand h against hand k, times the probability of the deal.
    width: numbers for each member, a multiple of eight.
    """

    actor: npt.NDArray[np.int64]
    length: npt.NDArray[np.uint64]
    first: npt.NDArray[np.uint64]
    entry: npt.NDArray[np.uint64]
    value: npt.NDArray[np.uint64]
    reach: npt.NDArray[np.uint64]
    member: npt.NDArray[np.uint64]
    parent: npt.NDArray[np.uint64]
    matrix: npt.NDArray[np.uint64]
    scale: npt.NDArray[np.float64]
    payoff: npt.NDArray[np.float64]
    width: int


class Stacks(NamedTuple):
    """A stacked tree, its sizes, and the way back.

    rows: int64 `[entries]`, hands: int64 `[entries]`; row and column of each entry in a table of
    the public form.
    """

    tree: StackedTree
    entries: int
    values: int
    reaches: int
    rows: npt.NDArray[np.int64]
    hands: npt.NDArray[np.int64]


def stack(form: PublicForm) -> Stacks:
    """Stack the alike parts of a public form, or refuse with the reason."""
    tree = form.tree
    if form.width % LANES:
        raise OptionError(f"hands are {form.width} wide; make the public form with lane={LANES}")
    if form.game.players != 2 or not form.game.zero_sum:
        raise OptionError(f"{form.game.name} is not a zero-sum game of two; use the flat form")
    acting = tree.row[tree.actor >= 0]
    if len(np.unique(acting)) != len(acting):
        raise OptionError(f"{form.game.name} has hidden moves; use the flat form")
    build = _Build(form, _shapes(form))
    build.run()
    return build.finish()


def _shapes(form: PublicForm) -> list[int]:
    """A number for what follows each node: equal numbers, equal subtrees, chance moves included."""
    actor, first = form.tree.actor.tolist(), form.tree.first.tolist()
    known: dict[tuple[int, ...], int] = {}
    shapes = [0] * len(actor)
    for node in reversed(range(len(actor))):
        children = shapes[first[node] : first[node + 1]]
        if actor[node] == CHANCE:
            children.sort()
        shapes[node] = known.setdefault((actor[node], *children), len(known))
    return shapes


class _Build:
    """The arrays while they grow, level by level."""

    def __init__(self, form: PublicForm, shapes: list[int]) -> None:
        self.form, self.shapes, self.width = form, shapes, form.width
        self.actor: list[int] = []
        self.members: list[list[int]] = []
        self.parents: list[list[int]] = []
        self.first: list[int] = []
        self.reach: list[tuple[int, int]] = []
        self.reach_end = self.width

    def run(self) -> None:
        """Breadth first: the children of a stack are put at the end of the list together."""
        actor, first = self.form.tree.actor.tolist(), self.form.tree.first.tolist()
        self._add([0], [0], (0, 0))
        number = 0
        while number < len(self.members):
            nodes, reach = self.members[number], self.reach[number]
            who = actor[nodes[0]]
            self.actor.append(who)
            self.first.append(len(self.members))
            if who == CHANCE:
                groups: dict[int, list[tuple[int, int]]] = {}
                for index, node in enumerate(nodes):
                    for child in range(first[node], first[node + 1]):
                        groups.setdefault(self.shapes[child], []).append((child, index))
                for group in groups.values():
                    size = len(group) * self.width
                    begin = self.reach_end
                    self.reach_end += 2 * size
                    children, parents = ([pair[i] for pair in group] for i in range(2))
                    self._add(children, parents, (begin, begin + size))
            elif who != TERMINAL:
                for move in range(first[nodes[0] + 1] - first[nodes[0]]):
                    children = [first[node] + move for node in nodes]
                    begin = self.reach_end
                    self.reach_end += len(nodes) * self.width
                    own = (begin, reach[1]) if who == 0 else (reach[0], begin)
                    self._add(children, list(range(len(nodes))), own)
            number += 1
        self.first.append(len(self.members))

    def _add(self, nodes: list[int], parents: list[int], reach: tuple[int, int]) -> None:
        self.members.append(nodes)
        self.parents.append(parents)
        self.reach.append(reach)

    def finish(self) -> Stacks:
        """Lay out tables of actions and values."""
        tree = self.form.tree
        counts = np.array([len(nodes) for nodes in self.members])
        length = counts * self.width
        moves = np.where(np.array(self.actor) >= 0, np.diff(self.first), 0)
        entry = np.concatenate([[0], np.cumsum(moves * length)])
        value = np.concatenate([[0], np.cumsum(length)])
        nodes = np.concatenate([np.array(each) for each in self.members])
        ends = np.where(tree.actor[nodes] == TERMINAL, tree.row[nodes], 0)
        hand = np.arange(self.width)
        rows, hands = [], []
        for number, each in enumerate(self.members):
            for move in range(moves[number]):
                row = tree.row[np.array(each)].astype(np.int64) + move
                rows.append(np.repeat(row, self.width))
                hands.append(np.tile(hand, len(each)))
        none: Any = np.zeros(0, dtype=np.int64)
        matrices = tree.matrices
        stacked = StackedTree(
            actor=np.array(self.actor, dtype=np.int64),
            length=length.astype(np.uint64),
            first=np.array(self.first, dtype=np.uint64),
            entry=entry[:-1].astype(np.uint64),
            value=value[:-1].astype(np.uint64),
            reach=np.ascontiguousarray(np.array(self.reach, dtype=np.uint64).T),
            member=np.concatenate([[0], np.cumsum(counts)])[:-1].astype(np.uint64),
            parent=np.concatenate(self.parents).astype(np.uint64),
            matrix=tree.matrix[ends, 0].astype(np.uint64),
            scale=tree.scale[ends, 0].astype(np.float64),
            payoff=np.stack([matrices.transpose(0, 2, 1), -matrices]).ravel(),
            width=self.width,
        )
        return Stacks(
            tree=stacked,
            entries=int(entry[-1]),
            values=int(value[-1]),
            reaches=self.reach_end,
            rows=np.concatenate([none, *rows]),
            hands=np.concatenate([none, *hands]),
        )
