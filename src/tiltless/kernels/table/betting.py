"""Betting at tables that are rows of an array: what is legal, and what an action changes.

A row, int64 ``[16 + 12 * seats]``, has the columns below, then for each seat: chips behind, chips
bet on this street, a big blind ante paid, chips at the start of the hand; then for each of the four
streets, by seat, chips paid on it; then, likewise, bets and raises made on it. Sets of seats are
bit masks. The rules are those of `tiltless.games.holdem.betting`, its
readable twin.

Tested by tests/protocols/environments/test_vector.py
"""

from typing import Any

import numpy as np

from tiltless.kernels.base.jit import inline

__all__ = [
    "ABLE",
    "ACTOR",
    "BUTTON",
    "HANDS",
    "HIGH",
    "LARGEST",
    "LEAST",
    "LIVE",
    "MOST_RAISES",
    "RAISES",
    "RULED",
    "SEAT_COLUMNS",
    "STREET",
    "STREET_COUNT",
    "WAITING",
    "apply_action",
    "open_street",
    "raise_bounds",
    "size_chips",
]

ACTOR, BUTTON, STREET, HIGH, LIVE, ABLE, WAITING, LARGEST, LEAST, RAISES, HANDS, RULED = range(12)
"""Columns as the fields of `Betting`; hands dealt so far; whether the last action was illegal."""
SEAT_COLUMNS = 16
"""The first column by seat."""
STREET_COUNT = 4
MOST_RAISES = 15
"""Counts of raises stop here."""

_SEATS, _FIXED, _ACPC, _EFFECTIVE, _FREE_FOLD, _CAP_EACH, _BET, _CAP = 0, 1, 2, 3, 4, 5, 6, 10


@inline
def raise_bounds(row: Any, rules: Any) -> Any:
    """The smallest and the largest raise of the player to act, as totals; (0, 0) if none is legal.

    row: a table.  rules: int64 ``[14]``: seats, fixed sizes, ACPC raises, raises that opponents can
    call, free folds, cap of each player, smallest bet of each street, cap of each street.
    """
    seats, actor, high, street = rules[_SEATS], row[ACTOR], row[HIGH], row[STREET]
    stacks, bets = SEAT_COLUMNS, SEAT_COLUMNS + seats
    raised = SEAT_COLUMNS + (4 + STREET_COUNT + street) * seats
    bet = row[bets + actor]
    total = bet + row[stacks + actor]
    if total <= high or row[RAISES] >= rules[_CAP + street]:
        return np.int64(0), np.int64(0)
    if row[raised + actor] >= rules[_CAP_EACH]:
        return np.int64(0), np.int64(0)
    if high - bet < row[LARGEST] and not rules[_ACPC]:
        return np.int64(0), np.int64(0)
    most = callable_total(row, seats)
    if most <= high:
        return np.int64(0), np.int64(0)
    if rules[_EFFECTIVE] and most < total:
        total = most
    low = min(row[LEAST], total)
    return low, low if rules[_FIXED] else total


@inline
def callable_total(row: Any, seats: Any) -> Any:
    """The largest total that an opponent of the player to act can call."""
    most = np.int64(0)
    for seat in range(seats):
        if (row[ABLE] >> seat) & 1 and seat != row[ACTOR]:
            most = max(most, row[SEAT_COLUMNS + seat] + row[SEAT_COLUMNS + seats + seat])
    return most


@inline
def size_chips(row: Any, rules: Any, sizes: Any, out: Any) -> None:
    """The chips of each size of a menu for the player to act, as totals; 0 where it is not legal.

    sizes: float64 ``[sizes]``, percent of the pot after calling; 0 is the smallest raise, -1 is
    all-in.  out: int64 ``[sizes]``, overwritten. Of sizes that come to the same chips the last is
    legal.
    """
    count, seats = len(sizes), rules[_SEATS]
    low, top = raise_bounds(row, rules)
    for j in range(count):
        out[j] = 0
    if top == 0:
        return
    if rules[_FIXED]:
        out[count - 1] = top
        return
    most = min(top, callable_total(row, seats))
    high = row[HIGH]
    pot = high - row[SEAT_COLUMNS + seats + row[ACTOR]]
    for seat in range(seats):
        pot += row[SEAT_COLUMNS + 3 * seats + seat] - row[SEAT_COLUMNS + seat]
    for j in range(count):
        chips = top
        if sizes[j] >= 0.0:
            chips = np.int64(np.float64(high) + sizes[j] * np.float64(pot) / 100.0 + 0.5)
            if sizes[j] == 0.0:
                chips = low
            chips = max(chips, low)
            if chips >= most:
                chips = top
        for k in range(j):
            if out[k] == chips:
                out[k] = 0
        out[j] = chips


@inline
def apply_action(row: Any, rules: Any, number: Any, chips: Any) -> None:
    """A legal action of the player to act: 0 fold, 1 check or call, else a raise to ``chips``.

    row: overwritten; its actor is -1 when the betting round is over.
    """
    seats, actor, high, street = rules[_SEATS], row[ACTOR], row[HIGH], row[STREET]
    stacks, bets = SEAT_COLUMNS, SEAT_COLUMNS + seats
    paid = SEAT_COLUMNS + (4 + street) * seats
    raised = SEAT_COLUMNS + (4 + STREET_COUNT + street) * seats
    bit = np.int64(1) << actor
    row[WAITING] &= ~bit
    if number == 0:
        row[LIVE] &= ~bit
        row[ABLE] &= ~bit
    else:
        cost = (high if number == 1 else chips) - row[bets + actor]
        cost = min(cost, row[stacks + actor])
        row[stacks + actor] -= cost
        row[bets + actor] += cost
        row[paid + actor] += cost
        if row[stacks + actor] == 0:
            row[ABLE] &= ~bit
    if number > 1:
        step = chips - high
        row[LARGEST] = max(row[LARGEST], step)
        if rules[_ACPC]:
            row[LEAST] = max(row[LEAST], chips + step)
        else:
            row[LEAST] = chips + max(row[LARGEST], rules[_BET + street])
        row[HIGH] = chips
        row[WAITING] = row[ABLE] & ~bit
        row[RAISES] += 1
        if row[raised + actor] < MOST_RAISES:
            row[raised + actor] += 1
    live, able = row[LIVE], row[ABLE]
    if row[WAITING] == 0 or live & (live - 1) == 0:
        row[ACTOR] = -1
        return
    seat = actor
    for _ in range(seats):
        seat = seat + 1 if seat + 1 < seats else 0
        if (row[WAITING] >> seat) & 1:
            break
    if able & (able - 1) == 0 and row[bets + seat] == row[HIGH]:
        seat = -1  # everybody else is all-in: nothing to decide
    row[ACTOR] = seat


@inline
def open_street(row: Any, rules: Any) -> None:
    """The next street: no bets; the first player after the button who can act is to act, or -1."""
    seats = rules[_SEATS]
    row[STREET] += 1
    able = np.int64(0)
    for seat in range(seats):
        row[SEAT_COLUMNS + seats + seat] = 0
        if row[SEAT_COLUMNS + seat] and (row[LIVE] >> seat) & 1:
            able |= np.int64(1) << seat
    row[HIGH], row[LARGEST], row[RAISES] = 0, 0, 0
    row[LEAST] = rules[_BET + row[STREET]]
    row[ABLE], row[WAITING] = able, able
    row[ACTOR] = -1
    if able & (able - 1):  # two can bet
        seat = row[BUTTON]
        for _ in range(seats):
            seat = seat + 1 if seat + 1 < seats else 0
            if (able >> seat) & 1:
                break
        row[ACTOR] = seat
