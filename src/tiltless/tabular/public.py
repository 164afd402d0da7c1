"""Public trees: one node for each public history, private hands as vectors.

In poker everybody sees the same betting and the same board; only the hands differ. So one node
stands for what everybody has seen, and the numbers that belong to it (reach, regret, value) are
vectors over the hands of a player. A pass over Leduc's 9,457 histories becomes a pass over 465
nodes with vectors of 6, which is what compiled loops are good at.

This works if private chance comes first, later chance is public, and the legal actions follow from
public information. `public_form` plays all deals in parallel, checks these conditions, and refuses
games that violate them. Hidden moves (as in matrix games) are allowed: nodes that a player cannot
tell apart share their rows of actions.
"""

from array import array
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.errors import OptionError
from tiltless.games.game import CHANCE, TERMINAL, Game, State
from tiltless.tabular.estimate import estimate
from tiltless.tabular.flat import FlatGame, Key, key_text
from tiltless.tabular.levels import level_order
from tiltless.validate import whole_number

__all__ = ["Block", "PublicForm", "PublicTree", "public_form"]


class PublicTree(NamedTuple):
    """The nodes of a public tree in level order (`tiltless.tabular.levels`), and its payoffs.

    A table of actions (regrets, strategies) is float64 `[rows, width]`: one row for each action
    of each block of information sets, one column for each hand of the player who acts. Columns
    past the last hand are padding.

    actor: int8 `[nodes]`, a player, or CHANCE (-1), or TERMINAL (-2).
    row: uint32 `[nodes]`; where a player acts, the row of the first action; at the end, the
        number of the terminal; where chance acts, 0.
    first: uint32 `[nodes + 1]`, the children of node i are ``first[i]`` … ``first[i + 1] - 1``.
    level: int64 `[levels + 1]`, the nodes of depth d are ``level[d]`` … ``level[d + 1] - 1``.
    matrix: uint32 `[terminals, payees]`; scale: float64 `[terminals, payees]`.
        What player p wins at terminal t, times the probability of the deal and of the board, is
        ``scale[t, p] * matrices[matrix[t, p]]``, indexed by everybody's hands. There is one payee,
        player 0, in a zero-sum game of two; otherwise everybody is one. Terminals are numbered so
        that those with the same matrix of player 0 are neighbours.
    matrices: float64 `[different matrices, width, …, width]`, an axis for each player; entries
        lie in [-1, 1] and are 0 for deals that cannot be, so a node of chance only adds up.
    """

    actor: npt.NDArray[np.int8]
    row: npt.NDArray[np.uint32]
    first: npt.NDArray[np.uint32]
    level: npt.NDArray[np.int64]
    matrix: npt.NDArray[np.uint32]
    scale: npt.NDArray[np.float64]
    matrices: npt.NDArray[np.float64]


class Block(NamedTuple):
    """The information sets of one player at one public node, one for each hand.

    row: the row of the first action in tables; the others follow.
    keys: `[hands]`, the key of each infoset; None where the hand cannot be.
    """

    player: int
    row: int
    actions: Sequence[Any]
    keys: list[Key | None]


@dataclass(frozen=True, eq=False)
class PublicForm:
    """A game, its public tree, and the mapping from numbers back to text.

    hands: for each player, what that player alone knows after the deal, by number. Players who
        may hold the same cards have them in the same order.
    """

    game: Game
    tree: PublicTree
    hands: tuple[tuple[Hashable, ...], ...]
    blocks: Sequence[Block]

    @property
    def rows(self) -> int:
        """How many rows a table of actions has."""
        return sum(len(block.actions) for block in self.blocks)

    @property
    def width(self) -> int:
        """How many columns a table of actions has."""
        return int(self.tree.matrices.shape[-1])

    @property
    def infosets(self) -> int:
        """How many information sets there are."""
        return sum(key is not None for block in self.blocks for key in block.keys)

    @property
    def nbytes(self) -> int:
        """Memory of the arrays."""
        return sum(part.nbytes for part in self.tree)

    def flat_indices(self, flat: FlatGame) -> npt.NDArray[np.int64]:
        """Where each entry of a table is in a table of the flat form.

        Returns int64 `[rows, width]`, -1 for padding and for hands that cannot be.
        """
        indices = np.full((self.rows, self.width), -1, dtype=np.int64)
        for block in self.blocks:
            for hand, key in enumerate(block.keys):
                if key is not None:
                    start = flat.tree.start[flat.number[key]]
                    rows = np.arange(len(block.actions))
                    indices[block.row + rows, hand] = start + rows
        return indices


