"""Scalar hand evaluation in plain Python, for one showdown at a time.

`tiltless.cards.evaluate` works on arrays; for two hands, creating arrays costs more than the rest.
Here the same tables are read with plain integers: a few microseconds per showdown, no compiler.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from tiltless.cards.hand_order import STANDARD, HandOrder, hand_tables
from tiltless.kernels.cards.evaluate import SUM_SHIFT

__all__ = ["Showdown", "showdown"]

_COLUMN = (1 << SUM_SHIFT) - 1
_SUIT_SHIFT = 24  # the keys of seven ranks sum to less than 2^24
_RANK_SUM = (1 << _SUIT_SHIFT) - 1
_SUITS_AT_THREE = 0x3333 << _SUIT_SHIFT
_FIVE_OF_A_SUIT = 0x8888 << _SUIT_SHIFT
_RANK_SET = 0x1FFF


class Showdown:
    """Evaluates hands in one order; create it with `showdown`, which caches one per order.

    The tables are those of `tiltless.kernels.cards.evaluate.HandTables`, read through memory views,
    which return plain integers.
    """

    __slots__ = (
        "_bits",
        "_eval7_flushes",
        "_flushes",
        "_keys",
        "_offsets",
        "_set_key",
        "_straights",
        "_values",
    )

    def __init__(self, order: HandOrder, eval7_flushes: bool) -> None:
        tables = hand_tables(order)
        self._keys = tuple(
            (int(key) & 0xFFFFFFFF) + (1 << _SUIT_SHIFT + 4 * (card & 3))
            for card, key in enumerate(tables.card_key)
        )
        self._bits = tuple(int(bit) for bit in tables.card_bit)
        self._offsets = tuple(memoryview(row) for row in tables.offsets)
        self._values = tuple(memoryview(row) for row in tables.values)
        self._flushes = memoryview(tables.flushes)
        self._straights = memoryview(tables.straights)
        self._set_key = memoryview(tables.set_key)
        self._eval7_flushes = eval7_flushes

    def values(self, board: Sequence[int], hands: Iterable[Sequence[int]]) -> list[int]:
        """Value of the best five cards of the board and each hand, as in `evaluate`.

        Together they must be 5 to 33 different cards; this is not checked.
        """
        keys, size = self._keys, len(board)
        board_key = _SUITS_AT_THREE
        for card in board:
            board_key += keys[card]
        values = []
        for hand in hands:
            count = size + len(hand) - 5
            if count > 2:
                values.append(self._large_value((*board, *hand)))
                continue
            key = board_key
            for card in hand:
                key += keys[card]
            if key & _FIVE_OF_A_SUIT:
                values.append(self._flush_value((*board, *hand)))
            else:
                row = self._offsets[count][(key & _RANK_SUM) >> SUM_SHIFT]
                values.append(self._values[count][row + (key & _COLUMN)])
        return values

    def _suits(self, cards: Sequence[int]) -> tuple[int, int, int, int]:
        """The set of true ranks held in each suit."""
        bits = 0
        for card in cards:
            bits |= self._bits[card]
        return (
            bits & _RANK_SET,
            bits >> 16 & _RANK_SET,
            bits >> 32 & _RANK_SET,
            bits >> 48 & _RANK_SET,
        )

    def _flush_value(self, cards: Sequence[int]) -> int:
        """Value of up to seven cards with a flush: no quads or full house fits beside one."""
        return max(self._flushes[ranks] for ranks in self._suits(cards))

    def _large_value(self, cards: Sequence[int]) -> int:
        """Value of any number of cards; the twin of the kernel `large_value`."""
        clubs, diamonds, hearts, spades = self._suits(cards)
        black, red = clubs & spades, diamonds & hearts
        any_black, any_red = clubs | spades, diamonds | hearts
        every = any_black | any_red
        pairs = black | red | any_black & any_red
        trips = black & any_red | red & any_black
        quads = black & red
        chosen = [0, 0, 0, 0, 0]  # chosen[n]: set of ranks that appear n times in the best five
        wanted = 5
        if quads:
            chosen[4], wanted = _top(quads), 1
        elif trips:
            chosen[3] = _top(trips)
            chosen[2] = _top(pairs & ~chosen[3])
            wanted = 0 if chosen[2] else 2
        elif pairs:
            first = _top(pairs)
            second = _top(pairs & ~first)
            chosen[2], wanted = first | second, 1 if second else 3
        left = every & ~(chosen[4] | chosen[3] | chosen[2])
        for _ in range(wanted):
            chosen[1] |= _top(left)
            left &= ~chosen[1]
        rank_sum = sum(times * self._set_key[ranks] for times, ranks in enumerate(chosen))
        row = self._offsets[0][rank_sum >> SUM_SHIFT]
        value = max(self._values[0][row + (rank_sum & _COLUMN)], self._straights[every])
        for ranks in (spades, clubs, diamonds, hearts):
            flush = self._flushes[ranks]
            value = max(value, flush)
            if flush and self._eval7_flushes:
                break
        return value


def _top(ranks: int) -> int:
    """The highest member of a set of ranks, as a set; empty for the empty set."""
    return 1 << ranks.bit_length() - 1 if ranks else 0


@lru_cache(maxsize=64)
def showdown(order: HandOrder = STANDARD, eval7_flushes: bool = False) -> Showdown:
    """The evaluator of an order: ``showdown().values(board, [hand, other])``.

    eval7_flushes: as in `tiltless.cards.evaluate.evaluate`.
    """
    return Showdown(order, eval7_flushes)
