"""The post-flop solver: two ranges on a board, solved exactly with vectors of hands.

::

    solver = PostflopSolver(Spot("QsJh2h8d", oop="…", ip="…", pot=64, stack=320, bets="50%, a"))
    solver.solve(until=0.3)
    print(solver.exploitability(), solver.values())

Tables have a row of all hands for every action on every board; see
`tiltless.kernels.postflop.street`. Players are updated one after the other. Several threads share
out the boards of the second street,
each with vectors of its own, so a result depends on their number: sums are rounded otherwise, which
iterations make larger, and strategies and values differ within the exploitability. A river has no
second street and is solved by one thread.
"""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.cfr.presets import Preset, find_preset
from tiltless.cfr.pruning import NoPruning
from tiltless.cfr.regret import Predictive
from tiltless.cfr.sampling import Full
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import Action
from tiltless.kernels.base.compiling import compile_seconds
from tiltless.kernels.base.simd import aligned_zeros
from tiltless.kernels.postflop.decision import PassRules
from tiltless.kernels.postflop.street import ACTOR, AVERAGE, BEST, LEARN, RangeTables
from tiltless.postflop.betting_forest import StreetForest
from tiltless.postflop.boards import BoardSet, board_sets
from tiltless.postflop.locks import Locked, Rows, locked_rows
from tiltless.postflop.memory import RangeCost, SolvingOptions, check_memory, cost_of, forests_of
from tiltless.postflop.spot import IP, OOP, Spot
from tiltless.postflop.threads import NO_RULES, PassRunner
from tiltless.validate import brief, whole_number

if TYPE_CHECKING:  # which itself imports this module
    from tiltless.postflop.node import Node

__all__ = ["DEFAULT_RULES", "PostflopSolver", "SolverStatus"]

Vector = npt.NDArray[np.float32]

DEFAULT_RULES = "dcfr-ranges"
"""What solves spots fastest; docs/benchmarks.md has the comparison."""
_FALLS, _PATIENCE = 0.99, 500  # see `PostflopSolver.solve`
_CALL_SECONDS = 0.1  # between two calls threads must be woken, and there is nobody to ask


class SolverStatus(NamedTuple):
    """How far a solver has come: after so many iterations and seconds, in percent of the pot.

    Seconds are those of the work, without compiling.
    """

    iterations: int
    seconds: float
    exploitability: float


def _working_seconds() -> float:
    """A clock that stands still while kernels are compiled."""
    return time.perf_counter() - compile_seconds()


