"""Buckets: how the hands of a street fall into rows of a table, and products of buckets.

What a player holds is private, what lies on the board is not; both multiply the rows of a table in
the same way, so a feature of the board alone (`ColourBuckets`) is a set of buckets as well. The
product of two sets of buckets is index arithmetic: ``first * second.count + second``.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
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
    "product_of",
]

_MOST = 2**32


class Buckets(Protocol):
    """How the hands of a street fall into buckets; the rows of a policy are one for each."""

    @property
    def count(self) -> int:
        """How many buckets there are."""
        ...

    def fill(
        self, cards: npt.NDArray[np.uint8], street: int, bucket: npt.NDArray[np.uint32]
    ) -> None:
        """Write the bucket of each player to ``bucket[:, :, street]``.

        cards: uint8 `[hands, cards]`, the hole cards of player 0, of player 1 …, then the board,
            all of it: look only at what is there on the street.
        bucket: uint32 `[hands, players, streets]`.
        """
        ...


def as_array(name: str, given: npt.ArrayLike) -> npt.NDArray[Any]:
    """Anything that looks like an array, or `ArrayError`."""
    try:
        return np.asarray(given)
    except ValueError:  # lists of different lengths
        raise ArrayError(f"{name} cannot be read as an array; give numbers in one row") from None


@dataclass(frozen=True, eq=False)
class ComboBuckets:
    """Buckets that depend on the two hole cards alone; of_combo: the bucket of each combo."""

    count: int
    of_combo: npt.NDArray[np.integer]

    def __post_init__(self) -> None:
        whole_number("count", self.count, 1, _MOST)
        given = as_array("buckets of combos", self.of_combo)
        remedy = f"give {COMBO_COUNT} whole numbers from 0 to {self.count - 1}"
        if given.shape != (COMBO_COUNT,) or given.dtype.kind not in "iu":
            raise ArrayError(
                f"buckets of combos have shape {given.shape} and dtype {given.dtype}; {remedy}"
            )
        if given.min() < 0 or given.max() >= self.count:
            raise ArrayError(f"buckets of combos are {given.min()} to {given.max()}; {remedy}")
        # one type, so that kernels are compiled once
        object.__setattr__(self, "of_combo", given.astype(np.uint32))

    def fill(
        self, cards: npt.NDArray[np.uint8], street: int, bucket: npt.NDArray[np.uint32]
    ) -> None:
        """Look up the combos."""
        combo_buckets(cards, self.of_combo, COMBO_OF, street, bucket)


@dataclass(frozen=True)
class _OneBucket:
    """All hands alike."""

    count: int = 1

    def fill(
        self, cards: npt.NDArray[np.uint8], street: int, bucket: npt.NDArray[np.uint32]
    ) -> None:
        """Every hand is in bucket 0."""
        bucket[:, :, street] = 0


ONE_BUCKET = _OneBucket()
"""The policy does not look at the cards."""
PREFLOP_CLASSES = ComboBuckets(169, CLASS_OF_COMBO)
"""The 169 classes of starting hands."""


@dataclass(frozen=True)
class ColourBuckets:
    """1 where a certain card has one of certain suits, else 0: the same for all players.

    column: where the card lies in a row of cards, see `Buckets.fill`.
    suits: a bit mask; bit 0 is clubs, then diamonds, hearts, spades.
    """

    column: int
    suits: int
    count: int = field(default=2, init=False)

    def __post_init__(self) -> None:
        whole_number("column", self.column, 0, 51)
        whole_number("suits", self.suits, 0, 15)

    def fill(
        self, cards: npt.NDArray[np.uint8], street: int, bucket: npt.NDArray[np.uint32]
    ) -> None:
        """Look at the suits; a card that no hand has got to is not one of them."""
        if self.column < cards.shape[1]:
            suit = cards[:, self.column] & 3
            bucket[:, :, street] = (self.suits >> suit & 1)[:, None]
        else:
            bucket[:, :, street] = 0


@dataclass(frozen=True)
class ProductBuckets:
    """Tells hands apart that any of its parts tells apart; the last part counts fastest."""

    parts: tuple[Buckets, ...]

    def __post_init__(self) -> None:
        if self.count > _MOST:
            counts = " * ".join(str(part.count) for part in self.parts)
            raise OptionError(f"{counts} buckets are more than 2^32; take coarser ones")

    @property
    def count(self) -> int:
        """How many buckets there are."""
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
            if most >= part.count:  # would run into the digit before
                raise OptionError(
                    f"a {type(part).__name__} puts a hand into bucket {most} of street {street} "
                    f"and has a count of {part.count}; correct its fill or its count"
                )
            number *= np.uint32(part.count)
            number += here
        here[:] = number


def product_of(parts: Iterable[Buckets]) -> Buckets:
    """The product of some buckets: flat, without those that tell nothing apart."""
    flat: list[Buckets] = []
    for part in parts:
        inner = part.parts if isinstance(part, ProductBuckets) else (part,)
        flat += (each for each in inner if each.count > 1)
    if not flat:
        return ONE_BUCKET
    return flat[0] if len(flat) == 1 else ProductBuckets(tuple(flat))


def need_two_cards(group: Buckets) -> bool:
    """Whether buckets make sense only where players have two hole cards each.

    All do, but for those that are known to look at no hole cards.
    """
    if isinstance(group, ProductBuckets):
        return any(map(need_two_cards, group.parts))
    return not isinstance(group, _OneBucket | ColourBuckets)


def board_sizes(group: Buckets) -> set[int]:
    """How many board cards buckets look at; empty where the board does not matter.

    A size is ``board_cards`` of the buckets, of the ``standard`` ones that they stand for, or of
    the ``rule`` that they carry out.
    """
    inner = (
        group.parts if isinstance(group, ProductBuckets) else (getattr(group, "standard", None),)
    )
    parts = [part for part in inner if part is not None]
    if parts:
        return set().union(*map(board_sizes, parts))
    given = getattr(group, "board_cards", getattr(getattr(group, "rule", None), "board_cards", 0))
    return {given} if given else set()
