"""CFR passes over one street of a post-flop spot: two ranges, all hands at once.

Vectors of the opponent's reach, one number for each hand, go down a betting forest; vectors of the
traverser's counterfactual values come back up. Bets do not depend on cards, so all boards of a
street share one forest (`Forest`), whose roots are the ways in which the street before can end;
each board has its own regrets and averages, one row for each action, hands side by side. A street
is worked on as a whole: down over its nodes, then its terminals sixteen at a time
(`tiltless.kernels.postflop.terminals`), then the boards of the next street, then back up.
`tiltless.kernels.postflop.decision` has the arithmetic of one decision, and
`tiltless.kernels.postflop.passes` starts at the root of a spot.

The two players have their own lists of hands, which may differ: only hands in their ranges, on the
river from the weakest to the strongest. Rows are padded to whole vectors of sixteen with hands that
nobody holds.

Paper: Johanson, Waugh, Bowling & Zinkevich (2011), "Accelerating best response calculation in large
extensive games" for vectors and sorted showdowns; Brown & Sandholm (2019) for discounts.

Twin: tests/naive/postflop/street.py; tested by tests/kernels/postflop/test_street.py and
tests/postflop/test_solver.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import inline, kernel, part
from tiltless.kernels.base.simd import lanes_to_rows, load, rows_to_lanes, spread, store
from tiltless.kernels.postflop.decision import (
    AVERAGE_STEPS,
    REGRET_STEPS,
    PassRules,
    add_regret,
    add_regret_ahead,
    best_value,
    expand,
    mean_value,
    share_reach,
    shrink,
    sum_values,
)
from tiltless.kernels.postflop.terminals import (
    StreetBoards,
    TerminalBuffers,
    Terminals,
    terminal_values,
)

__all__ = [
    "ACTIONS",
    "ACTOR",
    "AVERAGE",
    "BEST",
    "FIRST",
    "FOLD",
    "LEARN",
    "ROW",
    "SHOWDOWN",
    "STREET_END",
    "Forest",
    "RangeTables",
    "StreetLink",
    "StreetWorkspace",
    "add_kept_values",
    "add_root_values",
    "cfv_from_below",
    "down",
    "keep_root_values",
    "last_board",
    "last_street",
    "middle_board",
    "reach_below",
    "up",
]

U = np.uint64
F = np.float32
_WIDE = U(16)

ACTOR, FIRST, ACTIONS, ROW = range(4)
"""Columns of `Forest.node`."""
STREET_END, SHOWDOWN, FOLD = -1, -2, -3
"""Instead of an actor: the street is over, the hands are shown, somebody has folded."""
LEARN, BEST, AVERAGE = range(3)
"""Modes of a pass: an iteration; a best response to the average; the average's value."""


class Forest(NamedTuple):
    """The betting of a street, whatever the board.

    node: int32 ``[nodes, 4]``: who acts, the first child, the number of children, and the first row
    among those of the actor; children come after their parents and are neighbours.
    slot: int32 ``[2, nodes]``, the vector of reach of a node when player 0 or 1 traverses: the
    traverser does not change the opponent's reach, so children of the traverser's nodes share their
    parent's.
    root: int32 ``[roots]``, the nodes where the street begins.  next: int32, the street ends; root
    r of the next street is ``next[r]``.
    """

    node: Any
    slot: Any
    root: Any
    next: Any


class RangeTables(NamedTuple):
    """Regrets and averages of all streets, at the offsets in `StreetBoards.row`.

    regret, average: float32; empty if they are compressed.
    forecast: float32, of predictive rules, the next regrets; else empty.
    small_regret, small_average: int16 and uint16, compressed; else empty.
    regret_unit, average_unit: float32, for each decision of each board (`StreetBoards.unit`) what 1
    in a compressed table stands for.
    """

    regret: Any
    average: Any
    forecast: Any
    small_regret: Any
    small_average: Any
    regret_unit: Any
    average_unit: Any


class StreetWorkspace(NamedTuple):
    """Scratch of a thread for one street: reach by slot and cfv by node, float32 vectors.

    Each has one more vector, for empty lanes.  lanes: see `TerminalBuffers`.
    regret, average: float32, the rows of one decision, for compressed tables.
    """

    reach: Any
    cfv: Any
    lanes: TerminalBuffers
    regret: Any
    average: Any


