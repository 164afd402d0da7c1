"""Steps of many hold'em tables: actions in; observations, masks and payoffs out.

A table is a row of `tiltless.kernels.table.betting`. The cards of a hand are drawn when it begins;
observations show those that the player may see. Every decision is compared with our readable rules.

Tested by tests/protocols/environments/test_vector.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import inline, kernel, part
from tiltless.kernels.base.rng import next_below
from tiltless.kernels.cards.evaluate import (
    SUITS_AT_THREE,
    flush_ranks,
    has_flush,
    rank_sum,
    rank_sum_value,
)
from tiltless.kernels.table.betting import (
    ACTOR,
    BUTTON,
    HANDS,
    HIGH,
    LIVE,
    MOST_RAISES,
    RULED,
    SEAT_COLUMNS,
    STREET,
    STREET_COUNT,
    apply_action,
    open_street,
    raise_bounds,
    size_chips,
)

__all__ = ["TableRules", "observe_seat", "step_tables"]

U = np.uint64
_CARDS = 52
_FREE_FOLD = 4


class TableRules(NamedTuple):
    """What all tables share.

    rules: int64 ``[14]``, see `raise_bounds`.  opening: int64 ``[seats, columns]``, the row of a
    new hand for each button.  sizes: float64, see `size_chips`.  unit: float32 ``[1]``, of chips in
    observations.  deck: uint8, its cards.  card_key, card_bit, flushes: as in `HandTables`;
    offsets, values: those of seven cards.
    """

    rules: Any
    opening: Any
    sizes: Any
    unit: Any
    deck: Any
    card_key: Any
    card_bit: Any
    flushes: Any
    offsets: Any
    values: Any


@part
def _hand_value(shared: TableRules, hand: Any, seat: Any, seats: Any) -> Any:
    """The value of a seat's two cards and the board."""
    key, bits = SUITS_AT_THREE, U(0)
    for j in range(7):
        card = hand[2 * seat + j] if j < 2 else hand[2 * seats + j - 2]
        key += shared.card_key[card]
        bits |= shared.card_bit[card]
    if has_flush(key):
        return np.int64(shared.flushes[flush_ranks(key, bits)])
    return np.int64(rank_sum_value(rank_sum(key), shared.offsets, shared.values))


@inline
def _pay_last(row: Any, seats: Any, payoffs: Any) -> Any:
    """What each seat has paid, as a loss, and the pot for the only live seat; returns the pot.

    payoffs: int64 ``[seats]``, overwritten.
    """
    live, pot = row[LIVE], np.int64(0)
    for seat in range(seats):
        payoffs[seat] = row[SEAT_COLUMNS + seat] - row[SEAT_COLUMNS + 3 * seats + seat]
        pot -= payoffs[seat]
    if live & (live - 1) == 0:
        for seat in range(seats):
            if (live >> seat) & 1:
                payoffs[seat] += pot
    return pot


@part
def _show_down(shared: TableRules, row: Any, hand: Any, pot: Any, payoffs: Any) -> None:
    """The pots for the best hands, as `tiltless.games.holdem.pots` shares them out.

    payoffs: int64 ``[seats]``, what is won is added.
    """
    seats, live = shared.rules[0], row[LIVE]
    stacks, dead, start = SEAT_COLUMNS, SEAT_COLUMNS + 2 * seats, SEAT_COLUMNS + 3 * seats
    ante, most = np.int64(0), np.int64(0)
    value = np.zeros(seats, np.int64)
    bets = np.zeros(seats, np.int64)
    for seat in range(seats):
        ante += row[dead + seat]
        bets[seat] = row[start + seat] - row[stacks + seat] - row[dead + seat]
        if (live >> seat) & 1:
            value[seat] = _hand_value(shared, hand, seat, seats)
            most = max(most, bets[seat])
    shared_out, level = np.int64(0), np.int64(-1)
    while level < most:
        above = most  # the next amount that a live seat has paid
        for seat in range(seats):
            if (live >> seat) & 1 and bets[seat] > level:
                above = min(above, bets[seat])
        level = above
        chips = ante - shared_out
        for seat in range(seats):
            chips += min(bets[seat], level)
        if level == most:
            chips = pot - shared_out  # with what folded players have paid above it
        shared_out += chips
        best, winners = np.int64(-1), np.int64(0)
        for seat in range(seats):
            if (live >> seat) & 1 and bets[seat] >= level:
                if value[seat] > best:
                    best, winners = value[seat], np.int64(0)
                if value[seat] == best:
                    winners += 1
        odd = chips % winners
        seat = row[BUTTON]
        for _ in range(seats):
            seat = seat + 1 if seat + 1 < seats else 0
            if (live >> seat) & 1 and bets[seat] >= level and value[seat] == best:
                payoffs[seat] += chips // winners + odd
                odd = np.int64(0)


@inline
def _deal(opening: Any, row: Any, hand: Any, state: Any, deck: Any) -> None:
    """A new hand: the button moves on, cards are drawn by a Fisher-Yates shuffle."""
    seats, hands = len(opening), row[HANDS]
    button = row[BUTTON]
    if hands:
        button = button + 1 if button + 1 < seats else 0
    for j in range(len(row)):
        row[j] = opening[button, j]
    row[HANDS] = hands + 1
    size = U(len(deck))
    for j in range(U(len(hand))):
        k = j + next_below(state, size - j)
        card = deck[k]
        deck[k] = deck[j]
        deck[j] = card
        hand[j] = card


@inline
def _run_out(rules: Any, row: Any) -> None:
    """Open streets until somebody is to act, or the hand is over."""
    while row[ACTOR] < 0 and row[LIVE] & (row[LIVE] - 1) and row[STREET] < STREET_COUNT - 1:
        open_street(row, rules)


