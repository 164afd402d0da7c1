"""What hands are worth where a hand of poker ends, for two ranges; many ends at a time.

The idea is that of `tiltless.kernels.blueprint.terminals`: hands sorted by value, one sweep over
the opponent's reach, sums for each card beside the total, and ends in the lanes of vectors. Here
the players' hands are two lists, and a showdown may be raked. Groups of equal value are short and
of any length, so a processor guesses wrong at their ends; two vectors of sixteen ends in one sweep
share that cost. Where the traverser may fold or call, both ends see the same reach, so the showdown
gives the fold along the way.
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import inline, part
from tiltless.kernels.base.simd import lanes_to_rows, load, rows_to_lanes, spread, store

__all__ = ["ENDS_AT_ONCE", "StreetBoards", "TerminalBuffers", "Terminals", "terminal_values"]

U = np.uint64
F = np.float32
_WIDE = U(16)
ENDS_AT_ONCE = 16
"""Ends that one sweep takes."""


class StreetBoards(NamedTuple):
    """The boards of a street, up to suits that may be exchanged, and the players' hands on them.

    count, width: uint32 ``[boards, 2]``, hands of each player, and the same in whole vectors.
    row: uint64 ``[boards, 2]``, where a player's rows begin in the tables.
    hand: uint64 ``[boards, 2]``, where a player's hands begin in ``first``, ``second``, ``same``:
    uint16, `ENDS_AT_ONCE` times their cards, and at which place the opponent has the same two cards
    (the opponent's width where that is nowhere).
    group: uint64 ``[boards + 1]``, where the groups of equal value of a board begin in
    ``group_end``, uint16 ``[groups, 2]``: how many hands of each player are in a group or below it.
    Only where hands are shown.
    below: uint64 ``[boards + 1]``, the first board of the next street that follows from each.
    images: uint8 ``[boards]``, how many cards a board stands for.  image: uint64 ``[boards, 2]``,
    where its ways back begin in ``place``, uint16: for each hand, padded to the width, its place on
    the board before; once for each image.  share: float32, how often such a card comes.
    unit: uint64 ``[boards]``, where the units of compressed rows begin, one for each node.
    locked: bool ``[boards, nodes]``, or ``[0, 0]``: decisions that do not learn.
    """

    count: Any
    width: Any
    row: Any
    hand: Any
    first: Any
    second: Any
    same: Any
    group: Any
    group_end: Any
    below: Any
    images: Any
    image: Any
    place: Any
    share: Any
    unit: Any
    locked: Any


class Terminals(NamedTuple):
    """The ends of a forest, `ENDS_AT_ONCE` by as many.

    shown: int32 ``[16 k]``, nodes, -1 for a lane without one.  beside: int32 ``[2, 16 k]``, for
    each traverser the node where that player folds instead, or -1.  folded: int32 ``[2, 16 k]``,
    all other nodes where somebody has folded.
    shown_worth: float32 ``[3, 16 k]``, factors of the reach of hands that are below or equal and of
    those below, of all, and of the same hand.  beside_worth, folded_worth: float32 ``[2, 16 k]``.
    """

    shown: Any
    shown_worth: Any
    beside: Any
    beside_worth: Any
    folded: Any
    folded_worth: Any


class TerminalBuffers(NamedTuple):
    """Room for `terminal_values`.

    reach, cfv, fold: float32, vectors of hands in sixteen lanes.  held, every: float32, sums of
    cards in lanes, of hands so far and of all.  place: int64 ``[16]``, where rows begin.
    worth_place, fold_place: the same for what is written.
    """

    reach: Any
    cfv: Any
    fold: Any
    held: Any
    every: Any
    place: Any
    worth_place: Any
    fold_place: Any


@inline
def _places(nodes: Any, batch: Any, nowhere: Any, width: Any, place: Any) -> Any:
    """Where the rows of sixteen nodes begin, ``nowhere`` for none; whether there is any node."""
    some = False
    for lane in range(_WIDE):
        n = nodes[batch + lane]
        some = some or n >= 0
        place[lane] = np.int64((U(n) if n >= 0 else nowhere) * width)
    return some


@part
def terminal_values(
    slots: Any,
    ends: Terminals,
    boards: StreetBoards,
    board: Any,
    traverser: Any,
    reach: Any,
    cfv: Any,
    lanes: TerminalBuffers,
) -> None:
    """The worth of each hand of the traverser at all ends of a forest.

    With W the opponent's reach of hands that are beaten, T of ties, L of those that win, all
    without the cards of the hand itself: win * W + tie * T + lose * L at showdowns, amount *
    (W + T + L) where somebody has folded. As a raked tie is shared, win - tie = tie - lose = k, and
    the first is k * (W + (W + T)) + lose * (W + T + L) + tie * (reach of the same hand).

    slots: `Forest.slot`.  reach: vectors by slot.  cfv: by node, and one more for empty lanes.
    """
    other = U(1) - U(traverser)
    slot, nowhere = slots[traverser], U(slots.shape[1])
    mine, theirs = U(boards.count[board, traverser]), U(boards.count[board, other])
    width, their_width = U(boards.width[board, traverser]), U(boards.width[board, other])
    begin, their_begin = boards.hand[board, traverser], boards.hand[board, other]
    first, second = boards.first[begin : begin + mine], boards.second[begin : begin + mine]
    same = boards.same[begin : begin + mine]
    one = boards.first[their_begin : their_begin + theirs]
    two = boards.second[their_begin : their_begin + theirs]
    seen, out, fold, held, every = lanes.reach, lanes.cfv, lanes.fold, lanes.held, lanes.every
    groups, shown_worth = boards.group_end, ends.shown_worth
    zero = spread(F(0))
    store(seen, their_width * _WIDE, zero)
    for i in range(mine, width):
        store(out, i * _WIDE, zero)
        store(fold, i * _WIDE, zero)

    beside, beside_worth = ends.beside[traverser], ends.beside_worth[traverser]
    for batch in range(U(0), U(len(ends.shown)), _WIDE):
        total_end = _all_reach(
            ends.shown, batch, slot, reach, their_width, theirs, one, two, seen, every, lanes.place
        )
        _places(ends.shown, batch, nowhere, width, lanes.worth_place)
        folds = _places(beside, batch, nowhere, width, lanes.fold_place)
        half, lose = load(shown_worth[0], batch), load(shown_worth[1], batch)
        tie, amount = load(shown_worth[2], batch), load(beside_worth, batch)
        for card in range(U(0), U(52) * _WIDE, _WIDE):
            store(held, card, zero)
        total, i_begin, j_begin, done = zero, U(0), U(0), U(0)
        for g in range(boards.group[board], boards.group[board + U(1)]):
            i_end, j_end = U(groups[g, traverser]), U(groups[g, other])
            for i in range(i_begin, i_end):
                a, b = U(first[i]), U(second[i])
                below = total - load(held, a) - load(held, b)
                others = total_end - load(every, a) - load(every, b)
                twin = load(seen, U(same[i]) * _WIDE)
                store(out, i * _WIDE, below * half + others * lose + twin * tie)
                store(fold, i * _WIDE, amount * (others + twin))
            for j in range(j_begin, j_end):
                x, a, b = load(seen, j * _WIDE), U(one[j]), U(two[j])
                total = total + x
                store(held, a, load(held, a) + x)
                store(held, b, load(held, b) + x)
            for i in range(i_begin, i_end):
                a, b = U(first[i]), U(second[i])
                not_above = total - load(held, a) - load(held, b)
                store(out, i * _WIDE, load(out, i * _WIDE) + not_above * half)
            i_begin, j_begin = i_end, j_end
            while done + _WIDE <= i_end:
                lanes_to_rows(out, cfv, lanes.worth_place, done)
                if folds:
                    lanes_to_rows(fold, cfv, lanes.fold_place, done)
                done += _WIDE
        while done < width:
            lanes_to_rows(out, cfv, lanes.worth_place, done)
            if folds:
                lanes_to_rows(fold, cfv, lanes.fold_place, done)
            done += _WIDE

    folded, folded_worth = ends.folded[traverser], ends.folded_worth[traverser]
    for batch in range(U(0), U(len(folded)), _WIDE):
        total = _all_reach(
            folded, batch, slot, reach, their_width, theirs, one, two, seen, every, lanes.place
        )
        _places(folded, batch, nowhere, width, lanes.worth_place)
        amount = load(folded_worth, batch)
        for block in range(U(0), width, _WIDE):
            for i in range(block, min(block + _WIDE, mine)):
                others = total - load(every, U(first[i])) - load(every, U(second[i]))
                store(out, i * _WIDE, amount * (others + load(seen, U(same[i]) * _WIDE)))
            lanes_to_rows(out, cfv, lanes.worth_place, block)


@inline
def _all_reach(
    nodes: Any,
    batch: Any,
    slot: Any,
    reach: Any,
    width: Any,
    count: Any,
    one: Any,
    two: Any,
    seen: Any,
    every: Any,
    place: Any,
) -> Any:
    """Turn the reach of sixteen nodes on its side; sums of cards, and of all, which is returned."""
    for lane in range(_WIDE):
        place[lane] = np.int64(U(slot[U(max(nodes[batch + lane], 0))]) * width)
    zero = spread(F(0))
    for card in range(U(0), U(52) * _WIDE, _WIDE):
        store(every, card, zero)
    total = zero
    for block in range(U(0), width, _WIDE):
        rows_to_lanes(reach, place, block, seen)
        for j in range(block, min(block + _WIDE, count)):
            x, a, b = load(seen, j * _WIDE), U(one[j]), U(two[j])
            total = total + x
            store(every, a, load(every, a) + x)
            store(every, b, load(every, b) + x)
    return total
