"""Showdowns as evidence: nine shown cards and who won; and the arrays of them for the kernels."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import Cards, cards_text, check_disjoint, parse_cards
from tiltless.cards.hand_order import CATEGORIES, hand_tables
from tiltless.errors import CardError, OptionError
from tiltless.kernels.permutation.agreement import Evidence, mark_agreeing, result_tables
from tiltless.kernels.permutation.listing import Plans
from tiltless.permutation.prior import OrderRows
from tiltless.validate import brief, plain_int

__all__ = ["EvidenceRows", "ShowdownResult", "comparison"]

_CATEGORY = {name: number for number, name in enumerate(CATEGORIES)}
_FEWEST = 256


class ShowdownResult(NamedTuple):
    """Two hands that were shown on a whole board.

    first, second: two hole cards each.  board: five cards.  Shown cards, as card numbers.
    result: 1 if the first hand won, -1 if the second did, 0 for a tie.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    board: tuple[int, ...]
    result: int

    @classmethod
    def checked(cls, first: Cards, second: Cards, board: Cards, result: Any) -> "ShowdownResult":
        """From cards in any form; `CardError` or `OptionError` for what cannot be a showdown."""
        cards = [parse_cards(each) for each in (first, second, board)]
        for name, some, wanted in zip(("hand", "hand", "board"), cards, (2, 2, 5), strict=True):
            if len(some) != wanted:
                raise CardError(f"a {name} of {len(some)} cards is no evidence; give {wanted}")
        check_disjoint(first=cards[0], second=cards[1], board=cards[2])
        try:
            won = plain_int(result)
        except TypeError:
            won = 2
        if won not in (-1, 0, 1):
            raise OptionError(
                f"result {brief(result)} is not possible; say 1 (first won), -1 or 0 (tie)"
            )
        return cls(cards[0], cards[1], cards[2], won)

    @property
    def cards(self) -> tuple[int, ...]:
        """All nine: first, second, board."""
        return (*self.first, *self.second, *self.board)

    def __str__(self) -> str:
        sign = {1: ">", -1: "<", 0: "="}[self.result]
        hands = f"{cards_text(self.first)} {sign} {cards_text(self.second)}"
        return f"{hands} on {cards_text(self.board)}"


def comparison(hand: Iterable[int]) -> tuple[str, tuple[int, int], int]:
    """How seven shown cards are compared, whatever the order of the ranks.

    Returns the category, straights aside; two masks of shown ranks, of which the highest ranks of
    the first decide and then those of the second that are left; and the mask of the ranks that may
    make a straight (or straight flush), 0 where they are fewer than five.
    """
    cards = list(hand)
    ranks = [card >> 2 for card in cards]
    by_suit = [[card >> 2 for card in cards if card & 3 == suit] for suit in range(4)]
    suited = max(by_suit, key=len)
    if len(suited) >= 5:
        flush = _mask(suited)
        return "flush", (flush, 0), flush
    often = {
        times: {rank for rank in ranks if ranks.count(rank) >= times} for times in (1, 2, 3, 4)
    }
    every, pairs, trips = _mask(often[1]), _mask(often[2]), _mask(often[3])
    straight = every if len(often[1]) >= 5 else 0
    if often[4]:
        return "four of a kind", (_mask(often[4]), every), straight
    if often[3] and len(often[2]) > 1:
        return "full house", (trips, pairs), straight
    if often[3]:
        return "three of a kind", (trips, every), straight
    if len(often[2]) > 1:
        return "two pair", (pairs, every), straight
    if often[2]:
        return "pair", (pairs, every), straight
    return "high card", (every, 0), straight


def _mask(ranks: Iterable[int]) -> int:
    return sum(1 << rank for rank in set(ranks))


class EvidenceRows:
    """The showdowns of a match, in the order in which they were seen.

    counts: whether each counts; the others were dropped because they contradict the rest.
    """

    def __init__(self) -> None:
        self.showdowns: list[ShowdownResult] = []
        self.counts: list[bool] = []
        self._ranks = np.zeros((0, 9), np.uint8)
        self._suited = np.zeros((0, 2, 8), np.uint8)
        self._result = np.zeros(0, np.int64)
        self._rejections = np.zeros(0, np.int64)
        self._category = np.zeros((0, 2), np.int64)
        self._sets = np.zeros((0, 2, 2), np.int64)
        self._straight = np.zeros((0, 2), np.int64)
        self._tables = result_tables(hand_tables())

    def add(self, showdown: ShowdownResult) -> None:
        """One more, which counts."""
        i = len(self.showdowns)
        self._make_room(i + 1)
        self.showdowns.append(showdown)
        self.counts.append(True)
        self._ranks[i] = [card >> 2 for card in showdown.cards]
        self._result[i], self._rejections[i] = showdown.result, 0
        for side, hole in enumerate((showdown.first, showdown.second)):
            seven = hole + showdown.board
            category, sets, straight = comparison(seven)
            self._category[i, side] = _CATEGORY[category]
            self._sets[i, side], self._straight[i, side] = sets, straight
            self._suited[i, side] = 0
            if category == "flush":
                ranks = [rank for rank in range(13) if straight >> rank & 1]
                self._suited[i, side, : len(ranks) + 1] = [len(ranks), *ranks]

    def _make_room(self, rows: int) -> None:
        if rows <= len(self._ranks):
            return
        size = max(_FEWEST, 2 * len(self._ranks))
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                grown = np.zeros((size, *value.shape[1:]), value.dtype)
                grown[: len(value)] = value
                setattr(self, name, grown)

    @property
    def counting(self) -> npt.NDArray[np.int64]:
        """The showdowns that count, those that have rejected most first."""
        rows = np.flatnonzero(self.counts)
        return rows[np.argsort(-self._rejections[rows], kind="stable")]

    def arrays(self, rows: npt.NDArray[np.int64] | None = None) -> tuple[Evidence, Any]:
        """What kernels take to evaluate: showdowns, by default those that count, and tables."""
        checks = self.counting if rows is None else rows
        return Evidence(self._ranks, self._suited, self._result, checks, self._rejections), (
            self._tables
        )

    def plans(self) -> Plans:
        """What the kernel takes to list orders: the showdowns that count."""
        rows = self.counting
        wanted = np.array([4, 1, 2])[self._result[rows]]  # results 0, 1, -1
        return Plans(self._category[rows], self._sets[rows], self._straight[rows], wanted)

    def agreeing(
        self, orders: OrderRows, rows: npt.NDArray[np.int64] | None = None
    ) -> npt.NDArray[np.bool_]:
        """Which orders agree with some showdowns, by default with all that count; bool ``[n]``."""
        keep = np.empty(len(orders), np.bool_)
        mark_agreeing(orders, *self.arrays(rows), keep)
        return keep
