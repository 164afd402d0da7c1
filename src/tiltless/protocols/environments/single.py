"""Gymnasium: an environment in which one seat learns against agents of ours.

::

    env = gymnasium.make("tiltless.protocols.environments.single:tiltless/OneSeat-v0",
                         game="nlhe", opponents=["rules"])
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(
        env.action_space.sample(info["action_mask"]))

Needs the extra ``env``.
"""

from collections.abc import Sequence
from random import Random
from typing import Any, ClassVar, TypeAlias

from tiltless.agents.agent import Agent
from tiltless.agents.registry import make_agent
from tiltless.arena.rulings import Fault, ask, tell
from tiltless.arena.watchdog import NO_CLOCK, asked
from tiltless.errors import OptionError
from tiltless.games.game import TERMINAL, Game
from tiltless.games.holdem.game import Holdem
from tiltless.protocols.environments.aec import spaces_of
from tiltless.protocols.environments.table import NumberedTable, game_of
from tiltless.seeding import SeededRandom, mixed
from tiltless.tabular.strategy import Strategy
from tiltless.validate import brief

try:
    import gymnasium
except ModuleNotFoundError:
    raise OptionError("Gymnasium is not installed; pip install 'tiltless[env]'") from None

__all__ = ["LEARNER", "OneSeatEnv"]

LEARNER = 0
"""The seat that learns."""

_MOST_FAULTS = 1000
Opponent: TypeAlias = Agent | Strategy | str


class OneSeatEnv(gymnasium.Env):  # type: ignore[misc]
    """A game of 2 to 6 seats for Gymnasium; an episode is a hand, the learner has seat 0.

    game: a game, or the name of one with its parameters.  opponents: for the other seats, the last
    one for all that remain. In hold'em they are agents or texts of agents, in other games
    strategies (`tiltless.tabular.strategy`) or ``"uniform"``.  actions: the numbering, see
    `tiltless.protocols.encoding.action_numbers`.  render_mode: "ansi" or None.

    Rewards are the learner's net chips at the end of a hand. ``info["action_mask"]`` has the legal
    actions; an illegal one is ruled to be a check if that is free, otherwise a fold, and
    ``info["illegal"]`` says so. A hand in which the learner has nothing to decide is no episode:
    the next is dealt, and ``info["undecided"]`` of the reset has the chips of such hands.
    The button moves with each hand. faults: of opponents, which then check or fold.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"]}

    def __init__(
        self,
        game: Game | str = "nlhe",
        opponents: Sequence[Opponent] | Opponent = ("rules",),
        actions: str = "",
        render_mode: str | None = None,
        **parameters: Any,
    ) -> None:
        if render_mode not in (None, "ansi"):
            raise OptionError(f"render_mode={render_mode!r} is not possible; use 'ansi' or None")
        self.render_mode = render_mode
        self.table = NumberedTable(game_of(game, parameters), actions)
        self.game = self.table.game
        given = [opponents] if isinstance(opponents, str | Agent | Strategy) else list(opponents)
        others = self.game.players - 1
        if not 1 <= len(given) <= others:
            raise OptionError(
                f"{len(given)} opponents do not fit {others} seats; give 1 to {others}"
            )
        given += [given[-1]] * (others - len(given))
        self.opponents = [_opponent(self.game, each) for each in given]
        both, self.action_space = spaces_of(self.table)
        self.observation_space = both["observation"]
        self.faults: list[Fault] = []
        self._seed: int | None = None
        self._decisions = [0] * self.game.players

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Deal the next hand; with a seed, its first."""
        super().reset(seed=seed)
        if seed is not None or self._seed is None:
            self._seed = int(self.np_random.integers(2**62))
            self.table.seed(self._seed)
            for agent in self._agents():
                agent.match_start()
        undecided = 0.0
        while True:
            self.table.deal()
            self._decisions = [0] * self.game.players
            self._tell("hand_start")
            self._play_on()
            if self.table.state.actor == LEARNER:
                break
            undecided += float(self.table.payoffs[LEARNER])
        info = self._info()
        if undecided:
            info["undecided"] = undecided
        return self.table.observation(LEARNER), info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """The learner's action, and what follows up to its next decision."""
        if self.table.state is None or self.table.state.actor != LEARNER:
            raise OptionError("the hand is over; call reset for the next one")
        self.table.act(action)
        illegal = self.table.illegal
        self._play_on()
        over = self.table.state.actor == TERMINAL
        info = self._info()
        if illegal:
            info["illegal"] = True
        reward = float(self.table.payoffs[LEARNER]) if over else 0.0
        return self.table.observation(LEARNER), reward, over, False, info

    def render(self) -> str | None:
        """The hand as each seat sees it, as text."""
        return self.table.text() if self.render_mode == "ansi" else None

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.table.mask(LEARNER)}

    def _agents(self) -> list[Agent]:
        return [each for each in self.opponents if isinstance(each, Agent)]

    def _play_on(self) -> None:
        """Let the opponents act until the learner must, or the hand is over."""
        while (seat := self.table.state.actor) not in (LEARNER, TERMINAL):
            words = (self._seed or 0, self.table.hands, 3 + seat, self._decisions[seat])
            self._decisions[seat] += 1
            self.table.apply(self._choice(seat, SeededRandom(mixed(*words))))
        if self.table.state.actor == TERMINAL:
            if getattr(self.table.state, "shown", ()):
                self._tell("showdown")
            self._tell("hand_end")

    def _choice(self, seat: int, rng: Random) -> Any:
        state, opponent = self.table.state, self.opponents[seat - 1]
        if isinstance(opponent, Strategy):
            return opponent.sample(state.infoset(seat), rng)
        if opponent is None:
            return state.actions[rng.randrange(len(state.actions))]
        view = state.view(seat)
        action, _, _, fault, detail = ask(opponent, view, NO_CLOCK, rng, self.table.hands)
        asked.now = None
        if fault or action is None:
            self._keep(Fault(seat, fault, detail))
            return self.table.numbers.action(state, self.table.numbers.fallback(state))
        return action

    def _tell(self, hook: str) -> None:
        for seat, opponent in enumerate(self.opponents, LEARNER + 1):
            if isinstance(opponent, Agent):
                problem = tell(opponent, hook, self.table.state.view(seat))
                asked.now = None
                if problem:
                    self._keep(Fault(seat, "hook", problem))

    def _keep(self, fault: Fault) -> None:
        if len(self.faults) < _MOST_FAULTS:
            self.faults.append(fault)


def _opponent(game: Game, given: Opponent) -> Agent | Strategy | None:
    """A player that fits the game; None plays every action with the same probability."""
    if isinstance(game, Holdem):
        agent = make_agent(given, trusted=True) if isinstance(given, str) else given
        if not isinstance(agent, Agent):
            raise OptionError(
                f"{brief(given)} does not play {game.name}; give an agent or its text"
            )
        agent.check_table(game.name, game.rules)
        return agent
    if isinstance(given, Strategy) and given.game == game:
        return given
    if given != "uniform":
        raise OptionError(
            f"{brief(given)} does not play {game.name}; give a strategy of that game, or 'uniform'"
        )
    return None


gymnasium.register("tiltless/OneSeat-v0", entry_point=OneSeatEnv)
