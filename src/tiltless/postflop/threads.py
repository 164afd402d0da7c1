"""Threads of the post-flop solver: their buffers, and how passes are divided among them.

See `tiltless.kernels.postflop.passes` for what a pass is. Buffers are allocated once and reused by
all passes; values at the root are returned as copies.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.kernels.base.barrier import abort, make_barrier
from tiltless.kernels.base.simd import aligned_zeros
from tiltless.kernels.postflop.decision import PassRules, lift
from tiltless.kernels.postflop.passes import (
    COUNTERS,
    SharedBuffers,
    one_street,
    three_streets,
    two_streets,
)
from tiltless.kernels.postflop.street import (
    ACTIONS,
    RangeTables,
    StreetLink,
    StreetWorkspace,
    down,
    last_street,
    middle_board,
    reach_below,
)
from tiltless.kernels.postflop.terminals import TerminalBuffers
from tiltless.postflop.betting_forest import StreetForest
from tiltless.postflop.boards import BoardSet
from tiltless.postflop.memory import kept_ahead
from tiltless.postflop.spot import IP, OOP

__all__ = ["NO_RULES", "VALUES_KEPT", "Pass", "PassRunner", "start_vector"]

Vector = npt.NDArray[np.float32]
Pass = tuple[float, ...]
"""The traverser, the mode, and the fields of `PassRules`."""

NO_RULES = PassRules(1.0, 1.0, 0.0, 0.0, 1.0, 1.0)
"""For passes that do not learn."""
VALUES_KEPT = 4
"""The number of last passes of a call whose values are kept: both players, two modes."""
_ROOT = np.uint64(0)  # the only board of the first street
_LANES = 16


def start_vector(
    boards: Sequence[BoardSet], weights: npt.NDArray[np.floating[Any]], player: int
) -> Vector:
    """Weights of all combos as a vector over a player's hands on the first board."""
    vector = aligned_zeros(int(boards[0].arrays.width[0, player]))
    combos = boards[0].combos[0][player]
    vector[: len(combos)] = weights[combos]
    return vector


