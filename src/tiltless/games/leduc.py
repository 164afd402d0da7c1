"""Leduc hold'em, for two players or more, with a deck of any size.

Everybody antes and gets one card, face down. After a round of betting a board card is dealt, and a
second round follows. A pair with the board wins, otherwise the higher card; equal hands split. Bets
and raises have a fixed size in each round (2, then 4), with at most two of them per round. Player 0
acts first in both rounds, or the next player who has not folded.

Paper: Southey et al. (2005), "Bayes' bluff: opponent modelling in poker".
Checked against OpenSpiel's leduc_poker, history by history.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from tiltless.cards.card import RANKS, SUITS
from tiltless.errors import OptionError
from tiltless.games.common import Lottery, checked_player, game_not_over, illegal
from tiltless.games.game import CHANCE, TERMINAL, InfoSet
from tiltless.validate import whole_number

__all__ = ["Leduc", "LeducLine", "LeducState"]

_WORDS = ("fold", "check", "call", "raise")


@dataclass(frozen=True)
class Leduc:
    """The rules. A card is a number, ``suits * rank + suit``; with ``rank_only``, just the rank.

    ranks: the number of ranks in the deck; 0 stands for players + 1.
    raises: the most bets and raises in one round.
    raise_sizes: the size of a bet or raise in each of the two rounds.
    rank_only: deal ranks instead of cards, since suits never matter: the same game with fewer
        histories and information sets (288 instead of 936 for two players).
    """

    players: int = 2
    ranks: int = 0
    suits: int = 2
    raises: int = 2
    raise_sizes: tuple[int, int] = (2, 4)
    ante: int = 1
    rank_only: bool = False

    name: ClassVar[str] = "leduc"
    version: ClassVar[int] = 1
    zero_sum: ClassVar[bool] = True

    def __post_init__(self) -> None:
        sizes = self.raise_sizes
        if not isinstance(sizes, tuple | list) or len(sizes) != 2:
            raise OptionError(f"raise_sizes={sizes!r} is not possible; give two, such as (2, 4)")
        if not isinstance(self.rank_only, bool):
            raise OptionError(f"rank_only={self.rank_only!r} is not possible; use True or False")
        players = whole_number("players", self.players, 2, 10)
        ranks = whole_number("ranks", self.ranks, 0, len(RANKS)) or players + 1
        suits = whole_number("suits", self.suits, 1, len(SUITS))
        if ranks * suits <= players:
            raise OptionError(
                f"ranks={ranks} x suits={suits} are too few cards for {players} players and a "
                "board; raise ranks or suits"
            )
        fixed = {
            "players": players,
            "ranks": ranks,
            "suits": suits,
            "raises": whole_number("raises", self.raises, 0, 1000),
            "raise_sizes": tuple(whole_number("raise_sizes", x, 1, 10**6) for x in sizes),
            "ante": whole_number("ante", self.ante, 1, 10**6),
        }
        for name, value in fixed.items():
            object.__setattr__(self, name, value)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """All parameters, defaults included."""
        names = ("players", "ranks", "suits", "raises", "raise_sizes", "ante", "rank_only")
        return {name: getattr(self, name) for name in names}

    @cached_property
    def card_names(self) -> tuple[str, ...]:
        """The text of each card, by its number: ``("Jh", "Js", "Qh" …)`` or ``("J", "Q" …)``."""
        ranks = "JQKA"[: self.ranks] if self.ranks <= 4 else RANKS[-self.ranks :]
        suits = ("",) if self.rank_only else tuple(SUITS[-self.suits :])
        return tuple(rank + suit for rank in ranks for suit in suits)

    @cached_property
    def copies(self) -> int:
        """How many copies of each card number the deck contains."""
        return self.suits if self.rank_only else 1

    @cached_property
    def strength(self) -> tuple[tuple[int, ...], ...]:
        """``strength[board][card]``: the larger value wins."""
        rank_of = [card * self.copies // self.suits for card in range(len(self.card_names))]
        pair = len(rank_of)
        return tuple(tuple(own + pair * (own == top) for own in rank_of) for top in rank_of)

    @cached_property
    def opening(self) -> "LeducLine":
        """The line on which nobody has acted."""
        everybody = tuple(range(self.players))
        return LeducLine(self, 0, everybody, everybody, (self.ante,) * self.players, 0, "")

    def start(self) -> "LeducState":
        """The antes are paid, no card is dealt."""
        return LeducState(self, (), None, self.opening)

    def action_text(self, action: Any) -> str:
        """``"raise"``, or the name of a card such as ``"Qs"``."""
        return action if isinstance(action, str) else self.card_names[action]

    def parse_action(self, text: str) -> Any:
        """A word such as ``raise`` as it is, the name of a card as its number."""
        if text in _WORDS:
            return text
        if text in self.card_names:
            return self.card_names.index(text)
        words = ", ".join(_WORDS + self.card_names)
        raise OptionError(f"{text!r} is not a move in this Leduc game; write one of {words}")


class LeducLine:
    """A betting line: the public actions. One object is shared by all deals.

    street: 0 before the board, 1 after.
    waiting: the players who must still act in this round, the next one first.
    live: the players who have not folded.
    paid: chips of each player in the pot.
    raised: bets and raises in this round.
    text: the whole line, ``"check raise call / check"``.
    """

    __slots__ = (
        "_after",
        "_settled",
        "actions",
        "actor",
        "live",
        "paid",
        "raised",
        "rules",
        "street",
        "text",
        "waiting",
    )

    def __init__(
        self,
        rules: Leduc,
        street: int,
        waiting: tuple[int, ...],
        live: tuple[int, ...],
        paid: tuple[int, ...],
        raised: int,
        text: str,
    ) -> None:
        self.rules, self.street, self.waiting, self.live = rules, street, waiting, live
        self.paid, self.raised, self.text = paid, raised, text
        if len(live) == 1 or (street == 1 and not waiting):
            self.actor = TERMINAL
        else:
            self.actor = waiting[0] if waiting else CHANCE
        self.actions = self._legal() if self.actor >= 0 else ()
        self._after: dict[str, LeducLine] = {}
        self._settled: dict[tuple[int, ...], tuple[float, ...]] = {}

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, LeducLine) and self.text == other.text and self.rules == other.rules
        )

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"<Line {self.text!r}>"

    def after(self, move: str) -> "LeducLine":
        """The line after an action of the actor, or after ``"/"``, the board card."""
        if move not in self._after:
            self._after[move] = self._extend(move)
        return self._after[move]

    def settle(self, winners: tuple[int, ...]) -> tuple[float, ...]:
        """Net payoffs when ``winners`` share the pot equally."""
        if winners not in self._settled:
            share = sum(self.paid) / len(winners)
            self._settled[winners] = tuple(
                share * (player in winners) - paid for player, paid in enumerate(self.paid)
            )
        return self._settled[winners]

    def _legal(self) -> tuple[str, ...]:
        facing = self.paid[self.actor] < max(self.paid)
        quiet = ("fold", "call") if facing else ("check",)
        return (*quiet, "raise") if self.raised < self.rules.raises else quiet

    def _extend(self, move: str) -> "LeducLine":
        text = f"{self.text} {move}".lstrip()
        if move == "/":
            return LeducLine(self.rules, 1, self.live, self.live, self.paid, 0, text)
        actor, waiting, live, raised = self.actor, self.waiting[1:], self.live, self.raised
        paid = list(self.paid)
        if move == "fold":
            live = tuple(player for player in live if player != actor)
        elif move == "call":
            paid[actor] = max(paid)
        elif move == "raise":
            paid[actor] = max(paid) + self.rules.raise_sizes[self.street]
            index = live.index(actor)
            waiting, raised = live[index + 1 :] + live[:index], raised + 1
        return LeducLine(self.rules, self.street, waiting, live, tuple(paid), raised, text)


class LeducState(NamedTuple):
    """The cards dealt so far, by player, the board card and the betting line."""

    game: Leduc
    cards: tuple[int, ...]
    board: int | None
    line: LeducLine

    @property
    def actor(self) -> int:
        """Chance deals to each player; then the actor of the line."""
        return self.line.actor if len(self.cards) == self.game.players else CHANCE

    @property
    def actions(self) -> tuple[str, ...]:
        """Fold and call, or check; and raise, below the cap."""
        return self.line.actions if len(self.cards) == self.game.players else ()

    @property
    def chance(self) -> Lottery | None:
        """A card for the next player, who alone sees it; or the board, which all see."""
        game, cards = self.game, self.cards
        if self.actor != CHANCE:
            return None
        dealt, everybody = len(cards), tuple(range(game.players))
        seen_by = (dealt,) if dealt < game.players else everybody
        deck = range(len(game.card_names))
        if game.copies == 1:
            return Lottery(tuple(card for card in deck if card not in cards), seen_by)
        left = {card: game.copies - cards.count(card) for card in deck}
        tickets = tuple(card for card in deck if left[card])
        return Lottery(tickets, seen_by, tuple(left[card] for card in tickets))

    @property
    def payoffs(self) -> tuple[float, ...]:
        """The pot for the last live player or the best hand, less what each player paid."""
        line = self.line
        if line.actor != TERMINAL:
            raise game_not_over()
        if self.board is None or len(line.live) == 1:
            return line.settle(line.live)
        strength, cards = self.game.strength[self.board], self.cards
        best = max([strength[cards[player]] for player in line.live])
        return line.settle(tuple([p for p in line.live if strength[cards[p]] == best]))

    def can(self, move: Any) -> bool:
        """Whether the card may be dealt, or the action is legal."""
        if self.actor != CHANCE:
            return move.__class__ is str and move in self.actions
        if move.__class__ is not int or not 0 <= move < len(self.game.card_names):
            return False
        return self.cards.count(move) < self.game.copies

    def verify(self, move: Any) -> None:
        """Raise `IllegalActionError` unless ``move`` may be applied."""
        if not self.can(move):
            raise illegal(self, move)

    def apply(self, move: Any) -> "LeducState":
        """One more card, or one more action."""
        game, cards, board, line = self
        dealt = len(cards) == game.players
        if dealt and move.__class__ is str and move in line.actions:
            return LeducState(game, cards, board, line.after(move))
        self.verify(move)
        if dealt:
            return LeducState(game, cards, move, line.after("/"))
        return LeducState(game, (*cards, move), None, line)

    def infoset(self, player: int) -> InfoSet:
        """Public: the line and the board, or how many cards are dealt. Private: own card."""
        game, cards, board, line = self
        player = checked_player(game, player)
        names, dealt = game.card_names, len(cards)
        own = names[cards[player]] if player < dealt else ""
        if dealt < game.players:
            return InfoSet(player, (f"{dealt} dealt", ""), own, ())
        public = (line.text, "" if board is None else names[board])
        return InfoSet(player, public, own, line.actions if player == line.actor else ())
