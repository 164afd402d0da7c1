"""Two ranges on a board after the flop: one pass of CFR over a street, all hands at once.

Vectors of hands go down a betting forest, how likely the opponent is to come to a node with each
hand; others come back up, what each hand of the player who learns is worth against them. Bets do
not depend on cards, so all boards of a street share one forest (`Forest`), whose roots are the ways
in which the street before can end; regrets and averages are there once for each board, one row for
each action, hands side by side. A street is worked on as a whole: down over its nodes, then its
ends sixteen at a time (`tiltless.kernels.range_ends`), then the boards of the next street, then
back up.

The two players have lists of hands of their own, which need not be alike: only hands that are in
their ranges, on the river from the weakest to the strongest. Rows are padded to whole vectors of
sixteen with hands that nobody holds.

Paper: Johanson, Waugh, Bowling & Zinkevich (2011), "Accelerating best response calculation in large
extensive games" for vectors and sorted showdowns; Brown & Sandholm (2019) for discounts.
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.jit import inline, kernel
from tiltless.kernels.range_ends import Ends, Lanes, StreetBoards, worth_at_ends
from tiltless.kernels.simd import (
    lanes_to_rows,
    load,
    maximum,
    rows_to_lanes,
    spread,
    store,
    where_positive,
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
    "Forest",
    "PassRules",
    "RangeTables",
    "Workspace",
    "down",
    "last_street",
    "middle_street",
    "only_street",
    "reach_below",
    "up",
    "worth_from_below",
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
_REGRET_STEPS, _AVERAGE_STEPS = 32767, 65535


class Forest(NamedTuple):
    """The bets of a street, whatever the board.

    node: int32 ``[nodes, 4]``: who acts, the first child, how many there are, and the first row
    among those of the actor; children come after their parents and are neighbours.
    slot: int32 ``[2, nodes]``, the vector of reach of a node when player 0 or 1 learns: the learner
    does not change the opponent's reach, so children of the learner's nodes share their parent's.
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


class PassRules(NamedTuple):
    """Numbers of one iteration, all float64.

    up, down: factors of positive and negative regrets before new ones are added.
    floored: 1 if regrets fall no lower than 0.  predictive: 1 if strategies come from forecasts.
    next_up: the factor of positive regrets in the next iteration, for forecasts.
    keep: the factor of averages.
    """

    up: Any
    down: Any
    floored: Any
    predictive: Any
    next_up: Any
    keep: Any


class Workspace(NamedTuple):
    """What a thread works in, for one street: reach by slot and worth by node, float32 vectors.

    Each has one more vector, for lanes that stand for nothing.  lanes: see `Lanes`.
    regret, average: float32, the rows of one decision, for compressed tables.
    """

    reach: Any
    worth: Any
    lanes: Lanes
    regret: Any
    average: Any


@inline
def _expand(small: Any, at: Any, size: Any, unit: Any, out: Any) -> None:
    """Some numbers of a compressed table."""
    some = small[at : at + size]
    for i in range(size):
        out[i] = unit * F(some[i])


@inline
def _shrink(given: Any, size: Any, steps: Any, small: Any, at: Any) -> Any:
    """Compress some numbers; returns what 1 stands for. Steps: the largest number of the table."""
    bits, some = given.view(np.int32), small[at : at + size]
    largest = np.int32(0)
    for i in range(size):
        largest = max(
            largest, bits[i] & np.int32(0x7FFFFFFF)
        )  # as integers, floats keep their order
    bits[size] = largest
    most = given[size]
    if most == F(0):
        for i in range(size):
            some[i] = 0
        return F(0)
    per = F(steps) / most
    for i in range(size):
        x = given[i] * per
        some[i] = np.int32(x + (F(0.5) if x >= F(0) else F(-0.5)))
    return most / F(steps)


@inline
def _go(source: Any, at: Any, width: Any, actions: Any, reach: Any, come: Any, to: Any) -> None:
    """Reach of the children of a node where weights ``source`` are played."""
    zero, evenly = spread(F(0)), spread(F(1) / F(actions))
    for h in range(U(0), width, _WIDE):
        total = zero
        for a in range(actions):
            total = total + maximum(load(source, at + a * width + h), zero)
        here = load(reach, come + h)
        share = where_positive(total, here / total, zero)
        even = where_positive(total, zero, here * evenly)
        for a in range(actions):
            x = maximum(load(source, at + a * width + h), zero) * share + even
            store(reach, to + a * width + h, x)


