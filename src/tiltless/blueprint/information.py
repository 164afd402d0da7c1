"""Information products compiled into betting trees: nodes share rows.

A decision finds its numbers in a table by its ROW (`tiltless.kernels.blueprint.nodes.Rows`). Give
the decisions of a class the same ROW, and everything that traverses the tree, playouts and
training alike, plays the abstract game: no kernel knows of it, and nothing is slower. Nodes,
actions and payoffs stay those of the full game.

Rows are counted street by street, and decisions that share a row share its columns. So street and
allowed actions are factors of every product here, written or not.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.buckets import Buckets, ComboBuckets, on_board, product_of
from tiltless.abstraction.information.columns import DecisionColumns
from tiltless.abstraction.information.features import actions, cards, history, street
from tiltless.abstraction.information.product import Abstraction, Seen
from tiltless.blueprint.betting import AbstractBetting
from tiltless.blueprint.tree import BettingTree
from tiltless.cards.card import COMBO_CARDS, COMBO_COUNT
from tiltless.errors import OptionError
from tiltless.kernels.blueprint.decision_columns import (
    STATE,
    MenuSlots,
    PathBuffers,
    decision_columns,
)
from tiltless.kernels.blueprint.nodes import ACTIONS, ACTOR, FIRST, PARENT, ROW, STREET

__all__ = [
    "Abstracted",
    "abstracted",
    "bucket_counts",
    "card_groups",
    "classes",
    "decisions",
    "hand_buckets",
    "playable",
    "share_rows",
    "situations",
]


@dataclass(frozen=True, eq=False)
class Abstracted:
    """A betting tree in which decisions share rows, and the buckets of its streets.

    tree: like ``full``, but its rows, and the sizes by street in ``tree.size``, are those of
    classes.  Use it with ``buckets``, as in ``play(game.tree, 1000, buckets=game.buckets)``.
    """

    product: Abstraction
    full: BettingTree
    tree: BettingTree
    buckets: tuple[Buckets, ...]

    @property
    def infosets(self) -> tuple[int, ...]:
        """Classes times buckets, by street."""
        counts = [group.count for group in self.buckets]
        return tuple(n * count for n, count in zip(self.tree.size.decisions, counts, strict=True))

    def describe(self) -> str:
        """Decisions, classes, buckets and information sets, street by street."""
        full, size = self.full.size, self.tree.size
        lines = [
            f"{self.product}: {sum(full.decisions):,} decisions in {sum(size.decisions):,} "
            f"classes, {sum(self.infosets):,} information sets"
        ]
        for number, group in enumerate(self.buckets):
            lines.append(
                f"  {self.full.street_name(number):<8} {full.decisions[number]:>12,} decisions in "
                f"{size.decisions[number]:,} classes, times {group.count:,} buckets"
            )
        return "\n".join(lines)


def playable(product: Abstraction) -> Abstraction:
    """A product with the factors that rows of a table need: street and allowed actions."""
    if not isinstance(product, Abstraction):
        raise OptionError(
            f"a {type(product).__name__} is not an abstraction; multiply features, such as "
            "street * seat * pot(20)"
        )
    return product * street * actions


def decisions(tree: BettingTree) -> npt.NDArray[np.int64]:
    """The nodes where somebody decides; without copies that stand for a street that repeats."""
    acts = np.flatnonzero(tree.nodes.node[:, ACTOR] >= 0)
    first = tree.nodes.node[acts, FIRST]
    return np.asarray(acts[tree.nodes.node[first, PARENT] == acts])


def situations(tree: BettingTree) -> DecisionColumns:
    """What everybody sees at each of the `decisions` of a tree."""
    nodes, players = tree.nodes, tree.players
    betting = AbstractBetting(tree.game, tree.menu, tree.repeat_from)
    roots = np.flatnonzero(nodes.node[:, PARENT] < 0)
    every = np.flatnonzero(nodes.node[:, ACTOR] >= 0)
    acts = decisions(tree)
    number = np.full(len(nodes.node), -1, dtype=np.int64)
    number[every] = -2 - np.searchsorted(roots, nodes.node[nodes.node[every, FIRST], PARENT])
    number[acts] = np.arange(len(acts))  # what is left below -1 are copies of roots
    starts = np.zeros((len(roots), players + 2), dtype=np.int64)
    starts[0] = *betting.first.stacks, betting.chips - sum(betting.first.stacks), 0
    leads = betting.menu.street(tree.repeat_from).donk is not None
    depth, n = tree.size.depth + 1, len(acts)
    way = PathBuffers(
        np.zeros((depth, players), dtype=np.int64),
        np.zeros((depth, players), dtype=np.int64),
        np.zeros((depth, STATE), dtype=np.int64),
        np.zeros((depth, 2), dtype=np.uint64),
    )
    types = (np.int64, np.int64, np.int32, np.int32, np.int64, np.uint64, np.uint64)
    lines = MenuSlots(*(np.empty(n, dtype=kind) for kind in types))
    bets = np.array(betting.first.bets, dtype=np.int64)
    decision_columns(nodes, number, roots, starts, bets, leads, way, lines)
    return DecisionColumns(betting.chips, nodes.node[acts, STREET], nodes.node[acts, ACTOR], *lines)


def classes(tree: BettingTree, product: Abstraction) -> npt.NDArray[np.int64]:
    """The class of each of the `decisions` of a tree, numbered in order of appearance."""
    product = playable(product)
    if history() in product.factors:  # all else follows from it, and words need not be compared
        return np.arange(len(decisions(tree)))
    return product.classes(situations(tree))


def share_rows(tree: BettingTree, product: Abstraction) -> BettingTree:
    """The tree in which the decisions of each class of a product share their rows; cards left out.

    Classes of a street are laid out in the order in which they appear, so that the full history
    leaves the tree as it is. Two players share a row unless the product tells them apart.
    """
    acts, found = decisions(tree), classes(tree, product)
    node = tree.nodes.node.copy()
    _, first = np.unique(found, return_index=True)
    sample = node[acts[first]]  # one decision of each class, which are in order
    row = np.zeros(len(first), dtype=np.int64)
    count, width = [], []
    for number in range(tree.streets):
        here = sample[:, STREET] == number
        sizes = sample[here, ACTIONS].astype(np.int64)
        row[here] = np.cumsum(sizes) - sizes
        count.append(len(sizes))
        width.append(int(sizes.sum()))
    node[acts, ROW] = row[found]
    every = np.flatnonzero(node[:, ACTOR] >= 0)
    node[every, ROW] = node[node[node[every, FIRST], PARENT], ROW]  # copies follow originals
    size = tree.size._replace(decisions=tuple(count), actions=tuple(width))
    return replace(tree, nodes=tree.nodes._replace(node=node), size=size)


def card_groups(
    tree: BettingTree, product: Abstraction | None, groups: Sequence[Buckets]
) -> tuple[Buckets, ...]:
    """The buckets of each street of a tree.

    groups: what the feature ``cards`` stands for, by street; later streets use the last one.
    product: None for ``cards`` alone.
    """
    last = len(groups) - 1
    if product is None:
        return tuple(groups[min(street, last)] for street in range(tree.streets))
    found = []
    for seen in _seen(tree):
        hands = groups[min(seen.street, last)] if groups else None
        found.append(
            product_of(
                hands if each == cards and hands is not None else each.on(seen)
                for each in product.cards
            )
        )
    return tuple(found)


def bucket_counts(
    tree: BettingTree, product: Abstraction | None, counts: Sequence[int]
) -> tuple[int, ...]:
    """The number of buckets of each street; counts: of ``cards``, the last one is repeated."""
    others = [each for each in product.cards if each != cards] if product is not None else []
    return tuple(
        counts[min(seen.street, len(counts) - 1)] * prod(each.on(seen).count for each in others)
        for seen in _seen(tree)
    )


def hand_buckets(
    tree: BettingTree,
    product: Abstraction | None,
    board: Sequence[int],
    count: int,
    buckets: npt.NDArray[np.integer],
) -> npt.NDArray[np.integer]:
    """The bucket of every hand on a board, `[1326]`, by the card features of a product.

    buckets, count: what ``cards`` stands for on this board, `[1326]`, and how many there are.
    """
    if product is None or product.cards == (cards,):
        return buckets
    street = next(seen.street for seen in _seen(tree) if seen.board in (None, len(board)))
    group = on_board(card_groups(tree, product, [ComboBuckets(count, buckets)])[street], len(board))
    rows = np.empty((COMBO_COUNT, 2 * tree.players + len(board)), dtype=np.uint8)
    rows[:, : 2 * tree.players] = np.tile(COMBO_CARDS, tree.players)
    rows[:, 2 * tree.players :] = board
    out = np.empty((COMBO_COUNT, tree.players, tree.streets), dtype=np.uint32)
    group.fill(rows, street, out)
    return out[:, 0, street]


def abstracted(
    tree: BettingTree, product: Abstraction, groups: Sequence[Buckets] = ()
) -> Abstracted:
    """A tree that shares rows by a product (`share_rows`), and its buckets (`card_groups`)."""
    product = playable(product)
    return Abstracted(product, tree, share_rows(tree, product), card_groups(tree, product, groups))


def _seen(tree: BettingTree) -> list[Seen]:
    """The public situations, street by street."""
    game = tree.game
    dealt = [0, *np.cumsum(game.sizes).tolist()]
    board = [
        dealt[min(number, len(dealt) - 1)] + max(number - len(dealt) + 1, 0)
        for number in range(tree.streets)
    ]
    found = [
        Seen(number, tree.players, game.rules.hole_cards, cards)
        for number, cards in enumerate(board)
    ]
    if tree.run_suits:
        found[-1] = found[-1]._replace(board=None, least=board[-1])
    return found
