"""Node locking: a strategy fixed by the user at one decision.

A locked strategy is played in every iteration, and by best responses as well, so the solver finds
the best play of the opponent, and of the same player at all other decisions.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import COMBO_CARDS, COMBO_COUNT, cards_text
from tiltless.cards.suits import swap_combos
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import Action
from tiltless.postflop.boards import suits_of
from tiltless.validate import brief

if TYPE_CHECKING:  # which itself imports the solver
    from tiltless.postflop.node import Node

__all__ = ["Locked", "Rows", "locked_rows"]

Locked = Mapping[Action, float] | npt.ArrayLike
"""Probabilities of actions, used with all hands, or an array ``[1326, actions]``."""
Rows = npt.NDArray[np.float32]
Probs = npt.NDArray[np.float64]

_CLOSE = 1e-6


def locked_rows(node: "Node", strategy: Locked) -> Rows:
    """The strategy of a node for the actor's hands in the solver's order, float32 ``[hands, a]``.

    Weights of a hand are normalised by their sum. `OptionError` says what is wrong with them.
    """
    if node.actor < 0:
        raise OptionError(f"nobody acts after {node.line!r}; lock a decision on the line to it")
    probs = _probs(node, strategy)
    combos = node.combos(node.actor)
    mine = probs[combos]
    wrong = ~(np.isfinite(mine) & (mine >= 0)).all(axis=1)
    if wrong.any():
        hand = _text(combos[wrong][0])
        raise OptionError(f"a probability of {hand} is negative or not a number; give 0 or more")
    total = mine.sum(axis=1, keepdims=True)
    if not total.all():
        hand = _text(combos[total[:, 0] == 0][0])
        raise OptionError(
            f"{hand} is in the range and has no action; give one a probability above 0"
        )
    probs = np.zeros(probs.shape)
    probs[combos] = mine / total
    if node.street_index < len(node.solver.forests) - 1:
        _check_suits(node, probs)
    return probs[combos].astype(np.float32)


def _probs(node: "Node", strategy: Locked) -> Probs:
    """The weights of actions for all combos."""
    actions = node.actions
    if not isinstance(strategy, Mapping):
        try:
            table = np.array(strategy, np.float64)
        except (TypeError, ValueError):
            raise OptionError(
                f"{brief(strategy)} is not a strategy; give probabilities by action, or an array"
            ) from None
        if table.shape != (COMBO_COUNT, len(actions)):
            raise OptionError(
                f"a strategy of shape {table.shape} does not fit; give one row for each combo and "
                f"one column for each action, shape ({COMBO_COUNT}, {len(actions)})"
            )
        return table
    row = np.zeros(len(actions))
    for action, prob in strategy.items():
        if action not in actions:
            choices = ", ".join(map(str, actions))
            raise OptionError(f"{_name(action)} is not in the tree here; there is {choices}")
        if isinstance(prob, bool) or not isinstance(prob, int | float | np.number):
            raise OptionError(
                f"the probability {brief(prob)} of {action} is not a number; write 0.5"
            )
        row[actions.index(action)] = prob
    return np.tile(row, (COMBO_COUNT, 1))


def _check_suits(node: "Node", probs: Probs) -> None:
    """Refuse strategies that differ between hands that are the same up to suits."""
    solver = node.solver
    classes = suits_of(solver.spot, node.board, len(solver.boards[0].boards[0]))
    for one, two in np.ndindex(4, 4):
        if one < two and classes[one] == classes[two]:
            moved = swap_combos(one, two)
            apart = np.abs(probs - probs[moved]).max(axis=1) > _CLOSE
            if apart.any():
                combo = int(np.flatnonzero(apart)[0])
                raise OptionError(
                    f"{_text(combo)} and {_text(moved[combo])} are the same up to suits on "
                    f"{cards_text(node.board)}, but are locked differently; give both the same "
                    "strategy, or different weights in the range"
                )


def _text(combo: Any) -> str:
    return cards_text(COMBO_CARDS[int(combo)].tolist())


def _name(action: object) -> str:
    return str(action) if isinstance(action, Action) else brief(action)
