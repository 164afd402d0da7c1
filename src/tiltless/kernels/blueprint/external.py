"""External sampling over a betting tree and buckets, for two players.

Cards, buckets and the winner of each hand are prepared first, a block of hands at a time; a
traversal then needs only the tree and its row of buckets. At nodes of the traverser all actions are
tried; the opponent's action is sampled, and its strategy added to the average. Where the board
decides whether one more street follows (River of Blood), the deal knows: boards are dealt to their
end. Streets that repeat have one strategy and, hand by hand, other buckets; an infoset may be met
twice in a hand, and its regrets add up.

A traversal of a large table spends its time waiting for memory. So traversals, in lanes, take
turns: a lane that knows its next row prefetches it and waits for its next turn. Every traversal has
its own random numbers, so that results do not depend on the lanes; a block is finished when its
last traversal is, and only then may anybody look at the tables.

Twin: tests/naive/blueprint/external.py; tested by tests/blueprint/test_engine.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import kernel
from tiltless.kernels.base.no_vectorise import one_by_one
from tiltless.kernels.base.prefetch import prefetch_write
from tiltless.kernels.base.rng import next_double_at, next_word_at
from tiltless.kernels.base.stochastic_rounding import add_by_chance
from tiltless.kernels.blueprint.nodes import (
    ACTIONS,
    ACTOR,
    CHANCE,
    FIRST,
    ROW,
    SHOWDOWN,
    STREET,
    UNCONTESTED,
    BettingNodes,
    Rows,
)
from tiltless.kernels.cards.evaluate import (
    SUITS_AT_THREE,
    HandTables,
    flush_ranks,
    has_flush,
    rank_sum,
    rank_sum_value,
)

__all__ = [
    "BlueprintTables",
    "Deals",
    "TraversalRules",
    "count_visited",
    "scale_table",
    "show_down",
    "sum_positive",
    "traverse_external",
]

U = np.uint64
F = np.float32


class Deals(NamedTuple):
    """A block of hands.

    bucket: uint32 ``[hands, 2, columns]``: a column for each street, and where streets repeat one
    for each that the board may have; later ones use the last column.
    result: int8 ``[hands]``, 1 where player 0 would win a showdown, -1 where player 1 would, 0 for
    a tie.  words: uint64 ``[hands]``, states of random numbers, one for the traversal of each hand;
    advanced.  last: uint8 ``[hands]``, the column of the last street that the board of a hand has;
    read only at nodes of chance.
    """

    bucket: Any
    result: Any
    words: Any
    last: Any


class BlueprintTables(NamedTuple):
    """What traversals read and write.

    regret, average: float32, one number for each action of each bucket of each decision, in the
    layout of `tiltless.kernels.blueprint.nodes.Rows`.  payoff: float32 ``[terminals, 3]``, what
    player 0 wins at each terminal if the showdown is lost, tied, won.
    """

    regret: Any
    average: Any
    payoff: Any


class TraversalRules(NamedTuple):
    """Weights, floor and pruning of the traversals of a block.

    average_weight: of the opponent's strategy, 0 to leave the average alone.  floor: regrets never
    fall below it.  prune_below: actions with a lower regret are skipped, except on the last street
    and where the hand ends at once.  share_unpruned: of traversals that skip nothing.
    """

    average_weight: Any
    floor: Any
    prune_below: Any
    share_unpruned: Any


@kernel
def show_down(cards: Any, tables: HandTables, result: Any) -> None:
    """Who would win each hand: 1 player 0, -1 player 1, 0 a tie.

    cards: uint8 ``[hands, 7..9]``, the hole cards of players 0 and 1, then a board of 3 to 5.
    result: int8 ``[hands]``, overwritten.
    """
    card_key, card_bit, flushes = tables.card_key, tables.card_bit, tables.flushes
    size = U(cards.shape[1])
    offsets, values = tables.offsets[size - U(7)], tables.values[size - U(7)]
    for i in range(U(len(result))):
        key, bits = SUITS_AT_THREE, U(0)
        for j in range(U(4), size):
            key += card_key[cards[i, j]]
            bits |= card_bit[cards[i, j]]
        value = np.int64(0)
        for player in range(U(2)):
            x, y = cards[i, U(2) * player], cards[i, U(2) * player + U(1)]
            hand = key + card_key[x] + card_key[y]
            if has_flush(hand):
                strength = np.int64(flushes[flush_ranks(hand, bits | card_bit[x] | card_bit[y])])
            else:
                strength = np.int64(rank_sum_value(rank_sum(hand), offsets, values))
            value = strength - value
        result[i] = np.int8(value < 0) - np.int8(value > 0)


@kernel
def scale_table(table: Any, above: Any, below: Any) -> None:
    """Multiply the positive numbers of a table by one factor, the negative ones by another."""
    above, below = F(above), F(below)
    for i in range(U(len(table))):
        x = table[i]
        table[i] = x * (above if x > F(0) else below)


@kernel
def sum_positive(table: Any) -> Any:
    """The sum of the positive numbers of a table, float64, without a copy of it."""
    total = 0.0
    for i in range(U(len(table))):
        total += max(np.float64(table[i]), 0.0)
    return total


@kernel
def count_visited(table: Any, layout: Any) -> Any:
    """How many information sets have a number that is not 0.

    layout: int64 ``[decisions, 5]``: offset of the first bucket of a decision, distance to the
    next bucket, number of buckets, number of actions, and distance between actions.
    """
    visited = 0
    for i in range(U(len(layout))):
        entry, step = U(layout[i, 0]), U(layout[i, 1])
        actions, apart = U(layout[i, 3]), U(layout[i, 4])
        for _ in range(layout[i, 2]):
            any_number = False
            for a in range(actions):
                one_by_one()
                any_number |= table[entry + a * apart] != F(0)
            visited += any_number
            entry += step
    return visited


@kernel
def traverse_external(
    nodes: BettingNodes,
    rows: Rows,
    tables: BlueprintTables,
    deals: Deals,
    first_player: Any,
    rules: TraversalRules,
    depth: Any,
    width: Any,
    lanes: Any,
) -> Any:
    """One traversal for each hand of a block, for players in turn; returns the nodes visited.

        R(I, a) <- max(R(I, a) + v(a) - sum over b of sigma(b) v(b), floor)

    first_player: traverser of the first hand.  depth, width: the most decisions of the traverser on
    a path, and the most actions.  lanes: how many traversals take turns; 1: one after the other.
    Paper: Lanctot, Waugh, Zinkevich & Bowling (2009), "Monte Carlo sampling for regret minimization
    in extensive games", section 3.2; averages are added at the opponent's nodes, which two players
    visit in proportion to their own reach, with stochastic rounding
    (`tiltless.kernels.base.stochastic_rounding`).
    """
    node, start, buckets = nodes.node, rows.start, rows.buckets
    regret, average, payoff = tables.regret, tables.average, tables.payoff
    bucket, result, words, last = deals.bucket, deals.result, deals.words, deals.last
    last_column = U(bucket.shape[2] - 1)
    lane_count, hands = U(lanes), U(len(result))
    depth, width = U(depth), U(width)
    last_street = np.int32(len(buckets) - 1)
    average_weight, floor = F(rules.average_weight), F(rules.floor)
    stack_node = np.zeros(lane_count * depth, np.uint64)
    stack_row = np.zeros(lane_count * depth, np.uint64)
    stack_action = np.zeros(lane_count * depth, np.uint64)
    stack_column = np.zeros(lane_count * depth, np.uint64)
    strategy = np.zeros(lane_count * depth * width, np.float32)
    value_of = np.zeros(lane_count * depth * width, np.float32)
    hand_of, at_of, row_of = (
        np.zeros(lane_count, U),
        np.zeros(lane_count, U),
        np.zeros(lane_count, U),
    )
    height_of, player_of = np.zeros(lane_count, U), np.zeros(lane_count, U)
    column_of = np.zeros(lane_count, U)  # where streets repeat: of the newest; 0 before
    limit_of = np.zeros(lane_count, np.float32)
    alive = np.zeros(lane_count, np.bool_)
    next_hand, running, visited = U(0), U(0), np.int64(0)
    root = U(0)
    root_street = U(node[root, STREET])
    root_start = U(start[root_street]) + U(node[root, ROW]) * U(buckets[root_street])

    for lane in range(lane_count):  # every lane begins a traversal
        if next_hand < hands:
            hand_of[lane], alive[lane] = next_hand, True
            player_of[lane] = (next_hand + U(first_player)) & U(1)
            unpruned = next_double_at(words, next_hand) < rules.share_unpruned
            limit_of[lane] = F(-np.inf) if unpruned else F(rules.prune_below)
            held = U(bucket[next_hand, U(node[root, ACTOR]), root_street])
            at_of[lane], row_of[lane] = root, root_start + held * U(node[root, ACTIONS])
            next_hand += U(1)
            running += U(1)

    while running > U(0):
        for lane in range(lane_count):
            if not alive[lane]:
                continue
            at, row, height = at_of[lane], row_of[lane], height_of[lane]
            hand, player, column = hand_of[lane], player_of[lane], column_of[lane]
            limit, bottom = limit_of[lane], lane * depth
            actions, first = U(node[at, ACTIONS]), U(node[at, FIRST])
            visited += 1

            # 1. Regret matching.
            base = (bottom + height) * width
            total = F(0)
            for a in range(actions):
                one_by_one()
                x = max(regret[row + a], F(0))
                strategy[base + a] = x
                total += x
            if total > F(0):
                for a in range(actions):
                    one_by_one()
                    strategy[base + a] /= total
            else:
                for a in range(actions):
                    one_by_one()
                    strategy[base + a] = F(1) / F(actions)

            # 2. The traverser's decision: all actions, one after the other.
            if U(node[at, ACTOR]) == player:
                if total > F(0) and node[at, STREET] < last_street:
                    for a in range(actions):
                        one_by_one()
                        if regret[row + a] < limit and node[first + a, ACTOR] > UNCONTESTED:
                            strategy[base + a] = F(-1)
                top = bottom + height
                action = U(0)
                while strategy[base + action] < F(0):
                    action += U(1)
                stack_node[top], stack_row[top], stack_action[top] = at, row, action
                stack_column[top] = column
                height += U(1)
                at = first + action

            # 3. The opponent's: sample one, and add the strategy to the average.
            else:
                word = next_word_at(words, hand)
                draw = F(word >> U(40)) * F(1.0 / 16777216.0)
                if average_weight > F(0):
                    for a in range(actions):
                        one_by_one()
                        more = average_weight * strategy[base + a]
                        average[row + a] = add_by_chance(average[row + a], more, word)
                        word *= U(3)  # an odd factor: other low bits, equally uniform
                pick, below = U(0), strategy[base]
                while pick < actions - U(1) and draw >= below:
                    pick += U(1)
                    below += strategy[base + pick]
                at = first + pick

            # 4. Terminals: back up to a decision with an action left, updating on the way.
            while node[at, ACTOR] < 0:
                visited += 1
                if node[at, ACTOR] == CHANCE:  # the board decides whether one more street follows
                    column = max(column, U(node[at, STREET]))
                    runs_on = U(column < U(last[hand]))
                    column += runs_on
                    at = U(node[at, FIRST]) + runs_on
                    continue
                outcome = U(1)
                if node[at, ACTOR] == SHOWDOWN:
                    outcome = U(np.int64(result[hand]) + np.int64(1))
                value = payoff[U(node[at, ROW]), outcome]
                if player == U(1):
                    value = -value
                while height > U(0):
                    top = bottom + height - U(1)
                    base = top * width
                    above, action = stack_node[top], stack_action[top]
                    actions = U(node[above, ACTIONS])
                    value_of[base + action] = value
                    action += U(1)
                    while action < actions and strategy[base + action] < F(0):
                        action += U(1)
                    if action < actions:
                        stack_action[top] = action
                        at, column = U(node[above, FIRST]) + action, stack_column[top]
                        break
                    value, entry = F(0), stack_row[top]
                    for a in range(actions):
                        one_by_one()
                        if strategy[base + a] >= F(0):
                            value += strategy[base + a] * value_of[base + a]
                    for a in range(actions):
                        one_by_one()
                        if strategy[base + a] >= F(0):
                            gained = regret[entry + a] + (value_of[base + a] - value)
                            regret[entry + a] = max(gained, floor)
                    height -= U(1)
                if height == U(0):  # the traversal is over: the next hand
                    at, column = root, U(0)
                    if next_hand == hands:
                        alive[lane] = False
                        running -= U(1)
                    else:
                        hand, next_hand = next_hand, next_hand + U(1)
                        hand_of[lane] = hand
                        player = (hand + U(first_player)) & U(1)
                        player_of[lane] = player
                        unpruned = next_double_at(words, hand) < rules.share_unpruned
                        limit_of[lane] = F(-np.inf) if unpruned else F(rules.prune_below)

            # 5. Prefetch the next row, and let the other lanes continue.
            street = U(node[at, STREET])
            row = U(start[street]) + U(node[at, ROW]) * U(buckets[street])
            dealt = min(max(street, column), last_column)
            row += U(bucket[hand, U(node[at, ACTOR]), dealt]) * U(node[at, ACTIONS])
            prefetch_write(regret, row)
            if U(node[at, ACTOR]) != player:
                prefetch_write(average, row)
            at_of[lane], row_of[lane], height_of[lane] = at, row, height
            column_of[lane] = column
    return visited
