"""Events of a hand, as frozen values in order.

::

    Post(seat, kind, chips)      an ante, a blind or a straddle is paid
    RanksDrawn(ranks)            the dealer orders the ranks in secret (Permutation Hold'em)
    HoleCards(seat, cards)       a seat is dealt its cards; empty if the viewer may not see them
    BoardCards(street, cards)    board cards are dealt
    Acted(seat, action, chips)   a player acts and pays chips
    Shown(seat, cards)           a hand is shown at the end
    Returned(seat, chips)        an uncalled bet is returned
    Won(seat, chips)             a seat wins its part of the pots
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from tiltless.games.holdem.actions import Action
from tiltless.games.holdem.betting import NOBODY
from tiltless.games.holdem.history import HIDDEN, PastDecision, StreetDeal, steps
from tiltless.games.holdem.pots import Pot

if TYPE_CHECKING:
    from tiltless.games.holdem.state import HoldemState
    from tiltless.games.holdem.view import View

__all__ = [
    "Acted",
    "BoardCards",
    "Event",
    "HoleCards",
    "Post",
    "RanksDrawn",
    "Returned",
    "Shown",
    "Won",
    "closing_events",
    "dead_chips",
    "public_events",
]


@dataclass(frozen=True, slots=True)
class Post:
    """A forced payment before the cards: ante, big blind ante, small blind, big blind, straddle."""

    seat: int
    kind: str
    chips: int


@dataclass(frozen=True, slots=True)
class RanksDrawn:
    """The hidden order of ranks of Permutation Hold'em, for the dealer's eyes."""

    ranks: str


@dataclass(frozen=True, slots=True)
class HoleCards:
    """A seat is dealt its cards; ``cards`` is empty for viewers who may not see them."""

    seat: int
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BoardCards:
    """Board cards, dealt at the start of a street."""

    street: str
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Acted:
    """A player acts and adds ``chips`` to the pot."""

    seat: int
    action: Action
    chips: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A hand is shown at the end."""

    seat: int
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Returned:
    """An uncalled bet, or the uncalled part of one, is returned."""

    seat: int
    chips: int


@dataclass(frozen=True, slots=True)
class Won:
    """The chips that a seat wins from all pots together."""

    seat: int
    chips: int


Event: TypeAlias = Post | RanksDrawn | HoleCards | BoardCards | Acted | Shown | Returned | Won


def public_events(
    hand: "View | HoldemState",
    posts: tuple[Post, ...],
    cards: Mapping[int, tuple[int, ...]],
    ranks: str | None = None,
) -> Iterator[Event]:
    """The events up to the end of the betting, from the public history.

    cards: the hole cards to fill in, by seat.  ranks: the hidden order, for the dealer.
    """
    yield from posts
    for step in steps(hand):
        if isinstance(step, PastDecision):
            yield Acted(step.seat, step.action, step.chips)
        elif isinstance(step, StreetDeal):
            yield BoardCards(hand.rules.street_name(step.street), step.cards)
        elif step.seat == NOBODY:
            yield RanksDrawn(ranks or "")
        else:
            yield HoleCards(step.seat, cards.get(step.seat, HIDDEN))


def dead_chips(posts: Sequence[Post], seats: int) -> tuple[int, ...]:
    """The big blind ante that each seat has paid: part of the main pot, never of a bet."""
    dead = [0] * seats
    for post in posts:
        if post.kind == "big blind ante":
            dead[post.seat] += post.chips
    return tuple(dead)


def closing_events(
    pots: tuple[Pot, ...],
    paid: tuple[int, ...],
    dead: tuple[int, ...],
    live: tuple[int, ...],
    winnings: tuple[int, ...],
    shown: tuple[tuple[int, tuple[int, ...]], ...],
) -> Iterator[Event]:
    """The events after the betting: hands are shown, uncalled bets returned, pots paid out.

    By seat: ``paid`` in total, of which ``dead`` as a big blind ante; ``winnings`` including the
    uncalled bet.
    """
    for seat, cards in shown:
        yield Shown(seat, cards)
    back = [0] * len(paid)
    if len(live) == 1:  # everybody else has folded
        seat = live[0]
        bets = [each - ante for each, ante in zip(paid, dead, strict=True)]
        back[seat] = max(bets[seat] - max(bets[:seat] + bets[seat + 1 :]), 0)
    elif len(pots[-1].seats) == 1:
        back[pots[-1].seats[0]] = pots[-1].chips
    for seat, chips in enumerate(back):
        if chips:
            yield Returned(seat, chips)
    for seat, chips in enumerate(winnings):
        if chips > back[seat]:
            yield Won(seat, chips - back[seat])
