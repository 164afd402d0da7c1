"""Relabelled buckets: card abstractions for Permutation Hold'em under a known rank order.

A shown rank counts as its true rank, and suits do not change. So a hand of shown cards is the
standard hand of the true cards: buckets, centroids and tables of a standard abstraction work under
every order without a new design. For an unknown order see
`tiltless.cards.hand_order.NO_STRAIGHTS`.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.abstraction import CardAbstraction
from tiltless.abstraction.cards.bucketing import Board, Bucketing, Buckets
from tiltless.cards.card import COMBO_CARDS, COMBO_OF
from tiltless.cards.hand_order import STANDARD, HandOrder, permuted
from tiltless.errors import OptionError

__all__ = ["Relabelled", "relabelled", "true_cards", "true_combos"]


def true_cards(order: HandOrder) -> npt.NDArray[np.uint8]:
    """The true card of each shown card, uint8 ``[52]``."""
    shown = np.arange(52, dtype=np.uint8)
    ranks = np.array(order.true_ranks, np.uint8)
    return np.asarray(4 * ranks[shown >> 2] + (shown & 3), dtype=np.uint8)


def true_combos(order: HandOrder) -> npt.NDArray[np.uint16]:
    """The combo of true cards of each combo of shown cards, uint16 ``[1326]``.

    ``table[true board][true_combos(order)]`` is the row of a shown board in a standard table.
    """
    low, high = true_cards(order)[COMBO_CARDS].T
    return np.asarray(COMBO_OF[low, high], dtype=np.uint16)


@dataclass(frozen=True, eq=False)
class Relabelled:
    """The buckets of a street, for shown cards with known true ranks.

    standard: buckets of true cards.  order: only its order of ranks is used.
    """

    standard: Bucketing
    order: HandOrder

    @property
    def count(self) -> int:
        """The number of buckets."""
        return self.standard.count

    @property
    def text(self) -> str:
        """A short description."""
        return f"{self.standard.text} under {self.order.rank_order}"

    @property
    def definition(self) -> tuple[Any, ...]:
        """Everything that determines the buckets."""
        return "relabelled", self.order.rank_order, self.standard.definition

    @property
    def wants_table(self) -> bool:
        """Whether the standard buckets do; their table is used."""
        return self.standard.wants_table

    @property
    def newest_counts(self) -> bool:
        """Whether the colour of the newest board card matters."""
        return self.standard.newest_counts

    @cached_property
    def cards(self) -> npt.NDArray[np.uint8]:
        """The true card of each shown card, uint8 ``[52]``."""
        return true_cards(self.order)

    @cached_property
    def combos(self) -> npt.NDArray[np.uint16]:
        """The combo of true cards of each combo of shown cards, uint16 ``[1326]``."""
        return true_combos(self.order)

    def buckets(self, board: Board) -> Buckets:
        """The standard bucket of each hand's true cards on the true board."""
        return self.standard.buckets(self.cards[board])[self.combos]


def relabelled(abstraction: CardAbstraction, order: HandOrder) -> CardAbstraction:
    """A standard abstraction for cards whose ranks are in another order; exact.

    order: from `tiltless.cards.hand_order.permuted`; with the standard order nothing changes.
    """
    if order != permuted(order.rank_order):
        raise OptionError(f"{order} has its own rules; give permuted({order.rank_order!r})")
    if order == STANDARD:
        return abstraction
    streets = tuple(Relabelled(street, order) for street in abstraction.streets)
    return CardAbstraction(
        f"{abstraction.name} {order.rank_order}", streets, abstraction.suits, order
    )
