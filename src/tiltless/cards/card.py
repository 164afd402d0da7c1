"""Cards, the 1,326 combos of two hole cards, and their 169 classes.

A card is an integer, ``4 * rank + suit``: 2c = 0, 2d = 1, 2h = 2, 2s = 3, 3c = 4 … As = 51.
A combo is an integer too: cards ``low < high`` have index ``high * (high - 1) / 2 + low``, so 2d2c
is 0, 2h2c is 1, 2h2d is 2 and AsAh is 1325. A class is a cell of the 13 x 13 grid, numbered row by
row from the top left: AA is 0, AKs is 1, AKo is 13, 22 is 168; suited hands are above the diagonal.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.errors import CardError
from tiltless.validate import brief

__all__ = [
    "CLASS_COUNT",
    "CLASS_NAMES",
    "CLASS_OF_COMBO",
    "CLASS_SIZES",
    "COMBO_CARDS",
    "COMBO_COUNT",
    "COMBO_OF",
    "DECK_SIZE",
    "RANKS",
    "SUITS",
    "Cards",
    "card_text",
    "cards_text",
    "check_disjoint",
    "combo_index",
    "combo_text",
    "parse_card",
    "parse_cards",
]

RANKS = "23456789TJQKA"
SUITS = "cdhs"
DECK_SIZE = 52
COMBO_COUNT = 1326
CLASS_COUNT = 169

Cards = str | Iterable[int]
"""What functions accept as cards: text such as ``"AsKd"``, or card numbers."""

_CARD_TEXTS = tuple(rank + suit for rank in RANKS for suit in SUITS)
_CARD_NUMBERS = {text: number for number, text in enumerate(_CARD_TEXTS)}


def _combo_tables() -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int16]]:
    pairs = [(low, high) for high in range(DECK_SIZE) for low in range(high)]
    cards = np.array(pairs, dtype=np.uint8)
    index = np.full((DECK_SIZE, DECK_SIZE), -1, dtype=np.int16)
    index[cards[:, 0], cards[:, 1]] = index[cards[:, 1], cards[:, 0]] = np.arange(COMBO_COUNT)
    return cards, index


COMBO_CARDS, COMBO_OF = _combo_tables()
"""``COMBO_CARDS``: uint8 ``[1326, 2]``, low card first. ``COMBO_OF``: int16 ``[52, 52]``, the combo
of two cards in either order, -1 on the diagonal."""


def _class_tables() -> tuple[npt.NDArray[np.uint8], tuple[str, ...], npt.NDArray[np.uint8]]:
    rows = 12 - (COMBO_CARDS >> 2).astype(np.int64)
    high, low = rows[:, 1], rows[:, 0]  # row 0 is the ace
    suited = (COMBO_CARDS[:, 0] & 3) == (COMBO_CARDS[:, 1] & 3)
    classes = np.where(suited, 13 * high + low, 13 * low + high).astype(np.uint8)
    names = []
    for row in range(13):
        for column in range(13):
            first, second = RANKS[12 - min(row, column)], RANKS[12 - max(row, column)]
            names.append(first + second + ("" if row == column else "s" if row < column else "o"))
    return classes, tuple(names), np.bincount(classes, minlength=CLASS_COUNT).astype(np.uint8)


CLASS_OF_COMBO, CLASS_NAMES, CLASS_SIZES = _class_tables()
"""``CLASS_OF_COMBO``: uint8 ``[1326]``. ``CLASS_NAMES``: 169 names such as ``"AKs"``.
``CLASS_SIZES``: uint8 ``[169]``, 6 for pairs, 4 suited, 12 offsuit."""


def parse_card(text: str) -> int:
    """The number of one card: ``parse_card("As") == 51``; ``as`` and ``10s`` are accepted."""
    cards = parse_cards(text)
    if len(cards) != 1:
        raise CardError(f"{text!r} is not one card; write a rank and a suit, such as As or Td")
    return cards[0]


def parse_cards(cards: Cards) -> tuple[int, ...]:
    """Card numbers from text such as ``AsKd``, ``as kd``, ``As,Kd``, or from numbers.

    Ranks may be in either case and ten may be written ``10``. Unknown and duplicate cards raise
    `CardError`.
    """
    if isinstance(cards, str):
        numbers = _parse_text(cards)
    elif isinstance(cards, Iterable):
        numbers = [_checked_number(card) for card in cards]
    else:
        raise CardError(f"{brief(cards)} is not cards; give text such as 'AsKd', or card numbers")
    if len(set(numbers)) != len(numbers):
        twice = next(card for card in numbers if numbers.count(card) > 1)
        raise CardError(
            f"{card_text(twice)} appears twice in {brief(cards)}; each card exists once"
        )
    return tuple(numbers)


def _parse_text(text: str) -> list[int]:
    compact = "".join(text.replace(",", " ").split()).replace("10", "T")
    numbers = []
    for start in range(0, len(compact), 2):
        piece = compact[start : start + 2]
        number = _CARD_NUMBERS.get(piece[:1].upper() + piece[1:].lower())
        if number is None:
            raise CardError(
                f"{piece!r} in {brief(text)} is not a card; write rank then suit, such as As or Td "
                f"(ranks {RANKS}, suits {SUITS})"
            )
        numbers.append(number)
    return numbers


def _checked_number(card: Any) -> int:
    try:
        number = card.__index__()
    except AttributeError:
        raise CardError(f"{card!r} is not a card number; cards are 0 (2c) to 51 (As)") from None
    if not 0 <= number < DECK_SIZE:
        raise CardError(f"{number} is not a card number; cards are 0 (2c) to 51 (As)")
    return int(number)


def card_text(card: int) -> str:
    """``card_text(51) == "As"``."""
    return _CARD_TEXTS[_checked_number(card)]


def cards_text(cards: Iterable[int]) -> str:
    """Cards without separators, in the given order: ``"AsKd"``."""
    return "".join(card_text(card) for card in cards)


def combo_index(cards: Cards) -> int:
    """Index 0..1325 of two cards: ``combo_index("AsAh") == 1325``."""
    pair = parse_cards(cards)
    if len(pair) != 2:
        shown = cards_text(pair) or "nothing"
        raise CardError(f"{shown} is not a hand; write two cards such as AsKd")
    return int(COMBO_OF[pair[0], pair[1]])


def combo_text(combo: int) -> str:
    """Two cards, the high one first: ``combo_text(1325) == "AsAh"``."""
    if not 0 <= combo < COMBO_COUNT:
        raise CardError(f"{combo} is not a combo; combos are 0 (2d2c) to 1325 (AsAh)")
    low, high = COMBO_CARDS[combo]
    return card_text(high) + card_text(low)


def check_disjoint(**groups: Sequence[int]) -> None:
    """Raise `CardError` if a card is in two of the named groups: ``board=…, hand=…``."""
    owner: dict[int, str] = {}
    for name, cards in groups.items():
        group = name.replace("_", " ")
        for card in cards:
            if card in owner:
                raise CardError(
                    f"{card_text(card)} is in the {owner[card]} and in the {group}; "
                    "remove it from one of them"
                )
            owner[card] = group
