"""Argmax of a strategy, with a fixed order among ties."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tiltless.games.holdem.actions import FOLD, Action, RaiseTo

__all__ = ["likeliest", "tie_order"]


def tie_order(actions: Sequence[Action]) -> list[int]:
    """Indices of actions in order: check or call, then raises from the smallest, then fold."""

    def key(index: int) -> tuple[int, int]:
        action = actions[index]
        if isinstance(action, RaiseTo):
            return 1, action.chips
        return (2 if action == FOLD else 0), 0

    return sorted(range(len(actions)), key=key)


def likeliest(probs: npt.NDArray[np.floating], indices: Sequence[int]) -> npt.NDArray[np.intp]:
    """For each row, the index with the largest probability; ties go to the first one listed.

    probs: ``[hands, actions]``.  indices: the actions to choose from.
    """
    order = np.asarray(indices, dtype=np.intp)
    return np.asarray(order[probs[:, order].argmax(axis=1)])
