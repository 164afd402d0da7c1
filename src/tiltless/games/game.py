"""The `Game` protocol: the public interface for adding a game.

A `Game` is a fixed set of rules that creates the first `State`. A state is an immutable value:
`apply` returns the next one. At each state a player or chance is to act, or the game is over::

    state = game.start()
    while state.actor != TERMINAL:
        if state.actor == CHANCE:
            move = state.chance.sample(rng)
        else:
            move = choose(state.infoset(state.actor))
        state = state.apply(move)
    state.payoffs

No state contains cards that have not been dealt: chance deals them when they are needed. What a
player knows is an `InfoSet`, whose key has two parts: what everybody knows, and what only that
player knows. Players are numbered 0 .. n-1; in poker a player is a seat.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple, Protocol, runtime_checkable

from tiltless.errors import InputError, OptionError
from tiltless.validate import brief

__all__ = [
    "CHANCE",
    "TERMINAL",
    "Chance",
    "Game",
    "IllegalActionError",
    "InfoSet",
    "State",
    "checked_game",
]

CHANCE = -1
"""`State.actor` when chance moves next."""
TERMINAL = -2
"""`State.actor` when the game is over."""


class IllegalActionError(InputError):
    """An action that the rules forbid here; the message says what was legal."""


class InfoSet(NamedTuple):
    """An information set: everything that one player knows at a state, and may do there.

    public: what everybody has seen, the same for all players at a state.
    private: what this player alone has seen.
    actions: the legal actions if this player is to act, otherwise empty.
    """

    player: int
    public: Hashable
    private: Hashable
    actions: Sequence[Any]

    @property
    def key(self) -> tuple[int, Hashable, Hashable]:
        """The identity of the infoset: the player cannot tell states with equal keys apart."""
        return self.player, self.public, self.private


@runtime_checkable
class Chance(Protocol):
    """A chance node: the possible outcomes, listed only on demand."""

    @property
    def seen_by(self) -> tuple[int, ...]:
        """The players who see the outcome; the others see only that it happened."""
        ...

    @property
    def count(self) -> int:
        """The number of different outcomes."""
        ...

    def sample(self, rng: Random) -> Any:
        """A random outcome, drawn from an explicit generator."""
        ...

    def outcomes(self) -> Iterator[tuple[Any, float]]:
        """Every outcome with its probability; a lazy iterator, since there may be millions."""
        ...


@runtime_checkable
class State(Protocol):
    """A position of a game; immutable, comparable, hashable."""

    @property
    def game(self) -> "Game":
        """The rules that made this state."""
        ...

    @property
    def actor(self) -> int:
        """The player to act, or `CHANCE`, or `TERMINAL`."""
        ...

    @property
    def actions(self) -> Sequence[Any]:
        """The legal actions of the player to act, in a fixed order; empty otherwise."""
        ...

    @property
    def chance(self) -> Chance | None:
        """The chance node if `actor` is `CHANCE`; otherwise None."""
        ...

    @property
    def payoffs(self) -> tuple[float, ...]:
        """The net winnings of each player at a terminal state; raises elsewhere."""
        ...

    def verify(self, move: Any) -> None:
        """Raise `IllegalActionError`, saying what was legal, unless ``move`` may be applied."""
        ...

    def can(self, move: Any) -> bool:
        """Whether ``move`` may be applied."""
        ...

    def apply(self, move: Any) -> "State":
        """The state after an action of the player to act, or after an outcome of chance."""
        ...

    def infoset(self, player: int) -> InfoSet:
        """What ``player`` knows here; available to every player at every state."""
        ...


@runtime_checkable
class Game(Protocol):
    """A fixed set of rules."""

    @property
    def name(self) -> str:
        """The name in the registry."""
        ...

    @property
    def version(self) -> int:
        """Raised whenever the rules change, so that old strategies are refused."""
        ...

    @property
    def players(self) -> int:
        """The number of players."""
        ...

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What `tiltless.games.load` needs, besides the name, to rebuild this game."""
        ...

    @property
    def zero_sum(self) -> bool:
        """Whether payoffs always sum to zero."""
        ...

    def start(self) -> State:
        """The state before anything has happened."""
        ...

    def action_text(self, action: Any) -> str:
        """An action or an outcome of chance as short text, such as ``"raise to 6"``."""
        ...

    def parse_action(self, text: str) -> Any:
        """The inverse of `action_text`."""
        ...


_OF_A_GAME = tuple(name for name in vars(Game) if not name.startswith("_"))


def checked_game(game: Any) -> Game:
    """``game`` if it has all that a `Game` has; otherwise `OptionError` names what it lacks."""
    lacks = [name for name in _OF_A_GAME if not hasattr(game, name)]
    if isinstance(game, type) or "start" in lacks:
        raise OptionError(
            f"{brief(game)} is not a game; make one with load_game, or from its class"
        )
    if lacks:
        raise OptionError(
            f"{brief(game)} has no {', '.join(lacks)}; add what the Game protocol asks for"
        )
    checked: Game = game
    return checked
