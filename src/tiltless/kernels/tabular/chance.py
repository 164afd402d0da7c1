"""Chance sampling: one outcome wherever chance moves, all actions of all players."""

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
    PLACE,
    TERMINAL,
    WORDS,
    SampledNodes,
    SampledRules,
    SampledTables,
    Snapshot,
    Span,
    average_weight,
    prune_limit,
    regret_weight,
    share_of,
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
    words: Any,
    snapshot: Snapshot,
) -> Any:
    """Run one walk for each player in each iteration of ``span``; return the nodes visited.

    At nodes of player i, whose walk it is, with the reach of the player and of the others (chance
    has been sampled, so it is not part of it):

        R(I, a) <- R(I, a) + weight * others * (v(a) - v),   v = sum over b of sigma(b) v(b)
        S(I, a) <- S(I, a) + average weight * own * sigma(a)

    A node that neither the player nor the others reach changes nothing and is not entered.
    words: uint64 ``[1]``, the state of the generator, overwritten.
    """
    record, chance_probs, payoffs = nodes.record, nodes.chance_probs, nodes.payoffs
    regret, average = tables.regret, tables.average
    walk_of, strategy = snapshot.walk, snapshot.strategy
    players, depth, width = nodes.players, U(nodes.depth), U(nodes.width)

    # The stack holds every player's node above the walk, not only those of player i.
    kind_of, first_of = np.empty(depth, np.uint64), np.empty(depth, np.uint64)
    place_of, count_of = np.empty(depth, np.uint64), np.empty(depth, np.uint64)
    action_of = np.empty(depth, np.uint64)
    own_of, others_of = np.empty(depth), np.empty(depth)
    share = np.empty(depth * width)  # below 0: this action is skipped
    value_of = np.empty(depth * width)

    visited = 0
    t = span.first
    for _ in range(span.iterations):
        weight = regret_weight(t, rules.linear)
        average_w = average_weight(t, rules.gamma, rules.delay)
        for player in range(U(players)):
            draw = next_double(words) if t > rules.warmup else 0.0
            limit = prune_limit(t, weight, draw, rules)
            walk = t * players + np.int64(player)
            node, height, own, others = U(0), U(0), 1.0, 1.0
            while True:
                visited += 1
                at = node * _WORDS
                kind, first = U(record[at + KIND]), U(record[at + FIRST])
                place, count = U(record[at + PLACE]), U(record[at + COUNT])
                value = 0.0

                # 1. Chance: choose one outcome.
                if kind == EVEN_CHANCE:
                    node = first + next_below(words, count)
                    continue
                if kind == CHANCE:
                    draw = next_double(words)
                    pick, below = count - U(1), 0.0
                    for a in range(count):
                        below += chance_probs[place + a]
                        if draw < below:
                            pick = U(a)
                            break
                    node = first + pick
                    continue

                # 2. A player's node that somebody reaches: put it on the stack.
                entered = kind < CHANCE and own + others > 0.0
                if entered:
                    if walk_of[place] != walk:
                        total = 0.0
                        for a in range(count):
                            total += max(regret[place + a], 0.0)
                        even = 1.0 / np.float64(count)
                        for a in range(count):
                            strategy[place + a] = share_of(regret[place + a], total, even)
                        walk_of[place] = walk
                    base = height * width
                    for a in range(count):
                        part = strategy[place + a]
                        if kind == player and part == 0.0 and regret[place + a] < limit:
                            if U(record[(first + a) * _WORDS + KIND]) != TERMINAL:
                                part = -1.0
                        share[base + a] = part
                    kind_of[height], first_of[height], place_of[height] = kind, first, place
                    count_of[height], action_of[height] = count, U(0)
                    own_of[height], others_of[height] = own, others
                    height += U(1)
                elif kind == TERMINAL:
                    value = payoffs[place + player]

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
                    while action < count and share[base + action] < 0.0:
                        action += U(1)
                    if action < count:
                        action_of[top] = action
                        part = share[base + action]
                        own, others = own_of[top], others_of[top]
                        if mine:
                            own *= part
                        else:
                            others *= part
                        node = first_of[top] + action
                        break
                    trying = False
                    value = 0.0
                    for a in range(count):
                        if share[base + a] >= 0.0:
                            value += share[base + a] * value_of[base + a]
                    if mine:
                        place, own, others = place_of[top], own_of[top], others_of[top]
                        for a in range(count):
                            if share[base + a] >= 0.0:
                                new = weight * others * (value_of[base + a] - value)
                                regret[place + a] = max(
                                    regret[place + a] + new, rules.floor * weight
                                )
                                average[place + a] += average_w * own * share[base + a]
                    height = top
                if height == U(0):
                    break
        t += span.step
    return visited
