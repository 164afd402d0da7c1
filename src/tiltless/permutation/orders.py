"""The posterior over orders of the ranks: sampled while it is wide, listed once it is narrow.

A showdown has one of three results, and each order predicts exactly one: the likelihood is 0 or 1,
and the posterior is the prior restricted to the orders that agree with every showdown. Betting adds
nothing: the opponent sees the same showdowns and nothing else, so its actions do not depend on the
order. The entropy follows from samples and from the prior mass that is left:

    H = mean inversions * log2(4/3) + log2 Z + log2 P(showdowns)

Three regimes (docs/permutation.md):

1. Rejection: draw from the prior and keep what agrees, while that takes few draws.
2. Resample and move (Gilks & Berzuini 2001): copy the survivors, then move them by Metropolis-
   Hastings until they have been changed three times on average.
3. The list of all orders that agree, by depth-first search, once the entropy is below 13 bits.
   Showdowns then only filter it, and its weights are exact.
"""

import math
from random import Random

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import Cards
from tiltless.kernels.base.rng import seed_words
from tiltless.kernels.permutation.chain import HARD, MIXED_MOVES, run_chains
from tiltless.kernels.permutation.draw import draw_agreeing
from tiltless.kernels.permutation.listing import list_agreeing
from tiltless.permutation.contradiction import explain
from tiltless.permutation.evidence import EvidenceRows, ShowdownResult
from tiltless.permutation.prior import (
    DECAY,
    LOG2_Z,
    Order,
    OrderRows,
    draw_tables,
    inversions,
    rank_chances,
)
from tiltless.validate import whole_number

__all__ = ["Orders"]

_SAMPLES = 1024
_DRAWS = 1_500_000
"""Draws from the prior that an update may take; about a tenth of a second."""
_LIST_BELOW = 13.0
_NODES = 400_000
_MOST_LISTED = 300_000
_TRY_AGAIN = 3
"""Showdowns from one attempt to list to the next."""
_FEW = 24
"""Fewer survivors must not stand for all that agree: their copies would hardly part."""
_CHANGES = 3
_STEPS = 25
_MOST_STEPS = 500


