"""Nested policies that exist only where visited: a hash table keyed by the relabelled path.

The report nests dictionaries: seat, action, next seat, next action. Here each level is a node,
known by its parent and a token, so a node is a whole path. Tokens are int32: the relabelled seat
(the owner of the policy is 0) times 2^20, plus what it did, `FOLD` to `BIG_BLIND` or `RAISE` +
chips. The owner's information after the flop is a level too, `INFORMATION` + bucket. The children
of node 0 are the policies, one for each hand class and relabelled seat of the small blind; a policy
is also the level of the small blind's post.

Open addressing with linear probing; parent and token are compared, so nothing collides. Where all
nodes are in use, `child` returns -1 and self-play stops.

Twin: tests/naive/six_player/self_play.py; tested by tests/kernels/six_player/test_self_play.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import inline, kernel

__all__ = [
    "ALL_IN",
    "BIG_BLIND",
    "CALL",
    "FOLD",
    "INFORMATION",
    "RAISE",
    "SEAT_SHIFT",
    "PolicyNodes",
    "child",
    "find",
    "rebuild_slots",
    "sort_nodes",
]

U = np.uint64
SEAT_SHIFT = 20
FOLD, CALL, ALL_IN, BIG_BLIND, RAISE = 0, 1, 2, 3, 16
"""Codes of actions; a check is a call of 0, `RAISE` + chips a raise to so many on the street."""
INFORMATION = 7 << SEAT_SHIFT
_MIX_1 = U(0xBF58476D1CE4E5B9)
_MIX_2 = U(0x94D049BB133111EB)


class PolicyNodes(NamedTuple):
    """The nodes of all policies.

    parent, token: int32 ``[n]``; node 0 is the root.  visits: int32 ``[n]``.  regret: float32
    ``[n]``, of own actions.  slots: int32 ``[power of two]``, the node of each slot, 0 if empty.
    used: int64 ``[1]``, how many nodes exist, the root included.
    """

    parent: Any
    token: Any
    visits: Any
    regret: Any
    slots: Any
    used: Any


@inline
def _slot(parent: Any, token: Any) -> Any:
    """Where the search for a node begins: splitmix64 of both numbers."""
    word = (U(parent) << U(32)) | U(token)
    word = (word ^ (word >> U(30))) * _MIX_1
    word = (word ^ (word >> U(27))) * _MIX_2
    return word ^ (word >> U(31))


@inline
def find(nodes: Any, parent: Any, token: Any) -> Any:
    """The child of a node with this token, or -1."""
    mask = U(len(nodes.slots) - 1)
    slot = _slot(parent, token) & mask
    while True:
        node = np.int64(nodes.slots[slot])
        if node == 0:
            return np.int64(-1)
        if nodes.parent[node] == parent and nodes.token[node] == token:
            return node
        slot = (slot + U(1)) & mask


@inline
def child(nodes: Any, parent: Any, token: Any) -> Any:
    """The child of a node with this token, made if it is new; -1 where the table is full."""
    mask = U(len(nodes.slots) - 1)
    slot = _slot(parent, token) & mask
    while True:
        node = np.int64(nodes.slots[slot])
        if node == 0:
            node = nodes.used[0]
            if node == len(nodes.parent):
                return np.int64(-1)
            nodes.used[0] = node + 1
            nodes.slots[slot] = node
            nodes.parent[node], nodes.token[node] = parent, token
            nodes.visits[node], nodes.regret[node] = 0, 0.0
            return node
        if nodes.parent[node] == parent and nodes.token[node] == token:
            return node
        slot = (slot + U(1)) & mask


@kernel
def rebuild_slots(nodes: PolicyNodes) -> None:
    """Fill empty slots with the nodes that are used."""
    mask = U(len(nodes.slots) - 1)
    for node in range(1, nodes.used[0]):
        slot = _slot(nodes.parent[node], nodes.token[node]) & mask
        while nodes.slots[slot] != 0:
            slot = (slot + U(1)) & mask
        nodes.slots[slot] = node


@kernel
def sort_nodes(nodes: PolicyNodes, first: Any, order: Any, by_parent: Any) -> None:
    """Breadth first, siblings by token: an order in which the children of a node are together.

    first: int32 ``[used + 1]``, order: int32 ``[used]``, overwritten: order[i] is the old number of
    node i, whose children are the nodes first[i] to first[i + 1] - 1.
    by_parent: int32 ``[used]`` scratch.
    """
    used = nodes.used[0]
    # 1. Children side by side, in the order of old parents; a counting sort.
    start = np.zeros(used + 1, np.int32)
    for node in range(1, used):
        start[nodes.parent[node] + 1] += 1
    for node in range(used):
        start[node + 1] += start[node]
    place = start.copy()
    for node in range(1, used):
        parent = nodes.parent[node]
        i = place[parent]
        place[parent] += 1
        while i > start[parent] and nodes.token[by_parent[i - 1]] > nodes.token[node]:
            by_parent[i] = by_parent[i - 1]
            i -= 1
        by_parent[i] = node
    # 2. The queue of a search in breadth.
    order[0] = 0
    end = np.int64(1)
    for i in range(used):
        first[i] = end
        old = order[i]
        for j in range(start[old], start[old + 1]):
            order[end] = by_parent[j]
            end += 1
    first[used] = end
