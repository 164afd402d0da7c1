"""Preflop equities: the exact 169 x 169 table, built once and cached."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from math import comb

import numpy as np
import numpy.typing as npt

from tiltless.cards import card, hand_order
from tiltless.cards.card import CLASS_COUNT, CLASS_OF_COMBO
from tiltless.cards.equity_input import disjoint
from tiltless.cards.hand_order import STANDARD, hand_tables
from tiltless.cards.runouts import runouts
from tiltless.files.cached_arrays import kept_arrays
from tiltless.kernels.cards import equity as equity_kernels
from tiltless.kernels.cards import evaluate
from tiltless.kernels.cards import runouts as runout_kernels
from tiltless.kernels.cards.equity import compare_classes

__all__ = ["class_pairs", "equity_vs_random", "preflop_equities"]


@lru_cache(maxsize=1)
def class_pairs() -> npt.NDArray[np.int64]:
    """How many pairs of hands without a common card two classes have, int64 ``[169, 169]``."""
    every = np.arange(1326)
    member = np.eye(CLASS_COUNT, dtype=np.int64)[CLASS_OF_COMBO]
    return np.asarray(member.T @ (disjoint(every, every) @ member), dtype=np.int64)


def _build() -> npt.NDArray[np.float64]:
    boards, weights = runouts((), (), (0, 0, 0, 0))

    def share(part: slice) -> npt.NDArray[np.int32]:
        twice_won = np.zeros((CLASS_COUNT, 176), dtype=np.int32)
        whole = weights[part].astype(np.int32)
        compare_classes(
            np.ascontiguousarray(boards[part]),
            whole,
            CLASS_OF_COMBO,
            hand_tables(STANDARD),
            twice_won,
        )
        return twice_won[:, :CLASS_COUNT]

    threads = os.cpu_count() or 1
    with ThreadPoolExecutor(threads) as pool:
        parts = [slice(first, None, threads) for first in range(threads)]
        twice_won = sum(pool.map(share, parts))
    return np.asarray(twice_won / (2.0 * class_pairs() * comb(48, 5)), dtype=np.float64)


@lru_cache(maxsize=1)
def preflop_equities() -> npt.NDArray[np.float64]:
    """Equity of each class against each class, all in before the flop, float64 ``[169, 169]``.

    Exact, over all 1,712,304 boards of every pair of hands; rows and columns are in the order of
    the 13 x 13 picture. The first call takes a few seconds and keeps the table in the cache folder.
    """
    made_by = [sys.modules[__name__], card, hand_order, equity_kernels, evaluate, runout_kernels]
    return kept_arrays("preflop-equities", made_by, lambda: {"equity": _build()})["equity"]


def equity_vs_random() -> npt.NDArray[np.float64]:
    """Equity of each class against a random hand, float64 ``[169]``."""
    pairs = class_pairs()
    return np.asarray((preflop_equities() * pairs).sum(axis=1) / pairs.sum(axis=1))
