"""Public chance sampling over a betting tree and buckets: recursion, and every pair of hands."""

import numpy as np

from tiltless.kernels.blueprint.nodes import ACTIONS, ACTOR, FIRST, SHOWDOWN, STREET
from tiltless.kernels.blueprint.nodes import ROW as LINE


def pairs(cards, values):
    """Which hands can meet, and who wins: float64 `[hands, hands]` each, 1, 0 or -1 in the last."""
    shared = (cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    meet = (~shared).astype(float)
    return meet, meet * np.sign(values[:, None] - values[None, :])


def walk(tree, regret, average, payoff, hands, player, floor=-np.inf):
    """One walk for ``player``; regret and average map a node to float64 [buckets, actions].

    hands: (cards [n, 2], values [n], bucket [streets, n]).
    """
    node, (cards, values, bucket) = tree.nodes.node, hands
    meet, wins = pairs(cards, values)
    many = len(cards)

    def visit(at, reach):
        actor, street, count, first = (int(node[at, c]) for c in (ACTOR, STREET, ACTIONS, FIRST))
        if actor < 0:
            stake = payoff[node[at, LINE]].astype(float) / meet.sum()
            if actor == SHOWDOWN:
                return stake[2] * (wins @ reach)
            return (-stake[1] if player else stake[1]) * (meet @ reach)
        positive = np.maximum(regret[at], 0)
        total = positive.sum(axis=1, keepdims=True)
        share = np.where(total > 0, positive / np.where(total > 0, total, 1), 1 / count)
        mine = share[bucket[street]]
        if actor != player:
            np.add.at(average[at], bucket[street], (reach / many)[:, None] * mine)
            return sum(visit(first + a, reach * mine[:, a]) for a in range(count))
        found = np.stack([visit(first + a, reach) for a in range(count)], axis=1)
        mean = (found * mine).sum(axis=1)
        gained = np.zeros_like(regret[at])
        np.add.at(gained, bucket[street], found - mean[:, None])
        regret[at] = np.maximum(regret[at] + gained, floor)
        return mean

    return visit(0, np.ones(many))
