"""Level order: the one order in which every tree of arrays is laid out.

A walk in preorder (a node, then its children from the first to the last) only notes each node's
depth and number of children. Sorted by depth, and stably, the nodes are in the order of a
breadth-first walk: levels one after the other, siblings next to each other, and the children of
one node right after those of the node before. So nobody has to keep a whole level in memory while
walking, and no node has to know its number before the end.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["MAX_DEPTH", "MAX_NODES", "Levels", "level_order"]

MAX_DEPTH = 2**16 - 1
MAX_NODES = 2**32 - 2


class Levels(NamedTuple):
    """How a walk in preorder turns into levels.

    order: int64 `[nodes]`, the place in the walk of each node of the levels.
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
