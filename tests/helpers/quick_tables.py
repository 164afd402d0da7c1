"""Tables of buckets without the minute that computing equities takes, for tests of what uses them.

The buckets of a hand follow from its class and, on flop and turn, from the row of its board, so
that the tables are looked up as real ones are. Numbers of buckets are those of the abstraction.
"""

import numpy as np

from tiltless.abstraction.cards.abstraction import BOARD_CARDS, CardAbstraction
from tiltless.abstraction.cards.buckets import Buckets, ComboBuckets
from tiltless.abstraction.cards.fill import BoardTable, filled, table_suits
from tiltless.abstraction.cards.tables import Tables
from tiltless.cards.card import CLASS_COUNT, CLASS_OF_COMBO
from tiltless.cards.isomorphism import isomorphism

_RIVER = len(BOARD_CARDS) - 1  # its table would have 178 MB


def quick_tables(abstraction: CardAbstraction, **_: object) -> Tables:
    """In place of `build_tables`, whose options it takes."""
    groups = tuple(_buckets(abstraction, street) for street in range(len(abstraction.streets)))
    return Tables(abstraction, groups, ())


def _buckets(abstraction: CardAbstraction, street: int) -> Buckets:
    rule = abstraction.streets[street]
    if not street or not rule.wants_table:
        return filled(abstraction, street)
    of_combo = (CLASS_OF_COMBO.astype(np.int64) * rule.count // CLASS_COUNT).astype(np.uint8)
    if street == _RIVER:
        return ComboBuckets(rule.count, of_combo)
    cards, suits = BOARD_CARDS[street], table_suits(abstraction, street)
    table = np.empty((isomorphism((cards,), suits).size, len(of_combo)), np.uint8)
    table[::2], table[1::2] = of_combo, (of_combo + 1) % rule.count
    return BoardTable(rule.count, cards, suits, table)
