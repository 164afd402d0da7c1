"""Batch bucket look-up on boards that continue past the river, computed board by board.

From the river on the newest card counts, and boards of six cards and more are too many for a table.
A board takes a few milliseconds, so this is for play, for tests and for small runs.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.bucketing import Bucketing
from tiltless.abstraction.cards.river_run import is_red
from tiltless.cards.card import COMBO_OF
from tiltless.system import usable_cores

__all__ = ["RunBuckets"]


@dataclass(frozen=True, eq=False)
class RunBuckets:
    """Buckets of one street on the fly; those of hands that ended before it are 0."""

    rule: Bucketing
    board_cards: int

    @property
    def count(self) -> int:
        """How many buckets there are."""
        return self.rule.count

    def fill(
        self, cards: npt.NDArray[np.uint8], street: int, bucket: npt.NDArray[np.uint32]
    ) -> None:
        """Look at every board once, then at every player's hand."""
        players = bucket.shape[1]
        bucket[:, :, street] = 0
        boards = cards[:, 2 * players : 2 * players + self.board_cards]
        if boards.shape[1] < self.board_cards:
            return
        goes_on = is_red(boards[:, 4:-1]).all(axis=1)
        some, which = np.unique(boards[goes_on], axis=0, return_inverse=True)
        with ThreadPoolExecutor(usable_cores()) as pool:
            found = np.array([*pool.map(self.rule.buckets, some)], np.uint32)
        if len(some):
            for player in range(players):
                one, two = cards[goes_on, 2 * player], cards[goes_on, 2 * player + 1]
                bucket[goes_on, player, street] = found[which.reshape(-1), COMBO_OF[one, two]]
