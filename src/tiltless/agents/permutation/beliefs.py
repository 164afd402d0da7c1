"""Beliefs about the order of ranks that an agent plays by, and how they follow from showdowns."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from tiltless.agents.permutation.hands import borda_order
from tiltless.cards.card import RANKS, Cards
from tiltless.cards.hand_order import permuted
from tiltless.permutation.orders import Orders
from tiltless.permutation.prior import Order, OrderRows

__all__ = ["HOWS", "IDENTITY", "Belief", "Beliefs", "Known", "Posterior"]

IDENTITY: Order = np.arange(len(RANKS), dtype=np.int8)
"""The order in which every rank counts as it is shown."""

HOWS = ("median", "borda", "likeliest", "identity")
"""Ways to play by a posterior: the Borda order before the flop and the order of median strength
after it; the Borda order; the likeliest order; shown ranks."""


class Belief(NamedTuple):
    """What to play by.

    order: that cards are renamed by.  samples: of the posterior, for the order of median strength
    after the flop; if there are none, ``order`` is used there too.  known: whether the order is as
    good as known.
    """

    order: Order
    samples: OrderRows
    known: bool = False


class Beliefs(Protocol):
    """An inference: showdowns in, a belief out."""

    def observe(self, cards_a: Cards, cards_b: Cards, board: Cards, result: int) -> None:
        """Learn from a showdown of shown cards: 1 if A won, -1 if B did, 0 for a tie."""
        ...

    def belief(self) -> Belief:
        """The belief after all showdowns so far."""
        ...


_NONE: OrderRows = np.empty((0, len(RANKS)), np.int8)


class Known:
    """An order that was told."""

    def __init__(self, ranks: str = RANKS) -> None:
        self._order = np.array(permuted(ranks).true_ranks, np.int8)

    def observe(self, cards_a: Cards, cards_b: Cards, board: Cards, result: int) -> None:
        """Nothing is left to learn."""

    def belief(self) -> Belief:
        """The order, known."""
        return Belief(self._order, _NONE, known=True)


class Posterior:
    """The exact posterior, played by in one of `HOWS`.

    samples: how many for a median.  certain: the entropy in bits from which the order counts as
    known, so that search may rely on it.
    """

    def __init__(
        self,
        how: str = "median",
        samples: int = 31,
        certain: float = 1.0,
        orders: Callable[[], Orders] = Orders,
    ) -> None:
        self.how, self.samples, self.certain = how, samples, certain
        self._orders = orders()
        self._belief: Belief | None = None

    def observe(self, cards_a: Cards, cards_b: Cards, board: Cards, result: int) -> None:
        """Add the showdown to the evidence."""
        self._orders.observe(cards_a, cards_b, board, result)
        self._belief = None

    def belief(self) -> Belief:
        """Computed once after each showdown."""
        if self._belief is None:
            self._belief = self._now()
        return self._belief

    def _now(self) -> Belief:
        orders = self._orders
        if self.how == "identity":
            return Belief(IDENTITY, _NONE)
        known = orders.exact and orders.entropy() <= self.certain
        if known or self.how == "likeliest":
            return Belief(orders.most_likely(), _NONE, known)
        samples = orders.samples(self.samples) if self.how == "median" else _NONE
        return Belief(borda_order(orders.mean_ranks()), samples)
