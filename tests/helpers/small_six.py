"""A blueprint of several seats that plays at random: four seats, 20 big blinds, few buckets."""

from functools import lru_cache

import numpy as np

from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.blueprint.multiway.graph import BettingGraph
from tiltless.blueprint.multiway.graph_layout import betting_graph
from tiltless.blueprint.multiway.model import MultiwayBlueprint
from tiltless.games.registry import load

PARAMETERS = {"seats": 4, "stack": "20bb"}


@lru_cache(maxsize=1)
def small_graph() -> BettingGraph:
    """Its betting graph."""
    return betting_graph(load("nlhe", **PARAMETERS), "six-small")


def random_model(seed: int = 7, unmet: float = 0.05) -> MultiwayBlueprint:
    """A strategy of random weights.  unmet: the share of decisions that were never visited."""
    graph, cards, rng = small_graph(), card_abstraction("small"), np.random.default_rng(seed)
    average = rng.random(graph.size.entries(cards.counts), np.float32)
    average[rng.random(len(average)) < 0.3] = 0
    average[: int(unmet * len(average))] = 0
    return MultiwayBlueprint.from_average(
        graph, "nlhe", PARAMETERS, cards, average, {"walks": 5, "command": "none"}
    )
