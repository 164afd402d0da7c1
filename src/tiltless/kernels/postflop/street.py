"""Two ranges on boards after the flop: one pass of CFR over a street, all hands at once.

Vectors of hands go down a betting forest, how likely the opponent is to come to a node with each
hand; others come back up, what each hand of the player who learns is worth against them. Bets do
not depend on cards, so all boards of a street share one forest (`Forest`), whose roots are the ways
in which the street before can end; regrets and averages are there once for each board, one row for
each action, hands side by side. A street is worked on as a whole: down over its nodes, then its
ends sixteen at a time (`tiltless.kernels.postflop.terminals`), then the boards of the next street,
then back up. `tiltless.kernels.postflop.decision` has what is done at one decision, and
`tiltless.kernels.postflop.passes` begins at the root of a spot.

The two players have lists of hands of their own, which need not be alike: only hands that are in
their ranges, on the river from the weakest to the strongest. Rows are padded to whole vectors of
sixteen with hands that nobody holds.

Paper: Johanson, Waugh, Bowling & Zinkevich (2011), "Accelerating best response calculation in large
extensive games" for vectors and sorted showdowns; Brown & Sandholm (2019) for discounts.
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
    "FOLDED",
    "LEARN",
    "NEXT",
    "ROW",
    "SHOWN",
    "Between",
    "Forest",
    "RangeTables",
    "StreetWorkspace",
    "add_roots",
    "down",
    "keep_roots",
    "last_board",
    "last_street",
    "leave",
    "middle_board",
    "reach_below",
    "up",
    "values_from_below",
]

U = np.uint64
F = np.float32
_WIDE = U(16)

ACTOR, FIRST, ACTIONS, ROW = range(4)
"""Columns of `Forest.node`."""
NEXT, SHOWN, FOLDED = -1, -2, -3
"""In place of an actor: a street is over, hands are shown, somebody has folded."""
LEARN, BEST, AVERAGE = range(3)
"""What a pass is for: an iteration; a best response to the average; the average's worth."""


class Forest(NamedTuple):
    """The bets of a street, whatever the board.

    node: int32 ``[nodes, 4]``: who acts, the first child, how many there are, and the first row
    among those of the actor; children come after their parents and are neighbours.
    slot: int32 ``[2, nodes]``, the vector of reach of a node when player 0 or 1 learns: the
    traverser does not change the opponent's reach, so children of the traverser's nodes share their
    parent's.
    root: int32 ``[roots]``, the nodes where the street begins.  next: int32, those where it is
    over; root r of the next street is ``next[r]``.
    """

    node: Any
    slot: Any
    root: Any
    next: Any


