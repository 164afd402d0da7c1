"""Benchmark of six seats: vector traversals per second, on one thread and on two; decision times.

``six_decision_ms`` is the mean time of the agent ``six`` for a decision when six of it play.
``six_search_decision_p99_ms`` is what 99 % of the decisions of ``six:search`` take less than, of
those that it searches: at most 2 seconds each, by its own clock. ``six_busy_in_time`` is the share
of all its decisions, searched or not, that take at most those 2 seconds while one other process for
each core keeps the machine busy, and ``six_busy_longest_ms`` the longest of them.
"""

import os
import time
from contextlib import ExitStack
from random import Random

import numpy as np

from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.cards.tables import build_tables
from tiltless.agents.agent import Clock
from tiltless.agents.registry import make_agent
from tiltless.agents.thinking_time import thinking_time
from tiltless.bench import Result
from tiltless.bench.measuring.busy import busy_core
from tiltless.bench.measuring.timing import peak_megabytes
from tiltless.blueprint.multiway.deals import HoldemDealer
from tiltless.blueprint.multiway.engine import MultiwayEngine
from tiltless.blueprint.multiway.graph_layout import betting_graph
from tiltless.games.game import TERMINAL
from tiltless.games.holdem.game import Holdem
from tiltless.games.registry import load
from tiltless.plugins import provided

__all__ = ["run"]

_FROM, _TO = 262_144, 393_216  # traversals; early ones are short
_PART = 32_768
_RUNS = 3
_LIMIT = 2.0  # seconds for a decision of six:search, its default


def run() -> Result:
    """Measure the parts one after the other."""
    figures = {name: measure() for name, measure in provided("six bench", "FIGURES")}
    return {**training(), **decisions(), **figures}


def decisions(plain: str = "six", search: str = "six:search", hands: int = 100) -> Result:
    """Decision times in self-play; a sixth of the hands with search."""
    every, searched = _decision_times(plain, hands), _decision_times(search, hands // 6)
    searches = [seconds for seconds, source in searched if source == "search"]
    with ExitStack() as others:
        for _ in range(os.cpu_count() or 1):
            others.enter_context(busy_core())
        busy = [seconds for seconds, _ in _decision_times(search, hands // 6)]
    return {
        "six_decision_ms": 1e3 * float(np.mean([seconds for seconds, _ in every])),
        "six_search_decisions": float(len(searches)),
        "six_search_decision_p99_ms": 1e3 * float(np.quantile(searches or [0.0], 0.99)),
        "six_busy_decisions": float(len(busy)),
        "six_busy_in_time": float(np.mean([seconds <= _LIMIT for seconds in busy])),
        "six_busy_longest_ms": 1e3 * max(busy),
    }


def _decision_times(name: str, hands: int) -> list[tuple[float, str]]:
    """Seconds and source of each decision, all seats played by one agent, after one more hand."""
    game, agent, rng = load("nlhe", seats=6, stack="100bb"), make_agent(name), Random(1)
    assert isinstance(game, Holdem)
    found: list[tuple[float, str]] = []
    for hand in range(-1, hands):
        state = game.start(button=hand % game.players)
        while state.actor != TERMINAL:
            if state.chance is not None:
                state = state.apply(state.chance.sample(rng))
                continue
            start = thinking_time()
            decision = agent.act(state.view(state.actor), Clock(), rng)
            found.append((thinking_time() - start, decision.source))
            state = state.apply(decision.action)
        if hand < 0:
            found.clear()
    return found


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
