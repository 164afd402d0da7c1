"""Layout of a spot on a device: its forests and boards as the arrays of the CUDA kernels.

Everything is built on the host from what the CPU engine uses (`tiltless.postflop.boards`,
`tiltless.postflop.betting_forest`), so tables have the same rows at the same offsets. The buffers
are empty here; `tiltless.postflop.device.runner` allocates them, once their size has been checked.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import DECK_SIZE
from tiltless.kernels.cuda.structs import NO_HAND, DeviceStreet
from tiltless.kernels.postflop.street import ACTOR, FOLD
from tiltless.kernels.postflop.terminals import TERMINALS_AT_ONCE, StreetBoards
from tiltless.postflop.betting_forest import StreetForest
from tiltless.postflop.boards import BoardSet
from tiltless.postflop.device.program import fold_payoffs
from tiltless.postflop.spot import IP, OOP

__all__ = ["StreetLayout", "deal_layout", "levels", "street_layouts"]

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]

_KEY = 4096  # more than the hands of a player
_EMPTY = np.zeros(0, np.float32)


class StreetLayout(NamedTuple):
    """A street, the sizes of its buffers, and what its launches need.

    reach_size, cfv_size: numbers in the buffers `DeviceStreet.reach` and `cfv`.
    share: the probability of a card that leads to this street.
    decisions: the decision nodes of each level, from the roots on, by who acts: ``[levels][2]``.
    fold: int32, the nodes where somebody has folded.  fold_pay: float32 ``[2, folds]``.
    """

    street: DeviceStreet
    reach_size: int
    cfv_size: int
    share: np.float32
    decisions: list[tuple[Ints, Ints]]
    fold: Ints
    fold_pay: Floats

    @property
    def boards(self) -> int:
        """The number of boards."""
        return len(self.street.parent)

    @property
    def widest(self) -> int:
        """The longest vector of a player."""
        return int(self.street.width.max())

    @property
    def bytes(self) -> int:
        """Bytes of the arrays and of the buffers."""
        arrays = sum(each.nbytes for each in self.street if isinstance(each, np.ndarray))
        return arrays + 4 * (self.reach_size + self.cfv_size)


def street_layouts(
    forests: Sequence[StreetForest], boards: Sequence[BoardSet]
) -> list[StreetLayout]:
    """The layout of each street, from that of the spot to the last."""
    layouts: list[StreetLayout] = []
    for index, (forest, some) in enumerate(zip(forests, boards, strict=True)):
        above = boards[index - 1] if index else None
        layouts.append(_street_layout(forest, some, above, index == len(forests) - 1))
    return layouts


def deal_layout(first: StreetLayout) -> StreetLayout:
    """What the first street is entered from: one end on each board, reached with the ranges.

    Its reach has the ranges of IP and OOP on each board, one after the other, padded.
    """
    width = first.street.width
    begin = _begins(width)
    street = first.street._replace(
        node=np.zeros((1, 4), np.int32),
        slot=np.zeros((2, 1), np.int32),
        end=np.zeros(1, np.int32),
        reach_at=np.ascontiguousarray(begin[:, ::-1]),  # a traverser sees the other's range
        cfv_at=np.zeros_like(begin),
        locked=np.zeros((len(width), 1), np.uint8),
        nodes=1,
        roots=1,
        ends=1,
    )
    return StreetLayout(
        street,
        int(width.sum()),
        0,
        np.float32(1),
        [],
        np.zeros(0, np.int32),
        np.zeros((2, 0), "f4"),
    )


def levels(forest: StreetForest) -> list[tuple[Ints, Ints]]:
    """The decision nodes by their distance from a root, those of IP and those of OOP."""
    depth = np.zeros(forest.nodes, np.int64)
    for n, parent in enumerate(forest.parent):
        if parent >= 0:
            depth[n] = depth[parent] + 1
    actor = forest.forest.node[:, ACTOR]
    found = []
    for level in range(int(depth.max()) + 1):
        ip, oop = (
            np.flatnonzero((depth == level) & (actor == player)).astype(np.int32)
            for player in (IP, OOP)
        )
        found.append((ip, oop))
    return [each for each in found if len(each[IP]) + len(each[OOP])]


def _street_layout(
    forest: StreetForest, boards: BoardSet, above: BoardSet | None, last: bool
) -> StreetLayout:
    arrays, width = boards.arrays, boards.arrays.width.astype(np.int32)
    rows = len(forest.forest.root) if last else forest.nodes
    slots = np.array((0, 0) if last else forest.slots, np.int64)
    reach_sizes, cfv_sizes = slots * width[:, ::-1].astype(np.int64), rows * width.astype(np.int64)
    if above is None:
        parent = np.arange(len(boards), dtype=np.int32)
        enter_at = np.zeros((len(boards), 2), np.int64)
        enter_hand = np.arange(int(width.max()), dtype=np.uint16)
        none = np.zeros(0, np.int32)
        pairs = _Pairs(none, none, np.zeros((0, 2), np.int64), np.zeros(0, np.uint16))
    else:
        parent = np.array(boards.parent, np.int32)
        enter_at, enter_hand = arrays.image.astype(np.int64), arrays.parent_hand
        pairs = _pairs(arrays, above.arrays)
    card_at, card_hand, info = _hands(arrays, last)
    fold = np.flatnonzero(forest.forest.node[:, ACTOR] == FOLD).astype(np.int32)
    payoffs = [fold_payoffs(forest, player) for player in (IP, OOP)]
    street = DeviceStreet(
        node=forest.forest.node,
        slot=forest.forest.slot,
        end=forest.forest.next,
        count=arrays.count.astype(np.int32),
        width=width,
        row=arrays.row.astype(np.int64),
        hand=arrays.hand.astype(np.int64),
        info=info,
        card_at=card_at,
        card_hand=card_hand,
        reach_at=_begins(reach_sizes),
        cfv_at=_begins(cfv_sizes),
        locked=np.zeros((len(boards), forest.nodes), np.uint8),
        parent=parent,
        enter_at=enter_at,
        enter_hand=enter_hand,
        pair_at=pairs.at,
        pair_child=pairs.child,
        pair_map=pairs.map,
        child_hand=pairs.hand,
        reach=_EMPTY,
        cfv=_EMPTY,
        nodes=forest.nodes,
        roots=len(forest.forest.root),
        ends=len(forest.forest.next),
    )
    return StreetLayout(
        street,
        int(reach_sizes.sum()),
        int(cfv_sizes.sum()),
        np.float32(arrays.share),
        [] if last else levels(forest),
        fold,
        np.array([[each[n] for n in fold.tolist()] for each in payoffs], np.float32).reshape(2, -1),
    )


class _Pairs(NamedTuple):
    """The cards that follow from each board above; see `DeviceStreet`."""

    at: Ints
    child: Ints
    map: npt.NDArray[np.int64]
    hand: npt.NDArray[np.uint16]


def _pairs(arrays: StreetBoards, above: StreetBoards) -> _Pairs:
    at, child, ways = [0], [], []
    for b in range(len(above.width)):
        for c in range(int(above.below[b]), int(above.below[b + 1])):
            for image in range(int(arrays.images[c])):
                child.append(c)
                ways.append([_inverse(arrays, above, b, c, image, player) for player in (IP, OOP)])
        at.append(len(child))
    sizes = np.array([[len(way) for way in both] for both in ways], np.int64).reshape(-1, 2)
    return _Pairs(
        np.array(at, np.int32),
        np.array(child, np.int32),
        _begins(sizes),
        np.concatenate([way for both in ways for way in both]),
    )


def _inverse(
    arrays: StreetBoards, above: StreetBoards, b: int, c: int, image: int, player: int
) -> npt.NDArray[np.uint16]:
    """For each hand on a board above, its index on the board of a card."""
    count, width = int(arrays.count[c, player]), int(arrays.width[c, player])
    begin = int(arrays.image[c, player]) + image * width
    found = np.full(int(above.width[b, player]), NO_HAND, np.uint16)
    found[arrays.parent_hand[begin : begin + count]] = np.arange(count)
    return found


def _hands(
    arrays: StreetBoards, last: bool
) -> tuple[Ints, npt.NDArray[np.uint16], npt.NDArray[np.uint16]]:
    """`DeviceStreet.card_at`, ``card_hand`` and ``info``."""
    boards = len(arrays.count)
    card_at = np.zeros((boards, 2, DECK_SIZE + 1), np.int32)
    lists, rows, done = [], [], 0
    for b in range(boards):
        cards = [_cards(arrays, b, player) for player in (IP, OOP)]
        keys = [_keys(*each) for each in cards]
        for player in (IP, OOP):
            edges = np.searchsorted(keys[player], _KEY * np.arange(DECK_SIZE + 1))
            card_at[b, player] = done + edges
            lists.append((keys[player] % _KEY).astype(np.uint16))
            done += len(keys[player])
            rows.append(_info(arrays, b, player, cards[player], keys[1 - player], last))
    return card_at, np.concatenate(lists), np.concatenate(rows)


def _cards(arrays: StreetBoards, b: int, player: int) -> tuple[Any, Any]:
    begin, count = int(arrays.hand[b, player]), int(arrays.count[b, player])
    one, two = arrays.first[begin : begin + count], arrays.second[begin : begin + count]
    return one.astype(np.int64) // TERMINALS_AT_ONCE, two.astype(np.int64) // TERMINALS_AT_ONCE


def _keys(one: Any, two: Any) -> npt.NDArray[np.int64]:
    """A number for each card of each hand, sorted by card and then by hand."""
    hand = np.arange(len(one))
    return np.sort(np.concatenate([_KEY * one + hand, _KEY * two + hand]))


def _info(
    arrays: StreetBoards, b: int, player: int, cards: tuple[Any, Any], theirs: Any, last: bool
) -> npt.NDArray[np.uint16]:
    """`DeviceStreet.info` of a player's hands.  theirs: `_keys` of the opponent's."""
    one, two = cards
    begin, count = int(arrays.hand[b, player]), len(one)
    info = np.zeros((count, 8), np.uint16)
    if last:
        groups = arrays.group_end[int(arrays.group[b]) : int(arrays.group[b + 1])].astype(np.int64)
        group = np.searchsorted(groups[:, player], np.arange(count), side="right")
        ends = np.concatenate([[0], groups[:, 1 - player]])
        below, upto = ends[group], ends[group + 1]
        info[:, 0], info[:, 1] = below, upto
        for column, card, edge in (
            (2, one, below),
            (3, two, below),
            (4, one, upto),
            (5, two, upto),
        ):
            info[:, column] = np.searchsorted(theirs, _KEY * card + edge) + card
    same = arrays.same[begin : begin + count]
    info[:, 6] = one + 256 * two
    info[:, 7] = np.where(same == arrays.width[b, 1 - player], NO_HAND, same)
    return info


def _begins(sizes: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
    """The offset of each part of an array ``[boards, 2]``, all parts one after the other."""
    flat = sizes.astype(np.int64).ravel()
    begins: npt.NDArray[np.int64] = (np.cumsum(flat) - flat).reshape(sizes.shape)
    return begins
