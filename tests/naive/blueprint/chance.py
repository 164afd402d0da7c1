"""Chance sampling over a betting tree and buckets, by plain recursion: the thesis' pseudocode."""

import numpy as np

from tiltless.kernels.blueprint.nodes import ACTIONS, ACTOR, FIRST, SHOWDOWN
from tiltless.kernels.blueprint.nodes import ROW as LINE


def walk(tree, regret, average, payoff, hand, player, weight=1.0, floor=-np.inf):
    """One walk for ``player``; regret and average map (node, bucket) to float64 vectors.

    hand: (bucket [2, streets], result).
    """
    node, (bucket, result) = tree.nodes.node, hand

    def visit(at, own, other):
        actor, count, first = (int(node[at, c]) for c in (ACTOR, ACTIONS, FIRST))
        if actor < 0:
            value = payoff[node[at, LINE], result + 1 if actor == SHOWDOWN else 1]
            return -value if player else value
        key = at, int(bucket[actor, node[at, 1]])
        positive = np.maximum(regret.setdefault(key, np.zeros(count)), 0)
        total = positive.sum()
        share = positive / total if total > 0 else np.full(count, 1 / count)
        if actor != player:
            return sum(share[a] * visit(first + a, own, other * share[a]) for a in range(count))
        average.setdefault(key, np.zeros(count))
        average[key] += weight * own * share
        values = np.array([visit(first + a, own * share[a], other) for a in range(count)])
        mean = share @ values
        regret[key] = np.maximum(regret[key] + other * (values - mean), floor)
        return mean

    return visit(0, 1.0, 1.0)
