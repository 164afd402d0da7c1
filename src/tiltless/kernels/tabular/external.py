"""External sampling: all actions of one player, one of everybody else, a few walks at a time.

A walk down a large tree spends its time waiting for memory. So several walks, in lanes, take turns:
where chance has moved, the next node may be anywhere, so it is asked for and the lane waits for its
next turn; then the rows of that node are asked for, and the lane waits once more. Between two
moves of chance a walk stays in one corner of the tree and is not interrupted. With one lane nothing
waits, and walks follow each other.

A run ends when a lane looks for a walk and there is none. What other lanes have not finished then,
the next run goes on with; so it makes no difference how iterations are shared out among runs.
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
    PLACE,
    TERMINAL,
    WORDS,
    SampledNodes,
    SampledRules,
    SampledTables,
    Span,
    average_weight,
    prune_limit,
    regret_weight,
    share_of,
)

__all__ = ["TraversalLanes", "run_external"]

U = np.uint64
_WORDS = U(WORDS)
_IDLE, _ARRIVED, _READY = U(0), U(1), U(2)


class TraversalLanes(NamedTuple):
    """Walks under way; all zeros before the first.

    turn: uint64 ``[1]``, the lane whose turn it is.
    stage, player, node, height: uint64 ``[lanes]``: what to do next, whose walk it is, where it
        is, and how many of that player's nodes are above.
    weight: float64 ``[3, lanes]``, of regrets, of the average, and the limit of pruning.
    stack: uint64 ``[4, lanes * depth]``, those nodes: first child, place in tables, number of
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
    words: Any,
    lanes: TraversalLanes,
) -> Any:
    """Start one walk for each player in each iteration of ``span``; return the nodes visited.

    At nodes of player i, whose walk it is, all actions are tried, and

        R(I, a) <- R(I, a) + weight * (v(a) - sum over b of sigma(b) v(b))

    Chance and the others choose one action each. At nodes of player i + 1, the opponent where there
    are two, the strategy is added to the average; see `tiltless.cfr.sampling.External`.

    words: uint64 ``[1]``, the state of the generator, overwritten.
    """
    record, chance_probs, payoffs = nodes.record, nodes.chance_probs, nodes.payoffs
    regret, average = tables.regret, tables.average
    players, depth, width = U(nodes.players), U(nodes.depth), U(nodes.width)
    stage_of, player_of = lanes.stage, lanes.player
    node_of, height_of = lanes.node, lanes.height
    weight_of, average_w_of, limit_of = lanes.weight[0], lanes.weight[1], lanes.weight[2]
    first_of, place_of = lanes.stack[0], lanes.stack[1]
    count_of, action_of = lanes.stack[2], lanes.stack[3]
    share, value_of = lanes.share, lanes.value
    many, lane = U(len(stage_of)), lanes.turn[0]

    t, waiting, next_player = span.first, span.iterations * nodes.players, U(0)
    visited = 0
    while True:
        # 1. A lane without a walk starts the next one; a lane at a new node looks at it.
        stage, node, height = stage_of[lane], node_of[lane], height_of[lane]
        if stage == _IDLE:
            if waiting == 0:
                break
            waiting -= 1
            weight_of[lane] = regret_weight(t, rules.linear)
            average_w_of[lane] = average_weight(t, rules.gamma, rules.delay)
            draw = next_double(words) if t > rules.warmup else 0.0
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
                prefetch_write(regret, U(record[at + PLACE]))
                prefetch_write(average, U(record[at + PLACE]))
            prefetch_read(record, U(record[at + FIRST]) * _WORDS)
            stage_of[lane] = _READY
            lane = lane + U(1) if lane + U(1) < many else U(0)
            continue
        player, weight = player_of[lane], weight_of[lane]
        average_w, limit = average_w_of[lane], limit_of[lane]
        counted = player + U(1) if player + U(1) < players else U(0)
        bottom = lane * depth

        while True:
            visited += 1
            at = node * _WORDS
            kind, first = U(record[at + KIND]), U(record[at + FIRST])
            place, count = U(record[at + PLACE]), U(record[at + COUNT])
            if kind < CHANCE:
                total = 0.0
                for a in range(count):
                    total += max(regret[place + a], 0.0)
                even = 1.0 / np.float64(count)

                # 2. The player's own node: put it on the stack, go to the first action.
                if kind == player:
                    top = bottom + height
                    base = top * width
                    for a in range(count):
                        child = (first + a) * _WORDS
                        prefetch_write(regret, U(record[child + PLACE]))
                        prefetch_read(record, U(record[child + FIRST]) * _WORDS)
                        part = share_of(regret[place + a], total, even)
                        if part == 0.0 and regret[place + a] < limit:
                            if U(record[child + KIND]) != TERMINAL:
                                part = -1.0
                        share[base + a] = part
                    action = U(0)
                    while share[base + action] < 0.0:
                        action += U(1)
                    first_of[top], place_of[top] = first, place
                    count_of[top], action_of[top] = count, action
                    height += U(1)
                    node = first + action

                # 3. Somebody else's node: choose one action.
                else:
                    draw = next_double(words)
                    pick, below, found = count - U(1), 0.0, False
                    for a in range(count):
                        part = share_of(regret[place + a], total, even)
                        if kind == counted:
                            average[place + a] += average_w * part
                        below += part
                        if draw < below and not found:
                            pick, found = U(a), True
                    node = first + pick

            # 4. Chance: choose one outcome; other lanes go on while memory comes.
            elif kind != TERMINAL:
                if kind == EVEN_CHANCE:
                    node = first + next_below(words, count)
                else:
                    draw = next_double(words)
                    pick, below = count - U(1), 0.0
                    for a in range(count):
                        below += chance_probs[place + a]
                        if draw < below:
                            pick = U(a)
                            break
                    node = first + pick
                if many > U(1):
                    prefetch_read(record, node * _WORDS)
                    node_of[lane], height_of[lane] = node, height
                    stage_of[lane] = _ARRIVED
                    break

            # 5. The end: go back up to a node with an action left, updating on the way.
            else:
                value = payoffs[place + player]
                while height > U(0):
                    top = bottom + height - U(1)
                    base = top * width
                    count, action = count_of[top], action_of[top]
                    value_of[base + action] = value
                    action += U(1)
                    while action < count and share[base + action] < 0.0:
                        action += U(1)
                    if action < count:
                        action_of[top] = action
                        node = first_of[top] + action
                        break
                    value, place = 0.0, place_of[top]
                    for a in range(count):
                        if share[base + a] >= 0.0:
                            value += share[base + a] * value_of[base + a]
                    for a in range(count):
                        if share[base + a] >= 0.0:
                            new = weight * (value_of[base + a] - value)
                            regret[place + a] = max(regret[place + a] + new, rules.floor * weight)
                    height -= U(1)
                if height == U(0):
                    stage_of[lane] = _IDLE
                    break
        lane = lane + U(1) if lane + U(1) < many else U(0)
    lanes.turn[0] = lane
    return visited
