"""Betting graphs for three to six seats: before the flop by exact history, then shared blocks.

Exact histories of six seats need tens of gigabytes. In a *re-entrant* graph the betting of a later
street is one block for all lines that lead to it with about the same stack-to-pot ratio, the same
number of players, the same last aggressor and, while two players have been left since the flop, the
same pair of seats. Inside a block chips are in pots at its start, so one block serves all pots; a
traversal keeps the true pot and the true stack, so chips are conserved.

Exact histories stay possible; `tiltless.blueprint.multiway.graph_layout` makes both kinds, and says
beforehand what each costs.

Idea: Slumbot's re-entrant betting trees (Jackson, 2019), with a key of our own.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.blueprint.multiway.menu import MultiwayMenu
from tiltless.errors import OptionError
from tiltless.games.holdem.game import Holdem
from tiltless.kernels.multiway.nodes import ACTOR, MOST_SEATS, ROW, STREET, MultiwayNodes
from tiltless.validate import whole_number

__all__ = ["RATIO_STEP", "BettingGraph", "BlockKey", "GraphSize", "ratio_bin"]

RATIO_STEP = 1.1
"""One bin of stack-to-pot ratios is this many times the one below."""

_BYTES_PER_NODE = 8 * 4 + 4 + 4  # a record, chips paid and a label
_BYTES_PER_END = MOST_SEATS * 4 + 1 + 1 + 4


class BlockKey(NamedTuple):
    """What the lines that share a block have in common.

    street: 1 is the flop.  ratio: the bin of the stack-to-pot ratio, see `ratio_bin`.
    players: how many are left.  aggressor: the position, in the order of action of this street, of
    the player who made the last bet or raise of the street before; `NOBODY` if there was none.
    pair: if two players have been left since the flop, both, in the order of action, counted
    clockwise from the button, which is 0; else None.
    """

    street: int
    ratio: int
    players: int
    aggressor: int
    pair: tuple[int, int] | None = None


@dataclass(frozen=True)
class GraphSize:
    """The size of a graph, known before it is laid out.

    decisions, actions: their number on each street.  turns: the most decisions of one player in a
    hand on each street.  blocks: how many there are after the flop.
    """

    nodes: int
    ends: int
    decisions: tuple[int, ...]
    actions: tuple[int, ...]
    turns: tuple[int, ...]
    blocks: int

    def entries(self, buckets: Sequence[int]) -> int:
        """Numbers of a table: one for each action of each bucket.  buckets: by street."""
        return sum(n * count for n, count in zip(self.actions, buckets, strict=True))

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays of the graph."""
        return self.nodes * _BYTES_PER_NODE + self.ends * _BYTES_PER_END


@dataclass(frozen=True, eq=False)
class BettingGraph:
    """A betting graph as arrays, with its game and menu.

    Player p sits p seats clockwise from the button, which is player 0. Before the flop the actor of
    a decision is a player; in later blocks it is a position, 0 for the first to act. Of three
    players 0, 2 and 5 on the flop, positions 0, 1, 2 are 2, 5, 0: see `post_order`.

    nodes: the arrays; node 0 is the first decision of the hand.
    label: float32 ``[nodes]``, the action that leads to a node, as
    `tiltless.blueprint.tree.label_of` says: -3 fold, -2 check, -1 call, or a raise to that total,
    in chips or, where ``nodes.scaled``, in pots at the start of the street; -4 for no action.
    roots: the first decision of each shared block.  shared: False for exact histories.
    players: how many there are.  stack, pot: chips of every player and in the pot where the graph
    begins, before blinds and after antes.  ante: what each player has paid by then.
    """

    game: Holdem
    menu: MultiwayMenu
    nodes: MultiwayNodes
    label: npt.NDArray[np.float32]
    roots: Mapping[BlockKey, int]
    size: GraphSize
    shared: bool
    pairs: bool
    players: int
    stack: int
    pot: int
    ante: int

    @property
    def first_street(self) -> int:
        """The street that the graph begins with: 0 unless it is that of a subgame."""
        return int(self.nodes.node[0, STREET])

    @property
    def streets(self) -> int:
        """The number of streets."""
        return len(self.size.decisions)

    def post_order(self, live: int) -> tuple[int, ...]:
        """The players of a bit mask in the order in which they act after the flop."""
        seats = self.players
        return tuple(p for p in (*range(1, seats), 0) if live >> p & 1)

    def offsets(self, buckets: Sequence[int]) -> npt.NDArray[np.int64]:
        """Where the numbers of each decision begin in a table, int64 ``[nodes]``; 0 at ends.

        The number of an action and a bucket is at ``offset + bucket * ACTIONS + action``.
        """
        counts = np.array([whole_number("buckets", n, 1, 2**16) for n in buckets], np.int64)
        if len(counts) != self.streets:
            raise OptionError(
                f"{len(counts)} numbers of buckets for {self.streets} streets; give one for each"
            )
        node = self.nodes.node
        begin = np.cumsum([0, *(counts * self.size.actions)])
        acts, street = node[:, ACTOR] >= 0, node[:, STREET]
        return np.where(acts, begin[street] + node[:, ROW].astype(np.int64) * counts[street], 0)

    def describe(self) -> str:
        """A few lines of text: blocks, decisions and actions by street."""
        size, kind = self.size, "shared blocks" if self.shared else "exact histories"
        lines = [
            f"{self.game.name}, {self.players} players, {kind}: {size.nodes:,} nodes, "
            f"{size.nbytes / 1e6:.1f} MB, {size.blocks:,} blocks after the flop",
        ]
        for street, (decisions, actions) in enumerate(
            zip(size.decisions, size.actions, strict=True)
        ):
            name = self.game.rules.street_name(street)
            lines.append(f"  {name:<8} {decisions:>12,} decisions with {actions:,} actions")
        return "\n".join(lines)


def ratio_bin(stack: float, pot: float) -> int:
    """The bin of a stack-to-pot ratio: its logarithm to the base `RATIO_STEP`, rounded."""
    return round(math.log(stack / pot) / math.log(RATIO_STEP))
