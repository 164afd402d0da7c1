"""Lock lines: when a match of two players is won or lost for certain.

Only the sign of the bankroll after the last hand counts. A player who from now on checks and folds
pays at most the blind and ante of each hand that is left:

    cost(n, seat) = p_0 ceil(n / 2) + p_1 floor(n / 2),

with n hands left, p_0 the forced payment in the next hand and p_1 in the one after it; stacks are
reset and the button moves after every hand. With blinds 1 and 2 that is 1.5 n for even n.

* Won: ``b > cost(n, seat)`` before a hand; after c chips in this pot, ``b - c > cost(n - 1, next
  seat)``: check, and fold to any bet, until the end.
* Lost by folding: ``-(b - c) > cost(n - 1, the opponent's next seat)``: a fold lets the opponent
  do just that.

A final bankroll of 0 is a tie, half a win.
"""

from typing import NamedTuple

__all__ = ["MatchState", "fold_cost"]


def fold_cost(left: int, button: bool, posts: tuple[float, float]) -> float:
    """What ``left`` hands cost at most who checks and folds; button: in the first of them.

    posts: forced payments of the button and of the other seat in a hand. Exact for whole chips.
    """
    as_button = (left + button) // 2
    return posts[0] * as_button + posts[1] * (left - as_button)


class MatchState(NamedTuple):
    """The match from one player's side, before a hand.

    bankroll: chips won so far; the opponent's is its negative.  left: hands left, with this one.
    button: whether the player is the button in this hand.  posts: as in `fold_cost`.
    """

    bankroll: int
    left: int
    button: bool
    posts: tuple[int, int]

    @property
    def is_won(self) -> bool:
        """Whether checking and folding from this hand on wins."""
        return self.bankroll > fold_cost(self.left, self.button, self.posts)

    @property
    def is_lost(self) -> bool:
        """Whether the opponent wins by checking and folding from this hand on."""
        return -self.bankroll > fold_cost(self.left, not self.button, self.posts)

    def wins_by_folding(self, paid: int) -> bool:
        """Whether checking and folding wins, with ``paid`` chips already in the pot."""
        return self.bankroll - paid > fold_cost(self.left - 1, not self.button, self.posts)

    def loses_by_folding(self, paid: int) -> bool:
        """Whether the opponent wins by checking and folding after we fold."""
        return paid - self.bankroll > fold_cost(self.left - 1, self.button, self.posts)
