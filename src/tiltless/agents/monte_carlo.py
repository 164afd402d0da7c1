"""Monte-Carlo agents: roll out the hand thousands of times and act on the win rate.

``monte-carlo`` is the bot that a thesis took from the web (vdrumsta, playable_poker_bot, 2020) and
that beat its trained agents: fixed thresholds by street, whatever the bets. The options
``pot-odds`` and ``range`` add what the thesis suggests at its end: calls by pot odds, raises by
edge, and opponents' ranges narrowed by their actions (`tiltless.agents.opponent_model`).

By default it reproduces the original's mistakes: with a stack below the smallest raise it folds
hands that it would raise with (``fold-short=no`` fixes that), and in an unraised big blind it
mistakes its own blind for a bet, and folds hands below the calling threshold.

Deviations from the original:

* In games where folding is illegal when checking is free, it checks where the original would fold.
* It makes 10,000 rollouts as in the thesis, not 100; against the remaining opponents, not all who
  were dealt in; and with an evaluator that lacks the errors of PyPokerEngine's.
* The smallest raise is that of our rules; before the flop the original's is one and a half big
  blinds. Twice the smallest raise, if that exceeds the stack, is all-in.
"""

from random import Random
from typing import NamedTuple

from tiltless.agents.agent import (
    Agent,
    Clock,
    Decision,
    check_or_call,
    check_or_fold,
    nearest_raise,
)
from tiltless.agents.opponent_model import opponent_ranges
from tiltless.agents.win_rate import WinRate, checked_rollouts, fits_ranges, win_rate
from tiltless.games.holdem.actions import FOLD, Action
from tiltless.games.holdem.view import View

__all__ = [
    "THRESHOLDS",
    "ByWinRate",
    "MonteCarlo",
    "Thresholds",
    "heads_up_rate",
    "price",
    "simple_3000",
    "sized_raise",
]


class Thresholds(NamedTuple):
    """Win rates above which each action is taken on a street."""

    call: float
    raise_once: float
    raise_twice: float


THRESHOLDS = (
    Thresholds(0.13, 0.17, 0.20),
    Thresholds(0.30, 0.45, 0.55),
    Thresholds(0.40, 0.47, 0.47),
    Thresholds(0.70, 0.80, 0.90),
)
"""Figure 13 of the thesis: preflop, flop, turn, river. On the turn the middle band is empty."""

_BET, _BET_POT, _RAISE, _RAISE_POT = 0.56, 0.68, 0.68, 0.80


def price(view: View) -> float:
    """Pot odds, the win rate at which a call breaks even: call / (pot + call).

    Chips that an opponent has put in beyond what the player can call are not part of the pot.
    """
    paid, cost = view.paid, view.to_call
    most = paid[view.seat] + cost
    return cost / (sum(min(each, most) for each in paid) + cost)


def heads_up_rate(rate: float, opponents: int) -> float:
    """The heads-up equivalent of a win rate against several opponents.

    It scales the odds so that a fair share, 1 / (opponents + 1), becomes 1/2; 0 and 1 are fixed.
    """
    return rate * opponents / (rate * opponents + 1 - rate)


def sized_raise(view: View, part: float) -> Action:
    """Raise by a fraction of the pot after the call; all-in if that takes 2/3 of the stack."""
    high = max(view.bets)
    to = high + round(part * (view.pot + view.to_call))
    own = view.bets[view.seat]
    if 3 * (to - own) >= 2 * view.stack:
        to = own + view.stack
    return nearest_raise(view.actions, to)


