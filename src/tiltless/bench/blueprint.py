"""Benchmark of blueprint training: traversals per second of the three sampling schemes."""

import time
from typing import Any

from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.cards.tables import build_tables
from tiltless.bench import Result
from tiltless.bench.measuring.busy import busy_thread_ratio
from tiltless.bench.measuring.timing import peak_megabytes
from tiltless.blueprint.engine import BlueprintEngine, BlueprintRules
from tiltless.blueprint.sampling import ExternalTraversals
from tiltless.blueprint.tree import BettingTree, betting_tree
from tiltless.games.holdem.game import Holdem
from tiltless.games.registry import load

__all__ = ["run"]

_WARM_UP = 64 * ExternalTraversals.block
_RUNS = 5
_WALKS = 64 * ExternalTraversals.block
_THESIS_WALKS = 20_000_000  # an iteration is a walk for each player


def run() -> Result:
    """Measure the thesis' whole training, then the tree `standard` at 100 big blinds."""
    return {**_thesis(), **_standard()}


def _tree(game: str, bets: str, **parameters: Any) -> BettingTree:
    made = load(game, **parameters)
    assert isinstance(made, Holdem)
    return betting_tree(made, bets)


def _thesis() -> Result:
    """Ten million iterations on two threads, and the memory of the whole process."""
    tree = _tree("toy-holdem", "thesis")
    groups = build_tables(card_abstraction("thesis")).groups[: tree.streets]
    engine = BlueprintEngine(tree, groups, BlueprintRules("chance"), seed=1, threads=2)
    engine.run(1)
    start = time.perf_counter()
    engine.run(_THESIS_WALKS)
    return {
        "thesis_10m_s": time.perf_counter() - start,
        "thesis_nodes": float(tree.size.nodes),
        "thesis_infosets_touched": float(engine.infosets_touched()),
        "thesis_peak_mb": peak_megabytes(),
    }


def _standard() -> Result:
    """Best of several runs after a warm-up."""
    tree = _tree("nlhe", "standard", stack="100bb")
    groups = build_tables(card_abstraction("standard")).groups
    result: Result = {"nodes": float(tree.size.nodes)}
    nodes_of, engines = {}, {}
    for threads in (1, 2):
        engine = engines[threads] = BlueprintEngine(tree, groups, seed=1, threads=threads)
        engine.run(_WARM_UP)
        best = nodes = 0.0
        for _ in range(_RUNS):
            visited, start = engine.visited, time.perf_counter()
            engine.run(_WALKS)
            seconds = time.perf_counter() - start
            best = max(best, _WALKS / seconds)
            nodes = max(nodes, (engine.visited - visited) / seconds)
        name = "" if threads == 1 else "two_threads_"
        result[f"{name}traversals_per_s"] = best
        result[f"{name}nodes_per_s"] = nodes_of[threads] = nodes
    result["thread_scaling"] = nodes_of[2] / nodes_of[1]
    result["busy_thread_ratio"] = busy_thread_ratio(lambda threads: engines[threads].run(_WALKS))
    for sampling in ("chance", "public-chance"):
        engine = BlueprintEngine(tree, groups, BlueprintRules(sampling), seed=1)
        engine.run(1)
        best = 0.0
        for _ in range(_RUNS):
            start = time.perf_counter()
            engine.run(1)
            best = max(best, engine.block_walks / (time.perf_counter() - start))
        result[f"{sampling.replace('-', '_')}_walks_per_s"] = best
    return result
