"""The CUDA kernels in NumPy: the same names, arguments and buffers, all hands of a node at once.

What a block or a thread does is written once here and once in ``*.cu``, statement by statement, so
that ``tiltless bench gpu --check`` can compare either with the other, launch by launch. These run
anywhere, slowly. Sums are in float32 as on the card, in another order.

Tested by tests/postflop/device/test_runner.py
"""

from typing import Any

import numpy as np

from tiltless.kernels.cuda.structs import (
    ENTER,
    FOLDED,
    MEAN,
    NO_HAND,
    SHARE,
    SHOWN,
    DeviceStreet,
    DeviceTables,
    RiverProgram,
)
from tiltless.kernels.postflop.decision import LEAST_TOTAL
from tiltless.kernels.postflop.street import BEST, LEARN

__all__ = ["collect", "down", "folds", "keep", "lift", "river", "root_values", "up"]

F = np.float32
UP, DOWN, FLOORED, KEEP = range(4)  # columns of rules
_CARDS = 52


def share_reach(source: Any, average: Any, here: Any, learns: bool, keep: Any) -> Any:
    """The opponent's reach of each child.  source, average: ``[actions, width]``; here: [width]."""
    weight = np.maximum(source, F(0))
    total = weight.sum(axis=0, dtype=F)
    some = total > F(LEAST_TOTAL)
    share = np.where(some, here / np.where(some, total, F(1)), F(0))
    even = np.where(some, F(0), here * (F(1) / F(len(source))))
    child = weight * share + even
    if learns:
        average[:] = average * keep + child
    return child


def mean_value(source: Any, regret: Any, child: Any, best: bool, learns: bool, rules: Any) -> Any:
    """The value of a node of the traverser, ``[width]``.  child: ``[actions, width]``."""
    if best:
        return child.max(axis=0)
    weight = np.maximum(source, F(0))
    total, mean = weight.sum(axis=0, dtype=F), (weight * child).sum(axis=0, dtype=F)
    some = total > 0
    even = child.sum(axis=0, dtype=F) * (F(1) / F(len(child)))
    value = np.where(some, mean / np.where(some, total, F(1)), even)
    if learns:
        new = regret * np.where(regret > 0, rules[UP], rules[DOWN]) + (child - value)
        regret[:] = np.maximum(new, F(0)) if rules[FLOORED] > 0 else new
    return value


def card_sums(reach: Any, at: Any, hand: Any) -> tuple[Any, Any]:
    """The reach of the hands with each card ``[52]``, and the prefix sums, see `DeviceStreet`."""
    begin, sizes = int(at[0]), np.diff(at)
    rank = np.arange(int(sizes.max()))
    held = rank < sizes[:, None]  # [52, most]: whether a card has so many hands
    reaches = np.zeros(held.shape, F)
    reaches[held] = reach[hand[begin : int(at[_CARDS])]]
    upto = np.concatenate([np.zeros((_CARDS, 1), F), np.cumsum(reaches, axis=1, dtype=F)], axis=1)
    sums = upto[:, -1]
    prefix = upto[np.concatenate([np.ones((_CARDS, 1), bool), held], axis=1)]
    return sums, prefix


def _rows(table: Any, at: Any, row: int, actions: int, width: int) -> Any:
    begin = int(at) + row * width
    return table[begin : begin + actions * width].reshape(actions, width)


def _entering(here: DeviceStreet, above: DeviceStreet, b: int, r: int, p: int) -> Any:
    """The opponent's reach of a root, ``[count]``."""
    o, parent = 1 - p, int(here.parent[b])
    begin = int(above.reach_at[parent, p])
    begin += int(above.slot[p, above.end[r]]) * int(above.width[parent, o])
    way = int(here.enter_at[b, o])
    return above.reach[begin + here.enter_hand[way : way + int(here.count[b, o])].astype(np.int64)]


def _twins(info: Any, reach: Any) -> Any:
    """The opponent's reach with the same two cards."""
    same = info[:, 7].astype(np.int64)
    found = np.zeros(len(info), F)
    found[same != NO_HAND] = reach[same[same != NO_HAND]]
    return found


def _others(info: Any, total: Any, sums: Any) -> Any:
    """The reach of all hands, less those with either card; the same hand is taken off twice."""
    return total - sums[info[:, 6] & 255] - sums[info[:, 6] >> 8]


