"""Multi-threaded CFR passes over a post-flop spot, from its root to the river and back.

A pass is for one traverser: an iteration, a best response or the value of the average
(`tiltless.kernels.postflop.street`). One call makes several passes, so that no thread has to be
woken between them. Thread 0 works on the first street; then all threads take the boards of the
second street, one after the other, whenever they are free: on a busy machine a thread that does not
run takes none, and nobody waits for it. The values of the boards are added in the order of the
boards, whichever thread worked on them, so that results are bit-identical for any number of
threads: a thread that is ahead keeps its values until all boards before have been added.

Twin: tests/naive/postflop/street.py; tested by tests/postflop/test_solver.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.barrier import failed, post, reached, take, wait
from tiltless.kernels.base.jit import kernel, part, pasted
from tiltless.kernels.postflop.decision import PassRules
from tiltless.kernels.postflop.street import (
    Forest,
    RangeTables,
    StreetLink,
    StreetWorkspace,
    add_kept_values,
    add_root_values,
    cfv_from_below,
    down,
    keep_root_values,
    last_board,
    middle_board,
    reach_below,
    up,
)
from tiltless.kernels.postflop.terminals import StreetBoards, Terminals, terminal_values

__all__ = ["COUNTERS", "SharedBuffers", "one_street", "three_streets", "two_streets"]

U = np.uint64
F = np.float32
_ROOT = U(0)  # the only board of the first street

COUNTERS = 3
"""Number of counters of `SharedBuffers.barrier`."""
_STARTED, _TAKEN, _ADDED = range(COUNTERS)  # counts of passes; of boards, over all passes


class SharedBuffers(NamedTuple):
    """What the threads share.

    start: the players' ranges, two float32 vectors.  above: the workspace of thread 0 for the first
    street.  link: between that street and the next.  widths: uint64 ``[2]``, of the players'
    vectors on the first street.  barrier: see `tiltless.kernels.base.barrier`; 0 before the passes.
    pending_values: float32 ``[threads, most, …]``, root values of boards that are not yet added.
    pending_boards: int64 ``[threads, 2 + most]``: for each thread the length of its queue, how many
    of it are added, and the boards in it, counted over all passes.
    root_values: float32 ``[results, …]``, of the last passes of a call, pass p at ``p % results``:
    the counterfactual value of each hand of the traverser at the root.
    """

    start: Any
    above: StreetWorkspace
    link: StreetLink
    widths: Any
    barrier: Any
    pending_values: Any
    pending_boards: Any
    root_values: Any


@pasted
def _pass_at(passes: Any, number: Any) -> Any:
    """The traverser of a pass, its mode and its rules."""
    p = passes[number]
    return np.int64(p[0]), np.int64(p[1]), PassRules(p[2], p[3], p[4], p[5], p[6], p[7])


@pasted
def _start_pass(
    forest: Forest,
    terminals: Terminals,
    boards: StreetBoards,
    tables: RangeTables,
    start: Any,
    traverser: Any,
    mode: Any,
    rules: PassRules,
    space: StreetWorkspace,
) -> None:
    """The first street, down to its terminals."""
    opponent = start[1 - traverser]
    for h in range(U(len(opponent))):
        space.reach[h] = opponent[h]
    down(forest, boards, tables, _ROOT, traverser, mode, rules, space)
    slots, reach, cfv = forest.slot, space.reach, space.cfv
    terminal_values(slots, terminals, boards, _ROOT, traverser, reach, cfv, space.lanes)


@pasted
def _finish_pass(
    number: Any,
    forest: Forest,
    boards: StreetBoards,
    tables: RangeTables,
    traverser: Any,
    mode: Any,
    rules: PassRules,
    shared: SharedBuffers,
) -> None:
    """The first street, up to its root."""
    up(forest, boards, tables, _ROOT, traverser, mode, rules, shared.above)
    values = shared.root_values[number % len(shared.root_values)]
    for h in range(shared.widths[traverser]):
        values[h] = shared.above.cfv[h]


@pasted
def _next_pass(
    number: Any,
    forest: Forest,
    terminals: Terminals,
    boards: Any,
    tables: RangeTables,
    passes: Any,
    shared: SharedBuffers,
) -> None:
    """Thread 0 finishes the last pass, once its boards are added, and starts the next, if any.

    boards: of the first two streets.
    """
    here = boards[0]
    if number > 0:
        wait(shared.barrier, _ADDED, number * len(boards[1].count))
        if failed(shared.barrier):
            return
        traverser, mode, rules = _pass_at(passes, number - 1)
        cfv_from_below(forest, here, _ROOT, traverser, shared.link.cfv, shared.above)
        _finish_pass(number - 1, forest, here, tables, traverser, mode, rules, shared)
    if number < len(passes):
        traverser, mode, rules = _pass_at(passes, number)
        _start_pass(
            forest, terminals, here, tables, shared.start, traverser, mode, rules, shared.above
        )
        reach_below(forest, here, _ROOT, traverser, shared.above, shared.link.reach)
        shared.link.cfv[:] = F(0)
    post(shared.barrier, _STARTED, number + 1)


@pasted
def _take_board(
    thread: Any,
    forests: Any,
    terminals: Any,
    boards: Any,
    tables: RangeTables,
    passes: Any,
    shared: SharedBuffers,
) -> Any:
    """The next board for a thread, counted over all passes; -1 if there are no more."""
    count = len(boards[1].count)
    while not failed(shared.barrier):
        ticket = reached(shared.barrier, _TAKEN)
        number = ticket // count
        finished = number == len(passes)  # true for a thread that comes late
        if finished or reached(shared.barrier, _STARTED) <= number:
            _add_pending(thread, forests[1], boards[1], passes, shared, True)
            if thread == 0:
                _next_pass(number, forests[0], terminals[0], boards[:2], tables, passes, shared)
            if finished:
                break
            wait(shared.barrier, _STARTED, number + 1)
        elif take(shared.barrier, _TAKEN, ticket):
            return ticket
    return -1


@part
def _add_pending(
    thread: Any,
    forest: Forest,
    boards: StreetBoards,
    passes: Any,
    shared: SharedBuffers,
    wait_for_all: Any,
) -> None:
    """Add the pending values of a thread, as far as it is their turn, or all of them."""
    count, queue = len(boards.count), shared.pending_boards[thread]
    while queue[1] < queue[0]:
        ticket = queue[2 + queue[1]]
        if wait_for_all:
            wait(shared.barrier, _ADDED, ticket)
        if reached(shared.barrier, _ADDED) != ticket:
            return
        board, traverser = U(ticket % count), np.int64(passes[ticket // count, 0])
        values, width = shared.pending_values[thread, queue[1]], shared.widths[traverser]
        add_kept_values(forest, boards, width, board, traverser, values, shared.link.cfv)
        post(shared.barrier, _ADDED, ticket + 1)
        queue[1] += 1
    queue[0] = queue[1] = 0


@part
def _deliver(
    thread: Any,
    ticket: Any,
    forest: Forest,
    boards: StreetBoards,
    passes: Any,
    shared: SharedBuffers,
    space: StreetWorkspace,
) -> None:
    """Add the root values of a board, or queue them until it is their turn."""
    count, queue = len(boards.count), shared.pending_boards[thread]
    board, traverser = U(ticket % count), np.int64(passes[ticket // count, 0])
    _add_pending(thread, forest, boards, passes, shared, queue[0] == shared.pending_values.shape[1])
    if failed(shared.barrier):
        return
    if reached(shared.barrier, _ADDED) == ticket:
        width = shared.widths[traverser]
        add_root_values(forest, boards, width, board, traverser, space, shared.link.cfv)
        post(shared.barrier, _ADDED, ticket + 1)
        return
    keep_root_values(
        forest, boards, board, traverser, space, shared.pending_values[thread, queue[0]]
    )
    queue[2 + queue[0]] = ticket
    queue[0] += 1


@kernel
def one_street(
    forest: Forest,
    terminals: Terminals,
    boards: StreetBoards,
    tables: RangeTables,
    passes: Any,
    shared: SharedBuffers,
) -> None:
    """Passes over a spot that begins on the last street.

    passes: float64 ``[passes, 8]``: the traverser, the mode, and the fields of `PassRules`.
    """
    for number in range(len(passes)):
        traverser, mode, rules = _pass_at(passes, number)
        _start_pass(
            forest, terminals, boards, tables, shared.start, traverser, mode, rules, shared.above
        )
        _finish_pass(number, forest, boards, tables, traverser, mode, rules, shared)


@kernel
def two_streets(
    thread: Any,
    forests: Any,
    terminals: Any,
    boards: Any,
    tables: RangeTables,
    passes: Any,
    shared: SharedBuffers,
    space: StreetWorkspace,
) -> None:
    """Passes over a spot that begins on the turn: the work of one thread.

    forests, terminals, boards: of both streets.  passes: see `one_street`.  space: of this thread.
    """
    forest, here, reach = forests[1], boards[1], shared.link.reach
    while True:
        ticket = _take_board(thread, forests, terminals, boards, tables, passes, shared)
        if ticket < 0:
            return
        traverser, mode, rules = _pass_at(passes, ticket // len(here.count))
        board, width = U(ticket % len(here.count)), shared.widths[1 - traverser]
        last_board(
            forest, terminals[1], here, width, tables, board, traverser, mode, rules, reach, space
        )
        _deliver(thread, ticket, forest, here, passes, shared, space)


@kernel
def three_streets(
    thread: Any,
    forests: Any,
    terminals: Any,
    boards: Any,
    tables: RangeTables,
    passes: Any,
    shared: SharedBuffers,
    spaces: Any,
    link: StreetLink,
) -> None:
    """Passes over a spot that begins on the flop: the work of one thread.

    spaces: of this thread, for the two later streets.  link: of this thread, between these two.
    """
    here, reach = boards[1], shared.link.reach
    while True:
        ticket = _take_board(thread, forests, terminals, boards, tables, passes, shared)
        if ticket < 0:
            return
        traverser, mode, rules = _pass_at(passes, ticket // len(here.count))
        board, width = U(ticket % len(here.count)), shared.widths[1 - traverser]
        middle_board(
            forests[1:],
            terminals[1:],
            boards[1:],
            width,
            tables,
            board,
            traverser,
            mode,
            rules,
            reach,
            spaces,
            link,
        )
        _deliver(thread, ticket, forests[1], here, passes, shared, spaces[0])
