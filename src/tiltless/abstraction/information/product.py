"""Products of features: ``A * B`` distinguishes whatever ``A`` or ``B`` distinguishes.

An abstraction is a product of features. Products are flat, keep the order in which they were
written and hold each feature once, so that these are equal as values:

    A * ONE == ONE * A == A        A * (B * C) == (A * B) * C        A * A == A

``A * B`` and ``B * A`` are two ways to write the same: they put the same situations into the same
classes. Classes of the bets have the same numbers and keys in either order; buckets of the cards
are equal up to renaming, since the last factor counts fastest. ``A * B`` refines A and B
(`refines`), and is the coarsest abstraction that does.

Features of the bets (`PublicFeature`) become class numbers of decisions, or 64-bit keys where a
tree is too large to lay out. Features of the cards (`CardFeature`), hole cards and board,
become buckets. `tiltless.blueprint.information` compiles both into a betting tree, where the
product is index arithmetic and costs nothing.

Idea: EP White, "algebraic abstractions", MIT Pokerbots 2023.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from hashlib import blake2b
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.buckets import Buckets, product_of
from tiltless.abstraction.information.columns import DecisionColumns, Integers
from tiltless.errors import ArrayError
from tiltless.kernels.blueprint.history_hash import HAND, next_words

__all__ = [
    "ONE",
    "Abstraction",
    "CardFeature",
    "Feature",
    "Product",
    "PublicFeature",
    "Seen",
    "classes_of",
    "refines",
]

_SMALL = 1 << 16


class Abstraction(ABC):
    """Some features, multiplied; made by ``*``."""

    @property
    @abstractmethod
    def factors(self) -> tuple["Feature", ...]:
        """The features, each once, in the order in which they were written."""

    def __mul__(self, other: object) -> "Abstraction":
        """What tells situations apart that either tells apart."""
        if not isinstance(other, Abstraction):
            return NotImplemented
        factors = tuple(dict.fromkeys(self.factors + other.factors))
        return factors[0] if len(factors) == 1 else Product(factors)

    @property
    def public(self) -> tuple["PublicFeature", ...]:
        """The features of the bets."""
        return tuple(each for each in self.factors if isinstance(each, PublicFeature))

    @property
    def cards(self) -> tuple["CardFeature", ...]:
        """The features of the cards."""
        return tuple(each for each in self.factors if isinstance(each, CardFeature))

    def classes(self, situations: DecisionColumns) -> npt.NDArray[np.int64]:
        """The class of each situation, numbered in order of appearance; cards left out."""
        columns = [each.values(situations) for each in self.public]
        return classes_of(len(situations.street), columns)

    def keys(self, situations: DecisionColumns) -> npt.NDArray[np.uint64]:
        """A word for the class of each situation; cards left out.

        Unlike `classes`, a key does not depend on the other situations, so that keys can be made
        one by one where there are too many. See `tiltless.kernels.blueprint.history_hash` for
        collisions.
        """
        word = np.full(len(situations.street), HAND)
        for feature in sorted(self.public, key=str):
            name = blake2b(str(feature).encode(), digest_size=8).digest()
            word = next_words(word, np.uint64(int.from_bytes(name, "little")))
            word = next_words(word, feature.values(situations).astype(np.uint64))
        return np.asarray(word, dtype=np.uint64)

    def buckets(self, seen: "Seen") -> Buckets:
        """The buckets of one street."""
        return product_of(each.on(seen) for each in self.cards)


@dataclass(frozen=True)
class Product(Abstraction):
    """Several features, or none at all (`ONE`)."""

    parts: tuple["Feature", ...]

    @property
    def factors(self) -> tuple["Feature", ...]:
        """The features."""
        return self.parts

    def __str__(self) -> str:
        """``"street * seat * pot(20)"``."""
        return " * ".join(map(str, self.parts)) or "1"


ONE = Product(())
"""Tells nothing apart: the identity."""


class Feature(Abstraction):
    """One thing to look at; frozen dataclasses, so equal features are one factor."""

    name: ClassVar[str]

    @property
    def factors(self) -> tuple["Feature", ...]:
        """A feature is a product of one."""
        return (self,)

    def __str__(self) -> str:
        """``"pot(20)"``: the text under which keys know the feature."""
        given = [getattr(self, each.name) for each in fields(self)]  # type: ignore[arg-type]
        words = [
            ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
            for value in given
        ]
        return f"{self.name}({', '.join(words)})" if words else self.name


class PublicFeature(Feature):
    """A feature of the bets."""

    @abstractmethod
    def values(self, situations: DecisionColumns) -> Integers:
        """A number for each situation, not below 0; what has the same number is alike."""


class Seen(NamedTuple):
    """The public situation on one street.

    hole: hole cards of each player.  board: board cards, or None on a street that repeats, where
    it may be any number of them, ``least`` or more.
    """

    street: int
    players: int
    hole: int
    board: int | None
    least: int = 0

    @property
    def newest(self) -> int | None:
        """The column of the newest board card in a row of cards, see `Buckets.fill`, or None."""
        return self.players * self.hole + self.board - 1 if self.board else None


class CardFeature(Feature):
    """A feature of the cards that a player sees: hole cards and board."""

    @abstractmethod
    def on(self, seen: Seen) -> Buckets:
        """The buckets of one street."""


def classes_of(length: int, columns: list[Integers]) -> npt.NDArray[np.int64]:
    """Rows of ``columns`` that are equal have the same number, in order of appearance."""
    merged: npt.NDArray[np.int64] = np.zeros(length, dtype=np.int64)
    count = 1
    for column in columns:
        codes, several = _codes(column)
        if several == 1:
            continue
        merged *= several  # both below the length or 2^16: no overflow
        merged += codes
        merged, count = _codes(merged) if count > 1 else (merged, several)
    _, first, merged = np.unique(merged, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[merged]


def _codes(column: Integers) -> tuple[npt.NDArray[np.int64], int]:
    """Numbers from 0 that are equal where those of the column are, and a bound of them."""
    if len(column) and int(column.min()) >= 0 and int(column.max()) < _SMALL:
        return column.astype(np.int64), int(column.max()) + 1
    found, codes = np.unique(column, return_inverse=True)
    return codes.astype(np.int64), len(found)


def refines(fine: npt.ArrayLike, coarse: npt.ArrayLike) -> bool:
    """Whether each class of ``fine`` is contained in one class of ``coarse``.

    Both hold the class of each of the same situations: class numbers or keys.
    """
    finer, coarser = np.asarray(fine), np.asarray(coarse)
    if finer.ndim != 1 or finer.shape != coarser.shape:
        raise ArrayError(
            f"classes of shapes {finer.shape} and {coarser.shape} cannot be compared; "
            "give those of the same situations, in one row each"
        )
    both = classes_of(len(finer), [finer, coarser])
    return len(np.unique(both)) == len(np.unique(finer))
