"""Rule-based agents: starting-hand charts, value bets, pot odds.

`RulesAgent` is the amateur whom the thesis describes. `Tuned` is a family of such players that
differ by a few numbers, its `Genes`; ``examples/07_tune_heuristics.py`` looks for good ones.
"""

from functools import lru_cache
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
from tiltless.agents.monte_carlo import heads_up_rate, price, sized_raise
from tiltless.agents.win_rate import checked_rollouts, win_rate
from tiltless.cards.card import COMBO_CARDS, COMBO_OF
from tiltless.cards.hand_order import HandOrder
from tiltless.games.holdem.actions import FOLD, Action
from tiltless.games.holdem.view import View

__all__ = [
    "GENES_1",
    "GENES_2",
    "Genes",
    "RulesAgent",
    "Tuned",
    "heuristic_1",
    "heuristic_2",
    "points",
]

_HIGH_CARD = {12: 10.0, 11: 8.0, 10: 7.0, 9: 6.0}
_GAP = (0.0, -1.0, -2.0, -4.0)


def points(cards: tuple[int, int], order: HandOrder) -> float:
    """Chen's points of two cards: AA 20, AKs 12, 72o -1.5.

    The high card counts 10 for an ace, 8, 7 and 6 for king, queen and jack, otherwise half its
    number; pairs twice that, at least 5; suited cards 2 more; gaps less; cards below a queen with
    at most one gap 1 more. Deviations: not rounded.
    Book: Krieger (2000), "Hold'em Excellence", which prints W. Chen's formula.
    """
    low, high = sorted(order.true_ranks[card >> 2] for card in cards)
    score = _HIGH_CARD.get(high, (high + 2) / 2)
    if low == high:
        return max(2 * score, 5.0)
    if cards[0] & 3 == cards[1] & 3:
        score += 2
    gap = high - low - 1
    score += _GAP[gap] if gap < len(_GAP) else -5.0
    if gap <= 1 and high < 10:
        score += 1
    return score


@lru_cache(maxsize=64)
def _chart(order: HandOrder) -> tuple[float, ...]:
    """By combo, the fraction of combos with more of Chen's points; 0 for the best."""
    true = order.true_ranks
    combos = [(int(x), int(y)) for x, y in COMBO_CARDS if x >= 4 * order.lowest]
    keys = {
        each: (points(each, order), *sorted((true[card >> 2] for card in each), reverse=True))
        for each in combos
    }
    better: dict[tuple[float, ...], float] = {}
    for rank, key in enumerate(sorted(keys.values(), reverse=True)):
        better.setdefault(key, rank / len(combos))
    out = [1.0] * len(COMBO_CARDS)
    for each, key in keys.items():
        out[COMBO_OF[each]] = better[key]
    return tuple(out)


_FIRST_IN = (1.0, 0.45, 0.35, 0.27, 0.21, 0.17, 0.15, 0.13, 0.12, 0.11)
"""The fraction of hands to open with, by the number of players still to act."""
_HEADS_UP = 0.75
_RERAISE = (0.15, 0.06, 0.025, 0.012)
_CALL = (1.0, 0.22, 0.06, 0.025)
"""The fractions of hands to raise and to call with, by the number of raises; the last for more."""
_WIDER = 1.8  # factor heads-up


class RulesAgent(Agent):
    """An amateur who has read a book: common advice, and nothing cleverer.

    Before the flop it uses a chart of the best hands by Chen's points. In an unraised pot it opens
    with the best 11 % (nine players behind) to 45 % (only the big blind behind; 75 % heads-up), to
    2.5 big blinds plus one for each caller; the big blind raises its best 15 % and otherwise
    checks. After one raise it raises the best 6 % to three times the bet and calls with 22 %; after
    two, 2.5 % and 6 %; after more, 1.2 % and 2.5 %; heads-up 1.8 times as many. A bet of more than
    8 big blinds counts as one more raise, of more than 25 as two. It also makes cheap calls with
    the best 1 - 3 x price.

    After the flop it estimates its share of the pot by rollouts against random hands, converted to
    a heads-up rate (`heads_up_rate`). It bets half the pot from 0.62 and the pot from 0.78; raises
    the pot from 0.85; calls if its share is above the price, plus 0.07 for each bet and raise on
    the street, because a player who bets does not hold a random hand.

    In other games, the chart uses the deck and ranks of the rules; without two hole cards, it uses
    rollouts before the flop too.
    """

    def __init__(self, rollouts: int = 500) -> None:
        self.rollouts = checked_rollouts(rollouts)

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """By chart before the flop, by strength after it."""
        if not view.street and len(view.cards) == 2:
            return Decision(_by_chart(view), source="chart")
        others = len(view.opponents)
        rate = win_rate(
            view.rules, view.cards, view.board, self.rollouts, rng, opponents=others
        ).share
        strength = heads_up_rate(rate, others)
        return Decision(_by_strength(view, rate, strength), source=f"win rate {rate:.3f}")


