"""Outcome sampling: a single history, from the root to a terminal.

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
    Span,
    action_prob,
    average_weight,
    regret_weight,
)

__all__ = ["run_outcome"]

U = np.uint64
_WORDS = U(WORDS)


@kernel
def run_outcome(
    nodes: SampledNodes, tables: SampledTables, rules: SampledRules, span: Span, rng: Any
) -> Any:
    """Run one history for each player in each iteration of ``span``; return the nodes visited.

    Player i, whose history it is, chooses by q(a) = epsilon / actions + (1 - epsilon) sigma(a), the
    others by sigma, chance by its probabilities. With Q, the product of the player's q so far, and
    v, the estimated value after the action a that was chosen,

        R(I, b) <- R(I, b) + weight / Q * v / q(a) * ((1 if b = a else 0) - sigma(a))

    and sigma(a) v / q(a) is the estimate for the node itself. At nodes of player i + 1 the strategy
    is added to the average, divided by Q; see `tiltless.cfr.sampling.Outcome`.

    rng: uint64 ``[1]``, the state of the generator, overwritten.
    """
    record, chance_probs, payoffs = nodes.record, nodes.chance_probs, nodes.payoffs
    regret, average = tables.regret, tables.average
    players, depth, epsilon = nodes.players, nodes.depth, rules.epsilon
    offset_of, count_of = np.empty(depth, np.uint64), np.empty(depth, np.uint64)
    action_of, sample_prob_of = np.empty(depth, np.uint64), np.empty(depth)
    prob_of, inverse_of = np.empty(depth), np.empty(depth)

    visited = 0
    t = span.first
    for _ in range(span.iterations):
        weight = regret_weight(t, rules.linear)
        average_w = average_weight(t, rules.gamma, rules.delay)
        for player in range(U(players)):
            counted = player + U(1) if player + U(1) < U(players) else U(0)
            node, height, inverse = U(0), U(0), 1.0  # inverse: 1 / Q
            # 1. Down: sample a history, and remember the decisions of the player.
            while True:
                visited += 1
                at = node * _WORDS
                kind, first = U(record[at + KIND]), U(record[at + FIRST])
                offset, count = U(record[at + OFFSET]), U(record[at + COUNT])
                if kind == TERMINAL:
                    break
                if kind == EVEN_CHANCE:
                    node = first + next_below(rng, count)
                    continue
                draw = next_double(rng)
                pick, below, picked = count - U(1), 0.0, False
                if kind == CHANCE:
                    for a in range(count):
                        below += chance_probs[offset + a]
                        if draw < below and not picked:
                            pick, picked = U(a), True
                    node = first + pick
                    continue
                total = 0.0
                for a in range(count):
                    total += max(regret[offset + a], 0.0)
                even = 1.0 / np.float64(count)
                explore = epsilon if kind == player else 0.0
                chosen_prob, chosen_sample_prob = 0.0, 0.0
                for a in range(count):
                    prob = action_prob(regret[offset + a], total, even)
                    sample_prob = explore * even + (1.0 - explore) * prob
                    if kind == counted:
                        average[offset + a] += average_w * inverse * prob
                    below += sample_prob
                    if not picked:
                        chosen_prob, chosen_sample_prob = prob, sample_prob
                        if draw < below:
                            pick, picked = U(a), True
                if kind == player:
                    offset_of[height], count_of[height], action_of[height] = offset, count, pick
                    prob_of[height], sample_prob_of[height], inverse_of[height] = (
                        chosen_prob,
                        chosen_sample_prob,
                        inverse,
                    )
                    inverse /= chosen_sample_prob
                    height += U(1)
                node = first + pick
            # 2. Up: regrets of these decisions.
            value = payoffs[offset + player]
            while height > U(0):
                height -= U(1)
                estimate = value / sample_prob_of[height]
                value = prob_of[height] * estimate
                offset, scale = offset_of[height], weight * inverse_of[height]
                for a in range(count_of[height]):
                    cfv = estimate if a == action_of[height] else 0.0
                    new = scale * (cfv - value)
                    regret[offset + a] = max(regret[offset + a] + new, rules.floor * weight)
        t += span.step
    return visited
