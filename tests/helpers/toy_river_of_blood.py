"""A blueprint of River of Blood with random probabilities and a tiny menu, for agents."""

import numpy as np

from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.blueprint.strategy import Blueprint, buckets_of
from tiltless.blueprint.tree import betting_tree
from tiltless.games.holdem.actions import RaiseTo
from tiltless.games.registry import load
from tiltless.kernels.blueprint.nodes import ACTIONS, ACTOR, ROW, STREET

MENU = "preflop: 3bb, a / 3x, a; flop, turn, river, run: 75%, a / a; force 15%; cap 3"


def save_toy(path, *, raises=0.1, unvisited=0.02, seed=1):
    """Write it.  raises: the weight of bets and raises, all-in less.  unvisited: rows of zeros."""
    tree = betting_tree(load("river-of-blood"), MENU, repeat_from=4)
    cards = card_abstraction("run-small")
    rows = tree.rows(buckets_of(tree, cards))
    rng = np.random.default_rng(seed)
    average = np.zeros(int(rows.start[-1]), np.float32)
    for node, record in enumerate(tree.nodes.node):
        if record[ACTOR] < 0:
            continue
        count, actions = int(rows.buckets[record[STREET]]), int(record[ACTIONS])
        offers = [tree.action(child) for child in tree.children(node)]
        weights = [raises if isinstance(each, RaiseTo) else 1.0 for each in offers]
        weights[-1] /= 10  # all-in, if that is possible
        block = rng.random((count, actions)) * weights
        block[rng.random(count) < unvisited] = 0
        at = int(rows.start[record[STREET]]) + int(record[ROW]) * count
        average[at : at + count * actions] = block.ravel()
    made = Blueprint.from_average(tree, "river-of-blood", {}, MENU, cards, average)
    made.save(path)
    return path