class PassRunner:
    """A number of threads that run passes; the first is the caller's own thread.

    forests, boards: one for each street; boards may be replaced in the list.
    tables: regrets and averages.  weights: of all combos, by player, float ``[2][1326]``.
    start: each player's reach at the root with each hand, which may be modified in place.
    """

    def __init__(
        self,
        forests: Sequence[StreetForest],
        boards: Sequence[BoardSet],
        tables: RangeTables,
        weights: Sequence[npt.NDArray[np.floating[Any]]],
        threads: int,
    ) -> None:
        self.forests, self.boards, self.tables, self.threads = forests, boards, tables, threads
        self.start = tuple(start_vector(boards, weights[player], player) for player in (IP, OOP))
        widths = boards[0].arrays.width[0].astype(np.uint64)
        found = aligned_zeros(VALUES_KEPT * int(widths.max())).reshape(VALUES_KEPT, -1)
        most, size = kept_ahead(forests, boards, threads)
        self.shared = SharedBuffers(
            self.start,
            self._space(0),
            self._between(0),
            widths,
            make_barrier(COUNTERS),
            aligned_zeros(threads * most * size).reshape(threads, most, size),
            np.zeros((threads, 2 + most), np.int64),
            found,
        )
        later = range(1, len(forests))
        self._spaces = [tuple(map(self._space, later)) for _ in range(threads)]
        self._betweens = [self._between(1) for _ in range(threads) if len(later) > 1]
        self._pool = ThreadPoolExecutor(threads)  # starts threads only when there is work

    def on_host(self) -> "PassRunner":
        """This runner: its passes run on this processor."""
        return self

    def relock(self) -> None:
        """Nothing: which decisions are locked is read in every pass."""

    def wait(self) -> None:
        """Nothing: passes are done when they return."""

    def read_rows(self, table: str, begin: int, size: int) -> Vector:
        """Numbers of a table, by the name of its field in `RangeTables`; here a view."""
        return np.asarray(getattr(self.tables, table)[begin : begin + size])

    def write_rows(self, table: str, begin: int, numbers: Vector) -> None:
        """Overwrite numbers of a table."""
        getattr(self.tables, table)[begin : begin + len(numbers)] = numbers

    def lifter(self, rows: npt.NDArray[np.uint64], width: int, share: float) -> Callable[[], None]:
        """A function that raises regrets; see `tiltless.kernels.postflop.decision.lift`."""
        return partial(lift, self.tables.regret, rows, width, share)

    def _space(self, street: int) -> StreetWorkspace:
        forest = self.forests[street]
        widest = int(self.boards[street].arrays.width.max())
        most = int(forest.forest.node[:, ACTIONS].max(initial=0))
        return StreetWorkspace(
            aligned_zeros((max(forest.slots) + 1) * widest),
            aligned_zeros((forest.nodes + 1) * widest),
            TerminalBuffers(
                *(aligned_zeros(_LANES * (widest + 1)) for _ in range(3)),
                *(aligned_zeros(_LANES * 52) for _ in range(2)),
                *(aligned_zeros(2 * _LANES).view(np.int64) for _ in range(3)),
            ),
            aligned_zeros(most * widest + 1),
            aligned_zeros(most * widest + 1),
        )

    def _between(self, street: int) -> StreetLink:
        """Buffers for the vectors passed from a street to the next."""
        ends = -(-len(self.forests[street].forest.next) // _LANES) * _LANES
        size = ends * int(self.boards[street].arrays.width.max())
        return StreetLink(aligned_zeros(size), aligned_zeros(size))

    def look_below(self, street_index: int, board: int, player: int, mode: int) -> StreetWorkspace:
        """A pass over a single board of a later street, and over the boards that lead to it.

        Returns the workspace that contains the values of its nodes until the next pass.
        """
        forest, arrays, above = self.forests[0].forest, self.boards[0].arrays, self.shared.above
        start = self.start[1 - player]
        above.reach[: len(start)] = start
        down(forest, arrays, self.tables, _ROOT, player, mode, NO_RULES, above)
        reach, unused = self.shared.link
        reach_below(forest, arrays, _ROOT, player, above, reach)
        board_index = self.boards[2].parent[board] if street_index == 2 else board
        forests, ends, boards = self._streets()
        widths, spaces = self.shared.widths, self._spaces[0]
        if len(spaces) == 1:
            some = np.array([board_index, board_index + 1])
            about = self.tables, some, player, mode, NO_RULES, reach, unused
            last_street(forests[1], ends[1], boards[1], widths, *about, spaces[0])
        else:
            second = boards[1]
            if street_index == 2:
                only = np.full(len(second.below), board, np.uint64)
                only[board_index + 1 :] = board + 1
                second = second._replace(below=only)
            both, width = (second, boards[2]), widths[1 - player]
            one = self.tables, np.uint64(board_index), player, mode, NO_RULES, reach
            middle_board(forests[1:], ends[1:], both, width, *one, spaces, self._betweens[0])
        return spaces[street_index - 1]

    def _streets(self) -> tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]:
        """Forests, terminals and boards of all streets."""
        forests = tuple(forest.forest for forest in self.forests)
        ends = tuple(forest.ends for forest in self.forests)
        return forests, ends, tuple(boards.arrays for boards in self.boards)

    def passes(self, *passes: Pass) -> list[Vector]:
        """Run passes; returns root values of the traverser's hands for each of the last ones."""
        self.run(passes)
        values = []
        for i in range(max(len(passes) - VALUES_KEPT, 0), len(passes)):
            width = int(self.shared.widths[int(passes[i][0])])
            values.append(np.array(self.shared.root_values[i % VALUES_KEPT, :width]))
        return values

    def run(self, passes: Sequence[Pass]) -> None:
        """Run passes, each a player, a mode and `PassRules`, divided among the threads."""
        if not passes:
            return
        (forests, ends, boards), numbers = self._streets(), np.array(passes, np.float64)
        shared = self.shared
        about = self.tables, numbers, shared
        if len(forests) == 1:
            one_street(forests[0], ends[0], boards[0], *about)
            return

        def work(thread: int) -> None:
            spaces = self._spaces[thread]
            try:
                if len(spaces) == 1:
                    two_streets(thread, forests, ends, boards, *about, spaces[0])
                else:
                    own = spaces, self._betweens[thread]
                    three_streets(thread, forests, ends, boards, *about, *own)
            except BaseException:
                abort(shared.barrier)
                raise

        shared.barrier[:], shared.pending_boards[:] = 0, 0
        others = []
        try:
            for thread in range(1, self.threads):
                others.append(self._pool.submit(work, thread))
            work(0)  # the caller's thread, which need not be woken
        except BaseException:
            abort(shared.barrier)
            raise
        finally:
            for other in others:
                other.result()