class RangeTables(NamedTuple):
    """Regrets and averages of all streets, at the places that `StreetBoards.row` says.

    regret, average: float32; empty if they are compressed.
    forecast: float32, of predictive rules, regrets as they will be; else empty.
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
    """What a thread works in, for one street: reach by slot and worth by node, float32 vectors.

    Each has one more vector, for lanes that stand for nothing.  lanes: see `TerminalBuffers`.
    regret, average: float32, the rows of one decision, for compressed tables.
    """

    reach: Any
    cfv: Any
    lanes: TerminalBuffers
    regret: Any
    average: Any


class Between(NamedTuple):
    """What goes from a street to the next and back, sixteen of its ends side by side.

    reach: float32, see `reach_below`.  cfv: float32, the like of it.
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
    """From the roots of a street to its ends: the opponent's reach of every node.

    space.reach: a vector for each slot; those of the roots are given.
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
        come, to = U(slot[n]) * width, U(slot[first]) * width
        source, average, place = tables.regret, tables.average, at
        if rules.predictive > 0:
            source = tables.forecast
        if compressed:
            source, average, place = space.regret, space.average, U(0)
            unit = boards.unit[board] + n
            if mode == LEARN:
                expand(tables.small_regret, at, size, F(1), source)
            expand(tables.small_average, at, size, tables.average_unit[unit], average)
        if mode != LEARN:
            source = average
        learns, keep = mode == LEARN, rules.keep
        share_reach(source, average, place, width, actions, reach, come, to, learns, keep)
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
    """From the ends of a street to its roots: the worth of every node, and the traverser's regrets.

    space.cfv: a vector for each node; those of ends, and where the street is over, are given.
    """
    node, cfv, locked = forest.node, space.cfv, boards.locked
    width, start = U(boards.width[board, traverser]), boards.row[board, traverser]
    compressed = len(tables.small_regret) > 0
    for back in range(U(len(node))):
        n = U(len(node)) - U(1) - back
        if node[n, ACTOR] < 0:
            continue
        first, actions, to = U(node[n, FIRST]) * width, U(node[n, ACTIONS]), n * width
        if node[n, ACTOR] != np.int32(traverser):
            sum_values(width, actions, cfv, first, to)
            continue
        at, size = start + U(node[n, ROW]) * width, actions * width
        fixed = len(locked) > 0 and locked[board, n]
        if mode == BEST and not fixed:
            best_value(width, actions, cfv, first, to)
            continue
        regret, average, place = tables.regret, tables.average, at
        if compressed:
            regret, average, place = space.regret, space.average, U(0)
            unit = boards.unit[board] + n
            if mode == LEARN:
                expand(tables.small_regret, at, size, tables.regret_unit[unit], regret)
            else:
                expand(tables.small_average, at, size, F(1), average)
        source = regret if mode == LEARN else average
        if mode == LEARN and rules.predictive > 0 and not fixed:
            source = tables.forecast
        mean_value(source, place, width, actions, cfv, first, to)
        if mode != LEARN or fixed:
            continue
        if rules.predictive > 0:
            ahead = tables.forecast
            add_regret_ahead(regret, ahead, at, width, actions, cfv, first, to, rules)
        else:
            add_regret(regret, place, width, actions, cfv, first, to, rules)
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
    """Reach of the roots of a street, from where the street above is over; see `reach_below`."""
    other = U(1) - U(traverser)
    width, count = U(boards.width[board, other]), U(boards.count[board, other])
    begin, roots = boards.image[board, other], U(len(forest.root))
    way = boards.place[begin : begin + width]
    lanes, place = space.lanes.reach, space.lanes.place
    nowhere = U(len(space.reach)) - width
    for batch in range(U(0), roots, _WIDE):
        start = batch * above_width
        for h in range(count):
            store(lanes, h * _WIDE, load(from_reach, start + U(way[h]) * _WIDE))
        for h in range(count, width):
            store(lanes, h * _WIDE, spread(F(0)))
        for lane in range(_WIDE):
            r = batch + lane
            place[lane] = np.int64(r * width if r < roots else nowhere)
        for h in range(U(0), width, _WIDE):
            lanes_to_rows(lanes, space.reach, place, h)


@inline
def _batch_to_lanes(
    forest: Forest, width: Any, batch: Any, space: StreetWorkspace, out: Any
) -> None:
    """The worth of sixteen roots of a street side by side, hand by hand."""
    roots, place = U(len(forest.root)), space.lanes.place
    for lane in range(_WIDE):
        r = min(batch + lane, roots - U(1))
        place[lane] = np.int64(U(forest.root[r]) * width)
    for h in range(U(0), width, _WIDE):
        rows_to_lanes(space.cfv, place, h, out)


@inline
def _add_batch(
    boards: StreetBoards, board: Any, traverser: Any, lanes: Any, start: Any, to_worth: Any
) -> None:
    """Add the worth of sixteen roots to where the street above is over.

    Cards of suits that may be exchanged have one board for all of them, and a way back for each.
    """
    width, count = U(boards.width[board, traverser]), U(boards.count[board, traverser])
    share = spread(F(boards.share))
    for image in range(U(boards.images[board])):
        begin = boards.image[board, traverser] + image * width
        way = boards.place[begin : begin + width]
        for h in range(count):
            to = start + U(way[h]) * _WIDE
            store(to_worth, to, load(to_worth, to) + share * load(lanes, h * _WIDE))


@part
def leave(
    forest: Forest,
    boards: StreetBoards,
    above_width: Any,
    board: Any,
    traverser: Any,
    space: StreetWorkspace,
    to_worth: Any,
) -> None:
    """Worth of the roots of a street, added to where the street above is over."""
    width, lanes = U(boards.width[board, traverser]), space.lanes.cfv
    for batch in range(U(0), U(len(forest.root)), _WIDE):
        _batch_to_lanes(forest, width, batch, space, lanes)
        _add_batch(boards, board, traverser, lanes, batch * above_width, to_worth)


@part
def keep_roots(
    forest: Forest,
    boards: StreetBoards,
    board: Any,
    traverser: Any,
    space: StreetWorkspace,
    out: Any,
) -> None:
    """The first half of `leave`: the worth of the roots, kept for `add_roots`.

    out: float32 ``[16-fold groups of roots, width, 16]``, flat.
    """
    width = U(boards.width[board, traverser])
    for batch in range(U(0), U(len(forest.root)), _WIDE):
        group = out[batch * width : (batch + _WIDE) * width]
        _batch_to_lanes(forest, width, batch, space, group)


@part
def add_roots(
    forest: Forest,
    boards: StreetBoards,
    above_width: Any,
    board: Any,
    traverser: Any,
    kept: Any,
    to_worth: Any,
) -> None:
    """The second half of `leave`, of what `keep_roots` has kept."""
    width = U(boards.width[board, traverser])
    for batch in range(U(0), U(len(forest.root)), _WIDE):
        group = kept[batch * width : (batch + _WIDE) * width]
        _add_batch(boards, board, traverser, group, batch * above_width, to_worth)


@kernel
def reach_below(
    forest: Forest,
    boards: StreetBoards,
    board: Any,
    traverser: Any,
    space: StreetWorkspace,
    out: Any,
) -> None:
    """The reach of the nodes where a street is over, turned on its side for the street below.

    out: float32 ``[16-fold groups of such nodes, width, 16]``, flat.
    """
    width = U(boards.width[board, U(1) - U(traverser)])
    place, nodes = space.lanes.place, U(len(forest.next))
    for batch in range(U(0), nodes, _WIDE):
        for lane in range(_WIDE):
            n = U(forest.next[min(batch + lane, nodes - U(1))])
            place[lane] = np.int64(U(forest.slot[traverser, n]) * width)
        group = out[batch * width : (batch + _WIDE) * width]
        for h in range(U(0), width, _WIDE):
            rows_to_lanes(space.reach, place, h, group)


@part
def values_from_below(
    forest: Forest,
    boards: StreetBoards,
    board: Any,
    traverser: Any,
    given: Any,
    space: StreetWorkspace,
) -> None:
    """The worth of the nodes where a street is over, as the street below has left it."""
    width = U(boards.width[board, U(traverser)])
    place, nodes = space.lanes.place, U(len(forest.next))
    for batch in range(U(0), nodes, _WIDE):
        for lane in range(_WIDE):
            r = batch + lane
            n = U(forest.next[r]) if r < nodes else U(len(forest.node))
            place[lane] = np.int64(n * width)
        group = given[batch * width : (batch + _WIDE) * width]
        for h in range(U(0), width, _WIDE):
            lanes_to_rows(group, space.cfv, place, h)


@part
def last_board(
    forest: Forest,
    ends: Terminals,
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
    """A pass over one board of the last street, up to its roots; then comes `leave`.

    other_width: of the opponent's vectors on the board above.  from_reach: see `reach_below`.
    """
    _enter(forest, boards, other_width, board, traverser, from_reach, space)
    down(forest, boards, tables, board, traverser, mode, rules, space)
    slots, reach, cfv = forest.slot, space.reach, space.cfv
    terminal_values(slots, ends, boards, board, traverser, reach, cfv, space.lanes)
    up(forest, boards, tables, board, traverser, mode, rules, space)


@kernel
def last_street(
    forest: Forest,
    ends: Terminals,
    boards: StreetBoards,
    above_widths: Any,
    tables: RangeTables,
    some: Any,
    traverser: Any,
    mode: Any,
    rules: PassRules,
    from_reach: Any,
    to_worth: Any,
    space: StreetWorkspace,
) -> None:
    """A pass over some boards of the last street that follow from one board above.

    above_widths: uint64 ``[2]``, of the players' vectors there.  some: int64 ``[2]``, the first
    board and where to stop.  from_reach: see `reach_below`.  to_worth: the like of it, which gets
    the worth of the roots added.
    """
    width, other_width = above_widths[U(traverser)], above_widths[U(1) - U(traverser)]
    for board in range(U(some[0]), U(some[1])):
        last_board(
            forest,
            ends,
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
        leave(forest, boards, width, board, traverser, space, to_worth)


@kernel
def middle_board(
    forests: Any,
    ends: Any,
    boards: Any,
    other_width: Any,
    tables: RangeTables,
    board: Any,
    traverser: Any,
    mode: Any,
    rules: PassRules,
    from_reach: Any,
    spaces: Any,
    between: Between,
) -> None:
    """The like of `last_board` for the street before the last, with all boards below it.

    forests, ends, boards, spaces: of both streets.  between: this thread's, of both.
    """
    forest, here, space = forests[0], boards[0], spaces[0]
    reach, cfv = between.reach, between.cfv
    widths, below = np.empty(2, np.uint64), np.empty(2, np.int64)
    _enter(forest, here, other_width, board, traverser, from_reach, space)
    down(forest, here, tables, board, traverser, mode, rules, space)
    slots = forest.slot
    terminal_values(slots, ends[0], here, board, traverser, space.reach, space.cfv, space.lanes)
    widths[0], widths[1] = U(here.width[board, 0]), U(here.width[board, 1])
    below[0], below[1] = here.below[board], here.below[board + U(1)]
    reach_below(forest, here, board, traverser, space, reach)
    cfv[:] = F(0)
    last_street(
        forests[1],
        ends[1],
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
    values_from_below(forest, here, board, traverser, cfv, space)
    up(forest, here, tables, board, traverser, mode, rules, space)
