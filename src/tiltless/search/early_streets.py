"""Values before the turn: playouts of a blueprint's continuation at a decision of a real table.

The decision is located in the blueprint's tree (`tiltless.blueprint.locate`). An action that the
tree lacks, such as a raise to 2.7 big blinds, is valued as the mixture of those that it is read as;
after bets of others that the tree lacks, so are all values. Chips of the tree become chips of the
table in the ratio of both pots; at the blinds and stacks of training that is exact.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.blueprint.readings import Located, hand_weights
from tiltless.cards.card import COMBO_OF
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import FOLD, Action
from tiltless.games.holdem.view import View
from tiltless.kernels.blueprint.nodes import ACTIONS, ACTOR, FIRST
from tiltless.search.beliefs import Vector, action_shares
from tiltless.search.playouts import Continuation, CostEstimate, estimate_cost
from tiltless.validate import whole_number

__all__ = ["FEWEST_PLAYOUTS", "EarlyStreets", "EarlyValues", "tree_values"]

FEWEST_PLAYOUTS = 100
"""Of each action: a few that end alike have no spread, so their mean would seem certain."""


def tree_values(
    continuation: Continuation,
    node: int,
    stacks: Sequence[int],
    cards: Sequence[int],
    board: Sequence[int],
    others: Vector,
    playouts: int,
    seed: int,
) -> npt.NDArray[np.float64]:
    """Chips that each action of a decision wins where folding is 0, ``[actions, playouts]``.

    node: of the continuation's tree, in whose chips all is.  stacks: what is left there.  cards:
    of the player who acts.  others: the opponent's believed range.
    """
    tree = continuation.tree
    record = tree.nodes.node[node]
    player, first, count = (int(record[name]) for name in (ACTOR, FIRST, ACTIONS))
    children = range(first, first + count)
    won = continuation.payoffs(children, player, cards, board, others, playouts, seed)
    return np.asarray(won + float(tree.game.rules.stacks[player] - stacks[player]))


class EarlyValues(NamedTuple):
    """Values of a decision before the turn, in chips, where folding is 0.

    actions: of the tree, and the one taken.  estimate: see there; in the order of the actions.
    """

    actions: tuple[Action, ...]
    estimate: CostEstimate


class EarlyStreets:
    """Values decisions before the turn.

    locate: the readings of a view in the tree of ``continuation``, such as `Locator.locate`.
    playouts: for each action, at least `FEWEST_PLAYOUTS`.
    """

    def __init__(
        self,
        continuation: Continuation,
        locate: Callable[[View], Sequence[Located]],
        playouts: int = 40_000,
    ) -> None:
        self.continuation, self.locate = continuation, locate
        self.playouts = whole_number("playouts", playouts, FEWEST_PLAYOUTS)

    def values(self, view: View, action: Action, others: Vector, seed: int) -> EarlyValues:
        """What each action is worth with the view's cards, and what the one taken cost.

        others: the opponent's believed range.  `OptionError` if the tree lacks the decision.
        """
        located = self.locate(view)
        if not all(each.inside and not each.priced for each in located):
            raise OptionError("the blueprint's tree has no such decision; it cannot be judged")
        combo = np.array([COMBO_OF[view.cards[0], view.cards[1]]], np.int64)
        weights = [float(weight[0]) for weight in hand_weights(located, combo)]
        every = dict.fromkeys(each for reading in located for each in reading.actions)
        actions = tuple({**every, action: None})
        payoffs = np.zeros((len(actions), self.playouts))
        for reading, weight in zip(located, weights, strict=True):
            if weight > 0:
                won = weight * self._won(view, reading, others, seed)
                for row, each in enumerate(actions):
                    for index, share in action_shares(view, reading.actions, each):
                        payoffs[row] += share * won[index]
        if FOLD in actions:
            payoffs[actions.index(FOLD)] = 0  # exactly
        return EarlyValues(actions, estimate_cost(payoffs, actions.index(action)))

    def _won(
        self, view: View, reading: Located, others: Vector, seed: int
    ) -> npt.NDArray[np.float64]:
        """Chips of the table that each action of a reading wins, ``[actions, playouts]``."""
        assert reading.tree_spot is not None
        spot, rules = reading.tree_spot, self.continuation.tree.game.rules
        left = spot.betting.stacks
        won = tree_values(
            self.continuation,
            spot.node,
            left,
            view.cards,
            view.board,
            others,
            self.playouts,
            seed,
        )
        return won * (view.pot / (sum(rules.stacks) - sum(left)))
