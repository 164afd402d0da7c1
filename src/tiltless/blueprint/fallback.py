"""Fallback policy by hand strength, for decisions that a blueprint has no row for.

E[HS] is a hand's equity against a random hand, over all possible runouts. A bettor's range is
stronger than random, so a call needs more equity than its price: with pot odds
``p = call / (pot + call)``,

* facing a bet: raise the pot with E[HS] of at least 0.85, call from 0.35 + p / 2, else fold;
* if checking is free: bet two thirds of the pot from 0.7, else check.

There are no bluffs, and nothing is random. Uniform play, which an unvisited row would otherwise
mean, sometimes puts in a whole stack with a worthless hand.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.features import Strength
from tiltless.cards.card import CLASS_OF_COMBO, COMBO_COUNT
from tiltless.cards.hand_order import STANDARD, HandOrder
from tiltless.cards.preflop import equity_vs_random
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.games.holdem.bet_context import BetContext, spot_of
from tiltless.games.holdem.view import View

__all__ = ["choose_by_strength", "play_by_strength", "strengths", "strong_raise"]

_RAISE, _VALUE_BET = 0.85, 0.7
_CALL, _PRICE = 0.35, 0.5
_BET, _MORE = 2 / 3, 1.0  # pots

_LONGEST = 5


def strengths(board: Sequence[int], order: HandOrder = STANDARD) -> npt.NDArray[np.float64]:
    """E[HS] of every hand, float64 ``[1326]``; 0 for hands that the board blocks.

    0.5 for all on boards of more than five cards, where the number of cards to come is unknown.
    """
    if len(board) > _LONGEST:
        return np.full(COMBO_COUNT, 0.5)
    if not board and order == STANDARD:
        return np.asarray(equity_vs_random()[CLASS_OF_COMBO])
    return np.nan_to_num(Strength(order=order).exact(np.array(board, np.uint8))[:, 0])


def choose_by_strength(
    strength: npt.NDArray[np.float64], price: float | npt.NDArray[np.float64]
) -> npt.NDArray[np.int64]:
    """The choice of each strength: 0 fold, 1 check or call, 2 bet or raise.

    price: pot odds, of all or of each; 0 if checking is free, and then no hand folds.
    """
    stays = strength >= _CALL + _PRICE * price
    facing = np.where(strength >= _RAISE, 2, stays.astype(np.int64))
    return np.where(np.equal(price, 0), np.where(strength >= _VALUE_BET, 2, 1), facing)


def strong_raise(spot: BetContext, price: float) -> int:
    """The total that strong hands bet or raise to, which need not be legal.  price: as above."""
    return spot.bet + int((_MORE if price else _BET) * spot.pot + 0.5)


def play_by_strength(
    view: View, strength: npt.NDArray[np.float64]
) -> tuple[tuple[Action, ...], npt.NDArray[np.int64]]:
    """Three actions at a table, and which of them each strength chooses."""
    legal, price = view.actions, _price(view)
    stay: Action = CHECK if legal.check else CALL
    more = stay
    if legal.max_raise:
        chips = strong_raise(spot_of(view.betting, view.pot, legal=legal), price)
        more = RaiseTo(min(max(chips, legal.min_raise), legal.max_raise))
    return (CHECK if legal.check else FOLD, stay, more), choose_by_strength(strength, price)


def _price(view: View) -> float:
    """Pot odds; 0 where checking is free."""
    call = view.to_call
    if not call:
        return 0.0
    counted = view.bets[view.seat] + call  # what is beyond comes back to those who bet it
    pot = view.pot - sum(max(0, bet - counted) for bet in view.bets)
    return call / (pot + call)
