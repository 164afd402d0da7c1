"""The report's inference: a Metropolis-Hastings chain, whose most visited order is its guess.

After each showdown it takes 5,000 steps from its last guess, over orders that differ by taking one
rank out and putting it in elsewhere, towards prior times 0.07^violations; the order visited most
often in the last three quarters is the next guess.
Report: libratus fan club (MIT Pokerbots 2020), "Solving Permutation Hold'em", section 2.2.
"""

import math

import numpy as np

from tiltless.cards.card import Cards
from tiltless.kernels.base.rng import seed_words
from tiltless.kernels.permutation.chain import REINSERTIONS, run_chains
from tiltless.permutation.evidence import EvidenceRows, ShowdownResult
from tiltless.permutation.prior import Order

__all__ = ["Chain"]

_STEPS, _PENALTY = 5000, 0.07


class Chain:
    """The chain of a match; the same with the same seed."""

    def __init__(self, seed: int = 0) -> None:
        self._state = seed_words(seed, 1)[0]
        self._evidence = EvidenceRows()
        self._order = np.arange(13, dtype=np.int8)[None]
        self._visited = np.empty((_STEPS, 13), np.int8)

    def observe(self, cards_a: Cards, cards_b: Cards, board: Cards, result: int) -> None:
        """Take the steps that follow a showdown."""
        self._evidence.add(ShowdownResult.checked(cards_a, cards_b, board, result))
        evidence = self._evidence.arrays()
        penalty = math.log(_PENALTY)
        run_chains(
            self._state, REINSERTIONS, _STEPS, penalty, self._order, *evidence, self._visited
        )
        late = self._visited[_STEPS // 4 :]
        orders, times = np.unique(late, axis=0, return_counts=True)
        self._order[0] = orders[times.argmax()]

    def guess(self) -> Order:
        """The most visited order; shown ranks before the first showdown."""
        return self._order[0].copy()
