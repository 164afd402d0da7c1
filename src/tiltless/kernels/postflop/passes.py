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
    Workspace,
    down,
    last_street,
    middle_street,
    reach_below,
    up,
    worth_from_below,
)
from tiltless.kernels.postflop.terminals import Ends, StreetBoards, worth_at_ends

__all__ = ["Crew", "one_street", "three_streets", "two_streets"]

U = np.uint64
F = np.float32
_ROOT = U(0)  # the only board of the first street


class Crew(NamedTuple):
    """What threads share.

    start: the players' ranges, two float32 vectors.  above: where thread 0 works on the first
    street.  between: that street and the next.  widths: uint64 ``[2]``, of the players' vectors on
    the first street.  signals: see `tiltless.kernels.base.barrier`; none is posted before the
    passes.
    found: float32 ``[some, …]``, for the last passes of a call, pass p at ``p % some``: what each
    hand of the learner wins at the root, times the opponent's reach.
    """

    start: Any
    above: Workspace
    between: Between
    widths: Any
    signals: Any
    found: Any


@part
def _open(
    forest: Forest,
    ends: Ends,
    boards: StreetBoards,
    tables: RangeTables,
    start: Any,
    learner: Any,
    mode: Any,
    rules: PassRules,
    space: Workspace,
) -> None:
    """The first street, down to its ends."""
    come = start[1 - learner]
    space.reach[: len(come)] = come
    down(forest, boards, tables, _ROOT, learner, mode, rules, space)
    slots, reach, worth = forest.slot, space.reach, space.worth
    worth_at_ends(slots, ends, boards, _ROOT, learner, reach, worth, space.lanes)


@part
def _close(
    number: Any,
    forest: Forest,
    boards: StreetBoards,
    tables: RangeTables,
    learner: Any,
    mode: Any,
    rules: PassRules,
    crew: Crew,
) -> None:
    """The first street, up to its root."""
    up(forest, boards, tables, _ROOT, learner, mode, rules, crew.above)
    width = crew.widths[learner]
    crew.found[number % len(crew.found), :width] = crew.above.worth[:width]


@part
def _hand_out(
    thread: Any,
    number: Any,
    forest: Forest,
    ends: Ends,
    boards: StreetBoards,
    tables: RangeTables,
    learner: Any,
    mode: Any,
    rules: PassRules,
    crew: Crew,
) -> None:
    """Thread 0 works on the first street down to its ends; the others wait for it."""
    if thread == 0:
        _open(forest, ends, boards, tables, crew.start, learner, mode, rules, crew.above)
        reach_below(forest, boards, _ROOT, learner, crew.above, crew.between.reach)
        post(crew.signals, 0, number + 1)
    else:
        wait(crew.signals, 0, number + 1)
    crew.between.worth[thread][:] = F(0)


@part
def _gather(
    thread: Any,
    number: Any,
    forest: Forest,
    boards: StreetBoards,
    tables: RangeTables,
    learner: Any,
    mode: Any,
    rules: PassRules,
    crew: Crew,
) -> None:
    """Thread 0 waits for the others, adds up, and works on the first street up to its root."""
    worth = crew.between.worth
    if thread > 0:
        post(crew.signals, thread, number + 1)
        return
    for other in range(1, len(worth)):
        wait(crew.signals, other, number + 1)
        worth[0] += worth[other]
    worth_from_below(forest, boards, _ROOT, learner, worth[0], crew.above)
    _close(number, forest, boards, tables, learner, mode, rules, crew)


@kernel
def one_street(
    forest: Forest, ends: Ends, boards: StreetBoards, tables: RangeTables, passes: Any, crew: Crew
) -> None:
    """Passes over a spot that begins on the last street.

    passes: float64 ``[passes, 8]``: who learns, the mode, and the fields of `PassRules`.
    """
    for number in range(len(passes)):
        p = passes[number]
        learner, mode = np.int64(p[0]), np.int64(p[1])
        rules = PassRules(p[2], p[3], p[4], p[5], p[6], p[7])
        _open(forest, ends, boards, tables, crew.start, learner, mode, rules, crew.above)
        _close(number, forest, boards, tables, learner, mode, rules, crew)


@kernel
def two_streets(
    thread: Any,
    forests: Any,
    ends: Any,
    boards: Any,
    tables: RangeTables,
    passes: Any,
    crew: Crew,
    space: Workspace,
) -> None:
    """Passes over a spot that begins on the turn: what one thread does of them.

    forests, ends, boards: of both streets.  passes: see `one_street`.  space: the thread's own.
    """
    some = np.empty(3, np.int64)
    some[0], some[1], some[2] = thread, len(boards[1].count), len(crew.between.worth)
    for number in range(len(passes)):
        p = passes[number]
        learner, mode = np.int64(p[0]), np.int64(p[1])
        rules = PassRules(p[2], p[3], p[4], p[5], p[6], p[7])
        top, here = forests[0], boards[0]
        _hand_out(thread, number, top, ends[0], here, tables, learner, mode, rules, crew)
        last_street(
            forests[1],
            ends[1],
            boards[1],
            crew.widths,
            tables,
            some,
            learner,
            mode,
            rules,
            crew.between.reach,
            crew.between.worth[thread],
            space,
        )
        _gather(thread, number, top, here, tables, learner, mode, rules, crew)


@kernel
def three_streets(
    thread: Any,
    forests: Any,
    ends: Any,
    boards: Any,
    tables: RangeTables,
    passes: Any,
    crew: Crew,
    spaces: Any,
    between: Between,
) -> None:
    """The same for a flop.

    spaces: of the thread, for the two later streets.  between: its own, of these two.
    """
    some = np.empty(3, np.int64)
    some[0], some[1], some[2] = thread, len(boards[1].count), len(crew.between.worth)
    for number in range(len(passes)):
        p = passes[number]
        learner, mode = np.int64(p[0]), np.int64(p[1])
        rules = PassRules(p[2], p[3], p[4], p[5], p[6], p[7])
        top, here = forests[0], boards[0]
        _hand_out(thread, number, top, ends[0], here, tables, learner, mode, rules, crew)
        middle_street(
            forests[1:],
            ends[1:],
            boards[1:],
            crew.widths,
            tables,
            some,
            learner,
            mode,
            rules,
            crew.between.reach,
            crew.between.worth[thread],
            spaces,
            between,
        )
        _gather(thread, number, top, here, tables, learner, mode, rules, crew)