class MonteCarlo(Agent):
    """Rollouts, then thresholds by street; or pot odds, and opponents' ranges.

    Rollouts are against the remaining opponents. With thresholds, it tries in this order to raise
    to twice the minimum, raise the minimum, and call, each if the win rate (a tie counts as a win)
    is above that of `THRESHOLDS`; otherwise it checks if there is no bet, not even a blind, or if
    folding is illegal; otherwise it folds. Later streets use the last thresholds. If no raise is
    possible, it calls instead.

    fold_short: like the original, fold instead of raising the minimum if the stack is below it.
    pot_odds: call if the share of the pot is above `price`; bet half the pot from 0.56 and the pot
    from 0.68, raise half the pot from 0.68 and the pot from 0.80 (`heads_up_rate`).
    range: rollouts against ranges if the game has two hole cards and boards of five; otherwise
    against random hands.
    """

    def __init__(
        self,
        rollouts: int = 10_000,
        pot_odds: bool = False,
        range: bool = False,  # noqa: A002
        fold_short: bool = True,
    ) -> None:
        self.rollouts = checked_rollouts(rollouts)
        self.pot_odds = pot_odds
        self.range = range
        self.fold_short = fold_short

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Roll out and decide."""
        rate = self._rate(view, rng)
        action = self._by_price(view, rate) if self.pot_odds else self._by_street(view, rate)
        return Decision(action, source=f"win rate {rate.share:.3f}")

    def _rate(self, view: View, rng: Random) -> WinRate:
        rules = view.rules
        ranges = None
        if self.range and fits_ranges(rules):
            ranges = opponent_ranges(view)
        others = len(view.opponents)
        return win_rate(
            rules, view.cards, view.board, self.rollouts, rng, opponents=others, ranges=ranges
        )

    def _by_street(self, view: View, counted: WinRate) -> Action:
        actions, rate = view.actions, counted.with_ties
        limits = THRESHOLDS[min(view.street, len(THRESHOLDS) - 1)]
        if rate > limits.raise_twice:
            return nearest_raise(actions, 2 * actions.min_raise)
        if rate > limits.raise_once:
            if self.fold_short and view.bets[view.seat] + view.stack < view.betting.least:
                return FOLD if actions.fold else check_or_fold(actions)
            return nearest_raise(actions, actions.min_raise)
        if rate > limits.call:
            return check_or_call(actions)
        return FOLD if actions.fold and max(view.bets) else check_or_fold(actions)

    def _by_price(self, view: View, counted: WinRate) -> Action:
        actions, rate = view.actions, counted.share
        strength = heads_up_rate(rate, len(view.opponents))
        least, most = (_RAISE, _RAISE_POT) if view.betting.raises else (_BET, _BET_POT)
        if actions.max_raise and strength >= least:
            return sized_raise(view, 1.0 if strength >= most else 0.5)
        if actions.check or rate >= price(view):
            return check_or_call(actions)
        return FOLD


class ByWinRate(Agent):
    """Rollouts and three thresholds, the same on every street.

    Below a win rate of 0.5 it checks or folds; below 0.75 it calls; below 0.85 it raises the
    minimum; above that it goes all-in. The win rate is against the remaining opponents.

    A report on six-player hold'em (PyPokerEngine, 500,000 games of training) played against two
    bots from the web that it describes only by their number of rollouts, 1,400 and 3,000. These
    thresholds are the report's own, for the rollouts of its agent in situations it had not met.
    """

    def __init__(self, rollouts: int = 1400) -> None:
        self.rollouts = checked_rollouts(rollouts)

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Roll out and compare with the thresholds."""
        actions = view.actions
        counted = win_rate(
            view.rules,
            view.cards,
            view.board,
            self.rollouts,
            rng,
            opponents=len(view.opponents),
        )
        rate = counted.with_ties
        if rate < 0.5:
            action = check_or_fold(actions)
        elif rate < 0.75:
            action = check_or_call(actions)
        else:
            action = nearest_raise(actions, actions.min_raise if rate < 0.85 else actions.max_raise)
        return Decision(action, source=f"win rate {rate:.3f}")


def simple_3000(rollouts: int = 3000) -> ByWinRate:
    """`ByWinRate` with 3,000 rollouts."""
    return ByWinRate(rollouts)
