"""Passes on a device: `tiltless.postflop.threads.PassRunner` with the same methods, on a card.

Tables live on the device; the solver's own are read back when somebody asks for them, and written
again before the next pass, as they may have been changed. Ten iterations are one recorded sequence
of launches (a CUDA graph on a card), whose discounts are read from device memory, so that it can be
replayed with those of later iterations.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.errors import OptionError
from tiltless.kernels.postflop.decision import PassRules
from tiltless.kernels.postflop.street import LEARN, RangeTables
from tiltless.postflop.betting_forest import StreetForest
from tiltless.postflop.boards import BoardSet
from tiltless.postflop.device.launches import (
    DeviceSpot,
    kernel_shape,
    pass_launches,
    spill_bytes,
    spot_steps,
)
from tiltless.postflop.device.layout import StreetLayout, deal_layout, street_layouts
from tiltless.postflop.device.machine import KernelShape, Launch, Machine
from tiltless.postflop.device.program import RootSteps
from tiltless.postflop.spot import IP, OOP
from tiltless.postflop.threads import NO_RULES, VALUES_KEPT, Pass, PassRunner, start_vector

__all__ = [
    "MOST_THREADS",
    "PASSES_AT_ONCE",
    "DeviceRunner",
    "check_device_memory",
    "device_rules",
]

Vector = npt.NDArray[np.float32]

PASSES_AT_ONCE = 20
"""Passes of one recorded sequence: ten iterations."""
MOST_THREADS = 576
"""Threads of a block of the last street at most; longer vectors have several hands per thread."""
_RULES, _TILE = 4, 128


def device_rules(rules: PassRules) -> tuple[float, float, float, float]:
    """The rules of an iteration as the kernels read them: up, down, floored, keep."""
    return rules.up, rules.down, rules.floored, rules.keep


def check_device_memory(
    machine: Machine,
    shape: KernelShape,
    layouts: Sequence[StreetLayout],
    steps: Sequence[RootSteps],
    entries: int,
) -> int:
    """The bytes that a spot takes on a machine; `OptionError` if they are not free.

    entries: numbers in each of the two tables.
    """
    needed = 8 * entries + spill_bytes(shape, layouts[-1], steps)
    needed += sum(each.bytes for each in layouts)
    free = machine.free_bytes()
    if needed > free:
        raise OptionError(
            f"this takes {needed / 1e6:,.1f} MB on the GPU, and {free / 1e6:,.1f} MB are free "
            "there; give fewer sizes or smaller ranges, or solve it on the device cpu"
        )
    return needed


class DeviceRunner:
    """Runs passes on a machine.

    forests, boards, tables, weights: as in `PassRunner`; start: likewise, may be modified in place.
    threads: of a block on the last street, at most.
    spot: everything on the machine.  rules: float32 ``[20, 4]`` there, of the passes of a sequence.
    kept: the values at the root of the last passes.
    """

    def __init__(
        self,
        forests: Sequence[StreetForest],
        boards: Sequence[BoardSet],
        tables: RangeTables,
        weights: Sequence[npt.NDArray[np.floating[Any]]],
        machine: Machine,
        threads: int = MOST_THREADS,
    ) -> None:
        self.forests, self.boards, self.machine = forests, boards, machine
        self._tables, self._weights = tables, weights
        self.start = tuple(start_vector(boards, weights[player], player) for player in (IP, OOP))
        layouts = street_layouts(forests, boards)
        deal, steps = deal_layout(layouts[0]), spot_steps(forests[-1])
        slots = max(each.reach_slots + each.cfv_slots for each in steps)
        shape = kernel_shape(machine, forests, layouts[-1], slots, threads)
        entries = len(tables.regret)
        self.bytes = check_device_memory(machine, shape, (deal, *layouts), steps, entries)
        machine.compile(shape)
        self.spot = DeviceSpot(machine, deal, layouts, steps, shape, entries)
        self._stride = layouts[0].widest
        self.kept = machine.zeros(VALUES_KEPT * self._stride)
        self.rules = machine.zeros(PASSES_AT_ONCE * _RULES).reshape(PASSES_AT_ONCE, _RULES)
        self._host: PassRunner | None = None
        self._device_newer = self._host_newer = False

    @property
    def tables(self) -> RangeTables:
        """The tables on the host, up to date; the next pass reads them again."""
        if self._device_newer:
            self._tables.regret[:] = self.machine.read(self.spot.tables.regret)
            self._tables.average[:] = self.machine.read(self.spot.tables.average)
            self._device_newer = False
        self._host_newer = True
        return self._tables

    def on_host(self) -> PassRunner:
        """A runner of this processor for the same tables, for values inside the tree."""
        tables = self.tables
        if self._host is None:
            self._host = PassRunner(self.forests, self.boards, tables, self._weights, 1)
        for mine, theirs in zip(self.start, self._host.start, strict=True):
            theirs[:] = mine
        return self._host

    def wait(self) -> None:
        """Return when all launches are done."""
        self.machine.read(self.rules)

    def read_rows(self, table: str, begin: int, size: int) -> Vector:
        """Numbers of a table, by the name of its field; only these are read."""
        if not self._device_newer:
            return np.asarray(getattr(self._tables, table)[begin : begin + size])
        there = getattr(self.spot.tables, table)
        return np.asarray(self.machine.read(there[begin : begin + size]))

    def write_rows(self, table: str, begin: int, numbers: Vector) -> None:
        """Overwrite numbers of a table, and no others."""
        if self._host_newer:  # and all of it will be written before the next pass
            getattr(self._tables, table)[begin : begin + len(numbers)] = numbers
            return
        there = getattr(self.spot.tables, table)
        self.machine.write(there[begin : begin + len(numbers)], numbers)
        self._device_newer = True

    def lifter(self, rows: npt.NDArray[np.uint64], width: int, share: float) -> Callable[[], None]:
        """A function that raises regrets on the machine; see `PassRunner.lifter`."""
        machine, key = self.machine, object()
        there = machine.array(rows.astype(np.int64))
        arguments = self.spot.table_struct, there, np.float32(share), width
        launch = Launch("lift", (len(rows), -(-width // _TILE)), _TILE, 0, arguments)

        def lift() -> None:
            self._upload_tables()
            machine.run(key, lambda: [launch] if len(rows) else [])
            self._device_newer = True

        return lift

    def cfv(self, street_index: int, board: int, player: int, mode: int) -> Vector | None:
        """Values of a player's hands at all nodes of a board, float32 ``[nodes, width]``.

        None on the last street, which keeps none inside its betting.
        """
        if street_index == len(self.forests) - 1:
            return None
        self._replay([(player, mode, *NO_RULES)], keep=False)
        street = self.spot.layouts[street_index].street
        width, begin = int(street.width[board, player]), int(street.cfv_at[board, player])
        end = begin + street.nodes * width
        found = self.machine.read(self.spot.streets[street_index].cfv[begin:end])
        return np.asarray(found).reshape(street.nodes, width)

    def relock(self) -> None:
        """Read again which decisions are locked."""
        for street, boards in zip(self.spot.streets, self.boards, strict=True):
            marks = boards.arrays.locked
            self.machine.write(street.locked, marks if len(marks) else np.uint8(0))

    def passes(self, *passes: Pass) -> list[Vector]:
        """Run passes; returns root values of the traverser's hands for each of the last ones."""
        first = max(len(passes) - VALUES_KEPT, 0)
        self.run(passes[:first])
        self._replay(passes[first:], keep=True)
        kept = self.machine.read(self.kept).reshape(VALUES_KEPT, -1)
        widths = self.boards[0].arrays.width[0]
        return [
            np.array(kept[i, : int(widths[int(each[0])])]) for i, each in enumerate(passes[first:])
        ]

    def run(self, passes: Sequence[Pass]) -> None:
        """Run passes, each a player, a mode and `PassRules`."""
        for begin in range(0, len(passes), PASSES_AT_ONCE):
            self._replay(passes[begin : begin + PASSES_AT_ONCE], keep=False)

    def upload(self) -> None:
        """Write what the host may have changed: the ranges, and tables that were asked for."""
        self._upload_tables()
        self.machine.write(self.spot.deal.reach, np.concatenate(self.start))

    def _upload_tables(self) -> None:
        if self._host_newer:
            self.machine.write(self.spot.tables.regret, self._tables.regret)
            self.machine.write(self.spot.tables.average, self._tables.average)
            self._host_newer = False

    def _replay(self, passes: Sequence[Pass], keep: bool) -> None:
        if not passes:
            return
        machine = self.machine
        self.upload()
        rules = np.zeros((PASSES_AT_ONCE, _RULES), np.float32)
        for i, (_, _, *numbers) in enumerate(passes):
            rules[i] = device_rules(PassRules(*numbers))
        machine.write(self.rules, rules)
        kinds = tuple((int(each[0]), int(each[1])) for each in passes)
        machine.run((kinds, keep), lambda: self.launches(kinds, keep))
        self._device_newer |= any(mode == LEARN for _, mode in kinds)

    def launches(self, kinds: Sequence[tuple[int, int]], keep: bool) -> Iterator[Launch]:
        """The launches of passes; pass i has its rules in row i."""
        for i, (traverser, mode) in enumerate(kinds):
            yield from pass_launches(self.spot, traverser, mode, self.rules[i])
            if keep:
                arguments = self.spot.street_structs[0], self.kept, i * self._stride, traverser
                yield Launch("keep", (-(-self._stride // _TILE), 1), _TILE, 0, arguments)
