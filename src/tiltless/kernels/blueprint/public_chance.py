"""Public chance sampling over a betting tree and buckets: one board, all hands at once.

A traversal samples the board and nothing else. Vectors of the opponent's reach with each hand go
down the tree; vectors of the traverser's counterfactual values come back up. Strategies belong to
buckets, so hands look theirs up, and regrets are sums over the hands of a bucket.

The nodes of a street below its first decision are a block (`StreetBlocks`). A block is worked on as
a whole: down over its nodes, then all its terminals sixteen at a time
(`tiltless.kernels.blueprint.terminals`), then the blocks of the next street one after the other,
then back up. So only one block of each street is in memory, and most of the time is spent in the
small ones of the last street.

Twin: tests/naive/blueprint/public_chance.py; tested by tests/blueprint/test_sampling.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import inline, kernel
from tiltless.kernels.blueprint.external import BlueprintTables, TraversalRules
from tiltless.kernels.blueprint.nodes import (
    ACTIONS,
    ACTOR,
    FIRST,
    ROW,
    SHOWDOWN,
    STREET,
    UNCONTESTED,
    BettingNodes,
    Rows,
)
from tiltless.kernels.blueprint.terminals import BoardHands, terminal_scratch, terminal_values

__all__ = ["StreetBlocks", "traverse_public_chance"]

U = np.uint64
F = np.float32
_WIDE = U(16)
_COPIES = U(4)  # of sums over buckets, so that neighbours in one bucket do not wait


class StreetBlocks(NamedTuple):
    """The nodes of each street that follow its first decision, in the order of the tree.

    begin: int64 ``[nodes]``, at a first decision of a street where its block begins in ``member``;
    count: int64 ``[nodes]``, and how many nodes it has.  member: int32 ``[nodes - 1]``.
    position: int64 ``[nodes]``, the position of a node in its block, counted from 1: 0 is the first
    decision itself.
    largest: int64 ``[streets]``, the most nodes of a block, with the first decision.
    """

    begin: Any
    count: Any
    member: Any
    position: Any
    largest: Any


@inline
def _match_regrets(regret: Any, actions: Any, buckets: Any, total: Any, sigma: Any) -> None:
    """The strategy of each bucket, ``sigma``, from its regrets, float32 ``[actions * buckets]``."""
    even = F(1) / F(actions)
    for b in range(buckets):
        total[b] = F(0)
    for a in range(actions):
        for b in range(buckets):
            x = max(regret[a * buckets + b], F(0))
            sigma[a * buckets + b] = x
            total[b] += x
    for a in range(actions):
        for b in range(buckets):
            x = sigma[a * buckets + b]
            sigma[a * buckets + b] = x / total[b] if total[b] > F(0) else even


@inline
def _sum_buckets(values: Any, bucket: Any, buckets: Any, copies: Any, out: Any) -> None:
    """Sums over the hands of each bucket, to ``out``, float32 ``[buckets]``."""
    for b in range(_COPIES * buckets):
        copies[b] = F(0)
    for i in range(U(0), U(len(values)), _COPIES):
        copies[bucket[i]] += values[i]
        copies[buckets + U(bucket[i + U(1)])] += values[i + U(1)]
        copies[U(2) * buckets + U(bucket[i + U(2)])] += values[i + U(2)]
        copies[U(3) * buckets + U(bucket[i + U(3)])] += values[i + U(3)]
    for b in range(buckets):
        out[b] = (copies[b] + copies[buckets + b]) + (
            copies[U(2) * buckets + b] + copies[U(3) * buckets + b]
        )


@kernel
def traverse_public_chance(
    nodes: BettingNodes,
    blocks: StreetBlocks,
    rows: Rows,
    tables: BlueprintTables,
    hands: BoardHands,
    player: Any,
    rules: TraversalRules,
    scale: Any,
    width: Any,
) -> Any:
    """One traversal of the tree on a board, for one player; returns the nodes visited.

        R(I, a) <- max(R(I, a) + sum over h in I of (v(h, a) - v(h)), floor)

    with v(h) = sum over a of sigma(a) v(h, a), and v(h, a) the sum over all hands of the opponent,
    times their reach. Averages are added at the opponent's nodes. Nodes that the opponent
    never reaches are not visited.

    tables: the numbers of a decision begin where `Rows` says, but are ``[actions, buckets]``.
    scale: float32 ``[2]``: one over the number of pairs of hands, so that a traversal counts as
    much as one of `traverse_external`; and one over the number of hands, for averages.
    width: the most actions of a decision.
    Paper: Johanson, Bard, Lanctot, Gibson & Bowling (2012), "Efficient Nash equilibrium
    approximation through Monte Carlo counterfactual regret minimization", section 4.1.
    """
    node, start, counts = nodes.node, rows.start, rows.buckets
    regret, average, payoff = tables.regret, tables.average, tables.payoff
    padded, streets = U(len(hands.first)), U(len(counts))
    average_weight, floor = F(rules.average_weight) * scale[1], F(rules.floor)
    sign = F(-1) * scale[0] if player else scale[0]

    # What a street keeps of its block: vectors of reach and cfv for each node, strategies.
    vectors, most, strategies = U(0), U(0), U(0)
    first_vector, first_share = np.zeros(streets, np.uint64), np.zeros(streets, np.uint64)
    for street in range(streets):
        first_vector[street], first_share[street] = vectors, strategies
        vectors += U(blocks.largest[street])
        strategies += U(blocks.largest[street]) * U(counts[street])
        most = max(most, U(counts[street]))
    reach = np.zeros((vectors + U(1)) * padded, np.float32)
    cfv = np.zeros((vectors + U(1)) * padded, np.float32)  # the last: for empty lanes
    sigma = np.zeros(strategies + U(width) * most, np.float32)
    reach_of, alive = np.zeros(vectors, np.uint64), np.zeros(vectors, np.bool_)
    copies, sums = np.zeros(_COPIES * most, np.float32), np.zeros(U(width) * most, np.float32)
    total, of_bucket = np.zeros(most, np.float32), np.zeros(most, np.float32)
    terminals = np.zeros(U(2) * vectors, np.uint64)
    read, write = np.zeros(16, np.int64), np.zeros(16, np.int64)
    amount = np.zeros(16, np.float32)
    scratch = terminal_scratch(padded)
    root_of, next_of = np.zeros(streets, np.uint64), np.zeros(streets, np.uint64)

    for i in range(hands.group[len(hands.group) - 1]):
        reach[i] = F(1)
    alive[0] = True
    s, root, visited = U(0), U(0), np.int64(0)
    while True:
        # 1. Down over a block: strategies, averages, reach.
        vector, strategy = first_vector[s], first_share[s]
        buckets, bucket = U(counts[s]), hands.bucket[s]
        begin, count = U(blocks.begin[root]), U(blocks.count[root])
        root_of[s], next_of[s] = root, U(0)
        showdowns, folds = U(0), vectors  # two lists of terminals
        for k in range(count + U(1)):
            at = root if k == U(0) else U(blocks.member[begin + k - U(1)])
            if not alive[vector + k]:
                if node[at, ACTOR] > UNCONTESTED and U(node[at, STREET]) == s:
                    child = vector + U(blocks.position[U(node[at, FIRST])])
                    for a in range(U(node[at, ACTIONS])):
                        alive[child + a] = False
                continue
            if node[at, ACTOR] <= UNCONTESTED:
                visited += 1
                if node[at, ACTOR] == SHOWDOWN:
                    terminals[showdowns] = k
                    showdowns += U(1)
                else:
                    terminals[folds] = k
                    folds += U(1)
                continue
            if U(node[at, STREET]) != s:
                continue
            visited += 1
            actions, mine = U(node[at, ACTIONS]), U(node[at, ACTOR]) == U(player)
            child = U(blocks.position[U(node[at, FIRST])])
            row = U(start[s]) + U(node[at, ROW]) * buckets
            here = strategy + child * buckets
            _match_regrets(
                regret[row : row + actions * buckets],
                actions,
                buckets,
                total,
                sigma[here : here + actions * buckets],
            )
            source = reach_of[vector + k]
            reach_here = reach[source * padded : (source + U(1)) * padded]
            if mine:
                for a in range(actions):
                    reach_of[vector + child + a] = source
                    alive[vector + child + a] = True
                continue
            _sum_buckets(reach_here, bucket, buckets, copies, of_bucket)
            for a in range(actions):
                probs = sigma[here + a * buckets : here + (a + U(1)) * buckets]
                adds = average[row + a * buckets : row + (a + U(1)) * buckets]
                largest = F(0)
                for b in range(buckets):
                    adds[b] += average_weight * of_bucket[b] * probs[b]
                for b in range(buckets):
                    largest += of_bucket[b] * probs[b]
                below = vector + child + a
                reach_of[below], alive[below] = below, largest > F(0)
                if largest > F(0):
                    reach_below = reach[below * padded : (below + U(1)) * padded]
                    for i in range(padded):
                        reach_below[i] = reach_here[i] * probs[bucket[i]]

        # 2. Its terminals, sixteen at a time.
        for kind in range(U(2)):
            low, high = (U(0), showdowns) if kind == U(0) else (vectors, folds)
            for some in range(low, high, _WIDE):
                for lane in range(_WIDE):
                    if some + lane < high:
                        position = terminals[some + lane]
                        line = U(node[U(blocks.member[begin + position - U(1)]), ROW])
                        read[lane] = reach_of[vector + position] * padded
                        write[lane] = (vector + position) * padded
                        if kind == U(0):
                            amount[lane] = abs(sign) * payoff[line, U(2)]
                        else:
                            amount[lane] = sign * payoff[line, U(1)]
                    else:
                        write[lane] = vectors * padded
                terminal_values(hands, kind == U(0), amount, reach, read, cfv, write, scratch)

        # 3. The next block: one of the next street below this, or back up until there is one.
        while True:
            vector, strategy = first_vector[s], first_share[s]
            begin, count = U(blocks.begin[root_of[s]]), U(blocks.count[root_of[s]])
            position, has_block = next_of[s], False
            while position < count and not has_block:
                at = U(blocks.member[begin + position])
                has_block = node[at, ACTOR] > UNCONTESTED and U(node[at, STREET]) != s
                position += U(1)
                has_block = has_block and alive[vector + position]
            next_of[s] = position
            if has_block:
                below = U(node[at, STREET])
                reach_of[first_vector[below]] = reach_of[vector + position]
                alive[first_vector[below]] = True
                s, root = below, at
                break

            # 4. Up over the block: values and regrets.
            buckets, bucket = U(counts[s]), hands.bucket[s]
            for back in range(count + U(1)):
                up = count - back
                at = root_of[s] if up == U(0) else U(blocks.member[begin + up - U(1)])
                if not alive[vector + up] or node[at, ACTOR] <= UNCONTESTED:
                    continue
                if U(node[at, STREET]) != s:
                    continue
                actions = U(node[at, ACTIONS])
                child = U(blocks.position[U(node[at, FIRST])])
                mean = cfv[(vector + up) * padded : (vector + up + U(1)) * padded]
                for i in range(padded):
                    mean[i] = F(0)
                if U(node[at, ACTOR]) != U(player):
                    for a in range(actions):
                        if alive[vector + child + a]:
                            source = (vector + child + a) * padded
                            child_cfv = cfv[source : source + padded]
                            for i in range(padded):
                                mean[i] += child_cfv[i]
                    continue
                here = strategy + child * buckets
                row = U(start[s]) + U(node[at, ROW]) * buckets
                for b in range(buckets):
                    total[b] = F(0)
                for a in range(actions):
                    source = (vector + child + a) * padded
                    child_cfv = cfv[source : source + padded]
                    probs = sigma[here + a * buckets : here + (a + U(1)) * buckets]
                    summed = sums[a * buckets : (a + U(1)) * buckets]
                    _sum_buckets(child_cfv, bucket, buckets, copies, summed)
                    for i in range(padded):
                        mean[i] += probs[bucket[i]] * child_cfv[i]
                    for b in range(buckets):
                        total[b] += probs[b] * summed[b]
                for a in range(actions):
                    regrets = regret[row + a * buckets : row + (a + U(1)) * buckets]
                    summed = sums[a * buckets : (a + U(1)) * buckets]
                    for b in range(buckets):
                        regrets[b] = max(regrets[b] + (summed[b] - total[b]), floor)
            if s == U(0):
                return visited
            # the value of the block's first decision goes to the block above
            above = s - U(1)
            to = (first_vector[above] + next_of[above]) * padded
            source = vector * padded
            for i in range(padded):
                cfv[to + i] = cfv[source + i]
            s = above
