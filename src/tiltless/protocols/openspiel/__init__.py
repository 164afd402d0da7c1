"""OpenSpiel: our games, strategies and agents in it, and its bots at our tables.

::

    import pyspiel
    import tiltless.protocols.openspiel                # adds our games to its registry

    game = pyspiel.load_game("tiltless_leduc")
    pyspiel.exploitability(game, openspiel_policy(strategy, game))
    pyspiel.evaluate_bots(state, [AgentBot("rules", 0), AgentBot("fish", 1)], 1)
    make_agent("openspiel:bot=uniform_random")         # in our arena

For version 1.6 and later, installed with the extra ``interop``.
"""

from tiltless.protocols.openspiel.bots import AgentBot, BotAgent
from tiltless.protocols.openspiel.game import SpielGame, SpielState, spiel_game
from tiltless.protocols.openspiel.strategies import (
    AgentPolicy,
    StrategyPolicy,
    openspiel_game,
    openspiel_policy,
)

__all__ = [
    "AgentBot",
    "AgentPolicy",
    "BotAgent",
    "SpielGame",
    "SpielState",
    "StrategyPolicy",
    "openspiel_game",
    "openspiel_policy",
    "spiel_game",
]
