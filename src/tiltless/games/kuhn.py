"""Kuhn poker, for two players or more.

Everybody antes 1 and gets one card from a deck of players + 1 different cards. Starting with player
0, each checks or bets 1. Once somebody has bet, each of the others in turn folds or calls, and the
highest card among those who paid takes the pot; if all check, the highest card of all.

Paper: Kuhn (1950), "A simplified two-person poker"; for more players, Abou Risk & Szafron (2010).
Checked against OpenSpiel's kuhn_poker, history by history.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from tiltless.cards.card import RANKS
from tiltless.errors import OptionError
from tiltless.games.common import Lottery, checked_player, game_not_over, illegal
from tiltless.games.game import CHANCE, TERMINAL, InfoSet
from tiltless.validate import whole_number

__all__ = ["Kuhn", "KuhnState"]

_OPEN = ("check", "bet")
_FACING_BET = ("fold", "call")


@dataclass(frozen=True)
class Kuhn:
    """The rules; a card is a number 0 … players, the higher the better."""

    players: int = 2

    name: ClassVar[str] = "kuhn"
    version: ClassVar[int] = 1
    zero_sum: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "players", whole_number("players", self.players, 2, 12))

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The number of players."""
        return {"players": self.players}

    @property
    def ranks(self) -> str:
        """One letter for each card: JQK for two players, JQKA for three."""
        cards = self.players + 1
        return "JQKA"[:cards] if cards <= 4 else RANKS[-cards:]

    def start(self) -> "KuhnState":
        """The antes are paid, no card is dealt."""
        return KuhnState(self, (), ())

    def action_text(self, action: Any) -> str:
        """``"bet"``, or the letter of a card."""
        return action if isinstance(action, str) else self.ranks[action]

    def parse_action(self, text: str) -> Any:
        """A word such as ``bet`` as it is, a letter as a card."""
        if text in _OPEN + _FACING_BET:
            return text
        if len(text) == 1 and text in self.ranks:
            return self.ranks.index(text)
        words = ", ".join(_OPEN + _FACING_BET)
        raise OptionError(
            f"{text!r} is not a move in Kuhn poker; write {words} or one of {self.ranks}"
        )


class KuhnState(NamedTuple):
    """The cards dealt so far, by player, and the moves since."""

    game: Kuhn
    cards: tuple[int, ...]
    moves: tuple[str, ...]

    @property
    def actor(self) -> int:
        """Chance deals to each player; then they act in turn, each once, or once after a bet."""
        players, moves = self.game.players, self.moves
        if len(self.cards) < players:
            return CHANCE
        rounds = moves.index("bet") + players if "bet" in moves else players
        return len(moves) % players if len(moves) < rounds else TERMINAL

    @property
    def actions(self) -> tuple[str, ...]:
        """Check or bet; after a bet, fold or call."""
        if self.actor < 0:
            return ()
        return _FACING_BET if "bet" in self.moves else _OPEN

    @property
    def chance(self) -> Lottery | None:
        """A card for the next player, who alone sees it."""
        if self.actor != CHANCE:
            return None
        left = tuple(card for card in range(self.game.players + 1) if card not in self.cards)
        return Lottery(left, (len(self.cards),))

    @property
    def payoffs(self) -> tuple[float, ...]:
        """The pot for the best card that paid for it, less what each player paid."""
        if self.actor != TERMINAL:
            raise game_not_over()
        players = self.game.players
        paid = [1] * players
        for turn, move in enumerate(self.moves):
            if move in ("bet", "call"):
                paid[turn % players] = 2
        winner = max((most, card) for most, card in zip(paid, self.cards, strict=True))[1]
        pot = sum(paid)
        return tuple(
            float(pot * (card == winner) - mine)
            for card, mine in zip(self.cards, paid, strict=True)
        )

    def can(self, move: Any) -> bool:
        """Whether the card may be dealt, or the action is legal."""
        if self.chance:
            return move.__class__ is int and move in self.chance.tickets
        return move.__class__ is str and move in self.actions

    def verify(self, move: Any) -> None:
        """Raise `IllegalActionError` unless ``move`` may be applied."""
        if not self.can(move):
            raise illegal(self, move)

    def apply(self, move: Any) -> "KuhnState":
        """One more card, or one more move."""
        self.verify(move)
        if self.actor == CHANCE:
            return KuhnState(self.game, (*self.cards, move), ())
        return KuhnState(self.game, self.cards, (*self.moves, move))

    def infoset(self, player: int) -> InfoSet:
        """Public: the moves, or how many cards are dealt. Private: the player's own card."""
        player = checked_player(self.game, player)
        dealt = len(self.cards)
        ready = dealt == self.game.players
        public = " ".join(self.moves) if ready else f"{dealt} dealt"
        own = self.game.ranks[self.cards[player]] if player < dealt else ""
        return InfoSet(player, public, own, self.actions if player == self.actor else ())
