"""Paired comparison of two matches on the same deals.

Cards that were good for an agent in both matches say nothing about which of them went better. The
difference of each deal leaves them out; its interval is right however the matches hang together,
while that of two separate means may be too wide or too narrow.
"""

from tiltless.arena.stats.score import unit_factor
from tiltless.arena.store import MatchRecord, Store
from tiltless.intervals import Tally, tally

__all__ = ["paired_difference", "share_deals"]


def share_deals(first: MatchRecord, second: MatchRecord) -> bool:
    """Whether cards and luck of the matches are the same: then they are not independent."""
    return first.plan.seed == second.plan.seed


def paired_difference(
    store: Store, first: MatchRecord, second: MatchRecord, unit: str = "mbb/h"
) -> Tally | None:
    """What the first agent won more in the first match, by unit of statistics, a hand of it.

    Of the deals that both have; None where the matches do not share them, or not all hands of them
    were kept.
    """
    sizes = {each.plan.chunk if each.plan.carry else 1 for each in (first, second)}
    if not share_deals(first, second) or len(sizes) > 1:
        return None
    (size,) = sizes
    one, other = (_by_unit(store, each, size, unit) for each in (first, second))
    common = sorted(one.keys() & other.keys())
    if len(common) < min(first.deals, second.deals) // size:
        return None
    return tally(one[number] - other[number] for number in common)


def _by_unit(store: Store, record: MatchRecord, size: int, unit: str) -> dict[int, float]:
    """What the first agent won a hand, of the units of which every hand was kept."""
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
