"""Runouts: sets of cards to come, one for each orbit under swaps of interchangeable suits.

Tested by tests/cards/test_equity.py
"""

from typing import Any

import numpy as np

from tiltless.kernels.base.jit import inline, kernel

__all__ = ["list_runouts"]

U = np.uint64
_LANE = U(0xFFFF)


@inline
def _suit_lane(bits: Any, suit: Any) -> Any:
    return (bits >> (U(16) * U(suit))) & _LANE


@inline
def _orbit_size(bits: Any, first: Any, second: Any, third: Any, fourth: Any) -> Any:
    """How many sets of cards are equal to this one up to allowed swaps of suits.

    0 if this is not the one that stands for them all, which has the largest rank sets in the first
    suits of each class. ``bits``: 16 bits for each suit; the classes of the four suits follow.
    """
    size, repeats, canonical = U(1), U(1), True
    for suit in range(1, 4):
        mine, own_class = _suit_lane(bits, suit), second
        if suit == 2:
            own_class = third
        elif suit == 3:
            own_class = fourth
        before, equal = U(1), U(1)
        for other in range(suit):
            other_class = first
            if other == 1:
                other_class = second
            elif other == 2:
                other_class = third
            if other_class == own_class:
                ranks = _suit_lane(bits, other)
                before += U(1)
                if ranks == mine:
                    equal += U(1)
                elif ranks < mine:
                    canonical = False
        size *= before
        repeats *= equal
    return size // repeats if canonical else U(0)


@kernel
def list_runouts(deck: Any, size: Any, suit_class: Any, boards: Any, weights: Any) -> Any:
    """List the sets of ``size`` cards from ``deck``, one for each orbit under swaps of suits.

    deck: uint8 ``[n]``, ascending.  suit_class: int64 ``[4]``; suits of one class may be swapped,
    and the deck must be unchanged by that.  boards: uint8 ``[m, size]``, weights: float64 ``[m]``
    (sizes of the orbits), overwritten; m is C(n, size) or less.  Returns how many there are.
    """
    count = 0
    cards = len(deck)
    choice = np.arange(size)
    first, second, third, fourth = suit_class[0], suit_class[1], suit_class[2], suit_class[3]
    if size > cards:
        return 0
    while True:
        bits = U(0)
        for j in range(size):
            card = U(deck[choice[j]])
            bits |= U(1) << (U(16) * (card & U(3)) + (card >> U(2)))
        orbit = _orbit_size(bits, first, second, third, fourth)
        if orbit:
            for j in range(size):
                boards[count, j] = deck[choice[j]]
            weights[count] = orbit
            count += 1
        j = size - 1
        while j >= 0 and choice[j] == cards - size + j:
            j -= 1
        if j < 0:
            return count
        choice[j] += 1
        for i in range(j + 1, size):
            choice[i] = choice[i - 1] + 1