@inline
def _go_and_keep(
    source: Any,
    average: Any,
    at: Any,
    width: Any,
    actions: Any,
    reach: Any,
    come: Any,
    to: Any,
    keep: Any,
) -> None:
    """The same, and the average strategy gets what comes to each child."""
    zero, evenly, kept = spread(F(0)), spread(F(1) / F(actions)), spread(F(keep))
    for h in range(U(0), width, _WIDE):
        total = zero
        for a in range(actions):
            total = total + maximum(load(source, at + a * width + h), zero)
        here = load(reach, come + h)
        share = where_positive(total, here / total, zero)
        even = where_positive(total, zero, here * evenly)
        for a in range(actions):
            place = at + a * width + h
            x = maximum(load(source, place), zero) * share + even
            store(reach, to + a * width + h, x)
            store(average, place, load(average, place) * kept + x)


@inline
def _mean(source: Any, at: Any, width: Any, actions: Any, worth: Any, first: Any, to: Any) -> None:
    """The worth of a node of the learner, where weights ``source`` are played."""
    zero, evenly = spread(F(0)), spread(F(1) / F(actions))
    for h in range(U(0), width, _WIDE):
        total, mean, every = zero, zero, zero
        for a in range(actions):
            weight = maximum(load(source, at + a * width + h), zero)
            x = load(worth, first + a * width + h)
            total, mean, every = total + weight, mean + weight * x, every + x
        store(worth, to + h, where_positive(total, mean / total, every * evenly))


@inline
def _learn(
    regret: Any,
    at: Any,
    width: Any,
    actions: Any,
    worth: Any,
    first: Any,
    to: Any,
    rules: PassRules,
) -> None:
    """The same, and regrets get what each action would have won more."""
    zero, evenly = spread(F(0)), spread(F(1) / F(actions))
    up, down = spread(F(rules.up)), spread(F(rules.down))
    for h in range(U(0), width, _WIDE):
        total, mean, every = zero, zero, zero
        for a in range(actions):
            weight = maximum(load(regret, at + a * width + h), zero)
            x = load(worth, first + a * width + h)
            total, mean, every = total + weight, mean + weight * x, every + x
        value = where_positive(total, mean / total, every * evenly)
        store(worth, to + h, value)
        for a in range(actions):
            place = at + a * width + h
            old = load(regret, place)
            new = old * where_positive(old, up, down) + (load(worth, first + a * width + h) - value)
            if rules.floored > 0:
                new = maximum(new, zero)
            store(regret, place, new)


@inline
def _learn_ahead(
    regret: Any,
    forecast: Any,
    at: Any,
    width: Any,
    actions: Any,
    worth: Any,
    first: Any,
    to: Any,
    rules: PassRules,
) -> None:
    """The same for predictive rules: floored, and strategies come from forecasts."""
    zero, evenly = spread(F(0)), spread(F(1) / F(actions))
    up, next_up = spread(F(rules.up)), spread(F(rules.next_up))
    for h in range(U(0), width, _WIDE):
        total, mean, every = zero, zero, zero
        for a in range(actions):
            weight = load(forecast, at + a * width + h)
            x = load(worth, first + a * width + h)
            total, mean, every = total + weight, mean + weight * x, every + x
        value = where_positive(total, mean / total, every * evenly)
        store(worth, to + h, value)
        for a in range(actions):
            place = at + a * width + h
            more = load(worth, first + a * width + h) - value
            new = maximum(load(regret, place) * up + more, zero)
            store(regret, place, new)
            store(forecast, place, maximum(new * next_up + more, zero))


@inline
def _best(width: Any, actions: Any, worth: Any, first: Any, to: Any) -> None:
    """The worth of the best action of each hand."""
    for h in range(U(0), width, _WIDE):
        best = load(worth, first + h)
        for a in range(U(1), actions):
            best = maximum(best, load(worth, first + a * width + h))
        store(worth, to + h, best)


@inline
def _sum(width: Any, actions: Any, worth: Any, first: Any, to: Any) -> None:
    """The worth of a node of the opponent: reach is in the children's already."""
    for h in range(U(0), width, _WIDE):
        total = load(worth, first + h)
        for a in range(U(1), actions):
            total = total + load(worth, first + a * width + h)
        store(worth, to + h, total)


@kernel
def down(
    forest: Forest,
    boards: StreetBoards,
    tables: RangeTables,
    board: Any,
    learner: Any,
    mode: Any,
    rules: PassRules,
    space: Workspace,
) -> None:
    """From the roots of a street to its ends: the opponent's reach of every node.

    space.reach: a vector for each slot; those of the roots are given.
    """
    node, slot, reach = forest.node, forest.slot[learner], space.reach
    other = U(1) - U(learner)
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
                _expand(tables.small_regret, at, size, F(1), source)
            _expand(tables.small_average, at, size, tables.average_unit[unit], average)
        if mode != LEARN:
            _go(average, place, width, actions, reach, come, to)
            continue
        _go_and_keep(source, average, place, width, actions, reach, come, to, rules.keep)
        if compressed:
            steps, small = _AVERAGE_STEPS, tables.small_average
            tables.average_unit[unit] = _shrink(average, size, steps, small, at)


