"""Flops: the strategically different ones with their weights, and the texture of each.

Of 22,100 flops 1,755 are different up to renaming suits; the *weight* of one is how many flops it
stands for, so weights sum to 22,100. Where ranges tell suits apart fewer flops are alike, and the
functions here take the classes of suits that are (`tiltless.cards.suits.suit_classes`).

The *texture* of a flop is a class of each of four kinds:

=========  ===================================================================================
high       the highest card: A, K, Q, J, T, or ``9-`` for nine and lower
suits      ``monotone`` (one suit), ``two-tone``, ``rainbow``
pairing    ``unpaired``, ``paired``, ``trips``
straights  ``connected``: a hand can have a straight.  ``semi-connected``: none can, but a hand can
           have an open-ended straight draw, as on Q92.  ``disconnected``: neither, as on K72
=========  ===================================================================================
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from tiltless.cards.card import RANKS, SUITS, Cards, cards_text, parse_cards
from tiltless.cards.isomorphism import canonical_boards
from tiltless.cards.suits import suit_images
from tiltless.errors import CardError

__all__ = [
    "ALL_ALIKE",
    "TEXTURES",
    "FlopTexture",
    "WeightedFlop",
    "all_flops",
    "canonical_flop",
    "flop_texture",
]

ALL_ALIKE = (0, 0, 0, 0)
"""Classes of suits that are all interchangeable."""
TEXTURES: dict[str, tuple[str, ...]] = {
    "high": ("A", "K", "Q", "J", "T", "9-"),
    "suits": ("rainbow", "two-tone", "monotone"),
    "pairing": ("unpaired", "paired", "trips"),
    "straights": ("connected", "semi-connected", "disconnected"),
}
"""The classes of each kind of texture, in the order of tables."""

_ACE = 12
_STRAIGHTS = (frozenset((_ACE, 0, 1, 2, 3)), *(frozenset(range(r, r + 5)) for r in range(9)))
_OPEN = tuple(frozenset(range(r, r + 4)) for r in range(9))  # 2345 to TJQK, open at both ends


class FlopTexture(NamedTuple):
    """The texture of a flop; see the module for the classes."""

    high: str
    suits: str
    pairing: str
    straights: str


class WeightedFlop(NamedTuple):
    """A flop, the highest card first, and the number of flops that it stands for."""

    cards: tuple[int, ...]
    weight: int

    @property
    def text(self) -> str:
        """``Ks7s2h``."""
        return cards_text(self.cards)


def flop_texture(flop: Cards) -> FlopTexture:
    """The texture of a flop: ``flop_texture("Ks7s2h").suits == "two-tone"``."""
    cards = _three(flop)
    ranks, suits = {card >> 2 for card in cards}, {card & 3 for card in cards}
    high = RANKS[max(ranks)]
    if any(len(ranks & straight) == 3 for straight in _STRAIGHTS):
        straights = "connected"
    elif any(len(ranks & run) >= 2 for run in _OPEN):
        straights = "semi-connected"
    else:
        straights = "disconnected"
    return FlopTexture(
        high if high in TEXTURES["high"] else "9-",
        ("monotone", "two-tone", "rainbow")[len(suits) - 1],
        ("trips", "paired", "unpaired")[len(ranks) - 1],
        straights,
    )


def canonical_flop(flop: Cards, alike: Sequence[int] = ALL_ALIKE) -> WeightedFlop:
    """The representative of all flops that are the same as this one, and their number.

    It is the greatest of them with its cards from high to low: ``Ks7s2h`` for ``2d 7c Kc``.
    alike: the class of each suit c, d, h, s; suits of one class are interchangeable.
    """
    cards = _three(flop)
    images = {
        tuple(sorted((card & ~3 | image[card & 3] for card in cards), reverse=True))
        for image in suit_images(tuple(alike))
    }
    return WeightedFlop(max(images), len(images))


@lru_cache(maxsize=8)
def all_flops(alike: Sequence[int] = ALL_ALIKE) -> tuple[WeightedFlop, ...]:
    """All different flops from AAA to 222; 1,755 if all suits are alike.

    alike: a tuple as for `canonical_flop`.
    """
    suits = ["".join(s for s, k in zip(SUITS, alike, strict=True) if k == kind) for kind in alike]
    boards, weights = canonical_boards(3, sorted(set(suits)))
    flops = sorted((canonical_flop(board.tolist(), alike) for board in boards), reverse=True)
    assert sum(flop.weight for flop in flops) == int(weights.sum())
    return tuple(flops)


def _three(flop: Cards) -> tuple[int, ...]:
    cards = parse_cards(flop)
    if len(cards) != 3:
        raise CardError(
            f"{cards_text(cards) or 'nothing'} has {len(cards)} cards; a flop has 3, such as Ks7s2d"
        )
    return cards
