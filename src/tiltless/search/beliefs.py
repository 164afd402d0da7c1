"""Beliefs: both players' ranges along a hand, by Bayes' rule.

Everybody begins with every hand alike. When a player acts, each weight of that player's range is
multiplied with how likely the hand was to do so, by the strategy in force; when cards are dealt,
hands that hold them are gone. Own cards are never looked at, so both ranges are public: the same
for any own hand, and for both players if they believe in the same strategy.

An opponent need not play by our strategy, so a part of it, the *doubt*, is uniform over actions:
``(1 - doubt) p + doubt / n``. Nothing that cards allow becomes impossible.

A bet that the strategy does not have lies between two that it has: its likelihood is theirs, mixed
by the pseudo-harmonic mapping (`tiltless.abstraction.bets.translation.chance_of_smaller`).
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.bets.size import spot_of
from tiltless.abstraction.bets.translation import chance_of_smaller
from tiltless.cards.card import COMBO_COUNT
from tiltless.cards.matchups import HOLDING
from tiltless.games.holdem.actions import CALL, CHECK, Action, RaiseTo
from tiltless.games.holdem.view import View
from tiltless.search.streets import Past, past_decisions

__all__ = [
    "UNIFORM_MIX",
    "EveryHand",
    "Ranges",
    "both_ranges",
    "likelihood",
    "without_cards",
]

Ranges = npt.NDArray[np.float64]
"""float64 ``[2, 1326]``, by seat; the largest weight of each is 1."""
Vector = npt.NDArray[np.float64]

UNIFORM_MIX = 0.02


class EveryHand(Protocol):
    """What a player does with every hand: actions, and float ``[1326, actions]``."""

    @property
    def actions(self) -> tuple[Action, ...]:
        """What may be done."""
        ...

    @property
    def chances(self) -> npt.NDArray[np.float32]:
        """Rows sum to 1, or to 0 for hands that the board rules out."""
        ...


def without_cards(weights: Vector, cards: Sequence[int]) -> Vector:
    """Weights without hands that hold one of some cards."""
    if not len(cards):
        return weights
    return np.where(HOLDING[list(cards)].any(axis=0), 0.0, weights)


def likelihood(past: View, known: EveryHand, move: Action) -> Vector | None:
    """How likely each hand was to do what was done, ``[1326]``; None if nothing is known of it.

    past: the view before the move.
    """
    actions, chances = known.actions, known.chances
    if move in actions:
        return chances[:, actions.index(move)].astype(np.float64)
    if not isinstance(move, RaiseTo):
        passive = [place for place, action in enumerate(actions) if action in (CALL, CHECK)]
        if not passive or move not in (CALL, CHECK):
            return None
        return chances[:, passive[0]].astype(np.float64)
    spot = spot_of(past.betting, past.pot, legal=past.betting.actions)
    sizes = sorted(
        (spot.share(min(action.chips, spot.most)), place)
        for place, action in enumerate(actions)
        if isinstance(action, RaiseTo)
    )
    if not sizes:
        return None
    x = spot.share(min(move.chips, spot.most))
    below = [each for each in sizes if each[0] <= x]
    above = [each for each in sizes if each[0] > x]
    if not below or not above:
        return chances[:, (below[-1:] or above[:1])[0][1]].astype(np.float64)
    (small, one), (large, two) = below[-1], above[0]
    part = chance_of_smaller(x, small, large)
    return np.asarray(part * chances[:, one] + (1 - part) * chances[:, two], np.float64)


def both_ranges(
    view: View,
    in_force: Callable[[Past], EveryHand],
    *,
    own: int | None = None,
    uniform_mix: float = UNIFORM_MIX,
    streets: int | None = None,
) -> Ranges:
    """Both players' ranges after what has happened so far; two players.

    in_force: the strategy at a decision.  own: the seat whose strategy we are sure of; None: of
    both.  streets: stop before this street's first action, with its cards dealt; None: never.
    """
    ranges = np.ones((2, COMBO_COUNT))
    last = view.street if streets is None else streets
    for past in past_decisions(view):
        if past.view.street >= last and streets is not None:
            break
        known = in_force(past)
        chance = likelihood(past.view, known, past.move)
        if chance is None:
            continue
        if own is not None and past.seat != own:
            chance = (1 - uniform_mix) * chance + uniform_mix / len(known.actions)
        narrowed = without_cards(ranges[past.seat] * chance, past.view.board)
        if narrowed.any():
            ranges[past.seat] = narrowed / narrowed.max()
    board = view.board[: _dealt(last)]
    for seat in (0, 1):
        left = without_cards(ranges[seat], board)
        if not left.any():  # an own range that the cards have taken away
            left = without_cards(np.ones(COMBO_COUNT), board)
        ranges[seat] = left / left.max()
    return ranges


def _dealt(street: int) -> int:
    """Board cards on a street of hold'em."""
    return street + 2 if street else 0
