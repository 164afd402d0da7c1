"""Whole passes over a spot with two ranges, from its root to the river and back, by threads.

A pass is for one player, who learns, or whose best response or average is looked at
(`tiltless.kernels.postflop.street`). A few passes in a row are one call (`Pass`), so that between
them no thread has to be woken. Thread 0 works on the first street; then all share out the boards of
the second, thread t of n takes every n-th from the t-th on, each with vectors of its own; then
thread 0 adds up what they found. So results do not depend on who is faster.
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.barrier import post, wait
from tiltless.kernels.base.jit import kernel, part
from tiltless.kernels.postflop.decision import PassRules
from tiltless.kernels.postflop.street import (
    Between,
    Forest,
    RangeTables,
    StreetWorkspace,
    down,
    last_street,
    middle_street,
    reach_below,
    up,
    values_from_below,
)
from tiltless.kernels.postflop.terminals import StreetBoards, Terminals, terminal_values

__all__ = ["SharedBuffers", "one_street", "three_streets", "two_streets"]

U = np.uint64
F = np.float32
_ROOT = U(0)  # the only board of the first street


class SharedBuffers(NamedTuple):
    """What threads share.

    start: the players' ranges, two float32 vectors.  above: where thread 0 works on the first
    street.  between: that street and the next.  widths: uint64 ``[2]``, of the players' vectors on
    the first street.  signals: see `tiltless.kernels.base.barrier`; none is posted before the
    passes.
    found: float32 ``[some, …]``, for the last passes of a call, pass p at ``p % some``: what each
    hand of the traverser wins at the root, times the opponent's reach.
    """

    start: Any
    above: StreetWorkspace
    between: Between
    widths: Any
    signals: Any
    found: Any


@part
def _open(
    forest: Forest,
    ends: Terminals,
    boards: StreetBoards,
    tables: RangeTables,
    start: Any,
    traverser: Any,
    mode: Any,
    rules: PassRules,
    space: StreetWorkspace,
) -> None:
    """The first street, down to its ends."""
    come = start[1 - traverser]
    space.reach[: len(come)] = come
    down(forest, boards, tables, _ROOT, traverser, mode, rules, space)
    slots, reach, cfv = forest.slot, space.reach, space.cfv
    terminal_values(slots, ends, boards, _ROOT, traverser, reach, cfv, space.lanes)


@part
def _close(
    number: Any,
    forest: Forest,
    boards: StreetBoards,
    tables: RangeTables,
    traverser: Any,
    mode: Any,
    rules: PassRules,
    crew: SharedBuffers,
) -> None:
    """The first street, up to its root."""
    up(forest, boards, tables, _ROOT, traverser, mode, rules, crew.above)
    width = crew.widths[traverser]
    crew.found[number % len(crew.found), :width] = crew.above.cfv[:width]


@part
def _hand_out(
    thread: Any,
    number: Any,
    forest: Forest,
    ends: Terminals,
    boards: StreetBoards,
    tables: RangeTables,
    traverser: Any,
    mode: Any,
    rules: PassRules,
    crew: SharedBuffers,
) -> None:
    """Thread 0 works on the first street down to its ends; the others wait for it."""
    if thread == 0:
        _open(forest, ends, boards, tables, crew.start, traverser, mode, rules, crew.above)
        reach_below(forest, boards, _ROOT, traverser, crew.above, crew.between.reach)
        post(crew.signals, 0, number + 1)
    else:
        wait(crew.signals, 0, number + 1)
    crew.between.cfv[thread][:] = F(0)


@part
def _gather(
    thread: Any,
    number: Any,
    forest: Forest,
    boards: StreetBoards,
    tables: RangeTables,
    traverser: Any,
    mode: Any,
    rules: PassRules,
    crew: SharedBuffers,
) -> None:
    """Thread 0 waits for the others, adds up, and works on the first street up to its root."""
    cfv = crew.between.cfv
    if thread > 0:
        post(crew.signals, thread, number + 1)
        return
    for other in range(1, len(cfv)):
        wait(crew.signals, other, number + 1)
        cfv[0] += cfv[other]
    values_from_below(forest, boards, _ROOT, traverser, cfv[0], crew.above)
    _close(number, forest, boards, tables, traverser, mode, rules, crew)


@kernel
def one_street(
    forest: Forest,
    ends: Terminals,
    boards: StreetBoards,
    tables: RangeTables,
    passes: Any,
    crew: SharedBuffers,
) -> None:
    """Passes over a spot that begins on the last street.

    passes: float64 ``[passes, 8]``: who learns, the mode, and the fields of `PassRules`.
    """
    for number in range(len(passes)):
        p = passes[number]
        traverser, mode = np.int64(p[0]), np.int64(p[1])
        rules = PassRules(p[2], p[3], p[4], p[5], p[6], p[7])
        _open(forest, ends, boards, tables, crew.start, traverser, mode, rules, crew.above)
        _close(number, forest, boards, tables, traverser, mode, rules, crew)


@kernel
def two_streets(
    thread: Any,
    forests: Any,
    ends: Any,
    boards: Any,
    tables: RangeTables,
    passes: Any,
    crew: SharedBuffers,
    space: StreetWorkspace,
) -> None:
    """Passes over a spot that begins on the turn: what one thread does of them.

    forests, ends, boards: of both streets.  passes: see `one_street`.  space: the thread's own.
    """
    some = np.empty(3, np.int64)
    some[0], some[1], some[2] = thread, len(boards[1].count), len(crew.between.cfv)
    for number in range(len(passes)):
        p = passes[number]
        traverser, mode = np.int64(p[0]), np.int64(p[1])
        rules = PassRules(p[2], p[3], p[4], p[5], p[6], p[7])
        top, here = forests[0], boards[0]
        _hand_out(thread, number, top, ends[0], here, tables, traverser, mode, rules, crew)
        last_street(
            forests[1],
            ends[1],
            boards[1],
            crew.widths,
            tables,
            some,
            traverser,
            mode,
            rules,
            crew.between.reach,
            crew.between.cfv[thread],
            space,
        )
        _gather(thread, number, top, here, tables, traverser, mode, rules, crew)


@kernel
def three_streets(
    thread: Any,
    forests: Any,
    ends: Any,
    boards: Any,
    tables: RangeTables,
    passes: Any,
    crew: SharedBuffers,
    spaces: Any,
    between: Between,
) -> None:
    """The same for a flop.

    spaces: of the thread, for the two later streets.  between: its own, of these two.
    """
    some = np.empty(3, np.int64)
    some[0], some[1], some[2] = thread, len(boards[1].count), len(crew.between.cfv)
    for number in range(len(passes)):
        p = passes[number]
        traverser, mode = np.int64(p[0]), np.int64(p[1])
        rules = PassRules(p[2], p[3], p[4], p[5], p[6], p[7])
        top, here = forests[0], boards[0]
        _hand_out(thread, number, top, ends[0], here, tables, traverser, mode, rules, crew)
        middle_street(
            forests[1:],
            ends[1:],
            boards[1:],
            crew.widths,
            tables,
            some,
            traverser,
            mode,
            rules,
            crew.between.reach,
            crew.between.cfv[thread],
            spaces,
            between,
        )
        _gather(thread, number, top, here, tables, traverser, mode, rules, crew)
