"""Hand groups: hands that no decision and no showdown of a traversal tells apart.

The traverser holds all hands at once. Once the board and the hands of the opponents are sampled, a
showdown sees of a hand only which of the opponents it beats or ties, and a decision only its
bucket. So on the last street hands fall into groups by bucket and by these results, and on each
earlier one by bucket and by their group on the next. A board with 666 hands has about 23 groups on
the river, 78 on the turn and 132 on the flop: vectors over groups are as exact as vectors over
hands, and far shorter.

On the first street groups are buckets: nothing before it needs more than the sum over their hands.
All vectors of values are such sums.

Twin: tests/naive/blueprint/multiway.py; tested by tests/blueprint/multiway/test_traversal.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import inline, part

__all__ = ["HandGroups", "MultiwayDeals", "hand_groups", "make_hand_groups", "sort_by_bucket"]

U = np.uint64
F = np.float32


class MultiwayDeals(NamedTuple):
    """A block of deals: boards, one hand for each player, and what all other hands are there.

    cards: uint64 ``[hands]``, the cards of each possible hand, a bit mask.
    bucket: uint32 ``[deals, hands, streets]``.  strength: uint16 ``[deals, hands]``, at a showdown.
    board: uint64 ``[deals]``, the cards of the board, a bit mask.
    held: int64 ``[deals, players]``, the hand of each player.
    callers: uint8 ``[deals]``, a bit mask of players who only check and call.
    words: uint64 ``[deals]``, random words.
    """

    cards: Any
    bucket: Any
    strength: Any
    board: Any
    held: Any
    callers: Any
    words: Any


class HandGroups(NamedTuple):
    """The groups of one traverser and one deal; scratch that is overwritten for the next.

    sizes: int64 ``[streets, 2]``, the number of groups and the number of buckets with hands.
    bucket: int64 ``[streets, hands]``, those buckets.  begin: int64 ``[streets, hands + 1]``, the
    first group of each; groups of a bucket are neighbours.
    count: float32 ``[streets, hands]``, the number of hands of each group.
    strength: float32 ``[streets, hands]``, of a hand of the group; not on the first street.
    next: int64 ``[streets, hands]``, the group on the next street; not on the first street.
    share: float32 ``[streets, hands]``, which part of the hands of that group are in this one.
    hands: int64 ``[3, hands]``: the hands; of each, its group on the first and second street.
    value: float32 ``[hands]``, strength of each of these hands.
    """

    sizes: Any
    bucket: Any
    begin: Any
    count: Any
    strength: Any
    next: Any
    share: Any
    hands: Any
    value: Any


@part
def make_hand_groups(streets: Any, hands: Any) -> Any:
    """Scratch for `hand_groups`."""
    return HandGroups(
        np.zeros((streets, 2), np.int64),
        np.zeros((streets, hands), np.int64),
        np.zeros((streets, hands + 1), np.int64),
        np.zeros((streets, hands), np.float32),
        np.zeros((streets, hands), np.float32),
        np.zeros((streets, hands), np.int64),
        np.zeros((streets, hands), np.float32),
        np.zeros((3, hands), np.int64),
        np.zeros(hands, np.float32),
    )


@part
def sort_by_bucket(deals: MultiwayDeals, deal: Any, tally: Any, order: Any) -> Any:
    """All hands that the board leaves, by bucket, for every street.

    tally: int64 ``[buckets + 1]``, scratch.  order: int64 ``[streets, hands]``, overwritten.
    Returns how many hands there are.
    """
    cards, bucket, board = deals.cards, deals.bucket[deal], deals.board[deal]
    hands, streets = U(bucket.shape[0]), U(bucket.shape[1])
    left = U(0)
    for street in range(streets):
        tally[:] = 0
        for i in range(hands):
            tally[U(bucket[i, street]) + U(1)] += (cards[i] & board) == U(0)
        for b in range(U(1), U(len(tally))):
            tally[b] += tally[b - U(1)]
        left = U(tally[len(tally) - 1])
        for i in range(hands):
            if (cards[i] & board) == U(0):
                at = U(bucket[i, street])
                order[street, U(tally[at])] = i
                tally[at] += 1
    return left


@inline
def _level(strength: Any, deals: MultiwayDeals, deal: Any, player: Any) -> Any:
    """How a hand fares against each opponent, as one number from 0 to 10."""
    level = 0
    for p in range(U(deals.held.shape[1])):
        if p != U(player):
            other = deals.strength[deal, U(deals.held[deal, p])]
            level += strength > other
            level += strength >= other
    return level


@part
def hand_groups(
    deals: MultiwayDeals,
    deal: Any,
    player: Any,
    order: Any,
    left: Any,
    key_of: Any,
    stamp: Any,
    slot: Any,
    groups: HandGroups,
) -> Any:
    """Fill ``groups`` for a traverser; returns how many hands there are.

    order, left: from `sort_by_bucket`.  key_of: int64 ``[hands]``, stamp: int64 and slot: int64,
    both ``[hands + 16]``: scratch; stamps may contain anything below 0.
    """
    cards, bucket = deals.cards, deals.bucket[deal]
    streets, dead = U(bucket.shape[1]), deals.board[deal]
    for p in range(U(deals.held.shape[1])):
        if p != U(player):
            dead |= cards[U(deals.held[deal, p])]
    hands, value, total = groups.hands, groups.value, U(0)

    # 1. The hands, with their groups on the first street: those of their bucket.
    here, last = -1, -1
    for k in range(U(left)):
        i = U(order[0, k])
        if cards[i] & dead:
            continue
        held = np.int64(bucket[i, 0])
        if held != last:
            here, last = here + 1, held
            groups.bucket[0, here] = held
            groups.begin[0, here] = here
            groups.count[0, here] = F(0)
        groups.count[0, here] += F(1)
        hands[0, total], hands[1, total] = i, here
        value[total] = F(deals.strength[deal, i])
        key_of[i] = _level(deals.strength[deal, i], deals, deal, player)
        total += U(1)
    groups.begin[0, here + 1] = here + 1
    groups.sizes[0, 0] = groups.sizes[0, 1] = here + 1

    # 2. Later streets, from the last: by bucket and by group on the next.
    stamp[:] = -1
    tick = 0
    for back in range(streets - U(1)):
        street = streets - U(1) - back
        here, last, group = -1, -1, -1
        for k in range(U(left)):
            i = U(order[street, k])
            if cards[i] & dead:
                continue
            held = np.int64(bucket[i, street])
            if held != last:
                here, last, tick = here + 1, held, tick + 1
                groups.bucket[street, here] = held
                groups.begin[street, here] = group + 1
            key = key_of[i]
            if stamp[key] != tick:
                group += 1
                stamp[key], slot[key] = tick, group
                groups.count[street, group] = F(0)
                groups.strength[street, group] = F(deals.strength[deal, i])
                groups.next[street, group] = key
            groups.count[street, slot[key]] += F(1)
            key_of[i] = slot[key]
        groups.begin[street, here + 1] = group + 1
        groups.sizes[street, 0], groups.sizes[street, 1] = group + 1, here + 1
        if back:
            for g in range(U(group + 1)):
                below = groups.count[street + U(1), U(groups.next[street, g])]
                groups.share[street, g] = groups.count[street, g] / below
    for k in range(total):
        hands[2, k] = key_of[U(hands[0, k])]
    return total
