"""Benchmark of six seats: vector traversals per second, on one thread and on two."""

import time

from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.cards.tables import build_tables
from tiltless.bench import Result
from tiltless.bench.timing import peak_megabytes
from tiltless.blueprint.multiway.deals import HoldemDealer
from tiltless.blueprint.multiway.engine import MultiwayEngine
from tiltless.blueprint.multiway.graph import betting_graph
from tiltless.games.holdem.game import Holdem
from tiltless.games.registry import load
from tiltless.plugins import provided

__all__ = ["run"]

_FROM, _TO = 262_144, 393_216  # traversals; early ones are short
_PART = 32_768
_RUNS = 3


def run() -> Result:
    """Measure the parts one after the other."""
    figures = {name: measure() for name, measure in provided("six bench", "FIGURES")}
    return {**training(), **figures}


def training() -> Result:
    """The default menu with 100 big blinds and the standard buckets, seed 1."""
    game = load("nlhe", seats=6, stack="100bb")
    assert isinstance(game, Holdem)
    graph = betting_graph(game)
    dealer = HoldemDealer(game, build_tables(card_abstraction("standard")).groups)
    engine = MultiwayEngine(graph, dealer, seed=1, threads=1)
    engine.run(_FROM)
    visited, before = engine.visited, engine.walks
    rate, by_processor = _rates(engine, _TO - _FROM)
    nodes = (engine.visited - visited) / (engine.walks - before)
    best = {1: 0.0, 2: 0.0}
    for _ in range(_RUNS):  # in turn, so that both see the same disturbances
        for threads in best:
            engine.threads = threads
            best[threads] = max(best[threads], _rates(engine, _PART)[0])
    return {
        "six_traversals_per_s": rate,
        "six_traversals_per_cpu_s": by_processor,
        "six_nodes_per_traversal": nodes,
        "six_two_threads_traversals_per_s": best[2],
        "six_two_threads_traversals_per_cpu_s": _rates(engine, _PART)[1],
        "six_thread_scaling": best[2] / best[1],
        "six_peak_mb": peak_megabytes(),
    }


def _rates(engine: MultiwayEngine, walks: int) -> tuple[float, float]:
    """Traversals per second, and per second of processor time of all threads."""
    before, start, used = engine.walks, time.perf_counter(), time.process_time()
    engine.run(walks)
    seconds, used = time.perf_counter() - start, time.process_time() - used
    return (engine.walks - before) / seconds, (engine.walks - before) / used
