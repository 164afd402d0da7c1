"""Probes: one simple idea each, played without mercy, that a sound strategy must not lose to.

They are baselines for tables, like the bots of the thesis. Simple players of these kinds have won
against blueprints that looked sound in self-play: bets of unusual sizes are read wrongly, and
nobody who trained the blueprint ever made them. What a probe does depends on its cards, the board
and the betting of the hand, and on nothing else: asked for its strategy, it decides with each hand.
"""

from abc import abstractmethod
from functools import lru_cache
from random import Random

import numpy as np

from tiltless.agents.agent import (
    Agent,
    Clock,
    Decision,
    Policies,
    check_or_call,
    check_or_fold,
    nearest_raise,
)
from tiltless.cards.card import COMBO_CARDS, COMBO_OF
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
_HANDS = tuple(map(tuple, COMBO_CARDS.tolist()))


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


class Probe(Agent):
    """A player without randomness, whose strategy is known."""

    @abstractmethod
    def action(self, view: View) -> Action:
        """What it does with the cards of a view."""

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Its action."""
        return Decision(self.action(view))

    def policies(self, view: View) -> Policies:
        """Its action with every hand; hands that the board blocks have none."""
        board = set(view.board)
        found = [
            None if board & {*hand} else self.action(view._replace(cards=hand)) for hand in _HANDS
        ]
        actions = tuple(dict.fromkeys(action for action in found if action is not None))
        chances = [[float(action == each) for each in actions] for action in found]
        return Policies(actions, np.array(chances, np.float32))


class MinBet(Probe):
    """Makes the smallest bet on every street, and folds to bets and raises.

    pairs: call them before the flop, and after it with a pair.
    """

    def __init__(self, pairs: bool = False) -> None:
        self.pairs = pairs

    def action(self, view: View) -> Action:
        """Bet the minimum, or answer a bet."""
        if is_raised(view):
            return _stays(view, self.pairs and (not view.street or paired(view)))
        return nearest_raise(view.actions, 0)


class AlwaysPot(Probe):
    """Bets and raises the pot, always; calls if no raise is legal."""

    def action(self, view: View) -> Action:
        """Raise by the pot."""
        return part_of_pot(view, 1.0)


class Top20(Probe):
    """Goes all-in before the flop with the best 20 % of hands, otherwise checks or folds.

    By equity against a random hand (`top_percent`): 55+, A2s+ and so on. The class that would only
    partly fit into 20 % is left out.
    """

    def action(self, view: View) -> Action:
        """All-in or nothing."""
        if not view.street and len(view.cards) == 2 and _best()[COMBO_OF[view.cards]]:
            return nearest_raise(view.actions, view.actions.max_raise)
        return check_or_fold(view.actions)


@lru_cache(maxsize=1)
def _best() -> tuple[bool, ...]:
    """By combo, whether it is one of the best."""
    return tuple(np.equal(top_percent(_TOP), 1.0).tolist())


class AnyPair(Probe):
    """Sees every flop, then calls every bet with a pair, and folds without one; never bets."""

    def action(self, view: View) -> Action:
        """Check, call or fold."""
        return _stays(view, not view.street or paired(view))


class TenthOfPot(Probe):
    """Bets a tenth of the pot, or the minimum, on every street; calls bets as `AnyPair`."""

    def action(self, view: View) -> Action:
        """Bet a tenth, or answer a bet."""
        if is_raised(view):
            return _stays(view, not view.street or paired(view))
        return part_of_pot(view, 0.1)


class RiverShove(Probe):
    """Checks and calls to the last street, then goes all-in with every hand."""

    def action(self, view: View) -> Action:
        """Wait for the river."""
        if view.street + 1 < len(view.rules.streets):
            return check_or_call(view.actions)
        return nearest_raise(view.actions, view.actions.max_raise)
