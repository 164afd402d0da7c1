"""Simple policies that ignore their cards, for use as first opponents.

::

    side = Side(simple_policy(tree, "call"), [ONE_BUCKET] * tree.streets)

* random: every action that the tree offers is equally likely.
* call: always checks or calls.
* raise: makes the largest raise that the tree offers, else calls or checks.
* fold: folds to any bet, else checks.
"""

import numpy as np
import numpy.typing as npt

from tiltless.blueprint.tree import BettingTree
from tiltless.kernels.blueprint.nodes import CALL_LABEL, CHECK_LABEL, FOLD_LABEL, PARENT
from tiltless.validate import unknown_name

__all__ = ["SIMPLE_POLICIES", "simple_policy"]

SIMPLE_POLICIES = ("random", "call", "raise", "fold")
"""The names of the policies."""
_FOLD_ORDER = {CHECK_LABEL: 0, FOLD_LABEL: -1, CALL_LABEL: -2}


def simple_policy(tree: BettingTree, name: str) -> npt.NDArray[np.uint8]:
    """The weights of a simple policy, uint8 `[entries]`, laid out by ``tree.rows()``: one bucket.

    An action has weight 1 if the policy takes it, and 0 if not.
    """
    if name not in SIMPLE_POLICIES:
        raise unknown_name("policy", name, SIMPLE_POLICIES)
    child = tree.table_nodes()
    if name == "random" or not len(child):
        return np.ones(len(child), np.uint8)
    preference = _preference(name, tree.nodes.label[child])
    parent = tree.nodes.node[child, PARENT]
    first = np.flatnonzero(np.diff(parent, prepend=-1))  # of each decision
    most = np.maximum.reduceat(preference, first)
    taken = preference == np.repeat(most, np.diff(first, append=len(child)))
    return np.asarray(taken, np.uint8)


def _preference(name: str, label: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """A preference for each action, all different; the action with the largest is taken.

    label: see `tiltless.blueprint.tree.label_of`; fold < check < call < raises by size.
    """
    if name == "raise":
        return label
    plain = label
    if name == "fold":
        plain = np.select([label == each for each in _FOLD_ORDER], list(_FOLD_ORDER.values()), 0)
    return np.where(label >= 0, FOLD_LABEL - 1 - label, plain)