class StreetLink(NamedTuple):
    """What goes from a street to the next and back, sixteen street ends side by side.

    reach: float32, see `reach_below`.  cfv: float32, in the same layout.
    """

    reach: Any
    cfv: Any


@kernel
def down(
    forest: Forest,
    boards: StreetBoards,
    tables: RangeTables,
    board: Any,
    traverser: Any,
    mode: Any,
    rules: PassRules,
    space: StreetWorkspace,
) -> None:
    """Downward pass: the opponent's reach of every node, from the roots of a street.

    space.reach: a vector for each slot; those of the roots are set by the caller.
    """
    node, slot, reach = forest.node, forest.slot[traverser], space.reach
    other = U(1) - U(traverser)
    width, start = U(boards.width[board, other]), boards.row[board, other]
    compressed = len(tables.small_regret) > 0
    for n in range(U(len(node))):
        if node[n, ACTOR] != np.int32(other):
            continue
        first, actions = U(node[n, FIRST]), U(node[n, ACTIONS])
        at, size = start + U(node[n, ROW]) * width, actions * width
        parent, child = U(slot[n]) * width, U(slot[first]) * width
        source, average, offset = tables.regret, tables.average, at
        if rules.predictive > 0:
            source = tables.forecast
        if compressed:
            source, average, offset = space.regret, space.average, U(0)
            unit = boards.unit[board] + n
            if mode == LEARN:
                expand(tables.small_regret, at, size, F(1), source)
            expand(tables.small_average, at, size, tables.average_unit[unit], average)
        if mode != LEARN:
            source = average
        learns, keep = mode == LEARN, rules.keep
        share_reach(source, average, offset, width, actions, reach, parent, child, learns, keep)
        if compressed and learns:
            small = tables.small_average
            tables.average_unit[unit] = shrink(average, size, AVERAGE_STEPS, small, at)


@part
def up(
    forest: Forest,
    boards: StreetBoards,
    tables: RangeTables,
    board: Any,
    traverser: Any,
    mode: Any,
    rules: PassRules,
    space: StreetWorkspace,
) -> None:
    """Upward pass: the value of every node up to the roots, and the traverser's regrets.

    space.cfv: a vector for each node; those of terminals and street ends are set by the caller.
    """
    node, cfv, locked = forest.node, space.cfv, boards.locked
    width, start = U(boards.width[board, traverser]), boards.row[board, traverser]
    compressed = len(tables.small_regret) > 0
    for back in range(U(len(node))):
        n = U(len(node)) - U(1) - back
        if node[n, ACTOR] < 0:
            continue
        first, actions, parent = U(node[n, FIRST]) * width, U(node[n, ACTIONS]), n * width
        if node[n, ACTOR] != np.int32(traverser):
            sum_values(width, actions, cfv, first, parent)
            continue
        at, size = start + U(node[n, ROW]) * width, actions * width
        fixed = len(locked) > 0 and locked[board, n]
        if mode == BEST and not fixed:
            best_value(width, actions, cfv, first, parent)
            continue
        regret, average, offset = tables.regret, tables.average, at
        if compressed:
            regret, average, offset = space.regret, space.average, U(0)
            unit = boards.unit[board] + n
            if mode == LEARN:
                expand(tables.small_regret, at, size, tables.regret_unit[unit], regret)
            else:
                expand(tables.small_average, at, size, F(1), average)
        source = regret if mode == LEARN else average
        if mode == LEARN and rules.predictive > 0 and not fixed:
            source = tables.forecast
        mean_value(source, offset, width, actions, cfv, first, parent)
        if mode != LEARN or fixed:
            continue
        if rules.predictive > 0:
            ahead = tables.forecast
            add_regret_ahead(regret, ahead, at, width, actions, cfv, first, parent, rules)
        else:
            add_regret(regret, offset, width, actions, cfv, first, parent, rules)
        if compressed:
            small = tables.small_regret
            tables.regret_unit[unit] = shrink(regret, size, REGRET_STEPS, small, at)


