"""Node locking: a strategy fixed by the user at one decision.

A locked decision is played as told in every iteration, and by best responses as well, so the
solver finds the best play of everybody else, and at all other decisions of the same player.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import COMBO_CARDS, COMBO_COUNT, cards_text
from tiltless.cards.suits import suit_classes, swap_combos
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import Action
from tiltless.validate import brief

if TYPE_CHECKING:  # which itself imports the solver
    from tiltless.postflop.node import Node

__all__ = ["Locked", "Rows", "locked_rows"]

Locked = Mapping[Action, float] | npt.ArrayLike
"""Shares of actions for all hands, or an array ``[1326, actions]``."""
Rows = npt.NDArray[np.float32]
Shares = npt.NDArray[np.float64]

_CLOSE = 1e-6


def locked_rows(place: "Node", strategy: Locked) -> Rows:
    """The strategy of a place for the actor's hands in the solver's order, float32 ``[hands, a]``.

    Shares of a hand are divided by their sum. `OptionError` says what is wrong with them.
    """
    if place.actor < 0:
        raise OptionError("nobody acts at the end of a line; lock a decision on the way there")
    shares = _shares(place, strategy)
    combos = place.combos(place.actor)
    mine = shares[combos]
    wrong = ~(np.isfinite(mine) & (mine >= 0)).all(axis=1)
    if wrong.any():
        hand = _text(combos[wrong][0])
        raise OptionError(f"a share of {hand} is negative or no number; give numbers from 0 on")
    total = mine.sum(axis=1, keepdims=True)
    if not total.all():
        hand = _text(combos[total[:, 0] == 0][0])
        raise OptionError(f"{hand} is in the range and has no action; give one a share above 0")
    shares = np.zeros(shares.shape)
    shares[combos] = mine / total
    if place.level < len(place.solver.forests) - 1:
        _check_suits(place, shares)
    return shares[combos].astype(np.float32)


def _shares(place: "Node", strategy: Locked) -> Shares:
    """What was given, for all combos."""
    actions = place.actions
    if not isinstance(strategy, Mapping):
        try:
            given = np.array(strategy, np.float64)
        except (TypeError, ValueError):
            raise OptionError(
                f"{brief(strategy)} is no strategy; give shares by action, or an array"
            ) from None
        if given.shape != (COMBO_COUNT, len(actions)):
            raise OptionError(
                f"a strategy of shape {given.shape} does not fit; give one row for each combo and "
                f"one column for each action, shape ({COMBO_COUNT}, {len(actions)})"
            )
        return given
    row = np.zeros(len(actions))
    for action, share in strategy.items():
        if action not in actions:
            known = ", ".join(map(str, actions))
            raise OptionError(f"{_name(action)} is not in the tree here; there is {known}")
        if isinstance(share, bool) or not isinstance(share, int | float | np.number):
            raise OptionError(f"the share {brief(share)} of {action} is no number; write 0.5")
        row[actions.index(action)] = share
    return np.tile(row, (COMBO_COUNT, 1))


def _check_suits(place: "Node", shares: Shares) -> None:
    """One board stands for all that are alike up to suits, so strategies must not part them."""
    spot = place.solver.spot
    start = spot.street + 2
    later = [(card,) for card in place.board[start:]]
    classes = suit_classes(spot.weights, [place.board[:start], *later])
    for one, two in np.ndindex(4, 4):
        if one < two and classes[one] == classes[two]:
            moved = swap_combos(one, two)
            apart = np.abs(shares - shares[moved]).max(axis=1) > _CLOSE
            if apart.any():
                combo = int(np.flatnonzero(apart)[0])
                raise OptionError(
                    f"{_text(combo)} and {_text(moved[combo])} are the same up to suits on "
                    f"{cards_text(place.board)}, and are locked differently; give both the same, "
                    "or give one another weight in the range"
                )


def _text(combo: Any) -> str:
    return cards_text(COMBO_CARDS[int(combo)].tolist())


def _name(action: object) -> str:
    return str(action) if isinstance(action, Action) else brief(action)
