"""Paired comparison of two matches on the same deals.

Cards that favoured an agent in both matches say nothing about which match went better. Taking the
difference deal by deal cancels them; its interval is correct however the matches are correlated,
while that of two separate means may be too wide or too narrow.
"""

from tiltless.arena.stats.score import unit_factor
from tiltless.arena.store import MatchRecord, Store
from tiltless.intervals import Tally, tally

__all__ = ["paired_difference", "share_deals"]


def share_deals(first: MatchRecord, second: MatchRecord) -> bool:
    """Whether the matches have the same cards and random numbers, so are not independent."""
    return first.plan.seed == second.plan.seed


def paired_difference(
    store: Store, first: MatchRecord, second: MatchRecord, unit: str = "mbb/h"
) -> Tally | None:
    """How much more the first agent won in the first match, per hand, tallied by unit.

    Over the deals that both matches have; None if they do not share deals, or if some of these
    hands were not stored.
    """
    sizes = {each.plan.deals_per_unit for each in (first, second)}
    if not share_deals(first, second) or len(sizes) > 1:
        return None
    (size,) = sizes
    one, other = (_by_unit(store, each, size, unit) for each in (first, second))
    common = sorted(one.keys() & other.keys())
    if len(common) < min(first.deals, second.deals) // size:
        return None
    return tally(one[number] - other[number] for number in common)


def _by_unit(store: Store, record: MatchRecord, size: int, unit: str) -> dict[int, float]:
    """The first agent's winnings per hand, for the units whose hands are all stored."""
    plan = record.plan
    factor = unit_factor(unit, plan.table.rules) / plan.hands_per_unit
    won: dict[int, int] = {}
    hands: dict[int, int] = {}
    for row in store.hands(record.number):
        number = row.deal // size
        won[number] = won.get(number, 0) + row.payoffs[0]
        hands[number] = hands.get(number, 0) + 1
    whole = plan.hands_per_unit
    return {number: factor * won[number] for number in won if hands[number] == whole}
