"""Helpers for the rules of games: chance as a lottery, illegal-move errors, player checks."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from tiltless.errors import OptionError
from tiltless.games.game import CHANCE, TERMINAL, Game, IllegalActionError, State
from tiltless.validate import brief, plain_int

__all__ = [
    "Lottery",
    "checked_player",
    "game_not_over",
    "illegal",
    "no_such_player",
]


@dataclass(frozen=True, slots=True)
class Lottery:
    """Chance with a short list of outcomes: one of ``tickets``, drawn in proportion to ``weights``.

    Without weights, all tickets are equally likely. A lottery is a `tiltless.games.game.Chance`.
    """

    tickets: tuple[Any, ...]
    seen_by: tuple[int, ...]
    weights: tuple[int, ...] | None = None

    @property
    def count(self) -> int:
        """The number of tickets."""
        return len(self.tickets)

    def sample(self, rng: Random) -> Any:
        """One ticket."""
        if self.weights is None:
            return self.tickets[rng.randrange(len(self.tickets))]
        return rng.choices(self.tickets, self.weights)[0]

    def outcomes(self) -> Iterator[tuple[Any, float]]:
        """Every ticket with its probability."""
        if self.weights is None:
            chance = 1 / len(self.tickets)
            for ticket in self.tickets:
                yield ticket, chance
            return
        total = sum(self.weights)
        for ticket, weight in zip(self.tickets, self.weights, strict=True):
            yield ticket, weight / total


def illegal(state: State, move: object) -> IllegalActionError:
    """The error for an illegal move: one line that lists the legal ones."""
    if state.actor == TERMINAL:
        return IllegalActionError(f"{brief(move)} is illegal: the game is over; start a new one")
    text = state.game.action_text
    if state.actor == CHANCE:
        assert state.chance is not None
        legal, who = [text(outcome) for outcome, _ in state.chance.outcomes()], "chance"
    else:
        legal, who = [text(action) for action in state.actions], f"player {state.actor}"
    return IllegalActionError(
        f"{brief(move)} is illegal here; {who} may choose: {', '.join(legal)}"
    )


def game_not_over() -> IllegalActionError:
    """The error for asking for payoffs before the end of the game."""
    return IllegalActionError("there are no payoffs before the game is over; play it to the end")


def no_such_player(game: Game, player: object) -> OptionError:
    """The error for a player number that the game does not have."""
    return OptionError(f"there is no player {brief(player)}; players are 0 to {game.players - 1}")


def checked_player(game: Game, player: Any) -> int:
    """``player`` as an int; `OptionError` for anything else, True and 0.5 included."""
    try:
        number = player if player.__class__ is int else plain_int(player)
    except TypeError:
        raise no_such_player(game, player) from None
    if not 0 <= number < game.players:
        raise no_such_player(game, player)
    return number
