"""Dealing as chance: cards drawn from the rest of the deck, and the seats that see them."""

from collections.abc import Iterator
from itertools import combinations
from math import comb
from random import Random
from typing import Any

from tiltless.cards.card import DECK_SIZE, card_text
from tiltless.games.game import IllegalActionError
from tiltless.validate import brief, plain_int

__all__ = ["Deal"]


class Deal:
    """``size`` cards drawn from the bit mask ``left``; a `tiltless.games.game.Chance`.

    Cards that are dealt together are a set: outcomes list them from the highest card number down,
    and `checked` sorts them that way.
    """

    __slots__ = ("left", "seen_by", "size")

    def __init__(self, left: int, size: int, seen_by: tuple[int, ...]) -> None:
        self.left = left
        self.size = size
        self.seen_by = seen_by

    def __repr__(self) -> str:
        return f"<{self.size} of {self.left.bit_count()} cards, seen by {self.seen_by}>"

    @property
    def count(self) -> int:
        """The number of different sets of cards that may be dealt."""
        return comb(self.left.bit_count(), self.size)

    def sample(self, rng: Random) -> tuple[int, ...]:
        """One set of cards, each as likely as any other."""
        left, draw = self.left, rng.getrandbits
        cards: list[int] = []
        while len(cards) < self.size:
            card = draw(6)  # 0 to 63: rejected if it is not a card, or no longer in the deck
            if left >> card & 1:
                left ^= 1 << card
                cards.append(card)
        cards.sort(reverse=True)
        return tuple(cards)

    def outcomes(self) -> Iterator[tuple[tuple[int, ...], float]]:
        """Every set of cards with its probability."""
        each = 1 / self.count
        deck = [card for card in reversed(range(self.left.bit_length())) if self.left >> card & 1]
        return ((cards, each) for cards in combinations(deck, self.size))

    def checked(self, cards: Any) -> tuple[tuple[int, ...], int]:
        """Cards as sorted plain integers and as a bit mask, or `IllegalActionError`."""
        mask = 0
        try:
            numbers = [card if card.__class__ is int else plain_int(card) for card in cards]
            for card in numbers:
                if not 0 <= card < DECK_SIZE:
                    break
                mask |= 1 << card
            else:
                if len(numbers) == self.size == mask.bit_count() and not mask & ~self.left:
                    numbers.sort(reverse=True)
                    return tuple(numbers), mask
        except TypeError:
            pass
        raise IllegalActionError(
            f"{_echo(cards)} cannot be dealt here; deal {self.size} different "
            f"card{'s' if self.size > 1 else ''} of the {self.left.bit_count()} left in the deck"
        )


def _echo(cards: Any) -> str:
    try:
        return " ".join(card_text(plain_int(card)) for card in cards) or brief(cards)
    except (TypeError, ValueError):
        return brief(cards)
