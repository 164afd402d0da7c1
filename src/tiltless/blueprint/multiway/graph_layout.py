"""Layout of betting graphs: blocks are counted, get their nodes and ends, and become arrays."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.blueprint.multiway.block import BettingBlock
from tiltless.blueprint.multiway.graph import BettingGraph, BlockKey, GraphSize
from tiltless.blueprint.multiway.graph_blocks import POT, ExactKey, GraphBlocks, Key
from tiltless.blueprint.multiway.menu import MultiwayMenu, find_multiway_menu
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import Action
from tiltless.games.holdem.game import Holdem
from tiltless.kernels.multiway.nodes import (
    ACTIONS,
    ACTOR,
    END,
    FIRST,
    FOLDS,
    MOST_SEATS,
    PARENT,
    ROW,
    STREET,
    MultiwayNodes,
)
from tiltless.validate import whole_number

__all__ = ["betting_graph", "graph_size", "subgame_graph"]


def graph_size(
    game: Holdem, menu: MultiwayMenu | str = "six", *, shared: bool = True, pairs: bool = True
) -> GraphSize:
    """The size of `betting_graph`, counted without laying it out.

    Blocks that occur in many lines are built once, so trees of exact histories far larger than any
    memory are counted in seconds.
    """
    return _count(GraphBlocks(game, find_multiway_menu(menu), shared, pairs))


def betting_graph(
    game: Holdem,
    menu: MultiwayMenu | str = "six",
    *,
    shared: bool = True,
    pairs: bool = True,
    memory_limit: int = 2 << 30,
) -> BettingGraph:
    """Lay out the betting graph of a hold'em game; `OptionError` beforehand if it does not fit.

    game: two to six seats with equal stacks.  menu: one of `MULTIWAY_MENUS`, or a menu.
    shared: whether later streets share blocks; False for exact histories.
    pairs: whether two players who are left since the flop have blocks of their own.
    memory_limit: for the arrays of the graph, in bytes; tables need more, see `GraphSize`.
    """
    blocks = GraphBlocks(game, find_multiway_menu(menu), shared, pairs)
    size = _count(blocks)
    limit = whole_number("memory_limit", memory_limit, 1, 1 << 62)
    if size.nbytes > limit or size.nodes >= 1 << 31:
        raise OptionError(
            f"the betting graph of {game.name} has {size.nodes:,} nodes, which need "
            f"{size.nbytes / 1e9:.3g} GB, and the memory limit is {limit / 1e9:.3g} GB; allow more "
            "(up to 2^31 nodes), share blocks or offer fewer sizes"
        )
    return _laid_out(blocks, size)


def subgame_graph(
    game: Holdem,
    street: int,
    pot: int,
    stack: int,
    players: int,
    menu: MultiwayMenu | str = "six",
    *,
    line: Sequence[Action] = (),
) -> BettingGraph:
    """The betting from the start of a street on: this street in true chips, later ones shared.

    pot, stack: chips at the start of the street, the stack of each player.  players: how many are
    left; they are positions 0, 1, … in the order of action.
    line: what was really done on this street so far; off-menu raises are added to the menu there.
    """
    most = len(game.rules.streets) - 1
    root = ExactKey(
        whole_number("street", street, 1, most),
        whole_number("pot", pot, 1, 1 << 40),
        whole_number("stack", stack, 1, 1 << 40),
        whole_number("players", players, 2, MOST_SEATS),
    )
    blocks = GraphBlocks(game, find_multiway_menu(menu), True, False, root, tuple(line))
    return _laid_out(blocks, _count(blocks))


class _Instance(NamedTuple):
    """A block in its final position: its first node and its first end."""

    block: BettingBlock
    key: Key | None
    node: int
    end: int


def _count(blocks: GraphBlocks) -> GraphSize:
    """Count blocks with the number of lines that lead to each, street by street."""
    streets = blocks.last + 1
    nodes = ends = later_blocks = 0
    decisions, actions, turns = [0] * streets, [0] * streets, [0] * streets
    starts: dict[Key | None, int] = {blocks.root: 1}
    for street in range(0 if blocks.root is None else blocks.root.street, streets):
        later: dict[Key | None, int] = {}
        for key, times in starts.items():
            block = blocks.first() if key is None or key is blocks.root else blocks.block(key)
            nodes += times * len(block.actor)
            ends += times * len(block.endings)
            later_blocks += times * (key is not blocks.root)
            decisions[street] += times * block.decisions
            actions[street] += times * sum(block.actions)
            turns[street] = max(turns[street], block.turns)
            for _, following in blocks.following(block, key):
                later[following] = 1 if blocks.shared else later.get(following, 0) + times
        starts = later
    return GraphSize(nodes, ends, tuple(decisions), tuple(actions), tuple(turns), later_blocks)


def _laid_out(blocks: GraphBlocks, size: GraphSize) -> BettingGraph:
    """Assign nodes and ends to all blocks, then fill the arrays."""
    node: npt.NDArray[np.int32] = np.zeros((size.nodes, 8), np.int32)
    paid, label = np.zeros(size.nodes, np.float32), np.zeros(size.nodes, np.float32)
    contribution = np.zeros((size.ends, MOST_SEATS), np.float32)
    all_in, live = np.zeros(size.ends, np.uint8), np.zeros(size.ends, np.uint8)
    target = np.full(size.ends, -1, np.int32)
    arrays = MultiwayNodes(
        node, paid, contribution, all_in, live, target, np.zeros(blocks.last + 1, np.uint8)
    )
    arrays.scaled[1 if blocks.root is None else blocks.root.street + 1 :] = blocks.shared
    roots: dict[BlockKey, int] = {}
    waiting = [_Instance(blocks.first(), blocks.root, 0, 0)]
    free, free_end = len(waiting[0].block.actor), len(waiting[0].block.endings)
    templates: dict[int, _Template] = {}
    while waiting:
        later: list[_Instance] = []
        for instance in waiting:
            block, key = instance.block, instance.key
            if id(block) not in templates:
                templates[id(block)] = _Template(block, 0 if key is None else key.street, key)
            templates[id(block)].copy(instance, arrays, label)
            for number, following in blocks.following(block, key):
                root = roots.get(following) if isinstance(following, BlockKey) else None
                if root is None:
                    root, below = free, blocks.block(following)
                    later.append(_Instance(below, following, free, free_end))
                    free, free_end = free + len(below.actor), free_end + len(below.endings)
                    if isinstance(following, BlockKey):
                        roots[following] = root
                target[instance.end + number] = root
        waiting = later
    assert (free, free_end) == (size.nodes, size.ends)
    for street in range(blocks.last + 1):
        here = (node[:, ACTOR] >= 0) & (node[:, STREET] == street)
        node[here, ROW] = np.cumsum(node[here, ACTIONS]) - node[here, ACTIONS]
    begin = blocks.root
    chips = (blocks.game.players, blocks.stack - blocks.ante, blocks.ante * blocks.game.players)
    if begin is not None:
        chips = (begin.players, begin.stack, begin.pot)
    return BettingGraph(
        blocks.game,
        blocks.menu,
        arrays,
        label,
        roots,
        size,
        blocks.shared,
        blocks.pairs,
        *chips,
        blocks.ante if begin is None else 0,
    )


class _Template:
    """The arrays of a block that begins at node 0 and end 0."""

    def __init__(self, block: BettingBlock, street: int, key: Key | None) -> None:
        unit = np.float32(POT if isinstance(key, BlockKey) else 1)
        self.node = np.zeros((len(block.actor), 8), np.int32)
        columns = {
            ACTOR: block.actor,
            ACTIONS: block.actions,
            FIRST: block.first,
            FOLDS: block.folds,
            PARENT: block.parent,
        }
        for column, values in columns.items():
            self.node[:, column] = values
        self.node[:, STREET] = street
        self.paid = np.array(block.paid, np.float32) / unit
        self.label = np.array(block.label, np.float32)
        self.label[self.label > 0] /= unit
        self.contribution = np.zeros((len(block.endings), MOST_SEATS), np.float32)
        for number, ending in enumerate(block.endings):
            self.contribution[number, : len(ending.bets)] = ending.bets
            self.node[ending.node, END] = number
        self.contribution /= unit
        self.all_in = np.array([ending.all_in for ending in block.endings], np.uint8)
        self.live = np.array([ending.live for ending in block.endings], np.uint8)
        self.acts = self.node[:, ACTOR] >= 0

    def copy(self, to: _Instance, arrays: MultiwayNodes, label: npt.NDArray[np.float32]) -> None:
        """Write the block to its position in the arrays of the graph."""
        nodes = slice(to.node, to.node + len(self.node))
        ends = slice(to.end, to.end + len(self.live))
        out = arrays.node[nodes]
        out[:] = self.node
        out[self.acts, FIRST] += to.node
        out[~self.acts, END] += to.end
        out[1:, PARENT] += to.node
        arrays.paid[nodes], label[nodes] = self.paid, self.label
        arrays.contribution[ends] = self.contribution
        arrays.all_in[ends], arrays.live[ends] = self.all_in, self.live
