"""Columns of buckets: those of the streets of a tree and, where streets repeat, of each board.

A street that repeats has one strategy, and a hand that comes back to it has a longer board and so
another bucket. So dealt hands have a column of buckets for each street that their board may have:
kernels count streets along the way (`tiltless.kernels.blueprint.external`).
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.buckets import Buckets, on_board
from tiltless.blueprint.tree import BettingTree
from tiltless.errors import OptionError
from tiltless.kernels.blueprint.nodes import Rows

__all__ = ["bucket_columns", "check_buckets", "fill_columns"]


def bucket_columns(tree: BettingTree, groups: Sequence[Buckets]) -> tuple[Buckets, ...]:
    """The buckets of each column; groups: of each street of the tree.

    Buckets that are the same on boards of every size need no columns of their own.
    """
    columns = list(groups)
    if not tree.run_suits or len(columns) != tree.streets:
        return tuple(columns)
    dealt, last = len(tree.game.rules.streets), columns[-1]
    first = tree.board + tree.repeat_from - dealt + 1
    longest = tree.board + sum(
        tree.run_suits >> (card & 3) & 1 for card in range(52) if tree.game.deck >> card & 1
    )
    grown = [on_board(last, cards) for cards in range(first, longest + 1)]
    return (*columns[:-1], *(grown if grown[0] is not last else (last,)))


def fill_columns(
    columns: Sequence[Buckets], cards: npt.NDArray[np.uint8], bucket: npt.NDArray[np.uint32]
) -> None:
    """Fill in all columns of ``bucket``, uint32 ``[hands, players, columns]``."""
    for column, group in enumerate(columns):
        group.fill(cards, column, bucket)


def check_buckets(bucket: npt.NDArray[np.uint32], rows: Rows) -> None:
    """Raise `OptionError` if a bucket has no row in the table; kernels do not check.

    bucket: uint32 ``[hands, players, columns]``, as filled by `Buckets.fill`.
    """
    counts = rows.buckets.tolist()
    for column in range(bucket.shape[2]):
        most, street = int(bucket[:, :, column].max()), min(column, len(counts) - 1)
        if most >= counts[street]:
            raise OptionError(
                f"the buckets of street {street} put a hand into bucket {most} and have a count "
                f"of {counts[street]}; correct their fill or their count"
            )
