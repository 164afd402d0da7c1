"""Card abstraction: buckets for the hands of every street, with one fingerprint.

The primitive is ``abstraction.cards.buckets(board)``, the bucket of all 1,326 hands on a board,
computed on the fly from a few kilobytes of centroids. `tiltless.abstraction.cards.tables` keeps the
same numbers in tables for training.
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
"""Of everything between a board and a bucket; part of every fingerprint, of tables too."""


def street_of(board_cards: int, streets: int = len(STREETS)) -> int:
    """0 to 3 for a board of 0, 3, 4 or 5 cards; where boards run on, 4 for 6 cards, and so forth.

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
    """Buckets of the four streets, and of those after the river where boards run on.

    name: of the preset, or the user's own.  streets: one for each street; past the last, that one
    goes on.  suits: which suits may be exchanged without a change of buckets; see
    `tiltless.cards.isomorphism`.  order: which hand beats which, for reports.
    """

    name: str
    streets: tuple[Bucketing, ...]
    suits: SuitClasses = "all"
    order: HandOrder = STANDARD

    def __post_init__(self) -> None:
        if not isinstance(self.suits, str):
            object.__setattr__(self, "suits", tuple(self.suits))
        if len(self.streets) < len(STREETS):
            raise OptionError(f"{len(self.streets)} streets have buckets; give four")

    @property
    def counts(self) -> tuple[int, ...]:
        """Buckets of each street."""
        return tuple(street.count for street in self.streets)

    @property
    def text(self) -> str:
        """What each street is made of, in a line."""
        return ", ".join(street.text for street in self.streets)

    @cached_property
    def fingerprint(self) -> str:
        """Equal for abstractions that put every hand into the same bucket by the same rule."""
        streets = [street.definition for street in self.streets]
        return fingerprint("cards", VERSION, self.suits, streets)

    def buckets(self, board: Cards | npt.NDArray[np.uint8] = ()) -> npt.NDArray[np.integer]:
        """The bucket of every hand, uint16 (or uint32) ``[1326]``; 0 for hands the board blocks.

        board: as it was dealt, the newest card last.
        ``abstraction.cards.buckets("Ks7d2c")[combo_index("AsKd")]``
        """
        cards = np.array(parse_cards(board), np.uint8)
        return self.streets[street_of(len(cards), len(self.streets))].buckets(cards)

    def bucket(self, hand: Cards, board: Cards = ()) -> int:
        """The bucket of one hand."""
        both = parse_cards([*parse_cards(hand), *parse_cards(board)])
        return int(self.buckets(both[2:])[combo_index(both[:2])])
