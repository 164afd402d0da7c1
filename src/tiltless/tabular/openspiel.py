"""OpenSpiel export: strategies of Kuhn and Leduc for OpenSpiel's own algorithms.

::

    game, policy = openspiel_game(strategy.game), openspiel_policy(strategy)
    pyspiel.exploitability(game, policy)

Needs the package ``open_spiel``.
"""

from importlib import import_module
from typing import Any

import numpy as np

from tiltless.errors import OptionError
from tiltless.games.game import CHANCE, Game
from tiltless.games.registry import load
from tiltless.tabular.flat import FlatGame
from tiltless.tabular.strategy import Strategy

__all__ = ["openspiel_game", "openspiel_policy"]


def openspiel_game(game: Game) -> Any:
    """OpenSpiel's game with the same rules, or `OptionError` where it has none."""
    try:
        pyspiel = import_module("pyspiel")
    except ImportError:
        raise OptionError("pyspiel is not installed; install the package open_spiel") from None
    options = {"players": game.players}
    if game.name == "kuhn":
        return pyspiel.load_game("kuhn_poker", options)
    if game.name == "leduc":
        by_rank = bool(game.parameters["rank_only"])
        if game == load("leduc", players=game.players, rank_only=by_rank):
            return pyspiel.load_game("leduc_poker", {**options, "suit_isomorphism": by_rank})
    raise OptionError(
        f"OpenSpiel has no game like {game.name} with {dict(game.parameters)}; use kuhn or leduc, "
        "with the usual deck and bets"
    )


def openspiel_policy(strategy: Strategy) -> dict[str, list[tuple[int, float]]]:
    """Pairs of action and probability by OpenSpiel's information state string.

    Each infoset is found by playing one of its histories in both games. Ours deal the same cards
    under the same numbers and list actions in the same order, which the tests of the games prove.
    """
    flat = strategy.flat
    theirs = openspiel_game(flat.game)
    policy = {}
    for number, node in enumerate(_one_node_each(flat)):
        state = _play(flat, node, theirs.new_initial_state())
        row = strategy.probabilities(number).values()
        pairs = zip(state.legal_actions(), row, strict=True)
        policy[state.information_state_string()] = list(pairs)
    return policy


def _one_node_each(flat: FlatGame) -> list[int]:
    """A history of each infoset."""
    acts = np.flatnonzero(flat.tree.actor >= 0)
    nodes = np.empty(flat.infosets, dtype=np.int64)
    nodes[flat.tree.row[acts]] = acts
    return nodes.tolist()


def _play(flat: FlatGame, node: int, theirs: Any) -> Any:
    """OpenSpiel's state after the moves that lead to ``node``."""
    steps: list[int] = []
    while node:
        parent = int(np.searchsorted(flat.tree.first, node, side="right")) - 1
        steps.append(node - int(flat.tree.first[parent]))
        node = parent
    ours = flat.game.start()
    for step in reversed(steps):
        if ours.actor == CHANCE:
            assert ours.chance is not None
            move, _ = list(ours.chance.outcomes())[step]
            theirs.apply_action(move)
        else:
            move = ours.actions[step]
            theirs.apply_action(theirs.legal_actions()[step])
        ours = ours.apply(move)
    return theirs
