"""Public features: functions of the betting and the board that information products combine.

>>> from tiltless.abstraction.information.features import pot, seat, street
>>> print(street * seat * pot(20))
street * seat * pot(20)
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.buckets import ONE_BUCKET, Buckets, ColourBuckets, board_sizes
from tiltless.abstraction.information.columns import DecisionColumns, Integers
from tiltless.abstraction.information.product import CardFeature, PublicFeature, Seen
from tiltless.cards.card import SUITS
from tiltless.errors import OptionError
from tiltless.validate import brief, one_of, whole_number

__all__ = [
    "ODDS",
    "actions",
    "buckets",
    "cards",
    "colour",
    "history",
    "last_action",
    "pot",
    "pot_odds",
    "raises",
    "seat",
    "street",
]

_FINEST = 1000

ODDS = (Fraction(1, 6), Fraction(1, 4), Fraction(1, 3), Fraction(2, 5), Fraction(4, 9))
"""Edges of six bins of pot odds. A call of a bet of f pots has odds of f / (1 + 2f), so they part
bets below 1/4, 1/2, 1, 2 and 4 pots from larger ones, and 1/2 is never reached.

Source: libratus fan club, MIT Pokerbots 2020."""


@dataclass(frozen=True)
class _Column(PublicFeature):
    """A column of the situations as it is."""

    column: str

    def values(self, situations: DecisionColumns) -> Integers:
        found: Integers = getattr(situations, self.column)
        return found

    def __str__(self) -> str:
        return _NAMES[self.column]


_NAMES = {
    "street": "street",
    "seat": "seat",
    "last": "last_action",
    "raises": "raises",
    "slots": "actions",
    "history": "history(hand)",
    "street_history": "history(street)",
}

street = _Column("street")
"""The number of the street; all streets that repeat are one."""
seat = _Column("seat")
"""Which player is to act, counted clockwise from the button."""
last_action = _Column("last")
"""The last action on this street, by slots: fold, check, call, all-in, or which raise on offer."""
raises = _Column("raises")
"""How many bets and raises this street has seen."""
actions = _Column("slots")
"""What the player to act may choose: fold, check or call, how many raises, whether the largest is
all-in. Amounts may differ: two decisions with the same slots can share columns of a table."""


def history(since: str = "hand") -> PublicFeature:
    """All bets since the start of the hand (perfect recall), or those of this ``"street"``."""
    one_of("since", since, ("hand", "street"))
    return _Column("history" if since == "hand" else "street_history")


@dataclass(frozen=True)
class _Pot(PublicFeature):
    bins: int | None
    name: ClassVar[str] = "pot"

    def values(self, situations: DecisionColumns) -> Integers:
        if self.bins is None:
            return situations.pot
        found: Integers = situations.pot * self.bins // situations.chips
        return np.minimum(found, self.bins - 1)

    def __str__(self) -> str:
        return f"pot({'exact' if self.bins is None else self.bins})"


def pot(bins: int | None = 20) -> PublicFeature:
    """The chips paid so far, in equal bins from 0 to all chips; None: every number apart.

    Source: EP White, MIT Pokerbots 2023, 20 bins.
    """
    return _Pot(None if bins is None else whole_number("bins", bins, 1, 1_000_000))


@dataclass(frozen=True)
class _PotOdds(PublicFeature):
    edges: tuple[Fraction, ...]
    name: ClassVar[str] = "pot_odds"

    def values(self, situations: DecisionColumns) -> Integers:
        cost: Integers = situations.call.astype(np.int64)
        after = situations.pot + cost
        found: npt.NDArray[np.int64] = np.zeros(len(cost), dtype=np.int64)
        for edge in self.edges:
            found += cost * edge.denominator >= edge.numerator * after
        return found


def pot_odds(edges: Iterable[Fraction | float | str] = ODDS) -> PublicFeature:
    """What a call costs as a part of the pot after it, call / (pot + call), in bins.

    edges: where bins begin, beside 0, in ascending order; each bin holds its lower edge.
        Numbers are taken as the nearest fraction with a denominator up to 1,000, and compared
        exactly. Where checking is free the odds are 0.
    """
    try:
        parts = tuple(Fraction(edge).limit_denominator(_FINEST) for edge in edges)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise OptionError(
            f"edges={brief(edges)} are not numbers; give fractions such as ('1/4', '1/3')"
        ) from None
    if list(parts) != sorted(set(parts)) or any(not 0 < edge < 1 for edge in parts):
        text = ", ".join(map(str, parts))
        raise OptionError(
            f"edges {text} do not rise from above 0 to below 1; sort them, and keep them apart by "
            f"more than fractions with denominators up to {_FINEST:,} can tell"
        )
    return _PotOdds(parts)


@dataclass(frozen=True)
class _Colour(CardFeature):
    suits: str
    name: ClassVar[str] = "colour"

    def on(self, seen: Seen) -> Buckets:
        mask = sum(1 << SUITS.index(suit) for suit in self.suits)
        if seen.board is None and seen.least:
            newest = seen._replace(board=seen.least).newest
            assert newest is not None
            return ColourBuckets(newest, mask, seen.least)
        return ONE_BUCKET if seen.newest is None else ColourBuckets(seen.newest, mask)


def colour(suits: str = "dh") -> CardFeature:
    """Whether the newest board card is red (has one of these suits): bucket 1, or black: 0.

    In River of Blood this says whether one more street follows. Where there is no board card it
    tells nothing apart.
    """
    if not isinstance(suits, str) or not set(suits) <= set(SUITS) or not suits:
        raise OptionError(f"suits={suits!r} are not suits; give some of {SUITS!r}, such as 'dh'")
    return _Colour("".join(sorted(set(suits), key=SUITS.index)))


@dataclass(frozen=True)
class _Cards(CardFeature):
    name: ClassVar[str] = "cards"

    def on(self, seen: Seen) -> Buckets:
        raise OptionError(
            "cards stands for the buckets of a card abstraction, and none is given; give their "
            "groups, or write buckets(...)"
        )


cards = _Cards()
"""The buckets of hands that are named beside a product, as in a training configuration; see
`tiltless.blueprint.information.card_groups`."""


@dataclass(frozen=True)
class _Hands(CardFeature):
    groups: tuple[Buckets, ...]
    name: ClassVar[str] = "buckets"

    def on(self, seen: Seen) -> Buckets:
        group = self.groups[min(seen.street, len(self.groups) - 1)]
        sizes = board_sizes(group)
        if sizes <= {seen.board}:
            return group
        looks_at = max(sizes - {seen.board})
        if seen.board is None:
            raise OptionError(
                f"street {seen.street} repeats, with any number of board cards, and its buckets "
                f"look at {looks_at}; lay the tree out with repeat_from={len(self.groups)}, and "
                "end the buckets with ONE_BUCKET for the street that repeats"
            )
        raise OptionError(
            f"buckets of {looks_at} board cards on street {seen.street}, which has {seen.board}; "
            "give one set of buckets for each street, in order"
        )

    def __str__(self) -> str:
        return f"buckets({', '.join(str(group.count) for group in self.groups)})"


def buckets(*groups: Buckets) -> CardFeature:
    """Buckets of hands, one set for each street; later streets use the last one.

    Buckets that look at the board are for boards of one size, so they are not reused and do not fit
    a street that repeats.
    """
    for group in groups:
        if not (hasattr(group, "count") and hasattr(group, "fill")):
            raise OptionError(
                f"a {type(group).__name__} is no set of buckets; give ONE_BUCKET or anything with "
                "count and fill"
            )
        try:
            hash(group)  # equal features are one factor
        except TypeError:
            raise OptionError(
                f"a {type(group).__name__} cannot be hashed; make it frozen and compare by identity"
            ) from None
    if not groups:
        raise OptionError("buckets of no street; give one set for each, or one for all")
    return _Hands(groups)
