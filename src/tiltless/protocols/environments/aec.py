"""PettingZoo: an AEC environment in which every seat is an agent that learns.

::

    env = TableEnv("nlhe", seats=6, actions="33%, 75%, a")
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        done = termination or truncation
        mask = observation["action_mask"]
        env.step(None if done else env.action_space(agent).sample(mask))

Needs the extra ``env``.
"""

from typing import Any

import numpy as np

from tiltless.errors import OptionError
from tiltless.games.game import Game
from tiltless.protocols.environments.compiled_table import CompiledTable, make_table
from tiltless.protocols.environments.table import NumberedTable, game_of

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
except ModuleNotFoundError:
    raise OptionError(
        "PettingZoo or Gymnasium is not installed; pip install 'tiltless[env]'"
    ) from None

__all__ = ["TableEnv", "spaces_of"]


def spaces_of(table: NumberedTable | CompiledTable) -> tuple[Any, Any]:
    """The spaces of observations and of actions."""
    vector = spaces.Box(0.0, np.inf, (table.layout.size,), np.float32)
    mask = spaces.Box(0, 1, (table.numbers.count,), np.int8)
    both = spaces.Dict({"observation": vector, "action_mask": mask})
    return both, spaces.Discrete(table.numbers.count)


class TableEnv(AECEnv):  # type: ignore[misc]
    """A game of 2 to 6 seats for PettingZoo; an episode is a hand.

    game: a game, or the name of one with its parameters.  actions: the numbering, see
    `tiltless.protocols.encoding.action_numbers`.  render_mode: "ansi" or None.

    Agents are ``seat_0``, ``seat_1`` …; rewards are net chips at the end of a hand. Observations
    are dicts of "observation" and "action_mask". In hold'em the button moves with each hand, from
    where the game has it at the first hand of a seed. An illegal action is ruled to be a check if
    that is free, otherwise a fold, and ``infos[agent]["illegal"]`` is set.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - PettingZoo reads it of the class too
        "name": "tiltless_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        game: Game | str = "nlhe",
        actions: str = "",
        render_mode: str | None = None,
        **parameters: Any,
    ) -> None:
        super().__init__()
        if render_mode not in (None, "ansi"):
            raise OptionError(f"render_mode={render_mode!r} is not possible; use 'ansi' or None")
        self.table = make_table(game_of(game, parameters), actions)
        self.game, self.render_mode = self.table.game, render_mode
        self.metadata = {**type(self).metadata, "name": f"tiltless_{self.game.name}_v0"}
        self.possible_agents = [f"seat_{seat}" for seat in range(self.game.players)]
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        observations, numbers = spaces_of(self.table)
        self.observation_spaces = dict.fromkeys(self.possible_agents, observations)
        self.action_spaces = {agent: spaces.Discrete(numbers.n) for agent in self.possible_agents}
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> Any:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal the next hand; with a seed, its first."""
        if seed is not None:
            self.table.seed(seed)
        self.table.deal()
        agents = self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}
        self._skip_agent_selection = None
        if self.table.actor < 0:  # everybody is all-in before anybody can act
            self._finish()
        else:
            self.agent_selection = agents[self.table.actor]

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent knows, and its legal actions if it is to act."""
        seat = self._seat[agent]
        return {"observation": self.table.observation(seat), "action_mask": self.table.mask(seat)}

    def step(self, action: int | None) -> None:
        """The action of the agent that is selected; None once the hand is over."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self.table.act(action)
        self.infos[agent] = {"illegal": True} if self.table.illegal else {}
        actor = self.table.actor
        if actor < 0:
            self._finish()
        else:
            self.agent_selection = self.possible_agents[actor]

    def _finish(self) -> None:
        """Pay out: everybody's hand is over."""
        payoffs = self.table.payoffs
        for agent, payoff in zip(self.possible_agents, payoffs, strict=True):
            self.rewards[agent] = self._cumulative_rewards[agent] = float(payoff)
            self.terminations[agent] = True
        self.agent_selection = self.possible_agents[0]

    def render(self) -> str | None:
        """The hand as each seat sees it, as text."""
        return self.table.text() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing to close."""
