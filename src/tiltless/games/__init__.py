"""The rules of every game: readable, immutable, checked against independent implementations."""

from tiltless.games.game import CHANCE, TERMINAL, Chance, Game, IllegalActionError, InfoSet, State
from tiltless.games.registry import GameEntry, Parameter, load, register, registered

__all__ = [
    "CHANCE",
    "TERMINAL",
    "Chance",
    "Game",
    "GameEntry",
    "IllegalActionError",
    "InfoSet",
    "Parameter",
    "State",
    "load",
    "register",
    "registered",
]
