"""Card abstraction: buckets for the hands of every street, with one fingerprint.

The primitive is ``abstraction.cards.buckets(board)``, the bucket of all 1,326 hands on a board,
computed on the fly from a few kilobytes of centroids. `tiltless.abstraction.cards.tables` stores
the same numbers in tables for training.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.bucketing import Bucketing
from tiltless.cards.card import Cards, combo_index, parse_cards
from tiltless.cards.hand_order import STANDARD, HandOrder
from tiltless.cards.isomorphism import SuitClasses
from tiltless.errors import CardError, OptionError
from tiltless.files.fingerprint import fingerprint
from tiltless.games.holdem.streets import STREETS

__all__ = ["BOARD_CARDS", "STREETS", "VERSION", "CardAbstraction", "street_name", "street_of"]

BOARD_CARDS = (0, 3, 4, 5)
"""Cards on the board of each street."""
_LONGEST_BOARD = 31  # four black cards and 26 red ones, then a black one
VERSION = 1
"""Version of the computation from board to bucket; part of every fingerprint, also of tables."""


def street_of(board_cards: int, streets: int = len(STREETS)) -> int:
    """0 to 3 for a board of 0, 3, 4 or 5 cards; in River of Blood 4 for 6 cards, and so on.

    streets: how many have buckets. If more than four, longer boards count as the last one.
    """
    if board_cards in BOARD_CARDS:
        return BOARD_CARDS.index(board_cards)
    if streets > len(STREETS) and BOARD_CARDS[-1] < board_cards <= _LONGEST_BOARD:
        return min(board_cards - 2, streets - 1)
    raise CardError(f"a board has 0, 3, 4 or 5 cards, not {board_cards}; deal a whole street")


def street_name(street: int) -> str:
    """``"turn"`` for 2; past the river, ``"run1"`` for 4."""
    return STREETS[street] if street < len(STREETS) else f"run{street - len(STREETS) + 1}"


@final
@dataclass(frozen=True, eq=False)
class CardAbstraction:
    """Buckets of the four streets, and of those after the river in River of Blood.

    name: of the preset, or chosen by the user.  streets: one entry for each street; the last one is
    for all further streets.  suits: the suits that may be exchanged without changing buckets; see
    `tiltless.cards.isomorphism`.  order: the order of hands, for reports.
    """

    name: str
    streets: tuple[Bucketing, ...]
    suits: SuitClasses = "all"
    order: HandOrder = STANDARD

    def __post_init__(self) -> None:
        if not isinstance(self.suits, str):
            object.__setattr__(self, "suits", tuple(self.suits))
        if len(self.streets) < len(STREETS):
            raise OptionError(f"{len(self.streets)} streets have buckets; give at least four")

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of buckets of each street."""
        return tuple(street.count for street in self.streets)

    @property
    def text(self) -> str:
        """The buckets of each street, in one line."""
        return ", ".join(street.text for street in self.streets)

    @cached_property
    def fingerprint(self) -> str:
        """Equal for abstractions with the same rules, which put every hand into the same bucket."""
        streets = [street.definition for street in self.streets]
        return fingerprint("cards", VERSION, self.suits, streets)

    def buckets(self, board: Cards | npt.NDArray[np.uint8] = ()) -> npt.NDArray[np.integer]:
        """The bucket of every hand, uint16 (or uint32) ``[1326]``; 0 for blocked hands.

        board: in dealing order, the newest card last.
        ``abstraction.cards.buckets("Ks7d2c")[combo_index("AsKd")]``
        """
        cards = np.array(parse_cards(board), np.uint8)
        return self.streets[street_of(len(cards), len(self.streets))].buckets(cards)

    def bucket(self, hand: Cards, board: Cards = ()) -> int:
        """The bucket of one hand."""
        both = parse_cards([*parse_cards(hand), *parse_cards(board)])
        return int(self.buckets(both[2:])[combo_index(both[:2])])
