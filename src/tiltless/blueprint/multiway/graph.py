"""Betting graphs for three to six seats: before the flop by exact history, then shared blocks.

Exact histories of six seats need tens of gigabytes. In a *re-entrant* graph the betting of a later
street is one block for all lines that lead to it with about the same stack-to-pot ratio, the same
number of players, the same last aggressor and, while two players have been left since the flop, the
same pair of seats. Inside a block chips are in pots at its start, so one block serves all pots; a
traversal keeps the true pot and the true stack, so chips are conserved.

Exact histories stay possible (``shared=False``); `graph_size` says beforehand what each costs.

Idea: Slumbot's re-entrant betting trees (Jackson, 2019), with a key of our own.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.bets.menu import TableMenu
from tiltless.blueprint.multiway.block import BettingBlock, street_block
from tiltless.blueprint.multiway.menu import MultiwayMenu, find_multiway_menu
from tiltless.blueprint.tree import label_of
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import Action
from tiltless.games.holdem.betting import NOBODY, Betting, Round, open_round
from tiltless.games.holdem.game import Holdem
from tiltless.kernels.blueprint.nodes import NO_LABEL
from tiltless.kernels.multiway.nodes import (
    ACTIONS,
    ACTOR,
    END,
    FIRST,
    FOLDS,
    LINK,
    MOST_SEATS,
    PARENT,
    ROW,
    STREET,
    MultiwayNodes,
)
from tiltless.validate import whole_number

__all__ = [
    "RATIO_STEP",
    "BettingGraph",
    "BlockKey",
    "GraphSize",
    "betting_graph",
    "graph_size",
    "ratio_bin",
    "subgame_graph",
]

RATIO_STEP = 1.1
"""One bin of stack-to-pot ratios is this many times the one below."""

_POT = 1_000_000  # units of the pot at the start of a shared block, where sizes are whole numbers
_BYTES_PER_NODE = 8 * 4 + 4 + 4  # a record, chips paid and a label
_BYTES_PER_END = MOST_SEATS * 4 + 1 + 1 + 4
_BYTES_PER_ENTRY = 8  # while training: a regret and an average


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


class _ExactKey(NamedTuple):
    """What a block of exact histories depends on, besides its history."""

    street: int
    pot: int
    stack: int
    players: int


_Key = BlockKey | _ExactKey


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

    def training_bytes(self, buckets: Sequence[int]) -> int:
        """Bytes while training: the graph, a regret and an average for each entry."""
        return self.nbytes + _BYTES_PER_ENTRY * self.entries(buckets)


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

    def find_block(
        self,
        street: int,
        pot: float,
        stack: float,
        players: int,
        aggressor: int = NOBODY,
        pair: tuple[int, int] | None = None,
    ) -> int:
        """The first decision of the shared block for a real start of a street; the nearest ratio.

        pot, stack: chips at the start of the street, the stack of one player.  aggressor, pair: see
        `BlockKey`. Keys that no line of the graph leads to are replaced by the nearest ratio, first
        with the same aggressor and pair, then without pair, then without aggressor.
        """
        ratio = ratio_bin(stack, pot)
        for who, seats in ((aggressor, pair), (aggressor, None), (NOBODY, None), (None, None)):
            found = [
                (abs(key.ratio - ratio), root)
                for key, root in self.roots.items()
                if key.street == street and key.players == players
                if who is None or (key.aggressor == who and key.pair == seats)
            ]
            if found:
                return min(found)[1]
        raise OptionError(
            f"the graph has no betting of {players} players on street {street}; choose streets 1 "
            f"to {self.streets - 1} and 2 to {self.players} players"
        )

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


def graph_size(
    game: Holdem, menu: MultiwayMenu | str = "six", *, shared: bool = True, pairs: bool = True
) -> GraphSize:
    """The size of `betting_graph`, counted without laying it out.

    Blocks that occur in many lines are built once, so trees of exact histories far larger than any
    memory are counted in seconds.
    """
    return _Builder(game, find_multiway_menu(menu), shared, pairs).count()


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
    builder = _Builder(game, find_multiway_menu(menu), shared, pairs)
    size = builder.count()
    limit = whole_number("memory_limit", memory_limit, 1, 1 << 62)
    if size.nbytes > limit or size.nodes >= 1 << 31:
        raise OptionError(
            f"the betting graph of {game.name} has {size.nodes:,} nodes, which need "
            f"{size.nbytes / 1e9:.3g} GB, and the memory limit is {limit / 1e9:.3g} GB; allow more "
            "(up to 2^31 nodes), share blocks or offer fewer sizes"
        )
    return builder.lay_out(size)


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
    root = _ExactKey(
        whole_number("street", street, 1, most),
        whole_number("pot", pot, 1, 1 << 40),
        whole_number("stack", stack, 1, 1 << 40),
        whole_number("players", players, 2, MOST_SEATS),
    )
    builder = _Builder(game, find_multiway_menu(menu), True, False, root, tuple(line))
    return builder.lay_out(builder.count())


class _Instance(NamedTuple):
    """A block in its final position: its first node and its first end."""

    block: BettingBlock
    key: _Key | None
    node: int
    end: int


@dataclass(eq=False)
class _Builder:
    """Blocks by what they depend on, each built once."""

    game: Holdem
    menu: MultiwayMenu
    shared: bool
    pairs: bool
    root: "_ExactKey | None" = None
    line: tuple[Action, ...] = ()
    made: dict[tuple[int, ...], BettingBlock] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rules = self.game.rules
        if not 2 <= rules.seats <= MOST_SEATS:
            raise OptionError(
                f"{rules.seats} seats have no betting graph; choose 2 to {MOST_SEATS}"
            )
        if len(set(rules.stacks)) > 1:
            raise OptionError(f"stacks {rules.stacks} differ; a betting graph needs equal ones")
        if rules.run_suits or rules.big_blind_ante or self.game.hidden is not None:
            raise OptionError(
                f"{self.game.name} has no betting graph; take a game without growing boards, big "
                "blind antes and hidden ranks"
            )
        if self.shared and not self.menu.any_pot:
            raise OptionError(
                "shared blocks serve all pots, so sizes after the flop are in %, x, e or a; write "
                "those, or ask for exact histories (shared=False)"
            )
        self.last = len(rules.streets) - 1
        self.ante = min(rules.ante, rules.stacks[0])
        self.stack = rules.stacks[0]

    # ---- blocks

    def preflop(self) -> BettingBlock:
        """The betting before the flop, in chips."""
        rules, start = self.game.rules, self.game.start(button=0).betting
        big_blind, dead = max(start.bets), self.ante * rules.seats
        tables = [self.menu.after_limpers(n).at(rules) for n in range(rules.seats)]

        def offers(betting: Betting) -> tuple[Action, ...]:
            limpers = 0
            if big_blind and not betting.raises:
                limpers = sum(bet == big_blind for bet in betting.bets) - 1
            return tables[limpers].actions(betting, 0, dead + sum(betting.bets))

        return street_block(start, offers, NO_LABEL, self.last == 0)

    def block(self, key: _Key) -> BettingBlock:
        """The betting of a later street."""
        if isinstance(key, BlockKey):
            shape: tuple[int, ...] = (key.street, key.ratio, key.players)
            pot, stack = _POT, max(round(_POT * RATIO_STEP**key.ratio), 1)
            rules = replace(self.game.round(key.street), bet=1)
        else:
            shape, rules = key, self.game.round(key.street)
            pot, stack = key.pot, key.stack
        if shape not in self.made:
            self.made[shape] = self._postflop(key.street, pot, stack, key.players, rules)
        return self.made[shape]

    def _postflop(
        self,
        street: int,
        pot: int,
        stack: int,
        players: int,
        rules: Round,
        line: tuple[Action, ...] = (),
    ) -> BettingBlock:
        """One street among positions, the last of which is where the button is or was.

        line: actions that were really taken, which are offered beside those of the menu.
        """
        stacks = (stack,) * players
        table = self.menu.left(players).at(replace(self.game.rules, stacks=stacks), players - 1)
        start = open_round(rules, stacks, (0,) * players, (1 << players) - 1, players - 1)
        taken: dict[Betting, Action] = {}
        betting = start
        for action in line:
            taken[betting] = action
            betting = betting.after(action)
        offers = partial(_offers, table, street, pot, taken)
        return street_block(start, offers, NO_LABEL, street == self.last)

    def following(self, block: BettingBlock, key: _Key | None) -> list[tuple[int, _Key]]:
        """The links of a block: the number of each ending, and the key of the next block."""
        found: list[tuple[int, _Key]] = []
        players = self.game.players if key is None else key.players
        order = (*range(1, players), 0) if key is None else tuple(range(players))
        for number, ending in enumerate(block.endings):
            if ending.kind != LINK:
                continue
            left = [p for p in order if ending.live >> p & 1]
            bet = max(ending.bets)
            if key is None:
                pot = self.ante * players + sum(ending.bets)
                stack = self.stack - self.ante - bet
            elif isinstance(key, BlockKey):
                pot = _POT + sum(ending.bets)
                stack = max(round(_POT * RATIO_STEP**key.ratio), 1) - bet
            else:
                pot, stack = key.pot + sum(ending.bets), key.stack - bet
            street = 1 if key is None else key.street + 1
            if not self.shared:
                found.append((number, _ExactKey(street, pot, stack, len(left))))
                continue
            aggressor = left.index(ending.aggressor) if ending.aggressor in left else NOBODY
            pair: tuple[int, int] | None = None
            if len(left) == 2 and self.pairs:
                before = key.pair if isinstance(key, BlockKey) else None
                pair = (left[0], left[1]) if key is None else before
            ratio = ratio_bin(stack, pot)
            found.append((number, BlockKey(street, ratio, len(left), aggressor, pair)))
        return found

    # ---- the graph

    def count(self) -> GraphSize:
        """Count blocks with the number of lines that lead to each, street by street."""
        streets = self.last + 1
        nodes = ends = blocks = 0
        decisions, actions, turns = [0] * streets, [0] * streets, [0] * streets
        starts: dict[_Key | None, int] = {self.root: 1}
        for street in range(0 if self.root is None else self.root.street, streets):
            later: dict[_Key | None, int] = {}
            for key, times in starts.items():
                block = self._first() if key is None or key is self.root else self.block(key)
                nodes += times * len(block.actor)
                ends += times * len(block.endings)
                blocks += times * (key is not self.root)
                decisions[street] += times * block.decisions
                actions[street] += times * sum(block.actions)
                turns[street] = max(turns[street], block.turns)
                for _, following in self.following(block, key):
                    later[following] = 1 if self.shared else later.get(following, 0) + times
            starts = later
        return GraphSize(nodes, ends, tuple(decisions), tuple(actions), tuple(turns), blocks)

    def _first(self) -> BettingBlock:
        if () not in self.made:
            root = self.root
            if root is None:
                self.made[()] = self.preflop()
            else:
                rules = self.game.round(root.street)
                self.made[()] = self._postflop(*root, rules, self.line)
        return self.made[()]

    def lay_out(self, size: GraphSize) -> BettingGraph:
        """Assign nodes and ends to all blocks, then fill the arrays."""
        node: npt.NDArray[np.int32] = np.zeros((size.nodes, 8), np.int32)
        paid, label = np.zeros(size.nodes, np.float32), np.zeros(size.nodes, np.float32)
        contribution = np.zeros((size.ends, MOST_SEATS), np.float32)
        all_in, live = np.zeros(size.ends, np.uint8), np.zeros(size.ends, np.uint8)
        target = np.full(size.ends, -1, np.int32)
        arrays = MultiwayNodes(
            node, paid, contribution, all_in, live, target, np.zeros(self.last + 1, np.uint8)
        )
        arrays.scaled[1 if self.root is None else self.root.street + 1 :] = self.shared
        roots: dict[BlockKey, int] = {}
        waiting = [_Instance(self._first(), self.root, 0, 0)]
        free, free_end = len(waiting[0].block.actor), len(waiting[0].block.endings)
        templates: dict[int, _Template] = {}
        while waiting:
            later: list[_Instance] = []
            for instance in waiting:
                block, key = instance.block, instance.key
                if id(block) not in templates:
                    templates[id(block)] = _Template(block, 0 if key is None else key.street, key)
                templates[id(block)].copy(instance, arrays, label)
                for number, following in self.following(block, key):
                    root = roots.get(following) if isinstance(following, BlockKey) else None
                    if root is None:
                        root, below = free, self.block(following)
                        later.append(_Instance(below, following, free, free_end))
                        free, free_end = free + len(below.actor), free_end + len(below.endings)
                        if isinstance(following, BlockKey):
                            roots[following] = root
                    target[instance.end + number] = root
            waiting = later
        assert (free, free_end) == (size.nodes, size.ends)
        for street in range(self.last + 1):
            here = (node[:, ACTOR] >= 0) & (node[:, STREET] == street)
            node[here, ROW] = np.cumsum(node[here, ACTIONS]) - node[here, ACTIONS]
        begin = self.root
        chips = (self.game.players, self.stack - self.ante, self.ante * self.game.players)
        if begin is not None:
            chips = (begin.players, begin.stack, begin.pot)
        return BettingGraph(
            self.game,
            self.menu,
            arrays,
            label,
            roots,
            size,
            self.shared,
            self.pairs,
            *chips,
            self.ante if begin is None else 0,
        )


def _offers(
    table: TableMenu, street: int, pot: int, taken: Mapping[Betting, Action], betting: Betting
) -> tuple[Action, ...]:
    """The actions of the menu, and the one that was really taken here."""
    offered = table.actions(betting, street, pot + sum(betting.bets))
    more = taken.get(betting)
    if more is None or more in offered:
        return offered
    return tuple(sorted((*offered, more), key=label_of))


class _Template:
    """The arrays of a block that begins at node 0 and end 0."""

    def __init__(self, block: BettingBlock, street: int, key: _Key | None) -> None:
        unit = np.float32(_POT if isinstance(key, BlockKey) else 1)
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
