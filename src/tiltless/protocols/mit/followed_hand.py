"""A hand of an MIT engine as one player follows it by the clauses of its lines."""

from tiltless.cards.card import card_text, cards_text
from tiltless.errors import InputError
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem.actions import CHECK, Action
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.seen_hand import end_view, hand_as_seen
from tiltless.games.holdem.state import HoldemState
from tiltless.games.holdem.view import View

__all__ = ["OPPONENT", "OWN", "FollowedHand", "in_order"]

OWN, OPPONENT = 0, 1
"""The seats: of the player who follows the hand, and of the other one."""


def in_order(cards: tuple[int, ...]) -> tuple[int, ...]:
    """Cards that were dealt together, as our games have them: the highest first."""
    return tuple(sorted(cards, reverse=True))


class FollowedHand:
    """A hand; every method raises `InputError` if a clause contradicts those before it.

    position: 0 for the button.  cards: our hole cards; empty if they are not known, when nothing
    but the result of the hand can be followed.  state: the hand as we see it.  shown: the
    opponent's cards, if they have been.
    """

    def __init__(self, game: Holdem, position: int, cards: tuple[int, ...] = ()) -> None:
        self.cards = in_order(cards)
        self.shown: tuple[int, ...] = ()
        self._checks = 0
        self.state: HoldemState
        if not cards:
            self.state = game.start(position)
        elif len(cards) == game.rules.hole_cards:
            self.state = hand_as_seen(game, OWN, cards, button=position)
        else:
            raise InputError(
                f"{cards_text(cards)} is not a hand; {game.rules.hole_cards} cards are"
            )
        self._start = self.state

    @property
    def has_moved(self) -> bool:
        """Whether anything has happened since the cards were dealt."""
        return self.state is not self._start

    @property
    def is_all_in(self) -> bool:
        """Whether nobody can bet any more, so that engines want checks only."""
        betting = self.state.betting
        both = betting.live == 1 << OWN | 1 << OPPONENT
        return both and self.state.actor < 0 and 0 in betting.stacks

    def act(self, action: Action) -> None:
        """Follow an action of the player to act."""
        if self.is_all_in:
            self._checks += 1
            if action != CHECK or self._checks > 2:
                raise InputError(f"{action} cannot follow an all-in; only two checks a street can")
        elif self.state.actor < 0:
            raise InputError(f"{action} comes when nobody is to act")
        else:
            self.state = self.state.apply(action)

    def deal(self, board: tuple[int, ...]) -> None:
        """Follow a board, which begins with the cards that were there."""
        known = self.state.board
        if {*board[: len(known)]} != {*known}:  # our games sort the cards of a street
            raise InputError(
                f"the board {cards_text(board)} does not begin with {cards_text(known)}"
            )
        if self.state.actor != CHANCE:
            raise InputError(f"the board {cards_text(board)} comes when no card is to be dealt")
        self.state = self.state.apply(board[len(known) :])
        self._checks = 0

    def show(self, cards: tuple[int, ...]) -> None:
        """Follow the opponent's cards at a showdown."""
        if self.state.actor != TERMINAL or len(self.state.live) < 2:
            raise InputError(f"{cards_text(cards)} are shown before a showdown")
        taken = [card for card in cards if self.state.dealt >> card & 1]
        if len(cards) != len(self.cards) or taken:
            why = f": {card_text(taken[0])} is dealt already" if taken else ""
            raise InputError(f"{cards_text(cards)} cannot be the opponent's cards{why}")
        self.shown = in_order(cards)

    @property
    def possible_deltas(self) -> tuple[int, ...]:
        """The chips that we may have won or lost in a hand that is over now; empty if it is not."""
        (own, opponent), live = self.state.paid, self.state.live
        if live == (OWN,):
            return (opponent,)
        if live == (OPPONENT,):
            return (-own,)
        return (opponent, 0, -own) if self.state.actor == TERMINAL else ()

    def end_view(self, delta: int) -> View:
        """Our view of the hand that has ended with a result, and with the cards shown."""
        shown = ((OWN, self.cards), (OPPONENT, self.shown)) if self.shown else ()
        return end_view(self.state, OWN, (delta, -delta), shown)
