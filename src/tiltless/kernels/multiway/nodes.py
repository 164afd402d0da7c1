"""Betting graphs of several players as kernels see them: one record of eight numbers for each node.

A graph consists of blocks. A block is the betting of one street from its first decision to its
ends; players in a block are positions, numbered in the order in which they act. (Before the flop a
position is the player: 0 is the button, 1 the small blind.) An end is a terminal, or a link to the
block of the next street.

Tested by tests/blueprint/multiway/test_graph.py
"""

from typing import Any, NamedTuple

__all__ = [
    "ACTIONS",
    "ACTOR",
    "END",
    "FIRST",
    "FOLDS",
    "LINK",
    "MOST_SEATS",
    "PARENT",
    "ROW",
    "SHOWDOWN",
    "STREET",
    "UNCONTESTED",
    "MultiwayNodes",
]

ACTOR, STREET, ACTIONS, FIRST, ROW, END, FOLDS, PARENT = range(8)
"""Columns of `MultiwayNodes.node`."""

UNCONTESTED = -2
"""Actor at a terminal where all but one have folded."""
SHOWDOWN = -3
"""Actor at a terminal where hands are shown, after all missing board cards."""
LINK = -4
"""Actor where the betting of a street is over and a block of the next street follows."""

MOST_SEATS = 6
"""Columns of `MultiwayNodes.contribution`."""


class MultiwayNodes(NamedTuple):
    """The arrays of a betting graph, see `tiltless.blueprint.multiway.graph_layout.betting_graph`.

    node: int32 ``[nodes, 8]``, in the columns

    * ACTOR: the position to act, or UNCONTESTED, SHOWDOWN, LINK; STREET: 0 before the flop,
    * ACTIONS: the number of children; FIRST: the first of them; children are neighbours,
    * ROW: at a decision, how many actions the decisions before it on its street have,
    * END: at an end, its row in the arrays of ends; FOLDS: 1 if the first action is to fold,
    * PARENT: the node before in the same block, or -1.

    paid: float32 ``[nodes]``, at a decision what the player to act has bet on this street.
    contribution: float32 ``[ends, 6]``, what each position has bet on this street at its end.
    all_in: uint8 ``[ends]``, a bit mask of positions that have bet their whole stack.
    live: uint8 ``[ends]``, a bit mask of positions that have not folded.
    target: int32 ``[ends]``, the first decision of the next block, or -1.
    scaled: uint8 ``[streets]``, 1 where chips are in pots at the start of the street: the blocks of
    such a street serve all pots, and all-in stands for whatever the true stack is.
    """

    node: Any
    paid: Any
    contribution: Any
    all_in: Any
    live: Any
    target: Any
    scaled: Any
