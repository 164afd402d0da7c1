"""Bots: our agents in OpenSpiel, and OpenSpiel's bots in our arena.

::

    pyspiel.evaluate_bots(state, [AgentBot("rules", 0), AgentBot("fish", 1)], seed)
    make_agent("openspiel:bot=uniform_random")
    make_agent("openspiel:class=mybots:make_bot")      # make_bot(game, player, seed) -> a Bot

Both play hold'em in our game there (`tiltless.protocols.openspiel.game`).
"""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from tiltless.agents.agent import Agent, Clock, Decision, code_fingerprint
from tiltless.agents.registry import import_named, make_agent
from tiltless.arena.rulings import Fault, ask, tell
from tiltless.arena.watchdog import NO_CLOCK, asked
from tiltless.errors import OptionError
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.history import PastDecision, StreetDeal, steps
from tiltless.games.holdem.state import HoldemState
from tiltless.games.holdem.view import View
from tiltless.protocols.encoding.action_numbers import CHIPS, nearest_number
from tiltless.protocols.openspiel.game import SpielGame, SpielState, spiel_game
from tiltless.seeding import SeededRandom, mixed
from tiltless.validate import brief, unknown_name, whole_number

try:
    import pyspiel
except ModuleNotFoundError:
    raise OptionError("OpenSpiel is not installed; pip install 'tiltless[interop]'") from None

__all__ = ["AgentBot", "BotAgent"]

_MOST_FAULTS = 1000
BotMaker = Callable[[SpielGame, int, int], Any]


class AgentBot(pyspiel.Bot):  # type: ignore[misc]
    """One of our agents as a bot of OpenSpiel, in our hold'em games there.

    agent: an agent, or its text in the registry.  player: its seat.  seed: of its random numbers.
    faults: decisions where the agent crashed or acted illegally; it then checks if that is free
    and folds otherwise. A raise that the game's menu does not have becomes the nearest that it has.

    OpenSpiel does not tell bots how a hand ends, so agents that learn from results learn nothing.
    """

    def __init__(self, agent: Agent | str, player: int, seed: int = 0) -> None:
        super().__init__()
        self.agent = make_agent(agent, trusted=True) if isinstance(agent, str) else agent
        self.player, self.seed = whole_number("player", player, 0), seed
        self.faults: list[Fault] = []
        self._hand, self._decisions = 0, 0
        self._seen: tuple[Any, ...] = ()
        self._last: HoldemState | None = None
        self.agent.match_start()

    def restart(self) -> None:
        """A new hand begins."""
        self._last = None

    def restart_at(self, state: Any) -> None:
        """A hand begins, or continues, at a state."""
        self._last = None

    def inform_action(self, state: Any, player: int, action: int) -> None:
        """Nothing to do: each state contains the whole hand."""

    def step(self, state: SpielState) -> int:
        """The number of the agent's action."""
        if not isinstance(state, SpielState) or not isinstance(state.ours, HoldemState):
            raise OptionError(
                f"{brief(state)} is not a state of our hold'em games in OpenSpiel; load one such "
                "as tiltless_nlhe"
            )
        ours, numbers = state.ours, state.shared.numbers
        view = ours.view(self.player)
        self._begin(ours)
        rng = SeededRandom(mixed(self.seed, self._hand, self.player, self._decisions))
        self._decisions += 1
        action, _, _, fault, detail = ask(self.agent, view, NO_CLOCK, rng, self._hand)
        asked.now = None
        if fault or action is None:
            self._keep(fault, detail)
            return numbers.fallback(ours)
        return nearest_number(numbers, ours, action)

    def _begin(self, ours: HoldemState) -> None:
        """Tell the agent of a new hand, with its first view."""
        last, self._last = self._last, ours
        if last is not None and last.hole == ours.hole and last.table == ours.table:
            if ours.moves[: len(last.moves)] == last.moves:
                return
        if last is None or self._hand == 0:
            self.agent.check_table(ours.game.name, ours.rules)
        self._hand += 1
        self._decisions = 0
        problem = tell(self.agent, "hand_start", _opening(ours).view(self.player))
        asked.now = None
        if problem:
            self._keep("hook", problem)

    def _keep(self, kind: str, detail: str) -> None:
        if len(self.faults) < _MOST_FAULTS:
            self.faults.append(Fault(self.player, kind, detail))


