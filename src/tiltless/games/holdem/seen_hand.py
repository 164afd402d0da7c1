"""Hands with some cards unknown: states and views of what one seat, or a history, has seen."""

from collections.abc import Sequence

from tiltless.errors import CardError
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem.actions import NO_ACTIONS
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.history import HIDDEN, HIDDEN_RANKS
from tiltless.games.holdem.state import HoldemState
from tiltless.games.holdem.view import View

__all__ = ["UNKNOWN_RANKS", "cards_decide", "deal_known", "end_view", "hand_as_seen"]

UNKNOWN_RANKS = ""
"""Stands for a hidden order of ranks that is not known."""


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
    if not cards:
        raise CardError(f"the cards of seat {seat} are missing; give all of them")
    hole = [tuple(cards) if each == seat else HIDDEN for each in range(game.players)]
    return deal_known(game.start(button, stacks), hole)


def deal_known(
    start: HoldemState, hole: Sequence[Sequence[int]], ranks: str = UNKNOWN_RANKS
) -> HoldemState:
    """The state after hole cards are dealt, seat 0 first, of which some are not known.

    hole: empty (`HIDDEN`) for cards that are not known.  ranks: the hidden order, in games that
    have one.
    """
    state, game = start, start.game
    if game.hidden is not None and state.ranks is None:
        unknown = state._replace(ranks=UNKNOWN_RANKS, moves=(HIDDEN_RANKS,))
        state = state.apply(ranks) if ranks != UNKNOWN_RANKS else unknown
    for cards in hole:
        if cards:
            state = state.apply(tuple(cards))  # checks the cards and sorts them
            continue
        state = state._replace(hole=(*state.hole, HIDDEN), moves=(*state.moves, HIDDEN))
        if len(state.hole) == game.players and state.betting.actor >= 0:
            state = state._replace(actor=state.betting.actor)
    return state


def cards_decide(state: HoldemState) -> bool:
    """False for a hand that is over and whose winners cannot be told from the known cards."""
    live = state.live
    if state.actor != TERMINAL or len(live) < 2:
        return True
    return state.ranks != UNKNOWN_RANKS and all(state.hole[seat] for seat in live)


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
