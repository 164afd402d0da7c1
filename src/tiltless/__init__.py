"""A poker AI that anyone can train on a laptop, play against, study, extend and trust.

::

    import tiltless as tl

    tl.equity("AA", "KK")
    tl.load_blueprint().query("AsKd", line="r3bb")
    tl.play_match("blueprint", "rules", hands=200)

`docs/api.md` has every public name with an example.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tiltless._version import __version__
from tiltless.plugins import provide

if TYPE_CHECKING:
    from tiltless.abstraction.bets.menu import Menu
    from tiltless.abstraction.bets.presets import find_menu
    from tiltless.abstraction.cards.abstraction import CardAbstraction
    from tiltless.abstraction.cards.presets import card_abstraction
    from tiltless.agents.agent import Agent, Clock, Decision
    from tiltless.agents.registry import make_agent
    from tiltless.agents.registry import register as register_agent
    from tiltless.arena.cross_table import CrossTable, play_cross_table
    from tiltless.arena.match import MatchScores, play_match
    from tiltless.arena.plan import MatchPlan
    from tiltless.arena.store import Store
    from tiltless.blueprint.strategy import Blueprint, load_blueprint
    from tiltless.cards.card import cards_text, parse_cards
    from tiltless.cards.equity import Equity, equity
    from tiltless.cards.evaluate import best_five, evaluate, evaluate_many, hand_name
    from tiltless.cards.hand_equity import equity_histogram, hand_equities, hand_vs_ranges
    from tiltless.cards.ranges import Range
    from tiltless.errors import FileError, InputError, TiltlessError
    from tiltless.games.game import Game
    from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
    from tiltless.games.holdem.view import View
    from tiltless.games.registry import load as load_game
    from tiltless.games.registry import register as register_game
    from tiltless.postflop.solution import Solution, SolvedNode, load_solution, solve_spot
    from tiltless.postflop.spot import Spot
    from tiltless.tabular.best_response import best_response, exploitability, nash_conv
    from tiltless.tabular.solver import Solver
    from tiltless.tabular.strategy import Strategy

__all__ = [
    "CALL",
    "CHECK",
    "FOLD",
    "Agent",
    "Blueprint",
    "CardAbstraction",
    "Clock",
    "CrossTable",
    "Decision",
    "Equity",
    "FileError",
    "Game",
    "InputError",
    "MatchPlan",
    "MatchScores",
    "Menu",
    "RaiseTo",
    "Range",
    "Solution",
    "SolvedNode",
    "Solver",
    "Spot",
    "Store",
    "Strategy",
    "TiltlessError",
    "View",
    "__version__",
    "best_five",
    "best_response",
    "card_abstraction",
    "cards_text",
    "equity",
    "equity_histogram",
    "evaluate",
    "evaluate_many",
    "exploitability",
    "find_menu",
    "hand_equities",
    "hand_name",
    "hand_vs_ranges",
    "load_blueprint",
    "load_game",
    "load_solution",
    "make_agent",
    "nash_conv",
    "parse_cards",
    "play_cross_table",
    "play_match",
    "register_agent",
    "register_game",
    "solve_spot",
]

# Registries of lower layers find the entries of upper ones through here, in every process.
provide("agents", "tiltless.experiments.agent_entries", "tiltless.protocols.agent_entries")
provide("six bench", "tiltless.experiments.six_player.speed")

# Public names are loaded when they are used: `tiltless --version` need not wait for a compiler.
_HOMES = {
    "abstraction.bets.menu": "Menu",
    "abstraction.bets.presets": "find_menu",
    "abstraction.cards.abstraction": "CardAbstraction",
    "abstraction.cards.presets": "card_abstraction",
    "agents.agent": "Agent Clock Decision",
    "agents.registry": "make_agent register_agent=register",
    "arena.cross_table": "CrossTable play_cross_table",
    "arena.match": "MatchScores play_match",
    "arena.plan": "MatchPlan",
    "arena.store": "Store",
    "blueprint.strategy": "Blueprint load_blueprint",
    "cards.card": "cards_text parse_cards",
    "cards.equity": "Equity equity",
    "cards.evaluate": "best_five evaluate evaluate_many hand_name",
    "cards.hand_equity": "equity_histogram hand_equities hand_vs_ranges",
    "cards.ranges": "Range",
    "errors": "FileError InputError TiltlessError",
    "games.game": "Game",
    "games.holdem.actions": "CALL CHECK FOLD RaiseTo",
    "games.holdem.view": "View",
    "games.registry": "load_game=load register_game=register",
    "postflop.solution": "Solution SolvedNode load_solution solve_spot",
    "postflop.spot": "Spot",
    "tabular.best_response": "best_response exploitability nash_conv",
    "tabular.solver": "Solver",
    "tabular.strategy": "Strategy",
}
_LAZY = {
    public: (f"tiltless.{module}", original or public)
    for module, words in _HOMES.items()
    for public, _, original in (word.partition("=") for word in words.split())
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        here = sys.modules[__name__]  # from which Python suggests the nearest name
        raise AttributeError(f"module 'tiltless' has no attribute {name!r}", name=name, obj=here)
    module, original = _LAZY[name]
    return getattr(import_module(module), original)


def __dir__() -> list[str]:
    return __all__


if "IPython" in sys.modules:  # ranges, nodes and cross tables show themselves as pictures
    from tiltless.viz.notebook import show_pictures

    show_pictures()
