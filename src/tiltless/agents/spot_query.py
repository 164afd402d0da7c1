"""Spots of a real table, for questions to an agent: a line and a board in, a view out.

::

    view = spot_view(load("nlhe", seats=6), "r2.5bb f f c f f / x", "Ks7d2c")
    make_agent("six").policies(view)          # of every hand of the player to act
"""

from collections.abc import Sequence

from tiltless.cards.card import Cards, parse_cards
from tiltless.errors import CardError, InputError, OptionError
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.notation import NEXT_STREET, misfit, parse_word, resolve, split_line
from tiltless.games.holdem.state import HoldemState
from tiltless.games.holdem.view import View
from tiltless.validate import brief

__all__ = ["spot_view"]


def spot_view(game: Holdem, line: str, board: Cards = (), button: int = 0) -> View:
    """What the player to act sees after a line; hole cards are any that the board does not have.

    line: of all seats, first to act first, with ``/`` before each street.
    """
    cards = parse_cards(board)
    spare = [card for card in range(52) if game.deck >> card & 1 and card not in cards]
    table = _Table(game.start(button=button), list(cards), spare)
    done: list[str] = []
    for text in split_line(line):
        try:
            table.read(text)
        except InputError as problem:
            raise misfit(text, " ".join(done), line, problem) from None
        done.append(text)
    table.deal(table.slashes)
    if table.state.actor < 0:
        raise OptionError(f"nobody is to act after {brief(line)}; shorten the line, or go on")
    if table.cards:
        raise CardError(f"{len(table.cards)} board cards are too many for this line; give fewer")
    return table.state.view(table.state.actor)


class _Table:
    """A hand that is played word by word.  slashes: streets that the line has begun."""

    def __init__(self, state: HoldemState, cards: list[int], spare: Sequence[int]) -> None:
        self.state, self.cards, self.spare = state, cards, list(spare)
        self.slashes = 0
        self.deal(0)

    def deal(self, street: int) -> None:
        """Deal hole cards, and the board up to a street."""
        while self.state.actor == CHANCE:
            if len(self.state.hole) < self.state.game.players:
                source, count = self.spare, self.state.rules.hole_cards
            elif self.state.street < street:
                source, count = self.cards, self.state.rules.streets[self.state.street + 1].cards
                if len(source) < count:
                    raise CardError("the line goes on after the board ends; give more board cards")
            else:
                return
            dealt = tuple(source[:count])
            del source[:count]
            self.state = self.state.apply(dealt)

    def read(self, text: str) -> None:
        word = parse_word(text)
        state = self.state
        if state.actor == TERMINAL:
            raise OptionError("the hand is over; shorten the line")
        if word == NEXT_STREET:
            if state.actor != CHANCE:
                raise OptionError("this street is not over")
            self.slashes += 1
            self.deal(self.slashes)
            return
        if isinstance(word, tuple | str):
            raise OptionError("a line has no cards; give them as the board")
        if state.actor == CHANCE:
            raise OptionError("a street begins here; write / before it")
        legal, big_blind = state.actions, state.rules.big_blind
        self.state = state.apply(resolve(word, legal, state.betting, state.pot, big_blind))
