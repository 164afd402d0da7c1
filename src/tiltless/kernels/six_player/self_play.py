"""Self-play of the six-player report: six copies of one agent, carried stacks, regrets by hand.

Each seat relabels the table so that it is p1, follows the hand through its policy, and picks by
UCT:

    argmax_i  R_i + c * sqrt(ln N / n_i),

an action that was never tried first, ties at random. After the hand, at each of its decisions,
every other action b that has been tried gets R(b) += v(b) - v(a), where a is the action taken, v(a)
the net result of the hand, v(fold) = 0 and v(b) = v(a) * stake(b) / stake(a) ("had they played the
same"). Points that the report leaves open are fields of `ReportRules`; see
`tiltless.experiments.six_player.options`.

Twin: tests/naive/six_player/self_play.py; tested by tests/kernels/six_player/test_self_play.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import inline, kernel, part
from tiltless.kernels.base.rng import next_below
from tiltless.kernels.cards.bucket_tables import moved_combo
from tiltless.kernels.cards.evaluate import (
    SUITS_AT_THREE,
    HandTables,
    flush_ranks,
    has_flush,
    rank_sum,
    rank_sum_value,
)
from tiltless.kernels.cards.isomorphism import index_board
from tiltless.kernels.six_player import hand as h
from tiltless.kernels.six_player import nodes as n

__all__ = ["MOST_ACTIONS", "ReportBuckets", "ReportRules", "play_games"]

U = np.uint64
MOST_ACTIONS = 11
"""Fold, call, eight shares of the pot, all-in."""


class ReportRules(NamedTuple):
    """Numbers of the game and of the report's algorithms.

    hands: of a game.  exploration: c of the picker.  The others are 0 or 1: raise by shares of the
    pot after the call; lift raises below the minimum to it (else they are left out); chairs of
    players without chips are closed up; R(a) grows by the net result; v(fold) is minus what was
    paid (else 0); stakes count this street alone; regrets change after a fold, too.
    """

    stack: Any
    small: Any
    big: Any
    hands: Any
    exploration: Any
    pot_after_call: Any
    lift_raises: Any
    close_seats: Any
    net_regret: Any
    fold_pays: Any
    street_stakes: Any
    learn_from_folds: Any


class ReportBuckets(NamedTuple):
    """Information of the owner: 91 pairs of ranks, then steps of expected hand strength.

    shares: int64 ``[4, 8]``, raise sizes of each street in quarters of the pot, then zeros.
    steps: uint8 ``[3, 190]``, the bucket of a step on flop, turn and river.  flop, turn, river:
    uint8 ``[boards, 1326]``, read-only; flops, turns, rivers: their `IsomorphismTables`.
    """

    shares: Any
    steps: Any
    flop: Any
    turn: Any
    river: Any
    flops: Any
    turns: Any
    rivers: Any


class _Decisions(NamedTuple):
    """Own decisions of a hand: chair, action taken, number of actions; then by action: node, stake.

    about: int64 ``[most, 4]``: chair, number of actions, index taken, chips paid before.
    node: int64 ``[most, 11]``, -1 if it was never tried.  stake: int64 ``[most, 11]``.
    """

    about: Any
    node: Any
    stake: Any


@part
def _fill_menu(chips: Any, now: Any, rules: Any, buckets: Any, token: Any, to: Any) -> Any:
    """The actions of the chair to act; returns how many.

    token: int64 ``[11]``, as children of the owner's node.  to: int64 ``[11]``, raises as totals.
    """
    token[0], token[1] = n.FOLD, n.CALL
    low, high = h.raise_bounds(chips, now)
    if high == 0:
        return 2
    size = h.pot(chips)
    if rules.pot_after_call:
        size += h.owed(chips, now)
    count = 2
    for i in range(buckets.shares.shape[1]):
        quarters = buckets.shares[now[h.STREET], i]
        total = now[h.HIGH] + quarters * size // 4
        if rules.lift_raises:
            total = max(total, low)
        if quarters == 0 or total >= high:
            break
        if total >= low and (count == 2 or total > to[count - 1]):
            token[count], to[count] = n.RAISE + total, total
            count += 1
    token[count], to[count] = n.ALL_IN, high
    return count + 1


@part
def _pick(nodes: Any, state: Any, token: Any, count: Any, c: Any, seen: Any, found: Any) -> Any:
    """UCT among the children of a node that was visited ``seen`` times before; its index.

    found: int64 ``[11]``, overwritten: the node of each action, -1 if it was never tried.
    """
    best, ties = -np.inf, 0
    logarithm = np.log(max(np.float64(seen), 1.0))
    values = np.empty(MOST_ACTIONS)
    for i in range(count):
        values[i] = np.inf
        if found[i] >= 0:
            values[i] = nodes.regret[found[i]] + c * np.sqrt(logarithm / nodes.visits[found[i]])
        if values[i] > best:
            best, ties = values[i], 0
        if values[i] == best:
            ties += 1
    skip = np.int64(next_below(state, ties)) if ties > 1 else 0
    for i in range(count):
        if values[i] == best:
            if skip == 0:
                return i
            skip -= 1
    return 0


@inline
def _bucket(street: Any, cards: Any, first: Any, combo: Any, buckets: Any, tables: Any) -> Any:
    """The step of expected hand strength on a street after the first.

    cards: uint8, the board from ``cards[first]`` on.
    """
    x, y = tables.combo_cards[combo, 0], tables.combo_cards[combo, 1]
    if street == 1:
        row, images = index_board(cards, U(first), U(3), buckets.flops)
        step = buckets.flop[row, moved_combo(x, y, images, tables.combo_of)]
    elif street == 2:
        row, images = index_board(cards, U(first), U(4), buckets.turns)
        step = buckets.turn[row, moved_combo(x, y, images, tables.combo_of)]
    else:
        row, images = index_board(cards, U(first), U(5), buckets.rivers)
        step = buckets.river[row, moved_combo(x, y, images, tables.combo_of)]
    return np.int64(buckets.steps[street - 1, step])


@part
def _show_down(cards: Any, live: Any, tables: Any, values: Any) -> None:
    """Values of the live hands.

    cards: uint8 ``[17]``, two for each chair, then the board.  values: int64 ``[6]``, overwritten.
    """
    board_key, board_bits = SUITS_AT_THREE, U(0)
    for i in range(2 * h.CHAIRS, 2 * h.CHAIRS + 5):
        board_key += tables.card_key[cards[i]]
        board_bits |= tables.card_bit[cards[i]]
    for chair in range(h.CHAIRS):
        values[chair] = 0
        if (live >> chair) & 1:
            x, y = cards[2 * chair], cards[2 * chair + 1]
            key = board_key + tables.card_key[x] + tables.card_key[y]
            if has_flush(key):
                bits = board_bits | tables.card_bit[x] | tables.card_bit[y]
                values[chair] = tables.flushes[flush_ranks(key, bits)]
            else:
                values[chair] = rank_sum_value(rank_sum(key), tables.offsets[2], tables.values[2])


@inline
def _relabelled(chair: Any, own: Any, seated: Any, close: Any) -> Any:
    """How many seats a chair is away from ``own``, clockwise; empty chairs count unless closed."""
    away = chair - own if chair >= own else chair - own + h.CHAIRS
    if not close:
        return away
    seat, count = own, 0
    for _ in range(away):
        seat = seat + 1 if seat < h.CHAIRS - 1 else 0
        count += (seated >> seat) & 1
    return count


@part
def _update(nodes: Any, rules: Any, made: Any, decisions: Any, net: Any) -> None:
    """Regrets of a hand.  net: int64 ``[6]``, the result of each chair."""
    for d in range(made):
        chair, count = decisions.about[d, 0], decisions.about[d, 1]
        taken, paid = decisions.about[d, 2], decisions.about[d, 3]
        result = np.float64(net[chair])
        if rules.net_regret:
            mine = decisions.node[d, taken]
            nodes.regret[mine] += result
        if taken == 0 and not rules.learn_from_folds:
            continue
        stake = np.float64(decisions.stake[d, taken])
        for b in range(count):
            node = decisions.node[d, b]
            if b == taken or node < 0:
                continue
            if b == 0:
                value = -np.float64(paid) if rules.fold_pays else 0.0
            elif stake > 0.0:
                value = result * np.float64(decisions.stake[d, b]) / stake
            else:
                value = result
            nodes.regret[node] += value - result


@kernel
def play_games(
    state: Any,
    first: Any,
    games: Any,
    rules: ReportRules,
    buckets: ReportBuckets,
    tables: HandTables,
    nodes: n.PolicyNodes,
    counts: Any,
    payoffs: Any,
) -> Any:
    """Play games of six copies and learn; returns how many were finished.

    Fewer than ``games`` means that the table of nodes is full. A game ends early where one player
    has all chips. The button of game g starts at chair g mod 6, and moves to the next with chips.

    state: uint64 ``[1]``, advanced.  first: number of the first game.  counts: int64 ``[2]``, hands
    and decisions, added to.  payoffs: int64 ``[any, 6]``, net chips by chair of the first hands,
    as many as there is room for.
    """
    most = h.CHAIRS * (h.CHAIRS * rules.stack // rules.big + 8)
    about, found = np.zeros((most, 4), np.int64), np.zeros((most, MOST_ACTIONS), np.int64)
    stakes = np.zeros((most, MOST_ACTIONS), np.int64)
    decisions = _Decisions(about, found, stakes)
    past_chair, past_code = np.zeros(most, np.int64), np.zeros(most, np.int64)
    chips, now = np.zeros((3, h.CHAIRS), np.int64), np.zeros(h.NOW_FIELDS, np.int64)
    before, values = np.zeros(h.CHAIRS, np.int64), np.zeros(h.CHAIRS, np.int64)
    at, seen = np.zeros(h.CHAIRS, np.int64), np.zeros(h.CHAIRS, np.int64)
    told = np.zeros(h.CHAIRS, np.int64)  # the last street of which a chair's path has the bucket
    token, to = np.zeros(MOST_ACTIONS, np.int64), np.zeros(MOST_ACTIONS, np.int64)
    deck, cards = np.zeros(52, np.uint8), np.zeros(2 * h.CHAIRS + 5, np.uint8)
    shown = 0
    for game in range(first, first + games):
        for i in range(52):  # so that games do not depend on how they are cut into calls
            deck[i] = i
        for chair in range(h.CHAIRS):
            chips[h.STACK, chair] = rules.stack
        button = np.int64(game % h.CHAIRS)
        for _ in range(rules.hands):
            # 1. Deal and post.
            seated = np.int64(0)
            for chair in range(h.CHAIRS):
                before[chair] = chips[h.STACK, chair]
                if before[chair] > 0:
                    seated |= 1 << chair
            if h.is_one(seated):
                break
            if not (seated >> button) & 1:
                button = h.next_chair(seated, button)
            for i in range(len(cards)):
                k = U(i) + next_below(state, U(52 - i))
                card = deck[k]
                deck[k] = deck[i]
                deck[i] = card
                cards[i] = card
            small = h.start_hand(chips, now, button, rules.small, rules.big)
            big = h.next_chair(seated, small)
            past_chair[0], past_code[0] = big, n.BIG_BLIND
            past, made = 1, 0
            for chair in range(h.CHAIRS):
                seen[chair], told[chair] = -1, 0
            # 2. Bet.
            while True:
                if now[h.ACTOR] == h.NOBODY:
                    if now[h.STREET] == 3 or h.is_one(now[h.LIVE]):
                        break
                    h.next_street(chips, now, rules.big)
                    continue
                own = now[h.ACTOR]
                combo = tables.combo_of[cards[2 * own], cards[2 * own + 1]]
                if seen[own] < 0:
                    sb = _relabelled(small, own, seated, rules.close_seats)
                    pair = np.int64(tables.pair_of_combo[combo])
                    at[own] = n.child(nodes, 0, pair * h.CHAIRS + sb)
                    if at[own] < 0:
                        return game - first
                    nodes.visits[at[own]] += 1
                    seen[own] = 0
                node = at[own]
                for i in range(seen[own], past):
                    seat = _relabelled(past_chair[i], own, seated, rules.close_seats)
                    node = n.child(nodes, node, (seat << n.SEAT_SHIFT) | past_code[i])
                    if node < 0:
                        return game - first
                    nodes.visits[node] += 1
                street = now[h.STREET]
                if street > told[own]:
                    bucket = _bucket(street, cards, 2 * h.CHAIRS, combo, buckets, tables)
                    node = n.child(nodes, node, n.INFORMATION | bucket)
                    if node < 0:
                        return game - first
                    nodes.visits[node] += 1
                    told[own] = street
                # 3. Pick.
                count = _fill_menu(chips, now, rules, buckets, token, to)
                visits = nodes.visits[node] - 1
                for i in range(count):
                    found[made, i] = n.find(nodes, node, token[i]) if visits > 0 else -1
                picked = _pick(nodes, state, token, count, rules.exploration, visits, found[made])
                taken = n.child(nodes, node, token[picked])
                if taken < 0:
                    return game - first
                nodes.visits[taken] += 1
                found[made, picked] = taken
                paid, bet = chips[h.PAID, own], chips[h.BET, own]
                base = bet if rules.street_stakes else paid
                stakes[made, 0], stakes[made, 1] = base, base + h.owed(chips, now)
                for i in range(2, count):
                    stakes[made, i] = base + to[i] - bet
                about[made, 0], about[made, 1] = own, count
                about[made, 2], about[made, 3] = picked, paid
                made += 1
                past_chair[past], past_code[past] = own, token[picked]
                past += 1
                at[own], seen[own] = taken, past
                if picked == 0:
                    h.fold(chips, now)
                elif picked == 1:
                    h.call(chips, now)
                else:
                    h.raise_to(chips, now, to[picked], rules.big)
            # 4. Pay and learn.
            if not h.is_one(now[h.LIVE]):
                _show_down(cards, now[h.LIVE], tables, values)
            h.pay_out(chips, now, values)
            for chair in range(h.CHAIRS):
                before[chair] = chips[h.STACK, chair] - before[chair]
                if shown < len(payoffs):
                    payoffs[shown, chair] = before[chair]
            shown += 1
            _update(nodes, rules, made, decisions, before)
            counts[0] += 1
            counts[1] += made
            button = h.next_chair(seated, button)
    return games