def _by_chart(view: View) -> Action:
    rules, actions, betting = view.rules, view.actions, view.betting
    big, two = rules.big_blind, rules.seats == 2
    better = _chart(rules.hand_order)[COMBO_OF[view.cards]]
    level = betting.raises + (actions.call > 8 * big) + (actions.call > 25 * big)
    if not level and not actions.check:
        behind = (betting.waiting & ~(1 << view.seat)).bit_count()
        opens = _HEADS_UP if two else _FIRST_IN[min(behind, len(_FIRST_IN) - 1)]
        callers = sum(bet >= big for bet in view.bets) - 1
        if better < opens:
            return nearest_raise(actions, (5 * big + 1) // 2 + max(callers, 0) * big)
    row = min(level, len(_CALL) - 1)
    wider = _WIDER if two else 1.0
    if better < _RERAISE[row] * wider:
        return nearest_raise(actions, 3 * max(*view.bets, big))
    if actions.check:
        return check_or_call(actions)
    called = _CALL[row] * wider if level else 0.0
    return check_or_call(actions) if better < max(called, 1 - 3 * price(view)) else FOLD


def _by_strength(view: View, rate: float, strength: float) -> Action:
    actions, raises = view.actions, view.betting.raises
    if not actions.call:
        if strength >= 0.62:
            return sized_raise(view, 1.0 if strength >= 0.78 else 0.5)
        return check_or_fold(actions)
    if strength >= 0.85:
        return sized_raise(view, 1.0)
    return check_or_call(actions) if rate >= price(view) + 0.07 * raises else FOLD


class Genes(NamedTuple):
    """The parameters of a `Tuned` player, all from 0 to 1; win rates are heads-up rates.

    open: win rate to raise before the flop.  bet, again: win rates to bet, and to raise a bet,
    after the flop.  timid: a fifth of it is added to the price of a call for each raise on the
    street.  size: of bets and raises, from a quarter of the pot (0) to one and a half pots (1).
    bluff: a fifth of it is the probability to bet with a hand that is too weak.
    """

    open: float
    bet: float
    again: float
    timid: float
    size: float
    bluff: float


class Tuned(Agent):
    """A player with six parameters: thresholds to raise, bet and call, a bet size and bluffing.

    The strength of a hand is its share of the pot in rollouts against random hands of the remaining
    opponents.
    """

    def __init__(self, genes: Genes, rollouts: int = 200) -> None:
        self.genes = genes
        self.rollouts = checked_rollouts(rollouts)

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Compare the hand's strength with the genes."""
        genes, actions, others = self.genes, view.actions, len(view.opponents)
        bluff = rng.random() < genes.bluff / 5
        rate = win_rate(
            view.rules, view.cards, view.board, self.rollouts, rng, opponents=others
        ).share
        strength = heads_up_rate(rate, others)
        raises = view.betting.raises
        needed = genes.again if raises else genes.bet if view.street else genes.open
        if strength >= needed or (bluff and not raises):
            action = sized_raise(view, 0.25 + 1.25 * genes.size)
        elif actions.check or rate >= price(view) + raises * genes.timid / 5:
            action = check_or_call(actions)
        else:
            action = FOLD
        return Decision(action, source=f"win rate {rate:.3f}")


GENES_1 = Genes(open=0.504, bet=0.51, again=0.475, timid=0.246, size=0.895, bluff=0.156)
"""Found by ``examples/07_tune_heuristics.py``, seed 1: a table of six with sample bots."""
GENES_2 = Genes(open=0.548, bet=0.278, again=0.465, timid=0.815, size=0.262, bluff=0.112)
"""From the same command, seed 2: `GENES_1` replaces the caller at the table."""


def heuristic_1(rollouts: int = 200) -> Tuned:
    """The player with `GENES_1`."""
    return Tuned(GENES_1, rollouts)


def heuristic_2(rollouts: int = 200) -> Tuned:
    """The player with `GENES_2`."""
    return Tuned(GENES_2, rollouts)
