"""Averages of several players' strategies: exact on the first street, snapshots on later ones.

The average strategy of CFR weights the current strategy by the player's own reach. On the first
street its tree is small enough to follow all actions of all players with each bucket's own reach; a
later street would need the reach of every line that shares a block, so there the current strategy
is added as it is, from time to time (Pluribus takes the mean of snapshots too).

Paper: Brown & Sandholm (2019), "Superhuman AI for multiplayer poker", supplement, algorithm 1 and
section 3: its UPDATE-STRATEGY samples the player's own action and follows all of the others'; here
all actions are followed and weighted, which is what that samples.

Tested by tests/blueprint/multiway/test_engine.py
"""

from typing import Any

import numpy as np

from tiltless.kernels.base.jit import inline, kernel
from tiltless.kernels.multiway.nodes import ACTIONS, ACTOR, FIRST, STREET, MultiwayNodes

__all__ = ["add_first_street", "add_snapshot"]

U = np.uint64
F = np.float32


@inline
def _current(regret: Any, row: Any, actions: Any, a: Any, total: Any) -> Any:
    return max(regret[row + a], F(0)) / total if total > F(0) else F(1) / F(actions)


@kernel
def add_first_street(
    nodes: MultiwayNodes, start: Any, regret: Any, average: Any, weight: Any, buckets: Any
) -> None:
    """Add the current strategy of the first street to the average, weighted by own reach.

        S(I, a) <- S(I, a) + weight * pi_own(I) * sigma(I, a)

    start: int64 ``[nodes]``.  regret, average: float32, rows as in `traverse_multiway`.
    buckets: of the first street.
    """
    node, count = nodes.node, U(len(nodes.node))
    last = U(0)
    while last < count and node[last, STREET] == node[0, STREET]:
        last += U(1)
    players = U(nodes.contribution.shape[1])
    # Parents come before their children, and a child's reach differs from its parent's for one
    # player alone: a node keeps, for each player, which vector is theirs.
    depth_of, most = np.zeros(last, np.int64), U(0)
    for at in range(last):
        for a in range(U(node[at, ACTIONS])):
            depth_of[U(node[at, FIRST]) + a] = depth_of[at] + 1
            most = max(most, U(depth_of[at] + 1))
    reach = np.ones((most + U(2), U(buckets)), np.float32)
    owner = np.zeros((most + U(2), players), np.int64)  # 0: a vector of ones
    path, action = np.zeros(most + U(1), np.int64), np.zeros(most + U(1), np.int64)
    depth = U(0)
    while True:
        here, chosen = U(path[depth]), U(action[depth])
        actions = U(node[here, ACTIONS])
        if node[here, ACTOR] < 0 or chosen == actions:
            if depth == U(0):
                return
            depth -= U(1)
            action[depth] += 1
            continue
        actor, begin = U(node[here, ACTOR]), U(start[here])
        mine, below = reach[U(owner[depth, actor])], reach[depth + U(1)]
        for b in range(U(buckets)):
            row, total = begin + b * actions, F(0)
            for a in range(actions):
                total += max(regret[row + a], F(0))
            x = mine[b] * _current(regret, row, actions, chosen, total)
            below[b] = x
            average[row + chosen] += F(weight) * x
        depth += U(1)
        owner[depth] = owner[depth - U(1)]
        owner[depth, actor] = depth
        path[depth], action[depth] = np.int64(node[here, FIRST]) + np.int64(chosen), 0


@kernel
def add_snapshot(
    nodes: MultiwayNodes,
    start: Any,
    buckets: Any,
    regret: Any,
    average: Any,
    weight: Any,
    first: Any,
    stop: Any,
) -> None:
    """Add the current strategy of later streets to the average, wherever a row was visited.

    buckets: int64 ``[streets]``.  first, stop: the nodes from one to before the other, of which
    those of later streets count; threads take different ones.
    A row whose regrets are all 0 was never visited.
    """
    node = nodes.node
    for at in range(U(first), U(stop)):
        if node[at, ACTOR] < 0 or node[at, STREET] == node[0, STREET]:
            continue
        actions = U(node[at, ACTIONS])
        for b in range(U(buckets[U(node[at, STREET])])):
            row, total, seen = U(start[at]) + b * actions, F(0), False
            for a in range(actions):
                seen = seen or regret[row + a] != F(0)
                total += max(regret[row + a], F(0))
            if seen:
                for a in range(actions):
                    average[row + a] += F(weight) * _current(regret, row, actions, a, total)