def down(
    here: DeviceStreet,
    above: DeviceStreet,
    tables: DeviceTables,
    rules: Any,
    level: Any,
    nodes: int,
    p: int,
    mode: int,
    in_shared: int,
) -> None:
    """The opponent's reach of the roots, and of the children of its decisions, parents first."""
    for b, r in np.ndindex(len(here.parent), here.roots):
        width, count = int(here.width[b, 1 - p]), int(here.count[b, 1 - p])
        begin = int(here.reach_at[b, p]) + r * width
        here.reach[begin : begin + width] = 0
        here.reach[begin : begin + count] = _entering(here, above, b, r, p)
    for b, i in np.ndindex(len(here.parent), nodes):
        n, width = int(level[i]), int(here.width[b, 1 - p])
        _, first, actions, row = here.node[n].tolist()
        at = here.row[b, 1 - p]
        regret, average = (_rows(table, at, row, actions, width) for table in tables)
        begin, slot = int(here.reach_at[b, p]), here.slot[p]
        parent, child = begin + int(slot[n]) * width, begin + int(slot[first]) * width
        here.reach[child : child + actions * width].reshape(actions, width)[:] = share_reach(
            regret if mode == LEARN else average,
            average,
            here.reach[parent : parent + width],
            mode == LEARN and not here.locked[b, n],
            rules[KEEP],
        )


def folds(here: DeviceStreet, level: Any, pay: Any, nodes: int, p: int) -> None:
    """The values after folds.  pay: float32 ``[2, nodes]``, what the traverser wins."""
    for b, i in np.ndindex(len(here.parent), nodes):
        n, o = int(level[i]), 1 - p
        begin = int(here.reach_at[b, p]) + int(here.slot[p, n]) * int(here.width[b, o])
        reach = here.reach[begin : begin + int(here.width[b, o])]
        sums, _ = card_sums(reach, here.card_at[b, o], here.card_hand)
        count, width, hand = int(here.count[b, p]), int(here.width[b, p]), int(here.hand[b, p])
        info = here.info[hand : hand + count]
        cfv = here.cfv[int(here.cfv_at[b, p]) + n * width :][:width]
        cfv[:] = 0
        total = F(0.5) * sums.sum(dtype=F)
        cfv[:count] = pay[p, i] * (_others(info, total, sums) + _twins(info, reach))


def collect(here: DeviceStreet, below: DeviceStreet, share: Any, p: int) -> None:
    """The values of the street ends: the mean over the cards to come."""
    for b, r in np.ndindex(len(here.parent), here.ends):
        width = int(here.width[b, p])
        total = np.zeros(width, F)
        for pair in range(int(below.pair_at[b]), int(below.pair_at[b + 1])):
            child, way = int(below.pair_child[pair]), int(below.pair_map[pair, p])
            hand = below.child_hand[way : way + width].astype(np.int64)
            begin = int(below.cfv_at[child, p]) + r * int(below.width[child, p])
            some = hand != NO_HAND
            total[some] += share * below.cfv[begin + hand[some]]
        begin = int(here.cfv_at[b, p]) + int(here.end[r]) * width
        here.cfv[begin : begin + width] = total


def up(
    here: DeviceStreet,
    tables: DeviceTables,
    rules: Any,
    level: Any,
    nodes: int,
    p: int,
    mode: int,
    in_shared: int,
) -> None:
    """The values of all decisions, children first, and the traverser's regrets."""
    for b, i in np.ndindex(len(here.parent), nodes):
        n, width = int(level[i]), int(here.width[b, p])
        actor, first, actions, row = here.node[n].tolist()
        cfv = here.cfv[int(here.cfv_at[b, p]) :]
        child = cfv[first * width : (first + actions) * width].reshape(actions, width)
        if actor != p:
            value = child.sum(axis=0, dtype=F)
        else:
            locked = bool(here.locked[b, n])
            regret, average = (
                _rows(table, here.row[b, p], row, actions, width) for table in tables
            )
            value = mean_value(
                regret if mode == LEARN else average,
                regret,
                child,
                mode == BEST and not locked,
                mode == LEARN and not locked,
                rules,
            )
        cfv[n * width : (n + 1) * width] = value


def keep(here: DeviceStreet, kept: Any, at: int, p: int) -> None:
    """The values at the root of the first board, put aside until they are read."""
    begin, width = int(here.cfv_at[0, p]), int(here.width[0, p])
    kept[at : at + width] = here.cfv[begin : begin + width]