@inline
def _observe(rules: Any, unit: Any, row: Any, hand: Any, player: Any, out: Any) -> None:
    """What a player knows, laid out as `tiltless.protocols.encoding.observation` has it."""
    seats, street, actor = rules[0], row[STREET], row[ACTOR]
    one = np.float32(1)
    for j in range(len(out)):
        out[j] = np.float32(0)
    out[hand[2 * player]] = one
    out[hand[2 * player + 1]] = one
    board = street + 2 if street else 0
    for j in range(board):
        out[_CARDS + hand[2 * seats + j]] = one
    at = 2 * _CARDS
    out[at + street] = one
    at += STREET_COUNT
    away = row[BUTTON] - player
    out[at + (away if away >= 0 else away + seats)] = one
    at += seats
    if actor >= 0:
        away = actor - player
        out[at + (away if away >= 0 else away + seats)] = one
    at += seats
    live, stacks, bets = at, at + seats, at + 2 * seats
    pot = at + 3 * seats
    paid, raised = pot + 4, pot + 4 + STREET_COUNT * seats
    chips = np.int64(0)
    for away in range(seats):
        seat = player + away if player + away < seats else player + away - seats
        if (row[LIVE] >> seat) & 1:
            out[live + away] = one
        column = SEAT_COLUMNS + seat
        chips += row[column + 3 * seats] - row[column]
        out[stacks + away] = np.float32(row[column]) * unit
        out[bets + away] = np.float32(row[column + seats]) * unit
        for each in range(STREET_COUNT):
            there = column + (4 + each) * seats
            out[paid + each * seats + away] = np.float32(row[there]) * unit
            count = row[there + STREET_COUNT * seats]
            out[raised + each * seats + away] = np.float32(count) / np.float32(MOST_RAISES)
    out[pot] = np.float32(chips) * unit
    if actor == player:
        column = SEAT_COLUMNS + player
        owed = min(row[HIGH] - row[column + seats], row[column])
        low, top = raise_bounds(row, rules)
        out[pot + 1] = np.float32(owed) * unit
        out[pot + 2] = np.float32(low) * unit
        out[pot + 3] = np.float32(top) * unit


@inline
def _offer(rules: Any, sizes: Any, row: Any, chips: Any, mask: Any) -> None:
    """The legal numbers of the player to act.

    chips: int64 ``[sizes]``, mask: int8 ``[2 + sizes]``, overwritten.
    """
    size_chips(row, rules, sizes, chips)
    owed = row[HIGH] - row[SEAT_COLUMNS + rules[0] + row[ACTOR]]
    mask[0] = 1 if owed or rules[_FREE_FOLD] else 0
    mask[1] = 1
    for j in range(len(chips)):
        mask[2 + j] = 1 if chips[j] else 0


@kernel
def step_tables(
    shared: TableRules,
    rows: Any,
    cards: Any,
    states: Any,
    chips: Any,
    actions: Any,
    deal: Any,
    new_hands: Any,
    observations: Any,
    masks: Any,
    payoffs: Any,
    over: Any,
) -> None:
    """An action at each table, and what follows up to the next decision.

    rows: int64 ``[tables, columns]``.  cards: uint8 ``[tables, 2 * seats + 5]``, hole cards by
    seat, then the board.  states: uint64 ``[tables, 1]``, of the random numbers.  chips: int64
    ``[tables, sizes]``, of each size.  All four are overwritten.
    actions: int64 ``[tables]``, numbers; an illegal one is a check if that is free, else a fold.
    deal: bool; whether every table begins a new hand instead.  new_hands: bool; whether a table
    whose hand is over deals the next one at once.
    observations: float32 ``[tables, size]``, masks: int8 ``[tables, 2 + sizes]``, of the player to
    act next.  payoffs: int64 ``[tables, seats]``, of a hand that is over, otherwise zeros.
    over: bool ``[tables]``, whether it was the last decision of its hand.  These are overwritten.
    """
    rules, opening, sizes, unit = shared.rules, shared.opening, shared.sizes, shared.unit[0]
    deck, seats = shared.deck.copy(), rules[0]
    for i in range(len(rows)):
        row, hand, number = rows[i], cards[i], actions[i]
        over[i] = False
        for seat in range(seats):
            payoffs[i, seat] = 0
        begins = deal
        if not deal and row[ACTOR] >= 0:  # otherwise the hand was over before
            legal = 0 <= number < masks.shape[1] and masks[i, number] != 0
            row[RULED] = 0 if legal else 1
            if not legal:
                number = 1 if row[HIGH] == row[SEAT_COLUMNS + seats + row[ACTOR]] else 0
            apply_action(row, rules, number, chips[i, number - 2] if number > 1 else 0)
            _run_out(rules, row)
            if row[ACTOR] < 0:
                over[i] = True
                pot = _pay_last(row, seats, payoffs[i])
                if row[LIVE] & (row[LIVE] - 1):
                    _show_down(shared, row, hand, pot, payoffs[i])
                begins = new_hands
        if begins:
            _deal(opening, row, hand, states[i], deck)
        if row[ACTOR] >= 0:
            _offer(rules, sizes, row, chips[i], masks[i])
            _observe(rules, unit, row, hand, row[ACTOR], observations[i])
        else:
            for j in range(masks.shape[1]):
                masks[i, j] = 0


@kernel
def observe_seat(
    shared: TableRules, rows: Any, cards: Any, table: Any, player: Any, out: Any
) -> None:
    """What one player knows at one table; out: float32 ``[size]``, overwritten."""
    unit = shared.unit[0]
    _observe(shared.rules, unit, rows[table], cards[table], player, out)
