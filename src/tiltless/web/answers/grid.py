"""Decisions as JSON for the grid: actions with colours, 169 classes, and 1,326 combos.

The review and the study page draw the same thing: for every hand, how often it is there and how
often it takes each action.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import CLASS_NAMES, CLASS_OF_COMBO
from tiltless.games.holdem.actions import Action, RaiseTo
from tiltless.games.holdem.betting import Betting
from tiltless.games.holdem.notation import action_label, action_words
from tiltless.postflop.report import class_means
from tiltless.viz.strategy_grid import PALETTES, action_colours

__all__ = ["actions_json", "classes_json", "number", "numbers"]

Vector = npt.NDArray[np.float64]


def number(value: float | None, digits: int = 4) -> float | None:
    """A number for JSON, which has no NaN."""
    if value is None or not math.isfinite(value):
        return None
    return round(float(value), digits)


def numbers(values: npt.NDArray[np.floating[Any]], digits: int = 4) -> list[Any]:
    """A vector or matrix for JSON, None for NaN."""
    if values.ndim > 1:
        return [numbers(row, digits) for row in values]
    return [number(value, digits) for value in values.tolist()]


def actions_json(
    actions: Sequence[Action], betting: Betting, pot: int, big_blind: int
) -> list[dict[str, Any]]:
    """Labels, words and colours (by palette) of the actions of a decision."""
    colours = {palette: action_colours(actions, palette) for palette in PALETTES}
    words = action_words(tuple(actions), betting)
    return [
        {
            "word": words[n],
            "label": action_label(action, betting, pot),
            "kind": str(action).partition(" ")[0],
            "bb": number(action.chips / big_blind, 2) if isinstance(action, RaiseTo) else None,
            "colours": {palette: some[n] for palette, some in colours.items()},
        }
        for n, action in enumerate(actions)
    ]


def classes_json(weight: Vector, strategy: npt.NDArray[np.floating[Any]]) -> dict[str, Any]:
    """Means over the 169 classes.

    weight: of each combo, ``[1326]``.  strategy: ``[1326, actions]``; rows are 0 for hands that the
    board blocks, whose weight is 0, too.
    """
    possible = (strategy.sum(axis=1) > 0).astype(np.float64)
    shares = class_means(strategy.astype(np.float64), np.where(possible > 0, weight, 0.0))
    rare = class_means(strategy.astype(np.float64), possible)  # of hands that never come here
    shares = np.where(np.isnan(shares), rare, shares)
    return {
        "weight": numbers(np.nan_to_num(class_means(weight, possible))),
        "strategy": numbers(shares, 3),
    }


def class_of(combo: int) -> str:
    """``AKs``."""
    return CLASS_NAMES[int(CLASS_OF_COMBO[combo])]
