"""Whole passes over a spot with two ranges, from its root to the river and back, by threads.

A pass is for one player, who learns, or whose best response or average is looked at
(`tiltless.kernels.postflop.street`). A few passes in a row are one call, so that between them no
thread has to be woken. Thread 0 works on the first street; then all threads take the boards of the
second, one
after the other, each whenever it has time: on a busy machine a thread that does not run takes none,
and nobody waits for it. What boards are worth is added up in their order, whoever worked on them
and however many threads there are, so results are the same to the bit: a thread that is ahead keeps
what it found until all boards before have been added.
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.barrier import failed, post, reached, take, wait
from tiltless.kernels.base.jit import kernel, part
from tiltless.kernels.postflop.decision import PassRules
from tiltless.kernels.postflop.street import (
    Between,
    Forest,
    RangeTables,
    StreetWorkspace,
    add_roots,
    down,
    keep_roots,
    last_board,
    leave,
    middle_board,
    reach_below,
    up,
    values_from_below,
)
from tiltless.kernels.postflop.terminals import StreetBoards, Terminals, terminal_values

__all__ = ["COUNTERS", "SharedBuffers", "one_street", "three_streets", "two_streets"]

U = np.uint64
F = np.float32
_ROOT = U(0)  # the only board of the first street

COUNTERS = 3
"""Counters of `SharedBuffers.signals`."""
_OPENED, _TAKEN, _ADDED = range(COUNTERS)  # passes; boards of all passes, one after the other


class SharedBuffers(NamedTuple):
    """What threads share.

    start: the players' ranges, two float32 vectors.  above: where thread 0 works on the first
    street.  between: that street and the next.  widths: uint64 ``[2]``, of the players' vectors on
    the first street.  signals: see `tiltless.kernels.base.barrier`; all at 0 before the passes.
    ahead: float32 ``[threads, most, …]``, what a thread keeps of boards until it may be added.
    tickets: int64 ``[threads, 2 + most]``, for each thread how many it has kept since all was
    added, how many of these are added, and which boards they are, counted over all passes.
    found: float32 ``[some, …]``, for the last passes of a call, pass p at ``p % some``: what each
    hand of the traverser wins at the root, times the opponent's reach.
    """

    start: Any
    above: StreetWorkspace
    between: Between
    widths: Any
    signals: Any
    ahead: Any
    tickets: Any
    found: Any


@part
def _rules_of(passes: Any, number: Any) -> Any:
    """Who learns in a pass, its mode and its rules."""
    p = passes[number]
    return np.int64(p[0]), np.int64(p[1]), PassRules(p[2], p[3], p[4], p[5], p[6], p[7])


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
def _next_pass(
    number: Any,
    forest: Forest,
    ends: Terminals,
    boards: Any,
    tables: RangeTables,
    passes: Any,
    crew: SharedBuffers,
) -> None:
    """Thread 0 ends the pass before, when its boards are added, and opens the next if there is one.

    boards: of the first two streets.
    """
    here = boards[0]
    if number > 0:
        wait(crew.signals, _ADDED, number * len(boards[1].count))
        if failed(crew.signals):
            return
        traverser, mode, rules = _rules_of(passes, number - 1)
        values_from_below(forest, here, _ROOT, traverser, crew.between.cfv, crew.above)
        _close(number - 1, forest, here, tables, traverser, mode, rules, crew)
    if number < len(passes):
        traverser, mode, rules = _rules_of(passes, number)
        _open(forest, ends, here, tables, crew.start, traverser, mode, rules, crew.above)
        reach_below(forest, here, _ROOT, traverser, crew.above, crew.between.reach)
        crew.between.cfv[:] = F(0)
    post(crew.signals, _OPENED, number + 1)


@part
def _take_board(
    thread: Any,
    forests: Any,
    ends: Any,
    boards: Any,
    tables: RangeTables,
    passes: Any,
    crew: SharedBuffers,
) -> Any:
    """The next board for a thread to work on, counted over all passes; -1 if there are no more."""
    count = len(boards[1].count)
    while not failed(crew.signals):
        ticket = reached(crew.signals, _TAKEN)
        number = ticket // count
        over = number == len(passes)  # who comes late finds nothing to do
        if over or reached(crew.signals, _OPENED) <= number:
            _add_kept(thread, forests[1], boards[1], passes, crew, True)
            if thread == 0:
                _next_pass(number, forests[0], ends[0], boards[:2], tables, passes, crew)
            if over:
                break
            wait(crew.signals, _OPENED, number + 1)
        elif take(crew.signals, _TAKEN, ticket):
            return ticket
    return -1


@part
def _add_kept(
    thread: Any,
    forest: Forest,
    boards: StreetBoards,
    passes: Any,
    crew: SharedBuffers,
    wait_for_all: Any,
) -> None:
    """Add what a thread has kept, as far as its turn has come, or all of it."""
    count, mine = len(boards.count), crew.tickets[thread]
    while mine[1] < mine[0]:
        ticket = mine[2 + mine[1]]
        if wait_for_all:
            wait(crew.signals, _ADDED, ticket)
        if reached(crew.signals, _ADDED) != ticket:
            return
        board, traverser = U(ticket % count), np.int64(passes[ticket // count, 0])
        kept, width = crew.ahead[thread, mine[1]], crew.widths[traverser]
        add_roots(forest, boards, width, board, traverser, kept, crew.between.cfv)
        post(crew.signals, _ADDED, ticket + 1)
        mine[1] += 1
    mine[0] = mine[1] = 0


@part
def _hand_in(
    thread: Any,
    ticket: Any,
    forest: Forest,
    boards: StreetBoards,
    passes: Any,
    crew: SharedBuffers,
    space: StreetWorkspace,
) -> None:
    """Add what a thread has found on a board, or keep it until its turn has come."""
    count, mine = len(boards.count), crew.tickets[thread]
    board, traverser = U(ticket % count), np.int64(passes[ticket // count, 0])
    _add_kept(thread, forest, boards, passes, crew, mine[0] == crew.ahead.shape[1])
    if failed(crew.signals):
        return
    if reached(crew.signals, _ADDED) == ticket:
        width = crew.widths[traverser]
        leave(forest, boards, width, board, traverser, space, crew.between.cfv)
        post(crew.signals, _ADDED, ticket + 1)
        return
    keep_roots(forest, boards, board, traverser, space, crew.ahead[thread, mine[0]])
    mine[2 + mine[0]] = ticket
    mine[0] += 1


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
        traverser, mode, rules = _rules_of(passes, number)
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
    forest, here, reach = forests[1], boards[1], crew.between.reach
    while True:
        ticket = _take_board(thread, forests, ends, boards, tables, passes, crew)
        if ticket < 0:
            return
        traverser, mode, rules = _rules_of(passes, ticket // len(here.count))
        board, width = U(ticket % len(here.count)), crew.widths[1 - traverser]
        last_board(
            forest, ends[1], here, width, tables, board, traverser, mode, rules, reach, space
        )
        _hand_in(thread, ticket, forest, here, passes, crew, space)


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
    here, reach = boards[1], crew.between.reach
    while True:
        ticket = _take_board(thread, forests, ends, boards, tables, passes, crew)
        if ticket < 0:
            return
        traverser, mode, rules = _rules_of(passes, ticket // len(here.count))
        board, width = U(ticket % len(here.count)), crew.widths[1 - traverser]
        middle_board(
            forests[1:],
            ends[1:],
            boards[1:],
            width,
            tables,
            board,
            traverser,
            mode,
            rules,
            reach,
            spaces,
            between,
        )
        _hand_in(thread, ticket, forests[1], here, passes, crew, spaces[0])
