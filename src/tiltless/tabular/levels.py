"""Level order (breadth first): the order in which every tree of arrays is laid out.

A preorder traversal (a node, then its children from first to last) records only each node's depth
and number of children. A stable sort by depth then puts the nodes into breadth-first order: one
level after another, siblings next to each other, and the children of a node right after those of
the node before it. So no level has to be kept in memory during the traversal, and no node needs to
know its number before the end.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["MAX_DEPTH", "MAX_NODES", "Levels", "level_order"]

MAX_DEPTH = 2**16 - 1
MAX_NODES = 2**32 - 2


class Levels(NamedTuple):
    """The permutation from preorder to level order.

    order: int64 `[nodes]`, the preorder index of each node in level order.
    first: uint32 `[nodes + 1]`, the children of node i are ``first[i]`` … ``first[i + 1] - 1``.
    level: int64 `[levels + 1]`, the nodes of depth d are ``level[d]`` … ``level[d + 1] - 1``.
    """

    order: npt.NDArray[np.int64]
    first: npt.NDArray[np.uint32]
    level: npt.NDArray[np.int64]


def level_order(depth: npt.NDArray[np.uint16], children: npt.NDArray[np.uint32]) -> Levels:
    """Levels from the depth and the number of children of each node, both in preorder."""
    order = np.argsort(depth, kind="stable")  # a radix sort for 16 bits
    first = np.empty(len(order) + 1, dtype=np.uint32)
    first[0] = 1  # the root is nobody's child
    np.cumsum(children[order], out=first[1:])
    first[1:] += 1
    level = np.concatenate([[0], np.cumsum(np.bincount(depth))])
    return Levels(order, first, level)
