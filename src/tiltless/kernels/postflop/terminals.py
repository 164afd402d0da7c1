"""Terminal values of two ranges: showdowns and folds, sixteen terminal nodes at a time.

The method is that of `tiltless.kernels.blueprint.terminals`: hands sorted by value, one sweep over
the opponent's reach, sums for each card beside the total, and nodes in the lanes of vectors. Here
the players' hands are two lists, and a showdown may be raked. Groups of equal value are short and
of any length, so the processor mispredicts where they end; sixteen nodes in one sweep share that
cost. Where the traverser may fold or call, both terminals see the same reach, so the sweep of the
showdown computes the fold as well.

Paper: Johanson, Waugh, Bowling & Zinkevich (2011), "Accelerating best response calculation in large
extensive games", section 5.

Twin: tests/naive/postflop/street.py; tested by tests/kernels/postflop/test_terminals.py and
tests/postflop/test_solver.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import inline, part
from tiltless.kernels.base.simd import lanes_to_rows, load, rows_to_lanes, spread, store

__all__ = ["TERMINALS_AT_ONCE", "StreetBoards", "TerminalBuffers", "Terminals", "terminal_values"]

U = np.uint64
F = np.float32
_WIDE = U(16)
TERMINALS_AT_ONCE = 16
"""Terminal nodes that one sweep takes."""


class StreetBoards(NamedTuple):
    """The boards of a street, up to suits that may be exchanged, and the players' hands on them.

    count, width: uint32 ``[boards, 2]``, hands of each player, and the same in whole vectors.
    row: uint64 ``[boards, 2]``, where a player's rows begin in the tables.
    hand: uint64 ``[boards, 2]``, where a player's hands begin in ``first``, ``second``, ``same``:
    uint16, `TERMINALS_AT_ONCE` times their cards, and the index of the same two cards among the
    opponent's hands (the opponent's width if not there).
    group: uint64 ``[boards + 1]``, where the groups of equal value of a board begin in
    ``group_end``, uint16 ``[groups, 2]``: how many hands of each player are in a group or below it.
    On the river only.
    below: uint64 ``[boards + 1]``, the first board of the next street that follows from each.
    images: uint8 ``[boards]``, how many cards a board stands for by exchanging suits.
    image: uint64 ``[boards, 2]``, where its hands begin in ``parent_hand``, uint16: for each hand,
    padded to the width, its index on the board before; once for each image.
    share: float32, the probability of such a card.
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
    parent_hand: Any
    share: Any
    unit: Any
    locked: Any


class Terminals(NamedTuple):
    """The terminal nodes of a forest, in groups of `TERMINALS_AT_ONCE`.

    showdown: int32 ``[16 k]``, nodes, -1 for an empty lane.  sibling_fold: int32 ``[2, 16 k]``, for
    each traverser the node where that player folds instead, or -1.  fold: int32 ``[2, 16 k]``, all
    other nodes where somebody has folded.
    showdown_factor: float32 ``[3, 16 k]``: k, lose and tie of `terminal_values`.
    sibling_payoff, fold_payoff: float32 ``[2, 16 k]``, what the traverser wins there.
    """

    showdown: Any
    showdown_factor: Any
    sibling_fold: Any
    sibling_payoff: Any
    fold: Any
    fold_payoff: Any


class TerminalBuffers(NamedTuple):
    """Scratch of `terminal_values`.

    reach, cfv, fold: float32, vectors of hands in sixteen lanes.  held, every: float32, sums by
    card in lanes, over the hands so far and over all.  offsets: int64 ``[16]``, where rows begin
    that are read; cfv_offsets, fold_offsets: where rows begin that are written.
    """

    reach: Any
    cfv: Any
    fold: Any
    held: Any
    every: Any
    offsets: Any
    cfv_offsets: Any
    fold_offsets: Any


