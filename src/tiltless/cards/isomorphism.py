"""Suit isomorphism: dense indices of canonical hands, which are equal up to renaming suits.

There are two ways to count. With the *streets apart*, a hand remembers which cards were dealt on
the flop, turn and river: 169, 1,286,792, 55,190,538 and 2,428,287,420 canonical hands. With the
*board as one set* it does not: 169, 1,286,792, 13,960,050 and 123,156,254. In general a hand is a
sequence of groups of cards, unordered within a group, and a layout is the sizes of the groups:
``(2, 3, 1, 1)`` and ``(2, 5)`` on the river.

Which suits may be exchanged is a parameter: all four, or only those of one class. A game that
distinguishes red from black has 4 symmetries instead of 24, and 507 canonical hands preflop.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from operator import index as as_integer
from typing import Any, final

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import SUITS, Cards, cards_text, parse_cards
from tiltless.errors import ArrayError, CardError, OptionError
from tiltless.kernels.cards.isomorphism import (
    MAX_CARDS,
    MAX_GROUPS,
    IsomorphismTables,
    index_hands,
    isomorphism_tables,
    measure_orbits,
    unindex_hands,
)

__all__ = [
    "SUIT_CLASSES",
    "Isomorphism",
    "SuitClasses",
    "board_as_one_set",
    "canonical_boards",
    "isomorphism",
    "streets_apart",
]

SuitClasses = str | Iterable[str]
"""Suits that may be exchanged: a name of `SUIT_CLASSES`, or classes such as ``("cs", "dh")``."""

SUIT_CLASSES = {"all": ("cdhs",), "red-black": ("cs", "dh")}

_STREETS = {0: (), 3: (3,), 4: (3, 1), 5: (3, 1, 1)}


@final
@dataclass(frozen=True, eq=False, slots=True)
class Isomorphism:
    """The canonical hands of one layout, numbered 0 to ``size - 1``; created by `isomorphism`.

    Cards are given group by group, hole cards first, in any order within a group. Two hands have
    the same index if and only if a permutation of suits within their classes makes them equal.
    """

    groups: tuple[int, ...]
    """Cards in each group, ``(2, 3, 1, 1)`` for hole, flop, turn and river."""
    suits: tuple[str, ...]
    """Classes of suits that may be exchanged, ``("cs", "dh")`` for black and red."""
    size: int
    """The number of canonical hands."""
    tables: IsomorphismTables = field(repr=False)
    """For `index_hand` and `unindex_hand` inside other kernels."""

    def index(self, cards: Cards) -> int:
        """Index of one hand: ``isomorphism((2, 3)).index("AsKs Qs7d7c")``."""
        return int(self.index_many(self._hand(cards))[0])

    def index_many(self, cards: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
        """Indices, uint64 ``[n]``, of hands, uint8 ``[n, k]``."""
        width = sum(self.groups)
        if not isinstance(cards, np.ndarray) or cards.dtype != np.uint8:
            kind = cards.dtype if isinstance(cards, np.ndarray) else type(cards).__name__
            raise ArrayError(f"cards are {kind}; give an array of uint8")
        if cards.ndim != 2 or cards.shape[1] != width:
            raise ArrayError(
                f"cards have shape {cards.shape}; the layout {self._layout} needs (n, {width})"
            )
        out = np.empty(len(cards), np.uint64)
        row = int(index_hands(np.ascontiguousarray(cards).reshape(-1), self.tables, out))
        if row < len(cards):
            try:
                parse_cards(cards[row].tolist())
            except CardError as error:
                raise CardError(f"row {row}: {error}") from None
        return out

    def unindex(self, index: int) -> tuple[int, ...]:
        """The canonical hand with this index, each group ascending."""
        return tuple(self.unindex_many(self._one(index))[0].tolist())

    def unindex_many(self, indices: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.uint8]:
        """Canonical hands, uint8 ``[n, k]``, of indices, ``[n]`` of any integer type."""
        checked = self._checked(indices)
        cards = np.empty((len(checked), sum(self.groups)), np.uint8)
        unindex_hands(checked, self.tables, cards.reshape(-1))
        return cards

    def canonical(self, cards: Cards) -> tuple[int, ...]:
        """The representative of all hands with the same index as this one."""
        return tuple(self.unindex_many(self.index_many(self._hand(cards)))[0].tolist())

    def orbit_size(self, index: int) -> int:
        """How many hands have this index, with groups as sets: 6 for aces, 4 for AKs."""
        return int(self.orbit_sizes(self._one(index))[0])

    def orbit_sizes(self, indices: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.uint32]:
        """How many hands have each index, uint32 ``[n]``; indices as for `unindex_many`."""
        checked = self._checked(indices)
        out = np.empty(len(checked), np.uint32)
        measure_orbits(checked, self.tables, np.empty(sum(self.groups), np.uint8), out)
        return out

    @property
    def _layout(self) -> str:
        return "+".join(map(str, self.groups))

    def _hand(self, cards: Cards) -> npt.NDArray[np.uint8]:
        hand = parse_cards(cards)
        if len(hand) != sum(self.groups):
            raise CardError(
                f"{cards_text(hand) or 'nothing'} has {len(hand)} cards; "
                f"the layout {self._layout} needs {sum(self.groups)}"
            )
        return np.array([hand], np.uint8)

    def _one(self, index: int) -> npt.NDArray[np.uint64]:
        try:
            number = as_integer(index)
        except TypeError:
            raise OptionError(f"{index!r} is not an index; give an integer") from None
        self._check_range(number)
        return np.array([number], np.uint64)

    def _checked(self, indices: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.uint64]:
        if not isinstance(indices, np.ndarray) or indices.dtype.kind not in "iu":
            kind = indices.dtype if isinstance(indices, np.ndarray) else type(indices).__name__
            raise ArrayError(f"indices are {kind}; give an array of integers")
        if indices.ndim != 1:
            raise ArrayError(f"indices have shape {indices.shape}; give one dimension")
        if len(indices):
            self._check_range(int(indices.min()))
            self._check_range(int(indices.max()))
        return np.ascontiguousarray(indices, np.uint64)

    def _check_range(self, index: int) -> None:
        if not 0 <= index < self.size:
            raise OptionError(
                f"index {index} is not a canonical hand; "
                f"the layout {self._layout} has 0 to {self.size - 1}"
            )


def isomorphism(groups: Iterable[int], suits: SuitClasses = "all") -> Isomorphism:
    """The canonical hands of a layout, built once: at most 4 groups and 7 cards.

    ``isomorphism((2, 3, 1, 1)).size == 2_428_287_420``;
    ``isomorphism((2, 5), "red-black").size == 714_497_264``.
    """
    return _isomorphism(_checked_groups(groups), _checked_classes(suits))


def streets_apart(board_cards: int, suits: SuitClasses = "all") -> Isomorphism:
    """Canonical hands that remember their streets, with 0, 3, 4 or 5 cards on the board."""
    return isomorphism((2, *_checked_street(board_cards)), suits)


def board_as_one_set(board_cards: int, suits: SuitClasses = "all") -> Isomorphism:
    """Canonical hands that forget their streets, with 0, 3, 4 or 5 cards on the board."""
    board = sum(_checked_street(board_cards))
    return isomorphism((2, board) if board else (2,), suits)


def canonical_boards(
    board_cards: int, suits: SuitClasses = "all"
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint32]]:
    """All canonical boards of n cards, uint8 ``[m, n]``, and their weights, uint32 ``[m]``.

    The weight is how many boards a row stands for; weights sum to C(52, n). Row i has index i in
    ``isomorphism((n,), suits)``. There are 1,755 flops, 16,432 boards of four cards and 134,459 of
    five.
    """
    boards = isomorphism((board_cards,), suits)
    indices = np.arange(boards.size, dtype=np.uint64)
    return boards.unindex_many(indices), boards.orbit_sizes(indices)


@cache
def _isomorphism(groups: tuple[int, ...], suits: tuple[str, ...]) -> Isomorphism:
    classes = tuple(next(i for i, held in enumerate(suits) if suit in held) for suit in SUITS)
    tables = isomorphism_tables(groups, classes)
    return Isomorphism(groups, suits, int(tables.offsets[-1]), tables)


def _checked_groups(groups: Iterable[int]) -> tuple[int, ...]:
    try:
        sizes = tuple(as_integer(size) for size in groups)
    except TypeError:
        raise OptionError(f"groups are {groups!r}; give sizes such as (2, 3, 1, 1)") from None
    if not 1 <= len(sizes) <= MAX_GROUPS or min(sizes) < 1 or sum(sizes) > MAX_CARDS:
        raise OptionError(
            f"groups are {sizes}; give 1 to {MAX_GROUPS} groups of at least one card, "
            f"at most {MAX_CARDS} cards in total"
        )
    return sizes


def _checked_classes(suits: SuitClasses) -> tuple[str, ...]:
    """Classes in a normal form, so that each partition has one spelling."""
    classes: tuple[str, ...] = ()
    if isinstance(suits, str):
        classes = SUIT_CLASSES.get(suits, ())
    elif isinstance(suits, Iterable):
        classes = tuple(suits)
    texts = all(isinstance(held, str) and held for held in classes)
    if not texts or sorted("".join(classes)) != [*SUITS]:
        raise OptionError(
            f"suits are {suits!r}; give {' or '.join(map(repr, SUIT_CLASSES))}, "
            f"or classes that contain each of {SUITS} once, such as ('cs', 'dh')"
        )
    return tuple(sorted("".join(sorted(held)) for held in classes))


def _checked_street(board_cards: int) -> tuple[int, ...]:
    if board_cards not in _STREETS:
        raise OptionError(f"a board has 0, 3, 4 or 5 cards, not {board_cards!r}")
    return _STREETS[board_cards]
