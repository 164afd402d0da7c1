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
from tiltless.kernels.postflop.card_lists import card_lists, hands_below
from tiltless.kernels.postflop.street import ACTOR, FOLD
from tiltless.kernels.postflop.terminals import StreetBoards
from tiltless.postflop.betting_forest import StreetForest
from tiltless.postflop.boards import BoardSet
from tiltless.postflop.device.program import fold_payoffs
from tiltless.postflop.spot import IP, OOP

__all__ = ["StreetLayout", "deal_layout", "levels", "street_layouts"]

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]

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
    images = arrays.images.astype(np.int64)
    child = np.repeat(np.arange(len(images)), images)
    image = np.arange(len(child)) - np.repeat(np.cumsum(images) - images, images)
    below = above.below.astype(np.int64)
    at = np.concatenate([[0], np.cumsum(images)])[below]
    parent = np.repeat(np.arange(len(below) - 1), np.diff(at))
    sizes = above.width[parent].astype(np.int64)
    pairs = _Pairs(
        at.astype(np.int32),
        child.astype(np.int32),
        _begins(sizes),
        np.full(int(sizes.sum()), NO_HAND, np.uint16),
    )
    hands_below(arrays, pairs.child, image, pairs.map, pairs.hand)
    return pairs


def _hands(
    arrays: StreetBoards, last: bool
) -> tuple[Ints, npt.NDArray[np.uint16], npt.NDArray[np.uint16]]:
    """`DeviceStreet.card_at`, ``card_hand`` and ``info``."""
    hands = len(arrays.first)
    card_at = np.zeros((len(arrays.count), 2, DECK_SIZE + 1), np.int32)
    lists, info = np.empty(2 * hands, np.uint16), np.zeros((hands, 8), np.uint16)
    card_lists(arrays, last, NO_HAND, card_at, lists, info)
    return card_at, lists, info


def _begins(sizes: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
    """The offset of each part of an array ``[boards, 2]``, all parts one after the other."""
    flat = sizes.astype(np.int64).ravel()
    begins: npt.NDArray[np.int64] = (np.cumsum(flat) - flat).reshape(sizes.shape)
    return begins
