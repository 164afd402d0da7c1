"""The post-flop solver: two ranges on a board, solved exactly with vectors of hands.

::

    solver = PostflopSolver(Spot("QsJh2h8d", oop="…", ip="…", pot=64, stack=320, bets="50%, a"))
    solver.solve(until=0.3)
    print(solver.exploitability(), solver.values())

Tables have a row of all hands for every action on every board; see
`tiltless.kernels.postflop.street`. Updates alternate between the players. Several threads divide
the boards of the second street among them; their values are added in the order of the boards, so
results are the same to the bit for any number of threads. A river has no second street and uses one
thread. With ``device="gpu"`` passes run on a card (`tiltless.postflop.device`), and everything else
is the same.
"""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.cfr.presets import Preset
from tiltless.cfr.regret import Predictive
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import Action
from tiltless.kernels.base.compiling import compile_seconds
from tiltless.kernels.postflop.street import ACTOR, AVERAGE, BEST, LEARN, RangeTables
from tiltless.postflop.betting_forest import StreetForest
from tiltless.postflop.boards import BoardSet, board_sets
from tiltless.postflop.device.card import find_machine
from tiltless.postflop.device.machine import Machine
from tiltless.postflop.device.runner import DeviceRunner
from tiltless.postflop.layout import assign_rows, new_tables
from tiltless.postflop.locks import Locked, Rows, locked_rows
from tiltless.postflop.memory import RangeCost, SolvingOptions, check_memory, cost_of, forests_of
from tiltless.postflop.rules import DEFAULT_RULES, checked_rules, pass_rules
from tiltless.postflop.spot import IP, OOP, Spot
from tiltless.postflop.threads import NO_RULES, PassRunner
from tiltless.validate import between, brief, whole_number

if TYPE_CHECKING:  # which itself imports this module
    from tiltless.postflop.node import Node

__all__ = ["PostflopSolver", "SolverStatus"]

Vector = npt.NDArray[np.float32]

_FALLS, _PATIENCE = 0.99, 500  # see `PostflopSolver.solve`
_CALL_SECONDS = 0.1
"""Of work per call: each call wakes the threads, and stop is asked only between calls."""


class SolverStatus(NamedTuple):
    """Progress of a solver: iterations, seconds, and exploitability in percent of the pot.

    The seconds do not include compiling.
    """

    iterations: int
    seconds: float
    exploitability: float


def _working_seconds() -> float:
    """A clock that stands still while kernels are compiled."""
    return time.perf_counter() - compile_seconds()


