"""Dealing: the cards of many hands, drawn without replacement.

Twin: tests/naive/blueprint/playout.py; tested by tests/blueprint/simulate/test_playout.py
"""

from typing import Any

import numpy as np

from tiltless.kernels.base.jit import kernel
from tiltless.kernels.base.rng import next_below

__all__ = ["deal_hands"]

U = np.uint64


@kernel
def deal_hands(state: Any, deck: Any, always: Any, run_suits: Any, cards: Any) -> None:
    """Deal a row of cards for each hand, by the first steps of a Fisher-Yates shuffle.

    state: uint64 ``[1]``, advanced.  deck: uint8, the cards of the deck, left in another order.
    always: how many cards every hand gets.  run_suits: one more card follows these for as long as
    the newest one has a suit of this bit mask.
    cards: uint8 ``[hands, always or more]``, overwritten as far as cards are dealt; a row must have
    room for the longest run.
    """
    size, always, run_suits = U(len(deck)), U(always), U(run_suits)
    for i in range(cards.shape[0]):
        for j in range(always):
            k = j + next_below(state, size - j)
            card = deck[k]
            deck[k] = deck[j]
            deck[j] = card
            cards[i, j] = card
        if run_suits:
            j = always
            while j < size and (run_suits >> (U(deck[j - U(1)]) & U(3))) & U(1):
                k = j + next_below(state, size - j)
                card = deck[k]
                deck[k] = deck[j]
                deck[j] = card
                cards[i, j] = card
                j += U(1)
