"""Buckets of many hands under many beliefs at once, for compiled matches.

The twin of `tiltless.agents.permutation.agent`, which finds the median order of one hand at a time;
tests compare them.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.buckets import Buckets
from tiltless.abstraction.cards.fill import BoardTable
from tiltless.abstraction.cards.tables import Tables
from tiltless.cards.isomorphism import canonical_boards, isomorphism
from tiltless.cards.matchups import HOLDING
from tiltless.permutation.prior import OrderRows

__all__ = ["BelievedBuckets", "Ladder", "ladder", "renamed"]

Cards = npt.NDArray[np.uint8]
_PART = 4096  # boards of a table that are counted at a time


def renamed(cards: Cards, orders: OrderRows) -> Cards:
    """Cards ``[hands, width]`` under an order for each hand, ``[hands, 13]``."""
    ranks = np.take_along_axis(orders.astype(np.uint8), (cards >> 2).astype(np.intp), axis=1)
    return np.ascontiguousarray(4 * ranks + (cards & 3))


class Ladder(NamedTuple):
    """The buckets of every canonical board, from weak to strong.

    lowest: int64 ``[boards]``, the first bucket of a board.  percentile: float32 ``[boards,
    most]``, of the buckets from there on, as in `tiltless.agents.permutation.hands`.
    """

    lowest: npt.NDArray[np.int64]
    percentile: npt.NDArray[np.float32]


def ladder(table: BoardTable) -> Ladder:
    """The ladder of a street's table."""
    boards = canonical_boards(table.board_cards, table.suits)[0]
    lowest = np.empty(len(boards), np.int64)
    parts = []
    for low in range(0, len(boards), _PART):
        some = slice(low, low + _PART)
        live = np.ones((len(boards[some]), HOLDING.shape[1]), bool)
        for column in boards[some].T:
            live &= ~HOLDING[column]
        rows = np.asarray(table.table[some]).astype(np.int64)
        lowest[some] = np.where(live, rows, table.count).min(axis=1)
        above = rows - lowest[some, None]
        most = int(above[live].max()) + 1
        key = (np.arange(len(rows))[:, None] * most + above)[live]
        counts = np.bincount(key, minlength=len(rows) * most).reshape(-1, most)
        total = counts.sum(axis=1, keepdims=True)
        parts.append(((counts.cumsum(axis=1) - counts / 2) / total).astype(np.float32))
    most = max(part.shape[1] for part in parts)
    wide = [np.pad(part, ((0, 0), (0, most - part.shape[1]))) for part in parts]
    return Ladder(lowest, np.concatenate(wide))


@dataclass(frozen=True, eq=False)
class BelievedBuckets:
    """The buckets of a blueprint of two players, by belief.

    groups: the buckets of its streets.  ladders: of the streets after the flop.
    """

    groups: tuple[Buckets, ...]
    ladders: tuple[Ladder, ...]

    @classmethod
    def of(cls, tables: Tables) -> "BelievedBuckets":
        """From the tables of an abstraction, which must have one for each street after preflop."""
        boards = [group for group in tables.groups[1:] if isinstance(group, BoardTable)]
        return cls(tables.groups, tuple(map(ladder, boards)))

    def by_order(self, cards: Cards, orders: OrderRows) -> npt.NDArray[np.uint32]:
        """Buckets, uint32 ``[hands, 2, streets]``, each hand by its order, ``[hands, 13]``.

        cards: shown, two hole cards of each player and the board.
        """
        bucket = np.zeros((len(cards), 2, len(self.groups)), np.uint32)
        true = renamed(cards, orders)
        for street, group in enumerate(self.groups):
            group.fill(true, street, bucket)
        return bucket

    def by_median(
        self, cards: Cards, orders: OrderRows, samples: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.uint32]:
        """The same before the flop; after it by the median order of ``samples [hands, n, 13]``."""
        hands, count = samples.shape[:2]
        bucket = self.by_order(cards, orders)
        true = renamed(np.repeat(cards, count, axis=0), samples.reshape(hands * count, -1))
        under = np.zeros((hands * count, 2, len(self.groups)), np.uint32)
        for street, steps in enumerate(self.ladders, start=1):
            self.groups[street].fill(true, street, under)
            board = np.ascontiguousarray(true[:, 4 : 6 + street])
            row = isomorphism((street + 2,)).index_many(board).astype(np.int64)
            found = under[:, :, street].reshape(hands, count, 2)
            above = under[:, :, street] - steps.lowest[row, None]
            percentile = steps.percentile[row[:, None], above].reshape(hands, count, 2)
            median = np.partition(percentile, count // 2, axis=1)[:, count // 2]
            first = (percentile == median[:, None]).argmax(axis=1)
            bucket[:, :, street] = np.take_along_axis(found, first[:, None], axis=1)[:, 0]
        return bucket
