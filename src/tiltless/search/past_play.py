"""Past play on a street that is solved again: our own decisions, as we really made them.

After a bet that a street's tree lacks, the street is solved again from its start. Our decisions
before that bet are history: our range at the new node is what the strategy then in force made it,
whatever the new solution would have preferred. So these decisions are *locked*
(`tiltless.postflop.locks`): the action taken has the probability, for each hand, with which it was
really taken. Other actions share the rest as they did then, as far as the new tree has them.

Paper: Brown & Sandholm (2019), "Superhuman AI for multiplayer poker", where the searcher's past
actions are held fixed for the same reason.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.games.holdem.actions import Action
from tiltless.postflop.node import Node, find_node
from tiltless.postflop.solver import PostflopSolver
from tiltless.search.blueprint_policy import Table
from tiltless.search.streets import Line

__all__ = ["OwnDecision", "lock_past"]

Vector = npt.NDArray[np.float64]

_LEAST = 1e-6


class OwnDecision(NamedTuple):
    """A decision of ours on the street that is solved again.

    line: the street's actions before it.  move: the action taken.  prob: its probability with each
    hand, ``[1326]``.  actions, chances: the whole strategy, ``[1326, actions]``, with actions
    limited to chips that can be called, as in `Line`.
    """

    line: Line
    move: Action
    prob: Vector
    actions: Line
    chances: npt.NDArray[np.floating]


def lock_past(
    solver: PostflopSolver, past: Sequence[OwnDecision], table: Table | None = None
) -> None:
    """Lock our past decisions in a new tree, in order.

    table: a strategy in the same tree, which gets the locked rows too.
    A move that hardly any hand of ours makes was not ours, and is not locked.
    """
    for decision in past:
        node = find_node(solver, decision.line)
        weights = np.asarray(solver.spot.weights[node.actor], np.float64)
        if weights @ decision.prob <= _LEAST * weights.sum():
            return
        rows = _strategy(node, decision)[node.combos(node.actor)].astype(np.float32)
        solver.lock_rows((node.street_index, node.board_index, node.index), rows)
        if table is not None:
            solver.rows(table, node.street_index, node.board_index, node.index)[:, : len(rows)] = (
                rows.T
            )


def _strategy(node: Node, decision: OwnDecision) -> Vector:
    """The strategy of a past decision in the actions of a new node, ``[1326, actions]``."""
    actions, taken = node.actions, node.actions.index(decision.move)
    rest = np.zeros((len(decision.prob), len(actions)))
    for column, action in enumerate(decision.actions):
        if action in actions and action != decision.move:
            rest[:, actions.index(action)] += decision.chances[:, column]
    some = rest.sum(axis=1) > 0
    rest[~some] = 1
    rest[:, taken] = 0
    rest *= ((1 - decision.prob) / np.maximum(rest.sum(axis=1), 1e-30))[:, None]
    rest[:, taken] = decision.prob
    return rest