class _Deal(NamedTuple):
    """One way in which the private cards may lie, at some public node."""

    state: State
    weight: float
    hands: tuple[int, ...]


def public_form(
    game: Game, *, lane: int = 1, limit: int = 50_000_000, memory_limit: int = 4 << 30
) -> PublicForm:
    """Lay out the public tree of ``game``, or refuse with the reason.

    lane: the width of tables is rounded up to a multiple of this, for vector instructions.
    limit: the largest number of histories to traverse; all deals are played in parallel, so it
        takes about as long as `tiltless.tabular.flat.flatten`.
    memory_limit: bytes for the payoff matrices while they are built: twice their final size.
    """
    whole_number("lane", lane, 1, 1024)
    whole_number("memory_limit", memory_limit, 1, 2**63 - 1)
    expected = estimate(game)
    if expected.nodes > limit:
        raise OptionError(
            f"{game.name} has about {expected.nodes:.3g} histories and the limit is {limit:.3g}; "
            "raise limit, or use a layout made for this game"
        )
    deals, hands = _deal(game)
    most = max(len(own) for own in hands)
    layout = _Layout(game, hands, -(-most // lane) * lane, memory_limit)
    layout.run(deals)
    return layout.finish()


def _deal(game: Game) -> tuple[list[_Deal], tuple[tuple[Hashable, ...], ...]]:
    """Every way to deal the private cards, and each player's different hands, in one order."""
    waiting, ready = [(game.start(), 1.0)], []
    while waiting:
        state, weight = waiting.pop()
        chance = state.chance
        if chance is None or len(chance.seen_by) == game.players:
            ready.append((state, weight))
        else:
            waiting += [(state.apply(move), weight * p) for move, p in chance.outcomes()]
    ready.reverse()
    dealt = [[state.infoset(p).private for p in range(game.players)] for state, _ in ready]
    order = list(dict.fromkeys(own for seat in zip(*dealt, strict=True) for own in seat))
    hands = tuple(
        tuple(own for own in order if own in held) for held in map(set, zip(*dealt, strict=True))
    )
    numbers = [{own: number for number, own in enumerate(held)} for held in hands]
    deals = [
        _Deal(state, weight, tuple(seen[own] for seen, own in zip(numbers, each, strict=True)))
        for (state, weight), each in zip(ready, dealt, strict=True)
    ]
    return deals, hands


class _Layout:
    """The arrays while they grow, in preorder."""

    def __init__(
        self, game: Game, hands: tuple[tuple[Hashable, ...], ...], width: int, memory_limit: int
    ) -> None:
        self.game, self.hands, self.width = game, hands, width
        self.memory_limit = memory_limit
        self.payees = 1 if game.zero_sum and game.players == 2 else game.players
        self.depth, self.actor = array("H"), array("b")
        self.row, self.children = array("I"), array("I")
        self.blocks: list[Block] = []
        self.block_of: dict[Key, tuple[Block, int]] = {}
        self.matrices: dict[bytes, int] = {}
        self.matrix, self.scale = array("I"), array("d")

    def run(self, deals: list[_Deal]) -> None:
        """Visit every public node once; children wait on a stack, the first on top."""
        self._check_fit(1)
        stack = [(deals, 0)]
        while stack:
            deals, depth = stack.pop()
            actor = self._same([deal.state.actor for deal in deals], "who acts", deals)
            self.depth.append(depth)
            self.actor.append(actor)
            if actor == TERMINAL:
                self.row.append(len(self.matrix) // self.payees)
                self._pay(deals)
                after = []
            elif actor == CHANCE:
                self.row.append(0)
                after = self._turn_up(deals)
            else:
                block = self._block(actor, deals)
                self.row.append(block.row)
                after = [
                    [_Deal(deal.state.apply(move), deal.weight, deal.hands) for deal in deals]
                    for move in block.actions
                ]
            self.children.append(len(after))
            stack += zip(reversed(after), repeat(depth + 1), strict=False)

    def _turn_up(self, deals: list[_Deal]) -> list[list[_Deal]]:
        """The deals that remain after each outcome of public chance."""
        after: dict[Any, list[_Deal]] = {}
        for state, weight, hands in deals:
            assert state.chance is not None
            if len(state.chance.seen_by) < self.game.players:
                raise self._refusal("private chance follows a public event", state)
            for move, chance_probs in state.chance.outcomes():
                deal = _Deal(state.apply(move), weight * chance_probs, hands)
                after.setdefault(move, []).append(deal)
        return list(after.values())

    def _block(self, actor: int, deals: list[_Deal]) -> Block:
        """The block of rows for these deals: a known one if the player cannot tell them apart."""
        found: dict[int, Key] = {}
        for state, _, hands in deals:
            hand, key = hands[actor], state.infoset(actor).key
            if found.setdefault(hand, key) != key:
                raise self._refusal(f"player {actor} knows more than their own hand", state)
        actions = self._same([deal.state.actions for deal in deals], "what is legal", deals)
        block = next((self.block_of[k][0] for k in found.values() if k in self.block_of), None)
        if block is None:
            row = self.blocks[-1].row + len(self.blocks[-1].actions) if self.blocks else 0
            block = Block(actor, row, actions, [None] * len(self.hands[actor]))
            self.blocks.append(block)
        for hand, key in found.items():
            if block.keys[hand] is None:
                block.keys[hand] = key
            if self.block_of.setdefault(key, (block, hand)) != (block, hand):
                raise self._refusal("infosets overlap between public nodes", deals[0].state)
            if block.keys[hand] != key or block.actions != actions:
                raise self._refusal("infosets overlap between public nodes", deals[0].state)
        return block

    def _pay(self, deals: list[_Deal]) -> None:
        """Add a terminal: for each payee a scale and a matrix, shared with all that equal it."""
        payoffs = [deal.state.payoffs for deal in deals]
        for payee in range(self.payees):
            scale = max((each[payee] for each in payoffs), key=abs)  # with its sign
            matrix = np.zeros((self.width,) * self.game.players)
            if scale:
                for deal, each in zip(deals, payoffs, strict=True):
                    matrix[deal.hands] += deal.weight * (each[payee] / scale)
            number = self.matrices.setdefault(matrix.tobytes(), len(self.matrices))
            self._check_fit(len(self.matrices))
            self.matrix.append(number)
            self.scale.append(scale)

    def finish(self) -> PublicForm:
        """Sort nodes into levels and terminals by matrix."""
        depth = np.frombuffer(self.depth, dtype=np.uint16)
        levels = level_order(depth, np.frombuffer(self.children, dtype=np.uint32))
        actor = np.frombuffer(self.actor, dtype=np.int8)[levels.order]
        row = np.frombuffer(self.row, dtype=np.uint32)[levels.order]
        ends = np.flatnonzero(actor == TERMINAL)
        matrix = np.array(self.matrix, dtype=np.uint32).reshape(-1, self.payees)[row[ends]]
        scale = np.array(self.scale, dtype=np.float64).reshape(-1, self.payees)[row[ends]]
        neighbours = np.argsort(matrix[:, 0], kind="stable")
        row[ends[neighbours]] = np.arange(len(ends), dtype=np.uint32)
        shape = (self.width,) * self.game.players
        matrices = np.empty((len(self.matrices), *shape))
        for number, numbers in enumerate(self.matrices):
            matrices[number] = np.frombuffer(numbers).reshape(shape)
        tree = PublicTree(
            actor=actor,
            row=row,
            first=levels.first,
            level=levels.level,
            matrix=matrix[neighbours],
            scale=scale[neighbours],
            matrices=matrices,
        )
        return PublicForm(self.game, tree, self.hands, self.blocks)

    def _check_fit(self, matrices: int) -> None:
        """`OptionError` if the matrices, in the list and in the array, do not fit into memory."""
        need = 2 * 8 * matrices * self.width**self.game.players
        if need > self.memory_limit:
            raise OptionError(
                f"{self.game.name} pays {matrices:,} or more different matrices of {self.width} "
                f"hands for each player, which need {need / 1e9:.3g} GB, and the memory "
                f"limit is {self.memory_limit / 1e9:.3g} GB; allow more, shrink the game or use "
                "the flat form"
            )

    def _same(self, values: list[Any], what: str, deals: list[_Deal]) -> Any:
        """The one value on which all deals agree."""
        for value, deal in zip(values, deals, strict=True):
            if value != values[0]:
                raise self._refusal(f"{what} depends on private cards", deal.state)
        return values[0]

    def _refusal(self, reason: str, state: State) -> OptionError:
        infoset = key_text(state.infoset(max(state.actor, 0)).key)
        return OptionError(
            f"{self.game.name} has no public form: {reason} ({infoset}); use the flat form"
        )
