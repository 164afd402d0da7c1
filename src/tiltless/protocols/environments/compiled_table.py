"""One table on the compiled engine: the interface of `NumberedTable`, a quarter of its time."""

from typing import Any

import numpy as np
import numpy.typing as npt

from tiltless.errors import OptionError
from tiltless.games.game import CHANCE, TERMINAL, Game
from tiltless.games.holdem.game import Holdem
from tiltless.kernels.base.jit import compiler_enabled
from tiltless.protocols.encoding.action_numbers import checked_number
from tiltless.protocols.environments.table import NumberedTable, state_text
from tiltless.protocols.environments.vector import VectorTables

__all__ = ["CompiledTable", "make_table"]


def make_table(game: Game, actions: str = "") -> "NumberedTable | CompiledTable":
    """A table for a game: compiled where the kernels play it, otherwise on our readable rules."""
    if compiler_enabled() and isinstance(game, Holdem):
        try:
            return CompiledTable(game, actions)
        except OptionError:
            pass  # said again below, if the game or the actions are at fault
    return NumberedTable(game, actions)


class CompiledTable:
    """A table whose actions are numbers, see `NumberedTable`; `OptionError` as `compiled_rules`."""

    def __init__(self, game: Holdem, actions: str = "") -> None:
        self._one = VectorTables(game, tables=1, actions=actions, seed=_any_seed())
        self.game, self.numbers, self.layout = game, self._one.numbers, self._one.layout
        self.illegal = False
        self.actor = -1
        self._number = np.zeros(1, np.int64)
        self._taken: list[int] = []
        self._fresh = True

    def seed(self, seed: int) -> None:
        """Begin again with the first hand of a seed."""
        self._one.reset(seed)
        self._fresh = True

    def deal(self) -> None:
        """A new hand, up to its first decision."""
        if not self._fresh:  # the first hand of a seed is dealt with it
            self._one.reset()
        self._fresh = False
        self.illegal = False
        self._taken = []
        self.actor = int(self._one.actors[0])

    def act(self, number: Any) -> None:
        """Apply an action of the player to act; an illegal one is ruled on as in our arena."""
        whole = checked_number(self.numbers, number)
        one = self._one
        self.illegal = not one.masks[0, whole]
        self._number[0] = whole
        self._taken.append(whole)
        one._step(self._number, False, False)
        self.actor = int(one.actors[0])

    @property
    def payoffs(self) -> tuple[float, ...]:
        """Net winnings by seat, once the hand is over."""
        return tuple(self._one.payoffs[0].tolist())

    def observation(self, seat: int) -> npt.NDArray[np.float32]:
        """What a seat knows, float32 ``[layout.size]``."""
        if seat == self.actor:
            return np.array(self._one.observations[0])
        return self._one.observe(0, seat)

    def mask(self, seat: int) -> npt.NDArray[np.int8]:
        """1 for each legal number of a seat, int8 ``[numbers.count]``; zeros if it does not act."""
        if seat == self.actor:
            return np.array(self._one.masks[0])
        return np.zeros(self.numbers.count, np.int8)

    @property
    def state(self) -> Any:
        """The hand in our readable rules, played again from its cards and actions."""
        game, seats = self.game, self.game.players
        cards = self._one.cards[0].tolist()
        state = game.start(int(self._one.buttons[0]))
        taken = iter(self._taken)
        while state.actor != TERMINAL:
            if state.actor == CHANCE:
                dealt, board = len(state.hole), 2 * seats + len(state.board)
                if dealt < seats:
                    state = state.apply(tuple(cards[2 * dealt : 2 * dealt + 2]))
                else:
                    size = game.deal_size(state.street, state.board)
                    state = state.apply(tuple(cards[board : board + size]))
                continue
            number = next(taken, None)
            if number is None:
                break
            if number not in self.numbers.legal(state):
                number = self.numbers.fallback(state)
            state = state.apply(self.numbers.action(state, number))
        return state

    def text(self) -> str:
        """The table for people: every card."""
        return state_text(self.state)


def _any_seed() -> int:
    """A seed of its own for tables that are never seeded."""
    return int(np.random.SeedSequence().generate_state(1)[0])
