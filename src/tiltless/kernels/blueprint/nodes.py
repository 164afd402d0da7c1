"""Betting trees as kernels see them: one record of eight numbers for each node.

The columns of a record are named here. A node is a decision of a player, a terminal, or a point
where the board decides whether one more street follows. Cards that come anyway have no node: a
decision's street says how many are on the board.

Twin: tests/naive/games/betting.py; tested by tests/blueprint/test_tree.py
"""

from typing import Any, NamedTuple

__all__ = [
    "ACTIONS",
    "ACTOR",
    "CALL_LABEL",
    "CHANCE",
    "CHECK_LABEL",
    "FIRST",
    "FOLD_LABEL",
    "LIVE",
    "NO_LABEL",
    "PARENT",
    "ROW",
    "SHOWDOWN",
    "STREET",
    "UNCONTESTED",
    "BettingNodes",
    "Rows",
]

ACTOR, STREET, ACTIONS, FIRST, ROW, LIVE, PARENT = range(7)
"""Columns of `BettingNodes.node`; the eighth is spare, and makes two records a cache line."""

CHANCE = -1
"""Actor where the newest board card decides: the first child if the hands are shown, the second if
one more street follows."""
UNCONTESTED = -2
"""Actor at a terminal where all but one have folded."""
SHOWDOWN = -3
"""Actor at a terminal where hands are shown, after all missing board cards."""

NO_LABEL, FOLD_LABEL, CHECK_LABEL, CALL_LABEL = -4, -3, -2, -1
"""Entries of `BettingNodes.label`, beside totals of raises, which are not below 0."""


class BettingNodes(NamedTuple):
    """The arrays of a betting tree; made by `tiltless.blueprint.tree.betting_tree`.

    node: int32 ``[nodes, 8]``, in the columns

    * ACTOR: the player to act, or CHANCE, UNCONTESTED, SHOWDOWN; player 0 is the button,
    * STREET: 0 before the flop (at a terminal, the last street that was begun; where all are
      all-in, the last of all); ACTIONS: the number of children; FIRST: the first of them; children
      are neighbours,
    * ROW: at a decision, how many actions the decisions before it on its street have; at a
      terminal, its row in ``paid``,
    * LIVE: the players who have not folded, player p is bit p; PARENT: the node before, or -1.

    label: int64 ``[nodes]``, the action that leads to a node; see
    `tiltless.blueprint.tree.label_of`.
    paid: int64 ``[terminals, players]``, everything that each player has paid when the hand ends.
    dead: int64 ``[players]``, the part of it that belongs to the main pot whoever paid less.
    """

    node: Any
    label: Any
    paid: Any
    dead: Any


class Rows(NamedTuple):
    """Layout of a table: where the decisions of a betting tree have their numbers.

    In a table with one number for each action, in each of ``buckets[street]`` buckets, the numbers
    of a decision begin at ``start[street] + ROW * buckets[street] + bucket * ACTIONS``.

    start: int64 ``[streets + 1]``, the last one is the length of the table.
    buckets: int64 ``[streets]``.
    """

    start: Any
    buckets: Any
