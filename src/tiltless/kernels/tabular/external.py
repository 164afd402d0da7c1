"""External sampling: all actions of the traverser, one action of everybody else.

A traversal of a large tree spends its time waiting for memory. So several traversals, in lanes,
take turns: where chance has moved, the next node may be anywhere, so it is prefetched and the lane
waits for its next turn; then the rows of that node are prefetched, and the lane waits once more.
Between two moves of chance a traversal stays in one corner of the tree and is not interrupted. With
one lane nothing waits, and traversals follow each other.

A run ends when a lane needs a new traversal and there is none left. The next run continues what the
other lanes have not finished; so it makes no difference how iterations are divided among runs.

Paper: Lanctot, Waugh, Zinkevich & Bowling (2009), "Monte Carlo sampling for regret minimization in
extensive games".

Twin: tests/naive/tabular/sampled.py; tested by tests/tabular/test_sampled.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import kernel
from tiltless.kernels.base.prefetch import prefetch_read, prefetch_write
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
    prune_limit,
    regret_weight,
)

__all__ = ["TraversalLanes", "run_external"]

U = np.uint64
_WORDS = U(WORDS)
_IDLE, _ARRIVED, _READY = U(0), U(1), U(2)


class TraversalLanes(NamedTuple):
    """Traversals under way; all zeros before the first.

    turn: uint64 ``[1]``, the lane whose turn it is.
    stage, player, node, height: uint64 ``[lanes]``: what to do next, the traverser, the
        present node, and how many of the traverser's nodes are above.
    weight: float64 ``[3, lanes]``, of regrets, of the average, and the limit of pruning.
    stack: uint64 ``[4, lanes * depth]``, those nodes: first child, offset in tables, number of
        actions, action being tried.
    share, value: float64 ``[lanes * depth * width]``: the strategy there, below 0 for an action
        that is skipped, and the values of the actions that were tried.
    """

    turn: Any
    stage: Any
    player: Any
    node: Any
    height: Any
    weight: Any
    stack: Any
    share: Any
    value: Any


@kernel
def run_external(
    nodes: SampledNodes,
    tables: SampledTables,
    rules: SampledRules,
    span: Span,
    rng: Any,
    lanes: TraversalLanes,
) -> Any:
    """Start one traversal for each player in each iteration of ``span``; return the nodes visited.

    At nodes of the traverser, player i, all actions are tried, and

        R(I, a) <- R(I, a) + weight * (v(a) - sum over b of sigma(b) v(b))

    Chance and the others choose one action each. At nodes of player i + 1, the opponent where there
    are two, the strategy is added to the average; see `tiltless.cfr.sampling.External`.

    rng: uint64 ``[1]``, the state of the generator, overwritten.
    """
    record, chance_probs, payoffs = nodes.record, nodes.chance_probs, nodes.payoffs
    regret, average = tables.regret, tables.average
    players, depth, width = U(nodes.players), U(nodes.depth), U(nodes.width)
    stage_of, player_of = lanes.stage, lanes.player
    node_of, height_of = lanes.node, lanes.height
    weight_of, average_w_of, limit_of = lanes.weight[0], lanes.weight[1], lanes.weight[2]
    first_of, offset_of = lanes.stack[0], lanes.stack[1]
    count_of, action_of = lanes.stack[2], lanes.stack[3]
    strategy, value_of = lanes.share, lanes.value
    lane_count, lane = U(len(stage_of)), lanes.turn[0]

    t, waiting, next_player = span.first, span.iterations * nodes.players, U(0)
    visited = 0
    while True:
        # 1. A lane without a traversal starts the next one; a lane at a new node looks at it.
        stage, node, height = stage_of[lane], node_of[lane], height_of[lane]
        if stage == _IDLE:
            if waiting == 0:
                break
            waiting -= 1
            weight_of[lane] = regret_weight(t, rules.linear)
            average_w_of[lane] = average_weight(t, rules.gamma, rules.delay)
            draw = next_double(rng) if t > rules.warmup else 0.0
            limit_of[lane] = prune_limit(t, weight_of[lane], draw, rules)
            player_of[lane] = next_player
            next_player += U(1)
            if next_player == players:
                next_player = U(0)
                t += span.step
            node, height = U(0), U(0)
        elif stage == _ARRIVED:
            at = node * _WORDS
            if U(record[at + KIND]) < CHANCE:
                prefetch_write(regret, U(record[at + OFFSET]))
                prefetch_write(average, U(record[at + OFFSET]))
            prefetch_read(record, U(record[at + FIRST]) * _WORDS)
            stage_of[lane] = _READY
            lane = lane + U(1) if lane + U(1) < lane_count else U(0)
            continue
        player, weight = player_of[lane], weight_of[lane]
        average_w, limit = average_w_of[lane], limit_of[lane]
        counted = player + U(1) if player + U(1) < players else U(0)
        bottom = lane * depth

        while True:
            visited += 1
            at = node * _WORDS
            kind, first = U(record[at + KIND]), U(record[at + FIRST])
            offset, count = U(record[at + OFFSET]), U(record[at + COUNT])
            if kind < CHANCE:
                total = 0.0
                for a in range(count):
                    total += max(regret[offset + a], 0.0)
                even = 1.0 / np.float64(count)

                # 2. The traverser's node: put it on the stack, go to the first action.
                if kind == player:
                    top = bottom + height
                    base = top * width
                    for a in range(count):
                        child = (first + a) * _WORDS
                        prefetch_write(regret, U(record[child + OFFSET]))
                        prefetch_read(record, U(record[child + FIRST]) * _WORDS)
                        prob = action_prob(regret[offset + a], total, even)
                        if prob == 0.0 and regret[offset + a] < limit:
                            if U(record[child + KIND]) != TERMINAL:
                                prob = -1.0
                        strategy[base + a] = prob
                    action = U(0)
                    while strategy[base + action] < 0.0:
                        action += U(1)
                    first_of[top], offset_of[top] = first, offset
                    count_of[top], action_of[top] = count, action
                    height += U(1)
                    node = first + action

                # 3. Somebody else's node: choose one action.
                else:
                    draw = next_double(rng)
                    pick, below, picked = count - U(1), 0.0, False
                    for a in range(count):
                        prob = action_prob(regret[offset + a], total, even)
                        if kind == counted:
                            average[offset + a] += average_w * prob
                        below += prob
                        if draw < below and not picked:
                            pick, picked = U(a), True
                    node = first + pick

            # 4. Chance: choose one outcome; other lanes continue while memory is fetched.
            elif kind != TERMINAL:
                if kind == EVEN_CHANCE:
                    node = first + next_below(rng, count)
                else:
                    draw = next_double(rng)
                    pick, below = count - U(1), 0.0
                    for a in range(count):
                        below += chance_probs[offset + a]
                        if draw < below:
                            pick = U(a)
                            break
                    node = first + pick
                if lane_count > U(1):
                    prefetch_read(record, node * _WORDS)
                    node_of[lane], height_of[lane] = node, height
                    stage_of[lane] = _ARRIVED
                    break

            # 5. A terminal: back up to a node with an action left, updating on the way.
            else:
                value = payoffs[offset + player]
                while height > U(0):
                    top = bottom + height - U(1)
                    base = top * width
                    count, action = count_of[top], action_of[top]
                    value_of[base + action] = value
                    action += U(1)
                    while action < count and strategy[base + action] < 0.0:
                        action += U(1)
                    if action < count:
                        action_of[top] = action
                        node = first_of[top] + action
                        break
                    value, offset = 0.0, offset_of[top]
                    for a in range(count):
                        if strategy[base + a] >= 0.0:
                            value += strategy[base + a] * value_of[base + a]
                    for a in range(count):
                        if strategy[base + a] >= 0.0:
                            new = weight * (value_of[base + a] - value)
                            regret[offset + a] = max(regret[offset + a] + new, rules.floor * weight)
                    height -= U(1)
                if height == U(0):
                    stage_of[lane] = _IDLE
                    break
        lane = lane + U(1) if lane + U(1) < lane_count else U(0)
    lanes.turn[0] = lane
    return visited
