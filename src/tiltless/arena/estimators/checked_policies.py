"""The policies that an agent states as its own, checked.

Estimators trust them, and nothing in a result shows that they were wrong.
"""

import numpy as np

from tiltless.agents.agent import KnownStrategy, Policies
from tiltless.arena.rulings import exception_text
from tiltless.cards.card import COMBO_COUNT
from tiltless.cards.matchups import HOLDING
from tiltless.errors import OptionError, TiltlessError
from tiltless.games.holdem.view import View
from tiltless.validate import brief

__all__ = ["checked_policies"]

_ROUNDED = 1e-3  # how far a row may be from a sum of 1


def checked_policies(bot: KnownStrategy, view: View) -> Policies:
    """The agent's policies; `OptionError` unless each row is a distribution over legal actions.

    Rows of hands that the board rules out need no sum.
    """
    name = f"{type(bot).__name__}.policies"
    try:
        policies = bot.policies(view)
        actions, chances = policies
        shape = chances.shape
    except TiltlessError:
        raise
    except Exception as problem:
        raise OptionError(
            f"{name} failed: {exception_text(problem)}; mend it, and return Policies"
        ) from problem
    if not actions:
        raise OptionError(f"{name} names no action; name legal ones: {view.actions}")
    if shape != (COMBO_COUNT, len(actions)):
        raise OptionError(
            f"{name} gives probabilities of shape {shape} for {len(actions)} actions; "
            f"give [{COMBO_COUNT}, {len(actions)}]"
        )
    wrong = next((action for action in actions if action not in view.actions), None)
    if wrong is not None:
        raise OptionError(f"{name} names {brief(wrong)}, which is not legal: {view.actions}")
    sums = chances @ np.ones(len(actions), np.float32)  # faster than the sum of short rows
    if view.board:
        sums[HOLDING[list(view.board)].any(axis=0)] = 1
    if not (chances.min() >= 0 and np.abs(sums - 1).max() < _ROUNDED):
        raise OptionError(
            f"{name} gives rows that are not probabilities; make every number 0 or more, and every "
            "row of a possible hand sum to 1"
        )
    return policies
