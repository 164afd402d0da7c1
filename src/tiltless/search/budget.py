"""Size of a subgame tree, counted before building it, so that hopeless ones are skipped.

A node takes so much time on every board: it is built, gets a row of the blueprint, is looked at for
alternative values, and then iterated. Counting stops as soon as there are too many, so that it
takes a small part of the time that it may save.
"""

from collections.abc import Sequence

from tiltless.abstraction.bets.menu import TableMenu
from tiltless.abstraction.bets.presets import find_menu
from tiltless.cards.card import COMBO_COUNT
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import Action, RaiseTo
from tiltless.games.holdem.betting import NOBODY, open_round
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.streets import no_limit
from tiltless.postflop.betting_forest import RIVER
from tiltless.postflop.spot import IP, Spot
from tiltless.system import free_memory

__all__ = ["MOST_NODES", "TooLargeError", "affordable", "check_size", "tree_size"]

MOST_NODES = 100_000
"""Nodes, times boards, that are searched where nobody counts seconds: about 2 GB."""

_NODE_SECONDS = 50e-6  # with the fewest iterations that are worth anything
_NODE_BYTES = 16 * COMBO_COUNT  # regrets and averages, and what one board is worked out in
_ALWAYS_THERE = 16e6  # bytes; a river is solved faster than the system is asked
_BOTH = 0b11


class TooLargeError(OptionError):
    """A tree that cannot be searched in the time that there is."""


def affordable(seconds: float | None) -> int:
    """Nodes, times boards, that may be searched in a time; None: if nobody counts it."""
    return MOST_NODES if seconds is None else min(int(seconds / _NODE_SECONDS), MOST_NODES)


def check_size(spot: Spot, played: Sequence[Action], most: int = MOST_NODES) -> None:
    """`TooLargeError` for a tree with more nodes than that, `OptionError` if there is no memory."""
    size = tree_size(spot, played, most)
    if size > most:
        raise TooLargeError(
            f"the bets {spot.bets} make more than {most:,} nodes, too many to search; "
            "give fewer sizes"
        )
    if size * _NODE_BYTES > _ALWAYS_THERE and size * _NODE_BYTES > free_memory():
        raise OptionError(
            f"the bets {spot.bets} make {size:,} nodes, more than there is memory for; "
            "give fewer sizes"
        )


def tree_size(spot: Spot, played: Sequence[Action] = (), most: int = MOST_NODES) -> int:
    """Nodes of `street_forests`, times the boards of their street.

    Boards that are the same up to suits are counted as often as they are dealt. Counting stops
    where there are more than ``most``.
    """
    blind, street = spot.big_blind, spot.street
    rules = Rules((spot.pot + spot.stack,) * 2, (blind, blind), no_limit((blind,) * (RIVER + 1)))
    table = TableMenu(find_menu(spot.bets), rules)
    first = open_round(rules.round(street), (spot.stack,) * 2, (0, 0), _BOTH, IP)
    line: tuple[Action, ...] | None = tuple(played)
    ahead = [(first, street, table.lead(first, street, spot.leads_into), 1, line)]
    size = 1
    while ahead and size <= most:
        here, street, lead, boards, line = ahead.pop()
        if here.actor >= 0:
            pot = spot.pot + 2 * spot.stack - sum(here.stacks)
            offers = table.actions(here, street, pot, lead)
            if line and line[0] not in offers:
                offers = (*offers, line[0])
            for offer in offers:
                after = line[1:] if line and offer == line[0] else None
                leads = here.actor if isinstance(offer, RaiseTo) else lead
                ahead.append((here.after(offer), street, leads, boards, after))
            size += boards * len(offers)
        elif street < RIVER and here.live == _BOTH:
            opened = here.next_round(rules.round(street + 1), IP)
            leads = table.lead(opened, street + 1, lead) if here.raises else NOBODY
            more = boards * (52 - street - 2)
            ahead.append((opened, street + 1, leads, more, None))
            size += more
    return size
