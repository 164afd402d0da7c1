"""States of a hold'em hand.

A state is a named tuple, so it is immutable, hashable and quick to create. It contains only what
has happened: no undealt cards. Chance deals each seat's hole cards in turn, then the board of each
street. Once nobody can bet any more, only cards follow.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from tiltless.cards.card import cards_text
from tiltless.cards.hand_order import permuted
from tiltless.cards.scalar_evaluate import showdown
from tiltless.games.common import game_not_over
from tiltless.games.game import CHANCE, TERMINAL, Chance, IllegalActionError, InfoSet
from tiltless.games.holdem.actions import NO_ACTIONS, LegalActions
from tiltless.games.holdem.betting import Betting
from tiltless.games.holdem.deal import Deal
from tiltless.games.holdem.events import Post
from tiltless.games.holdem.history import HIDDEN, HIDDEN_RANKS
from tiltless.games.holdem.pots import Pot, share_out, side_pots
from tiltless.games.holdem.rules import Rules
from tiltless.validate import brief, whole_number

if TYPE_CHECKING:
    from tiltless.games.holdem.game import Holdem
    from tiltless.games.holdem.view import View

__all__ = ["HoldemState", "Table"]


@dataclass(frozen=True, slots=True)
class Table:
    """What is fixed before the cards of a hand are dealt.

    order: seats clockwise from the one left of the button; odd chips go to the first.
    dead: the big blind ante that each seat has paid.  betting: after the blinds.
    """

    game: "Holdem"
    button: int
    stacks: tuple[int, ...]
    order: tuple[int, ...]
    posts: tuple[Post, ...]
    dead: tuple[int, ...]
    betting: Betting


class HoldemState(NamedTuple):
    """A position in a hand.

    table: button, stacks at the start and posts.  actor: a seat, or CHANCE, or TERMINAL.
    betting: the chips.  street: 0 before the flop.  board: card numbers, in dealing order.
    hole: the hole cards dealt so far, seat 0 first.  dealt: all dealt cards, a bit mask.
    moves: the public history: actions, board cards, and placeholders for hidden cards and ranks.
    ranks: the hidden order of ranks, if chance has drawn one.
    """

    table: Table
    actor: int
    betting: Betting
    street: int
    board: tuple[int, ...]
    hole: tuple[tuple[int, ...], ...]
    dealt: int
    moves: tuple[Any, ...]
    ranks: str | None

    def __hash__(self) -> int:
        return hash((self.moves, self.hole))

    def __repr__(self) -> str:
        who = {CHANCE: "chance", TERMINAL: "over"}.get(self.actor, f"seat {self.actor}")
        name = self.game.rules.street_name(self.street)
        board = cards_text(self.board) or "-"
        return f"<{self.game.name} {name} {board} pot {self.pot}: {who}>"

    @property
    def game(self) -> "Holdem":
        """The rules that made this state."""
        return self.table.game

    @property
    def rules(self) -> Rules:
        """What every player may know of the game."""
        return self.table.game.rules

    @property
    def button(self) -> int:
        """The seat of the button."""
        return self.table.button

    @property
    def opening(self) -> Betting:
        """The betting after the blinds."""
        return self.table.betting

    @property
    def actions(self) -> LegalActions:
        """The legal actions of the player to act; empty if nobody is."""
        return self.betting.actions if self.actor >= 0 else NO_ACTIONS

    @property
    def chance(self) -> Chance | None:
        """The cards (or hidden ranks) that may be dealt next; None if chance is not to act."""
        if self.actor != CHANCE:
            return None
        game = self.table.game
        if game.hidden is not None and self.ranks is None:
            return game.hidden
        return self._deal()

    def _deal(self) -> Deal:
        game, seat = self.table.game, len(self.hole)
        left = game.deck & ~self.dealt
        if seat < game.players:
            return Deal(left, game.rules.hole_cards, (seat,))
        return Deal(left, game.deal_size(self.street, self.board), game.all_seats)

    def verify(self, move: Any) -> None:
        """Raise `IllegalActionError` unless ``move`` may be applied."""
        self.apply(move)

    def can(self, move: Any) -> bool:
        """Whether ``move`` may be applied."""
        try:
            self.apply(move)
        except IllegalActionError:
            return False
        return True

    def apply(self, move: Any) -> "HoldemState":
        """The state after an action, or after chance has dealt cards or hidden ranks."""
        table, actor, betting, street, board, hole, dealt, moves, ranks = self
        game = table.game
        if actor >= 0:
            betting = betting.after(move)
            moves = (*moves, move)
        elif actor == TERMINAL:
            raise IllegalActionError(f"{brief(move)} cannot be applied: the hand is over")
        elif game.hidden is not None and ranks is None:
            ranks = game.hidden.checked(move)
            moves = (*moves, HIDDEN_RANKS)
        else:
            cards, mask = self._deal().checked(move)
            dealt |= mask
            if len(hole) < game.players:
                hole = (*hole, cards)
                moves = (*moves, HIDDEN)
            else:
                board += cards
                moves = (*moves, cards)
                street += 1
                betting = betting.next_round(game.round(street), table.button)
        if len(hole) < game.players:
            actor = CHANCE
        elif betting.actor >= 0:
            actor = betting.actor
        elif betting.live & betting.live - 1 and game.deal_size(street, board):
            actor = CHANCE  # the next street
        else:
            actor = TERMINAL
        return HoldemState(table, actor, betting, street, board, hole, dealt, moves, ranks)

    def infoset(self, player: int) -> InfoSet:
        """What ``player`` knows: stacks, history, their hole cards and the hands shown."""
        seat = whole_number("player", player, 0, self.game.players - 1)
        public = (self.table.button, self.table.stacks, self.moves)
        private = self.hole[seat] if seat < len(self.hole) else HIDDEN
        if self.shown:
            return InfoSet(seat, (*public, self.shown), private, NO_ACTIONS)
        return InfoSet(seat, public, private, self.actions_of(seat))

    def actions_of(self, seat: int) -> LegalActions:
        """The legal actions of ``seat``: empty unless it is to act."""
        return self.betting.actions if seat == self.actor else NO_ACTIONS

    def view(self, seat: int) -> "View":
        """Everything that the player in ``seat`` may see, as given to agents: see `holdem.view`."""
        from tiltless.games.holdem.view import view

        return view(self, seat)

    @property
    def live(self) -> tuple[int, ...]:
        """The seats that have not folded."""
        mask = self.betting.live
        return tuple(seat for seat in range(self.game.players) if mask >> seat & 1)

    @property
    def pot(self) -> int:
        """All chips paid so far, on all streets."""
        return sum(self.table.stacks) - sum(self.betting.stacks)

    @property
    def paid(self) -> tuple[int, ...]:
        """Chips paid in this hand so far, by seat."""
        return tuple(
            start - now for start, now in zip(self.table.stacks, self.betting.stacks, strict=True)
        )

    @property
    def shown(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """At a showdown, (seat, cards) of each live seat; otherwise empty."""
        if self.actor != TERMINAL or not self.betting.live & self.betting.live - 1:
            return ()
        return tuple((seat, self.hole[seat]) for seat in self.live)

    @property
    def pots(self) -> tuple[Pot, ...]:
        """Main pot and side pots as of now; see `holdem.pots`."""
        dead = self.table.dead
        paid = [each - ante for each, ante in zip(self.paid, dead, strict=True)]
        return side_pots(paid, self.betting.live, sum(dead))

    @property
    def values(self) -> tuple[int, ...]:
        """The value of each seat's hand at a showdown, 0 for folded hands."""
        if self.actor != TERMINAL:
            raise game_not_over()
        game, hole = self.table.game, self.hole
        order = game.order if self.ranks is None else permuted(self.ranks)
        seats = self.live
        hands = [hole[seat] for seat in seats]
        live_values = showdown(order, game.rules.eval7_flushes).values(self.board, hands)
        values = [0] * game.players
        for seat, value in zip(seats, live_values, strict=True):
            values[seat] = value
        return tuple(values)

    @property
    def winnings(self) -> tuple[int, ...]:
        """The chips each seat receives at the end: from the pots, and uncalled bets."""
        if self.actor != TERMINAL:
            raise game_not_over()
        live = self.betting.live
        if not live & live - 1:
            pot = self.pot
            return tuple(pot if live >> seat & 1 else 0 for seat in range(self.game.players))
        return tuple(share_out(self.pots, self.values, self.table.order))

    @property
    def payoffs(self) -> tuple[int, ...]:
        """Net chips of each seat at the end of the hand."""
        now, start = self.betting.stacks, self.table.stacks
        return tuple(
            stack + won - begun for stack, won, begun in zip(now, self.winnings, start, strict=True)
        )
