"""Aimbot, the rule-based bot of a report of 2020 on Permutation Hold'em.

The report (libratus fan club, MIT Pokerbots 2020, section 3.1) describes it in a few sentences: a
bot that "would shove good cards pre-flop" and grew into many if statements on its cards, the board
and the pot odds, "very aggressive early to exploit over-folding while tightening up when it came to
putting stacks in". It played shown ranks until it trusted its inference. The numbers are ours:

* before the flop, hands are ranked by equity against a random hand: it opens the best 85 % to 3 big
  blinds and raises limps with 50 %; against a raise it raises the best 18 % to three times the bet
  and calls with 60 %; against a second one it goes all-in with 6 % and calls with 20 %; bets of 25
  big blinds or more are called or shoved with the best 5 % only;
* on the flop who raised last before it bets two thirds of the pot with any hand; otherwise bets
  come from a win rate against random hands of 0.6, and of 0.75 from the turn on in pots above a
  quarter of the stacks;
* a bet is called if the win rate is above the price by a margin of 0.05, which grows to 0.25 when
  the whole stack is at stake, and raised three times from 0.85 if that leaves chips behind, or from
  0.93 all-in.
"""

from collections.abc import Callable
from functools import lru_cache, partial
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
from tiltless.agents.monte_carlo import price, sized_raise
from tiltless.agents.permutation.beliefs import Beliefs
from tiltless.agents.permutation.hands import card_names
from tiltless.agents.permutation.view import relabelled_view, shown_hands
from tiltless.agents.win_rate import checked_rollouts, win_rate
from tiltless.cards.card import CLASS_OF_COMBO, COMBO_OF
from tiltless.cards.preflop import equity_vs_random
from tiltless.experiments.permutation.agents import WAIT, ChainBeliefs
from tiltless.games.holdem.actions import FOLD, Action
from tiltless.games.holdem.history import streets
from tiltless.games.holdem.view import View

__all__ = ["Aimbot", "aimbot"]

_OPEN, _RAISE_LIMP = 0.85, 0.5
_RERAISE, _CALL_RAISE = 0.18, 0.6
_SHOVE, _CALL_RERAISE, _FOR_STACKS = 0.06, 0.2, 0.05
_MANY_BLINDS = 25
_BET, _BET_BIG_POT = 0.6, 0.75
_RAISE, _ALL_IN = 0.85, 0.93
_MARGIN, _STACK_MARGIN = 0.05, 0.2


@lru_cache(maxsize=1)
def _better() -> tuple[float, ...]:
    """By combo, the fraction of combos with more equity against a random hand."""
    equity = equity_vs_random()[CLASS_OF_COMBO]
    return tuple((np.searchsorted(np.sort(-equity), -equity) / len(equity)).tolist())


class Aimbot(Agent):
    """Plays rules by the report's belief about the order."""

    def __init__(self, make_beliefs: Callable[[], Beliefs], rollouts: int = 300) -> None:
        self.rollouts = checked_rollouts(rollouts)
        self._make_beliefs, self._beliefs = make_beliefs, make_beliefs()

    def match_start(self) -> None:
        """Forget the order."""
        self._beliefs = self._make_beliefs()

    def showdown(self, view: View) -> None:
        """Learn from two hands that were shown."""
        shown = shown_hands(view)
        if shown is not None:
            self._beliefs.observe(*shown)

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """By rank of the hand before the flop, by win rate after it."""
        true = relabelled_view(view, card_names(self._beliefs.belief().order).tolist())
        if not view.street:
            return Decision(_before_flop(true), source="chart")
        rate = win_rate(true.rules, true.cards, true.board, self.rollouts, rng, opponents=1).share
        return Decision(_after_flop(true, rate), source="win rate")


def _before_flop(view: View) -> Action:
    actions, big = view.actions, view.rules.big_blind
    better, raises = _better()[COMBO_OF[view.cards]], view.betting.raises
    if max(view.bets) >= _MANY_BLINDS * big:
        return nearest_raise(actions, actions.max_raise) if better < _FOR_STACKS else _give(view)
    if not raises:
        opens = _RAISE_LIMP if actions.check else _OPEN
        return nearest_raise(actions, 3 * big) if better < opens else check_or_fold(actions)
    if raises == 1:
        if better < _RERAISE:
            return nearest_raise(actions, 3 * max(view.bets))
        return check_or_call(actions) if better < _CALL_RAISE else _give(view)
    if better < _SHOVE:
        return nearest_raise(actions, actions.max_raise)
    return check_or_call(actions) if better < _CALL_RERAISE else _give(view)


def _after_flop(view: View, rate: float) -> Action:
    actions, start = view.actions, view.starting_stacks[view.seat]
    if not actions.call:
        raised_last = view.street == 1 and streets(view)[0].aggressor == view.seat
        big_pot = view.street > 1 and view.pot > start / 4
        if raised_last or rate >= (_BET_BIG_POT if big_pot else _BET):
            return sized_raise(view, 2 / 3)
        return check_or_fold(actions)
    stake = (start - view.stack + actions.call) / start
    if rate >= _ALL_IN:
        return nearest_raise(actions, actions.max_raise)
    if rate >= _RAISE and 3 * max(view.bets) < view.stack:
        return nearest_raise(actions, 3 * max(view.bets))
    needed = price(view) + _MARGIN + _STACK_MARGIN * stake
    return check_or_call(actions) if rate >= needed else FOLD


def _give(view: View) -> Action:
    return check_or_fold(view.actions)


def aimbot(wait: int = WAIT, rollouts: int = 300) -> Aimbot:
    """Aimbot with the report's inference; wait: showdowns until it plays its guess."""
    return Aimbot(partial(ChainBeliefs, wait), rollouts)
