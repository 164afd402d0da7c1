"""Hand groups: hands that no decision and no showdown of a traversal tells apart.

The traverser holds all hands at once. Once the board and a hand for each player are sampled, a
showdown sees of a hand only which of these it beats or ties, and a decision only its bucket. So on
the last street hands fall into groups by bucket and by these results, and on each earlier one by
bucket and by their group on the next. A board with 666 hands has about 25 groups on the river, 80
on the turn, 140 on the flop and 260 before it: vectors over groups are as exact as vectors over
hands, and far shorter.

The groups of a deal serve all its traversers, who differ only in the hands that are left for them:
those that share no card with the others. They are the hands that share no card with anybody, and
those that hold a card of the traverser's own.

Twin: tests/naive/blueprint/multiway.py; tested by tests/blueprint/multiway/test_traversal.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import part

__all__ = ["HandGroups", "MultiwayDeals", "count_hands", "group_hands", "make_hand_groups"]

U = np.uint64
F = np.float32
_NOBODY = -1


class MultiwayDeals(NamedTuple):
    """A block of deals: boards, one hand for each player, and what all other hands are there.

    cards: uint64 ``[hands]``, the cards of each possible hand, a bit mask.
    bucket: uint32 ``[deals, hands, streets]``.  strength: uint16 ``[deals, hands]``, at a showdown.
    board: uint64 ``[deals]``, the cards of the board, a bit mask.
    held: int64 ``[deals, players]``, the hand of each player.
    callers: uint8 ``[deals]``, a bit mask of players who only check and call.
    words: uint64 ``[deals]``, random words.
    weight: float32 ``[players, hands]``, how much each hand of a player counts, as in a range; or
    ``[0, 0]`` if all count the same.
    """

    cards: Any
    bucket: Any
    strength: Any
    board: Any
    held: Any
    callers: Any
    words: Any
    weight: Any


class HandGroups(NamedTuple):
    """The groups of one deal; scratch that is overwritten for the next.

    sizes: int64 ``[streets, 2]``, the number of groups and the number of buckets with hands.
    bucket: int32 ``[streets, hands]``, those buckets.  begin: int32 ``[streets, hands + 1]``, the
    first group of each; groups of a bucket are neighbours.
    next: int32 ``[streets, hands]``, the group on the next street.
    strength: float32 ``[streets, hands]``, of a hand of the group.
    common: float32 ``[streets, hands]``, the hands of the group that share no card with anybody.
    count: float32 ``[streets, hands]``, the hands of the group that the traverser may hold.
    of_hand: int32 ``[streets, hands]``, the group of each hand of the deal, in the order of `hand`.
    hand: int32 ``[hands]``, the hands that at least one player may hold.
    own: int32 ``[players, hands]``, numbers of those that hold cards of a player, of nobody else.
    owned: int32 ``[players]``, how many.  held: int32 ``[players]``, which one the player holds.
    owner: int32 ``[hands]``, that player, or -1 for the hands that share no card with anybody.
    tally, sorted, key, stamp, slot, shown: scratch.
    """

    sizes: Any
    bucket: Any
    begin: Any
    next: Any
    strength: Any
    common: Any
    count: Any
    of_hand: Any
    hand: Any
    own: Any
    owned: Any
    held: Any
    owner: Any
    tally: Any
    sorted: Any
    key: Any
    stamp: Any
    slot: Any
    shown: Any


@part
def make_hand_groups(streets: Any, hands: Any, players: Any, buckets: Any) -> Any:
    """Scratch for `group_hands`.  buckets: the most of a street."""
    keys = hands + 2 * players + 1
    return HandGroups(
        np.zeros((streets, 2), np.int64),
        np.zeros((streets, hands), np.int32),
        np.zeros((streets, hands + 1), np.int32),
        np.zeros((streets, hands), np.int32),
        np.zeros((streets, hands), np.float32),
        np.zeros((streets, hands), np.float32),
        np.zeros((streets, hands), np.float32),
        np.zeros((streets, hands), np.int32),
        np.zeros(hands, np.int32),
        np.zeros((players, hands), np.int32),
        np.zeros(players, np.int32),
        np.zeros(players, np.int32),
        np.zeros(hands, np.int32),
        np.zeros(buckets + 1, np.int32),
        np.zeros(hands, np.int32),
        np.zeros(hands, np.int32),
        np.zeros(keys, np.int32),
        np.zeros(keys, np.int32),
        np.zeros(hands, np.float32),
    )


@part
def _list_hands(deals: MultiwayDeals, deal: Any, groups: HandGroups) -> Any:
    """List the hands that somebody may hold, with their owners; returns how many there are."""
    cards, held, board = deals.cards, deals.held, deals.board[deal]
    players, total, taken = U(held.shape[1]), U(0), U(0)
    for p in range(players):
        groups.owned[p] = 0
        taken |= cards[U(held[deal, p])]
    for i in range(U(len(cards))):
        if cards[i] & board:
            continue
        both = cards[i] & taken
        owner: Any = _NOBODY
        if both:
            for p in range(players):
                if both & cards[U(held[deal, p])] == both:
                    owner = np.int64(p)
            if owner == _NOBODY:  # cards of two players
                continue
            groups.own[owner, U(groups.owned[owner])] = total
            groups.owned[owner] += 1
            if both == cards[i]:  # all cards are that player's
                groups.held[owner] = total
        groups.hand[total], groups.owner[total] = i, owner
        total += U(1)
    return total


@part
def group_hands(deals: MultiwayDeals, deal: Any, first: Any, groups: HandGroups) -> Any:
    """Find the groups of a deal, and how many hands of each share no card with anybody.

    first: the street that traversals begin with. Returns how many hands there are.
    """
    bucket, strength = deals.bucket[deal], deals.strength[deal]
    total, streets = _list_hands(deals, deal, groups), U(bucket.shape[1])
    hand, key = groups.hand, groups.key
    tally, order = groups.tally, groups.sorted
    for k in range(total):
        key[k] = 0
        groups.shown[k] = F(strength[U(hand[k])])
    for p in range(U(deals.held.shape[1])):  # which of the dealt hands a hand beats or ties
        other = F(strength[U(deals.held[deal, p])])
        for k in range(total):
            x = groups.shown[k]
            key[k] += np.int32(x > other) + np.int32(x >= other)
    groups.stamp[:] = -1
    tick = 0
    groups.sizes[:] = 0
    for back in range(streets - U(first)):
        street = streets - U(1) - back

        # 1. By bucket: counting sort.
        tally[:] = 0
        for k in range(total):
            tally[U(bucket[U(hand[k]), street]) + U(1)] += 1
        for b in range(U(1), U(len(tally))):
            tally[b] += tally[b - U(1)]
        for k in range(total):
            one = U(bucket[U(hand[k]), street])
            order[U(tally[one])] = k
            tally[one] += 1

        # 2. Within a bucket, by the group on the next street, or by results on the last.
        here, last, group = -1, np.int64(-1), -1
        for k in range(total):
            i = U(order[k])
            held = np.int64(bucket[U(hand[i]), street])
            if held != last:
                here, last, tick = here + 1, held, tick + 1
                groups.bucket[street, here] = held
                groups.begin[street, here] = group + 1
            found = U(key[i])
            if groups.stamp[found] != tick:
                group += 1
                groups.stamp[found], groups.slot[found] = tick, group
                groups.common[street, group] = F(0)
                groups.strength[street, group] = groups.shown[i]
                groups.next[street, group] = found
            own = groups.slot[found]
            groups.of_hand[street, i] = key[i] = own
            groups.common[street, own] += F(groups.owner[i] == _NOBODY)
        groups.begin[street, here + 1] = group + 1
        groups.sizes[street, 0], groups.sizes[street, 1] = group + 1, here + 1
    return total


@part
def count_hands(deals: MultiwayDeals, groups: HandGroups, total: Any, player: Any) -> None:
    """Count the hands of each group that a player may hold, by their weights if there are any.

    total: from `group_hands`.
    """
    for street in range(U(len(groups.sizes))):
        count, common = groups.count[street], groups.common[street]
        of_hand = groups.of_hand[street]
        if len(deals.weight):
            count[: groups.sizes[street, 0]] = F(0)
            for k in range(U(total)):
                if groups.owner[k] == _NOBODY or groups.owner[k] == np.int64(player):
                    count[U(of_hand[k])] += deals.weight[player, U(groups.hand[k])]
            continue
        for g in range(U(groups.sizes[street, 0])):
            count[g] = common[g]
        for k in range(U(groups.owned[player])):
            count[U(of_hand[U(groups.own[player, k])])] += F(1)
