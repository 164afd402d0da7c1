"""Betting of one hand at six chairs, some of them empty: who acts, what is legal, who is paid.

The rules are those of `tiltless.games.holdem.betting` with ``free_fold`` and PyPokerEngine's blinds
(the chair after the button posts the small one, also heads-up), and the side pots those of
`tiltless.games.holdem.pots`. Sets of chairs are bit masks: chair c is ``1 << c``.

A hand is two arrays that the caller owns: ``chips``, int64 ``[3, 6]``, with the rows `STACK`, `BET`
(on this street) and `PAID` (in this hand); and ``now``, int64 ``[9]``, with the fields named below.

Twin: tests/naive/six_player/self_play.py; tested by tests/kernels/six_player/test_self_play.py
"""

from typing import Any

import numpy as np

from tiltless.kernels.base.jit import inline, part

__all__ = [
    "ABLE",
    "ACTOR",
    "BET",
    "BUTTON",
    "CHAIRS",
    "HIGH",
    "LARGEST",
    "LEAST",
    "LIVE",
    "NOBODY",
    "NOW_FIELDS",
    "PAID",
    "STACK",
    "STREET",
    "WAITING",
    "call",
    "fold",
    "is_one",
    "next_chair",
    "next_street",
    "owed",
    "pay_out",
    "pot",
    "raise_bounds",
    "raise_to",
    "start_hand",
]

CHAIRS = 6
NOBODY = -1
STACK, BET, PAID = 0, 1, 2
"""Rows of ``chips``."""
ACTOR, BUTTON, STREET, HIGH, LARGEST, LEAST, LIVE, ABLE, WAITING = range(9)
"""Fields of ``now``; see `tiltless.games.holdem.betting.Betting`."""
NOW_FIELDS = 9


@inline
def next_chair(chairs: Any, after: Any) -> Any:
    """The first chair of a set that is not empty, clockwise from the one after ``after``."""
    chair = after
    while True:
        chair = chair + 1 if chair < CHAIRS - 1 else 0
        if (chairs >> chair) & 1:
            return chair


@inline
def is_one(chairs: Any) -> Any:
    """Whether a set has one member, or none."""
    return chairs & (chairs - 1) == 0


@inline
def _open_round(chips: Any, now: Any, after: Any, bet: Any) -> None:
    """A new street, bets of which may be blinds; the first chair after ``after`` acts first."""
    high, able = np.int64(0), np.int64(0)
    for chair in range(CHAIRS):
        high = max(high, chips[BET, chair])
        if chips[STACK, chair] > 0 and (now[LIVE] >> chair) & 1:
            able |= 1 << chair
    actor = np.int64(NOBODY)
    if able and not is_one(now[LIVE]):
        actor = next_chair(able, after)
        if is_one(able) and chips[BET, actor] == high:
            actor = np.int64(NOBODY)
    now[ACTOR], now[HIGH], now[LARGEST], now[LEAST] = actor, high, 0, high + bet
    now[ABLE], now[WAITING] = able, able


@part
def start_hand(chips: Any, now: Any, button: Any, small: Any, big: Any) -> Any:
    """Post the blinds; chairs without chips are empty.

    chips: the stacks are read, the other rows overwritten.  now: overwritten.
    Returns the chair of the small blind.
    """
    live = np.int64(0)
    for chair in range(CHAIRS):
        chips[BET, chair] = chips[PAID, chair] = 0
        if chips[STACK, chair] > 0:
            live |= 1 << chair
    first = next_chair(live, button)
    second = next_chair(live, first)
    _pay(chips, first, min(small, chips[STACK, first]))
    _pay(chips, second, min(big, chips[STACK, second]))
    now[BUTTON], now[STREET], now[LIVE] = button, 0, live
    _open_round(chips, now, second, big)
    return first


@part
def next_street(chips: Any, now: Any, big: Any) -> None:
    """Bets are in the pot; the first chair after the button acts first."""
    for chair in range(CHAIRS):
        chips[BET, chair] = 0
    now[STREET] += 1
    _open_round(chips, now, now[BUTTON], big)


@inline
def _pay(chips: Any, chair: Any, amount: Any) -> None:
    chips[STACK, chair] -= amount
    chips[BET, chair] += amount
    chips[PAID, chair] += amount