def _opening(state: HoldemState) -> HoldemState:
    """The hand right after its hole cards were dealt."""
    opening = state.game.start(state.button, state.table.stacks)
    for cards in state.hole:
        opening = opening.apply(cards)
    return opening


class BotAgent(Agent):
    """A bot of OpenSpiel in our arena; its actions are numbered in chips.

    bot: a name in OpenSpiel's registry of bots.  class_: ``module:callable`` instead, called with
    the game, the player and a seed for every hand; it returns a bot.

    A bot is given a state, which contains everybody's cards. Those that its seat may not see are
    drawn at random among the unseen ones before each decision, so looking at them is of no use.
    """

    def __init__(self, bot: str = "", class_: str = "") -> None:
        if bool(bot) == bool(class_):
            raise OptionError(
                "openspiel needs one bot; write openspiel:bot=uniform_random or "
                "openspiel:class=module:callable"
            )
        self._maker: BotMaker = import_named(class_) if class_ else _named_bot(bot)
        self._bot: Any = None
        self._game: SpielGame | None = None
        self._told = 0

    def fingerprint(self) -> str:
        """Fingerprint of our code and of what makes the bot."""
        maker = self._maker if isinstance(self._maker, type) else type(self)
        return f"{super().fingerprint()} {code_fingerprint(maker)}"

    def hand_start(self, view: View) -> None:
        """Forget the bot of the last hand."""
        self._bot = None

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """Ask the bot."""
        if self._bot is None:
            rules = replace(view.rules, stacks=view.starting_stacks)
            game = Holdem(view.game, rules, (), view.button, rules.hand_order)
            self._game = spiel_game(game, CHIPS)
            self._bot = self._maker(self._game, view.seat, rng.getrandbits(31))
            self._told = 0
        state = self._replay(view, rng)
        number = self._bot.step(state)
        return Decision(state.shared.numbers.action(state.ours, number), source="OpenSpiel")

    def _replay(self, view: View, rng: Random) -> SpielState:
        """The hand in OpenSpiel, with others' cards drawn; the bot hears what it has not heard."""
        assert self._game is not None
        state = self._game.new_initial_state()
        for card in _unseen_first(view, rng):
            state.apply_action(card)
        numbers, actions = state.shared.numbers, 0
        for step in steps(view):
            if isinstance(step, StreetDeal):
                for card in step.cards:
                    state.apply_action(card)
            elif isinstance(step, PastDecision):
                number = numbers.number(state.ours, step.action)
                actions += 1
                if actions > self._told and step.seat != view.seat:
                    self._bot.inform_action(state, step.seat, number)
                state.apply_action(number)
        self._told = actions
        return state


def _unseen_first(view: View, rng: Random) -> list[int]:
    """Hole cards of all seats in the order of dealing; unseen ones are drawn."""
    seen = {*view.cards, *view.board}
    left = [card for card in range(52) if view.rules.deck >> card & 1 and card not in seen]
    size = len(view.cards)
    drawn = iter(rng.sample(left, size * (view.rules.seats - 1)))
    return [
        card
        for seat in range(view.rules.seats)
        for card in (view.cards if seat == view.seat else [next(drawn) for _ in range(size)])
    ]


def _named_bot(name: str) -> BotMaker:
    """A maker of a bot in OpenSpiel's registry."""
    known = pyspiel.registered_bots()
    if name not in known:
        raise unknown_name("bot of OpenSpiel", name, sorted(known))
    if name == "uniform_random":
        return lambda game, player, seed: pyspiel.make_uniform_random_bot(player, seed)
    return lambda game, player, seed: pyspiel.load_bot(name, game, player)
