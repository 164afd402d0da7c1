"""A small game whose exploitability can be computed exactly: limps and all-ins before the flop."""

import numpy as np

from tiltless.abstraction.cards.buckets import ONE_BUCKET, PREFLOP_CLASSES
from tiltless.blueprint.sampling import heads_up_payoffs
from tiltless.blueprint.tree import betting_tree
from tiltless.cards.preflop import class_pairs, preflop_equities
from tiltless.games import load


def push_or_fold(stack=20):
    tree = betting_tree(load("nlhe", stack=stack), "preflop: a; none")
    groups = [PREFLOP_CLASSES, *[ONE_BUCKET] * (tree.streets - 1)]
    return tree, groups


def best_response_value(tree, rows, average, player):
    """What the best answer to the average wins, in chips a hand, exactly: 169 x 169 equities.

    Written without kernels: vectors of 169 classes go down the tree, values come back up.
    """
    pairs = class_pairs() / class_pairs().sum()
    edge = pairs * (2 * preflop_equities() - 1)
    if player == 1:
        edge = (pairs * (1 - 2 * preflop_equities())).T
    node, payoff = tree.nodes.node, heads_up_payoffs(tree)
    sign = -1 if player else 1

    def value(at, reach):
        actor, street, count, first, row = (int(x) for x in node[at, :5])
        if actor < 0:
            lost, tied, won = sign * payoff[row].astype(float)
            if actor == -2:
                return tied * (pairs @ reach)
            return (won - lost) / 2 * sign * (edge @ reach)
        if actor == player:
            return np.max([value(first + a, reach) for a in range(count)], axis=0)
        if street:
            share = np.full((169, count), 1 / count)
        else:
            share = average[row * 169 : row * 169 + 169 * count].reshape(169, count).astype(float)
            total = share.sum(axis=1, keepdims=True)
            share = np.where(total > 0, share / np.maximum(total, 1e-30), 1 / count)
        return sum(value(first + a, reach * share[:, a]) for a in range(count))

    return value(0, np.ones(169)).sum()