@kernel
def up(
    forest: Forest,
    boards: StreetBoards,
    tables: RangeTables,
    board: Any,
    learner: Any,
    mode: Any,
    rules: PassRules,
    space: Workspace,
) -> None:
    """From the ends of a street to its roots: the worth of every node, and the learner's regrets.

    space.worth: a vector for each node; those of ends, and where the street is over, are given.
    """
    node, worth, locked = forest.node, space.worth, boards.locked
    width, start = U(boards.width[board, learner]), boards.row[board, learner]
    compressed = len(tables.small_regret) > 0
    for back in range(U(len(node))):
        n = U(len(node)) - U(1) - back
        if node[n, ACTOR] < 0:
            continue
        first, actions, to = U(node[n, FIRST]) * width, U(node[n, ACTIONS]), n * width
        if node[n, ACTOR] != np.int32(learner):
            _sum(width, actions, worth, first, to)
            continue
        at, size = start + U(node[n, ROW]) * width, actions * width
        fixed = len(locked) > 0 and locked[board, n]
        if mode == BEST and not fixed:
            _best(width, actions, worth, first, to)
            continue
        regret, average, place = tables.regret, tables.average, at
        if compressed:
            regret, average, place = space.regret, space.average, U(0)
            unit = boards.unit[board] + n
            if mode == LEARN:
                _expand(tables.small_regret, at, size, tables.regret_unit[unit], regret)
            else:
                _expand(tables.small_average, at, size, F(1), average)
        if mode != LEARN:
            _mean(average, place, width, actions, worth, first, to)
        elif fixed:
            _mean(regret, place, width, actions, worth, first, to)
        elif rules.predictive > 0:
            _learn_ahead(regret, tables.forecast, at, width, actions, worth, first, to, rules)
        else:
            _learn(regret, place, width, actions, worth, first, to, rules)
            if compressed:
                steps, small = _REGRET_STEPS, tables.small_regret
                tables.regret_unit[unit] = _shrink(regret, size, steps, small, at)


@inline
def _enter(
    forest: Forest,
    boards: StreetBoards,
    above_width: Any,
    board: Any,
    learner: Any,
    from_reach: Any,
    space: Workspace,
) -> None:
    """Reach of the roots of a street, from where the street above is over; see `leave_reach`."""
    other = U(1) - U(learner)
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
def _leave(
    forest: Forest,
    boards: StreetBoards,
    above_width: Any,
    board: Any,
    learner: Any,
    space: Workspace,
    to_worth: Any,
) -> None:
    """Worth of the roots of a street, added to where the street above is over.

    Cards of suits that may be exchanged have one board for all of them, and a way back for each.
    """
    width, count = U(boards.width[board, learner]), U(boards.count[board, learner])
    roots, share = U(len(forest.root)), spread(F(boards.share))
    lanes, place = space.lanes.worth, space.lanes.place
    for batch in range(U(0), roots, _WIDE):
        for lane in range(_WIDE):
            r = min(batch + lane, roots - U(1))
            place[lane] = np.int64(U(forest.root[r]) * width)
        for h in range(U(0), width, _WIDE):
            rows_to_lanes(space.worth, place, h, lanes)
        start = batch * above_width
        for image in range(U(boards.images[board])):
            begin = boards.image[board, learner] + image * width
            way = boards.place[begin : begin + width]
            for h in range(count):
                to = start + U(way[h]) * _WIDE
                store(to_worth, to, load(to_worth, to) + share * load(lanes, h * _WIDE))


@kernel
def reach_below(
    forest: Forest, boards: StreetBoards, board: Any, learner: Any, space: Workspace, out: Any
) -> None:
    """The reach of the nodes where a street is over, turned on its side for the street below.

    out: float32 ``[16-fold groups of such nodes, width, 16]``, flat.
    """
    width = U(boards.width[board, U(1) - U(learner)])
    place, nodes = space.lanes.place, U(len(forest.next))
    for batch in range(U(0), nodes, _WIDE):
        for lane in range(_WIDE):
            n = U(forest.next[min(batch + lane, nodes - U(1))])
            place[lane] = np.int64(U(forest.slot[learner, n]) * width)
        part = out[batch * width : (batch + _WIDE) * width]
        for h in range(U(0), width, _WIDE):
            rows_to_lanes(space.reach, place, h, part)


