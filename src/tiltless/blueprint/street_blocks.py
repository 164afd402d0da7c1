"""Street blocks: the nodes of a betting tree by street, for public chance sampling."""

import numpy as np

from tiltless.blueprint.tree import BettingTree
from tiltless.kernels.blueprint.nodes import ACTOR, PARENT, STREET
from tiltless.kernels.blueprint.public_chance import StreetBlocks

__all__ = ["street_blocks"]


def street_blocks(tree: BettingTree) -> StreetBlocks:
    """The blocks of a tree: each node except the root is in the block of its parent's street."""
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
    offset = np.zeros(len(node), np.int64)
    offset[1 + order] = 1 + np.arange(len(order)) - begin[block[order]]
    largest = np.ones(tree.streets, np.int64)
    acts = node[:, ACTOR] >= 0
    np.maximum.at(largest, node[acts, STREET], 1 + count[acts])
    return StreetBlocks(begin, count, (1 + order).astype(np.int32), offset, largest)
