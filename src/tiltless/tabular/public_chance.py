"""The engine of public chance sampling: see `tiltless.cfr.sampling.PublicChance`."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.cfr.averaging import AveragingRule
from tiltless.cfr.pruning import PruningRule
from tiltless.cfr.regret import RegretRule
from tiltless.cfr.sampling import SamplingScheme
from tiltless.errors import OptionError
from tiltless.kernels.base.simd import LANES
from tiltless.kernels.tabular.public_chance import PublicNodes, run_public_chance
from tiltless.kernels.tabular.sampled import SampledTables, Snapshot, Span
from tiltless.tabular.flat import FlatGame
from tiltless.tabular.full_traversal import in_flat_order, normalised
from tiltless.tabular.public import PublicForm, public_form
from tiltless.tabular.replicas import Replicas
from tiltless.tabular.sampled_rules import sampled_rules

__all__ = ["PublicChanceEngine", "public_nodes"]

Table = npt.NDArray[np.float64]


class PublicChanceEngine:
    """Public chance sampling for games of two players that have a public form.

    visited: number of public nodes that all traversals have visited.
    """

    def __init__(
        self,
        flat: FlatGame,
        sampling: SamplingScheme,
        regret: RegretRule,
        averaging: AveragingRule,
        pruning: PruningRule,
        *,
        seed: int = 0,
        threads: int = 1,
        copies: bool | None = None,
    ) -> None:
        if flat.game.players != 2:
            raise OptionError(
                f"public chance sampling is for two players and {flat.game.name} has "
                f"{flat.game.players}; use External()"
            )
        self.flat = flat
        self.rules = sampled_rules(sampling, regret, averaging, pruning)
        form = public_form(flat.game, lane=LANES)
        entries = form.rows * form.width
        self.nodes = public_nodes(form)
        self.replicas = Replicas(entries, self.rules, seed, threads, copies)
        self._snapshots = [
            Snapshot(np.zeros(form.rows, np.int64), np.zeros(entries)) for _ in range(threads)
        ]
        self._indices = form.flat_indices(flat).reshape(-1)
        self.visited = 0

    @property
    def tables(self) -> SampledTables:
        """Regrets and averages, float64 ``[rows * width]`` of the public form."""
        return self.replicas.tables

    def run(self, first: int, count: int) -> None:
        self.visited += self.replicas.run(self._job, first, count)

    def _job(self, thread: int, tables: SampledTables, span: Span, words: Any) -> int:
        given = self.nodes, tables, self.rules, span, words
        return int(run_public_chance(*given, self._snapshots[thread]))

    def average(self) -> Table:
        """The average strategy, float64 ``[entries]`` of the flat form."""
        return normalised(self.flat, in_flat_order(self.flat, self.tables.average, self._indices))

    def current(self) -> Table:
        regret = in_flat_order(self.flat, self.tables.regret, self._indices)
        return normalised(self.flat, np.maximum(regret, 0.0))

    def state(self) -> Mapping[str, npt.NDArray[Any]]:
        return self.replicas.state()

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        self.replicas.restore(state)


def public_nodes(form: PublicForm) -> PublicNodes:
    """A public tree of two players in the layout of the kernel."""
    tree = form.tree
    if tree.matrix.shape[1] == 1:  # zero-sum: player 1 loses what player 0 wins
        matrix = np.repeat(tree.matrix, 2, axis=1)
        scale = tree.scale * np.array([1.0, -1.0])
    else:
        matrix, scale = tree.matrix, tree.scale
    towards = np.stack([tree.matrices.transpose(0, 2, 1), tree.matrices])
    return PublicNodes(
        actor=tree.actor,
        row=tree.row,
        first=tree.first,
        matrix=np.ascontiguousarray(matrix.T + np.array([[0], [len(tree.matrices)]], np.uint32)),
        scale=np.ascontiguousarray(scale.T),
        payoff=towards.reshape(-1),
        width=form.width,
        depth=len(tree.level),
        actions=max(len(block.actions) for block in form.blocks),
    )
