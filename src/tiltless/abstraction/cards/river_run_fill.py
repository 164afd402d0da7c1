"""Batch bucket look-up on boards that continue past the river, computed board by board.

From the river on the newest card counts, and boards of six cards and more are too many for a table.
Hands that follow each other on the same board share the work, so training deals many hands around
each board (`tiltless.kernels.blueprint.run_deals`).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.bucketing import Bucketing
from tiltless.abstraction.cards.next_card import NextCard
from tiltless.abstraction.cards.river_run import is_red
from tiltless.cards.card import COMBO_OF

__all__ = ["RunBuckets"]


@dataclass(frozen=True, eq=False)
class RunBuckets:
    """Buckets of one street on the fly; those of hands that ended before it are 0.

    later: the rules of boards with one card more, two more and so on; the last one, or ``rule``,
    is for all longer ones.
    """

    rule: Bucketing
    board_cards: int
    later: tuple[Bucketing, ...] = ()

    @property
    def count(self) -> int:
        """How many buckets there are."""
        return self.rule.count

    def on_board(self, cards: int) -> "RunBuckets":
        """The buckets of boards of another size."""
        rules, more = (self.rule, *self.later), cards - self.board_cards
        return RunBuckets(rules[min(max(more, 0), len(rules) - 1)], cards)

    def fill(
        self, cards: npt.NDArray[np.uint8], street: int, bucket: npt.NDArray[np.uint32]
    ) -> None:
        """Look at every board once, then at every player's hand."""
        if isinstance(self.rule, NextCard):
            self.rule.fill(cards, self.board_cards, street, bucket)
            return
        players = bucket.shape[1]
        bucket[:, :, street] = 0
        boards = cards[:, 2 * players : 2 * players + self.board_cards]
        if boards.shape[1] < self.board_cards:
            return
        hands = np.flatnonzero(is_red(boards[:, 4:-1]).all(axis=1))
        changes = (boards[hands[1:]] != boards[hands[:-1]]).any(axis=1)
        for some in np.split(hands, np.flatnonzero(changes) + 1) if len(hands) else ():
            found = self.rule.buckets(boards[some[0]])
            for player in range(players):
                one, two = cards[some, 2 * player], cards[some, 2 * player + 1]
                bucket[some, player, street] = found[COMBO_OF[one, two]]
