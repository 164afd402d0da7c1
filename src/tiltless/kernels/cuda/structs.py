"""Arguments of the CUDA kernels: arrays that travel together, as structs of pointers.

The fields and their order are those of the structs in ``structs.cu``. On a card each array is a
pointer of 64 bits, and each whole number a ``long long``; the twins (`tiltless.kernels.cuda.twin`)
take the same tuples of NumPy arrays.

Tested by tests/kernels/cuda/test_source.py
"""

from typing import Any, NamedTuple

__all__ = [
    "ENTER",
    "FOLDED",
    "LEAVE",
    "MEAN",
    "NO_HAND",
    "SHARE",
    "SHOWN",
    "DeviceStreet",
    "DeviceTables",
    "RiverProgram",
]

ENTER, SHARE, FOLDED, SHOWN, MEAN, LEAVE = range(6)
"""Steps of a `RiverProgram`."""
NO_HAND = 0xFFFF
"""Instead of the index of a hand."""


class DeviceStreet(NamedTuple):
    """A street: its betting forest, boards, hands and buffers.

    node: int32 ``[nodes, 4]`` and slot: int32 ``[2, nodes]``, as in
    `tiltless.kernels.postflop.street.Forest`; the roots are the first nodes.
    end: int32 ``[ends]``, the nodes where the street ends; ``end[r]`` leads to root r below.
    count, width: int32 ``[boards, 2]``, hands of each player, and the same padded.
    row: int64 ``[boards, 2]``, where a player's rows begin in the tables.
    hand: int64 ``[boards, 2]``, where a player's hands begin in ``info``, uint16 ``[hands, 8]``:
    0, 1: how many of the opponent's hands are weaker, and how many are not stronger;
    2, 3: where the prefix sums of its two cards stand below the hand, 4, 5: and up to its equals;
    6: the first card and 256 times the second; 7: the same two cards among the opponent's hands, or
    `NO_HAND`. The first six only where hands are shown; the prefix sums of card c begin at
    ``card_at[c] - card_at[0] + c``, one more than there are hands with this card.
    card_at: int32 ``[boards, 2, 53]``, where the hands of a player that hold each card begin in
    ``card_hand``, uint16, from the weakest to the strongest.
    reach_at, cfv_at: int64 ``[boards, 2]``, for each traverser where the vectors of a board begin
    in ``reach`` (by slot, of the opponent's hands; not on the last street) and ``cfv`` (by node, of
    the traverser's hands; on the last street by root), float32.
    locked: uint8 ``[boards, nodes]``, decisions that do not learn.
    parent: int32 ``[boards]``, the board above.  enter_at: int64 ``[boards, 2]``, where a player's
    hands begin in ``enter_hand``, uint16, their indices on the board above.
    pair_at: int32 ``[boards above + 1]``, where the cards that follow from a board above begin in
    ``pair_child``, int32, the board of each card (several cards may share one board by exchanging
    suits), and ``pair_map``, int64 ``[pairs, 2]``, where the hands of a player on the board above
    begin in ``child_hand``, uint16: their indices on that board, or `NO_HAND`.
    """

    node: Any
    slot: Any
    end: Any
    count: Any
    width: Any
    row: Any
    hand: Any
    info: Any
    card_at: Any
    card_hand: Any
    reach_at: Any
    cfv_at: Any
    locked: Any
    parent: Any
    enter_at: Any
    enter_hand: Any
    pair_at: Any
    pair_child: Any
    pair_map: Any
    child_hand: Any
    reach: Any
    cfv: Any
    nodes: int
    roots: int
    ends: int


class DeviceTables(NamedTuple):
    """Regrets and averages, float32, laid out as `tiltless.kernels.postflop.street.RangeTables`."""

    regret: Any
    average: Any


class RiverProgram(NamedTuple):
    """The betting of the last street in depth-first order, for one traverser.

    step: int32 ``[steps, 8]``, what to do and with which slots; `tiltless.postflop.device.program`
    writes them.  pay: float32 ``[steps, 4]``: at showdowns k, lose and tie of
    `tiltless.kernels.postflop.terminals`, and what the traverser wins by folding instead; after a
    fold what the traverser wins.
    work: int32 ``[blocks, 3]``: a board, and the steps from where to where, whole roots.
    spill: float32, the slots of all blocks where they do not fit into shared memory; else empty.
    reach_slots, cfv_slots: vectors of a block.
    """

    step: Any
    pay: Any
    work: Any
    spill: Any
    reach_slots: int
    cfv_slots: int
