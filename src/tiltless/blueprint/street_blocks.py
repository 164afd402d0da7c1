"""Street blocks: the nodes of a betting tree by street, for public chance sampling."""

import numpy as np

from tiltless.blueprint.tree import BettingTree
from tiltless.kernels.blueprint.nodes import ACTOR, PARENT, STREET
from tiltless.kernels.blueprint.public_chance import StreetBlocks

__all__ = ["street_blocks"]


def street_blocks(tree: BettingTree) -> StreetBlocks:
    """The blocks of a tree: each node but the root belongs to the one that its parent is in."""
    node = tree.nodes.node
    parent, street = node[:, PARENT].tolist(), node[:, STREET].tolist()
    root = list(range(len(node)))  # the first decision of the street of each decision
    for at in range(1, len(node)):
        if street[at] == street[parent[at]]:
            root[at] = root[parent[at]]
    block = np.array(root)[node[1:, PARENT]]
    order = np.argsort(block, kind="stable")
    count = np.bincount(block, minlength=len(node))
    begin = np.cumsum(count) - count
    place = np.zeros(len(node), np.int64)
    place[1 + order] = 1 + np.arange(len(order)) - begin[block[order]]
    largest = np.ones(tree.streets, np.int64)
    acts = node[:, ACTOR] >= 0
    np.maximum.at(largest, node[acts, STREET], 1 + count[acts])
    return StreetBlocks(begin, count, (1 + order).astype(np.int32), place, largest)
