"""Streets and decks as data: the cards that each street deals and the bets that it allows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tiltless.cards.card import DECK_SIZE, SUITS
from tiltless.errors import OptionError
from tiltless.validate import whole_number

__all__ = ["STREETS", "Street", "deal_size", "deck_mask", "fixed_limit", "no_limit", "with_caps"]

STREETS = ("preflop", "flop", "turn", "river")
"""Those of hold'em, in their order."""


@dataclass(frozen=True, slots=True)
class Street:
    """A betting round and the board cards that are dealt before it.

    bet: the smallest bet and raise, or the exact one if ``fixed``.
    cap: the most bets and raises, blinds not counted; None: no limit.
    """

    name: str
    cards: int
    bet: int
    fixed: bool = False
    cap: int | None = None


_DEALT = (0, 3, 1, 1)


def no_limit(bets: Sequence[int]) -> tuple[Street, ...]:
    """Streets of no-limit hold'em, one for each smallest bet."""
    return tuple(map(Street, STREETS, _DEALT, bets))


def fixed_limit(bets: Sequence[int]) -> tuple[Street, ...]:
    """The streets of fixed-limit hold'em; bets: the bet size of each."""
    return tuple(replace(street, fixed=True) for street in no_limit(bets))


def with_caps(streets: tuple[Street, ...], caps: int | Sequence[int] | None) -> tuple[Street, ...]:
    """Streets with a cap on bets and raises: one number for all, or one for each."""
    if caps is None:
        return streets
    try:
        numbers: list[Any] = list(caps)  # type: ignore[arg-type]
    except TypeError:
        numbers = [caps] * len(streets)
    if len(numbers) != len(streets):
        raise OptionError(
            f"raise_cap has {len(numbers)} numbers; give one for all, or {len(streets)}"
        )
    return tuple(
        replace(street, cap=whole_number("raise_cap", cap, 0, 10_000))
        for street, cap in zip(streets, numbers, strict=True)
    )


def deal_size(
    streets: tuple[Street, ...], run_suits: str, street: int, board: Sequence[int]
) -> int:
    """How many board cards are dealt after a street; 0: none, showdown.

    run_suits: past the last street, one more card and betting round follow as long as the last
    board card has one of these suits.
    """
    if street + 1 < len(streets):
        return streets[street + 1].cards
    return 1 if run_suits and board and SUITS[board[-1] & 3] in run_suits else 0


def deck_mask(lowest: int) -> int:
    """The cards of a deck whose lowest rank is ``lowest``, as a bit mask of card numbers."""
    return (1 << DECK_SIZE) - (1 << 4 * lowest)