@inline
def _row_offsets(nodes: Any, batch: Any, nowhere: Any, width: Any, offsets: Any) -> Any:
    """Where the rows of sixteen nodes begin, row ``nowhere`` for -1; whether any is a node."""
    some = False
    for lane in range(_WIDE):
        n = nodes[batch + lane]
        some = some or n >= 0
        offsets[lane] = np.int64((U(n) if n >= 0 else nowhere) * width)
    return some


@part
def terminal_values(
    slots: Any,
    terminals: Terminals,
    boards: StreetBoards,
    board: Any,
    traverser: Any,
    reach: Any,
    cfv: Any,
    lanes: TerminalBuffers,
) -> None:
    """The counterfactual value of each hand of the traverser at all terminals of a forest.

    With W the opponent's reach of hands that are beaten, T of ties, L of those that win, all
    without the cards of the hand itself: win * W + tie * T + lose * L at showdowns, payoff *
    (W + T + L) after a fold. As a raked tie is shared, win - tie = tie - lose = k, and the first is
    k * (W + (W + T)) + lose * (W + T + L) + tie * (reach of the same hand).

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
    groups, showdown_factor = boards.group_end, terminals.showdown_factor
    zero = spread(F(0))
    store(seen, their_width * _WIDE, zero)
    for i in range(mine, width):
        store(out, i * _WIDE, zero)
        store(fold, i * _WIDE, zero)

    # 1. Showdowns, each with the fold of the same decision.
    siblings, sibling_payoff = (
        terminals.sibling_fold[traverser],
        terminals.sibling_payoff[traverser],
    )
    for batch in range(U(0), U(len(terminals.showdown)), _WIDE):
        total_end = _all_reach(
            terminals.showdown,
            batch,
            slot,
            reach,
            their_width,
            theirs,
            one,
            two,
            seen,
            every,
            lanes.offsets,
        )
        _row_offsets(terminals.showdown, batch, nowhere, width, lanes.cfv_offsets)
        has_folds = _row_offsets(siblings, batch, nowhere, width, lanes.fold_offsets)
        half, lose = load(showdown_factor[0], batch), load(showdown_factor[1], batch)
        tie, amount = load(showdown_factor[2], batch), load(sibling_payoff, batch)
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
                lanes_to_rows(out, cfv, lanes.cfv_offsets, done)
                if has_folds:
                    lanes_to_rows(fold, cfv, lanes.fold_offsets, done)
                done += _WIDE
        while done < width:
            lanes_to_rows(out, cfv, lanes.cfv_offsets, done)
            if has_folds:
                lanes_to_rows(fold, cfv, lanes.fold_offsets, done)
            done += _WIDE

    # 2. The other folds.
    folds, fold_payoff = terminals.fold[traverser], terminals.fold_payoff[traverser]
    for batch in range(U(0), U(len(folds)), _WIDE):
        total = _all_reach(
            folds, batch, slot, reach, their_width, theirs, one, two, seen, every, lanes.offsets
        )
        _row_offsets(folds, batch, nowhere, width, lanes.cfv_offsets)
        amount = load(fold_payoff, batch)
        for block in range(U(0), width, _WIDE):
            for i in range(block, min(block + _WIDE, mine)):
                others = total - load(every, U(first[i])) - load(every, U(second[i]))
                store(out, i * _WIDE, amount * (others + load(seen, U(same[i]) * _WIDE)))
            lanes_to_rows(out, cfv, lanes.cfv_offsets, block)


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
    offsets: Any,
) -> Any:
    """Transpose the reach of sixteen nodes; sum it by card, and in total, which is returned."""
    for lane in range(_WIDE):
        offsets[lane] = np.int64(U(slot[U(max(nodes[batch + lane], 0))]) * width)
    zero = spread(F(0))
    for card in range(U(0), U(52) * _WIDE, _WIDE):
        store(every, card, zero)
    total = zero
    for block in range(U(0), width, _WIDE):
        rows_to_lanes(reach, offsets, block, seen)
        for j in range(block, min(block + _WIDE, count)):
            x, a, b = load(seen, j * _WIDE), U(one[j]), U(two[j])
            total = total + x
            store(every, a, load(every, a) + x)
            store(every, b, load(every, b) + x)
    return total
