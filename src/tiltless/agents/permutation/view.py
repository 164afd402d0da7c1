"""Views with renamed cards: a hand of Permutation Hold'em as the hand of hold'em that it is.

A shown rank counts as its true rank and suits stay, so under a known order a view of shown cards is
a view of true cards in hold'em. Bets and seats do not change, and what an agent answers to the one
is its answer to the other.
"""

from collections.abc import Sequence
from typing import NamedTuple

from tiltless.games.holdem.history import HIDDEN_RANKS
from tiltless.games.holdem.view import View

__all__ = ["ShownHands", "relabelled_view", "shown_hands"]

_HOLDEM, _BOARD = "nlhe", 5


class ShownHands(NamedTuple):
    """A showdown of two: shown cards, and 1 if the first hand won, -1 or 0 for a tie."""

    first: tuple[int, ...]
    second: tuple[int, ...]
    board: tuple[int, ...]
    result: int


def shown_hands(view: View) -> ShownHands | None:
    """What the end of a hand tells about the order; None if it was no showdown of two."""
    if len(view.shown) != 2 or len(view.board) != _BOARD or view.payoffs is None:
        return None
    (seat, first), (_, second) = view.shown
    won = view.payoffs[seat]
    return ShownHands(first, second, view.board, (won > 0) - (won < 0))


def relabelled_view(view: View, card_of: Sequence[int]) -> View:
    """A view with every card renamed: own cards, board, history and hands shown.

    card_of: the true card of each of the 52 shown cards.  The placeholder of a hidden order leaves
    the history, and the game is hold'em.
    """

    def renamed(cards: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted([card_of[card] for card in cards], reverse=True))  # as dealt

    moves = [renamed(move) if isinstance(move, tuple) else move for move in view.moves]
    return view._replace(
        game=_HOLDEM,
        cards=renamed(view.cards),
        board=tuple([card for move in moves if isinstance(move, tuple) for card in move]),
        moves=tuple([move for move in moves if move != HIDDEN_RANKS]),
        shown=tuple([(seat, renamed(cards)) for seat, cards in view.shown]),
    )
