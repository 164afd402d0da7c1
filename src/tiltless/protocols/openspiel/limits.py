"""Limits of a game that OpenSpiel wants to know: payoffs, length, outcomes of chance."""

from functools import singledispatch
from typing import NamedTuple

from tiltless.errors import OptionError
from tiltless.games.game import Game
from tiltless.games.holdem.game import Holdem
from tiltless.games.kuhn import Kuhn
from tiltless.games.leduc import Leduc
from tiltless.games.matrix import MatrixGame

__all__ = ["GameLimits", "limits_of"]

_LONGEST_BOARD = 31


class GameLimits(NamedTuple):
    """Bounds, not always reached.

    lowest, highest: payoffs of a player.  length: actions of players in one game.  outcomes: of a
    chance node.
    """

    lowest: float
    highest: float
    length: int
    outcomes: int


@singledispatch
def limits_of(game: Game) -> GameLimits:
    """The limits of a game."""
    raise OptionError(f"the limits of {game.name} are not known; add them with limits_of.register")


@limits_of.register
def _(game: Kuhn) -> GameLimits:
    return GameLimits(-2, 2 * (game.players - 1), 2 * game.players - 1, game.players + 1)


@limits_of.register
def _(game: Leduc) -> GameLimits:
    most = game.ante + game.raises * sum(game.raise_sizes)
    turns = game.players + game.raises * (game.players - 1)
    return GameLimits(-most, most * (game.players - 1), 2 * turns, len(game.card_names))


@limits_of.register
def _(game: MatrixGame) -> GameLimits:
    payoffs = sum(game.row + game.column, ())
    return GameLimits(min(payoffs), max(payoffs), 2, 0)


@limits_of.register
def _(game: Holdem) -> GameLimits:
    """Every raise adds at least a bet, or puts a player all-in."""
    rules = game.rules
    stacks, streets = rules.stacks, len(rules.streets)
    if rules.run_suits:
        streets += _LONGEST_BOARD
    raises = sum(stacks) // min(street.bet for street in rules.streets) + len(stacks)
    length = (streets + raises) * len(stacks)
    return GameLimits(-max(stacks), sum(stacks) - min(stacks), length, 52)
