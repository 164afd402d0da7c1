"""Deals for several players: a board, a hand for each, and the buckets of all other hands there."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.buckets import Buckets
from tiltless.cards.card import COMBO_CARDS, COMBO_COUNT, COMBO_OF
from tiltless.cards.hand_order import hand_tables
from tiltless.errors import OptionError
from tiltless.games.holdem.game import Holdem
from tiltless.kernels.base.rng import fill_words
from tiltless.kernels.cards.evaluate import rank_boards
from tiltless.kernels.cards.shuffle import deal_hands
from tiltless.kernels.multiway.hand_groups import MultiwayDeals

__all__ = ["HoldemDealer", "MultiwayDealer", "draw_callers"]

_BOARD = 5
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
    """Deals of hold'em.  board: cards that are known already, as in a subgame."""

    def __init__(
        self,
        game: Holdem,
        buckets: Sequence[Buckets],
        *,
        players: int = 0,
        board: Sequence[int] = (),
    ) -> None:
        if game.rules.hole_cards != 2 or sum(game.sizes) != _BOARD:
            raise OptionError(
                f"{game.name} is not dealt here; take two hole cards and a board of {_BOARD}"
            )
        self.buckets, self.players = tuple(buckets), players or game.players
        self.tables = hand_tables(game.order)
        self.board = np.array(board, np.uint8)
        deck = [card for card in range(52) if game.deck >> card & 1 and card not in board]
        self.deck = np.array(deck, np.uint8)
        cards = COMBO_CARDS.astype(np.uint64)
        self.masks = np.uint64(1) << cards[:, 0] | np.uint64(1) << cards[:, 1]

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of buckets on each street."""
        return tuple(group.count for group in self.buckets)

    def deal(self, state: npt.NDArray[Any], deals: int, callers: float = 0.0) -> MultiwayDeals:
        """See `MultiwayDealer.deal`."""
        players, known = self.players, len(self.board)
        words = np.empty(2 * deals, np.uint64)
        fill_words(state, words)
        dealt = np.empty((deals, 2 * players + _BOARD - known), np.uint8)
        deal_hands(state, self.deck.copy(), dealt.shape[1], 0, dealt)
        boards = np.empty((deals, _BOARD), np.uint8)
        boards[:, :known], boards[:, known:] = self.board, dealt[:, 2 * players :]
        held = np.stack(
            [COMBO_OF[dealt[:, 2 * p], dealt[:, 2 * p + 1]] for p in range(players)], axis=1
        ).astype(np.int64)
        strength = np.empty((deals, COMBO_COUNT), np.uint16)
        rank_boards(boards, self.tables, strength)
        row = np.empty((deals, 2 * COMBO_COUNT + _BOARD), np.uint8)  # as if all hands were dealt
        row[:, : 2 * COMBO_COUNT], row[:, 2 * COMBO_COUNT :] = COMBO_CARDS.reshape(-1), boards
        bucket = np.empty((deals, COMBO_COUNT, len(self.buckets)), np.uint32)
        for street, group in enumerate(self.buckets):
            group.fill(row, street, bucket)
        seen = np.bitwise_or.reduce(np.uint64(1) << boards.astype(np.uint64), axis=1)
        calls = draw_callers(words[deals:], players, callers)
        weight = np.zeros((0, 0), np.float32)
        return MultiwayDeals(self.masks, bucket, strength, seen, held, calls, words[:deals], weight)


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
