"""Buckets: the mapping from hands to rows of a table, and products of buckets.

Hole cards are private and the board is public, but both multiply the rows of a table in the same
way, so a feature of the board alone (`ColourBuckets`) is a set of buckets as well. The product of
two sets of buckets is index arithmetic: ``first * second.count + second``.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import CLASS_OF_COMBO, COMBO_COUNT, COMBO_OF
from tiltless.errors import ArrayError, OptionError
from tiltless.kernels.blueprint.playout import combo_buckets
from tiltless.validate import whole_number

__all__ = [
    "ONE_BUCKET",
    "PREFLOP_CLASSES",
    "Buckets",
    "ColourBuckets",
    "ComboBuckets",
    "ProductBuckets",
    "as_array",
    "board_sizes",
    "need_two_cards",
    "on_board",
    "product_of",
]

_MOST = 2**32


class Buckets(Protocol):
    """A mapping from the hands of a street to buckets; a policy has one row per bucket."""

    @property
    def count(self) -> int:
        """The number of buckets."""
        ...

    def fill(
        self, cards: npt.NDArray[np.uint8], street: int, bucket: npt.NDArray[np.uint32]
    ) -> None:
        """Write the bucket of each player to ``bucket[:, :, street]``.

        cards: uint8 `[hands, cards]`, the hole cards of player 0, of player 1 …, then the whole
            board: use only the cards that are dealt on the street.
        bucket: uint32 `[hands, players, streets]`.
        """
        ...


def as_array(name: str, values: npt.ArrayLike) -> npt.NDArray[Any]:
    """Array-like values as an array, or `ArrayError`."""
    try:
        return np.asarray(values)
    except ValueError:  # lists of different lengths
        raise ArrayError(f"{name} cannot be read as an array; give numbers in one row") from None


@dataclass(frozen=True, eq=False)
class ComboBuckets:
    """Buckets that depend only on the two hole cards; of_combo: the bucket of each combo."""

    count: int
    of_combo: npt.NDArray[np.integer]

    def __post_init__(self) -> None:
        whole_number("count", self.count, 1, _MOST)
        array = as_array("buckets of combos", self.of_combo)
        remedy = f"give {COMBO_COUNT} whole numbers from 0 to {self.count - 1}"
        if array.shape != (COMBO_COUNT,) or array.dtype.kind not in "iu":
            raise ArrayError(
                f"buckets of combos have shape {array.shape} and dtype {array.dtype}; {remedy}"
            )
        if array.min() < 0 or array.max() >= self.count:
            raise ArrayError(f"buckets of combos are {array.min()} to {array.max()}; {remedy}")
        # one dtype, so that kernels are compiled once
        object.__setattr__(self, "of_combo", array.astype(np.uint32))

    def fill(
        self, cards: npt.NDArray[np.uint8], street: int, bucket: npt.NDArray[np.uint32]
    ) -> None:
        """Look up the combos."""
        combo_buckets(cards, self.of_combo, COMBO_OF, street, bucket)


@dataclass(frozen=True)
class _OneBucket:
    """All hands in one bucket."""

    count: int = 1

    def fill(
        self, cards: npt.NDArray[np.uint8], street: int, bucket: npt.NDArray[np.uint32]
    ) -> None:
        """Every hand is in bucket 0."""
        bucket[:, :, street] = 0


ONE_BUCKET = _OneBucket()
"""Buckets of a policy that ignores the cards."""
PREFLOP_CLASSES = ComboBuckets(169, CLASS_OF_COMBO)
"""The 169 classes of starting hands."""


@dataclass(frozen=True)
class ColourBuckets:
    """1 if one particular card has one of some suits, else 0; the same for all players.

    column: the column of the card, see `Buckets.fill`.
    suits: a bit mask; bit 0 is clubs, then diamonds, hearts, spades.
    newest_of: the size of the board whose newest card it is, on a street that repeats; else 0.
    """

    column: int
    suits: int
    newest_of: int = 0
    count: int = field(default=2, init=False)

    def __post_init__(self) -> None:
        whole_number("column", self.column, 0, 51)
        whole_number("suits", self.suits, 0, 15)

    def fill(
        self, cards: npt.NDArray[np.uint8], street: int, bucket: npt.NDArray[np.uint32]
    ) -> None:
        """Test the suit of the card; 0 if the column does not exist."""
        if self.column < cards.shape[1]:
            suit = cards[:, self.column] & 3
            bucket[:, :, street] = (self.suits >> suit & 1)[:, None]
        else:
            bucket[:, :, street] = 0

    def on_board(self, cards: int) -> "ColourBuckets":
        """The newest card of a board of another size, if that is what the card is."""
        if not self.newest_of:
            return self
        return replace(self, column=self.column + cards - self.newest_of, newest_of=cards)


@dataclass(frozen=True)
class ProductBuckets:
    """The product of buckets: distinguishes what any part does; the last part varies fastest."""

    parts: tuple[Buckets, ...]

    def __post_init__(self) -> None:
        if self.count > _MOST:
            counts = " * ".join(str(part.count) for part in self.parts)
            raise OptionError(f"{counts} buckets are more than 2^32; use coarser ones")

    @property
    def count(self) -> int:
        """The number of buckets."""
        return prod(part.count for part in self.parts)

    def fill(
        self, cards: npt.NDArray[np.uint8], street: int, bucket: npt.NDArray[np.uint32]
    ) -> None:
        """Mixed radix: the buckets of the parts are the digits."""
        here = bucket[:, :, street]
        number = np.zeros(here.shape, dtype=np.uint32)
        for part in self.parts:
            part.fill(cards, street, bucket)
            most = int(here.max(initial=0))
            if most >= part.count:  # would overflow into the previous digit
                raise OptionError(
                    f"a {type(part).__name__} puts a hand into bucket {most} of street {street} "
                    f"and has a count of {part.count}; correct its fill or its count"
                )
            number *= np.uint32(part.count)
            number += here
        here[:] = number


def product_of(parts: Iterable[Buckets]) -> Buckets:
    """The product of some buckets, flattened, without parts that have only one bucket."""
    flat: list[Buckets] = []
    for part in parts:
        inner = part.parts if isinstance(part, ProductBuckets) else (part,)
        flat += (each for each in inner if each.count > 1)
    if not flat:
        return ONE_BUCKET
    return flat[0] if len(flat) == 1 else ProductBuckets(tuple(flat))


def need_two_cards(group: Buckets) -> bool:
    """Whether buckets require two hole cards per player.

    All do, except those that are known to ignore hole cards.
    """
    if isinstance(group, ProductBuckets):
        return any(map(need_two_cards, group.parts))
    return not isinstance(group, _OneBucket | ColourBuckets)


def board_sizes(group: Buckets) -> set[int]:
    """The numbers of board cards that buckets use; empty if the board does not matter.

    A size is ``board_cards`` of the buckets, of the ``standard`` ones that they wrap, or of the
    ``rule`` that they apply.
    """
    inner = (
        group.parts if isinstance(group, ProductBuckets) else (getattr(group, "standard", None),)
    )
    parts = [part for part in inner if part is not None]
    if parts:
        return set().union(*map(board_sizes, parts))
    size = getattr(group, "board_cards", getattr(getattr(group, "rule", None), "board_cards", 0))
    return {size} if size else set()


def on_board(group: Buckets, cards: int) -> Buckets:
    """The same buckets on a board of another size; themselves if they are not made for that.

    Streets that repeat have one set of buckets and boards of many sizes. Buckets that go along with
    them have a method ``on_board``.
    """
    if isinstance(group, ProductBuckets):
        parts = tuple(on_board(part, cards) for part in group.parts)
        changed = any(new is not old for new, old in zip(parts, group.parts, strict=True))
        return ProductBuckets(parts) if changed else group
    grown: Buckets = group.on_board(cards) if hasattr(group, "on_board") else group
    return grown