def lift(tables: DeviceTables, rows: Any, share: Any, width: int) -> None:
    """Tremble: regrets raised to at least ``share / n`` of the sum of those above 0."""
    for begin, actions in rows.tolist():
        regret = tables.regret[begin : begin + actions * width].reshape(actions, width)
        total = np.maximum(regret, F(0)).sum(axis=0, dtype=F)
        np.maximum(regret, total * (share / F(actions)), out=regret)


def root_values(here: DeviceStreet, deal: DeviceStreet, out: Any, p: int) -> None:
    """For each board the sum over the traverser's hands of range times value at root 0."""
    for b in range(len(here.parent)):
        width = int(here.width[b, p])
        at, range_at = int(here.cfv_at[b, p]), int(deal.reach_at[b, 1 - p])
        range_ = deal.reach[range_at : range_at + width].astype(np.float64)
        out[b] = range_ @ here.cfv[at : at + width]


def river(
    here: DeviceStreet,
    above: DeviceStreet,
    tables: DeviceTables,
    program: RiverProgram,
    rules: Any,
    p: int,
    mode: int,
) -> None:
    """The last street: each block runs the steps of its roots on its board."""
    for b, first, last in program.work.tolist():
        _river_block(here, above, tables, program, rules, p, mode, b, first, last)


def _river_block(
    here: DeviceStreet,
    above: DeviceStreet,
    tables: DeviceTables,
    program: RiverProgram,
    rules: Any,
    p: int,
    mode: int,
    b: int,
    first: int,
    last: int,
) -> None:
    o = 1 - p
    count, width, their_width = int(here.count[b, p]), int(here.width[b, p]), int(here.width[b, o])
    reach = np.zeros((program.reach_slots, their_width), F)
    cfv = np.zeros((program.cfv_slots, width), F)
    hand = int(here.hand[b, p])
    info, card_at = here.info[hand : hand + count].astype(np.int64), here.card_at[b, o]
    for step, pay in zip(program.step[first:last].tolist(), program.pay[first:last], strict=True):
        kind = step[0]
        if kind == ENTER:
            _, root, slot = step[:3]
            reach[slot] = 0
            reach[slot, : int(here.count[b, o])] = _entering(here, above, b, root, p)
        elif kind == SHARE:
            _, n, row, actions, slot, child, way, _ = step
            regret, average = (
                _rows(table, here.row[b, o], row, actions, their_width) for table in tables
            )
            reach[child + way * np.arange(actions)] = share_reach(
                regret if mode == LEARN else average,
                average,
                reach[slot],
                mode == LEARN and not here.locked[b, n],
                rules[KEEP],
            )
        elif kind == FOLDED:
            _, _, slot, out, add = step[:5]
            sums, _ = card_sums(reach[slot], card_at, here.card_hand)
            total = F(0.5) * sums.sum(dtype=F)
            value = pay[0] * (_others(info, total, sums) + _twins(info, reach[slot]))
            _put(cfv[out], value, add)
        elif kind == SHOWN:
            _, _, slot, out, add, fold = step[:6]
            sums, prefix = card_sums(reach[slot], card_at, here.card_hand)
            below = np.concatenate([np.zeros(1, F), np.cumsum(reach[slot], dtype=F)])
            under = below[info[:, 0]] - prefix[info[:, 2]] - prefix[info[:, 3]]
            upto = below[info[:, 1]] - prefix[info[:, 4]] - prefix[info[:, 5]]
            others, twin = _others(info, below[-1], sums), _twins(info, reach[slot])
            _put(cfv[out], pay[0] * (under + upto) + pay[1] * others + pay[2] * twin, add)
            if fold >= 0:
                _put(cfv[fold], pay[3] * (others + twin), 0)
        elif kind == MEAN:
            _, n, row, actions, child, way, out, add = step
            locked = bool(here.locked[b, n])
            regret, average = (
                _rows(table, here.row[b, p], row, actions, width) for table in tables
            )
            value = mean_value(
                regret if mode == LEARN else average,
                regret,
                cfv[child + way * np.arange(actions)],
                mode == BEST and not locked,
                mode == LEARN and not locked,
                rules,
            )
            _put(cfv[out], value, add)
        else:  # LEAVE
            _, root, slot = step[:3]
            begin = int(here.cfv_at[b, p]) + root * width
            here.cfv[begin : begin + width] = cfv[slot]


def _put(out: Any, value: Any, add: int) -> None:
    """Store values of the first hands, or add them; the padding is 0."""
    if not add:
        out[:] = 0
    out[: len(value)] += value