@inline
def _enter(
    forest: Forest,
    boards: StreetBoards,
    above_width: Any,
    board: Any,
    traverser: Any,
    from_reach: Any,
    space: StreetWorkspace,
) -> None:
    """Reach of the roots of a street, from the ends of the street above; see `reach_below`."""
    other = U(1) - U(traverser)
    width, count = U(boards.width[board, other]), U(boards.count[board, other])
    begin, roots = boards.image[board, other], U(len(forest.root))
    parents = boards.parent_hand[begin : begin + width]
    lanes, offsets = space.lanes.reach, space.lanes.offsets
    nowhere = U(len(space.reach)) - width
    for batch in range(U(0), roots, _WIDE):
        start = batch * above_width
        for h in range(count):
            store(lanes, h * _WIDE, load(from_reach, start + U(parents[h]) * _WIDE))
        for h in range(count, width):
            store(lanes, h * _WIDE, spread(F(0)))
        for lane in range(_WIDE):
            r = batch + lane
            offsets[lane] = np.int64(r * width if r < roots else nowhere)
        for h in range(U(0), width, _WIDE):
            lanes_to_rows(lanes, space.reach, offsets, h)


@inline
def _batch_to_lanes(
    forest: Forest, width: Any, batch: Any, space: StreetWorkspace, out: Any
) -> None:
    """The values of sixteen roots of a street side by side, hand by hand."""
    roots, offsets = U(len(forest.root)), space.lanes.offsets
    for lane in range(_WIDE):
        r = min(batch + lane, roots - U(1))
        offsets[lane] = np.int64(U(forest.root[r]) * width)
    for h in range(U(0), width, _WIDE):
        rows_to_lanes(space.cfv, offsets, h, out)


@inline
def _add_batch(
    boards: StreetBoards, board: Any, traverser: Any, lanes: Any, start: Any, to_cfv: Any
) -> None:
    """Add the values of sixteen roots to the ends of the street above.

    Cards of exchangeable suits share one board, which has the parents of its hands for each card.
    """
    width, count = U(boards.width[board, traverser]), U(boards.count[board, traverser])
    share = spread(F(boards.share))
    for image in range(U(boards.images[board])):
        begin = boards.image[board, traverser] + image * width
        parents = boards.parent_hand[begin : begin + width]
        for h in range(count):
            sum_at = start + U(parents[h]) * _WIDE
            store(to_cfv, sum_at, load(to_cfv, sum_at) + share * load(lanes, h * _WIDE))


@part
def add_root_values(
    forest: Forest,
    boards: StreetBoards,
    above_width: Any,
    board: Any,
    traverser: Any,
    space: StreetWorkspace,
    to_cfv: Any,
) -> None:
    """Add the values of the roots of a street to the ends of the street above."""
    width, lanes = U(boards.width[board, traverser]), space.lanes.cfv
    for batch in range(U(0), U(len(forest.root)), _WIDE):
        _batch_to_lanes(forest, width, batch, space, lanes)
        _add_batch(boards, board, traverser, lanes, batch * above_width, to_cfv)


@part
def keep_root_values(
    forest: Forest,
    boards: StreetBoards,
    board: Any,
    traverser: Any,
    space: StreetWorkspace,
    out: Any,
) -> None:
    """The first half of `add_root_values`: the root values, kept for `add_kept_values`.

    out: float32 ``[groups of sixteen roots, width, 16]``, flat.
    """
    width = U(boards.width[board, traverser])
    for batch in range(U(0), U(len(forest.root)), _WIDE):
        group = out[batch * width : (batch + _WIDE) * width]
        _batch_to_lanes(forest, width, batch, space, group)


@part
def add_kept_values(
    forest: Forest,
    boards: StreetBoards,
    above_width: Any,
    board: Any,
    traverser: Any,
    kept: Any,
    to_cfv: Any,
) -> None:
    """The second half of `add_root_values`, for the values kept by `keep_root_values`."""
    width = U(boards.width[board, traverser])
    for batch in range(U(0), U(len(forest.root)), _WIDE):
        group = kept[batch * width : (batch + _WIDE) * width]
        _add_batch(boards, board, traverser, group, batch * above_width, to_cfv)


@kernel
def reach_below(
    forest: Forest,
    boards: StreetBoards,
    board: Any,
    traverser: Any,
    space: StreetWorkspace,
    out: Any,
) -> None:
    """The reach of the street ends, transposed for the street below.

    out: float32 ``[groups of sixteen ends, width, 16]``, flat.
    """
    width = U(boards.width[board, U(1) - U(traverser)])
    offsets, nodes = space.lanes.offsets, U(len(forest.next))
    for batch in range(U(0), nodes, _WIDE):
        for lane in range(_WIDE):
            n = U(forest.next[min(batch + lane, nodes - U(1))])
            offsets[lane] = np.int64(U(forest.slot[traverser, n]) * width)
        group = out[batch * width : (batch + _WIDE) * width]
        for h in range(U(0), width, _WIDE):
            rows_to_lanes(space.reach, offsets, h, group)


