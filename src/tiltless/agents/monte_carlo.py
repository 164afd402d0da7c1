"""Monte-Carlo agents: roll out the hand thousands of times and act on the win rate.

``monte-carlo`` is the bot that a thesis took from the web (vdrumsta, playable_poker_bot, 2020) and
that beat its trained agents: fixed thresholds by street, whatever the bets. ``pot-odds`` and
``range`` make of it what the thesis asks for at its end: calls by price, raises by edge, and
opponents whose hands are narrowed by their actions (`tiltless.agents.opponent_model`).

By default its faults are played too: with a stack below the smallest raise it folds hands that it
would raise with (``fold-short=no`` mends that), and as the big blind that nobody has raised it
takes its own blind for a bet to be called, and folds hands that are not worth a call.

Deviations from the original:

* In games where nobody may fold for free, it checks where the original would fold.
* 10,000 rollouts as in the thesis, not 100; against those who are still in, not those who were
  dealt in; and by an evaluator without the faults of PyPokerEngine's.
* The smallest raise is that of our rules; before the flop the original's is one and a half big
  blinds. Twice it, where that is more than the stack, is all-in.
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
    """Win rates above which a street's action is taken."""

    call: float
    raise_once: float
    raise_twice: float


THRESHOLDS = (
    Thresholds(0.13, 0.17, 0.20),
    Thresholds(0.30, 0.45, 0.55),
    Thresholds(0.40, 0.47, 0.47),
    Thresholds(0.70, 0.80, 0.90),
)
"""Of the thesis, figure 13: preflop, flop, turn, river. On the turn the middle band is empty."""

_BET, _BET_POT, _RAISE, _RAISE_POT = 0.56, 0.68, 0.68, 0.80


def price(view: View) -> float:
    """The win rate at which a call costs nothing: call / (pot + call).

    Chips that an opponent has put in beyond the own stack are not part of the pot.
    """
    paid, cost = view.paid, view.to_call
    most = paid[view.seat] + cost
    return cost / (sum(min(each, most) for each in paid) + cost)


def heads_up_rate(rate: float, opponents: int) -> float:
    """A win rate against several, as one against one: the odds against a fair share.

    1/2 stands for 1 / (opponents + 1); 0 and 1 for themselves.
    """
    return rate * opponents / (rate * opponents + 1 - rate)


def sized_raise(view: View, part: float) -> Action:
    """Raise by a part of the pot after the call; all-in where two thirds of the stack would go."""
    high = max(view.bets)
    to = high + round(part * (view.pot + view.to_call))
    own = view.bets[view.seat]
    if 3 * (to - own) >= 2 * view.stack:
        to = own + view.stack
    return nearest_raise(view.actions, to)


class MonteCarlo(Agent):
    """Rollouts, then thresholds by street; or pot odds, and opponents' ranges.

    Rollouts are against those who are still in. By thresholds: raise to twice the minimum, raise
    the minimum, call, in this order, where the win rate (a tie counts as a win) is above what
    `THRESHOLDS` say; else check where nobody has bet, blinds included, or folding is not legal;
    else fold. On streets after the last of them the last counts. Where no raise is possible it
    calls.

    fold_short: like the original, fold instead of raising the minimum where the stack is below it.
    pot_odds: call where the share of the pot is above `price`; bet half the pot from 0.56 on and
    the pot from 0.68, raise half the pot from 0.68 and the pot from 0.80 (`heads_up_rate`).
    range: rollouts against ranges, where the game has two hole cards and boards of five; elsewhere
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
    """Rollouts and three limits, the same on every street.

    Below 0.5 check, or fold where that is not free; below 0.75 call; below 0.85 raise the minimum;
    from there on all-in. The win rate is against those who are still in.

    A report on six-player hold'em (PyPokerEngine, 500,000 games of training) played against two
    bots from the web that it describes by their number of rollouts alone, 1,400 and 3,000. These
    limits are its own, for its own rollouts in situations that it had not met.
    """

    def __init__(self, rollouts: int = 1400) -> None:
        self.rollouts = checked_rollouts(rollouts)

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Roll out and compare."""
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
    """The second of the two bots of `ByWinRate`."""
    return ByWinRate(rollouts)
