"""Hands of both players on all boards of a street: kept, sorted by strength, and linked.

A flop has about 1,400 river boards with two thousand hands each, so these loops are compiled. What
they fill is described in `tiltless.kernels.postflop.terminals.StreetBoards`.

Twin: tests/naive/postflop/boards.py; tested by tests/postflop/test_boards.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import kernel
from tiltless.kernels.postflop.terminals import TERMINALS_AT_ONCE

__all__ = ["HandLists", "Images", "keep_hands", "link_hands", "sort_hands"]

U = np.uint64
_BOTH = U(2)
_COMBOS = 1326


class HandLists(NamedTuple):
    """The hands of each player on each board.

    count: uint32 ``[boards, 2]``.  begin: uint64 ``[boards, 2]``, where they begin in ``combo``,
    int64.
    """

    count: Any
    begin: Any
    combo: Any


class Images(NamedTuple):
    """The newest cards that each board stands for, its own first.

    at: int64 ``[boards + 1]``, where those of a board begin in ``card``, uint8.  parent: int64
    ``[boards]``, the board before.  begin: uint64 ``[boards, 2]``, where the indices of a player's
    hands on the board before begin.
    """

    at: Any
    card: Any
    parent: Any
    begin: Any


@kernel
def keep_hands(above: HandLists, parent: Any, card: Any, cards: Any, here: HandLists) -> Any:
    """Lists of the hands on the board before that do not hold the newest card; their total.

    parent: int64 ``[boards]``.  card: uint8 ``[boards]``.  cards: uint8 ``[1326, 2]``, of combos.
    here: overwritten.
    """
    done = U(0)
    for b in range(U(len(parent))):
        before, new = U(parent[b]), card[b]
        for player in range(_BOTH):
            first, begin = done, above.begin[before, player]
            for i in range(begin, begin + U(above.count[before, player])):
                combo = above.combo[i]
                if cards[U(combo), 0] != new and cards[U(combo), 1] != new:
                    here.combo[done] = combo
                    done += U(1)
            here.begin[b, player], here.count[b, player] = first, done - first
    return done


@kernel
def sort_hands(value: Any, hands: HandLists, group: Any, group_end: Any) -> None:
    """Sort hands from the weakest to the strongest, equal ones as they were; find their groups.

    value: uint16 ``[boards, 1326]``.  hands: sorted in place.  group: uint64 ``[boards + 1]`` and
    group_end: uint16 ``[groups or more, 2]``, overwritten.
    """
    most = U(0)
    for b in range(U(len(value))):
        for combo in range(U(_COMBOS)):
            most = max(most, U(value[b, combo]))
    number = np.zeros((int(most) + 1, 2), np.uint16)  # of hands with a value, then below it
    unsorted = np.zeros(_COMBOS, np.int64)
    done = U(0)
    for b in range(U(len(value))):
        group[b] = done
        number[:] = 0
        for player in range(_BOTH):
            begin = hands.begin[b, player]
            for i in range(begin, begin + U(hands.count[b, player])):
                number[U(value[b, U(hands.combo[i])]), player] += np.uint16(1)
        one, two = np.uint16(0), np.uint16(0)
        for v in range(most + U(1)):
            mine, theirs = number[v, 0], number[v, 1]
            if mine or theirs:
                number[v, 0], number[v, 1] = one, two
                one, two = np.uint16(one + mine), np.uint16(two + theirs)
                group_end[done, 0], group_end[done, 1] = one, two
                done += U(1)
        for player in range(_BOTH):
            begin, count = hands.begin[b, player], U(hands.count[b, player])
            for i in range(count):  # copying a slice would compile an error message, for seconds
                unsorted[i] = hands.combo[begin + i]
            for i in range(count):
                own = U(value[b, U(unsorted[i])])
                hands.combo[begin + U(number[own, player])] = unsorted[i]
                number[own, player] += np.uint16(1)
    group[U(len(value))] = done


@kernel
def link_hands(
    hands: HandLists,
    width: Any,
    cards: Any,
    above: HandLists,
    images: Images,
    swaps: Any,
    first: Any,
    second: Any,
    same: Any,
    parent_hand: Any,
) -> None:
    """The cards of each hand, the same hand of the opponent, and hands on the board before.

    width: uint32 ``[boards, 2]``.  cards: uint8 ``[1326, 2]``.  swaps: uint16 ``[4, 4, 1326]``,
    combos with two suits exchanged.  above, images: empty on the first street.  first, second,
    same, parent_hand: uint16, of `StreetBoards`, overwritten; parent_hand was zeros.
    """
    index = np.zeros(_COMBOS, np.uint16)
    for b in range(U(len(width))):
        for player in range(_BOTH):
            other = U(1) - player
            begin, count = hands.begin[b, player], U(hands.count[b, player])
            theirs = hands.begin[b, other]
            index[:] = width[b, other]
            for j in range(U(hands.count[b, other])):
                index[U(hands.combo[theirs + j])] = j
            for i in range(begin, begin + count):
                combo = U(hands.combo[i])
                first[i] = U(TERMINALS_AT_ONCE) * U(cards[combo, 0])
                second[i] = U(TERMINALS_AT_ONCE) * U(cards[combo, 1])
                same[i] = index[combo]
            if len(images.parent) == 0:
                continue
            before = U(images.parent[b])
            theirs = above.begin[before, player]
            index[:] = 0
            for j in range(U(above.count[before, player])):
                index[U(above.combo[theirs + j])] = j
            out, own = images.begin[b, player], U(images.card[images.at[b]]) & U(3)
            for image in range(images.at[b], images.at[b + U(1)]):
                suit = U(images.card[image]) & U(3)
                for i in range(count):
                    combo = U(hands.combo[begin + i])
                    parent_hand[out + i] = index[U(swaps[suit, own, combo])]
                out += U(width[b, player])
