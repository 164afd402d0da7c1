"""Play by strength alone at the table; the rule is that of `tiltless.blueprint.fallback`."""

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.bets.size import spot_of
from tiltless.agents.agent import check_or_call, check_or_fold, nearest_raise
from tiltless.blueprint.fallback import choose_by_strength, strong_raise
from tiltless.games.holdem.actions import Action
from tiltless.games.holdem.view import View

__all__ = ["play_by_strength"]


def play_by_strength(
    view: View, strength: npt.NDArray[np.float64]
) -> tuple[tuple[Action, ...], npt.NDArray[np.int64]]:
    """Three actions, and which of them each strength chooses: passing up, staying in, raising."""
    legal = view.actions
    price = _price(view)
    spot = spot_of(view.betting, view.pot, legal=legal)
    more = nearest_raise(legal, strong_raise(spot, price))
    actions = (check_or_fold(legal), check_or_call(legal), more)
    return actions, choose_by_strength(strength, price)


def _price(view: View) -> float:
    """Pot odds; 0 where checking is free."""
    call = view.to_call
    if not call:
        return 0.0
    counted = view.bets[view.seat] + call  # what is beyond comes back to those who bet it
    pot = view.pot - sum(max(0, bet - counted) for bet in view.bets)
    return call / (pot + call)
