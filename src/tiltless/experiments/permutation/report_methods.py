"""The two methods by which a team of 2020 inferred the hidden order.

libratus fan club (2020), "Pokerbots Final Report: Solving Permutation Hold'em", section 2: a
particle filter, given up because its list collapsed, and a Metropolis-Hastings chain, which played.
"""

import math

import numpy as np

from tiltless.kernels.base.rng import seed_words
from tiltless.kernels.permutation.chain import REINSERTIONS, run_chains
from tiltless.kernels.permutation.draw import draw_agreeing
from tiltless.permutation.evidence import EvidenceRows, ShowdownResult
from tiltless.permutation.prior import Order, OrderRows, draw_tables

__all__ = ["ReportChain", "ReportFilter"]


class ReportChain:
    """Section 2.2: after each showdown 5,000 steps over prior times 0.07^violations.

    Neighbours are orders one reinsertion apart. The guess is the order visited most often in the
    last three quarters of the steps, and the next chain starts there; the first at the identity.
    """

    def __init__(self, seed: int, steps: int = 5000, penalty: float = 0.07) -> None:
        self.guess: Order = np.arange(13, dtype=np.int8)
        self._steps, self._log_penalty = steps, math.log(penalty)
        self._state = seed_words(seed, 1)[0]
        self._rows = EvidenceRows()

    def observe(self, showdown: ShowdownResult) -> None:
        """One showdown more; changes the guess."""
        self._rows.add(showdown)
        visited = np.empty((self._steps, 13), np.int8)
        arrays = self._rows.arrays()
        start = self.guess[None].copy()
        run_chains(
            self._state, REINSERTIONS, self._steps, self._log_penalty, start, *arrays, visited
        )
        late = visited[self._steps // 4 :]
        codes = late @ 13 ** np.arange(13, dtype=np.int64)
        _, first, times = np.unique(codes, return_index=True, return_counts=True)
        self.guess = late[first[times.argmax()]]


class ReportFilter:
    """Section 2.1, second version: 100,000 draws from the prior, of which showdowns leave some.

    Whenever the list shrinks to fewer than 200, every order one swap away from one of them joins if
    it agrees with all showdowns. An empty list stays empty.
    """

    def __init__(self, seed: int, particles: int = 100_000, few: int = 200) -> None:
        self._rows, self._few = EvidenceRows(), few
        self.orders: OrderRows = np.empty((particles, 13), np.int8)
        arrays = self._rows.arrays()
        draw_agreeing(seed_words(seed, 1)[0], draw_tables(), particles, *arrays, self.orders)

    def observe(self, showdown: ShowdownResult) -> None:
        """One showdown more."""
        self._rows.add(showdown)
        newest = np.array([len(self._rows.showdowns) - 1])
        left = self.orders[self._rows.agreeing(self.orders, newest)]
        if len(left) < min(self._few, len(self.orders)):
            left = np.unique(np.concatenate([left, self._swapped(left)]), axis=0)
        self.orders = left

    def _swapped(self, orders: OrderRows) -> OrderRows:
        """Orders one swap away that agree with all showdowns."""
        low, high = np.triu_indices(13, 1)
        near = np.repeat(orders[:, None], len(low), axis=1)
        pairs = np.arange(len(low))
        near[:, pairs, low], near[:, pairs, high] = orders[:, high], orders[:, low]
        near = near.reshape(-1, 13)
        return near[self._rows.agreeing(near)]
