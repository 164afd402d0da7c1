"""Hands with one seat's cards known: states and views for dialects that report actions."""

from collections.abc import Sequence

from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem.actions import NO_ACTIONS
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.history import HIDDEN, HIDDEN_RANKS
from tiltless.games.holdem.state import HoldemState
from tiltless.games.holdem.view import View

__all__ = ["end_view", "hand_as_seen"]

_UNKNOWN_RANKS = ""


def hand_as_seen(
    game: Holdem,
    seat: int,
    cards: Sequence[int],
    *,
    button: int | None = None,
    stacks: Sequence[int] | None = None,
) -> HoldemState:
    """A hand after the deal as one seat sees it, with the others' cards unknown.

    Apply the actions and board cards of the messages with `HoldemState.apply`, which refuses what
    is illegal. `HoldemState.view` of this seat is as in our own hands until the hand is over; from
    then on use `end_view`.
    """
    own = game.start(button, stacks)
    if game.hidden is not None:
        own = own._replace(ranks=_UNKNOWN_RANKS, moves=(HIDDEN_RANKS,))
    own = own.apply(tuple(cards))  # checks the cards and sorts them
    hole = tuple(own.hole[0] if each == seat else HIDDEN for each in range(game.players))
    actor = own.table.betting.actor
    hidden = (HIDDEN,) * (game.players - 1)
    return own._replace(
        actor=actor if actor >= 0 else CHANCE, hole=hole, moves=(*own.moves, *hidden)
    )


def end_view(
    state: HoldemState,
    seat: int,
    payoffs: Sequence[int],
    shown: Sequence[tuple[int, tuple[int, ...]]] = (),
) -> View:
    """The view of a hand that is over, with the result and the cards that messages showed."""
    view = state._replace(actor=CHANCE).view(seat)
    return view._replace(
        actor=TERMINAL, actions=NO_ACTIONS, payoffs=tuple(payoffs), shown=tuple(shown)
    )
