"""One table, hand by hand: actions by number in, observations, masks and payoffs out.

The common part of the environments for PettingZoo and Gymnasium; it needs neither.
"""

from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.errors import OptionError
from tiltless.games.game import CHANCE, Game
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.state import HoldemState
from tiltless.games.registry import load
from tiltless.protocols.encoding.action_numbers import action_numbers, checked_number
from tiltless.protocols.encoding.observation import observation_of

__all__ = ["MOST_ENV_SEATS", "NumberedTable", "game_of", "state_text"]

MOST_ENV_SEATS = 6


def game_of(game: Game | str, parameters: dict[str, Any]) -> Game:
    """A game, or one from its name and parameters; `OptionError` unless it has 2 to 6 seats."""
    if not isinstance(game, str) and parameters:
        raise OptionError(
            f"parameters ({', '.join(parameters)}) go with the name of a game, not with a game"
        )
    found = load(game, **parameters) if isinstance(game, str) else game
    if not 2 <= found.players <= MOST_ENV_SEATS:
        raise OptionError(
            f"{found.name} has {found.players} seats here; environments have 2 to {MOST_ENV_SEATS}"
        )
    return found


class NumberedTable:
    """A table whose actions are numbers.

    actions: the numbering, see `tiltless.protocols.encoding.action_numbers`.
    state: the current state.  illegal: whether the last number was illegal and ruled on.

    In hold'em the button starts where the game has it, and moves a seat with each hand.
    """

    def __init__(self, game: Game, actions: str = "") -> None:
        self.game = game
        self.numbers = action_numbers(game, actions)
        self.layout = observation_of(game)
        self.rng = Random()
        self.illegal = False
        self._holdem = game if isinstance(game, Holdem) else None
        self._first_button = self._holdem.button if self._holdem else 0
        self.hands = 0
        self.state: Any = None

    def seed(self, seed: int) -> None:
        """Begin again with the first hand of a seed."""
        self.rng = Random(seed)
        self.hands = 0

    def deal(self) -> None:
        """A new hand, up to its first decision."""
        game = self._holdem
        if game is None:
            state: Any = self.game.start()
        else:
            state = game.start((self._first_button + self.hands) % game.players)
        self.hands += 1
        self.illegal = False
        self.state = self._after_chance(state)

    def act(self, number: Any) -> None:
        """Apply an action of the player to act, and deal what follows.

        An illegal number is ruled on as in our arena: a check if that is free, otherwise a fold.
        """
        state, numbers = self.state, self.numbers
        whole = checked_number(numbers, number)
        self.illegal = whole not in numbers.legal(state)
        if self.illegal:
            whole = numbers.fallback(state)
        self.apply(numbers.action(state, whole))

    def apply(self, action: Any) -> None:
        """Apply an action of the game itself, which must be legal; it needs no number."""
        self.state = self._after_chance(self.state.apply(action))

    def _after_chance(self, state: Any) -> Any:
        while state.actor == CHANCE:
            before, state = state, state.apply(state.chance.sample(self.rng))
            self.layout.dealt(before, state)
        return state

    @property
    def actor(self) -> int:
        """The seat to act; below 0 if the hand is over."""
        return int(self.state.actor)

    @property
    def payoffs(self) -> tuple[float, ...]:
        """Net winnings by seat, once the hand is over."""
        return tuple(self.state.payoffs)

    def observation(self, seat: int) -> npt.NDArray[np.float32]:
        """What a seat knows, float32 ``[layout.size]``."""
        return self.layout.vector(self.state, seat)

    def mask(self, seat: int) -> npt.NDArray[np.int8]:
        """1 for each legal number of a seat, int8 ``[numbers.count]``; zeros if it does not act."""
        out = np.zeros(self.numbers.count, np.int8)
        if self.state.actor == seat:
            for number in self.numbers.legal(self.state):
                out[number] = 1
        return out

    def text(self) -> str:
        """The table for people: every card."""
        return state_text(self.state)


def state_text(state: Any) -> str:
    """A state for people; hold'em as each seat sees it."""
    if not isinstance(state, HoldemState):
        return repr(state)
    return "\n".join(str(state.view(seat)) for seat in range(state.game.players))
