"""Play by strength alone: for decisions that a blueprint has no row for.

E[HS] is a hand's equity against a random hand, over all boards to come. Who bets has something, so
a call needs more than its price: with pot odds ``p = call / (pot + call)``,

* facing a bet: raise the pot with E[HS] of at least 0.85, call from 0.35 + p / 2, else fold;
* where checking is free: bet two thirds of the pot from 0.7, else check.

There are no bluffs, and nothing is random. Equal chances, which is what a row that training has
never been to would mean, put a whole stack in with nothing.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.features import Strength
from tiltless.abstraction.sizes import spot_of
from tiltless.agents.agent import check_or_call, check_or_fold, nearest_raise
from tiltless.cards.card import CLASS_OF_COMBO, COMBO_COUNT
from tiltless.cards.hand_order import STANDARD, HandOrder
from tiltless.cards.preflop import equity_vs_random
from tiltless.games.actions import Action
from tiltless.games.view import View

__all__ = ["RAISE", "VALUE_BET", "play_by_strength", "strengths"]

RAISE, VALUE_BET = 0.85, 0.7
_CALL, _PRICE = 0.35, 0.5
_BET, _MORE = 2 / 3, 1.0  # pots

_LONGEST = 5


def strengths(board: Sequence[int], order: HandOrder = STANDARD) -> npt.NDArray[np.float64]:
    """E[HS] of every hand, float64 ``[1326]``; 0 for hands that the board blocks.

    Boards of more than five cards, where it is not known how many follow: 0.5 for all.
    """
    if len(board) > _LONGEST:
        return np.full(COMBO_COUNT, 0.5)
    if not board and order == STANDARD:
        return np.asarray(equity_vs_random()[CLASS_OF_COMBO])
    return np.nan_to_num(Strength(order=order).exact(np.array(board, np.uint8))[:, 0])


def play_by_strength(
    view: View, strength: npt.NDArray[np.float64]
) -> tuple[tuple[Action, ...], npt.NDArray[Any]]:
    """Three actions, and which of them each strength chooses: passing up, staying in, raising."""
    legal = view.actions
    spot = spot_of(view.betting, view.pot, legal=legal)
    share = _MORE if legal.call else _BET
    more = nearest_raise(legal, spot.bet + int(share * spot.pot + 0.5))
    actions = (check_or_fold(legal), check_or_call(legal), more)
    if not legal.call:
        return actions, np.where(strength >= VALUE_BET, 2, 1)
    counted = view.bets[view.seat] + legal.call  # what is beyond comes back to those who bet it
    pot = view.pot - sum(max(0, bet - counted) for bet in view.bets)
    price = legal.call / (pot + legal.call)
    stays = strength >= _CALL + _PRICE * price
    return actions, np.where(strength >= RAISE, 2, stays.astype(np.int64))
