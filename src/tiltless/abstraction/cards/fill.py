"""Batch bucket look-up: the buckets of thousands of dealt hands, for playouts and solvers."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.abstraction import BOARD_CARDS, STREETS, CardAbstraction
from tiltless.abstraction.cards.board_aware import BoardAware
from tiltless.abstraction.cards.bucketing import Bucketing, Lossless, StrengthBins, Suitless
from tiltless.abstraction.cards.buckets import Buckets, ComboBuckets
from tiltless.abstraction.cards.features import Histogram, OpponentClusters, Strength
from tiltless.abstraction.cards.relabelled import Relabelled
from tiltless.abstraction.cards.river_run_fill import RunBuckets
from tiltless.cards.card import CLASS_COUNT, CLASS_OF_COMBO, COMBO_CARDS, COMBO_COUNT, COMBO_OF
from tiltless.cards.isomorphism import SuitClasses, board_as_one_set, isomorphism
from tiltless.errors import OptionError
from tiltless.kernels.cards.bucket_tables import fill_from_table, spread_board
from tiltless.kernels.cards.isomorphism import IsomorphismTables

__all__ = [
    "BoardTable",
    "CanonicalBuckets",
    "SuitlessBuckets",
    "TrueCards",
    "filled",
    "table_suits",
]

Dealt = npt.NDArray[np.uint8]
Bucket = npt.NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class BoardTable:
    """Buckets from a table: uint8 or uint16 ``[canonical boards * colours, 1326]``, read-only.

    colours: 2 if the colour of the newest card matters; see `kernels.cards.bucket_tables`.
    """

    count: int
    board_cards: int
    suits: SuitClasses
    table: npt.NDArray[Any] = field(repr=False)
    colours: int = 1

    @cached_property
    def boards(self) -> IsomorphismTables:
        """The canonical boards, for kernels."""
        return isomorphism((self.board_cards,), self.suits).tables

    def fill(self, cards: Dealt, street: int, bucket: Bucket) -> None:
        """Look up every player's hand."""
        shape = self.board_cards, self.colours
        fill_from_table(cards, *shape, self.table, self.boards, COMBO_OF, street, bucket)

    def buckets(self, board: Dealt) -> npt.NDArray[np.uint16]:
        """The bucket of every hand on a board."""
        out = np.empty(COMBO_COUNT, np.uint16)
        spread_board(board, self.colours, self.table, self.boards, COMBO_CARDS, COMBO_OF, out)
        return out


@dataclass(frozen=True, eq=False)
class TrueCards:
    """Buckets of shown cards with known true ranks: the buckets of their true cards.

    standard: buckets of true cards.  rule: the mapping from shown to true cards.
    """

    standard: Buckets
    rule: Relabelled

    @property
    def count(self) -> int:
        """The number of buckets."""
        return self.standard.count

    def fill(self, cards: Dealt, street: int, bucket: Bucket) -> None:
        """Relabel every card, then look up the buckets."""
        self.standard.fill(self.rule.cards[cards], street, bucket)


def _hands(cards: Dealt, player: int, players: int, board_cards: int) -> Dealt:
    """Hole cards of a player and the board, uint8 ``[hands, 2 + board_cards]``."""
    hole, board = cards[:, 2 * player : 2 * player + 2], cards[:, 2 * players :]
    return np.concatenate([hole, board[:, :board_cards]], axis=1)


@dataclass(frozen=True)
class CanonicalBuckets:
    """Every canonical hand is a bucket."""

    count: int
    board_cards: int
    suits: SuitClasses

    def fill(self, cards: Dealt, street: int, bucket: Bucket) -> None:
        """Index every player's hand."""
        index = board_as_one_set(self.board_cards, self.suits)
        for player in range(bucket.shape[1]):
            hands = _hands(cards, player, bucket.shape[1], self.board_cards)
            bucket[:, player, street] = index.index_many(hands)


@dataclass(frozen=True, eq=False)
class SuitlessBuckets:
    """Classes of starting hands and ranks of the board."""

    rule: Suitless

    @property
    def count(self) -> int:
        """The number of buckets."""
        return self.rule.count

    def fill(self, cards: Dealt, street: int, bucket: Bucket) -> None:
        """Look up the ranks of the board, and the class of every player's hand."""
        players = bucket.shape[1]
        board = cards[:, 2 * players : 2 * players + self.rule.board_cards]
        ranks = self.rule.rank_numbers(board).astype(np.uint32)
        for player in range(players):
            combo = COMBO_OF[cards[:, 2 * player], cards[:, 2 * player + 1]]
            bucket[:, player, street] = CLASS_OF_COMBO[combo] + CLASS_COUNT * ranks


def filled(
    abstraction: CardAbstraction, street: int, table: npt.NDArray[Any] | None = None
) -> Buckets:
    """The buckets of a street for playouts and solvers; table: the street's, if it needs one."""
    return _filled(abstraction, street, abstraction.streets[street], table)


def _filled(
    abstraction: CardAbstraction, street: int, rule: Bucketing, table: npt.NDArray[Any] | None
) -> Buckets:
    if isinstance(rule, Relabelled):
        return TrueCards(_filled(abstraction, street, rule.standard, table), rule)
    if isinstance(rule, Suitless):
        return SuitlessBuckets(rule)
    if street == 0:
        return ComboBuckets(rule.count, rule.buckets(np.empty(0, np.uint8)))
    if isinstance(rule, Lossless):
        return CanonicalBuckets(rule.count, rule.board_cards, rule.suits)
    if street >= len(STREETS) or not rule.wants_table:
        return RunBuckets(rule, street + 2, abstraction.streets[street + 1 :])
    if table is None:
        raise OptionError(
            f"the {STREETS[street]} of {abstraction.name} needs a table; build it with "
            "`tiltless abstraction build`"
        )
    colours = 2 if rule.newest_counts else 1
    suits = table_suits(abstraction, street)
    return BoardTable(rule.count, BOARD_CARDS[street], suits, table, colours)


def table_suits(abstraction: CardAbstraction, street: int) -> SuitClasses:
    """The suits that are alike in the table of a street.

    In River of Blood red and black are told apart by the features of the run alone; the tables of
    others are those of hold'em.
    """
    rule = abstraction.streets[street]
    blind = isinstance(rule, StrengthBins | BoardAware) or isinstance(
        getattr(rule, "feature", None), Strength | Histogram | OpponentClusters
    )
    return "all" if blind and abstraction.suits == "red-black" else abstraction.suits
