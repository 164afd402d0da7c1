"""Chance sampling over a betting tree and buckets, for two players: one deal, all actions.

A traversal goes over the whole tree twice: down, with the reach of both players at each node, and
back up with values. Parents come before their children, so both directions are loops over an array.
All decisions of a street that belong to one bucket have their numbers side by side (`DealRows`): a
deal then reads a few stretches of memory from end to end, instead of scattered rows.

Twin: tests/naive/blueprint/chance.py; tested by tests/blueprint/test_sampling.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import kernel
from tiltless.kernels.base.no_vectorise import one_by_one
from tiltless.kernels.base.prefetch import prefetch_write
from tiltless.kernels.blueprint.external import BlueprintTables, Deals, TraversalRules
from tiltless.kernels.blueprint.nodes import (
    ACTIONS,
    ACTOR,
    FIRST,
    ROW,
    SHOWDOWN,
    STREET,
    UNCONTESTED,
    BettingNodes,
)

__all__ = ["DealRows", "reorder_table", "traverse_chance"]

U = np.uint64
F = np.float32
_LINE = U(16)  # float32 numbers of a cache line


class DealRows(NamedTuple):
    """Layout of a table in which the numbers of a deal are together.

    The numbers of a decision begin at ``start[street] + bucket * width[street] + ROW``.

    start: int64 ``[streets + 1]``, the last one is the length of the table.
    width: int64 ``[streets]``, actions of all decisions of a street.
    """

    start: Any
    width: Any


@kernel
def traverse_chance(
    nodes: BettingNodes,
    rows: DealRows,
    tables: BlueprintTables,
    deals: Deals,
    first_player: Any,
    rules: TraversalRules,
) -> Any:
    """One traversal for each hand of a block, for players in turn; returns the nodes visited.

        R(I, a) <- max(R(I, a) + pi_opponent (v(a) - sum over b of sigma(b) v(b)), floor)
        S(I, a) <- S(I, a) + pi_own sigma(a)

    tables: by `DealRows`.  first_player: traverser of the first hand.  Nothing is pruned.
    Paper: Zinkevich, Johanson, Bowling & Piccione (2007), "Regret minimization in games with
    incomplete information", section 4; Lanctot et al. (2009) call it chance sampling.
    """
    node, start, width = nodes.node, rows.start, rows.width
    regret, average, payoff = tables.regret, tables.average, tables.payoff
    bucket, result = deals.bucket, deals.result
    count, hands, streets = U(len(node)), U(len(result)), U(len(width))
    average_weight, floor = F(rules.average_weight), F(rules.floor)
    own, other = np.zeros(count, np.float32), np.zeros(count, np.float32)
    strategy, value = np.zeros(count, np.float32), np.zeros(count, np.float32)
    entry_of, base = np.zeros(count, np.uint64), np.zeros(U(2) * streets, np.uint64)
    own[0] = other[0] = F(1)
    for hand in range(hands):
        player = (hand + U(first_player)) & U(1)
        sign = F(-1) if player else F(1)
        for seat in range(U(2)):
            for street in range(streets):
                held = U(bucket[hand, seat, street])
                base[seat * streets + street] = U(start[street]) + held * U(width[street])
        if hand + U(1) < hands:  # prefetch the rows of the next hand
            for seat in range(U(2)):
                for street in range(streets):
                    line = U(bucket[hand + U(1), seat, street]) * U(width[street])
                    line += U(start[street])
                    for step in range(min(U(width[street]) // _LINE + U(1), U(32))):
                        prefetch_write(regret, line + step * _LINE)
                        if seat != player:  # who will be the traverser
                            prefetch_write(average, line + step * _LINE)

        # 1. Down: strategies and reach.
        for at in range(count):
            actor = node[at, ACTOR]
            if actor <= UNCONTESTED:
                outcome = U(1)
                if actor == SHOWDOWN:
                    outcome = U(np.int64(result[hand]) + np.int64(1))
                value[at] = sign * other[at] * payoff[U(node[at, ROW]), outcome]
                continue
            actions, first = U(node[at, ACTIONS]), U(node[at, FIRST])
            entry = base[U(actor) * streets + U(node[at, STREET])] + U(node[at, ROW])
            entry_of[at] = entry
            total = F(0)
            for a in range(actions):
                one_by_one()
                x = max(regret[entry + a], F(0))
                strategy[first + a] = x
                total += x
            even = F(1) / F(actions) if total <= F(0) else F(0)
            scale = F(1) / total if total > F(0) else F(0)
            mine, theirs = own[at], other[at]
            if U(actor) == player:
                weight = average_weight * mine
                for a in range(actions):
                    one_by_one()
                    x = strategy[first + a] * scale + even
                    strategy[first + a] = x
                    own[first + a] = mine * x
                    other[first + a] = theirs
                    average[entry + a] += weight * x
            else:
                for a in range(actions):
                    one_by_one()
                    own[first + a] = mine
                    other[first + a] = theirs * (strategy[first + a] * scale + even)

        # 2. Up: values and regrets.
        for back in range(count):
            up = count - U(1) - back
            actor = node[up, ACTOR]
            if actor <= UNCONTESTED:
                continue
            actions, first = U(node[up, ACTIONS]), U(node[up, FIRST])
            total = F(0)
            if U(actor) == player:
                for a in range(actions):
                    one_by_one()
                    total += strategy[first + a] * value[first + a]
                entry = entry_of[up]
                for a in range(actions):
                    one_by_one()
                    gained = regret[entry + a] + (value[first + a] - total)
                    regret[entry + a] = max(gained, floor)
            else:
                for a in range(actions):
                    one_by_one()
                    total += value[first + a]
            value[up] = total
    return np.int64(count * hands)


@kernel
def reorder_table(table: Any, layout: Any, out_layout: Any, out: Any) -> None:
    """Write a table to ``out`` in another layout, both float32.

    layout, out_layout: int64 ``[decisions, 5]``, as in
    `tiltless.kernels.blueprint.external.count_visited`.
    """
    for i in range(U(len(layout))):
        read, write = U(layout[i, 0]), U(out_layout[i, 0])
        for _ in range(layout[i, 2]):
            for a in range(U(layout[i, 3])):
                out[write + a * U(out_layout[i, 4])] = table[read + a * U(layout[i, 4])]
            read += U(layout[i, 1])
            write += U(out_layout[i, 1])
