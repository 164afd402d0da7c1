"""Post-processing of strategies: thresholds, purification, argmax.

* ``sample``: the distribution itself.
* ``threshold``: probabilities below it are dropped, since small ones are often training noise, and
  the rest is renormalised. If all are below it, the largest stays.
* ``argmax``: always the likeliest action; ties go to checking or calling, then to the smaller bet.
* ``purify``: fold if the probability of folding reaches the fold threshold. Otherwise all bets and
  raises count as one action; the likeliest of folding, checking or calling, and betting is played,
  with the likeliest bet size. Ties as above.

Paper: Ganzfried, Sandholm & Waugh (2012), "Strategy purification and thresholding". The grouped
form with a fold threshold is Calling Station's, MIT Pokerbots 2022 and 2023, which does not say
what its thresholds were.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tiltless.blueprint.likeliest import likeliest, tie_order
from tiltless.games.holdem.actions import FOLD, Action, RaiseTo
from tiltless.validate import between, one_of

__all__ = ["CHOICES", "PostProcess"]

CHOICES = ("sample", "argmax", "purify")

_Chances = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PostProcess:
    """How an action is chosen from a distribution.

    choice: one of `CHOICES`.  threshold: applied before the choice; 0 drops nothing.
    fold_threshold: for ``purify``, from 0 to 1.
    """

    choice: str = "sample"
    threshold: float = 0.0
    fold_threshold: float = 0.5

    def __post_init__(self) -> None:
        one_of("choice", self.choice, CHOICES)
        between("threshold", self.threshold, 0, 1)
        between("fold_threshold", self.fold_threshold, 0, 1)

    def __call__(self, chances: _Chances, actions: Sequence[Action]) -> _Chances:
        """The distributions after post-processing, float64 ``[rows, actions]``."""
        if self.threshold:
            chances = _dropped(chances, self.threshold)
        if self.choice == "argmax":
            return _only(likeliest(chances, tie_order(actions)), len(actions))
        if self.choice == "purify":
            return _only(self._purified(chances, actions), len(actions))
        return chances

    def _purified(self, chances: _Chances, actions: Sequence[Action]) -> npt.NDArray[np.intp]:
        """The index of the action that is played, by row."""
        order = tie_order(actions)
        raises = [index for index in order if isinstance(actions[index], RaiseTo)]
        others = [index for index in order if index not in raises]
        folds = [index for index in others if actions[index] == FOLD]
        calls = [index for index in others if index not in folds]
        groups = [group for group in (calls, raises, folds) if group]
        weights = np.stack([chances[:, group].sum(axis=1) for group in groups], axis=1)
        chosen = weights.argmax(axis=1)
        if folds:
            chosen[chances[:, folds].sum(axis=1) >= self.fold_threshold] = len(groups) - 1
        best = np.stack([likeliest(chances, group) for group in groups], axis=1)
        return np.asarray(np.take_along_axis(best, chosen[:, None], axis=1)[:, 0])


def _only(indices: npt.NDArray[np.intp], actions: int) -> _Chances:
    """Rows with probability 1 for one action each."""
    return np.asarray(np.eye(actions)[indices])


def _dropped(chances: _Chances, threshold: float) -> _Chances:
    kept = np.where(chances < threshold, 0.0, chances)
    none = ~kept.any(axis=1)
    if none.any():
        kept[none] = np.eye(chances.shape[1])[chances[none].argmax(axis=1)]
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))
