"""Preflop equities: the exact 169 x 169 table, summed from the matchups of all hands."""

from functools import lru_cache
from math import comb

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import CLASS_COUNT, CLASS_OF_COMBO
from tiltless.cards.equity_input import disjoint
from tiltless.cards.matchups import preflop_matchups

__all__ = ["class_pairs", "equity_vs_random", "preflop_equities"]


def _by_class(table: npt.NDArray[np.generic]) -> npt.NDArray[np.int64]:
    """Sums of whole numbers ``[1326, 1326]`` over the hands of two classes, ``[169, 169]``."""
    order = np.argsort(CLASS_OF_COMBO, kind="stable")
    begin = np.searchsorted(CLASS_OF_COMBO[order], np.arange(CLASS_COUNT))
    rows = np.add.reduceat(table[order].astype(np.int64), begin, axis=0)
    return np.asarray(np.add.reduceat(rows[:, order], begin, axis=1), dtype=np.int64)


@lru_cache(maxsize=1)
def class_pairs() -> npt.NDArray[np.int64]:
    """The number of disjoint pairs of combos of two classes, int64 ``[169, 169]``."""
    every = np.arange(1326)
    return _by_class(disjoint(every, every))


@lru_cache(maxsize=1)
def preflop_equities() -> npt.NDArray[np.float64]:
    """Equity of each class against each class, all-in before the flop, float64 ``[169, 169]``.

    Exact, over all 1,712,304 boards of every pair of hands; rows and columns are in the order of
    the 13 x 13 picture. The first call makes the table of `preflop_matchups`, if it is not kept.
    """
    deals = class_pairs() * comb(48, 5)
    return np.asarray((deals + _by_class(preflop_matchups())) / (2.0 * deals), dtype=np.float64)


def equity_vs_random() -> npt.NDArray[np.float64]:
    """Equity of each class against a random hand, float64 ``[169]``."""
    pairs = class_pairs()
    return np.asarray((preflop_equities() * pairs).sum(axis=1) / pairs.sum(axis=1))