class PostflopSolver:
    """CFR with two ranges on a board.

    rules: the name of a preset of `tiltless.cfr.presets`, or one.  threads: for turns and
    flops; a river takes one.  compressed: 16 bits for each number instead of 32.
    played: actions on the first street that must be in the tree, see `street_forests`.
    memory: the most bytes for tables and what threads work in, by default what is free on this
    machine; more is refused before it is allocated, with the sizes that would fit.
    forests, boards: of each street, from that of the spot on; forests may be given, if they have
    been grown before.  cost: what they take.
    iterations: done so far.
    """

    def __init__(
        self,
        spot: Spot,
        *,
        rules: str | Preset = DEFAULT_RULES,
        threads: int = 1,
        compressed: bool = False,
        played: Sequence[Action] = (),
        memory: int | None = None,
        forests: list[StreetForest] | None = None,
    ) -> None:
        self.spot, self.compressed, self.played = spot, compressed, tuple(played)
        self.rules = _checked_rules(rules, compressed)
        self.threads = whole_number("threads", threads, 1, 1024)
        self.boards: list[BoardSet] = board_sets(spot)
        predictive = isinstance(self.rules.regret, Predictive)
        way = SolvingOptions(predictive, self.threads, compressed, self.played)
        self.forests = forests or forests_of(spot, self.boards, way, memory)
        self.cost: RangeCost = cost_of(self.forests, self.boards, way)
        check_memory(spot, self.boards, self.cost, way, memory)
        self._allocate(*self._place_rows())
        self.iterations = 0
        self._locks: dict[tuple[int, int, int], Rows] = {}
        self._crew = PassRunner(self.forests, self.boards, self.tables, spot.weights, self.threads)

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

    def run(self, iterations: int) -> None:
        """So many more iterations."""
        whole_number("iterations", iterations, 0, 1 << 40)
        self._crew.run(self._learning(iterations))
        self.iterations += iterations
        for key, rows in self._locks.items():
            self._hold(key, rows)  # an average forgets hands that hardly come there

    def _learning(self, iterations: int) -> list[tuple[float, ...]]:
        """The passes of the next iterations."""
        first = self.iterations + 1
        schedule = (_pass_rules(self.rules, t) for t in range(first, first + iterations))
        return [(traverser, LEARN, *rules) for rules in schedule for traverser in (OOP, IP)]

    def start(self, player: int) -> Vector:
        """How likely a player is to come to the root with each hand, float32 ``[width]``.

        In the order of ``boards[0].combos[0][player]``, then zeros. It may be changed in place:
        so search lets an opponent choose which hands to come with. `values` and what is made of
        them go on counting in pairs of hands of the spot.
        """
        return np.asarray(self._crew.start[player])

    def learn(self, traverser: int) -> Vector:
        """One player's half of an iteration, OOP before IP; `run` does whole ones.

        Returns what each hand of the player wins at the root, times the opponent's reach, against
        the strategy of the moment.
        """
        (cfv,) = self._crew.passes(
            (traverser, LEARN, *_pass_rules(self.rules, self.iterations + 1))
        )
        self.iterations += traverser == IP
        return cfv

    def root_values(self, player: int, mode: int = AVERAGE) -> Vector:
        """The same for the average strategies, or for a best response to them; see `worth`."""
        return self._crew.passes((player, mode, *NO_RULES))[0]

    def solve(
        self,
        until: float = 0.3,
        *,
        seconds: float | None = None,
        iterations: int | None = None,
        every: int = 10,
        on_check: Callable[[SolverStatus], Any] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> SolverStatus:
        """Iterate until the exploitability is at most ``until`` percent of the pot.

        Or until the time is over, or so many iterations are done, or stop says so; these are asked
        about ten times a second, or after each iteration if it takes longer. The exploitability is
        looked at every so many iterations, and on_check told; of a solver that has iterated before,
        at once. So one thread ends after the same iterations each time, unless time ends it.

        Tables of 32 bits (16 where compressed) are exact to a point. Where neither seconds nor
        iterations end it, it also ends when the exploitability no longer falls: by less than 1 %
        while the iterations have grown by half, and by 500.
        """
        whole_number("every", every, 1, 1 << 40)
        if iterations is not None:
            whole_number("iterations", iterations, 1, 1 << 40)
        endless = seconds is None and iterations is None
        if not 0 <= until < math.inf or (until == 0 and endless and stop is None):
            raise OptionError(
                f"until={brief(until)} is not possible; give percents of the pot, above 0 where "
                "nothing else ends it"
            )
        begin = _working_seconds()

        def over() -> bool:
            late = seconds is not None and _working_seconds() - begin >= seconds
            return late or (stop is not None and stop())

        at_once = every if len(self.forests) == 1 else 1
        found = self.exploitability() if self.iterations else None
        lowest, lowest_at = math.inf, 0
        while True:
            if found is not None:
                if found < _FALLS * lowest:
                    lowest, lowest_at = found, self.iterations
                check = SolverStatus(self.iterations, _working_seconds() - begin, found)
                if on_check is not None:
                    on_check(check)
                done = iterations is not None and self.iterations >= iterations
                stuck = endless and self.iterations > 1.5 * lowest_at + _PATIENCE
                if found <= until or done or stuck or over():
                    return check
            left = every if iterations is None else min(every, iterations - self.iterations)
            while left > 0:
                before, some = _working_seconds(), min(at_once, left)
                left -= some
                if not left:
                    found = self._run_and_check(some)
                    break
                self.run(some)
                if over():
                    found = self.exploitability()
                    break
                if len(self.forests) > 1:
                    each = (_working_seconds() - before) / some
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
        todo = [(player, mode, *NO_RULES) for mode in modes for player in (IP, OOP)]
        ranges = (self._crew.start[player] for player, *_ in todo)
        pairs = zip(self._crew.passes(*before, *todo)[-len(todo) :], ranges, strict=True)
        return [float(cfv.astype(np.float64) @ come) / self.spot.pairs for cfv, come in pairs]

    def save(self, path: str | PathLike[str], **about: str) -> None:
        """Write everything to a file, atomically; see `tiltless.postflop.file`."""
        from tiltless.postflop.file import save_solver

        save_solver(self, path, **about)

    @classmethod
    def load(
        cls, path: str | PathLike[str], *, threads: int = 1, memory: int | None = None
    ) -> "PostflopSolver":
        """The solver of a file of `save`, to look at or to go on with."""
        from tiltless.postflop.file import load_solver

        return load_solver(path, threads=threads, memory=memory)

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

    def lock(self, place: "Node", strategy: Locked) -> None:
        """Fix what is played at a place, until `unlock`; see `tiltless.postflop.locks`.

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

    def unlock(self, place: "Node") -> None:
        """Let a locked place learn again, from nothing."""
        self._check_own(place)
        key = place.level, place.number, place.node
        if self._locks.pop(key, None) is None:
            raise OptionError("this place is not locked; lock it first")
        self._mark(key, False)
        self._fill(key, np.float32(0))

    def _check_own(self, place: "Node") -> None:
        if place.solver is not self:
            raise OptionError("this place belongs to another solver; find it with find_node")

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

    def cfv(self, level: int, board: int, player: int, mode: int = AVERAGE) -> Vector:
        """What hands of a player win at all nodes of a board, float32 ``[nodes, width]``.

        Times the opponent's reach. mode: `AVERAGE`, or `BEST` for a best response to the average.
        """
        width = int(self.boards[level].arrays.width[board, player])
        if level == 0:
            self._crew.passes((player, mode, *NO_RULES))
            space = self._crew.shared.above
        else:
            space = self._crew.look_below(level, board, player, mode)
        nodes = self.forests[level].nodes
        return np.array(space.cfv[: nodes * width].reshape(nodes, width))


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
