"""Pot shares: what each seat takes on average if all live hands go to the showdown, in many worlds.

A world is a hand of one seat, the *mover*; the hands of all other seats are the true ones. Final
boards are enumerated from the flop on. Before it some are sampled: any fixed sample that does not
depend on the cards to come gives an unbiased estimate of the exact share.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tiltless.cards.card import COMBO_OF
from tiltless.cards.hand_order import STANDARD, hand_tables
from tiltless.cards.matchups import HOLDING
from tiltless.games.holdem.pots import Pot
from tiltless.kernels.cards.evaluate import rank_boards
from tiltless.kernels.cards.shuffle import deal_hands
from tiltless.kernels.cards.strength import final_boards
from tiltless.seeding import derived_word

__all__ = ["SAMPLED", "PotShares", "worlds_of"]

SAMPLED = 512
"""Boards that are sampled before the flop."""

_Floats = npt.NDArray[np.float64]
_Ints = npt.NDArray[np.int64]


class PotShares:
    """Shares of pots on one street.

    hole: the hands by seat.  mover: the seat whose hands vary.  combos: its hands, int
    ``[worlds]``; they share no card with the other hands or the board.
    """

    def __init__(
        self,
        hole: Sequence[tuple[int, ...]],
        mover: int,
        combos: _Ints,
        board: tuple[int, ...] = (),
        sampled: int = SAMPLED,
    ) -> None:
        self.mover, self.combos = mover, combos
        others = [card for seat, cards in enumerate(hole) if seat != mover for card in cards]
        fixed = [*others, *hole[mover]] if len(combos) == 1 else others
        boards = _boards(board, fixed, sampled)
        ranks = np.empty((len(boards), 1326), np.uint16)
        rank_boards(boards, hand_tables(STANDARD), ranks)
        self._moving = np.ascontiguousarray(ranks[:, combos].T)
        true = [int(COMBO_OF[cards[0], cards[1]]) for cards in hole]
        self._fixed = np.ascontiguousarray(ranks[:, true].T)
        self._lower = self._moving - np.uint16(1)  # boards that a world rules out become the best
        self._count = np.maximum(np.count_nonzero(self._moving, axis=1), 1)
        self._known: dict[tuple[tuple[int, ...], int], _Floats] = {}

    def values(self, pots: Sequence[Pot], seat: int) -> _Floats:
        """What a seat takes from the pots on average, float64 ``[worlds]``."""
        taken = np.zeros(len(self.combos))
        for chips, seats in pots:
            if seat in seats:
                taken += chips * self._share(seats, seat)
        return taken

    def _share(self, seats: tuple[int, ...], seat: int) -> _Floats:
        """The share of a seat in a pot that ``seats`` contest, float64 ``[worlds]``."""
        if len(seats) == 1:
            return np.ones(len(self.combos))
        found = self._known.get((seats, seat))
        if found is None:
            found = self._known[seats, seat] = self._summed(seats, seat) / self._count
        return found

    def _summed(self, seats: tuple[int, ...], seat: int) -> _Floats:
        """The sum of shares over the boards that each world leaves possible."""
        ranks = self._fixed[[each for each in seats if each != self.mover]]
        best = ranks.max(axis=0)
        tied = np.count_nonzero(ranks == best, axis=0)
        if self.mover not in seats:
            share = (self._fixed[seat] == best) / tied
            return np.asarray((self._moving > 0) @ share, np.float64)
        if seat == self.mover:
            won = np.count_nonzero(self._moving > best, axis=1)
            return np.asarray(won + self._ties(best, 1 / (tied + 1)), np.float64)
        mine = self._fixed[seat] == best
        total = self._ties(best, mine / (tied + 1))
        for many in range(1, len(seats)):
            these = np.flatnonzero(mine & (tied == many))
            if len(these):
                lost = self._lower[:, these] < best[these] - np.uint16(1)
                total += np.count_nonzero(lost, axis=1) / many
        return total

    def _ties(self, best: npt.NDArray[np.uint16], share: _Floats) -> _Floats:
        """The sum of a share over the boards on which a world ties with the best other hand."""
        worlds, boards = np.nonzero(self._moving == best)
        return np.bincount(worlds, share[boards], len(self.combos)).astype(np.float64)


def _boards(board: tuple[int, ...], gone: Sequence[int], sampled: int) -> npt.NDArray[np.uint8]:
    """Final boards without the cards ``gone``, uint8 ``[boards, 5]``: all, or some of them."""
    if board:
        boards = np.empty((1176, 5), np.uint8)
        count = final_boards(np.array(board, np.uint8), boards)
        free = ~np.isin(boards[:count], gone).any(axis=1)
        return np.ascontiguousarray(boards[:count][free])
    deck = np.setdiff1d(np.arange(52, dtype=np.uint8), np.array(gone, np.uint8))
    boards = np.empty((sampled, 5), np.uint8)
    state = np.array([derived_word(bytes(sorted(gone)), sampled)], np.uint64)
    deal_hands(state, deck, 5, 0, boards)
    return boards


def worlds_of(hole: Sequence[tuple[int, ...]], mover: int) -> _Ints:
    """All hands that a seat could hold beside the others' true ones, int ``[worlds]``."""
    others = [card for seat, cards in enumerate(hole) if seat != mover for card in cards]
    return np.flatnonzero(~HOLDING[others].any(axis=0))
