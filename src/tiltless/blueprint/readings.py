"""Readings of a hand: where it may be in a blueprint's tree after bets that the tree lacks.

The player is one who privately draws a reading at each such bet and keeps it: a mixed strategy, of
which nobody can know the draw. What makes it a behavioural strategy (Kuhn 1953) is for each reading
its ``share``, the probability that it is drawn, and its ``reach``, the probability with each hand
that the player's own strategy, in this reading, has acted as it did since. The player takes an
action a with hand h with probability

    sum_r share_r reach_r(h) p_r(h, a) / sum_r share_r reach_r(h).

If a hand would not have acted so in any reading (after a ruling, or where probabilities are rounded
to 0), shares alone count.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.blueprint.tree_spot import TreeSpot
from tiltless.cards.card import COMBO_COUNT
from tiltless.games.holdem.actions import Action
from tiltless.games.holdem.view import View

__all__ = ["Located", "OwnReach", "hand_weights", "likeliest"]

Vector = npt.NDArray[np.float64]


class Located(NamedTuple):
    """A reading of a hand: its position in the tree at a decision at the table.

    inside: whether the tree has this decision; if not, see **Past the tree** of
    `tiltless.blueprint.locate`.
    tree_spot: its node, or that of our last decision; None if there is neither.
    actions: what each of the tree's actions is at the table; empty past the tree.
    priced: whether we face a raise that the tree has no response to; see **Sizes** there.
    called: whether that raise was read as a call.
    share, reach: see above; reach: ``[1326]``, None for 1 with every hand.
    """

    inside: bool
    tree_spot: TreeSpot | None
    actions: tuple[Action, ...]
    priced: bool = False
    called: bool = False
    share: float = 1.0
    reach: Vector | None = None

    @property
    def node(self) -> int:
        """The index of the node, or -1."""
        return -1 if self.tree_spot is None else self.tree_spot.node


OwnReach = Callable[[View, Located, Action, Sequence[int]], Sequence[Vector]]
"""The probability with every hand, ``[1326]``, that a strategy takes an action at a decision: one
vector for each of ``Located.actions`` that stand for the action, given by index; if none does, a
single one.
"""


def hand_weights(
    located: Sequence[Located], combos: npt.NDArray[np.int64] | None = None
) -> list[Vector]:
    """The probability of each reading with each hand; they sum to 1 with every hand.

    combos: the hands; None for all.
    """
    hands = COMBO_COUNT if combos is None else len(combos)
    weights = []
    for each in located:
        reach = np.ones(hands) if each.reach is None else each.reach
        weights.append(
            each.share * (reach if combos is None or each.reach is None else reach[combos])
        )
    total = sum(weights, np.zeros(hands))
    none = total <= 0
    if none.any():
        for each, weight in zip(located, weights, strict=True):
            weight[none] = each.share
        total[none] = sum(each.share for each in located)
    return [weight / total for weight in weights]


def likeliest(located: Sequence[Located]) -> Located:
    """The reading with the largest weight, where a single one has to be shown."""
    weights = hand_weights(located)
    return max(zip(located, weights, strict=True), key=lambda pair: float(pair[1].sum()))[0]
