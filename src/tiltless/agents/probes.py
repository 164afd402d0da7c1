"""Probes: one simple idea each, played without mercy, that a sound strategy must not lose to.

They are baselines for tables, like the bots of the thesis. Simple players of these kinds have won
against blueprints that looked sound in self-play: bets of unusual sizes are read wrongly, and
nobody who trained the blueprint ever made them. What a probe does depends on its cards, the board
and the betting of the hand; it reveals no strategy.
"""

from functools import lru_cache
from random import Random

import numpy as np

from tiltless.agents.agent import (
    Agent,
    Clock,
    Decision,
    check_or_call,
    check_or_fold,
    nearest_raise,
)
from tiltless.cards.card import COMBO_OF
from tiltless.cards.range_text import top_percent
from tiltless.games.holdem.actions import Action
from tiltless.games.holdem.view import View

__all__ = [
    "AlwaysPot",
    "AnyPair",
    "MinBet",
    "RiverShove",
    "TenthOfPot",
    "Top20",
    "is_raised",
    "paired",
]

_TOP = 20.0


def paired(view: View) -> bool:
    """Whether a hole card has the rank of another of the player's cards or of the board."""
    own = [card >> 2 for card in view.cards]
    return len(set(own)) < len(own) or bool({card >> 2 for card in view.board} & set(own))


def is_raised(view: View) -> bool:
    """Whether somebody has bet or raised on this street; blinds are not bets."""
    posted = 0 if view.street else max(view.opening.bets)
    return max(view.bets) > posted


def part_of_pot(view: View, part: float) -> Action:
    """Bet or raise by a fraction of the pot after a call, in whole chips; legal sizes only."""
    return nearest_raise(view.actions, max(view.bets) + round(part * (view.pot + view.to_call)))


def _stays(view: View, stay: bool) -> Action:
    return check_or_call(view.actions) if stay else check_or_fold(view.actions)


class MinBet(Agent):
    """Makes the smallest bet on every street, and folds to bets and raises.

    pairs: call them before the flop, and after it with a pair.
    """

    def __init__(self, pairs: bool = False) -> None:
        self.pairs = pairs

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Bet the minimum, or answer a bet."""
        if is_raised(view):
            return Decision(_stays(view, self.pairs and (not view.street or paired(view))))
        return Decision(nearest_raise(view.actions, 0))


class AlwaysPot(Agent):
    """Bets and raises the pot, always; calls if no raise is legal."""

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Raise by the pot."""
        return Decision(part_of_pot(view, 1.0))


class Top20(Agent):
    """Goes all-in before the flop with the best 20 % of hands, otherwise checks or folds.

    By equity against a random hand (`top_percent`): 55+, A2s+ and so on. The class that would only
    partly fit into 20 % is left out.
    """

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """All-in or nothing."""
        if not view.street and len(view.cards) == 2 and _best()[COMBO_OF[view.cards]]:
            return Decision(nearest_raise(view.actions, view.actions.max_raise))
        return Decision(check_or_fold(view.actions))


@lru_cache(maxsize=1)
def _best() -> tuple[bool, ...]:
    """By combo, whether it is one of the best."""
    return tuple(np.equal(top_percent(_TOP), 1.0).tolist())


class AnyPair(Agent):
    """Sees every flop, then calls every bet with a pair, and folds without one; never bets."""

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Check, call or fold."""
        return Decision(_stays(view, not view.street or paired(view)))


class TenthOfPot(Agent):
    """Bets a tenth of the pot, or the minimum, on every street; calls bets as `AnyPair`."""

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Bet a tenth, or answer a bet."""
        if is_raised(view):
            return Decision(_stays(view, not view.street or paired(view)))
        return Decision(part_of_pot(view, 0.1))


class RiverShove(Agent):
    """Checks and calls to the last street, then goes all-in with every hand."""

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Wait for the river."""
        if view.street + 1 < len(view.rules.streets):
            return Decision(check_or_call(view.actions))
        return Decision(nearest_raise(view.actions, view.actions.max_raise))
