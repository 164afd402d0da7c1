"""Simple agents that ignore their cards: yardsticks with known results."""

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
from tiltless.cards.card import COMBO_CARDS
from tiltless.games.holdem.actions import FOLD, Action, RaiseTo
from tiltless.games.holdem.view import View

__all__ = ["AllIn", "Caller", "Folder", "UniformAgent"]


@lru_cache(maxsize=64)
def _always(action: Action, board: tuple[int, ...]) -> Policies:
    """The same action with every hand."""
    free = ~np.isin(COMBO_CARDS, board).any(axis=1)
    chances = np.where(free, np.float32(1), np.float32(0)).reshape(-1, 1)
    chances.flags.writeable = False
    return Policies((action,), chances)


class Caller(Agent):
    """Checks and calls everything; PyPokerEngine's FishPlayer."""

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Check or call."""
        return Decision(check_or_call(view.actions))

    def policies(self, view: View) -> Policies:
        """The same with every hand."""
        return _always(check_or_call(view.actions), view.board)


class Folder(Agent):
    """Folds whenever it must pay, and checks if that is free."""

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Check or fold."""
        return Decision(check_or_fold(view.actions))

    def policies(self, view: View) -> Policies:
        """The same with every hand."""
        return _always(check_or_fold(view.actions), view.board)


class AllIn(Agent):
    """Goes all-in at once."""

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Make the largest legal raise, or call."""
        return Decision(nearest_raise(view.actions, view.actions.max_raise))

    def policies(self, view: View) -> Policies:
        """The same with every hand."""
        return _always(nearest_raise(view.actions, view.actions.max_raise), view.board)


class UniformAgent(Agent):
    """Folds, checks or calls, or raises with equal probability; all raise sizes are equally likely.

    It does not fold if checking is free.
    """

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Draw a kind of action, then a size."""
        actions = view.actions
        kinds = [check_or_call(actions)]
        if actions.fold and not actions.check:
            kinds.append(FOLD)
        if actions.max_raise:
            kinds.append(RaiseTo(actions.min_raise))
        drawn = kinds[int(rng.random() * len(kinds))]
        if isinstance(drawn, RaiseTo):
            sizes = actions.max_raise - actions.min_raise + 1
            drawn = RaiseTo(actions.min_raise + int(rng.random() * sizes))
        return Decision(drawn)
