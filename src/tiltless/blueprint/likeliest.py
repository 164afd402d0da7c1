"""Argmax of a strategy, with a fixed order among ties."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tiltless.games.holdem.actions import FOLD, Action, RaiseTo

__all__ = ["likeliest", "tie_order"]


def tie_order(actions: Sequence[Action]) -> list[int]:
    """Places of actions: check or call, then raises from the smallest, then fold."""

    def key(place: int) -> tuple[int, int]:
        action = actions[place]
        if isinstance(action, RaiseTo):
            return 1, action.chips
        return (2 if action == FOLD else 0), 0

    return sorted(range(len(actions)), key=key)


def likeliest(chances: npt.NDArray[np.floating], places: Sequence[int]) -> npt.NDArray[np.intp]:
    """Which of some places is the likeliest, by row; ties go to the first that is named.

    chances: ``[hands, actions]``.
    """
    order = np.asarray(places, dtype=np.intp)
    return np.asarray(order[chances[:, order].argmax(axis=1)])
