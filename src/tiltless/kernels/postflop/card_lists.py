"""Lists that the CUDA kernels read: hands by card, how they rank, and where they are later on.

What they are is described in `tiltless.kernels.cuda.structs.DeviceStreet`; they are built here on
the processor, as a flop has millions of entries.

Twin: tests/naive/postflop/device_layout.py; tested by tests/postflop/device/test_layout.py
"""

from typing import Any

import numpy as np

from tiltless.kernels.base.jit import kernel
from tiltless.kernels.postflop.terminals import TERMINALS_AT_ONCE, StreetBoards

__all__ = ["card_lists", "hands_below"]

U = np.uint64
_BOTH, _WIDE = U(2), np.uint16(TERMINALS_AT_ONCE)
_CARDS = U(52)


@kernel
def card_lists(
    boards: StreetBoards, last: Any, no_hand: Any, card_at: Any, card_hand: Any, info: Any
) -> None:
    """`DeviceStreet.card_at`, ``card_hand`` and ``info``, overwritten; info was zeros.

    last: whether hands are shown on these boards.  no_hand: ``NO_HAND``.
    """
    held = np.zeros(_CARDS, np.uint64)  # the opponent's hands with each card, so far
    place = np.zeros(_CARDS, np.uint64)
    done = U(0)
    for b in range(U(len(boards.count))):
        for player in range(_BOTH):
            begin, count = boards.hand[b, player], U(boards.count[b, player])
            place[:] = 0
            for i in range(begin, begin + count):
                place[U(boards.first[i] // _WIDE)] += U(1)
                place[U(boards.second[i] // _WIDE)] += U(1)
            for card in range(_CARDS):
                size = place[card]
                card_at[b, player, card] = done
                place[card] = done
                done += size
            card_at[b, player, _CARDS] = done
            for i in range(count):
                one = U(boards.first[begin + i] // _WIDE)
                two = U(boards.second[begin + i] // _WIDE)
                card_hand[place[one]], card_hand[place[two]] = i, i
                place[one] += U(1)
                place[two] += U(1)
        for player in range(_BOTH):
            other = U(1) - player
            begin, count = boards.hand[b, player], U(boards.count[b, player])
            theirs = boards.hand[b, other]
            for i in range(begin, begin + count):
                one, two = U(boards.first[i] // _WIDE), U(boards.second[i] // _WIDE)
                same = U(boards.same[i])
                info[i, 6] = one + U(256) * two
                info[i, 7] = U(no_hand) if same == U(boards.width[b, other]) else same
            if not last:
                continue
            for card in range(_CARDS):
                held[card] = U(card_at[b, other, card] - card_at[b, other, 0]) + card
            i_begin, j_begin = U(0), U(0)
            for g in range(boards.group[b], boards.group[b + U(1)]):
                i_end, j_end = U(boards.group_end[g, player]), U(boards.group_end[g, other])
                for i in range(begin + i_begin, begin + i_end):
                    info[i, 0], info[i, 1] = j_begin, j_end
                    info[i, 2] = held[U(boards.first[i] // _WIDE)]
                    info[i, 3] = held[U(boards.second[i] // _WIDE)]
                for j in range(theirs + j_begin, theirs + j_end):
                    held[U(boards.first[j] // _WIDE)] += U(1)
                    held[U(boards.second[j] // _WIDE)] += U(1)
                for i in range(begin + i_begin, begin + i_end):
                    info[i, 4] = held[U(boards.first[i] // _WIDE)]
                    info[i, 5] = held[U(boards.second[i] // _WIDE)]
                i_begin, j_begin = i_end, j_end


@kernel
def hands_below(boards: StreetBoards, child: Any, image: Any, at: Any, child_hand: Any) -> None:
    """`DeviceStreet.child_hand`, which was ``NO_HAND`` everywhere.

    child: int32 ``[pairs]``.  image: int64 ``[pairs]``, which image of its board a card is.
    at: int64 ``[pairs, 2]``.
    """
    for pair in range(U(len(child))):
        c = U(child[pair])
        for player in range(_BOTH):
            width = U(boards.width[c, player])
            begin, out = boards.image[c, player] + U(image[pair]) * width, U(at[pair, player])
            for i in range(U(boards.count[c, player])):
                child_hand[out + U(boards.parent_hand[begin + i])] = i
