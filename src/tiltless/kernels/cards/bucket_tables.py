"""Bucket lookup in a table with a row for each canonical board.

A board becomes canonical by a permutation of suits, and the hand goes with it. Finding both takes a
few look-ups; the table itself is hundreds of megabytes, so a random look-up waits for memory once.

Twin: tests/naive/cards/isomorphism.py; tested by tests/abstraction/cards/test_tables.py
"""

from typing import Any

import numpy as np

from tiltless.kernels.base.jit import inline, kernel
from tiltless.kernels.cards.isomorphism import IsomorphismTables, index_board

__all__ = ["fill_from_table", "moved_combo", "spread_board"]

U = np.uint64


@inline
def moved_combo(x: Any, y: Any, images: Any, combo_of: Any) -> Any:
    """The combo of two cards after the permutation of suits ``images`` of `index_board`."""
    x, y = U(x), U(y)
    x = (x & U(0xFC)) | ((images >> ((x & U(3)) << U(1))) & U(3))
    y = (y & U(0xFC)) | ((images >> ((y & U(3)) << U(1))) & U(3))
    return U(combo_of[x, y])


@kernel
def fill_from_table(
    cards: Any,
    board: Any,
    colours: Any,
    table: Any,
    tables: IsomorphismTables,
    combo_of: Any,
    street: Any,
    bucket: Any,
) -> None:
    """Write the bucket of every player's hand to ``bucket[:, :, street]``.

    cards: uint8 ``[hands, width]``, two hole cards for each player, then the board.  board: how
    many cards of it are there on the street.  table: uint8 or uint16 ``[boards * colours, 1326]``;
    with two colours, a row for a black newest card and one for a red one.  tables: of the boards.
    combo_of: int16 ``[52, 52]``.
    bucket: uint32 ``[hands, players, streets]``.
    """
    players = U(bucket.shape[1])
    flat, width = cards.reshape(-1), U(cards.shape[1])
    for i in range(U(bucket.shape[0])):
        here = i * width
        first = here + U(2) * players
        row, images = index_board(flat, first, U(board), tables)
        newest = U(flat[first + U(board - 1)])
        row = row * U(colours) + (((newest + U(1)) >> U(1)) & U(colours - 1))
        for player in range(players):
            x, y = flat[here + U(2) * player], flat[here + U(2) * player + U(1)]
            bucket[i, player, street] = table[row, moved_combo(x, y, images, combo_of)]


@kernel
def spread_board(
    board: Any,
    colours: Any,
    table: Any,
    tables: IsomorphismTables,
    combo_cards: Any,
    combo_of: Any,
    out: Any,
) -> None:
    """The buckets of all 1,326 hands on a board from its table, to ``out``, uint16 ``[1326]``.

    board: uint8 ``[3..5]``.  colours, table: see `fill_from_table`.
    """
    row, images = index_board(board, U(0), U(len(board)), tables)
    newest = U(board[len(board) - 1])
    row = row * U(colours) + (((newest + U(1)) >> U(1)) & U(colours - 1))
    for combo in range(U(1326)):
        moved = moved_combo(combo_cards[combo, 0], combo_cards[combo, 1], images, combo_of)
        out[combo] = table[row, moved]
