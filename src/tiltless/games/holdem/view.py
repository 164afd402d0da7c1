"""Views: what one player may see: public rules, public history and the player's own cards.

A view is all that an agent is given. It holds no reference to its state or to the game, so hidden
cards and hidden ranks cannot be reached from it.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from tiltless.cards.card import cards_text
from tiltless.games.game import TERMINAL
from tiltless.games.holdem.actions import NO_ACTIONS, LegalActions
from tiltless.games.holdem.betting import Betting
from tiltless.games.holdem.events import Event, Post, closing_events, dead_chips, public_events
from tiltless.games.holdem.pots import Pot, side_pots
from tiltless.games.holdem.rules import Rules
from tiltless.validate import whole_number

if TYPE_CHECKING:
    from tiltless.games.holdem.state import HoldemState

__all__ = ["View", "unchecked_view", "view"]


class View(NamedTuple):
    """A hand as the player in ``seat`` sees it.

    game: the name of the game.  cards: the player's hole cards, empty before they are dealt.
    button: the seat of the button.  street: 0 before the flop; board: its cards in order.
    actor: the seat to act, or CHANCE, or TERMINAL.  actions: what this player may do now, empty
    when somebody else is to act.
    betting: the chips on the table; `stacks`, `bets` and the like read it.
    starting_stacks, posts, opening: before the hand, and the forced payments at its start.
    moves: the public history, as `tiltless.games.holdem.state.HoldemState` has it; to read it, see
    `events` and `tiltless.games.holdem.history`.
    shown: (seat, cards) of the hands shown at the end.  payoffs: net chips at the end, else None.
    """

    game: str
    rules: Rules
    seat: int
    button: int
    cards: tuple[int, ...]
    street: int
    board: tuple[int, ...]
    actor: int
    actions: LegalActions
    betting: Betting
    starting_stacks: tuple[int, ...]
    posts: tuple[Post, ...]
    opening: Betting
    moves: tuple[Any, ...]
    shown: tuple[tuple[int, tuple[int, ...]], ...]
    payoffs: tuple[int, ...] | None

    @property
    def stacks(self) -> tuple[int, ...]:
        """Chips behind, by seat."""
        return self.betting.stacks

    @property
    def bets(self) -> tuple[int, ...]:
        """Chips in front on this street, by seat."""
        return self.betting.bets

    @property
    def stack(self) -> int:
        """The player's chips behind."""
        return self.betting.stacks[self.seat]

    @property
    def paid(self) -> tuple[int, ...]:
        """Chips paid in this hand so far, by seat."""
        return tuple(
            start - now
            for start, now in zip(self.starting_stacks, self.betting.stacks, strict=True)
        )

    @property
    def pot(self) -> int:
        """All chips paid in this hand so far, by everybody."""
        return sum(self.starting_stacks) - sum(self.betting.stacks)

    @property
    def live(self) -> tuple[int, ...]:
        """The seats that have not folded."""
        mask = self.betting.live
        return tuple(seat for seat in range(len(self.starting_stacks)) if mask >> seat & 1)

    @property
    def pots(self) -> tuple[Pot, ...]:
        """Main pot and side pots as of now."""
        paid = [each - ante for each, ante in zip(self.paid, self._dead, strict=True)]
        return side_pots(paid, self.betting.live, sum(self._dead))

    @property
    def _dead(self) -> tuple[int, ...]:
        return dead_chips(self.posts, len(self.starting_stacks))

    @property
    def to_call(self) -> int:
        """What a call costs now; 0 if checking is free or it is not this player's turn."""
        return self.actions.call

    @property
    def min_raise(self) -> int:
        """The smallest legal `RaiseTo`; 0 if there is none."""
        return self.actions.min_raise

    @property
    def max_raise(self) -> int:
        """The largest legal `RaiseTo`; 0 if there is none."""
        return self.actions.max_raise

    @property
    def street_name(self) -> str:
        """``"flop"``."""
        return self.rules.street_name(self.street)

    @property
    def opponents(self) -> tuple[int, ...]:
        """The other seats that have not folded."""
        return tuple(seat for seat in self.live if seat != self.seat)

    @property
    def is_over(self) -> bool:
        """Whether the hand is over."""
        return self.actor == TERMINAL

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything that has happened so far, as this player saw it."""
        return tuple(self._events())

    def _events(self) -> Iterator[Event]:
        own = {self.seat: self.cards} if self.cards else {}
        yield from public_events(self, self.posts, own)
        if self.payoffs is not None:
            winnings = tuple(self.payoffs[seat] + self.paid[seat] for seat in range(len(self.paid)))
            yield from closing_events(
                self.pots, self.paid, self._dead, self.live, winnings, self.shown
            )

    def __str__(self) -> str:
        """``"seat 0 AsKd, flop Kh7c9d, pot 12: fold, call 4, raise to 8..194"``."""
        board = cards_text(self.board)
        return (
            f"seat {self.seat} {cards_text(self.cards) or '-'}, "
            f"{self.street_name}{' ' + board if board else ''}, pot {self.pot}: {self.actions}"
        )


def view(state: "HoldemState", seat: int) -> View:
    """What the player in ``seat`` may see of a state."""
    return unchecked_view(state, whole_number("seat", seat, 0, len(state.table.stacks) - 1))


def unchecked_view(state: "HoldemState", seat: int) -> View:
    """`view` without the check of ``seat``, for a dealer that makes a view at every decision."""
    table, actor, betting, street, board, hole, _, moves, _ = state
    game, over = table.game, actor == TERMINAL
    return View(
        game.name,
        game.rules,
        seat,
        table.button,
        hole[seat] if seat < len(hole) else (),
        street,
        board,
        actor,
        betting.actions if seat == actor else NO_ACTIONS,
        betting,
        table.stacks,
        table.posts,
        table.betting,
        moves,
        state.shown if over else (),
        state.payoffs if over else None,
    )
