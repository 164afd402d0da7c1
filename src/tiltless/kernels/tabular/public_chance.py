"""Public chance sampling: one outcome of public chance, all actions, all hands at once.

The vectors that go down are the reach of both players with each hand; the vector that comes up is
the value of each hand of the updating player. Vectors have a multiple of eight elements
(`tiltless.kernels.base.simd`).

Paper: Johanson, Bard, Lanctot, Gibson & Bowling (2012), "Efficient Nash equilibrium approximation
through Monte Carlo counterfactual regret minimization".

Twin: tests/naive/tabular/sampled.py; tested by tests/tabular/test_public_chance.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import kernel
from tiltless.kernels.base.rng import next_below
from tiltless.kernels.base.simd import load, maximum, spread, store, where_positive
from tiltless.kernels.tabular.sampled import (
    SampledRules,
    SampledTables,
    Snapshot,
    Span,
    average_weight,
    regret_weight,
)

__all__ = ["PublicNodes", "run_public_chance"]

U = np.uint64
_CHANCE, _TERMINAL = -1, -2
_EIGHT = U(8)


class PublicNodes(NamedTuple):
    """A public tree of two players; made by `tiltless.tabular.public_chance.public_nodes`.

    actor, row, first: as in `tiltless.tabular.public.PublicTree`.
    matrix: uint32 ``[2, terminals]``; scale: float64 ``[2, terminals]``; payoff: float64
        ``[2 * matrices * width * width]``. What player p wins at terminal t, times the probability
        of the deal and of the board, is ``scale[p, t]`` times a square of ``payoff``, number
        ``matrix[p, t]``, which has a row for each hand of the other player.
    width: of vectors over hands.  depth: of the longest history.  actions: the most of a decision.
    """

    actor: Any
    row: Any
    first: Any
    matrix: Any
    scale: Any
    payoff: Any
    width: int
    depth: int
    actions: int


@kernel
def run_public_chance(
    nodes: PublicNodes,
    tables: SampledTables,
    rules: SampledRules,
    span: Span,
    rng: Any,
    snapshot: Snapshot,
) -> Any:
    """Run one traversal for each player in each iteration of ``span``; return the nodes visited.

    Payoffs carry the probability of all chance on the way, as if every outcome were visited. Of the
    n outcomes at a chance node one is, with probability 1/n; so everything below counts n times,
    and the mean over all outcomes is the update of full CFR: regrets and averages alike.

    tables: float64 ``[rows * width]``; snapshot: likewise, but ``traversal`` is int64 ``[rows]``.
    rng: uint64 ``[1]``, the state of the generator, overwritten.
    """
    actor, row_of, first_of, payoff = nodes.actor, nodes.row, nodes.first, nodes.payoff
    regret, average = tables.regret, tables.average
    traversal_of, strategy = snapshot.traversal, snapshot.strategy
    depth, actions, width = nodes.depth, U(nodes.actions), U(nodes.width)
    zero, one = spread(0.0), spread(1.0)

    # The stack: nodes of both players above, the action tried there, how often it counts;
    # the reach of both players, and values of the actions that were tried.
    node_at, action_at = np.zeros(depth, np.uint64), np.zeros(depth, np.uint64)
    times_at = np.zeros(depth)
    own, others = np.zeros((depth + 1) * nodes.width), np.zeros((depth + 1) * nodes.width)
    value = np.zeros(depth * nodes.actions * nodes.width)

    visited = 0
    t = span.first
    for _ in range(span.iterations):
        weight = spread(regret_weight(t, rules.linear))
        floor = spread(rules.floor * regret_weight(t, rules.linear))
        average_w = average_weight(t, rules.gamma, rules.delay)
        for player in range(2):
            matrix, scale = nodes.matrix[player], nodes.scale[player]
            traversal = t * 2 + player
            node, height, times = U(0), U(0), 1.0
            for i in range(U(0), width, _EIGHT):
                store(own, i, one)
                store(others, i, one)
            while True:
                visited += 1
                who, row = actor[node], U(row_of[node])
                first = U(first_of[node])
                count = U(first_of[node + U(1)]) - first

                # 1. Chance: one outcome stands for all.
                if who == _CHANCE:
                    node = first + next_below(rng, count)
                    times *= np.float64(count)
                    continue

                # 2. A terminal: the value of every hand goes to the action that led here.
                if who == _TERMINAL:
                    target = U(0)
                    if height > U(0):
                        top = height - U(1)
                        target = (top * actions + action_at[top]) * width
                    square, factor = U(matrix[row]) * width * width, spread(times * scale[row])
                    for i in range(U(0), width, _EIGHT):
                        paid = zero
                        for other in range(width):
                            amount = spread(others[height * width + other])
                            paid = paid + amount * load(payoff, square + other * width + i)
                        store(value, target + i, factor * paid)

                # 3. A player: the strategy of each hand; start with the first action.
                else:
                    if traversal_of[row] != traversal:
                        traversal_of[row] = traversal
                        even = spread(1.0 / np.float64(count))
                        for i in range(U(0), width, _EIGHT):
                            total = zero
                            for a in range(count):
                                total = total + maximum(load(regret, (row + a) * width + i), zero)
                            divisor = where_positive(total, total, one)
                            for a in range(count):
                                entry = (row + a) * width + i
                                prob = maximum(load(regret, entry), zero) / divisor
                                store(strategy, entry, where_positive(total, prob, even))
                    if who == player:
                        counted = spread(average_w * times)
                        for a in range(count):
                            for i in range(U(0), width, _EIGHT):
                                entry = (row + a) * width + i
                                reached = load(own, height * width + i) * load(strategy, entry)
                                store(average, entry, load(average, entry) + counted * reached)
                    node_at[height], action_at[height], times_at[height] = node, U(0), times
                    height += U(1)

                # 4. Go to the next action of the last node on the stack, or back up.
                back = who == _TERMINAL
                while height > U(0):
                    top = height - U(1)
                    here, times = node_at[top], times_at[top]
                    row, first = U(row_of[here]), U(first_of[here])
                    count = U(first_of[here + U(1)]) - first
                    mine = actor[here] == player
                    if back:
                        action_at[top] += U(1)
                    action = action_at[top]
                    if action < count:
                        above, below = top * width, height * width
                        for i in range(U(0), width, _EIGHT):
                            prob = load(strategy, (row + action) * width + i)
                            if mine:
                                store(own, below + i, load(own, above + i) * prob)
                                store(others, below + i, load(others, above + i))
                            else:
                                store(own, below + i, load(own, above + i))
                                store(others, below + i, load(others, above + i) * prob)
                        node = first + action
                        break
                    back = True
                    slot, target = top * actions * width, U(0)
                    if top > U(0):
                        target = ((top - U(1)) * actions + action_at[top - U(1)]) * width
                    for i in range(U(0), width, _EIGHT):
                        cfv = zero
                        for a in range(count):
                            more = load(value, slot + a * width + i)
                            if mine:
                                more = more * load(strategy, (row + a) * width + i)
                            cfv = cfv + more
                        if mine:
                            for a in range(count):
                                entry = (row + a) * width + i
                                new = weight * (load(value, slot + a * width + i) - cfv)
                                store(regret, entry, maximum(load(regret, entry) + new, floor))
                        store(value, target + i, cfv)
                    height = top
                if height == U(0):
                    break
        t += span.step
    return visited
