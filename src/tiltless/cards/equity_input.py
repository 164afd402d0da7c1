"""Validated input of equity functions: the players' ranges, the board and dead cards."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import COMBO_CARDS, COMBO_COUNT, COMBO_OF, Cards, check_disjoint
from tiltless.cards.card import parse_cards as parse
from tiltless.cards.hand_order import HandOrder, hand_tables
from tiltless.cards.ranges import Range
from tiltless.cards.runouts import runouts
from tiltless.cards.suits import suit_classes
from tiltless.errors import CardError, RangeError
from tiltless.kernels.cards.evaluate import HandTables
from tiltless.validate import shortened

__all__ = ["EquityInput", "Hand", "as_range", "disjoint"]

BOARD_SIZES = (0, 3, 4, 5)
"""Number of board cards before the flop, on the flop, on the turn and on the river."""
Hand = str | Range | Sequence[int]
"""A player's cards: a `Range`, its text (``"QQ+,AKs"``, ``"AsAh"``), or two card numbers."""


def as_range(hand: Hand) -> Range:
    """A `Range` from any form of a player's cards; see `Hand`."""
    if isinstance(hand, Range):
        return hand
    if isinstance(hand, str):
        return Range(hand)
    cards = parse(hand)
    if len(cards) != 2:
        raise CardError(f"{len(cards)} cards are not a hand; give two, or a range")
    weights = np.zeros(COMBO_COUNT)
    weights[COMBO_OF[cards[0], cards[1]]] = 1.0
    return Range.from_weights(weights)


def disjoint(first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Which pairs of combos share no card, bool ``[n1, n2]``."""
    one, two = COMBO_CARDS[first], COMBO_CARDS[second]
    apart: npt.NDArray[np.bool_] = (one[:, None, :, None] != two[None, :, None, :]).all(axis=(2, 3))
    return apart


@dataclass(frozen=True)
class EquityInput:
    """Validated input of every equity function.

    ranges: without the combos that the board or the cards out of play block; none is empty.
    board: 0, 3, 4 or 5 cards.  gone: cards out of play, ascending.
    """

    ranges: tuple[Range, ...]
    board: tuple[int, ...]
    gone: tuple[int, ...]
    order: HandOrder

    @classmethod
    def prepare(
        cls, players: Sequence[Hand], board: Cards, dead: Cards, order: HandOrder
    ) -> "EquityInput":
        """Parse and check the arguments of an equity function."""
        cards, named = parse(board), parse(dead)
        check_disjoint(board=cards, dead_cards=named)
        if len(cards) not in BOARD_SIZES:
            raise CardError(
                f"the board has {len(cards)} card{'s' * (len(cards) != 1)}; give none, or 3, 4 or 5"
            )
        if any(card < 4 * order.lowest for card in cards):
            raise CardError("the board has a card below six; a short deck starts at 6c")
        gone = tuple(sorted({*named, *range(4 * order.lowest)}))
        ranges = []
        for number, player in enumerate(players, start=1):
            given = as_range(player)
            left = given.without((*cards, *gone))
            if not len(left):
                raise RangeError(
                    f"player {number} ({shortened(str(given))}) has no hand left: every combo is "
                    "blocked by the board or dead cards; remove a card or widen the range"
                )
            ranges.append(left)
        return cls(tuple(ranges), cards, gone, order)

    @property
    def tables(self) -> HandTables:
        """Hand evaluation tables for the kernels."""
        return hand_tables(self.order)

    @cached_property
    def suits(self) -> tuple[int, int, int, int]:
        """The class of each suit; suits of one class may be swapped without changing the spot."""
        return suit_classes([r.weights for r in self.ranges], [self.board, self.gone])

    def runouts(
        self, held: Sequence[int] = ()
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float64]]:
        """Final boards up to swaps of suits, without the cards ``held``, and their weights."""
        return runouts(self.board, (*self.gone, *held), self.suits)

    def board_count(self, hands: int) -> int:
        """Number of final boards that share no card with ``hands`` known hands."""
        left = 52 - len(self.board) - len(self.gone) - 2 * hands
        return comb(left, 5 - len(self.board)) if left >= 0 else 0
