"""Permutation Hold'em, the game of MIT Pokerbots 2020.

Hold'em with ranks in a hidden order: the cards show their usual faces, but at the showdown each
shown rank counts as its true rank. One order holds for a whole match. Only the dealer knows it: a
game built with ``ranks="..."`` uses that order in every hand; a game built without draws a new one
at the start of each hand, unseen by the players, or one for all hands of a match
(`Holdem.for_match`). Rules, views and infosets never contain it.

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

_SUCCESS = 0.25
_FAILURE = 1 - _SUCCESS


def draw_ranks(rng: Random) -> str:
    """A random order, drawn as the engine of 2020 draws it.

    For each shown rank from 2 to A, count the failures before a success with probability 1/4,
    modulo the number of free true ranks: that is the index of its true rank among the free ones.
    """
    free = list(range(len(RANKS)))
    shown_at = [""] * len(RANKS)
    for shown in RANKS:
        failures = 0
        while rng.random() >= _SUCCESS:
            failures += 1
        shown_at[free.pop(failures % len(free))] = shown
    return "".join(shown_at)


def ranks_probability(ranks: str) -> float:
    """The probability that `draw_ranks` returns this order.

    The product over shown ranks of q(i, n) = p (1 - p)^i / (1 - (1 - p)^n), p = 1/4, where the true
    rank is the i-th of n free ones.
    """
    true_ranks = permuted(ranks).true_ranks
    free = list(range(len(RANKS)))
    probability = 1.0
    for true_rank in true_ranks:
        index, count = free.index(true_rank), len(free)
        probability *= _SUCCESS * _FAILURE**index / (1 - _FAILURE**count)
        free.pop(index)
    return probability


@dataclass(frozen=True, slots=True)
class HiddenRanks:
    """A chance node that draws an order of ranks and shows it to nobody.

    drawn: the order, if it was drawn before the match.
    """

    drawn: str | None = None

    def for_match(self, rng: Random) -> "HiddenRanks":
        """The node of a match, with one order for all its hands."""
        return HiddenRanks(draw_ranks(rng))

    @property
    def seen_by(self) -> tuple[int, ...]:
        """Nobody."""
        return ()

    @property
    def count(self) -> int:
        """13! orders, most of them unlikely; 1 in a match."""
        return factorial(len(RANKS)) if self.drawn is None else 1

    def sample(self, rng: Random) -> str:
        """One order; see `draw_ranks`."""
        return draw_ranks(rng) if self.drawn is None else self.drawn

    def outcomes(self) -> Iterator[tuple[str, float]]:
        """Every order with its probability, lazily: there are six billion."""
        if self.drawn is not None:
            yield self.drawn, 1.0
            return
        for shown in permutations(RANKS):
            ranks = "".join(shown)
            yield ranks, ranks_probability(ranks)

    def checked(self, ranks: Any) -> str:
        """An order, or `IllegalActionError`."""
        if not isinstance(ranks, str) or sorted(ranks) != sorted(RANKS):
            raise IllegalActionError(
                f"{brief(ranks)} cannot be drawn here; draw an order of the 13 ranks {RANKS}"
            )
        if self.drawn not in (None, ranks):
            raise IllegalActionError(
                f"{brief(ranks)} is not the order of this match; sample draws it"
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

    ranks: the order of this match, known only to the dealer; None: a new one is drawn every hand,
        or every match by `Holdem.for_match`.
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
        short_stacks=False,
    )
