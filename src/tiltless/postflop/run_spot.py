"""Spots of River of Blood: a river, or a board of the run after a red one.

::

    RunSpot("QsJh2h8d3h", oop="QQ+, AKs", ip="88+, AQs+", pot=64, stack=320, bets="50%, a")

If the newest card is black, hands are shown on this board, like on the river of hold'em. If it is
red, another card is dealt, and the spot is solved like a turn whose river that card is: hands are
shown there, although the run goes on if it is red again. With ``bets_after`` there is a round of
bets on the next board as well; without it, that board is checked down.

The rest of the run is the only approximation: the value of a board with a red newest card is that
of a showdown on it. Hands are scored as eval7 does (`tiltless.cards.evaluate`), like the game's
engine.
"""

from dataclasses import dataclass

from tiltless.cards.card import SUITS, cards_text, parse_cards
from tiltless.errors import CardError
from tiltless.postflop.spot import Spot

__all__ = ["RunSpot"]

_RIVER, _MOST = 5, 31  # cards


@dataclass(frozen=True)
class RunSpot(Spot):
    """Two players on a board of River of Blood; see `Spot` for what it has in common with that.

    board: 5 to 31 cards in dealing order.  bets: a menu; if another card is to come, that of the
    ``turn`` is for this street and that of the ``river`` for the next.
    bets_after: whether the next street has bets.  run_suits: the suits after which another card is
    dealt.
    """

    bets_after: bool = False
    run_suits: str = "dh"

    def _check_board(self, board: tuple[int, ...]) -> None:
        if not _RIVER <= len(board) <= _MOST:
            raise CardError(
                f"the board has {len(board)} cards; give {_RIVER} to {_MOST}, the newest last"
            )
        ended = [card for card in board[_RIVER - 1 : -1] if SUITS[card & 3] not in self.run_suits]
        if ended:
            raise CardError(
                f"{cards_text(board)} continues after {cards_text(ended[:1])}, which ends the "
                "hand; give the board in dealing order, the newest card last"
            )

    @property
    def goes_on(self) -> bool:
        """Whether another card is dealt after this street."""
        return SUITS[parse_cards(self.board)[-1] & 3] in self.run_suits

    @property
    def shown_at(self) -> int:
        """The number of cards of the boards on which hands are shown."""
        return len(parse_cards(self.board)) + self.goes_on

    @property
    def bets_later(self) -> bool:
        """Whether there are bets on the next street."""
        return self.bets_after

    @property
    def suit_groups(self) -> tuple[int, int, int, int]:
        """Suits that end the hand and suits that do not are never interchangeable."""
        one, two, three, four = (int(suit in self.run_suits) for suit in SUITS)
        return one, two, three, four
