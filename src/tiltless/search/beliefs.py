"""Beliefs: the players' ranges along a hand, by Bayes' rule.

All players begin with a uniform range. When a player acts, each weight of that player's range is
multiplied by the probability of the action with that hand, under the strategy in force; when cards
are dealt, hands that contain them are removed. A player's own cards are never used, so ranges are
public: the same for any private hand, and for all players if they assume the same strategy. With
three seats or more, ranges are independent: the cards of players who have folded are ignored.

An opponent need not play our strategy, so it is mixed with a uniform strategy:
``(1 - uniform_mix) p + uniform_mix / n``. No hand that the cards allow becomes impossible.

A bet that is not in the strategy is between two sizes that are: its likelihood is theirs, mixed by
the pseudo-harmonic mapping (`tiltless.abstraction.bets.translation`). A check or a call is a bet of
size 0.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.bets.translation import Shares, Translation
from tiltless.cards.card import COMBO_COUNT
from tiltless.cards.matchups import HOLDING
from tiltless.games.holdem.actions import CALL, CHECK, Action, RaiseTo
from tiltless.games.holdem.bet_context import spot_of
from tiltless.games.holdem.view import View
from tiltless.search.streets import Past, past_decisions

__all__ = [
    "UNIFORM_MIX",
    "EveryHand",
    "Ranges",
    "action_shares",
    "both_ranges",
    "likelihood",
    "seat_ranges",
    "without_cards",
]

Ranges = npt.NDArray[np.float64]
"""float64 ``[seats, 1326]``; the largest weight of each is 1."""
Vector = npt.NDArray[np.float64]

UNIFORM_MIX = 0.02


class EveryHand(Protocol):
    """The strategy of a decision for every hand: actions, and float ``[1326, actions]``."""

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions."""
        ...

    @property
    def chances(self) -> npt.NDArray[np.float32]:
        """Rows sum to 1, or to 0 for hands that the board blocks."""
        ...


def without_cards(weights: Vector, cards: Sequence[int]) -> Vector:
    """Weights with 0 for hands that contain one of the cards."""
    if not len(cards):
        return weights
    return np.where(HOLDING[list(cards)].any(axis=0), 0.0, weights)


def likelihood(past: View, strategy: EveryHand, move: Action) -> Vector | None:
    """The probability of a move with each hand, ``[1326]``; None if the strategy cannot tell.

    past: the view before the move.
    """
    shares = action_shares(past, strategy.actions, move)
    if not shares:
        return None
    parts = [share * strategy.chances[:, index].astype(np.float64) for index, share in shares]
    return np.asarray(sum(parts))


def action_shares(past: View, actions: Sequence[Action], move: Action) -> Shares:
    """Which of some actions a move is read as: (index, share), shares that sum to 1; () if none.

    past: the view before the move.
    """
    if move in actions:
        return ((actions.index(move), 1.0),)
    passive = [index for index, action in enumerate(actions) if action in (CALL, CHECK)]
    if not isinstance(move, RaiseTo):
        return ((passive[0], 1.0),) if passive and move in (CALL, CHECK) else ()
    spot = spot_of(past.betting, past.pot, legal=past.betting.actions)
    sizes = sorted(
        (spot.share(min(action.chips, spot.most)), index)
        for index, action in enumerate(actions)
        if isinstance(action, RaiseTo)
    )
    if not sizes:
        return ()
    sizes[:0] = [(0.0, index) for index in passive]
    shares = Translation().split(
        spot.share(min(move.chips, spot.most)), [share for share, _ in sizes]
    )
    return tuple((sizes[nearest][1], share) for nearest, share in shares)


def both_ranges(
    view: View,
    in_force: Callable[[Past], EveryHand],
    *,
    own: int | None = None,
    uniform_mix: float = UNIFORM_MIX,
    streets: int | None = None,
) -> Ranges:
    """`seat_ranges` of a two-player hand."""
    return seat_ranges(view, in_force, (0, 1), own=own, uniform_mix=uniform_mix, streets=streets)


def seat_ranges(
    view: View,
    in_force: Callable[[Past], EveryHand],
    seats: Sequence[int],
    *,
    own: int | None = None,
    uniform_mix: float = UNIFORM_MIX,
    streets: int | None = None,
) -> Ranges:
    """The ranges of some seats at the current point of a hand, float64 ``[seats, 1326]``.

    in_force: the strategy at a decision.  own: the seat whose strategy is certain; None: all are.
    streets: stop before this street's first action, with its cards dealt; None: do not stop.
    """
    ranges = {seat: np.ones(COMBO_COUNT) for seat in seats}
    last = view.street if streets is None else streets
    for past in past_decisions(view):
        if past.view.street >= last and streets is not None:
            break
        if past.seat not in ranges:
            continue
        strategy = in_force(past)
        probs = likelihood(past.view, strategy, past.move)
        if probs is None:
            continue
        if own is not None and past.seat != own:
            probs = (1 - uniform_mix) * probs + uniform_mix / len(strategy.actions)
        narrowed = without_cards(ranges[past.seat] * probs, past.view.board)
        if narrowed.any():
            ranges[past.seat] = narrowed / narrowed.max()
    board = view.board[: _dealt(last)]
    found = np.empty((len(seats), COMBO_COUNT))
    for number, seat in enumerate(seats):
        left = without_cards(ranges[seat], board)
        if not left.any():  # the cards block the whole range
            left = without_cards(np.ones(COMBO_COUNT), board)
        found[number] = left / left.max()
    return found


def _dealt(street: int) -> int:
    """The number of board cards on a street of hold'em."""
    return street + 2 if street else 0
