"""All orders that agree with showdowns, by depth-first search from the highest true rank down.

At depth t the t highest true ranks have their shown ranks; what is not placed yet is lower than
everything placed. That often decides a showdown early: pairs, kickers and flushes are compared by
whoever is placed first, straights by windows of five ranks that are complete or may still be. A
branch ends as soon as one showdown cannot have its result any more, and showdowns that can have no
other are not looked at again below.

Sets of shown ranks are bit masks; so are sets of true ranks. Of two sets of true ranks the one with
the highest rank that the other has not is the larger number. Results are bit masks too: `_FIRST`,
`_SECOND`, `_TIE`, and `_ANY` where it is not known.

Twin: tests/naive/permutation/listing.py; tested by tests/kernels/permutation/test_listing.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import inline, kernel

__all__ = ["Plans", "list_agreeing", "possible_results"]

_FIRST, _SECOND, _TIE, _ANY = 1, 2, 4, 7
_FLUSH, _STRAIGHT, _STRAIGHT_FLUSH = 5, 4, 8
_DECIDING = np.array([[5, 0], [1, 3], [2, 1], [1, 2], [0, 0], [5, 0], [1, 1], [1, 1]])
"""How many ranks of the first and of the second set decide, by category (`CATEGORIES`)."""


class Plans(NamedTuple):
    """How the two hands of each showdown are compared, whatever the order; shown ranks as masks.

    category: int64 ``[n, 2]``, index into `tiltless.cards.hand_order.CATEGORIES`, straights aside.
    sets: int64 ``[n, 2, 2]``: the highest ranks of the first set decide, then those of the second
    that are left (a pair: the paired ranks, then all ranks).  straight: int64 ``[n, 2]``, ranks
    that may make a straight or straight flush, 0 where fewer than five.  wanted: int64 ``[n]``, the
    result as a mask.
    """

    category: Any
    sets: Any
    straight: Any
    wanted: Any


@inline
def _size(bits: Any) -> Any:
    count = 0
    while bits:  # the compiler counts bits with one instruction
        bits &= bits - 1
        count += 1
    return count


@inline
def _top(bits: Any, n: Any) -> Any:
    """The n highest members of a set; all if there are fewer."""
    while _size(bits) > n:
        bits &= bits - 1
    return bits


@inline
def _compare(
    category: Any, a1: Any, a2: Any, b1: Any, b2: Any, ua1: Any, ua2: Any, ub1: Any, ub2: Any
) -> Any:
    """Results that are possible for two hands of one category, straights aside.

    a1, a2, b1, b2: true ranks placed of both sets of both hands.  ua1 …: shown ranks not placed.
    """
    n1, n2 = _DECIDING[category, 0], _DECIDING[category, 1]
    same, other = _top(a1, n1), _top(b1, n1)
    if same != other:
        return _FIRST if same > other else _SECOND
    if _size(same) < n1 and ua1 != ub1:
        return _ANY
    # what is not placed of the first sets is the same in both hands, and so is what they use of it
    a2, b2 = _top(a2 & ~same, n2), _top(b2 & ~same, n2)
    if a2 != b2:
        return _FIRST if a2 > b2 else _SECOND
    return _TIE if _size(a2) == n2 or ua2 == ub2 else _ANY


@inline
def _runs(bits: Any) -> Any:
    """The lowest ranks of runs of five; bit 0 is the ace below the deuce."""
    return bits & (bits >> 1) & (bits >> 2) & (bits >> 3) & (bits >> 4)


@inline
def _straight(bits: Any, unplaced: Any, depth: Any) -> Any:
    """2 * (height of the best straight, 0 for none) + whether one may still come.

    bits: true ranks placed of the hand.  unplaced: how many of its ranks are not placed.
    """
    ace_low = (bits << 1) | (bits >> 12)
    runs = _runs(ace_low)
    if runs:  # others that may come are lower
        height = 0
        while runs:
            runs >>= 1
            height += 1
        return 2 * height
    free = (1 << (13 - depth)) - 1
    runs = _runs(ace_low | (free << 1) | (free >> 12))
    if runs & 1 and _size(free & 0xF) <= unplaced:
        return 1
    low = 0
    while runs >> (low + 1):
        low += 1
    return np.int64(low > 0 and min(5, 14 - depth - low) <= unplaced)  # others need more


@inline
def _results(
    category_a: Any, category_b: Any, straight_a: Any, straight_b: Any, same_category: Any
) -> Any:
    """Results that are possible, from what each hand may be; same_category: of `_compare`."""
    results = 0
    up_a = _STRAIGHT_FLUSH if category_a == _FLUSH else _STRAIGHT
    up_b = _STRAIGHT_FLUSH if category_b == _FLUSH else _STRAIGHT
    if straight_a < 2 and straight_b < 2:
        if category_a == category_b:
            results |= same_category
        else:
            results |= _FIRST if category_a > category_b else _SECOND
    if straight_a and straight_b < 2:
        results |= _FIRST if up_a > category_b else _SECOND
    if straight_b and straight_a < 2:
        results |= _FIRST if category_a > up_b else _SECOND
    if straight_a and straight_b:
        height_a, height_b = straight_a >> 1, straight_b >> 1
        if up_a != up_b:
            results |= _FIRST if up_a > up_b else _SECOND
        elif height_a == height_b:
            results |= _TIE  # if both may still come, the cases above have added the others
        else:  # one that is there is higher than one that may come
            results |= _FIRST if height_a > height_b else _SECOND
    return results


@inline
def _true_ranks(shown: Any, placed: Any, depth: Any) -> Any:
    """The true ranks of those shown ranks of a set that are placed."""
    bits = 0
    for i in range(depth):
        bits |= ((shown >> placed[i]) & 1) << (12 - i)
    return bits


@inline
def _possible(plans: Any, i: Any, placed: Any, depth: Any, free: Any) -> Any:
    """Results that showdown ``i`` may still have.

    placed: int64 ``[13]``, shown ranks from the highest true rank down.  free: mask of the others.
    """
    category_a, category_b = plans.category[i, 0], plans.category[i, 1]
    suit_a, suit_b = plans.straight[i, 0], plans.straight[i, 1]
    straight_a = straight_b = 0
    if suit_a:
        straight_a = _straight(_true_ranks(suit_a, placed, depth), _size(suit_a & free), depth)
    if suit_b:
        straight_b = _straight(_true_ranks(suit_b, placed, depth), _size(suit_b & free), depth)
    same = _ANY
    if category_a == category_b and straight_a < 2 and straight_b < 2:
        a1, a2, b1, b2 = (
            plans.sets[i, 0, 0],
            plans.sets[i, 0, 1],
            plans.sets[i, 1, 0],
            plans.sets[i, 1, 1],
        )
        same = _compare(
            category_a,
            _true_ranks(a1, placed, depth),
            _true_ranks(a2, placed, depth),
            _true_ranks(b1, placed, depth),
            _true_ranks(b2, placed, depth),
            a1 & free,
            a2 & free,
            b1 & free,
            b2 & free,
        )
    return _results(category_a, category_b, straight_a, straight_b, same)


@kernel
def possible_results(plans: Plans, placed: Any, depth: Any, out: Any) -> None:
    """Results that each showdown may have once the highest true ranks are placed; for tests.

    placed: int64 ``[13]``, of which the first ``depth`` count.  out: int64 ``[n]``, overwritten.
    """
    free = 0x1FFF
    for i in range(depth):
        free &= ~(1 << placed[i])
    for i in range(len(out)):
        out[i] = _possible(plans, i, placed, depth, free)


@kernel
def list_agreeing(plans: Plans, most: Any, orders: Any, inversions: Any) -> Any:
    """List all orders that agree with all showdowns.

    most: nodes at most.  orders: int8 ``[m, 13]``, inversions: uint8 ``[m]``, overwritten from the
    top.  Returns (orders found, nodes); -1 found where there are more than ``m`` or the nodes ran
    out.
    """
    n = plans.wanted.shape[0]
    placed = np.zeros(13, np.int64)
    true_rank = np.zeros(13, np.int64)
    active = np.zeros((14, n + 1), np.int64)  # showdowns that are not decided, by depth
    count, next_shown, inverted = np.zeros((3, 14), np.int64)
    free, depth, found, nodes = 0x1FFF, 0, 0, 0
    for i in range(n):
        results = _possible(plans, i, placed, 0, free)
        if results & plans.wanted[i] == 0:
            return 0, 0
        if results != plans.wanted[i]:
            active[0, count[0]] = i
            count[0] += 1
    while True:
        shown = next_shown[depth]
        if shown == 13:  # back to the parent
            next_shown[depth] = 0
            depth -= 1
            if depth < 0:
                return found, nodes
            free |= 1 << placed[depth]
            continue
        next_shown[depth] += 1
        if not free >> shown & 1:
            continue
        if nodes == most:
            return -1, nodes
        nodes += 1
        placed[depth] = shown
        free &= ~(1 << shown)
        open_below = 0
        agreed = True
        for k in range(count[depth]):
            i = active[depth, k]
            results = _possible(plans, i, placed, depth + 1, free)
            if results & plans.wanted[i] == 0:
                for j in range(k, 0, -1):  # siblings meet first what has rejected
                    active[depth, j] = active[depth, j - 1]
                active[depth, 0] = i
                agreed = False
                break
            if results != plans.wanted[i]:
                active[depth + 1, open_below] = i
                open_below += 1
        if not agreed:
            free |= 1 << shown
            continue
        true_rank[shown] = 12 - depth
        inverted[depth + 1] = inverted[depth] + _size(free >> shown)
        if depth == 12:
            if found == orders.shape[0]:
                return -1, nodes
            for rank in range(13):
                orders[found, rank] = true_rank[rank]
            inversions[found] = inverted[13]
            found += 1
            free |= 1 << shown
            continue
        depth += 1
        count[depth] = open_below
