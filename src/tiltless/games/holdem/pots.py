"""Main pot, side pots, uncalled bets and odd chips.

A seat still in the hand can win from each other seat no more than it has paid itself. Cutting the
payments at the amounts paid by the live seats gives layers: the main pot, contested by all of them,
and side pots, each contested by fewer. A layer with one seat is an uncalled bet and is returned.
Chips that folded players paid above the last layer (some games allow folding a bet that nobody can
call) belong to the last pot.

A pot that does not divide evenly leaves odd chips: all of them go to the first of its winners,
clockwise from the seat left of the button. This is pokerkit's rule, except that each pot is split
by itself (rule 21 of the Tournament Directors Association), while pokerkit first merges the pots
that the same hands win. The ACPC pays fractions; our chips stay whole numbers.
"""

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Pot", "share_out", "side_pots"]


class Pot(NamedTuple):
    """The chips of a pot and the seats that contest it."""

    chips: int
    seats: tuple[int, ...]


def side_pots(paid: Sequence[int], live: int, dead: int = 0) -> tuple[Pot, ...]:
    """The main pot and the side pots.

    paid: the total that each seat has paid.  live: bit mask of the seats that have not folded.
    dead: chips that belong to the main pot whatever the seats have paid (a big blind ante).
    """
    seats = [seat for seat in range(len(paid)) if live >> seat & 1]
    pots = []
    shared = 0
    for level in sorted({paid[seat] for seat in seats}):
        chips = dead + sum([each if each < level else level for each in paid]) - shared
        if chips:
            pots.append(Pot(chips, tuple([seat for seat in seats if paid[seat] >= level])))
            shared += chips
    over = dead + sum(paid) - shared
    if over:
        last = pots.pop() if pots else Pot(0, tuple(seats))
        pots.append(Pot(last.chips + over, last.seats))
    return tuple(pots)


def share_out(pots: Sequence[Pot], values: Sequence[int], order: Sequence[int]) -> list[int]:
    """The chips that each seat wins from the pots.

    values: the value of each seat's hand; ignored for seats that contest no pot.
    order: all seats, clockwise from the one left of the button; odd chips go to the first winner.
    """
    taken = [0] * len(order)
    for chips, seats in pots:
        best = max(values[seat] for seat in seats)
        winners = [seat for seat in seats if values[seat] == best]
        share, odd = divmod(chips, len(winners))
        for seat in winners:
            taken[seat] += share
        if odd:
            taken[next(seat for seat in order if seat in winners)] += odd
    return taken
