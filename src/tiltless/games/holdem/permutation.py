"""Permutation Hold'em, the game of MIT Pokerbots 2020.

Hold'em with ranks in a hidden order: the cards show their usual faces, but at the showdown each
shown rank counts as its true rank. One order holds for a whole match. It belongs to the dealer: a
game made with ``ranks="..."`` keeps it for all hands, one made without draws it by chance at the
start of each hand, seen by nobody. Rules, views and infosets never contain it.

An order is written as `tiltless.cards.hand_order.permuted` takes it: the shown ranks, from the
lowest to the highest true rank.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import factorial
from random import Random
from typing import Any

from tiltless.cards.card import RANKS
from tiltless.cards.hand_order import STANDARD, HandOrder, permuted
from tiltless.games.game import IllegalActionError
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.streets import no_limit
from tiltless.games.holdem.variants import Stack, holdem, parse_blinds
from tiltless.validate import brief

__all__ = ["HiddenRanks", "draw_ranks", "permutation", "ranks_probability"]

_CHANCE = 0.25
_STAY = 1 - _CHANCE


def draw_ranks(rng: Random) -> str:
    """An order drawn as the engine of 2020 draws it.

    For each shown rank from 2 to A, count the failures before a success of chance 1/4, modulo the
    number of true ranks that are still free: the shown rank gets the free true rank at that place.
    """
    free = list(range(len(RANKS)))
    shown_at = [""] * len(RANKS)
    for shown in RANKS:
        failures = 0
        while rng.random() >= _CHANCE:
            failures += 1
        shown_at[free.pop(failures % len(free))] = shown
    return "".join(shown_at)


def ranks_probability(ranks: str) -> float:
    """The probability that `draw_ranks` gives this order.

    The product over shown ranks of q(i, n) = p (1 - p)^i / (1 - (1 - p)^n), p = 1/4, where the true
    rank is the i-th of n free ones.
    """
    true_ranks = permuted(ranks).true_ranks
    free = list(range(len(RANKS)))
    probability = 1.0
    for true_rank in true_ranks:
        place, count = free.index(true_rank), len(free)
        probability *= _CHANCE * _STAY**place / (1 - _STAY**count)
        free.pop(place)
    return probability


@dataclass(frozen=True, slots=True)
class HiddenRanks:
    """Chance that draws an order and shows it to nobody."""

    @property
    def seen_by(self) -> tuple[int, ...]:
        """Nobody."""
        return ()

    @property
    def count(self) -> int:
        """13! orders, most of them unlikely."""
        return factorial(len(RANKS))

    def sample(self, rng: Random) -> str:
        """One order; see `draw_ranks`."""
        return draw_ranks(rng)

    def outcomes(self) -> Iterator[tuple[str, float]]:
        """Every order with its probability, lazily: there are six billion."""
        for shown in permutations(RANKS):
            ranks = "".join(shown)
            yield ranks, ranks_probability(ranks)

    def checked(self, ranks: Any) -> str:
        """An order, or `IllegalActionError`."""
        if not isinstance(ranks, str) or sorted(ranks) != sorted(RANKS):
            raise IllegalActionError(
                f"{brief(ranks)} cannot be drawn here; draw an order of the 13 ranks {RANKS}"
            )
        return ranks


def permutation(
    seats: int = 2,
    stack: Stack = 200,
    blinds: Sequence[int] = (1, 2),
    button: int = 0,
    ranks: str | None = None,
    effective_raises: bool = True,
) -> Holdem:
    """Permutation Hold'em with the raises of the MIT engine, which opponents can always call.

    ranks: the order of this match, known to the dealer alone; None: drawn anew for each hand.
    """
    made_with = dict(locals())
    posted, big = parse_blinds(blinds)
    order: HandOrder = STANDARD if ranks is None else permuted(ranks)
    return holdem(
        "permutation",
        made_with,
        no_limit((big,) * 4),
        posted,
        big,
        order,
        HiddenRanks() if ranks is None else None,
        effective_raises=effective_raises,
        short_stacks=False,
    )
