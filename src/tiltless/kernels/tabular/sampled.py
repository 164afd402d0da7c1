"""Shared parts of the sampled tabular kernels: records of nodes, weights, regret matching.

A traversal goes from a node to one of its children, so one record holds everything about a node,
and records of a subtree are together: the children of a node side by side, then everything below
the first of them, then everything below the second, and so on.

Twin: tests/naive/tabular/sampled.py; tested by tests/tabular/test_sampled.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import inline, kernel

__all__ = [
    "CHANCE",
    "COUNT",
    "EVEN_CHANCE",
    "FIRST",
    "KIND",
    "OFFSET",
    "TERMINAL",
    "WORDS",
    "SampledNodes",
    "SampledRules",
    "SampledTables",
    "Snapshot",
    "Span",
    "action_prob",
    "average_weight",
    "lay_out",
    "merge_copies",
    "prune_limit",
    "regret_weight",
]

U = np.uint64

WORDS = 4
"""Words of a record; records are one flat array, since only those can be prefetched."""
KIND, FIRST, OFFSET, COUNT = U(0), U(1), U(2), U(3)
"""Words of a record: who acts (a player, or one of the kinds below); the first child; the first
action in tables, the first chance probability, or the first payoff; the number of children."""
CHANCE, EVEN_CHANCE, TERMINAL = U(253), U(254), U(255)
"""Kinds other than players; at `EVEN_CHANCE` all outcomes are equally likely."""


class SampledNodes(NamedTuple):
    """A flat tree for traversals; made by `tiltless.tabular.sampled.sampled_nodes`.

    record: uint32 ``[4 * nodes]``.  chance_probs: float64.
    payoffs: float64 ``[terminals * players]``.  depth: of the longest history.  width: the most
    actions of a decision.
    """

    record: Any
    chance_probs: Any
    payoffs: Any
    players: int
    depth: int
    width: int


class SampledTables(NamedTuple):
    """Cumulative regrets and weighted sums of strategies, float64 ``[entries]``."""

    regret: Any
    average: Any


class Snapshot(NamedTuple):
    """Strategies as they were when a traversal first needed them.

    Where players do not see each other's moves, a traversal may visit an infoset more than once; it
    must play one strategy throughout, although regrets change on the way.

    traversal: int64 ``[entries]``, at an infoset's first entry the number of the traversal that
        set its strategy; zeros before the first.  strategy: float64 ``[entries]``.
    """

    traversal: Any
    strategy: Any


class SampledRules(NamedTuple):
    """Regret, averaging and pruning rule as numbers.

    linear: whether the regrets of iteration t count t times.  floor: no regret falls below this,
        times that weight; 0 is regret matching plus, -inf is none.
    gamma, delay: iteration t counts (t - delay)^gamma in the average.
    threshold, warmup, share_unpruned: see `tiltless.cfr.pruning.RegretBased`.
    epsilon: exploration of outcome sampling.
    """

    linear: bool
    floor: float
    gamma: float
    delay: int
    threshold: float
    warmup: int
    share_unpruned: float
    epsilon: float


class Span(NamedTuple):
    """The iterations of one thread: ``first``, ``first + step`` …, ``iterations`` in all."""

    first: int
    step: int
    iterations: int


@inline
def regret_weight(t: Any, linear: Any) -> Any:
    """The weight of a regret of iteration ``t``."""
    return np.float64(t) if linear else 1.0


@inline
def average_weight(t: Any, gamma: Any, delay: Any) -> Any:
    """The weight of the strategy of iteration ``t``, see `tiltless.cfr.averaging`."""
    age = np.float64(t - delay)
    if age <= 0.0:
        return 0.0
    if gamma == 0.0:
        return 1.0
    return age if gamma == 1.0 else age**gamma


@inline
def prune_limit(t: Any, weight: Any, draw: Any, rules: Any) -> Any:
    """Actions with regrets below this are skipped; ``draw``, in [0, 1), decides on -inf."""
    if t > rules.warmup and draw >= rules.share_unpruned:
        return rules.threshold * weight
    return -np.inf


@inline
def action_prob(regret: Any, total: Any, even: Any) -> Any:
    """Regret matching: the probability of an action, ``even`` where ``total`` is 0."""
    return max(regret, 0.0) / total if total > 0.0 else even


@kernel
def lay_out(tree: Any, even: Any, below: Any, block: Any, out: Any) -> None:
    """Write the records of a flat tree.

    tree: `tiltless.tabular.flat.FlatTree`.
    even: bool ``[chance_probs]``, whether the probabilities that begin here are all the same.
    below, block: int64 ``[nodes]`` scratch.  out: uint32 ``[4 * nodes]``, overwritten.
    """
    actor, row, first = tree.actor, tree.row, tree.first
    nodes, players = len(actor), tree.payoffs.shape[1]
    # 1. How many nodes are below each.
    for back in range(nodes):
        node = nodes - 1 - back
        total = 0
        for child in range(first[node], first[node + 1]):
            total += below[child] + 1
        below[node] = total
    # 2. The records, where the children of a node are its block.
    block[0] = 1
    record_of = below  # of a node; its count of nodes below is not needed any more
    record_of[0] = 0
    for node in range(nodes):
        begin = block[node]
        after = begin + first[node + 1] - first[node]
        for child in range(first[node], first[node + 1]):
            block[child] = after
            after += below[child]
            record_of[child] = begin + child - first[node]
        who, at = actor[node], U(WORDS) * U(record_of[node])
        if who >= 0:
            kind, number = U(who), U(tree.start[row[node]])
        elif who == -1:
            kind, number = EVEN_CHANCE if even[row[node]] else CHANCE, U(row[node])
        else:
            kind, number = TERMINAL, U(row[node]) * U(players)
        out[at + KIND] = kind
        out[at + FIRST] = begin
        out[at + OFFSET] = number
        out[at + COUNT] = first[node + 1] - first[node]


@kernel
def merge_copies(total: Any, copies: Any, share: Any, floor: Any) -> None:
    """Add to ``total`` this share of what its copies have gained, and make all equal again.

    total: float64 ``[n]``.  copies: float64 ``[copies, n]``.  Nothing ends below ``floor``.
    """
    for i in range(U(len(total))):
        old = total[i]
        gained = 0.0
        for copy in range(U(len(copies))):
            gained += copies[copy, i] - old
        new = max(old + share * gained, floor)
        total[i] = new
        for copy in range(U(len(copies))):
            copies[copy, i] = new
