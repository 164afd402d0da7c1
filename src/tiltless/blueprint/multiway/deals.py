"""Deals for several players: a board, a hand for each, and the buckets of all other hands there."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.buckets import Buckets
from tiltless.cards.card import COMBO_CARDS, COMBO_COUNT, COMBO_OF
from tiltless.cards.hand_order import hand_tables
from tiltless.errors import ArrayError, OptionError
from tiltless.games.holdem.game import Holdem
from tiltless.kernels.base.rng import fill_words
from tiltless.kernels.cards.evaluate import rank_boards
from tiltless.kernels.cards.shuffle import deal_hands
from tiltless.kernels.multiway.hand_groups import MultiwayDeals

__all__ = ["HoldemDealer", "MultiwayDealer", "draw_callers"]

_BOARD = 5
_DRAWS = 256
_MOST_TRIES = 10_000
_CALLER_BITS = 16  # of a random word, to draw whether a deal has callers


class MultiwayDealer(Protocol):
    """Where traversals get their cards from.  counts: the number of buckets on each street."""

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of buckets on each street."""
        ...

    def deal(self, state: npt.NDArray[Any], deals: int, callers: float) -> MultiwayDeals:
        """Deal to all players.

        state: uint64 ``[1]``, advanced.  callers: the share of deals in which one or two players
        only check and call.
        """
        ...


class HoldemDealer:
    """Deals of hold'em, from a full deck or, in a subgame, from ranges.

    board: cards that are known already.  ranges: float ``[players, 1326]``, the weight of each hand
    of each player; None if all are equally likely.
    """

    def __init__(
        self,
        game: Holdem,
        buckets: Sequence[Buckets],
        *,
        board: Sequence[int] = (),
        ranges: npt.ArrayLike | None = None,
    ) -> None:
        if game.rules.hole_cards != 2 or sum(game.sizes) != _BOARD:
            raise OptionError(
                f"{game.name} is not dealt here; take two hole cards and a board of {_BOARD}"
            )
        self.buckets, self.players = tuple(buckets), game.players
        self.tables = hand_tables(game.order)
        self.board = np.array(board, np.uint8)
        deck = [card for card in range(52) if game.deck >> card & 1 and card not in board]
        self.deck = np.array(deck, np.uint8)
        cards = COMBO_CARDS.astype(np.uint64)
        self.masks = np.uint64(1) << cards[:, 0] | np.uint64(1) << cards[:, 1]
        self.weight = np.zeros((0, 0), np.float32)
        if ranges is not None:
            self.weight = self._checked(np.array(ranges, np.float32))
            self.players = len(self.weight)

    def _checked(self, ranges: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Ranges without hands that hold cards of the board."""
        if ranges.ndim != 2 or ranges.shape[1] != COMBO_COUNT or not (ranges >= 0).all():
            raise ArrayError(f"ranges have shape {ranges.shape}; give {COMBO_COUNT} weights each")
        ranges[:, np.isin(COMBO_CARDS, self.board).any(axis=1)] = 0
        total = ranges.sum(axis=1, keepdims=True)
        if not (total > 0).all():
            raise ArrayError("a range is empty on this board; give weights above 0")
        ranges /= total
        return ranges

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of buckets on each street."""
        return tuple(group.count for group in self.buckets)

    def deal(self, state: npt.NDArray[Any], deals: int, callers: float = 0.0) -> MultiwayDeals:
        """See `MultiwayDealer.deal`."""
        words = np.empty(2 * deals, np.uint64)
        fill_words(state, words)
        held, rest = (
            self._random(state, deals)
            if not len(self.weight)
            else self._drawn(np.random.Generator(np.random.PCG64(int(state[0]))), deals)
        )
        boards = np.empty((deals, _BOARD), np.uint8)
        boards[:, : len(self.board)], boards[:, len(self.board) :] = self.board, rest
        strength = np.empty((deals, COMBO_COUNT), np.uint16)
        rank_boards(boards, self.tables, strength)
        row = np.empty((deals, 2 * COMBO_COUNT + _BOARD), np.uint8)  # as if all hands were dealt
        row[:, : 2 * COMBO_COUNT], row[:, 2 * COMBO_COUNT :] = COMBO_CARDS.reshape(-1), boards
        bucket = np.empty((deals, COMBO_COUNT, len(self.buckets)), np.uint32)
        for street, group in enumerate(self.buckets):
            group.fill(row, street, bucket)
        seen = np.bitwise_or.reduce(np.uint64(1) << boards.astype(np.uint64), axis=1)
        calls = draw_callers(words[deals:], self.players, callers)
        return MultiwayDeals(
            self.masks, bucket, strength, seen, held, calls, words[:deals], self.weight
        )

    def _random(
        self, state: npt.NDArray[Any], deals: int
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
        """Hands of all players and the missing board cards, all equally likely."""
        players = self.players
        dealt = np.empty((deals, 2 * players + _BOARD - len(self.board)), np.uint8)
        deal_hands(state, self.deck.copy(), dealt.shape[1], 0, dealt)
        pairs = [COMBO_OF[dealt[:, 2 * p], dealt[:, 2 * p + 1]] for p in range(players)]
        return np.stack(pairs, axis=1).astype(np.int64), dealt[:, 2 * players :]

    def _drawn(
        self, rng: np.random.Generator, deals: int
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
        """The same by ranges: independent draws, of which those that share cards are rejected."""
        missing = _BOARD - len(self.board)
        below = np.cumsum(self.weight.astype(np.float64), axis=1)
        below[below == below[:, -1:]] = 1.0  # from the last hand that has a weight on
        hands: list[npt.NDArray[np.int64]] = []
        boards: list[npt.NDArray[np.uint8]] = []
        found = tries = 0
        while found < deals:
            tries += 1
            if tries > _MOST_TRIES:
                raise OptionError("the ranges leave no hands without common cards; widen them")
            drawn = rng.random((_DRAWS, self.players))
            held = np.stack(
                [np.searchsorted(below[p], drawn[:, p], "right") for p in range(self.players)], 1
            )
            rest = self.deck[rng.integers(0, len(self.deck), (_DRAWS, missing))]
            used = np.concatenate(
                [self.masks[held], np.uint64(1) << rest.astype(np.uint64)], axis=1
            )
            all_of = np.bitwise_or.reduce(used, axis=1)
            apart = np.bitwise_count(all_of) == 2 * self.players + missing
            hands.append(held[apart])
            boards.append(rest[apart])
            found += int(apart.sum())
        return np.concatenate(hands)[:deals].astype(np.int64), np.concatenate(boards)[:deals]


def draw_callers(
    words: npt.NDArray[np.uint64], players: int, share: float
) -> npt.NDArray[np.uint8]:
    """In this share of deals one or two players who only check and call; bit masks, uint8.

    words: random, one for each deal.
    """
    low = words & np.uint64((1 << _CALLER_BITS) - 1)
    first = (words >> np.uint64(16)) % np.uint64(players)
    second = (words >> np.uint64(32)) % np.uint64(players)
    both = np.uint64(1) << first | np.uint64(1) << second
    return np.where(low < share * (1 << _CALLER_BITS), both, 0).astype(np.uint8)
