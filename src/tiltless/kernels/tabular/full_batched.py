"""Full-tree CFR over batches of public nodes, with vectors over hands.

The same two sweeps as in `tiltless.kernels.tabular.full`. The vector that goes down is the
opponent's reach with each hand; the vector that comes up is the value of each of the updating
player's hands, summed over the opponent's hands, so terminals are small matrix products and
everything else is element by element. The opponent's average strategy is summed on the way down,
where that player's reach is known; so the average of player 0 takes the strategies at the end of
each iteration, that of player 1 those at its beginning. Vectors have a multiple of eight elements
(`tiltless.kernels.base.simd`).

Twin: tests/naive/tabular/full.py; tested by tests/tabular/test_full_traversal.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import inline, kernel
from tiltless.kernels.base.simd import load, maximum, spread, store, where_positive
from tiltless.kernels.tabular.full import RegretTables

__all__ = ["StackedWorkspace", "run_stacked"]

U = np.uint64
CHANCE = -1
TERMINAL = -2
_EIGHT = U(8)


class StackedWorkspace(NamedTuple):
    """Scratch, float64: reach ``[reaches]``, value ``[values]``."""

    reach: Any
    value: Any


@inline
def _sweep_down(tree: Any, player: Any, weight: Any, tables: Any, work: Any) -> None:
    """The opponent's reach at every batch, the opponent's average, and terminal values."""
    reach, value = work.reach, work.value
    strategy, average, payoff = tables.strategy, tables.average, tree.payoff
    width = U(tree.width)
    square = width * width
    payoffs_of_player = U(player) * (U(len(payoff)) // U(2))
    opponent = 1 - player
    slot = tree.reach[opponent]
    count = spread(weight)
    for hand in range(width):
        reach[hand] = 1.0
    for node in range(len(tree.actor)):
        actor = tree.actor[node]
        length = tree.length[node]
        source = slot[node]
        first, last = tree.first[node], tree.first[node + 1]
        if actor == opponent:
            entry = tree.entry[node]
            for child in range(first, last):
                target = slot[child]
                for i in range(U(0), length, _EIGHT):
                    reached = load(reach, source + i) * load(strategy, entry + i)
                    store(reach, target + i, reached)
                    store(average, entry + i, load(average, entry + i) + count * reached)
                entry += length
        elif actor == CHANCE:
            for child in range(first, last):
                target, member = slot[child], tree.member[child]
                for j in range(tree.length[child] // width):
                    begin = source + tree.parent[member + j] * width
                    for i in range(U(0), width, _EIGHT):
                        store(reach, target + j * width + i, load(reach, begin + i))
        elif actor == TERMINAL:
            target, member = tree.value[node], tree.member[node]
            for j in range(length // width):
                begin = source + j * width
                matrix = payoffs_of_player + tree.matrix[member + j] * square
                scale = spread(tree.scale[member + j])
                for i in range(U(0), width, _EIGHT):
                    paid = spread(0.0)
                    for other in range(width):
                        amount = spread(reach[begin + other])
                        paid = paid + amount * load(payoff, matrix + other * width + i)
                    store(value, target + j * width + i, scale * paid)


@inline
def _sweep_up(tree: Any, player: Any, rule: Any, tables: Any, work: Any) -> None:
    """Values from the terminals to the root; the updating player's regrets and next strategy."""
    value = work.value
    strategy, regrets, latest = tables.strategy, tables.regret, tables.last
    zero, one = spread(0.0), spread(1.0)
    positive, negative = spread(rule[0]), spread(rule[1])
    floor = spread(0.0 if rule[2] > 0.0 else -np.inf)
    next_positive, next_negative, predictive = spread(rule[3]), spread(rule[4]), rule[5] > 0.0
    width = U(tree.width)
    for back in range(len(tree.actor)):
        node = len(tree.actor) - 1 - back
        actor = tree.actor[node]
        if actor == TERMINAL:
            continue
        length, target = tree.length[node], tree.value[node]
        first, last = tree.first[node], tree.first[node + 1]
        if actor == CHANCE:
            for i in range(U(0), length, _EIGHT):
                store(value, target + i, zero)
            for child in range(first, last):
                source, member = tree.value[child], tree.member[child]
                for j in range(tree.length[child] // width):
                    begin = target + tree.parent[member + j] * width
                    for i in range(U(0), width, _EIGHT):
                        more = load(value, source + j * width + i)
                        store(value, begin + i, load(value, begin + i) + more)
        elif actor != player:
            for i in range(U(0), length, _EIGHT):
                cfv = zero
                for child in range(first, last):
                    cfv = cfv + load(value, tree.value[child] + i)
                store(value, target + i, cfv)
        else:
            even = spread(1.0 / np.float64(last - first))
            for i in range(U(0), length, _EIGHT):
                cfv = zero
                entry = tree.entry[node] + i
                for child in range(first, last):
                    cfv = cfv + load(strategy, entry) * load(value, tree.value[child] + i)
                    entry += length
                store(value, target + i, cfv)
                total = zero
                entry = tree.entry[node] + i
                for child in range(first, last):
                    new = load(value, tree.value[child] + i) - cfv
                    regret = load(regrets, entry)
                    regret = regret * where_positive(regret, positive, negative) + new
                    regret = maximum(regret, floor)
                    store(regrets, entry, regret)
                    if predictive:
                        store(latest, entry, new)
                        regret = regret * where_positive(regret, next_positive, next_negative)
                        regret = maximum(regret + new, floor)
                    positive_part = maximum(regret, zero)
                    store(strategy, entry, positive_part)
                    total = total + positive_part
                    entry += length
                divisor = where_positive(total, total, one)
                entry = tree.entry[node] + i
                for _ in range(first, last):
                    mixed = load(strategy, entry) / divisor
                    store(strategy, entry, where_positive(total, mixed, even))
                    entry += length


@kernel
def run_stacked(tree: Any, schedule: Any, tables: RegretTables, work: StackedWorkspace) -> None:
    """Run as many iterations as the schedule has rows, players alternating.

    tree: `tiltless.tabular.batched_tree.StackedTree`.  schedule: as in
    `tiltless.kernels.tabular.full`.
    """
    for t in range(len(schedule)):
        for player in range(2):
            _sweep_down(tree, player, schedule[t, 6], tables, work)
            _sweep_up(tree, player, schedule[t], tables, work)
