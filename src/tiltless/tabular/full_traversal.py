"""Full-tree engines: every history in every iteration.

`FlatEngine` takes any finite game. `StackedEngine` takes two-player zero-sum games that have a
public form and runs them an order of magnitude faster; the results are the same but for the order
of sums, and for player 0's average, taken at the end of iterations instead of the beginning.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.cfr.averaging import AveragingRule
from tiltless.cfr.regret import RegretRule
from tiltless.cfr.schedule import schedule
from tiltless.errors import OptionError
from tiltless.kernels.base.simd import LANES
from tiltless.kernels.tabular.full import FlatWorkspace, RegretTables, run_flat
from tiltless.kernels.tabular.full_batched import StackedWorkspace, run_stacked
from tiltless.tabular.batched_tree import stack
from tiltless.tabular.flat import FlatGame
from tiltless.tabular.public import PublicForm

__all__ = ["FlatEngine", "StackedEngine", "in_flat_order", "normalised"]

Table = npt.NDArray[np.float64]


def normalised(flat: FlatGame, sums: Table) -> Table:
    """A profile float64 ``[entries]`` from weights; uniform where an infoset has none."""
    starts = flat.tree.start[:-1]
    counts = np.diff(flat.tree.start)
    totals = np.repeat(np.add.reduceat(sums, starts), counts)
    even = np.repeat(1.0 / counts, counts)
    safe = np.where(totals > 0, totals, 1.0)
    return np.where(totals > 0, sums / safe, even)


def in_flat_order(flat: FlatGame, table: Table, indices: npt.NDArray[Any]) -> Table:
    """A table of another form, float64 ``[entries]``.  indices: of its entries; -1 for padding."""
    out = np.zeros(flat.entries)
    known = indices >= 0
    out[indices[known]] = table[known]
    return out


class FlatEngine:
    """Any finite game, any number of players."""

    def __init__(
        self, flat: FlatGame, regret: RegretRule, averaging: AveragingRule, alternating: bool
    ) -> None:
        self.flat, self.regret, self.averaging = flat, regret, averaging
        self.alternating = alternating
        entries = flat.entries
        uniform = normalised(flat, np.zeros(entries))
        self.tables = RegretTables(np.zeros(entries), np.zeros(entries), uniform, np.zeros(entries))
        self._work = FlatWorkspace(*(np.zeros(flat.nodes) for _ in range(3)))

    def run(self, first: int, count: int) -> None:
        rules = schedule(self.regret, self.averaging, first, count)
        run_flat(self.flat.tree, rules, self.alternating, self.tables, self._work)

    def average(self) -> Table:
        """The average strategy, float64 ``[entries]`` of the flat form."""
        return normalised(self.flat, self.tables.average)

    def current(self) -> Table:
        return np.array(self.tables.strategy)

    def state(self) -> Mapping[str, Table]:
        return self.tables._asdict()

    def restore(self, state: Mapping[str, Table]) -> None:
        for name, table in self.tables._asdict().items():
            table[:] = state[name]


class StackedEngine:
    """Two players, zero sum, with a public form; players alternate."""

    def __init__(
        self, flat: FlatGame, form: PublicForm, regret: RegretRule, averaging: AveragingRule
    ) -> None:
        if form.width % LANES:
            raise OptionError(f"make the public form with lane={LANES}, not {form.width} wide")
        self.flat, self.regret, self.averaging = flat, regret, averaging
        self.stacks = stack(form)
        self._indices = form.flat_indices(flat)[self.stacks.rows, self.stacks.hands]
        entries = self.stacks.entries
        self.tables = RegretTables(
            np.zeros(entries), np.zeros(entries), self._uniform(), np.zeros(entries)
        )
        self._work = StackedWorkspace(np.zeros(self.stacks.reaches), np.zeros(self.stacks.values))

    def _uniform(self) -> Table:
        tree = self.stacks.tree
        acting = tree.actor >= 0
        moves = np.diff(tree.first)[acting]
        return np.repeat(1.0 / moves, (moves * tree.length[acting]).astype(np.int64))

    def run(self, first: int, count: int) -> None:
        rules = schedule(self.regret, self.averaging, first, count)
        run_stacked(self.stacks.tree, rules, self.tables, self._work)

    def average(self) -> Table:
        """The average strategy, float64 ``[entries]`` of the flat form."""
        return normalised(self.flat, in_flat_order(self.flat, self.tables.average, self._indices))

    def current(self) -> Table:
        return in_flat_order(self.flat, self.tables.strategy, self._indices)

    def state(self) -> Mapping[str, Table]:
        return self.tables._asdict()

    def restore(self, state: Mapping[str, Table]) -> None:
        for name, table in self.tables._asdict().items():
            table[:] = state[name]
