"""Suit symmetry: which suits are interchangeable, given ranges and cards."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import permutations

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import COMBO_CARDS, COMBO_COUNT, COMBO_OF, Cards, parse_cards
from tiltless.errors import ArrayError

__all__ = ["suit_classes", "suit_images", "swap_combos"]


def _swap_tables() -> dict[tuple[int, int], npt.NDArray[np.int64]]:
    tables = {}
    for one in range(4):
        for two in range(one):
            suit = np.arange(4)
            suit[one], suit[two] = two, one
            cards = (COMBO_CARDS & 0xFC) | suit[COMBO_CARDS & 3]
            tables[one, two] = COMBO_OF[cards[:, 0], cards[:, 1]].astype(np.int64)
    return tables


_SWAPS = _swap_tables()
_MOVED = {  # (combos, their images), each pair of combos once
    suits: (here := np.flatnonzero(np.arange(COMBO_COUNT) < there), there[here])
    for suits, there in _SWAPS.items()
}


@lru_cache(maxsize=16)
def suit_images(alike: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The permutations of suits within their classes.  alike: the class of each suit."""
    return tuple(
        image
        for image in permutations(range(4))
        if all(alike[image[suit]] == alike[suit] for suit in range(4))
    )


def swap_combos(one: int, two: int) -> npt.NDArray[np.int64]:
    """The image of each combo when two suits (0 c, 1 d, 2 h, 3 s) are swapped, int64 ``[1326]``."""
    return _SWAPS[max(one, two), min(one, two)].copy()


def suit_classes(
    weights: Iterable[npt.NDArray[np.floating]], card_sets: Iterable[Cards] = ()
) -> tuple[int, int, int, int]:
    """The class of each suit c, d, h, s: suits of one class are interchangeable.

    Two suits are in one class if swapping them leaves every weight vector (``[1326]`` each) and
    every set of cards unchanged; swaps compose, so all permutations within the classes then do.
    Classes are numbered by first appearance: ``(0, 0, 0, 0)`` if all suits are interchangeable,
    ``(0, 1, 2, 3)`` if none are, ``(0, 0, 1, 2)`` for class-wise ranges on the board KhQh2s.
    """
    vectors = []
    for vector in weights:
        if vector.shape != (COMBO_COUNT,):
            raise ArrayError(
                f"weights have shape {vector.shape}; give one per combo, shape (1326,)"
            )
        vectors.append(vector)
    ranks: list[list[int]] = [[], [], [], []]
    for cards in card_sets:
        held = [0, 0, 0, 0]  # one bit per rank
        for card in parse_cards(cards):
            held[card & 3] |= 1 << (card >> 2)
        for suit in range(4):
            ranks[suit].append(held[suit])

    def alike(one: int, two: int) -> bool:
        if ranks[one] != ranks[two]:
            return False
        here, there = _MOVED[one, two]
        return all(bool((vector[here] == vector[there]).all()) for vector in vectors)

    classes: list[int] = []
    firsts: list[int] = []  # the first suit of each class
    for suit in range(4):
        for number, first in enumerate(firsts):
            if alike(suit, first):
                classes.append(number)
                break
        else:
            classes.append(len(firsts))
            firsts.append(suit)
    return classes[0], classes[1], classes[2], classes[3]
