"""Playouts: many hands played over a betting tree by a table of weights.

A block of hands goes through three passes: the cards of every hand
(`tiltless.kernels.cards.shuffle`) and the buckets of its players (`combo_buckets`, or anything else
that fills the same array) are prepared first, `play_hands` then follows the tree to the terminal of
each hand, and `settle_hands` pays. The passes share nothing but arrays, so each is short and its
tables stay in the cache.

Twin: tests/naive/blueprint/playout.py; tested by tests/blueprint/simulate/test_playout.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import kernel
from tiltless.kernels.base.rng import next_below, next_double
from tiltless.kernels.blueprint.nodes import (
    ACTIONS,
    ACTOR,
    CHANCE,
    FIRST,
    LIVE,
    ROW,
    SHOWDOWN,
    STREET,
    BettingNodes,
    Rows,
)
from tiltless.kernels.cards.evaluate import (
    SUITS_AT_THREE,
    HandTables,
    drop_later_suits,
    flush_ranks,
    has_flush,
    large_value,
    rank_sum,
    rank_sum_value,
)

__all__ = ["CardLayout", "combo_buckets", "play_hands", "settle_hands"]

U = np.uint64
_MOST_CHIPS = np.int64(2**62)


class CardLayout(NamedTuple):
    """How a row of cards is made up: the hole cards of player 0, of player 1 …, then the board.

    hole: hole cards of a player.  board: board cards of every hand.  run_suits: the board grows
    for as long as its newest card has a suit of this bit mask.  first_suit_only: see
    `tiltless.kernels.cards.evaluate.evaluate_large_hands`.
    """

    hole: Any
    board: Any
    run_suits: Any
    first_suit_only: Any


@kernel
def combo_buckets(cards: Any, of_combo: Any, combo_of: Any, street: Any, bucket: Any) -> None:
    """Buckets of a street that depend on the two hole cards alone.

    cards: uint8 ``[hands, …]``.  of_combo: integers ``[1326]``.  combo_of: int16 ``[52, 52]``.
    bucket: uint32 ``[hands, players, streets]``, overwritten at ``street``.
    """
    for i in range(bucket.shape[0]):
        for player in range(U(bucket.shape[1])):
            combo = combo_of[cards[i, U(2) * player], cards[i, U(2) * player + U(1)]]
            bucket[i, player, street] = of_combo[combo]


@kernel
def play_hands(
    nodes: BettingNodes,
    table: Any,
    rows: Rows,
    layout: CardLayout,
    cards: Any,
    bucket: Any,
    state: Any,
    end: Any,
    path: Any,
) -> None:
    """Play hands to their terminals.

    At a decision each action is chosen in proportion to its weight in the table, if that is
    positive; where no weight is, all actions are equally likely. Each decision draws one word.

    table: float32 or float64, see `tiltless.kernels.blueprint.nodes.Rows`.  cards: uint8 ``[hands,
    …]``.
    bucket: uint32 ``[hands, players, columns]``, see `tiltless.kernels.blueprint.external.Deals`.
    state: uint64 ``[1]``, advanced.
    end: int32 ``[hands]``, overwritten with the last node of each hand.
    path: int32 ``[hands, depth]``, overwritten with all nodes and -1 after them, or ``[hands, 0]``.
    """
    node, start, buckets = nodes.node, rows.start, rows.buckets
    river = U(bucket.shape[1] * layout.hole + layout.board - 1)
    run_suits, last_column = U(layout.run_suits), U(bucket.shape[2] - 1)
    for i in range(U(len(end))):
        at, column = U(0), U(0)
        newest = river
        step = U(0)
        while True:
            if step < U(path.shape[1]):
                path[i, step] = at
                step += U(1)
            actor = node[at, ACTOR]
            if actor < CHANCE:
                break
            if actor == CHANCE:
                runs_on = (run_suits >> (U(cards[i, newest]) & U(3))) & U(1)
                newest += runs_on
                column = max(column, U(node[at, STREET])) + runs_on
                at = U(node[at, FIRST]) + runs_on
                continue
            street, actions = U(node[at, STREET]), U(node[at, ACTIONS])
            here = U(start[street]) + U(node[at, ROW]) * U(buckets[street])
            dealt = min(max(street, column), last_column)
            here += U(bucket[i, U(actor), dealt]) * actions
            total = 0.0
            for a in range(actions):
                weight = np.float64(table[here + a])
                total += weight if weight > 0.0 else 0.0
            if total > 0.0:
                ticket = next_double(state) * total  # less than the total, even when rounded
                chosen, passed = U(0), 0.0
                for a in range(actions - U(1)):
                    weight = np.float64(table[here + a])
                    passed += weight if weight > 0.0 else 0.0
                    chosen += U(ticket >= passed)
            else:
                chosen = next_below(state, actions)
            at = U(node[at, FIRST]) + chosen
        end[i] = at
        while step < U(path.shape[1]):
            path[i, step] = -1
            step += U(1)


@kernel
def settle_hands(
    nodes: BettingNodes,
    end: Any,
    layout: CardLayout,
    cards: Any,
    tables: HandTables,
    payoffs: Any,
    sums: Any,
    squares: Any,
) -> None:
    """Pay what each player wins, net: the rules of `tiltless.games.holdem.pots`.

    Pots are layers between the amounts that live players have paid. Odd chips go to the first
    winner clockwise from the seat after the button, which is player 0.

    end: int32 ``[hands]``, last nodes.  payoffs: int64 ``[hands, players]``, overwritten.
    sums: int64 ``[players]``; squares: float64 ``[players]``; both are added to.
    """
    node, paid, dead = nodes.node, nodes.paid, nodes.dead
    card_key, card_bit, flushes = tables.card_key, tables.card_bit, tables.flushes
    players = U(payoffs.shape[1])
    hole, river = U(layout.hole), players * U(layout.hole) + U(layout.board)
    run_suits, width = U(layout.run_suits), U(cards.shape[1])
    value, amount = np.zeros(players, np.int64), np.zeros(players, np.int64)
    dead_chips = np.int64(0)
    for p in range(players):
        dead_chips += dead[p]
    for i in range(U(len(end))):
        at = U(end[i])
        live, line = U(node[at, LIVE]), U(node[at, ROW])
        # 1. Everybody has paid; after a fold the last player takes it all.
        for p in range(players):
            payoffs[i, p] = -paid[line, p]
        if node[at, ACTOR] != SHOWDOWN:
            for p in range(players):
                if (live >> p) & U(1):
                    for other in range(players):
                        payoffs[i, p] += paid[line, other]
        else:
            # 2. The board, and the value of every live hand.
            key, bits = SUITS_AT_THREE, U(0)
            last = river
            if run_suits:
                while last < width and (run_suits >> (U(cards[i, last - U(1)]) & U(3))) & U(1):
                    last += U(1)
            for j in range(players * hole, last):
                key += card_key[cards[i, j]]
                bits |= card_bit[cards[i, j]]
            size = last - players * hole + hole
            for p in range(players):
                if (live >> p) & U(1):
                    hand_key, hand_bits = key, bits
                    for j in range(p * hole, (p + U(1)) * hole):
                        hand_key += card_key[cards[i, j]]
                        hand_bits |= card_bit[cards[i, j]]
                    if size > U(7):
                        flush_bits = hand_bits
                        if layout.first_suit_only:
                            flush_bits = drop_later_suits(hand_bits)
                        value[p] = large_value(hand_bits, flush_bits, tables)
                    elif has_flush(hand_key):
                        value[p] = flushes[flush_ranks(hand_key, hand_bits)]
                    else:
                        value[p] = rank_sum_value(
                            rank_sum(hand_key),
                            tables.offsets[size - U(5)],
                            tables.values[size - U(5)],
                        )
            # 3. Pots, from the lowest amount that a live player has paid to the highest.
            level, highest = _MOST_CHIPS, np.int64(-1)
            for p in range(players):
                amount[p] = paid[line, p] - dead[p]
                if (live >> p) & U(1):
                    level = min(level, amount[p])
                    highest = max(highest, amount[p])
            below, chips = np.int64(0), dead_chips
            while True:
                best, winners = np.int64(-1), np.int64(0)
                following = highest
                for p in range(players):
                    top = amount[p] if level == highest else min(amount[p], level)
                    chips += max(top - below, np.int64(0))
                    if (live >> p) & U(1) and amount[p] >= level:
                        if value[p] > best:
                            best, winners = value[p], np.int64(1)
                        elif value[p] == best:
                            winners += np.int64(1)
                        if amount[p] > level:
                            following = min(following, amount[p])
                share = chips if winners == 1 else chips // winners
                odd = chips - share * winners
                for turn in range(U(1), players + U(1)):
                    seat = U(turn) if turn < players else U(0)
                    if (live >> seat) & U(1) and amount[seat] >= level and value[seat] == best:
                        payoffs[i, seat] += share + odd
                        odd = np.int64(0)
                if level == highest:
                    break
                below, level, chips = level, following, np.int64(0)
        for p in range(players):
            sums[p] += payoffs[i, p]
            squares[p] += np.float64(payoffs[i, p]) ** 2
