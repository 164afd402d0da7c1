"""Games of the ACPC as the games of our agents: match states in, views out.

Hold'em games are played by any agent, through a `tiltless.games.holdem.view.View`. The agent sits
in seat 0, its opponents keep their seats and the button moves, as in the match itself. Kuhn and
Leduc have views of their own: see `tiltless.protocols.acpc.small_games`.
"""

from typing import Any, Protocol

from tiltless.errors import InputError, OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, LegalActions, RaiseTo
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.history import HIDDEN
from tiltless.games.holdem.seen_hand import end_view, hand_as_seen
from tiltless.games.holdem.state import HoldemState
from tiltless.games.holdem.variants import limit_holdem, nlhe
from tiltless.games.holdem.view import View
from tiltless.protocols.acpc.gamedef import UNLIMITED, GameDef
from tiltless.protocols.acpc.hand import CALL_MOVE, FOLD_MOVE, Move
from tiltless.protocols.acpc.wire import AcpcMatchState

__all__ = ["AgentTable", "HoldemTable", "holdem_game"]

_OWN = 0
_HOLDEM = {"rounds": 4, "suits": 4, "ranks": 13, "hole_cards": 2, "board_cards": (0, 3, 1, 1)}
_NO_CAP = 255


class AgentTable(Protocol):
    """How a kind of game looks to agents, and how their actions look to a dealer."""

    @property
    def holdem(self) -> Holdem | None:
        """The game that agents are asked whether they can play; None for Kuhn and Leduc."""
        ...

    def opening(self, state: AcpcMatchState) -> View:
        """The view when the cards were dealt, before anybody acted."""
        ...

    def view(self, state: AcpcMatchState) -> View:
        """The view now."""
        ...

    def ending(self, state: AcpcMatchState) -> View:
        """The view of a hand that is over, with its result."""
        ...

    def move(self, action: Action, view: View) -> Move:
        """The move for a legal action."""
        ...


def holdem_game(game: GameDef) -> Holdem:
    """The hold'em game of a definition; `OptionError` says why there is none."""
    for name, value in _HOLDEM.items():
        if getattr(game, name) != value:
            raise OptionError(
                f"{name}={getattr(game, name)} is not hold'em, where it is {value}; agents can "
                "play hold'em, Kuhn and Leduc"
            )
    blinds, heads_up = _blinds(game)
    if game.players > 2 and len(set(game.stacks)) > 1:
        raise OptionError(f"stacks of {game.stacks} are uneven; three and more must have the same")
    common: dict[str, Any] = {"seats": game.players, "blinds": blinds, "heads_up": heads_up}
    if game.no_limit:
        caps = None if set(game.max_raises) == {_NO_CAP} else game.max_raises
        return nlhe(**common, stack=game.stacks, raise_cap=caps, minimum_raise="acpc")
    low, flop, high, river = game.raise_sizes
    if (low, high) != (flop, river):
        raise OptionError(f"raiseSize {game.raise_sizes} is not possible; write 10 10 20 20")
    most = max(blinds) + sum(map(int.__mul__, game.raise_sizes, game.max_raises))
    if min(game.stacks) <= most:
        raise OptionError(
            f"a stack of {min(game.stacks)} may be gone in a hand of limit; give more than {most}"
        )
    stack = tuple(min(each, 2 * most) if each == UNLIMITED else each for each in game.stacks)
    return limit_holdem(
        **common, stack=stack, small_bet=low, big_bet=high, raise_cap=game.max_raises
    )


def _blinds(game: GameDef) -> tuple[tuple[int, int], str]:
    """The blinds, small one first, and who posts them heads-up."""
    first, second, *others = game.blinds
    later = game.first[1:] == (0, 0, 0) and not any(others)
    if game.players > 2 and later and game.first[0] == 2 and 0 < second >= first:
        return (first, second), "standard"
    if game.players == 2 and later and game.first[0] == 1 and 0 < first >= second:
        return (second, first), "standard"
    if game.players == 2 and later and game.first[0] == 0 and 0 < second >= first:
        return (first, second), "pypokerengine"
    raise OptionError(
        f"blinds {game.blinds} with first players {tuple(each + 1 for each in game.first)} are not "
        "those of hold'em; write 100 50 with 2 1 1 1, or 50 100 0 with 3 1 1 1"
    )


class HoldemTable:
    """Hold'em; `OptionError` if the game is not."""

    def __init__(self, game: GameDef) -> None:
        self.game, self.holdem = game, holdem_game(game)
        stacks = self.holdem.rules.stacks
        players = game.players
        self._stacks = [
            tuple(stacks[(own + seat) % players] for seat in range(players))
            for own in range(players)
        ]

    def opening(self, state: AcpcMatchState) -> View:
        """The view after the deal."""
        return self._dealt(state).view(_OWN)

    def view(self, state: AcpcMatchState) -> View:
        """The view after all moves."""
        view = self._played(state).view(_OWN)
        hand, actions = state.hand, view.actions
        if hand.actor != state.position:
            return view
        if view.actor != _OWN or hand.can_fold != actions.fold:
            raise InputError("the dealer's rules are not those of our hold'em here")
        if actions.max_raise and not hand.raise_bounds[1]:  # the 64 actions of a round
            actions = LegalActions(actions.fold, actions.check, actions.call, 0, 0)
            view = view._replace(actions=actions)
        return view

    def ending(self, state: AcpcMatchState) -> View:
        """The view with the result; odd chips are not split here."""
        final, players = self._played(state), self.game.players
        if len(state.hand.live) > 1:
            by_seat = [state.hole[(state.position + seat) % players] for seat in range(players)]
            hole = [tuple(sorted(cards, reverse=True)) or HIDDEN for cards in by_seat]
            final = final._replace(hole=tuple(hole))
        return end_view(final, _OWN, final.payoffs, final.shown)

    def move(self, action: Action, view: View) -> Move:
        """Raises count the chips of the whole hand."""
        if not isinstance(action, RaiseTo):
            return FOLD_MOVE if action == FOLD else CALL_MOVE
        if not self.game.no_limit:
            return Move("r")
        return Move("r", action.chips + view.paid[view.seat] - view.bets[view.seat])

    def _dealt(self, state: AcpcMatchState) -> HoldemState:
        own, players = state.position, self.game.players
        return hand_as_seen(
            self.holdem,
            _OWN,
            state.hole[own],
            button=(players - 1 - own) % players,
            stacks=self._stacks[own],
        )

    def _played(self, state: AcpcMatchState) -> HoldemState:
        played, rounds = self._dealt(state), state.hand.rounds
        for number, moves in enumerate(rounds):
            if number:
                start, end = self.game.board_of(number)
                played = played.apply(state.board[start:end])
            for move in moves:
                played = played.apply(self._action(move, played))
        return played

    def _action(self, move: Move, played: HoldemState) -> Action:
        actions, seat = played.actions, played.actor
        if move.letter == "f":
            return FOLD
        if move.letter == "c":
            return CHECK if actions.check else CALL
        if not self.game.no_limit:
            return RaiseTo(actions.min_raise)
        return RaiseTo(move.size - played.paid[seat] + played.betting.bets[seat])
