"""Mirrored match of two policies over one betting tree: every deal twice, the seats swapped.

The passes of a block of deals are those of `tiltless.kernels.blueprint.playout`; only the playing
differs. It reads two tables, and like `tiltless.kernels.blueprint.external` it has several hands
under way, in lanes that take turns, so that waiting for memory is hidden.

**Random numbers belong to the seat.** A deal has one state of random numbers for each seat, and a
seat's decisions draw from it one after the other. Both policies get the same cards and the same
random numbers there, so two equal policies play two equal hands; and nothing depends on the lanes.

Twin: tests/naive/blueprint/match.py; tested by tests/kernels/blueprint/test_match.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import kernel
from tiltless.kernels.base.no_vectorise import one_by_one
from tiltless.kernels.base.prefetch import prefetch_read
from tiltless.kernels.base.rng import next_double_at
from tiltless.kernels.blueprint.nodes import (
    ACTIONS,
    ACTOR,
    CHANCE,
    FIRST,
    ROW,
    STREET,
    BettingNodes,
    Rows,
)
from tiltless.kernels.blueprint.playout import CardLayout

__all__ = ["MatchDeals", "play_mirrored"]

U = np.uint64


class MatchDeals(NamedTuple):
    """A block of deals between two sides.

    cards: uint8 ``[deals, …]``.  bucket: uint32 ``[2, deals, players, columns]``, the
    buckets of the first side, then those of the second; columns as in
    `tiltless.kernels.blueprint.external.Deals`.  words: uint64 ``[deals, players]``,
    states of random numbers; left alone.
    """

    cards: Any
    bucket: Any
    words: Any


@kernel
def play_mirrored(
    nodes: BettingNodes,
    first: Any,
    second: Any,
    rows: Rows,
    layout: CardLayout,
    deals: MatchDeals,
    lanes: Any,
    end: Any,
) -> Any:
    """Play every deal twice: the first side is player 0 at first, then player 1.

    At a decision each action is chosen in proportion to its weight in the table of the player's
    side, if that is positive; where no weight is, all actions are equally likely.

    first, second: float32, float64 or uint8, the tables of both sides.  rows: of both sides, start
    int64 ``[2, streets + 1]`` and buckets int64 ``[2, streets]``.  lanes: how many hands take
    turns; does not matter to the result.
    end: int32 ``[2, deals]``, overwritten with the last node of each hand.

    Returns -1, or ``2 * offset + side`` of a row whose weights are not finite.
    """
    node, start, buckets = nodes.node, rows.start, rows.buckets
    cards, bucket, words = deals.cards, deals.bucket, deals.words
    lane_count, hands = U(lanes), U(2) * U(len(cards))
    river, run_suits = U(2 * layout.hole + layout.board - 1), U(layout.run_suits)
    nowhere, wrong = U(len(node)), np.int64(-1)
    at_of, row_of, hand_of = (
        np.full(lane_count, nowhere, U),
        np.zeros(lane_count, U),
        np.zeros(lane_count, U),
    )
    word_of, newest_of = np.zeros(U(2) * lane_count, U), np.zeros(lane_count, U)
    column_of, last_column = np.zeros(lane_count, U), U(bucket.shape[3] - 1)
    weight = np.zeros(max(1, node[:, ACTIONS].max()), np.float64)
    next_hand, finished = U(0), U(0)
    while finished < hands:
        for lane in range(lane_count):
            at, hand = at_of[lane], hand_of[lane]

            # 1. The player to act chooses.
            if at < nowhere:
                row, actions, player = row_of[lane], U(node[at, ACTIONS]), U(node[at, ACTOR])
                side = (hand ^ player) & U(1)
                if side == U(0):
                    for a in range(actions):
                        one_by_one()
                        weight[a] = first[row + a]
                else:
                    for a in range(actions):
                        one_by_one()
                        weight[a] = second[row + a]
                total = 0.0
                for a in range(actions):
                    one_by_one()
                    if weight[a] <= 0.0:
                        weight[a] = 0.0
                    total += weight[a]
                draw = next_double_at(word_of, U(2) * lane + player)
                if total > 0.0 and total < np.inf:
                    ticket = draw * total  # less than the total, even when rounded
                    chosen, passed = U(0), 0.0
                    for a in range(actions - U(1)):
                        one_by_one()
                        passed += weight[a]
                        chosen += U(ticket >= passed)
                else:
                    chosen = U(draw * np.float64(actions))
                    if total != 0.0:
                        wrong = np.int64(U(2) * row + side)
                at = U(node[at, FIRST]) + chosen

            # 2. On to a decision: of this hand, or of the next one.
            while True:
                if at == nowhere:
                    if next_hand == hands:
                        break
                    hand, at, newest_of[lane] = next_hand, U(0), river
                    column_of[lane] = U(0)
                    hand_of[lane] = hand
                    next_hand += U(1)
                    word_of[U(2) * lane] = words[hand >> U(1), U(0)]
                    word_of[U(2) * lane + U(1)] = words[hand >> U(1), U(1)]
                actor = node[at, ACTOR]
                if actor > CHANCE:
                    break
                if actor == CHANCE:
                    newest = newest_of[lane]
                    runs_on = (run_suits >> (U(cards[hand >> U(1), newest]) & U(3))) & U(1)
                    newest_of[lane] = newest + runs_on
                    column_of[lane] = max(column_of[lane], U(node[at, STREET])) + runs_on
                    at = U(node[at, FIRST]) + runs_on
                else:
                    end[hand & U(1), hand >> U(1)] = at
                    at, finished = nowhere, finished + U(1)
            at_of[lane] = at

            # 3. Prefetch its row, and let the other lanes continue.
            if at < nowhere:
                street, player = U(node[at, STREET]), U(node[at, ACTOR])
                side = (hand ^ player) & U(1)
                row = U(start[side, street]) + U(node[at, ROW]) * U(buckets[side, street])
                dealt = min(max(street, column_of[lane]), last_column)
                row += U(bucket[side, hand >> U(1), player, dealt]) * U(node[at, ACTIONS])
                row_of[lane] = row
                if side == U(0):
                    prefetch_read(first, row)
                else:
                    prefetch_read(second, row)
    return wrong