@inline
def pot(chips: Any) -> Any:
    """All chips paid in this hand."""
    total = np.int64(0)
    for chair in range(CHAIRS):
        total += chips[PAID, chair]
    return total


@inline
def owed(chips: Any, now: Any) -> Any:
    """What a call costs the chair to act, as far as its stack goes."""
    actor = now[ACTOR]
    return min(now[HIGH] - chips[BET, actor], chips[STACK, actor])


@part
def raise_bounds(chips: Any, now: Any) -> Any:
    """The smallest and the largest legal raise of the chair to act, as totals; (0, 0) if none."""
    actor, high = now[ACTOR], now[HIGH]
    total = chips[BET, actor] + chips[STACK, actor]
    if total <= high or high - chips[BET, actor] < now[LARGEST]:
        return np.int64(0), np.int64(0)
    for chair in range(CHAIRS):
        if chair != actor and (now[ABLE] >> chair) & 1:
            if chips[BET, chair] + chips[STACK, chair] > high:
                return min(now[LEAST], total), total
    return np.int64(0), np.int64(0)


@inline
def _pass_on(chips: Any, now: Any) -> None:
    """The next chair to act, or `NOBODY` where the street is over."""
    waiting = now[WAITING]
    if waiting == 0 or is_one(now[LIVE]):
        now[ACTOR] = NOBODY
        return
    actor = next_chair(waiting, now[ACTOR])
    if is_one(now[ABLE]) and chips[BET, actor] == now[HIGH]:
        actor = np.int64(NOBODY)
    now[ACTOR] = actor


@part
def fold(chips: Any, now: Any) -> None:
    """The chair to act folds."""
    bit = np.int64(1) << now[ACTOR]
    now[WAITING] &= ~bit
    now[LIVE] &= ~bit
    now[ABLE] &= ~bit
    _pass_on(chips, now)


@part
def call(chips: Any, now: Any) -> None:
    """The chair to act checks or calls."""
    actor = now[ACTOR]
    now[WAITING] &= ~(np.int64(1) << actor)
    _pay(chips, actor, owed(chips, now))
    if chips[STACK, actor] == 0:
        now[ABLE] &= ~(np.int64(1) << actor)
    _pass_on(chips, now)


@part
def raise_to(chips: Any, now: Any, total: Any, big: Any) -> None:
    """The chair to act raises to ``total`` on this street; not checked."""
    actor = now[ACTOR]
    bit = np.int64(1) << actor
    _pay(chips, actor, total - chips[BET, actor])
    if chips[STACK, actor] == 0:
        now[ABLE] &= ~bit
    now[LARGEST] = max(now[LARGEST], total - now[HIGH])
    now[LEAST] = total + max(now[LARGEST], big)
    now[HIGH] = total
    now[WAITING] = now[ABLE] & ~bit
    _pass_on(chips, now)


@part
def pay_out(chips: Any, now: Any, values: Any) -> None:
    """Pay main pot and side pots to the stacks.

    values: int64 ``[6]``, of the live hands; not read where one chair is left.
    """
    live = now[LIVE]
    if is_one(live):
        chips[STACK, next_chair(live, now[BUTTON])] += pot(chips)
        return
    top = np.int64(0)
    for chair in range(CHAIRS):
        if (live >> chair) & 1:
            top = max(top, chips[PAID, chair])
    before = np.int64(0)
    while before < top:
        level = top
        for chair in range(CHAIRS):
            if (live >> chair) & 1 and before < chips[PAID, chair] < level:
                level = chips[PAID, chair]
        amount, best = np.int64(0), np.int64(0)
        for chair in range(CHAIRS):
            paid = chips[PAID, chair]
            amount += max(paid if level == top else min(paid, level), before) - before
            if (live >> chair) & 1 and paid >= level:
                best = max(best, values[chair])
        winners = np.int64(0)
        for chair in range(CHAIRS):
            if (live >> chair) & 1 and chips[PAID, chair] >= level and values[chair] == best:
                winners += 1
        share, odd = amount // winners, amount % winners
        chair = now[BUTTON]
        for _ in range(CHAIRS):  # clockwise from the chair after the button
            chair = chair + 1 if chair < CHAIRS - 1 else 0
            if (live >> chair) & 1 and chips[PAID, chair] >= level and values[chair] == best:
                chips[STACK, chair] += share + odd
                odd = np.int64(0)
        before = level
