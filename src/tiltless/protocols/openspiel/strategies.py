"""Strategies and agents of ours as OpenSpiel's policies.

::

    game, policy = openspiel_game(strategy.game), openspiel_policy(strategy)
    pyspiel.exploitability(game, policy)                  # in its own Leduc
    game = pyspiel.load_game("tiltless_leduc")
    pyspiel.exploitability(game, openspiel_policy(strategy, game))
    policy_value(game.new_initial_state(), [StrategyPolicy(strategy)] * 2)
    AgentPolicy("blueprint", pyspiel.load_game("tiltless_nlhe(actions=standard)"))
"""

from typing import Any

import numpy as np

from tiltless.agents.agent import Agent, KnownStrategy
from tiltless.agents.registry import make_agent
from tiltless.cards.card import combo_index
from tiltless.errors import OptionError
from tiltless.games.game import CHANCE, Game
from tiltless.games.holdem.game import Holdem
from tiltless.games.registry import load
from tiltless.protocols.encoding.action_numbers import action_numbers, nearest_number
from tiltless.protocols.openspiel.game import SpielGame, SpielState, spiel_game
from tiltless.tabular.flat import FlatGame
from tiltless.tabular.strategy import Strategy
from tiltless.validate import brief

try:
    import pyspiel
    from open_spiel.python.policy import Policy
except ModuleNotFoundError:
    raise OptionError("OpenSpiel is not installed; pip install 'tiltless[interop]'") from None

__all__ = ["AgentPolicy", "StrategyPolicy", "openspiel_game", "openspiel_policy"]


def openspiel_game(game: Game) -> Any:
    """OpenSpiel's own game with the same rules, or `OptionError` where it has none."""
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


def openspiel_policy(strategy: Strategy, game: Any = None) -> dict[str, list[tuple[int, float]]]:
    """Pairs of action and probability by OpenSpiel's information state string.

    game: OpenSpiel's game; by default its own with the same rules, or one of ours.

    Each infoset is found by playing one of its histories in both games. Ours deal the same cards
    under the same numbers and list actions in the same order, which the tests of the games prove.
    """
    flat = strategy.flat
    theirs = openspiel_game(flat.game) if game is None else game
    if isinstance(theirs, SpielGame) and theirs.ours != flat.game:
        raise OptionError(
            f"the strategy is for {flat.game.name} with {dict(flat.game.parameters)}, the game "
            f"has {dict(theirs.ours.parameters)}"
        )
    policy = {}
    for number, node in enumerate(_one_node_each(flat)):
        state = _play(flat, node, theirs.new_initial_state())
        row = strategy.probabilities(number).values()
        pairs = zip(state.legal_actions(), row, strict=True)
        policy[state.information_state_string()] = list(pairs)
    return policy


class StrategyPolicy(Policy):  # type: ignore[misc]
    """A strategy of ours as a policy of OpenSpiel, in our game there."""

    def __init__(self, strategy: Strategy) -> None:
        game = spiel_game(strategy.game)
        super().__init__(game, list(range(strategy.game.players)))
        self.strategy = strategy
        self._numbers = action_numbers(strategy.game)

    def action_probabilities(self, state: SpielState, player_id: int | None = None) -> Any:
        """The probability of each action number."""
        ours = _our_state(state, self.strategy.game)
        row = self.strategy[ours.infoset(ours.actor if player_id is None else player_id)]
        return {self._numbers.number(ours, action): p for action, p in row.items()}


class AgentPolicy(Policy):  # type: ignore[misc]
    """An agent that can tell its strategy, such as ``blueprint``, as a policy of OpenSpiel.

    game: one of our hold'em games there. Raises that the game's menu does not have are read as the
    nearest that it has.
    """

    def __init__(self, agent: Agent | str, game: SpielGame) -> None:
        player: Agent = make_agent(agent, trusted=True) if isinstance(agent, str) else agent
        if not isinstance(player, KnownStrategy):
            raise OptionError(
                f"{brief(agent)} cannot tell its strategy; choose blueprint, or play it with "
                "AgentBot"
            )
        if not isinstance(game.ours, Holdem):
            raise OptionError(f"agents play hold'em, not {game.ours.name}; use StrategyPolicy")
        player.check_table(game.ours.name, game.ours.rules)
        super().__init__(game, list(range(game.num_players())))
        self.agent: Any = player

    def action_probabilities(self, state: SpielState, player_id: int | None = None) -> Any:
        """The probability of each action number for the cards of the player to act."""
        ours = _our_state(state, self.game.ours)
        view = ours.view(ours.actor if player_id is None else player_id)
        actions, chances = self.agent.policies(view)
        row = chances[combo_index(view.cards)].tolist()
        numbers = state.shared.numbers
        found = dict.fromkeys(numbers.legal(ours), 0.0)
        for action, p in zip(actions, row, strict=True):
            found[nearest_number(numbers, ours, action)] += p
        total = sum(found.values())  # rows are float32
        return {number: p / total for number, p in found.items()}


def _our_state(state: Any, game: Game) -> Any:
    if not isinstance(state, SpielState) or state.ours.game != game:
        raise OptionError(f"the policy is for our {game.name}; {brief(state)} is of another game")
    return state.ours


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
