"""Full-tree CFR over a flat game: every history, any number of players, any regret rule.

Each pass is two sweeps without recursion. Forward, from the root: the reach of each history, of the
updating player and of everybody else (chance included). Backward: the value of each history for the
updating player, and with it the counterfactual regrets

    r(I, a) = sum over h in I of  reach_-i(h) * (v_i(ha) - v_i(h))

Paper: Zinkevich, Johanson, Bowling & Piccione (2007), "Regret minimization in games with incomplete
information"; for the rules see `tiltless.cfr.regret`.

Twin: tests/naive/tabular/full.py; tested by tests/tabular/test_full_traversal.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import inline, kernel

__all__ = ["FlatWorkspace", "RegretTables", "match_regrets", "run_flat"]

U = np.uint64
CHANCE = -1
TERMINAL = -2


class RegretTables(NamedTuple):
    """The tables of a solver, float64, one number for each action of each infoset.

    regret: cumulative; average: weighted sum of strategies; strategy: of the next iteration; last:
    the regrets of the last iteration, which predictive rules use as a forecast.
    """

    regret: Any
    average: Any
    strategy: Any
    last: Any


class FlatWorkspace(NamedTuple):
    """Scratch, float64 ``[nodes]``: reach of the updating player and of the others, values."""

    own: Any
    others: Any
    value: Any


@inline
def updated_regret(regret: Any, new: Any, positive: Any, negative: Any, floored: Any) -> Any:
    """f(R) + r, floored or not; see `tiltless.cfr.regret`."""
    total = regret * (positive if regret > 0.0 else negative) + new
    return max(total, 0.0) if floored else total


@inline
def match_regrets(starts: Any, first: Any, last: Any, tables: RegretTables, rule: Any) -> None:
    """Add the regrets of an iteration and derive the strategy of the next, by regret matching.

    sigma(a) = max(R(a), 0) / sum of max(R, 0), or uniform where no regret is positive.
    starts: int64 ``[infosets + 1]``; the infosets ``first`` … ``last - 1`` are updated.
    rule: float64 ``[6]``, see `tiltless.cfr.schedule`.
    """
    positive, negative, floored = rule[0], rule[1], rule[2] > 0.0
    next_positive, next_negative, predictive = rule[3], rule[4], rule[5] > 0.0
    for infoset in range(first, last):
        begin, end = U(starts[infoset]), U(starts[infoset + 1])
        total = 0.0
        for entry in range(begin, end):
            new = tables.last[entry]
            regret = updated_regret(tables.regret[entry], new, positive, negative, floored)
            tables.regret[entry] = regret
            if predictive:
                regret = updated_regret(regret, new, next_positive, next_negative, floored)
            positive_part = max(regret, 0.0)
            tables.strategy[entry] = positive_part
            total += positive_part
        for entry in range(begin, end):
            if total > 0.0:
                tables.strategy[entry] /= total
            else:
                tables.strategy[entry] = 1.0 / np.float64(end - begin)


@inline
def _sweep_forward(tree: Any, player: Any, strategy: Any, work: Any) -> None:
    """Reach of every node, from the root."""
    work.own[0] = 1.0
    work.others[0] = 1.0
    for node in range(len(tree.actor)):
        actor = tree.actor[node]
        if actor == TERMINAL:
            continue
        first, last = U(tree.first[node]), U(tree.first[node + 1])
        own, others = work.own[node], work.others[node]
        row = U(tree.row[node])
        if actor == player:
            entry = U(tree.start[row])
            for child in range(first, last):
                work.own[child] = own * strategy[entry + child - first]
                work.others[child] = others
        elif actor == CHANCE:
            for child in range(first, last):
                work.own[child] = own
                work.others[child] = others * tree.chance_probs[row + child - first]
        else:
            entry = U(tree.start[row])
            for child in range(first, last):
                work.own[child] = own
                work.others[child] = others * strategy[entry + child - first]


@inline
def _sweep_backward(tree: Any, player: Any, weight: Any, tables: Any, work: Any) -> None:
    """Values of every node, from the terminals; regrets and average of the updating player."""
    strategy, regrets, average = tables.strategy, tables.last, tables.average
    for back in range(len(tree.actor)):
        node = len(tree.actor) - 1 - back
        actor = tree.actor[node]
        row = U(tree.row[node])
        if actor == TERMINAL:
            work.value[node] = tree.payoffs[row, player]
            continue
        first, last = U(tree.first[node]), U(tree.first[node + 1])
        value = 0.0
        if actor == CHANCE:
            for child in range(first, last):
                value += tree.chance_probs[row + child - first] * work.value[child]
        else:
            entry = U(tree.start[row])
            for child in range(first, last):
                value += strategy[entry + child - first] * work.value[child]
            if actor == player:
                own, others = weight * work.own[node], work.others[node]
                for child in range(first, last):
                    action = entry + child - first
                    regrets[action] += others * (work.value[child] - value)
                    average[action] += own * strategy[action]
        work.value[node] = value


@kernel
def run_flat(
    tree: Any, schedule: Any, alternating: Any, tables: RegretTables, work: FlatWorkspace
) -> None:
    """Run as many iterations as the schedule has rows.

    tree: `tiltless.tabular.flat.FlatTree`.  schedule: float64 ``[n, 7]``, see
    `tiltless.cfr.schedule`: the regret rule, then the weight in the average.
    alternating: each player responds to the strategies that the players before have just updated,
    instead of all responding to those of the last iteration.
    """
    players = len(tree.player) - 1
    for t in range(len(schedule)):
        rule = schedule[t]
        for player in range(players):
            begin, end = tree.player[player], tree.player[player + 1]
            for entry in range(U(tree.start[begin]), U(tree.start[end])):
                tables.last[entry] = 0.0
            _sweep_forward(tree, player, tables.strategy, work)
            _sweep_backward(tree, player, rule[6], tables, work)
            if alternating:
                match_regrets(tree.start, begin, end, tables, rule)
        if not alternating:
            match_regrets(tree.start, 0, len(tree.start) - 1, tables, rule)