class PostflopSolver:
    """CFR with two ranges on a board.

    rules: a preset of `tiltless.cfr.presets`, or its name.  threads: for turns and flops; a river
    uses one.  compressed: 16 bits for each number instead of 32.
    played: actions on the first street that must be in the tree, see `street_forests`.
    device: ``"cpu"``, or ``"gpu"`` for an NVIDIA card with CuPy, or a `Machine`.
    memory: the limit in bytes for tables and the threads' buffers, by default the free memory of
    this machine; a spot that needs more is refused before allocation, naming bet sizes that fit.
    forests, boards: one for each street, starting with that of the spot; forests that were built
    before may be passed.  cost: the memory that they need.
    iterations: number done so far.
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
        device: str | Machine = "cpu",
    ) -> None:
        self.spot, self.compressed, self.played = spot, compressed, tuple(played)
        self.rules = checked_rules(rules, compressed)
        machine = find_machine(device)
        self.threads = whole_number("threads", threads, 1, 1024)
        self.boards: list[BoardSet] = board_sets(spot)
        predictive = isinstance(self.rules.regret, Predictive)
        if machine is not None and (compressed or predictive):
            raise OptionError(
                f"{'compressed tables' if compressed else 'predictive rules'} are not supported on "
                "a GPU; choose other rules and 32-bit tables, or --device cpu"
            )
        options = SolvingOptions(predictive, self.threads, compressed, self.played)
        self.forests = forests or forests_of(spot, self.boards, options, memory)
        self.cost: RangeCost = cost_of(self.forests, self.boards, options)
        check_memory(spot, self.boards, self.cost, options, memory)
        self.table_bytes = self.cost.compressed if compressed else self.cost.tables
        entries, units = assign_rows(self.forests, self.boards)
        self._tables = new_tables(entries, units, compressed=compressed, predictive=predictive)
        self.iterations = 0
        self._locks: dict[tuple[int, int, int], Rows] = {}
        about = self.forests, self.boards, self._tables, spot.weights
        self._runner: PassRunner | DeviceRunner = (
            PassRunner(*about, self.threads) if machine is None else DeviceRunner(*about, machine)
        )

    @property
    def tables(self) -> RangeTables:
        """Regrets and averages, which may be modified; those of a GPU are read first."""
        return self._runner.tables

    @property
    def on_gpu(self) -> bool:
        """Whether passes run on a device."""
        return isinstance(self._runner, DeviceRunner)

    @property
    def device_bytes(self) -> int:
        """Memory taken on a device; 0 on the processor."""
        return self._runner.bytes if isinstance(self._runner, DeviceRunner) else 0

    def run(self, iterations: int) -> None:
        """Run this many more iterations."""
        whole_number("iterations", iterations, 0, 1 << 40)
        self._runner.run(self._learning(iterations))
        self.iterations += iterations
        for key, rows in () if self.on_gpu else self._locks.items():
            self._write_lock(key, rows)  # averages of rarely reached hands decay

    def _learning(self, iterations: int) -> list[tuple[float, ...]]:
        """The passes of the next iterations, one for each player."""
        first = self.iterations + 1
        schedule = (pass_rules(self.rules, t) for t in range(first, first + iterations))
        return [(traverser, LEARN, *rules) for rules in schedule for traverser in (OOP, IP)]

    def start(self, player: int) -> Vector:
        """The reach of a player at the root with each hand, float32 ``[width]``.

        In the order of ``boards[0].combos[0][player]``, padded with zeros. It may be modified in
        place: search does so to let an opponent choose the hands to enter with. `values`, and what
        is derived from it, is still normalised by the pairs of hands of the spot.
        """
        return np.asarray(self._runner.start[player])

    def learn(self, traverser: int) -> Vector:
        """One player's half of an iteration, OOP before IP; `run` does whole iterations.

        Returns the counterfactual value of each of the player's hands at the root against the
        current strategy.
        """
        (cfv,) = self._runner.passes(
            (traverser, LEARN, *pass_rules(self.rules, self.iterations + 1))
        )
        self.iterations += traverser == IP
        return cfv

    def root_values(
        self, player: int, mode: int = AVERAGE, average: Vector | None = None
    ) -> Vector:
        """The same for the average strategies, or for a best response to them; see `cfv`.

        average: strategies in their place, laid out like them; not on a GPU.
        """
        todo = (player, mode, *NO_RULES)
        if average is None:
            return self._runner.passes(todo)[0]
        runner, own = self._runner.on_host(), self.tables
        runner.tables = own._replace(average=average)
        try:
            return runner.passes(todo)[0]
        finally:
            runner.tables = own

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

        It also stops when the seconds are over, when this many iterations are done, or when stop
        returns true; these are checked about ten times a second, or after each iteration if one
        takes longer. The exploitability is computed after every ``every`` iterations, and at once
        if the solver has iterated before; on_check is called with it. The number of iterations is
        therefore the same each time, unless seconds or stop end it.

        Tables of 32 bits (16 if compressed) have limited precision. Without a limit of seconds or
        iterations, solving also stops when the exploitability no longer falls: by less than 1 %
        while the iterations have grown by half and by 500.
        """
        whole_number("every", every, 1, 1 << 40)
        if iterations is not None:
            whole_number("iterations", iterations, 1, 1 << 40)
        if seconds is not None:
            between("seconds", seconds, 0, 1e9)  # NaN would never be over
        endless = seconds is None and iterations is None
        if not 0 <= until < math.inf or (until == 0 and endless and stop is None):
            raise OptionError(
                f"until={brief(until)} is not possible; give a percentage of the pot, above 0 "
                "unless seconds, iterations or stop end it"
            )
        begin = _working_seconds()

        def over() -> bool:
            late = seconds is not None and _working_seconds() - begin >= seconds
            return late or (stop is not None and stop())

        measured = len(self.forests) > 1 and not self.on_gpu
        at_once = 1 if measured else every
        exploitability = self.exploitability() if self.iterations else None
        lowest, lowest_at = math.inf, 0
        while True:
            if exploitability is not None:
                if exploitability < _FALLS * lowest:
                    lowest, lowest_at = exploitability, self.iterations
                check = SolverStatus(self.iterations, _working_seconds() - begin, exploitability)
                if on_check is not None:
                    on_check(check)
                done = iterations is not None and self.iterations >= iterations
                stuck = endless and self.iterations > 1.5 * lowest_at + _PATIENCE
                if exploitability <= until or done or stuck or over():
                    return check
            left = every if iterations is None else min(every, iterations - self.iterations)
            while left > 0:
                before, some = _working_seconds(), min(at_once, left)
                left -= some
                if not left:
                    exploitability = self._run_and_check(some)
                    break
                self.run(some)
                if over():
                    exploitability = self.exploitability()
                    break
                if measured:
                    each = (_working_seconds() - before) / some
                    at_once = max(int(_CALL_SECONDS / each), 1)

    def _run_and_check(self, iterations: int) -> float:
        """More iterations and then the exploitability, in one call that wakes the threads once.

        Locks are written again between the two, so with locks there are two calls.
        """
        if self._locks and not self.on_gpu:
            self.run(iterations)
            return self.exploitability()
        best = self._values(*self._judged, before=self._learning(iterations))
        self.iterations += iterations
        return self._exploitability(best)

    def exploitability(self) -> float:
        """The gain of a best response, averaged over both players, in percent of the pot."""
        return self._exploitability(self._values(*self._judged))

    @property
    def _judged(self) -> tuple[int, ...]:
        """The modes needed for the exploitability; without rake the average values sum to zero."""
        return (BEST, AVERAGE) if self.spot.rake else (BEST,)

    def _exploitability(self, values: list[float]) -> float:
        return 100 * (sum(values[:2]) - sum(values[2:])) / 2 / self.spot.pot

    def values(self) -> tuple[float, float]:
        """Values of the average strategies for IP and OOP, in chips, net of half the pot."""
        ip, oop = self._values(AVERAGE)
        return ip, oop

    def best_values(self) -> tuple[float, float]:
        """The same for a best response to the opponent's average strategy."""
        ip, oop = self._values(BEST)
        return ip, oop

    def _values(self, *modes: int, before: Sequence[tuple[float, ...]] = ()) -> list[float]:
        """The values of IP and OOP in each mode.  before: passes to run first."""
        todo = [(player, mode, *NO_RULES) for mode in modes for player in (IP, OOP)]
        ranges = (self._runner.start[player] for player, *_ in todo)
        pairs = zip(self._runner.passes(*before, *todo)[-len(todo) :], ranges, strict=True)
        return [float(cfv.astype(np.float64) @ reach) / self.spot.pairs for cfv, reach in pairs]

    def save(self, path: str | PathLike[str], **about: str) -> None:
        """Write everything to a file, atomically; see `tiltless.postflop.file`."""
        from tiltless.postflop.file import save_solver

        save_solver(self, path, **about)

    @classmethod
    def load(
        cls,
        path: str | PathLike[str],
        *,
        threads: int = 1,
        memory: int | None = None,
        device: str | Machine = "cpu",
    ) -> "PostflopSolver":
        """Load a solver that `save` wrote, to inspect or to continue."""
        from tiltless.postflop.file import load_solver

        return load_solver(path, threads=threads, memory=memory, device=device)

    def average(self, street_index: int, board: int, node: int) -> Vector:
        """The average strategy of a decision, as weights, float32 ``[hands, actions]``.

        street_index: 0 for the street of the spot.  board, node: indices on that street.
        """
        count = int(self.boards[street_index].arrays.count[board, self._actor(street_index, node)])
        name = "small_average" if self.compressed else "average"
        rows = self.read_rows(name, street_index, board, node)
        return np.ascontiguousarray(rows[:, :count].T, np.float32)

    def rows(self, table: npt.NDArray[Any], street_index: int, board: int, node: int) -> Any:
        """The rows of a decision in a table laid out like `tables`: a view ``[actions, width]``.

        The hands are ``boards[street_index].combos[board][actor]``, then padding.
        """
        begin, actions, width = self._place(street_index, board, node)
        return table[begin : begin + actions * width].reshape(actions, width)

    def read_rows(self, table: str, street_index: int, board: int, node: int) -> Any:
        """The rows of a decision in one of `tables`, by name; of a GPU only these are read."""
        begin, actions, width = self._place(street_index, board, node)
        return self._runner.read_rows(table, begin, actions * width).reshape(actions, width)

    def _place(self, street_index: int, board: int, node: int) -> tuple[int, int, int]:
        """Where the rows of a decision begin, how many there are, and how long they are."""
        arrays = self.boards[street_index].arrays
        actor, _, actions, row = self.forests[street_index].forest.node[node].tolist()
        width = int(arrays.width[board, actor])
        return int(arrays.row[board, actor]) + row * width, actions, width

    def lifter(self, rows: npt.NDArray[np.uint64], width: int, share: float) -> Callable[[], None]:
        """A function that raises regrets wherever they are.

        rows, width, share: see `tiltless.kernels.postflop.decision.lift`.
        """
        return self._runner.lifter(rows, width, share)

    def wait(self) -> None:
        """Return when all iterations are done, which a GPU does on its own."""
        self._runner.wait()

    def player_rows(
        self, table: npt.NDArray[Any], street_index: int, board: int, player: int
    ) -> Any:
        """All rows of a player on a board, in the same way: a view ``[rows, width]``."""
        arrays, rows = self.boards[street_index].arrays, self.forests[street_index].rows[player]
        width, begin = int(arrays.width[board, player]), int(arrays.row[board, player])
        return table[begin : begin + rows * width].reshape(rows, width)

    @property
    def memory(self) -> int:
        """Bytes of the tables and of everything beside them; on a GPU tables are not here."""
        return self.cost.rest + (0 if self.on_gpu else self.table_bytes)

    @property
    def locks(self) -> Mapping[tuple[int, int, int], Rows]:
        """Locked decisions by street, board and node index: float32 ``[hands, actions]`` each."""
        return MappingProxyType(self._locks)

    def lock(self, node: "Node", strategy: Locked) -> None:
        """Fix the strategy of a node, until `unlock`; see `tiltless.postflop.locks`.

        strategy: a probability for each action, used with all hands, or an array
        ``[1326, actions]``. Boards that are the same up to suits are locked together.
        """
        self._check_own(node)
        self.lock_rows(
            (node.street_index, node.board_index, node.index), locked_rows(node, strategy)
        )

    def lock_rows(self, key: tuple[int, int, int], rows: Rows) -> None:
        """Lock a decision by its key in `locks`, without checks."""
        self._locks[key] = rows
        self._mark(key, True)
        self._write_lock(key, rows)

    def unlock(self, node: "Node") -> None:
        """Let a locked node learn again, from scratch."""
        self._check_own(node)
        key = node.street_index, node.board_index, node.index
        if self._locks.pop(key, None) is None:
            raise OptionError(
                f"the node after {node.line!r} is not locked; `locks` has those that are"
            )
        self._mark(key, False)
        self._fill(key, np.float32(0))

    def _check_own(self, node: "Node") -> None:
        if node.solver is not self:
            raise OptionError(
                f"the node after {node.line!r} belongs to another solver; find it with find_node"
            )

    def _mark(self, key: tuple[int, int, int], locked: bool) -> None:
        street_index, board, node = key
        boards = self.boards[street_index]
        marks = boards.arrays.locked
        if not len(marks):
            marks = np.zeros((len(boards), self.forests[street_index].nodes), np.bool_)
            self.boards[street_index] = replace(boards, arrays=boards.arrays._replace(locked=marks))
        marks[board, node] = locked
        self._runner.relock()

    def _write_lock(self, key: tuple[int, int, int], rows: Rows) -> None:
        """Write a locked strategy into the regrets and averages."""
        street_index, board, node = key
        width = int(self.boards[street_index].arrays.width[board, self._actor(street_index, node)])
        wide = np.zeros((rows.shape[1], width), np.float32)
        wide[:, : len(rows)] = rows.T
        self._fill(key, wide)

    def _actor(self, street_index: int, node: int) -> int:
        return int(self.forests[street_index].forest.node[node, ACTOR])

    def _fill(self, key: tuple[int, int, int], numbers: Any) -> None:
        """Write values from 0 to 1 into all tables of a decision."""
        if not self.compressed:
            begin, actions, width = self._place(*key)
            wide = np.broadcast_to(np.asarray(numbers, np.float32), (actions, width)).ravel()
            for name in ("regret", "average", "forecast"):
                if len(getattr(self._tables, name)):
                    self._runner.write_rows(name, begin, wide)
            return
        tables = self.tables
        street_index, board, node = key
        unit = int(self.boards[street_index].arrays.unit[board]) + node
        for small, units in (
            (tables.small_regret, tables.regret_unit),
            (tables.small_average, tables.average_unit),
        ):
            steps = np.iinfo(small.dtype).max
            self.rows(small, *key)[:] = np.rint(numbers * np.float32(steps)).astype(small.dtype)
            units[unit] = 1 / steps

    def cfv(self, street_index: int, board: int, player: int, mode: int = AVERAGE) -> Vector:
        """Counterfactual values of a player's hands at all nodes of a board, ``[nodes, width]``.

        In float32. mode: `AVERAGE`, or `BEST` for a best response to the average.
        """
        if isinstance(self._runner, DeviceRunner):
            found = self._runner.cfv(street_index, board, player, mode)
            if found is not None:
                return found
        width = int(self.boards[street_index].arrays.width[board, player])
        runner = self._runner.on_host()
        if street_index == 0:
            runner.passes((player, mode, *NO_RULES))
            space = runner.shared.above
        else:
            space = runner.look_below(street_index, board, player, mode)
        nodes = self.forests[street_index].nodes
        return np.array(space.cfv[: nodes * width].reshape(nodes, width))