class Orders:
    """What is known about the hidden order of a match. Everything repeats with the same seed.

    Orders are rows of the true ranks (0 deuce … 12 ace) of the 13 shown ranks;
    `tiltless.permutation.prior.rank_order` turns one into text.

    seed: a whole number, or a `random.Random` of which one word is taken.
    """

    def __init__(self, seed: int | Random = 0) -> None:
        word = seed.getrandbits(64) if isinstance(seed, Random) else whole_number("seed", seed, 0)
        self._word = word
        self._state = seed_words(word, 1)[0]
        self._evidence = EvidenceRows()
        self._log2_evidence = 0.0
        self._weights: npt.NDArray[np.float64] | None = None  # of the list
        self._listed_at = 0
        self._rows = np.empty((0, 13), np.int8)
        self._draw()

    @property
    def showdowns(self) -> list[ShowdownResult]:
        """All showdowns so far."""
        return list(self._evidence.showdowns)

    @property
    def dropped(self) -> list[ShowdownResult]:
        """Showdowns that do not count, because they contradict the others."""
        seen = zip(self._evidence.showdowns, self._evidence.counts, strict=True)
        return [showdown for showdown, counts in seen if not counts]

    @property
    def exact(self) -> bool:
        """Whether all orders that agree are listed; before that there are samples."""
        return self._weights is not None

    @property
    def count(self) -> int:
        """The number of orders in the list, or of samples."""
        return len(self._rows)

    def entropy(self) -> float:
        """Of the posterior, in bits; an estimate unless `exact`."""
        if self._weights is not None:
            return float(-(self._weights @ np.log2(self._weights))) + 0.0
        mean = float(inversions(self._rows).mean())
        return max(0.0, LOG2_Z - math.log2(DECAY) * mean + self._log2_evidence)

    def probability(self, order: npt.ArrayLike) -> float:
        """Of an order; a share of the samples unless `exact`."""
        same = (self._rows == np.asarray(order)).all(axis=1)
        return float(np.average(same, weights=self._weights))

    def samples(self, n: int) -> OrderRows:
        """Draws from the posterior, int8 ``[n, 13]``; the same until the next showdown."""
        n = whole_number("n", n, 0)
        rng = np.random.default_rng([self._word, len(self._evidence.showdowns), n])
        return self._rows[rng.choice(len(self._rows), n, p=self._weights)]

    def mean_ranks(self) -> npt.NDArray[np.float64]:
        """The mean true rank of each shown rank, float64 ``[13]``."""
        if not any(self._evidence.counts):
            return np.asarray(rank_chances() @ np.arange(13.0))
        return np.average(self._rows, axis=0, weights=self._weights)

    def most_likely(self) -> Order:
        """The order with the largest probability; int8 ``[13]``.

        Before the list it is the best that swaps find from the most likely sample.
        """
        if not any(self._evidence.counts):
            return np.arange(13, dtype=np.int8)
        best = self._rows[inversions(self._rows).argmin()].copy()
        while not self.exact:
            nearby = np.repeat(best[None], 78, axis=0)
            rows, (low, high) = np.arange(78), np.triu_indices(13, 1)
            nearby[rows, low], nearby[rows, high] = best[high], best[low]
            nearby = nearby[self._evidence.agreeing(nearby)]
            if not len(nearby) or inversions(nearby).min() >= inversions(best[None])[0]:
                break
            best = nearby[inversions(nearby).argmin()]
        return np.asarray(best)

    def observe(self, cards_a: Cards, cards_b: Cards, board: Cards, result: int) -> None:
        """Learn from a showdown: shown cards, and 1 if A won, -1 if B did, 0 for a tie.

        A showdown that contradicts all orders left is reported by a warning; the evidence that is
        least likely, this one or an earlier one, is dropped.
        """
        self._evidence.add(ShowdownResult.checked(cards_a, cards_b, board, result))
        newest = np.array([len(self._evidence.showdowns) - 1])
        agree = self._evidence.agreeing(self._rows, newest)
        if agree.all():
            return
        before = self._rows, self._weights, self._log2_evidence
        self._rows = self._rows[agree]
        if self._weights is None:
            self._log2_evidence += math.log2(max(len(self._rows), 0.5) / len(agree))
            self._refill()
        elif len(self._rows):
            left = self._weights[agree]
            self._log2_evidence += math.log2(left.sum())
            self._weights = left / left.sum()
        if not len(self._rows):
            self._explain(*before)

    def _refill(self) -> None:
        """Have enough samples again after some were rejected, or list what is left."""
        left = len(self._rows)
        due = len(self._evidence.showdowns) >= self._listed_at + _TRY_AGAIN
        if left and due and self.entropy() < _LIST_BELOW and self._list(_NODES):
            return
        draws_pay = (_SAMPLES - left) / 2.0**self._log2_evidence <= _DRAWS
        if draws_pay and left < _SAMPLES // 2:
            self._draw()
        if len(self._rows) >= _SAMPLES // 2:
            return
        if len(self._rows) < _FEW:
            if self._list(2 * _NODES):
                return
            if not draws_pay:
                self._draw()
        if len(self._rows):
            self._move()

    def _draw(self) -> None:
        """Rejection sampling; a large yield is also the better estimate of P(showdowns)."""
        out = np.empty((_SAMPLES - len(self._rows), 13), np.int8)
        arrays = self._evidence.arrays()
        found, draws = draw_agreeing(self._state, draw_tables(), _DRAWS, *arrays, out)
        self._rows = np.concatenate([self._rows, out[:found]])
        if found >= _SAMPLES // 4:
            self._log2_evidence = math.log2(found / draws)

    def _list(self, nodes: int) -> bool:
        """List all orders that agree, also if there are none; False if that takes too long."""
        self._listed_at = len(self._evidence.showdowns)
        orders = np.empty((_MOST_LISTED, 13), np.int8)
        inverted = np.empty(_MOST_LISTED, np.uint8)
        found, _ = list_agreeing(self._evidence.plans(), nodes, orders, inverted)
        if found < 0:
            return False
        self._rows = orders[:found].copy()
        if found:
            self._weights = DECAY ** inverted[:found].astype(np.float64)
            self._log2_evidence = math.log2(self._weights.sum()) - LOG2_Z
            self._weights /= self._weights.sum()
        return True

    def _move(self) -> None:
        """Resample and move; after a surprise, the more the fewer have survived."""
        left = len(self._rows)
        self._rows = self._rows[np.arange(_SAMPLES) * left // _SAMPLES]
        wanted = _CHANGES * _SAMPLES * max(1.0, math.log2(0.5 * _SAMPLES / left))
        changes = steps = 0
        none = np.empty((0, 13), np.int8)
        while changes < wanted and steps < _MOST_STEPS:
            evidence = self._evidence.arrays()
            changes += run_chains(
                self._state, MIXED_MOVES, _STEPS, HARD, self._rows, *evidence, none
            )
            steps += _STEPS

    def _explain(
        self, rows: OrderRows, weights: npt.NDArray[np.float64] | None, log2_evidence: float
    ) -> None:
        """No order was found that agrees: find some, or drop the evidence that is least likely.

        rows, weights, log2_evidence: what was known before the newest showdown.
        """
        found = explain(self._evidence, rows, self._state)
        if found is None:
            self._rows, self._weights, self._log2_evidence = rows, weights, log2_evidence
            return
        self._rows, self._weights = found.orders, None
        self._log2_evidence = log2_evidence + found.gain
        if not self._list(2 * _NODES):
            self._move()
