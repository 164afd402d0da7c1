"""Sampled engines: compiled traversals of part of the game, by one thread or several.

With one seed and one thread the tables are the same to the last bit, however the iterations are
divided into runs. For several threads, see `tiltless.tabular.replicas`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.cfr.averaging import AveragingRule
from tiltless.cfr.pruning import PruningRule
from tiltless.cfr.regret import RegretRule
from tiltless.cfr.sampling import ChanceSampling, External, PublicChance, SamplingScheme
from tiltless.kernels.tabular.chance import run_chance_sampled
from tiltless.kernels.tabular.external import TraversalLanes, run_external
from tiltless.kernels.tabular.outcome import run_outcome
from tiltless.kernels.tabular.sampled import SampledNodes, SampledTables, Snapshot, Span, lay_out
from tiltless.tabular.flat import FlatGame, FlatTree
from tiltless.tabular.full_traversal import normalised
from tiltless.tabular.public_chance import PublicChanceEngine
from tiltless.tabular.replicas import Replicas
from tiltless.tabular.sampled_rules import sampled_rules

__all__ = ["SampledEngine", "sampled_engine", "sampled_nodes"]

Table = npt.NDArray[np.float64]

_LARGE = 16 << 20  # bytes; a game larger than this does not stay in the caches of one core
_LANES = 4


def sampled_engine(
    flat: FlatGame,
    sampling: SamplingScheme,
    regret: RegretRule,
    averaging: AveragingRule,
    pruning: PruningRule,
    *,
    seed: int = 0,
    threads: int = 1,
) -> "SampledEngine | PublicChanceEngine":
    """The engine for a sampling scheme; players are updated in turn."""
    kind = PublicChanceEngine if isinstance(sampling, PublicChance) else SampledEngine
    return kind(flat, sampling, regret, averaging, pruning, seed=seed, threads=threads)


class SampledEngine:
    """Chance, external and outcome sampling for any finite game, any number of players.

    lanes: number of external-sampling traversals that take turns in each thread while they wait for
        memory; by default 4 in games that do not fit into caches, otherwise 1. With several, up to
        ``lanes - 1`` traversals are unfinished when a run ends, and are finished by the next.
    copies: whether each thread has its own tables, see `tiltless.tabular.replicas`.
    visited: number of nodes that all traversals have visited.
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
        lanes: int | None = None,
        copies: bool | None = None,
    ) -> None:
        self.flat, self.sampling = flat, sampling
        self.rules = sampled_rules(sampling, regret, averaging, pruning)
        self.nodes = sampled_nodes(flat.tree)
        self.replicas = Replicas(flat.entries, self.rules, seed, threads, copies)
        if lanes is None:
            size = self.nodes.record.nbytes + 16 * flat.entries
            lanes = _LANES if size > _LARGE else 1
        self._scratch: list[Any] = [None] * threads
        if isinstance(self.sampling, External):
            self._scratch = [_new_lanes(lanes, self.nodes) for _ in range(threads)]
        elif isinstance(self.sampling, ChanceSampling):
            self._scratch = [_new_snapshot(flat.entries) for _ in range(threads)]
        self.visited = 0

    @property
    def tables(self) -> SampledTables:
        """Regrets and averages, float64 ``[entries]`` of the flat form."""
        return self.replicas.tables

    def run(self, first: int, count: int) -> None:
        self.visited += self.replicas.run(self._job, first, count)

    def _job(self, thread: int, tables: SampledTables, span: Span, words: Any) -> int:
        given, scratch = (self.nodes, tables, self.rules, span, words), self._scratch[thread]
        if isinstance(self.sampling, External):
            return int(run_external(*given, scratch))
        if isinstance(self.sampling, ChanceSampling):
            return int(run_chance_sampled(*given, scratch))
        return int(run_outcome(*given))

    def average(self) -> Table:
        """The average strategy, float64 ``[entries]`` of the flat form."""
        return normalised(self.flat, self.tables.average)

    def current(self) -> Table:
        return normalised(self.flat, np.maximum(self.tables.regret, 0.0))

    def state(self) -> Mapping[str, npt.NDArray[Any]]:
        state = self.replicas.state()
        if isinstance(self.sampling, External):
            for name in TraversalLanes._fields:
                state[f"walks_{name}"] = np.array([getattr(each, name) for each in self._scratch])
        return state

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Continue from a `state`; unfinished traversals need the same number of threads."""
        same = self.replicas.restore(state)
        if isinstance(self.sampling, External):
            for thread, lanes in enumerate(self._scratch):
                for name, part in lanes._asdict().items():
                    part[...] = state[f"walks_{name}"][thread] if same else 0


def sampled_nodes(tree: FlatTree) -> SampledNodes:
    """A flat tree in the layout of the kernels that sample: 16 bytes a node."""
    nodes, players = len(tree.actor), tree.payoffs.shape[1]
    even = np.zeros(len(tree.chance_probs), np.bool_)
    lines = np.unique(tree.row[tree.actor == -1])
    if len(lines):
        most, least = (
            np.maximum.reduceat(tree.chance_probs, lines),
            np.minimum.reduceat(tree.chance_probs, lines),
        )
        even[lines] = most == least
    record = np.empty(4 * nodes, np.uint32)
    lay_out(tree, even, np.empty(nodes, np.int64), np.empty(nodes, np.int64), record)
    width = int(np.diff(tree.start).max(initial=1))
    return SampledNodes(
        record, tree.chance_probs, tree.payoffs.reshape(-1), players, len(tree.level), width
    )


def _new_lanes(lanes: int, nodes: SampledNodes) -> TraversalLanes:
    room = lanes * nodes.depth
    return TraversalLanes(
        turn=np.zeros(1, np.uint64),
        stage=np.zeros(lanes, np.uint64),
        player=np.zeros(lanes, np.uint64),
        node=np.zeros(lanes, np.uint64),
        height=np.zeros(lanes, np.uint64),
        weight=np.zeros((3, lanes)),
        stack=np.zeros((4, room), np.uint64),
        share=np.zeros(room * nodes.width),
        value=np.zeros(room * nodes.width),
    )


def _new_snapshot(entries: int) -> Snapshot:
    return Snapshot(np.zeros(entries, np.int64), np.zeros(entries))
