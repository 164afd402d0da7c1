"""The posterior over orders of the ranks, from showdowns.

A showdown has one of three results, and each order predicts exactly one: the likelihood is 0 or 1,
and the posterior is the prior restricted to the orders that agree with every showdown.
"""

import math
from random import Random

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import Cards
from tiltless.cards.evaluate import evaluate_many
from tiltless.permutation.prior import LOG2_Z, Order, OrderRows, draw_orders, inversions, log2_prior
from tiltless.permutation.showdown import Showdown
from tiltless.validate import whole_number

__all__ = ["Orders"]

_SAMPLES = 1024
_MOST_DRAWS = 400_000


class Orders:
    """What is known about the hidden order of a match. Everything repeats with the same seed.

    Orders are rows of true ranks (0 deuce … 12 ace) of the 13 shown ranks, as
    `tiltless.permutation.prior` describes; `rank_order` there turns one into text.

    seed: a whole number, or a `random.Random` of which one word is taken.
    showdowns: the evidence so far, without what was dropped.
    """

    def __init__(self, seed: int | Random = 0) -> None:
        word = seed.getrandbits(64) if isinstance(seed, Random) else whole_number("seed", seed, 0)
        self.showdowns: list[Showdown] = []
        self.dropped: list[Showdown] = []
        self._word = word
        self._rng = np.random.default_rng(word)
        self._rows = draw_orders(_SAMPLES, self._rng)
        self._log2_evidence = 0.0

    def observe(self, cards_a: Cards, cards_b: Cards, board: Cards, result: int) -> None:
        """Learn from a showdown: shown cards, and 1 if A won, -1 if B did, 0 for a tie."""
        self.showdowns.append(Showdown.checked(cards_a, cards_b, board, result))
        kept = self._rows[_agrees(self._rows, self.showdowns[-1])]
        self._log2_evidence += math.log2(max(len(kept), 0.5) / len(self._rows))
        drawn = 0
        while len(kept) < _SAMPLES // 2 and drawn < _MOST_DRAWS:
            more = draw_orders(50_000, self._rng)
            drawn += len(more)
            for each in self.showdowns:
                more = more[_agrees(more, each)]
            kept = np.concatenate([kept, more])
        if len(kept):
            self._rows = kept[:_SAMPLES]

    def samples(self, n: int) -> OrderRows:
        """Draws from the posterior, int8 ``[n, 13]``; the same until the next showdown."""
        rng = np.random.default_rng([self._word, len(self.showdowns), n])
        return np.asarray(self._rows[rng.integers(0, len(self._rows), n)])

    def mean_ranks(self) -> npt.NDArray[np.float64]:
        """The mean true rank of each shown rank, float64 ``[13]``."""
        return np.asarray(self._rows.mean(axis=0), np.float64)

    def most_likely(self) -> Order:
        """The order with the largest posterior probability among those that are known to agree."""
        return np.asarray(self._rows[log2_prior(self._rows).argmax()])

    def entropy(self) -> float:
        """Of the posterior, in bits; an estimate unless `exact`."""
        mean = float(inversions(self._rows).mean())
        return max(0.0, mean * math.log2(4 / 3) + LOG2_Z + self._log2_evidence)

    @property
    def exact(self) -> bool:
        """Whether all orders that agree are listed; before that there are samples."""
        return False

    @property
    def count(self) -> int:
        """The number of orders in the list, or of samples."""
        return len(self._rows)


def _agrees(rows: OrderRows, showdown: Showdown) -> npt.NDArray[np.bool_]:
    """Whether each order predicts a result, bool ``[n]``."""
    shown = np.array(showdown.cards)
    true = 4 * rows[:, shown >> 2].astype(np.uint8) + (shown & 3).astype(np.uint8)
    first = evaluate_many(true[:, [0, 1, 4, 5, 6, 7, 8]]).astype(np.int64)
    second = evaluate_many(true[:, [2, 3, 4, 5, 6, 7, 8]]).astype(np.int64)
    return np.asarray(np.sign(first - second) == showdown.result)
