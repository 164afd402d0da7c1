"""Training a blueprint: traversals a second, with real bucket tables."""

import time

from tiltless.abstraction.card_presets import card_abstraction
from tiltless.abstraction.tables import build_tables
from tiltless.bench import Result
from tiltless.games.holdem import Holdem
from tiltless.games.registry import load
from tiltless.solvers.blueprint import BlueprintEngine
from tiltless.solvers.blueprint_walks import External
from tiltless.tree.betting import betting_tree

__all__ = ["run"]

_WARM_UP = 64 * External.block
_RUNS = 5
_WALKS = 64 * External.block


def run() -> Result:
    """The tree `standard` of 100 big blinds, the buckets `standard`; best of several runs."""
    game = load("nlhe", stack="100bb")
    assert isinstance(game, Holdem)
    tree = betting_tree(game, "standard")
    groups = build_tables(card_abstraction("standard")).groups
    result: Result = {"nodes": float(tree.size.nodes)}
    nodes_of = {}
    for threads in (1, 2):
        engine = BlueprintEngine(tree, groups, seed=1, threads=threads)
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
    return result