@kernel
def worth_from_below(
    forest: Forest, boards: StreetBoards, board: Any, learner: Any, given: Any, space: Workspace
) -> None:
    """The worth of the nodes where a street is over, as the street below has left it."""
    width = U(boards.width[board, U(learner)])
    place, nodes = space.lanes.place, U(len(forest.next))
    for batch in range(U(0), nodes, _WIDE):
        for lane in range(_WIDE):
            r = batch + lane
            n = U(forest.next[r]) if r < nodes else U(len(forest.node))
            place[lane] = np.int64(n * width)
        part = given[batch * width : (batch + _WIDE) * width]
        for h in range(U(0), width, _WIDE):
            lanes_to_rows(part, space.worth, place, h)


@kernel
def only_street(
    forest: Forest,
    ends: Ends,
    boards: StreetBoards,
    tables: RangeTables,
    start: Any,
    schedule: Any,
    space: Workspace,
) -> None:
    """Whole iterations of a spot that begins on the last street, player 1 before player 0.

    start: the players' ranges, two float32 vectors.  schedule: float64 ``[iterations, 6]``, the
    fields of `PassRules`.
    """
    board = U(0)
    for t in range(len(schedule)):
        s = schedule[t]
        rules = PassRules(s[0], s[1], s[2], s[3], s[4], s[5])
        for learner in (1, 0):
            come = start[1 - learner]
            space.reach[: len(come)] = come
            down(forest, boards, tables, board, learner, LEARN, rules, space)
            slots, reach, worth = forest.slot, space.reach, space.worth
            worth_at_ends(slots, ends, boards, board, learner, reach, worth, space.lanes)
            up(forest, boards, tables, board, learner, LEARN, rules, space)


@kernel
def last_street(
    forest: Forest,
    ends: Ends,
    boards: StreetBoards,
    above_widths: Any,
    tables: RangeTables,
    some: Any,
    learner: Any,
    mode: Any,
    rules: PassRules,
    from_reach: Any,
    to_worth: Any,
    space: Workspace,
) -> None:
    """A pass over some boards of the last street that follow from one board above.

    above_widths: uint64 ``[2]``, of the players' vectors there.  some: int64 ``[3]``, the first
    board, where to stop, and the step.  from_reach: see `reach_below`.  to_worth: the like of it,
    which gets the worth of the roots added.
    """
    width, other_width = above_widths[U(learner)], above_widths[U(1) - U(learner)]
    for board in range(U(some[0]), U(some[1]), U(some[2])):
        _enter(forest, boards, other_width, board, learner, from_reach, space)
        down(forest, boards, tables, board, learner, mode, rules, space)
        slots, reach, worth = forest.slot, space.reach, space.worth
        worth_at_ends(slots, ends, boards, board, learner, reach, worth, space.lanes)
        up(forest, boards, tables, board, learner, mode, rules, space)
        _leave(forest, boards, width, board, learner, space, to_worth)


@kernel
def middle_street(
    forests: Any,
    ends: Any,
    boards: Any,
    above_widths: Any,
    tables: RangeTables,
    some: Any,
    learner: Any,
    mode: Any,
    rules: PassRules,
    from_reach: Any,
    to_worth: Any,
    spaces: Any,
) -> None:
    """The same for the street before the last, with all boards below it.

    forests, ends, boards, spaces: of both streets.
    """
    forest, here, space = forests[0], boards[0], spaces[0]
    width, other_width = above_widths[U(learner)], above_widths[U(1) - U(learner)]
    most = (U(len(forest.next)) + _WIDE) * U(here.width[:, 0].max() + here.width[:, 1].max())
    reach, worth = np.empty(most, np.float32), np.empty(most, np.float32)
    widths, all_of_them = np.empty(2, np.uint64), np.ones(3, np.int64)
    for board in range(U(some[0]), U(some[1]), U(some[2])):
        _enter(forest, here, other_width, board, learner, from_reach, space)
        down(forest, here, tables, board, learner, mode, rules, space)
        slots = forest.slot
        worth_at_ends(slots, ends[0], here, board, learner, space.reach, space.worth, space.lanes)
        widths[0], widths[1] = U(here.width[board, 0]), U(here.width[board, 1])
        all_of_them[0], all_of_them[1] = here.below[board], here.below[board + U(1)]
        reach_below(forest, here, board, learner, space, reach)
        worth[:] = F(0)
        last_street(
            forests[1],
            ends[1],
            boards[1],
            widths,
            tables,
            all_of_them,
            learner,
            mode,
            rules,
            reach,
            worth,
            spaces[1],
        )
        worth_from_below(forest, here, board, learner, worth, space)
        up(forest, here, tables, board, learner, mode, rules, space)
        _leave(forest, here, width, board, learner, space, to_worth)
