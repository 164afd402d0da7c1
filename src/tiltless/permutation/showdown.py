"""A showdown as evidence: nine shown cards and who won."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tiltless.cards.card import Cards, cards_text, check_disjoint, parse_cards
from tiltless.errors import CardError, OptionError
from tiltless.validate import brief, plain_int

__all__ = ["Showdown"]


class Showdown(NamedTuple):
    """Two hands that were shown on a whole board.

    first, second: two hole cards each.  board: five cards.  Shown cards, as card numbers.
    result: 1 if the first hand won, -1 if the second did, 0 for a tie.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    board: tuple[int, ...]
    result: int

    @classmethod
    def checked(cls, first: Cards, second: Cards, board: Cards, result: Any) -> "Showdown":
        """From cards in any form; `CardError` or `OptionError` for what cannot be a showdown."""
        cards = [parse_cards(each) for each in (first, second, board)]
        for name, some, wanted in zip(("hand", "hand", "board"), cards, (2, 2, 5), strict=True):
            if len(some) != wanted:
                raise CardError(f"a {name} of {len(some)} cards is no evidence; give {wanted}")
        check_disjoint(first=cards[0], second=cards[1], board=cards[2])
        try:
            won = plain_int(result)
        except TypeError:
            won = 2
        if won not in (-1, 0, 1):
            raise OptionError(
                f"result {brief(result)} is not possible; say 1 (first won), -1 or 0 (tie)"
            )
        return cls(cards[0], cards[1], cards[2], won)

    @property
    def cards(self) -> Sequence[int]:
        """All nine: first, second, board."""
        return (*self.first, *self.second, *self.board)

    def __str__(self) -> str:
        sign = {1: ">", -1: "<", 0: "="}[self.result]
        hands = f"{cards_text(self.first)} {sign} {cards_text(self.second)}"
        return f"{hands} on {cards_text(self.board)}"
