"""Outcome sampling: a single history, from the root to its end."""

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
    Span,
    average_weight,
    regret_weight,
    share_of,
)

__all__ = ["run_outcome"]

U = np.uint64
_WORDS = U(WORDS)


@kernel
def run_outcome(
    nodes: SampledNodes, tables: SampledTables, rules: SampledRules, span: Span, words: Any
) -> Any:
    """Run one history for each player in each iteration of ``span``; return the nodes visited.

    Player i, whose history it is, chooses by q(a) = epsilon / actions + (1 - epsilon) sigma(a), the
    others by sigma, chance by its odds. With Q, the product of the player's own q so far, and v,
    the estimated value after the action a that was chosen,

        R(I, b) <- R(I, b) + weight / Q * v / q(a) * ((1 if b = a else 0) - sigma(a))

    and sigma(a) v / q(a) is the estimate for the node itself. At nodes of player i + 1 the strategy
    is added to the average, divided by Q; see `tiltless.cfr.sampling.Outcome`.

    words: uint64 ``[1]``, the state of the generator, overwritten.
    """
    record, chance_probs, payoffs = nodes.record, nodes.chance_probs, nodes.payoffs
    regret, average = tables.regret, tables.average
    players, depth, epsilon = nodes.players, nodes.depth, rules.epsilon
    place_of, count_of = np.empty(depth, np.uint64), np.empty(depth, np.uint64)
    action_of, drawn = np.empty(depth, np.uint64), np.empty(depth)
    share, inverse_of = np.empty(depth), np.empty(depth)

    visited = 0
    t = span.first
    for _ in range(span.iterations):
        weight = regret_weight(t, rules.linear)
        average_w = average_weight(t, rules.gamma, rules.delay)
        for player in range(U(players)):
            counted = player + U(1) if player + U(1) < U(players) else U(0)
            node, height, inverse = U(0), U(0), 1.0  # inverse: 1 / Q
            while True:
                visited += 1
                at = node * _WORDS
                kind, first = U(record[at + KIND]), U(record[at + FIRST])
                place, count = U(record[at + PLACE]), U(record[at + COUNT])
                if kind == TERMINAL:
                    break
                if kind == EVEN_CHANCE:
                    node = first + next_below(words, count)
                    continue
                draw = next_double(words)
                pick, below, found = count - U(1), 0.0, False
                if kind == CHANCE:
                    for a in range(count):
                        below += chance_probs[place + a]
                        if draw < below and not found:
                            pick, found = U(a), True
                    node = first + pick
                    continue
                total = 0.0
                for a in range(count):
                    total += max(regret[place + a], 0.0)
                even = 1.0 / np.float64(count)
                explore = epsilon if kind == player else 0.0
                chosen, likely = 0.0, 0.0
                for a in range(count):
                    part = share_of(regret[place + a], total, even)
                    odds_of_a = explore * even + (1.0 - explore) * part
                    if kind == counted:
                        average[place + a] += average_w * inverse * part
                    below += odds_of_a
                    if not found:
                        chosen, likely = part, odds_of_a
                        if draw < below:
                            pick, found = U(a), True
                if kind == player:
                    place_of[height], count_of[height], action_of[height] = place, count, pick
                    share[height], drawn[height], inverse_of[height] = chosen, likely, inverse
                    inverse /= likely
                    height += U(1)
                node = first + pick
            value = payoffs[place + player]
            while height > U(0):
                height -= U(1)
                estimate = value / drawn[height]
                value = share[height] * estimate
                place, scale = place_of[height], weight * inverse_of[height]
                for a in range(count_of[height]):
                    cfv = estimate if a == action_of[height] else 0.0
                    new = scale * (cfv - value)
                    regret[place + a] = max(regret[place + a] + new, rules.floor * weight)
        t += span.step
    return visited
