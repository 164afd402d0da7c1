"""Exact solving after the flop: two ranges, one board, all hands as vectors.

::

    solver = RangeSolver(RangeSpot("QsJh2h8d", oop="…", ip="…", pot=64, stack=320, bets="50%, a"))
    solver.solve(until=0.3)
    print(solver.exploitability(), solver.values())

Tables have a row of all hands for every action on every board; see `tiltless.kernels.ranges`.
Players are updated one after the other. Several threads share out the boards of the second street,
each with vectors of its own, so a result depends on their number: sums are rounded otherwise, which
iterations make larger, and strategies and values differ within the exploitability. A river has no
second street and is solved by one thread.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.errors import OptionError
from tiltless.games.actions import Action
from tiltless.games.common import brief, whole_number
from tiltless.kernels.range_ends import Lanes
from tiltless.kernels.range_passes import Crew, one_street, three_streets, two_streets
from tiltless.kernels.range_rows import PassRules
from tiltless.kernels.ranges import (
    ACTIONS,
    ACTOR,
    AVERAGE,
    BEST,
    LEARN,
    Between,
    RangeTables,
    Workspace,
    down,
    last_street,
    middle_street,
    reach_below,
)
from tiltless.kernels.signals import give_up, make_signals
from tiltless.kernels.simd import aligned_zeros
from tiltless.solvers.presets import Preset, find_preset
from tiltless.solvers.pruning import NoPruning
from tiltless.solvers.range_cost import RangeCost, Way, check_memory, cost_of, forests_of
from tiltless.solvers.range_locks import Locked, Rows, locked_rows
from tiltless.solvers.regret import Predictive
from tiltless.solvers.sampling import Full
from tiltless.tree.postflop import StreetForest
from tiltless.tree.range_spot import IP, OOP, RangeSpot
from tiltless.tree.street_boards import BoardSet, board_sets

if TYPE_CHECKING:  # which itself imports this module
    from tiltless.solvers.range_places import Place

__all__ = ["DEFAULT_RULES", "Check", "RangeSolver"]

Vector = npt.NDArray[np.float32]

DEFAULT_RULES = "dcfr-ranges"
"""What solves spots fastest; docs/benchmarks.md has the comparison."""
_NO_RULES = PassRules(1.0, 1.0, 0.0, 0.0, 1.0, 1.0)
_ROOT = np.uint64(0)  # the only board of the first street
_LANES = 16
_FOUND = 4  # passes whose result is kept: both players, two modes
_CALL_SECONDS = 0.1  # between two calls threads must be woken, and there is nobody to ask


class Check(NamedTuple):
    """How far a solver has come: after so many iterations and seconds, in percent of the pot."""

    iterations: int
    seconds: float
    exploitability: float


class RangeSolver:
    """CFR with two ranges on a board.

    rules: the name of a preset of `tiltless.solvers.presets`, or one.  threads: for turns and
    flops; a river takes one.  compressed: 16 bits for each number instead of 32.
    played: actions on the first street that must be in the tree, see `street_forests`.
    memory: the most bytes for tables and what threads work in, by default what is free on this
    machine; more is refused before it is allocated, with the sizes that would fit.
    forests, boards: of each street, from that of the spot on.  cost: what they take.
    iterations: done so far.
    """

    def __init__(
        self,
        spot: RangeSpot,
        *,
        rules: str | Preset = DEFAULT_RULES,
        threads: int = 1,
        compressed: bool = False,
        played: Sequence[Action] = (),
        memory: int | None = None,
    ) -> None:
        self.spot, self.compressed, self.played = spot, compressed, tuple(played)
        self.rules = _checked_rules(rules, compressed)
        self.threads = whole_number("threads", threads, 1, 1024)
        self.boards: list[BoardSet] = board_sets(spot)
        predictive = isinstance(self.rules.regret, Predictive)
        way = Way(predictive, self.threads, compressed, self.played)
        self.forests: list[StreetForest] = forests_of(spot, self.boards, way, memory)
        self.cost: RangeCost = cost_of(self.forests, self.boards, way)
        check_memory(spot, self.boards, self.cost, way, memory)
        self._allocate(*self._place_rows())
        self.iterations = 0
        self._locks: dict[tuple[int, int, int], Rows] = {}
        start = tuple(self._vector(spot.weights[player], player) for player in (IP, OOP))
        widths = self.boards[0].arrays.width[0].astype(np.uint64)
        signals = make_signals(self.threads)
        between = self._between(0, self.threads)
        found = aligned_zeros(_FOUND * int(widths.max())).reshape(_FOUND, -1)
        self._crew = Crew(start, self._space(0), between, widths, signals, found)
        later = range(1, len(self.forests))
        self._spaces = [tuple(map(self._space, later)) for _ in range(self.threads)]
        self._betweens = [self._between(1) for _ in range(self.threads) if len(later) > 1]
        self._pool = ThreadPoolExecutor(self.threads)  # starts no thread before it has work

    def _place_rows(self) -> tuple[int, int]:
        """Say where each board has its rows; how many numbers and units there are."""
        entries, units = 0, 0
        for made, boards in zip(self.forests, self.boards, strict=True):
            arrays = boards.arrays
            sizes = arrays.width.astype(np.uint64) * np.array(made.rows, np.uint64)
            ends = entries + np.cumsum(sizes.ravel())
            arrays.row[:] = (ends - sizes.ravel()).reshape(sizes.shape)
            arrays.unit[:] = units + made.nodes * np.arange(len(boards))
            entries, units = int(ends[-1]), units + made.nodes * len(boards)
        return entries, units

    def _allocate(self, entries: int, units: int) -> None:
        predictive = isinstance(self.rules.regret, Predictive)
        large, small, units = (0, entries, units) if self.compressed else (entries, 0, 0)
        self.table_bytes = self.cost.compressed if self.compressed else self.cost.tables
        self.tables = RangeTables(
            aligned_zeros(large),
            aligned_zeros(large),
            aligned_zeros(large if predictive else 0),
            np.zeros(small, np.int16),
            np.zeros(small, np.uint16),
            np.zeros(units, np.float32),
            np.zeros(units, np.float32),
        )

    def _vector(self, weights: npt.NDArray[np.floating[Any]], player: int) -> Vector:
        """Weights of all combos as a vector of the first board's hands."""
        vector = aligned_zeros(int(self.boards[0].arrays.width[0, player]))
        combos = self.boards[0].combos[0][player]
        vector[: len(combos)] = weights[combos]
        return vector

    def _space(self, street: int) -> Workspace:
        made = self.forests[street]
        widest = int(self.boards[street].arrays.width.max())
        most = int(made.forest.node[:, ACTIONS].max(initial=0))
        return Workspace(
            aligned_zeros((max(made.slots) + 1) * widest),
            aligned_zeros((made.nodes + 1) * widest),
            Lanes(
                *(aligned_zeros(_LANES * (widest + 1)) for _ in range(3)),
                *(aligned_zeros(_LANES * 52) for _ in range(2)),
                *(aligned_zeros(2 * _LANES).view(np.int64) for _ in range(3)),
            ),
            aligned_zeros(most * widest + 1),
            aligned_zeros(most * widest + 1),
        )

    def _between(self, street: int, threads: int = 1) -> Between:
        """Room for what goes from a street to the next."""
        ends = -(-len(self.forests[street].forest.next) // _LANES) * _LANES
        size = ends * int(self.boards[street].arrays.width.max())
        return Between(aligned_zeros(size), aligned_zeros(threads * size).reshape(threads, size))

    def run(self, iterations: int) -> None:
        """So many more iterations."""
        whole_number("iterations", iterations, 0, 1 << 40)
        self._run(self._learning(iterations))
        self.iterations += iterations
        for key, rows in self._locks.items():
            self._hold(key, rows)  # an average forgets hands that hardly come there

    def _learning(self, iterations: int) -> list[tuple[float, ...]]:
        """The passes of the next iterations."""
        first = self.iterations + 1
        schedule = (_pass_rules(self.rules, t) for t in range(first, first + iterations))
        return [(learner, LEARN, *rules) for rules in schedule for learner in (OOP, IP)]

    def start(self, player: int) -> Vector:
        """How likely a player is to come to the root with each hand, float32 ``[width]``.

        In the order of ``boards[0].combos[0][player]``, then zeros. It may be changed in place:
        so search lets an opponent choose which hands to come with. `values` and what is made of
        them go on counting in pairs of hands of the spot.
        """
        return np.asarray(self._crew.start[player])

    def learn(self, learner: int) -> Vector:
        """One player's half of an iteration, OOP before IP; `run` does whole ones.

        Returns what each hand of the player wins at the root, times the opponent's reach, against
        the strategy of the moment.
        """
        (worth,) = self._pass((learner, LEARN, *_pass_rules(self.rules, self.iterations + 1)))
        self.iterations += learner == IP
        return worth

    def root_worth(self, player: int, mode: int = AVERAGE) -> Vector:
        """The same for the average strategies, or for a best response to them; see `worth`."""
        return self._pass((player, mode, *_NO_RULES))[0]

    def solve(
        self,
        until: float = 0.3,
        *,
        seconds: float | None = None,
        iterations: int | None = None,
        every: int = 10,
        on_check: Callable[[Check], Any] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Check:
        """Iterate until the exploitability is at most ``until`` percent of the pot.

        Or until the time is over, or so many iterations are done, or stop says so; these are asked
        about ten times a second, or after each iteration if it takes longer. The exploitability is
        looked at every so many iterations, and on_check told; of a solver that has iterated before,
        at once.
        """
        whole_number("every", every, 1, 1 << 40)
        if iterations is not None:
            whole_number("iterations", iterations, 1, 1 << 40)
        if not until >= 0:
            raise OptionError(f"until={brief(until)} is not possible; give percents of the pot")
        begin = time.perf_counter()

        def over() -> bool:
            late = seconds is not None and time.perf_counter() - begin >= seconds
            return late or (stop is not None and stop())

        at_once = every if len(self.forests) == 1 else 1
        found = self.exploitability() if self.iterations else None
        while True:
            if found is not None:
                check = Check(self.iterations, time.perf_counter() - begin, found)
                if on_check is not None:
                    on_check(check)
                done = iterations is not None and self.iterations >= iterations
                if check.exploitability <= until or done or over():
                    return check
            left = every if iterations is None else min(every, iterations - self.iterations)
            while left > 0:
                before, some = time.perf_counter(), min(at_once, left)
                left -= some
                if not left:
                    found = self._run_and_check(some)
                    break
                self.run(some)
                if over():
                    found = self.exploitability()
                    break
                if len(self.forests) > 1:
                    each = (time.perf_counter() - before) / some
                    at_once = max(int(_CALL_SECONDS / each), 1)

    def _run_and_check(self, iterations: int) -> float:
        """Some more iterations and their exploitability, in one call, for threads to be woken once.

        Locks are held between the two, so with them there are two calls.
        """
        if self._locks:
            self.run(iterations)
            return self.exploitability()
        best = self._values(*self._judged, before=self._learning(iterations))
        self.iterations += iterations
        return self._exploitability(best)

    def exploitability(self) -> float:
        """The mean of what a best response would win more, for both, in percent of the pot."""
        return self._exploitability(self._values(*self._judged))

    @property
    def _judged(self) -> tuple[int, ...]:
        """What tells the exploitability; without rake, one wins what the other loses."""
        return (BEST, AVERAGE) if self.spot.rake else (BEST,)

    def _exploitability(self, values: list[float]) -> float:
        return 100 * (sum(values[:2]) - sum(values[2:])) / 2 / self.spot.pot

    def values(self) -> tuple[float, float]:
        """What the average strategies win, in chips, net of half the pot: IP and OOP."""
        ip, oop = self._values(AVERAGE)
        return ip, oop

    def best_values(self) -> tuple[float, float]:
        """The same for a best response to the other's average strategy."""
        ip, oop = self._values(BEST)
        return ip, oop

    def _values(self, *modes: int, before: Sequence[tuple[float, ...]] = ()) -> list[float]:
        """For each mode what IP and OOP win; before: passes that come first."""
        todo = [(player, mode, *_NO_RULES) for mode in modes for player in (IP, OOP)]
        ranges = (self._crew.start[player] for player, *_ in todo)
        pairs = zip(self._pass(*before, *todo)[-len(todo) :], ranges, strict=True)
        return [float(worth.astype(np.float64) @ come) / self.spot.pairs for worth, come in pairs]

    def average(self, level: int, board: int, node: int) -> Vector:
        """The average strategy of a decision, as weights, float32 ``[hands, actions]``.

        level: of the street, counted from the first.  board, node: of that street.
        """
        count = int(self.boards[level].arrays.count[board, self._actor(level, node)])
        table = self.tables.small_average if self.compressed else self.tables.average
        found = self.rows(table, level, board, node)
        return np.ascontiguousarray(found[:, :count].T, np.float32)

    def rows(self, table: npt.NDArray[Any], level: int, board: int, node: int) -> Any:
        """A decision's part of a table that is laid out like `tables`: a view ``[actions, width]``.

        The hands are ``boards[level].combos[board][actor]``, then some that nobody holds.
        """
        arrays = self.boards[level].arrays
        actor, _, actions, row = self.forests[level].forest.node[node].tolist()
        width = int(arrays.width[board, actor])
        begin = int(arrays.row[board, actor]) + row * width
        return table[begin : begin + actions * width].reshape(actions, width)

    @property
    def memory(self) -> int:
        """Bytes of the tables, and of what is there beside them."""
        return self.table_bytes + self.cost.rest

    @property
    def locks(self) -> Mapping[tuple[int, int, int], Rows]:
        """Locked decisions by level, board and node: float32 ``[hands, actions]`` each."""
        return MappingProxyType(self._locks)

    def lock(self, place: "Place", strategy: Locked) -> None:
        """Fix what is played at a place, until `unlock`; see `tiltless.solvers.range_locks`.

        strategy: a share for each action, of all hands, or an array ``[1326, actions]``. Boards
        that are the same up to suits are locked together.
        """
        self._check_own(place)
        self.lock_rows((place.level, place.number, place.node), locked_rows(place, strategy))

    def lock_rows(self, key: tuple[int, int, int], rows: Rows) -> None:
        """The same as in `locks`, without questions."""
        self._locks[key] = rows
        self._mark(key, True)
        self._hold(key, rows)

    def unlock(self, place: "Place") -> None:
        """Let a locked place learn again, from nothing."""
        self._check_own(place)
        key = place.level, place.number, place.node
        if self._locks.pop(key, None) is None:
            raise OptionError("this place is not locked; lock it first")
        self._mark(key, False)
        self._fill(key, np.float32(0))

    def _check_own(self, place: "Place") -> None:
        if place.solver is not self:
            raise OptionError("this place belongs to another solver; find it with find_place")

    def _mark(self, key: tuple[int, int, int], locked: bool) -> None:
        level, board, node = key
        boards = self.boards[level]
        marks = boards.arrays.locked
        if not len(marks):
            marks = np.zeros((len(boards), self.forests[level].nodes), np.bool_)
            self.boards[level] = replace(boards, arrays=boards.arrays._replace(locked=marks))
        marks[board, node] = locked

    def _hold(self, key: tuple[int, int, int], rows: Rows) -> None:
        """Write a locked strategy into regrets and averages."""
        level, board, node = key
        width = int(self.boards[level].arrays.width[board, self._actor(level, node)])
        wide = np.zeros((rows.shape[1], width), np.float32)
        wide[:, : len(rows)] = rows.T
        self._fill(key, wide)

    def _actor(self, level: int, node: int) -> int:
        return int(self.forests[level].forest.node[node, ACTOR])

    def _fill(self, key: tuple[int, int, int], numbers: Any) -> None:
        """Write numbers from 0 to 1 into all tables of a decision."""
        tables = self.tables
        if not self.compressed:
            for table in (tables.regret, tables.average, tables.forecast):
                if len(table):
                    self.rows(table, *key)[:] = numbers
            return
        level, board, node = key
        unit = int(self.boards[level].arrays.unit[board]) + node
        for small, units in (
            (tables.small_regret, tables.regret_unit),
            (tables.small_average, tables.average_unit),
        ):
            steps = np.iinfo(small.dtype).max
            self.rows(small, *key)[:] = np.rint(numbers * np.float32(steps)).astype(small.dtype)
            units[unit] = 1 / steps

    def worth(self, level: int, board: int, player: int, mode: int = AVERAGE) -> Vector:
        """What hands of a player win at all nodes of a board, float32 ``[nodes, width]``.

        Times the opponent's reach. mode: `AVERAGE`, or `BEST` for a best response to the average.
        """
        width = int(self.boards[level].arrays.width[board, player])
        if level == 0:
            self._pass((player, mode, *_NO_RULES))
            space = self._crew.above
        else:
            space = self._look_below(level, board, player, mode)
        nodes = self.forests[level].nodes
        return np.array(space.worth[: nodes * width].reshape(nodes, width))

    def _look_below(self, level: int, board: int, player: int, mode: int) -> Workspace:
        """A pass over one board of a later street alone, and of a middle one what leads there."""
        forest, arrays, above = self.forests[0].forest, self.boards[0].arrays, self._crew.above
        come = self._crew.start[1 - player]
        above.reach[: len(come)] = come
        down(forest, arrays, self.tables, _ROOT, player, mode, _NO_RULES, above)
        reach, (nothing, *_) = self._crew.between
        reach_below(forest, arrays, _ROOT, player, above, reach)
        number = self.boards[2].parent[board] if level == 2 else board
        some = np.array([number, number + 1, 1])
        passed = self.tables, some, player, mode, _NO_RULES, reach, nothing
        forests, ends, boards = self._streets()
        widths, spaces = self._crew.widths, self._spaces[0]
        if len(spaces) == 1:
            last_street(forests[1], ends[1], boards[1], widths, *passed, spaces[0])
        else:
            second = boards[1]
            if level == 2:
                only = np.full(len(second.below), board, np.uint64)
                only[number + 1 :] = board + 1
                second = second._replace(below=only)
            both = second, boards[2]
            own = spaces, self._betweens[0]
            middle_street(forests[1:], ends[1:], both, widths, *passed, *own)
        return spaces[level - 1]

    def _streets(self) -> tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]:
        """Forests, ends and boards of all streets."""
        forests = tuple(made.forest for made in self.forests)
        ends = tuple(made.ends for made in self.forests)
        return forests, ends, tuple(boards.arrays for boards in self.boards)

    def _pass(self, *passes: tuple[float, ...]) -> list[Vector]:
        """Some passes, and the worth of each hand of the learners of the last at the root."""
        self._run(passes)
        found = []
        for number in range(max(len(passes) - _FOUND, 0), len(passes)):
            width = int(self._crew.widths[int(passes[number][0])])
            found.append(np.array(self._crew.found[number % _FOUND, :width]))
        return found

    def _run(self, passes: Sequence[tuple[float, ...]]) -> None:
        """Some passes, each a player, a mode and `PassRules`; shared out among threads."""
        if not passes:
            return
        (forests, ends, boards), numbers = self._streets(), np.array(passes, np.float64)
        crew = self._crew
        about = self.tables, numbers, crew
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
                give_up(crew.signals, thread)
                raise

        crew.signals[:] = 0
        others = []
        try:
            for thread in range(1, self.threads):
                others.append(self._pool.submit(work, thread))
            work(0)  # in this thread, which need not be woken
        except BaseException:
            give_up(crew.signals, 0)
            raise
        finally:
            for other in others:
                other.result()


def _checked_rules(rules: str | Preset, compressed: bool) -> Preset:
    preset = find_preset(rules) if isinstance(rules, str) else rules
    if not isinstance(preset.sampling, Full):
        raise OptionError(f"{rules} samples, and ranges are solved exactly; choose dcfr or cfr+")
    if not preset.alternating or not isinstance(preset.pruning, NoPruning):
        raise OptionError(
            f"{rules} prunes, or updates both players at once, and ranges are solved by turns and "
            "without pruning; choose dcfr or cfr+"
        )
    if compressed and isinstance(preset.regret, Predictive):
        raise OptionError(f"{rules} is predictive, which compressed tables are not; choose dcfr")
    return preset


@lru_cache(maxsize=4096)
def _pass_rules(preset: Preset, t: int) -> PassRules:
    """The numbers of iteration ``t``, counted from 1."""
    regret = preset.regret
    predictive = isinstance(regret, Predictive)
    rule = regret.rule if isinstance(regret, Predictive) else regret
    weight = preset.averaging.weight(t)
    keep = preset.averaging.weight(t - 1) / weight if weight and t > 1 else 0.0
    factors = rule.discounts(t)
    return PassRules(
        *factors, float(rule.floored), float(predictive), rule.discounts(t + 1)[0], keep
    )
