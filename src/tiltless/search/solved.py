"""Solved subgames: the strategy and the values of every hand, of left-out ones too."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tiltless.cards.card import COMBO_COUNT
from tiltless.cards.matchups import HOLDING
from tiltless.games.holdem.actions import Action
from tiltless.kernels.postflop.street import BEST
from tiltless.postflop.node import Node, find_node
from tiltless.postflop.report import HARDLY
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import unblocked
from tiltless.search.beliefs import Vector
from tiltless.search.left_out import Values, best_responses

__all__ = ["Subgame", "carried_values", "kept_strategy"]

_REACHED = 1e-9  # of the largest total: a hand with less of an average has not reached a node


@dataclass(frozen=True)
class Subgame:
    """A solved subgame.

    solver: has the tree and the strategies.  entry, trust: how the opponent entered, one of
    `ENTRIES`, and how often with its believed range.  seconds: the time that it took.
    """

    solver: PostflopSolver
    entry: str
    trust: float
    seconds: float
    _responses: dict[int, Values] = field(default_factory=dict, repr=False, compare=False)
    _carried: dict[tuple[Any, ...], Vector] = field(default_factory=dict, repr=False, compare=False)

    def node_at(self, line: Sequence[Action]) -> Node | None:
        """The node that a line leads to; None if it is not in the tree."""
        node = find_node(self.solver)
        for action in line:
            if action not in node.actions:
                return None
            node = node.after(action)
        return node

    def responses(self, player: int) -> Values:
        """`best_responses` of a player, computed when somebody asks for a left-out hand."""
        if player not in self._responses:
            self._responses[player] = best_responses(self.solver, player)
        return self._responses[player]

    def carried(self, line: Sequence[Action], card: int, opponent: int) -> Vector:
        """`carried_values`, computed once; not to be written to."""
        key = tuple(line), card, opponent
        if key not in self._carried:
            self._carried[key] = carried_values(self, line, card, opponent)
        return self._carried[key]

    def strategy_at(self, node: Node) -> Vector:
        """The strategy of every hand on the first street, float64 ``[1326, actions]``.

        Hands that were left out play a best response; hands that the board blocks have zeros.
        """
        strategy = kept_strategy(node)
        out = np.logical_not(HOLDING[list(node.board)].any(axis=0))
        out[node.combos(node.actor)] = False
        if out.any():
            values = self.responses(node.actor)[node.forest.children(node.index)]
            strategy[out, values[:, out].argmax(axis=0)] = 1
        return strategy

    def values_at(self, node: Node, combo: int) -> list[float]:
        """Chips that a hand of the actor wins with each action of a node, relative to folding now.

        Of a hand that was left out, with best play from there on. Zeros where `best_values` has
        none.
        """
        (hand,) = np.nonzero(node.combos(node.actor) == combo)
        if len(hand):
            whole = self.solver.cfv(node.street_index, node.board_index, node.actor)
            cfv = whole[:, int(hand[0])]
        else:
            cfv = self.responses(node.actor)[:, combo]
        return _per_pair(node, combo, cfv) or [0.0] * len(node.actions)

    def best_values(self, node: Node, combo: int) -> list[float]:
        """The same with best play after each action; empty against hardly any hand."""
        return _per_pair(node, combo, self.responses(node.actor)[:, combo])


def _per_pair(node: Node, combo: int, cfv: Values) -> list[float]:
    """Counterfactual values of a hand of the actor, ``[nodes]``, as chips for each action."""
    player, spot = node.actor, node.solver.spot
    reach = node.reaches[1 - player]
    others = float(unblocked(reach)[combo])
    if others <= HARDLY * float(reach.sum()):
        return []
    paid = spot.pot / 2 + spot.stack - node.betting.stacks[player]
    return [float(cfv[child]) / others + paid for child in node.forest.children(node.index)]


def kept_strategy(node: Node) -> Vector:
    """The strategy of the hands in the tree, float64 ``[1326, actions]``; zeros for others.

    It is the average strategy. Hands that never reach the node have no average; they use regret
    matching, as regrets exist for all hands.
    """
    solver, actor = node.solver, node.actor
    count = len(node.combos(actor))
    average, regret = (
        solver.read_rows(table, node.street_index, node.board_index, node.index)[:, :count].T
        for table in ("average", "regret")
    )
    actions = average.shape[1]
    total = average.sum(axis=1, dtype=np.float64)
    reached = total > _REACHED * max(float(total.max()), 1e-30)
    probs = average / np.where(reached, total, 1)[:, None]
    if not reached.all():
        plus = np.maximum(regret[~reached], 0).astype(np.float64)
        best = np.eye(actions)[regret[~reached].argmax(axis=1)]
        sums = plus.sum(axis=1, keepdims=True)
        probs[~reached] = np.where(sums > 0, plus / np.where(sums > 0, sums, 1), best)
    strategy = np.zeros((COMBO_COUNT, actions))
    strategy[node.combos(actor)] = probs
    return strategy


def carried_values(subgame: Subgame, line: Sequence[Action], card: int, opponent: int) -> Vector:
    """Values of the opponent's hands at the start of the next street, carried from this one.

    Chips that each hand wins after the street's whole line and a card in a best response to our
    solution, net of its half of the pot, ``[1326]``; NaN for hands that the tree does not have.
    Alternative values of continual re-solving: our solution itself keeps to them on the next
    street, so their guarantee does not rest on the blueprint.

    Paper: Moravčík et al. (2017), "DeepStack", section on continual re-solving.
    Deviations: values of a best response to our strategy, not those of the solution.
    """
    node = find_node(subgame.solver, (*line, card))
    others, held = node.others(opponent), node.combos(opponent)
    some = held[others[held] > 0]
    values = np.full(COMBO_COUNT, np.nan)
    values[some] = node.cfv(opponent, BEST)[some] / others[some]
    return values