@part
def cfv_from_below(
    forest: Forest,
    boards: StreetBoards,
    board: Any,
    traverser: Any,
    from_cfv: Any,
    space: StreetWorkspace,
) -> None:
    """The values of the street ends, as the street below has summed them."""
    width = U(boards.width[board, U(traverser)])
    offsets, nodes = space.lanes.offsets, U(len(forest.next))
    for batch in range(U(0), nodes, _WIDE):
        for lane in range(_WIDE):
            r = batch + lane
            n = U(forest.next[r]) if r < nodes else U(len(forest.node))
            offsets[lane] = np.int64(n * width)
        group = from_cfv[batch * width : (batch + _WIDE) * width]
        for h in range(U(0), width, _WIDE):
            lanes_to_rows(group, space.cfv, offsets, h)


@part
def last_board(
    forest: Forest,
    terminals: Terminals,
    boards: StreetBoards,
    other_width: Any,
    tables: RangeTables,
    board: Any,
    traverser: Any,
    mode: Any,
    rules: PassRules,
    from_reach: Any,
    space: StreetWorkspace,
) -> None:
    """A pass over one board of the last street, up to its roots; `add_root_values` follows.

    other_width: of the opponent's vectors on the board above.  from_reach: see `reach_below`.
    """
    _enter(forest, boards, other_width, board, traverser, from_reach, space)
    down(forest, boards, tables, board, traverser, mode, rules, space)
    slots, reach, cfv = forest.slot, space.reach, space.cfv
    terminal_values(slots, terminals, boards, board, traverser, reach, cfv, space.lanes)
    up(forest, boards, tables, board, traverser, mode, rules, space)


@kernel
def last_street(
    forest: Forest,
    terminals: Terminals,
    boards: StreetBoards,
    above_widths: Any,
    tables: RangeTables,
    some: Any,
    traverser: Any,
    mode: Any,
    rules: PassRules,
    from_reach: Any,
    to_cfv: Any,
    space: StreetWorkspace,
) -> None:
    """A pass over some boards of the last street that follow from one board above.

    above_widths: uint64 ``[2]``, of the players' vectors there.  some: int64 ``[2]``, the first
    board and where to stop.  from_reach: see `reach_below`.  to_cfv: in the same layout;
    the values of the roots are added to it.
    """
    width, other_width = above_widths[U(traverser)], above_widths[U(1) - U(traverser)]
    for board in range(U(some[0]), U(some[1])):
        last_board(
            forest,
            terminals,
            boards,
            other_width,
            tables,
            board,
            traverser,
            mode,
            rules,
            from_reach,
            space,
        )
        add_root_values(forest, boards, width, board, traverser, space, to_cfv)


@kernel
def middle_board(
    forests: Any,
    terminals: Any,
    boards: Any,
    other_width: Any,
    tables: RangeTables,
    board: Any,
    traverser: Any,
    mode: Any,
    rules: PassRules,
    from_reach: Any,
    spaces: Any,
    link: StreetLink,
) -> None:
    """`last_board` for the street before the last, with all boards below it.

    forests, terminals, boards, spaces: of both streets.  link: this thread's, between both.
    """
    forest, here, space = forests[0], boards[0], spaces[0]
    reach, cfv = link.reach, link.cfv
    widths, below = np.empty(2, np.uint64), np.empty(2, np.int64)
    _enter(forest, here, other_width, board, traverser, from_reach, space)
    down(forest, here, tables, board, traverser, mode, rules, space)
    slots = forest.slot
    terminal_values(
        slots, terminals[0], here, board, traverser, space.reach, space.cfv, space.lanes
    )
    widths[0], widths[1] = U(here.width[board, 0]), U(here.width[board, 1])
    below[0], below[1] = here.below[board], here.below[board + U(1)]
    reach_below(forest, here, board, traverser, space, reach)
    cfv[:] = F(0)
    last_street(
        forests[1],
        terminals[1],
        boards[1],
        widths,
        tables,
        below,
        traverser,
        mode,
        rules,
        reach,
        cfv,
        spaces[1],
    )
    cfv_from_below(forest, here, board, traverser, cfv, space)
    up(forest, here, tables, board, traverser, mode, rules, space)
