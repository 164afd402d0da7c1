"""Terminal values of all hands on a board: showdowns and folds, sixteen nodes at a time.

Against a vector of the opponent's reach with each hand, the value of a hand is the sum over those
it beats less those that beat it. Hands are sorted by strength, so one sweep is enough: what is
beaten is to the left. Hands that share a card cannot meet; the sweep keeps the sum of each card
beside the total, and subtracts the hands that hold one of a hand's two cards. The sums depend on
each other from hand to hand, so a processor would wait; sixteen terminals, one in each lane of a
vector, keep it busy.

Paper: Johanson, Waugh, Bowling & Zinkevich (2011), "Accelerating best response calculation in large
extensive games", section 5.

Twin: tests/naive/blueprint/public_chance.py; tested by tests/blueprint/test_sampling.py
"""

from typing import Any, NamedTuple

import numpy as np

from tiltless.kernels.base.jit import inline
from tiltless.kernels.base.simd import lanes_to_rows, load, rows_to_lanes, spread, store

__all__ = ["BoardHands", "TerminalScratch", "terminal_scratch", "terminal_values"]

U = np.uint64
F = np.float32
_WIDE = U(16)


class BoardHands(NamedTuple):
    """All hands that a board leaves, from the weakest to the strongest.

    first, second: uint64 ``[padded]``, sixteen times their cards; ``padded`` is the number of hands
    made a multiple of 16, with any cards as padding.
    bucket: uint32 ``[streets, padded]``.
    group: uint64 ``[groups + 1]``, where hands of equal strength begin, and the end of the last.
    """

    first: Any
    second: Any
    bucket: Any
    group: Any


class TerminalScratch(NamedTuple):
    """Sixteen lanes of vectors of hands, and of sums over cards; see `terminal_scratch`."""

    reach: Any
    cfv: Any
    held: Any


@inline
def terminal_scratch(padded: Any) -> Any:
    """Scratch of `terminal_values`."""
    return TerminalScratch(
        np.zeros(_WIDE * U(padded), np.float32),
        np.zeros(_WIDE * U(padded), np.float32),
        np.zeros(_WIDE * U(52), np.float32),
    )


@inline
def terminal_values(
    hands: BoardHands,
    showdown: Any,
    amount: Any,
    reach: Any,
    read: Any,
    cfv: Any,
    write: Any,
    scratch: TerminalScratch,
) -> None:
    """The value of each hand at sixteen terminals, all showdowns or none.

    showdown: 1 if hands are compared, 0 if somebody has folded.  amount: float32 ``[16]``, what a
    hand wins against each that it beats, or that has folded; negative if it is the one that folds.
    reach: float32, rows begin at ``read``, int64 ``[16]``.  cfv: float32, likewise ``write``.
    """
    first, second, group = hands.first, hands.second, hands.group
    padded = U(len(first))
    seen, out, held = scratch.reach, scratch.cfv, scratch.held
    zero = spread(F(0))
    for i in range(U(0), padded, _WIDE):
        rows_to_lanes(reach, read, i, seen)
    for card in range(U(52)):
        store(held, card * _WIDE, zero)
    total, factor = zero, load(amount, U(0))
    end = group[len(group) - 1]
    if showdown:
        for g in range(U(len(group) - 1)):
            for i in range(group[g], group[g + U(1)]):
                less = total - load(held, first[i]) - load(held, second[i])
                store(out, i * _WIDE, less)
            for i in range(group[g], group[g + U(1)]):
                x = load(seen, i * _WIDE)
                total = total + x
                store(held, first[i], load(held, first[i]) + x)
                store(held, second[i], load(held, second[i]) + x)
            for i in range(group[g], group[g + U(1)]):
                less = total - load(held, first[i]) - load(held, second[i])
                store(out, i * _WIDE, load(out, i * _WIDE) + less)
        for i in range(end):
            all_others = total - load(held, first[i]) - load(held, second[i])
            store(out, i * _WIDE, factor * (load(out, i * _WIDE) - all_others))
    else:
        for i in range(end):
            x = load(seen, i * _WIDE)
            total = total + x
            store(held, first[i], load(held, first[i]) + x)
            store(held, second[i], load(held, second[i]) + x)
        for i in range(end):
            others = total - load(held, first[i]) - load(held, second[i])
            store(out, i * _WIDE, factor * (others + load(seen, i * _WIDE)))
    for i in range(end, padded):
        store(out, i * _WIDE, zero)
    for i in range(U(0), padded, _WIDE):
        lanes_to_rows(out, cfv, write, i)
