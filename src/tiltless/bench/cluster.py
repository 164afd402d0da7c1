"""Benchmark of clusters: Ray's workers against processes of this machine, and what a round costs.

Without Ray every figure is null.
"""

import time
from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np
import numpy.typing as npt

from tiltless.agents.agent import Agent
from tiltless.arena.chunk import play_chunk
from tiltless.arena.plan import MatchPlan
from tiltless.arena.workers import in_order
from tiltless.bench import Result
from tiltless.blueprint.packed_changes import PackedTable, add_packed, pack_table
from tiltless.distributed.connect import connected
from tiltless.executor import Executor, KeptProcesses, Shared

__all__ = ["run"]

_WORKERS, _ROUNDS = 2, 3
_WARM, _SLICE = 8, 20  # chunks: before the clock runs, and between two changes of turn
_DEALS = 10_000  # mirrored, so 20,000 hands
_NUMBERS = 27_500_000  # of each of two tables: the 220 MB of a blueprint for two players
_CHANGED = 0.5
_STORE = 700 << 20


def run() -> Result:
    """Both executors take turns, so that both see the same disturbances.

    overhead_ratio: hands per second through Ray over those in two processes, 20,000 hands of
    ``blueprint`` against ``rules``, warm.  round_overhead_s: all of a round with two copies but the
    traversals: tables of 220 MB out, changes of half of the numbers packed, back and merged.
    """
    names = ("overhead_ratio", "cluster_hands_per_s", "processes_hands_per_s")
    others = ("round_overhead_s", "round_up_mb", "cluster_start_s")
    if find_spec("ray") is None:
        return dict.fromkeys((*names, *others))
    plan = MatchPlan(("blueprint", "rules"), _DEALS, seed=1)
    begin = time.perf_counter()
    with (
        connected(cores=_WORKERS, store_bytes=_STORE) as cluster,
        KeptProcesses(_WORKERS) as processes,
    ):
        cluster.check()
        started = time.perf_counter() - begin
        there, here = _match(plan, cluster, processes)
        overhead, sent = _round(cluster)
    return {
        "overhead_ratio": here / there,
        "cluster_hands_per_s": plan.hands / there,
        "processes_hands_per_s": plan.hands / here,
        "round_overhead_s": overhead,
        "round_up_mb": sent / 1e6,
        "cluster_start_s": started,
    }


def _match(plan: MatchPlan, *executors: Executor) -> list[float]:
    """Seconds of all chunks of a match in each executor, which take turns."""
    for executor in executors:  # agents are made, and their files read
        list(in_order(_play, plan, range(_WARM), executor))
    spent = [0.0] * len(executors)
    for first in range(0, plan.chunks, _SLICE):
        numbers = range(first, min(first + _SLICE, plan.chunks))
        for which, executor in enumerate(executors):
            begin = time.perf_counter()
            list(in_order(_play, plan, numbers, executor))
            spent[which] += time.perf_counter() - begin
    return spent


def _play(plan: MatchPlan, number: int, agents: Sequence[Agent]) -> None:
    play_chunk(plan, number, agents, keep_hands=False)


def _round(executor: Executor) -> tuple[float, int]:
    """Seconds of a round without traversals, and bytes that came back."""
    regret, average = (np.zeros(_NUMBERS, np.float32) for _ in range(2))
    best, sent = float("inf"), 0
    for _ in range(1 + _ROUNDS):
        begin = time.perf_counter()
        shared = executor.share(regret)
        changes = list(executor.map(_exchange, [shared] * _WORKERS))
        add_packed(regret, [each[0] for each in changes], 1 / _WORKERS)
        add_packed(average, [each[1] for each in changes], 1.0)
        best = min(best, time.perf_counter() - begin)
        sent = sum(table.nbytes for each in changes for table in each)
        del shared, changes
    return best, sent


def _exchange(regret: Shared[npt.NDArray[np.float32]]) -> tuple[PackedTable, PackedTable]:
    """What a copy does but for the traversals."""
    base = np.array(regret.get())
    learned = base.copy()
    learned[: int(_CHANGED * len(base))] += 1
    np.subtract(learned, base, out=base)
    return pack_table(base), pack_table(base)
