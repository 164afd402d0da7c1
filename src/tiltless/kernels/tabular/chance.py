"""Chance sampling: one outcome wherever chance moves, all actions of all players.

Paper: Lanctot, Waugh, Zinkevich & Bowling (2009), "Monte Carlo sampling for regret minimization in
extensive games".

Twin: tests/naive/tabular/sampled.py; tested by tests/tabular/test_sampled.py
"""

from typing import Any

import numpy as np

from tiltless.kernels.base.jit import kernel
from tiltless.kernels.base.rng import next_below, next_double
from tiltless.kernels.tabular.sampled import (
    CHANCE,
    COUNT,
    EVEN_CHANCE,
    FIRST,
    KIND,
    OFFSET,
    TERMINAL,
    WORDS,
    SampledNodes,
    SampledRules,
    SampledTables,
    Snapshot,
    Span,
    action_prob,
    average_weight,
    prune_limit,
    regret_weight,
)

__all__ = ["run_chance_sampled"]

U = np.uint64
_WORDS = U(WORDS)


@kernel
def run_chance_sampled(
    nodes: SampledNodes,
    tables: SampledTables,
    rules: SampledRules,
    span: Span,
    rng: Any,
    snapshot: Snapshot,
) -> Any:
    """Run one traversal for each player in each iteration of ``span``; return the nodes visited.

    At nodes of the traverser, with the reach of the traverser and of the others (chance has been
    sampled, so it is not part of it):

        R(I, a) <- R(I, a) + weight * others * (v(a) - v),   v = sum over b of sigma(b) v(b)
        S(I, a) <- S(I, a) + average weight * own * sigma(a)

    A node that neither the traverser nor the others reach changes nothing and is not entered.
    rng: uint64 ``[1]``, the state of the generator, overwritten.
    """
    record, chance_probs, payoffs = nodes.record, nodes.chance_probs, nodes.payoffs
    regret, average = tables.regret, tables.average
    traversal_of, strategy = snapshot.traversal, snapshot.strategy
    players, depth, width = nodes.players, U(nodes.depth), U(nodes.width)

    # The stack holds every player's node above, not only those of the traverser.
    kind_of, first_of = np.empty(depth, np.uint64), np.empty(depth, np.uint64)
    offset_of, count_of = np.empty(depth, np.uint64), np.empty(depth, np.uint64)
    action_of = np.empty(depth, np.uint64)
    own_of, others_of = np.empty(depth), np.empty(depth)
    strategy_at = np.empty(depth * width)  # below 0: this action is skipped
    value_of = np.empty(depth * width)

    visited = 0
    t = span.first
    for _ in range(span.iterations):
        weight = regret_weight(t, rules.linear)
        average_w = average_weight(t, rules.gamma, rules.delay)
        for player in range(U(players)):
            draw = next_double(rng) if t > rules.warmup else 0.0
            limit = prune_limit(t, weight, draw, rules)
            traversal = t * players + np.int64(player)
            node, height, own, others = U(0), U(0), 1.0, 1.0
            while True:
                visited += 1
                at = node * _WORDS
                kind, first = U(record[at + KIND]), U(record[at + FIRST])
                offset, count = U(record[at + OFFSET]), U(record[at + COUNT])
                value = 0.0

                # 1. Chance: choose one outcome.
                if kind == EVEN_CHANCE:
                    node = first + next_below(rng, count)
                    continue
                if kind == CHANCE:
                    draw = next_double(rng)
                    pick, below = count - U(1), 0.0
                    for a in range(count):
                        below += chance_probs[offset + a]
                        if draw < below:
                            pick = U(a)
                            break
                    node = first + pick
                    continue

                # 2. A player's node that somebody reaches: put it on the stack.
                entered = kind < CHANCE and own + others > 0.0
                if entered:
                    if traversal_of[offset] != traversal:
                        total = 0.0
                        for a in range(count):
                            total += max(regret[offset + a], 0.0)
                        even = 1.0 / np.float64(count)
                        for a in range(count):
                            strategy[offset + a] = action_prob(regret[offset + a], total, even)
                        traversal_of[offset] = traversal
                    base = height * width
                    for a in range(count):
                        prob = strategy[offset + a]
                        if kind == player and prob == 0.0 and regret[offset + a] < limit:
                            if U(record[(first + a) * _WORDS + KIND]) != TERMINAL:
                                prob = -1.0
                        strategy_at[base + a] = prob
                    kind_of[height], first_of[height], offset_of[height] = kind, first, offset
                    count_of[height], action_of[height] = count, U(0)
                    own_of[height], others_of[height] = own, others
                    height += U(1)
                elif kind == TERMINAL:
                    value = payoffs[offset + player]

                # 3. Note the value of an action that was tried, go to the next one, or back up.
                trying = entered
                while height > U(0):
                    top = height - U(1)
                    base = top * width
                    count, action = count_of[top], action_of[top]
                    mine = kind_of[top] == player
                    if not trying:
                        value_of[base + action] = value
                        action += U(1)
                    while action < count and strategy_at[base + action] < 0.0:
                        action += U(1)
                    if action < count:
                        action_of[top] = action
                        prob = strategy_at[base + action]
                        own, others = own_of[top], others_of[top]
                        if mine:
                            own *= prob
                        else:
                            others *= prob
                        node = first_of[top] + action
                        break
                    trying = False
                    value = 0.0
                    for a in range(count):
                        if strategy_at[base + a] >= 0.0:
                            value += strategy_at[base + a] * value_of[base + a]
                    if mine:
                        offset, own, others = offset_of[top], own_of[top], others_of[top]
                        for a in range(count):
                            if strategy_at[base + a] >= 0.0:
                                new = weight * others * (value_of[base + a] - value)
                                regret[offset + a] = max(
                                    regret[offset + a] + new, rules.floor * weight
                                )
                                average[offset + a] += average_w * own * strategy_at[base + a]
                    height = top
                if height == U(0):
                    break
        t += span.step
    return visited
