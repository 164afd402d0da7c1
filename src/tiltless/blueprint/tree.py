"""Betting trees of hold'em games as arrays: one node for each public history of bets.

Cards are left out: a node's street says how many are on the board, and private cards become
buckets, which multiply the rows of tables (`BettingTree.rows`). Only where the board decides
whether one more street follows (River of Blood) is there a node of chance.

**Order.** The children of a node are adjacent, and the nodes below the first decision of a street
are one block. Two blocks that begin with equal stacks and the same players (and, for menus with
donk sizes, the same aggressor to lead into) differ only in their offsets, so each is built once
with the reference rules and copied afterwards.

**Streets that repeat.** The board of River of Blood may grow by up to 26 streets. Those before
street ``repeat_from`` are laid out like any other. All later ones are one street that repeats: it
is laid out once for each different start, and forgets everything else about the earlier bets. Where
one more street follows, it is represented by a copy of its first decision, with the same row and
the same children; so a hand may return to nodes that it has visited, and the order of nodes is not
always one from parents to children.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.bets.menu import Menu
from tiltless.blueprint.betting import AbstractBetting, StartKey, TreeSize, count, start_key
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.games.holdem.betting import NOBODY, Betting
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.rules import Rules
from tiltless.kernels.blueprint.nodes import (
    ACTIONS,
    ACTOR,
    CALL_LABEL,
    CHANCE,
    CHECK_LABEL,
    FIRST,
    FOLD_LABEL,
    NO_LABEL,
    PARENT,
    ROW,
    SHOWDOWN,
    STREET,
    UNCONTESTED,
    BettingNodes,
    Rows,
)
from tiltless.validate import whole_number

__all__ = ["BettingTree", "betting_tree", "count_nodes", "label_of", "tree_bytes", "tree_size"]

Progress = Callable[[int, int], None]

_BYTES_PER_NODE = 8 * 4 + 8  # a record and a label
_BYTES_PER_CHIPS = 8
_MAX_NODES = 2**31 - 1
_MAX_BYTES = 2**63 - 1
_LINK = -9  # marks a street that repeats until its index is known
_PLAIN_ACTIONS: dict[int, Action] = {FOLD_LABEL: FOLD, CHECK_LABEL: CHECK, CALL_LABEL: CALL}
_PLAIN_LABELS = {type(action): label for label, action in _PLAIN_ACTIONS.items()}


def label_of(action: Action) -> int:
    """The label of an action in `BettingNodes.label`: -3 fold, -2 check, -1 call, n raise to n.

    The root and the nodes after chance have -4, as no action leads to them.
    """
    return action.chips if isinstance(action, RaiseTo) else _PLAIN_LABELS[action.__class__]


@dataclass(frozen=True, eq=False)
class BettingTree:
    """A betting tree as arrays, with its game and menu.

    Player p sits p seats clockwise from the button, which is player 0.

    nodes: the arrays.  size: numbers of nodes, decisions and so on, counted before building.
    board: board cards at a showdown, without streets that depend on the board.
    run_suits: suits of the newest board card after which such a street follows, a bit mask; 0 in
    most games.  repeat_from: see **Streets that repeat** above.
    """

    game: Holdem
    menu: Menu
    nodes: BettingNodes
    size: TreeSize
    board: int
    run_suits: int
    repeat_from: int

    @property
    def players(self) -> int:
        """The number of players."""
        return self.game.players

    @property
    def streets(self) -> int:
        """The number of different streets; one that repeats is the last of them."""
        return len(self.size.decisions)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return sum(int(part.nbytes) for part in self.nodes)

    def rows(self, buckets: int | Sequence[int] = 1) -> Rows:
        """The offsets of decisions in a table, given the number of buckets on each street."""
        numbers = list(buckets) if isinstance(buckets, Iterable) else [buckets] * self.streets
        if len(numbers) != self.streets:
            raise OptionError(
                f"{len(numbers)} numbers of buckets for {self.streets} streets; give one for each"
            )
        counts = [whole_number("buckets", number, 1, 2**32) for number in numbers]
        sizes = [count * n for count, n in zip(counts, self.size.actions, strict=True)]
        start = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        return Rows(start, np.array(counts, dtype=np.int64))

    def table_nodes(self) -> npt.NDArray[np.int64]:
        """The node that each action leads to, in the order of a table with one bucket."""
        acts = self.nodes.node[self.nodes.node[:, ACTOR] >= 0].astype(np.int64)
        row = self.rows().start[acts[:, STREET]] + acts[:, ROW]
        children = np.empty(sum(self.size.actions), dtype=np.int64)
        for action in range(int(acts[:, ACTIONS].max(initial=0))):
            some = acts[:, ACTIONS] > action
            children[row[some] + action] = acts[some, FIRST] + action
        return children

    def children(self, node: int) -> range:
        """The children of a node, in the order of its actions."""
        first = int(self.nodes.node[node, FIRST])
        return range(first, first + int(self.nodes.node[node, ACTIONS]))

    def action(self, node: int) -> Action | None:
        """The action that leads to a node; None at the root and after chance."""
        label = int(self.nodes.label[node])
        return RaiseTo(label) if label >= 0 else _PLAIN_ACTIONS.get(label)

    def history(self, node: int) -> tuple[Action, ...]:
        """The actions that lead to a node; in a street that repeats, those since its start."""
        actions = []
        while node >= 0:
            action = self.action(node)
            if action is not None:
                actions.append(action)
            node = int(self.nodes.node[node, PARENT])
        return tuple(reversed(actions))

    def street_name(self, street: int) -> str:
        """``"flop"``; ``"run"`` for a street that follows because of the board."""
        return self.game.rules.street_name(street)

    def describe(self) -> str:
        """A few lines of text: nodes, decisions by street, terminals and rows."""
        actor = self.nodes.node[:, ACTOR]
        folds, shown = (int(np.count_nonzero(actor == kind)) for kind in (UNCONTESTED, SHOWDOWN))
        size = self.size
        lines = [
            f"{self.game.name}, {self.players} players: {size.nodes:,} nodes, "
            f"{self.nbytes / 1e6:.1f} MB, hands of up to {size.depth} nodes",
            f"{sum(size.decisions):,} decisions with {sum(size.actions):,} actions "
            "(rows of a table with one bucket)",
        ]
        for street, (decisions, actions) in enumerate(
            zip(size.decisions, size.actions, strict=True)
        ):
            again = ", again and again" if street == self.repeat_from else ""
            name = self.street_name(street)
            lines.append(f"  {name:<8} {decisions:>12,} with {actions:,} actions{again}")
        lines.append(f"{size.ends:,} ends: {folds:,} by folding, {shown:,} showdowns")
        return "\n".join(lines)


def count_nodes(
    game: Holdem | Rules, menu: Menu | str, *, repeat_from: int | None = None, limit: int = 10**8
) -> int:
    """The number of nodes of `betting_tree`; `OptionError` if there are more than ``limit``.

    No tree is built. Equal positions are counted once, so this is much faster than the number of
    nodes suggests.
    """
    return tree_size(game, menu, repeat_from=repeat_from, limit=limit).nodes


def tree_size(
    game: Holdem | Rules, menu: Menu | str, *, repeat_from: int | None = None, limit: int = 10**8
) -> TreeSize:
    """All sizes of a tree, counted without building it, as in `count_nodes`."""
    limit = whole_number("limit", limit, 1, _MAX_BYTES)
    return count(AbstractBetting(_as_game(game), menu, repeat_from), limit)


def betting_tree(
    game: Holdem | Rules,
    menu: Menu | str,
    *,
    repeat_from: int | None = None,
    memory_limit: int = 1 << 30,
    progress: Progress | None = None,
) -> BettingTree:
    """Build the betting tree of a hold'em game; `OptionError` beforehand if it does not fit.

    menu: a menu, its text, or the name of a preset.
    repeat_from: the first street that repeats, see the module; by default the first one that
        depends on the board.
    memory_limit: for the arrays, in bytes.
    progress: called now and then with the number of nodes so far and the total.
    """
    memory_limit = whole_number("memory_limit", memory_limit, 1, _MAX_BYTES)
    rules = AbstractBetting(_as_game(game), menu, repeat_from)
    limit = memory_limit // (_BYTES_PER_NODE + _BYTES_PER_CHIPS)
    bound = f"all that a memory limit of {memory_limit:,} bytes has room for; allow more,"
    if limit > _MAX_NODES:
        limit, bound = _MAX_NODES, "the most that can be numbered;"
    size = count(rules, limit, bound)
    needed = tree_bytes(size, rules.game.players)
    if needed > memory_limit:
        raise OptionError(
            f"the betting tree of {rules.game.name} has {size.nodes:,} nodes, which need "
            f"{needed / 1e9:.3g} GB, and the memory limit is {memory_limit / 1e9:.3g} GB; allow "
            "more, offer fewer sizes or set caps"
        )
    nodes = _Layout(rules, size).run(progress)
    shape = (rules.board, rules.run_suits, rules.repeat_from)
    return BettingTree(rules.game, rules.menu, nodes, size, *shape)


def tree_bytes(size: TreeSize, players: int) -> int:
    """Bytes of the arrays of a tree."""
    return size.nodes * _BYTES_PER_NODE + size.ends * players * _BYTES_PER_CHIPS


def _as_game(game: Holdem | Rules) -> Holdem:
    if isinstance(game, Holdem):
        return game
    if isinstance(game, Rules):
        return Holdem("holdem", game, (), 0, game.hand_order)
    name = getattr(game, "name", repr(game))
    raise OptionError(f"{name} is not a hold'em game; choose one, such as nlhe")


class _Waiting(NamedTuple):
    """A node with an index that is not filled in yet.  begins: whether it begins a street."""

    betting: Betting
    street: int
    aggressor: int
    node: int
    parent: int
    begins: bool


@dataclass(slots=True)
class _Block:
    """The ranges of nodes below the first decision of a street, and of their rows of ``paid``."""

    root: int
    low: int
    low_end: int
    high: int = 0
    high_end: int = 0


class _Layout:
    """The arrays while they are being filled."""

    def __init__(self, rules: AbstractBetting, size: TreeSize) -> None:
        self.rules = rules
        self.node: npt.NDArray[np.int32] = np.zeros((size.nodes, 8), dtype=np.int32)
        self.label = np.full(size.nodes, NO_LABEL, dtype=np.int64)
        self.left: npt.NDArray[np.int64] = np.empty((size.ends, rules.game.players), dtype=np.int64)
        self.free = self.free_end = 0  # nodes and terminals assigned so far
        self.blocks: dict[StartKey, _Block] = {}
        self.repeated: dict[StartKey, tuple[int, Betting, int]] = {}

    def run(self, progress: Progress | None) -> BettingNodes:
        """Lay out the tree, then the streets that repeat."""
        self.fill(self.rules.first, 0, NOBODY, progress)
        roots: list[int] = []
        while len(roots) < len(self.repeated):
            for number, betting, aggressor in list(self.repeated.values())[len(roots) :]:
                assert number == len(roots)
                roots.append(self.free)
                self.fill(betting, self.rules.repeat_from, aggressor, progress)
        assert self.free == len(self.node)
        assert self.free_end == len(self.left)
        self.number_rows()
        self.resolve_links(np.array(roots, dtype=np.int64))
        if progress:
            progress(self.free, self.free)
        paid = np.array(self.rules.stacks, dtype=np.int64) - self.left
        return BettingNodes(self.node, self.label, paid, np.array(self.rules.dead, dtype=np.int64))

    def fill(
        self, betting: Betting, street: int, aggressor: int, progress: Progress | None
    ) -> None:
        """Lay out everything after ``betting``; nodes on the stack already have their index."""
        rules, node, label = self.rules, self.node, self.label
        first_item = _Waiting(betting, street, aggressor, self.take(1), -1, True)
        stack: list[_Waiting | _Block] = [first_item]
        while stack:
            item = stack.pop()
            if isinstance(item, _Block):
                item.high, item.high_end = self.free, self.free_end
                if progress:
                    progress(self.free, len(node))
                continue
            betting, before, aggressor, index, parent, begins = item
            kind, betting, street, aggressor = rules.settle(betting, before, aggressor)
            live = betting.live
            if kind < CHANCE:
                self.end(kind, betting, street, index, parent)
            elif kind == CHANCE:
                first, following = self.take(2), rules.next_street(street)
                node[index] = (CHANCE, street, 2, first, 0, live, parent, 0)
                self.end(SHOWDOWN, betting, street, first, index)
                if following < rules.repeat_from:
                    stack.append(_Waiting(betting, following, aggressor, first + 1, index, True))
                else:
                    self.link(betting, following, aggressor, first + 1, index)
            else:
                if begins or street != before:
                    key = start_key(betting, street, aggressor)
                    if key in self.blocks:
                        self.copy(self.blocks[key], index, parent)
                        continue
                    self.blocks[key] = block = _Block(index, self.free, self.free_end)
                    stack.append(block)  # popped when everything below it is laid out
                actions = rules.actions(betting, street, aggressor)
                first = self.take(len(actions))
                node[index] = (kind, street, len(actions), first, 0, live, parent, 0)
                for child, action in enumerate(actions, first):
                    label[child] = label_of(action)
                    last = rules.aggressor(betting, action, aggressor) if rules.donks else NOBODY
                    after = betting.after(action)
                    stack.append(_Waiting(after, street, last, child, index, False))

    def take(self, count: int) -> int:
        """Reserve some nodes; returns the index of the first."""
        self.free += count
        return self.free - count

    def end(self, kind: int, betting: Betting, street: int, index: int, parent: int) -> None:
        """Fill in a terminal."""
        line = self.free_end
        self.node[index] = (kind, street, 0, 0, line, betting.live, parent, 0)
        self.left[line] = betting.stacks
        self.free_end += 1

    def link(self, betting: Betting, street: int, aggressor: int, index: int, parent: int) -> None:
        """Mark a node that will become a copy of the first decision of a street that repeats."""
        key = start_key(betting, street, aggressor)
        number, *_ = self.repeated.setdefault(key, (len(self.repeated), betting, aggressor))
        self.node[index] = (_LINK, street, 0, 0, number, betting.live, parent, 0)

    def copy(self, block: _Block, index: int, parent: int) -> None:
        """Copy a block that is already laid out, with its root at ``index``."""
        size, ends = block.high - block.low, block.high_end - block.low_end
        low, low_end = self.take(size), self.free_end
        self.free_end += ends
        self.left[low_end : self.free_end] = self.left[block.low_end : block.high_end]
        self.label[low : self.free] = self.label[block.low : block.high]
        new = self.node[low : self.free]
        new[:] = self.node[block.low : block.high]
        shift = low - block.low
        below_root = new[:, PARENT] == block.root
        new[:, PARENT] += shift
        new[below_root, PARENT] = index
        new[new[:, ACTIONS] > 0, FIRST] += shift
        new[(new[:, ACTOR] < CHANCE) & (new[:, ACTOR] != _LINK), ROW] += low_end - block.low_end
        self.node[index] = self.node[block.root]
        self.node[index, FIRST] += shift
        self.node[index, PARENT] = parent

    def number_rows(self) -> None:
        """Number the rows of the decisions of each street."""
        acts = self.node[:, ACTOR] >= 0
        for street in range(self.rules.streets):
            here = acts & (self.node[:, STREET] == street)
            actions = self.node[here, ACTIONS]
            self.node[here, ROW] = np.cumsum(actions) - actions

    def resolve_links(self, roots: npt.NDArray[np.int64]) -> None:
        """Copy the first decision of each street that repeats to the nodes marked for it."""
        links = np.flatnonzero(self.node[:, ACTOR] == _LINK)
        parents = self.node[links, PARENT]
        self.node[links] = self.node[roots[self.node[links, ROW]]]
        self.node[links, PARENT] = parents
