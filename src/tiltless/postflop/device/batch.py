"""Batches of rivers on a device: spots with the same bets side by side, solved at once.

::

    batch = RiverBatch(spots, find_machine("gpu"))
    found = batch.solve(until=0.1)
    batch.solver(7).values()                 # the tables of spot 7, on the host

A batch is a last street with one board for each spot, entered with its own ranges; the kernels are
the same. Spots that are solved take no further part.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.cfr.presets import find_preset
from tiltless.errors import OptionError
from tiltless.kernels.postflop.street import BEST, LEARN
from tiltless.kernels.postflop.terminals import StreetBoards
from tiltless.postflop.betting_forest import StreetForest, street_forests
from tiltless.postflop.boards import BoardSet, board_sets
from tiltless.postflop.device.launches import DeviceSpot, kernel_shape, pass_launches, spot_steps
from tiltless.postflop.device.layout import deal_layout, street_layouts
from tiltless.postflop.device.machine import Launch, Machine
from tiltless.postflop.device.runner import (
    MOST_THREADS,
    PASSES_AT_ONCE,
    check_device_memory,
    device_rules,
)
from tiltless.postflop.rules import DEFAULT_RULES, pass_rules
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP, Spot
from tiltless.postflop.threads import start_vector

__all__ = ["BatchStatus", "RiverBatch", "merge_boards"]

_RIVER = 3
_ALIKE = ("pot", "stack", "bets", "big_blind", "aggressor")
_EVERY = PASSES_AT_ONCE // 2


class BatchStatus(NamedTuple):
    """Of each spot: iterations done, and exploitability in percent of the pot."""

    iterations: npt.NDArray[np.int64]
    exploitability: npt.NDArray[np.float64]


class RiverBatch:
    """Rivers of one betting forest: the same bets, pot, stack and rake; boards and ranges differ.

    machine: see `tiltless.postflop.device.card.find_machine`.  rules: the name of a preset.
    """

    def __init__(
        self,
        spots: Sequence[Spot],
        machine: Machine,
        *,
        rules: str = DEFAULT_RULES,
        threads: int = MOST_THREADS,
    ) -> None:
        _check_alike(spots)
        self.spots, self.machine, self.rules = list(spots), machine, find_preset(rules)
        self.forest = street_forests(spots[0])[0]
        self.sets = [board_sets(spot)[0] for spot in spots]
        boards = merge_boards(self.sets, self.forest)
        layouts, steps = street_layouts([self.forest], [boards]), spot_steps(self.forest)
        deal = deal_layout(layouts[0])
        slots = max(each.reach_slots + each.cfv_slots for each in steps)
        shape = kernel_shape(machine, [self.forest], layouts[0], slots, threads)
        entries = int((boards.arrays.width.astype(np.int64) * np.array(self.forest.rows)).sum())
        check_device_memory(machine, shape, (deal, *layouts), steps, entries)
        machine.compile(shape)
        self.device = DeviceSpot(machine, deal, layouts, steps, shape, entries)
        starts = [
            start_vector([some], spot.weights[player], player)
            for spot, some in zip(spots, self.sets, strict=True)
            for player in (IP, OOP)
        ]
        machine.write(self.device.deal.reach, np.concatenate(starts))
        self._row = boards.arrays.row.astype(np.int64)
        self._work = [machine.read(program.work) for program in self.device.programs]
        self._rules = machine.zeros(PASSES_AT_ONCE * 4).reshape(PASSES_AT_ONCE, 4)
        self._sums = [machine.array(np.zeros(len(spots))) for _ in (IP, OOP)]
        self.iterations = 0

    def run(self, iterations: int) -> None:
        """Run this many more iterations of the spots that are not done."""
        for begin in range(0, iterations, _EVERY):
            some = min(_EVERY, iterations - begin)
            rows = np.zeros((PASSES_AT_ONCE, 4), np.float32)
            for i in range(some):
                self.iterations += 1
                rows[2 * i : 2 * i + 2] = device_rules(pass_rules(self.rules, self.iterations))
            self.machine.write(self._rules, rows)
            kinds = [(player, LEARN) for _ in range(some) for player in (OOP, IP)]
            self.machine.run(("learn", some), lambda kinds=kinds: self._launches(kinds))  # type: ignore[misc]

    def exploitability(self) -> npt.NDArray[np.float64]:
        """The gain of a best response in each spot, in percent of the pot; without rake.

        Of spots that take no further part it is as it was.
        """
        self.machine.run("best", lambda: self._launches([(IP, BEST), (OOP, BEST)]))
        total = sum(self.machine.read(sums) for sums in self._sums)
        pairs = np.array([spot.pairs for spot in self.spots])
        found: npt.NDArray[np.float64] = 100 * total / pairs / 2 / self.spots[0].pot
        return found

    def _launches(self, kinds: Sequence[tuple[int, int]]) -> Iterator[Launch]:
        device = self.device
        for i, (traverser, mode) in enumerate(kinds):
            yield from pass_launches(device, traverser, mode, self._rules[i])
            if mode == BEST:
                where = device.street_structs[0], device.deal_struct
                arguments = *where, self._sums[traverser], traverser
                yield Launch("root_values", (len(self.spots), 1), 128, 0, arguments)

    def solve(self, until: float = 0.3, *, iterations: int = 2000, every: int = 20) -> BatchStatus:
        """Iterate until each exploitability is at most ``until`` percent of the pot."""
        done = np.zeros(len(self.spots), np.int64)
        exploitability = np.full(len(self.spots), np.inf)
        while True:
            self.run(min(every, iterations - self.iterations))
            exploitability = np.where(done > 0, exploitability, self.exploitability())
            over = (exploitability <= until) | (self.iterations >= iterations)
            done[over & (done == 0)] = self.iterations
            if done.all():
                return BatchStatus(done, exploitability)
            self._leave_out(done > 0)

    def _leave_out(self, done: npt.NDArray[np.bool_]) -> None:
        """Give the blocks of spots that are done nothing to do."""
        for program, work in zip(self.device.programs, self._work, strict=True):
            left = work.copy()
            left[done[work[:, 0]], 2] = 0
            self.machine.write(program.work, left)

    def solver(self, index: int) -> PostflopSolver:
        """A solver of one spot on the host, with the tables of the batch."""
        solver = PostflopSolver(self.spots[index], rules=self.rules)
        begin, size = int(self._row[index, 0]), len(solver.tables.regret)
        solver.tables.regret[:] = self.machine.read(self.device.tables.regret[begin : begin + size])
        solver.tables.average[:] = self.machine.read(
            self.device.tables.average[begin : begin + size]
        )
        solver.iterations = self.iterations
        return solver


def _check_alike(spots: Sequence[Spot]) -> None:
    if not spots:
        raise OptionError("a batch has at least one spot; give some")
    first = spots[0]
    for spot in spots:
        if spot.street != _RIVER or spot.rake:
            raise OptionError(
                f"{spot.board_text} is not a river without rake, the only spots of a batch"
            )
        if any(getattr(spot, name) != getattr(first, name) for name in _ALIKE):
            raise OptionError(
                f"{spot.board_text} has other bets or chips than {first.board_text}; solve spots "
                "with the same pot, stack and bets in one batch"
            )


def merge_boards(sets: Sequence[BoardSet], forest: StreetForest) -> BoardSet:
    """Boards of several rivers as one set, with the offsets of their rows."""
    parts = [some.arrays for some in sets]
    hands = np.cumsum([0, *(len(part.first) for part in parts)])
    groups = np.cumsum([0, *(len(part.group_end) for part in parts)])

    def joined(name: str) -> npt.NDArray[np.generic]:
        return np.concatenate([getattr(part, name) for part in parts])

    width = joined("width")
    sizes = width.astype(np.uint64) * np.array(forest.rows, np.uint64)
    row = (np.cumsum(sizes.ravel()) - sizes.ravel()).reshape(sizes.shape)
    arrays = StreetBoards(
        count=joined("count"),
        width=width,
        row=row,
        hand=np.concatenate(
            [part.hand + np.uint64(at) for part, at in zip(parts, hands[:-1], strict=True)]
        ),
        first=joined("first"),
        second=joined("second"),
        same=joined("same"),
        group=groups.astype(np.uint64),
        group_end=joined("group_end"),
        below=np.zeros(len(parts) + 1, np.uint64),
        images=joined("images"),
        image=np.zeros((len(parts), 2), np.uint64),
        parent_hand=np.zeros(0, np.uint16),
        share=parts[0].share,
        unit=np.zeros(len(parts), np.uint64),
        locked=np.zeros((0, 0), np.bool_),
    )
    return BoardSet(
        [some.boards[0] for some in sets],
        list(range(len(sets))),
        [some.images[0] for some in sets],
        [some.combos[0] for some in sets],
        arrays,
    )
