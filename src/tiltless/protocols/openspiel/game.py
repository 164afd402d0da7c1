"""Our games as OpenSpiel games, by a name in its registry.

Every game of `tiltless.games.registry` becomes a game of OpenSpiel, ``tiltless_leduc`` and the
like, once this module is imported::

    pyspiel.load_game("tiltless_leduc(players=3)")
    pyspiel.load_game("tiltless_nlhe(seats=6,stack=100bb,actions=33%+75%+a)")

Parameters are those of our games; lists are written with spaces between numbers, ``blinds=1 2``,
and rows of a table with slashes, as commas separate parameters there. ``actions`` is the numbering
of `tiltless.protocols.encoding.action_numbers`, with a plus for each comma of a menu.

Chance deals one card at a time, which has the number of the card: first the hole cards of player 0,
then those of player 1, and so on, as in OpenSpiel's own games. Players are our seats, returns are
net chips. An order of ranks that is drawn for every hand cannot be listed, so ``permutation`` needs
its ``ranks``.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tiltless.cards.card import card_text, cards_text
from tiltless.errors import OptionError
from tiltless.games.game import CHANCE, TERMINAL, Game, State
from tiltless.games.holdem.deal import Deal
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.history import PastDecision, StreetDeal, steps
from tiltless.games.holdem.state import HoldemState
from tiltless.games.matrix import MatrixState
from tiltless.games.parameter_text import read_parameters
from tiltless.games.registry import GameEntry, load, registered
from tiltless.protocols.encoding.action_numbers import ActionNumbers, action_numbers
from tiltless.protocols.encoding.observation import observation_of
from tiltless.protocols.openspiel.limits import limits_of

try:
    import pyspiel
except ModuleNotFoundError:
    raise OptionError("OpenSpiel is not installed; pip install 'tiltless[interop]'") from None

__all__ = ["PREFIX", "SpielGame", "SpielState", "register_games", "spiel_game"]

PREFIX = "tiltless_"
"""Before the names of our games in OpenSpiel's registry; dashes become underscores."""

_ACTIONS = "actions"
_MOST_OUTCOMES = 100_000
_TYPES = pyspiel.GameType


class _Rules:
    """What all states of a game share; `copy.deepcopy` and clones keep the one object."""

    def __init__(self, game: Game, actions: str) -> None:
        self.game = game
        self.numbers: ActionNumbers = action_numbers(game, actions)
        self.observation = observation_of(game)

    def __deepcopy__(self, _: Any) -> "_Rules":
        return self


class _Position:
    """A state of ours, immutable, with the cards of a deal that is not complete."""

    __slots__ = ("drawn", "state")

    def __init__(self, state: State, drawn: tuple[int, ...] = ()) -> None:
        self.state, self.drawn = state, drawn

    def __deepcopy__(self, _: Any) -> "_Position":
        return self


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game of ours in OpenSpiel; `spiel_game` makes one without the registry.

    ours: our game.
    """

    entry: GameEntry

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = dict(params or {})
        actions = str(given.get(_ACTIONS, "")).replace("+", ",")
        self._set_up(load(self.entry.name, **_our_parameters(given)), actions, given)

    def _set_up(self, ours: Game, actions: str, given: Mapping[str, Any]) -> None:
        self.ours, self.shared = ours, _Rules(ours, actions)
        limits = limits_of(ours)
        outcomes = 52 if isinstance(ours, Holdem) else limits.outcomes
        hidden = getattr(ours, "hidden", None)
        if hidden is not None and hidden.count > _MOST_OUTCOMES:
            raise OptionError(
                f"{ours.name} draws one of {hidden.count} orders of ranks, which OpenSpiel would "
                "have to list; give ranks=23456789TJQKA or another order"
            )
        info = pyspiel.GameInfo(
            num_distinct_actions=self.shared.numbers.count,
            max_chance_outcomes=outcomes,
            num_players=ours.players,
            min_utility=limits.lowest,
            max_utility=limits.highest,
            utility_sum=0.0 if ours.zero_sum else None,
            max_game_length=limits.length,
        )
        super().__init__(_game_type(self.entry, ours), info, given)

    def new_initial_state(self, *_: Any) -> "SpielState":
        """The state before anything has happened."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "_Observer":
        """Strings of what a player knows, and vectors."""
        if params:
            raise OptionError(f"observers of our games take no parameters, not {params}")
        return _Observer(self.shared, iig_obs_type)


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A state of ours in OpenSpiel.

    ours: our state. While chance deals a hand card by card, it is the one before that hand.
    """

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.shared = game.shared
        self.position = _Position(game.ours.start())

    @property
    def ours(self) -> Any:
        """Our state, immutable."""
        return self.position.state

    def current_player(self) -> int:
        """The player to act, or chance, or nobody."""
        actor = self.ours.actor
        if actor == CHANCE:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if actor == TERMINAL else int(actor)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return bool(self.ours.actor == TERMINAL)

    def _legal_actions(self, player: int) -> list[int]:
        return list(self.shared.numbers.legal(self.ours)) if player == self.ours.actor else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The cards that may be dealt next, or the numbers of other outcomes."""
        chance = self.ours.chance
        if isinstance(chance, Deal):
            left = [c for c in range(52) if chance.left >> c & 1 and c not in self.position.drawn]
            return [(card, 1 / len(left)) for card in left]
        return [
            (outcome if isinstance(outcome, int) else number, probability)
            for number, (outcome, probability) in enumerate(chance.outcomes())
        ]

    def _apply_action(self, action: int) -> None:
        state, drawn = self.ours, self.position.drawn
        if state.actor != CHANCE:
            self.position = _Position(state.apply(self.shared.numbers.action(state, action)))
        elif isinstance(state.chance, Deal):
            drawn = (*drawn, action)
            whole = len(drawn) == state.chance.size
            self.position = _Position(state.apply(drawn)) if whole else _Position(state, drawn)
        else:
            self.position = _Position(state.apply(self._outcome(action)))

    def _outcome(self, number: int) -> Any:
        """What chance does with a number: the number itself if it is a card."""
        if self.ours.can(number):
            return number
        return next(each for i, (each, _) in enumerate(self.ours.chance.outcomes()) if i == number)

    def _action_to_string(self, player: int, action: int) -> str:
        state, game = self.ours, self.shared.game
        if player != pyspiel.PlayerId.CHANCE:
            return str(game.action_text(self.shared.numbers.action(state, action)))
        if isinstance(state.chance, Deal):
            return f"deal {card_text(action)}"
        return str(game.action_text(self._outcome(action)))

    def returns(self) -> list[float]:
        """Net winnings at the end, zeros before."""
        if self.ours.actor != TERMINAL:
            return [0.0] * self.shared.game.players
        return [float(each) for each in self.ours.payoffs]

    def __str__(self) -> str:
        """All cards, then what is public; of games without cards, the choices."""
        state = self.ours
        if isinstance(state, HoldemState):
            shown = " ".join(map(cards_text, (*state.hole, self.position.drawn)))
        elif isinstance(state, MatrixState):
            return " ".join(state.choices)
        else:
            shown = " ".join(map(self.shared.game.action_text, state.cards))
        return f"{shown.strip()} | {public_text(state)}"


def public_text(state: State) -> str:
    """What everybody knows, such as ``"call, raise to 6 / Kh7c2d"``."""
    if not isinstance(state, HoldemState):
        public: Any = state.infoset(0).public
        parts = public if isinstance(public, tuple) else (public,)
        return " ".join(filter(None, parts))
    words: list[str] = []
    for step in steps(state):
        if isinstance(step, PastDecision):
            words.append(str(step.action))
        elif isinstance(step, StreetDeal):
            words.append(f"/ {cards_text(step.cards)}")
    text = ", ".join(words).replace(", /", " /")
    return text + "".join(f" ; {seat} {cards_text(cards)}" for seat, cards in state.shown)


class _Observer:
    """What OpenSpiel asks for what a player knows (its observation.py)."""

    def __init__(self, shared: _Rules, iig_obs_type: Any) -> None:
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        self._shared = shared
        self._private = kind.private_info != pyspiel.PrivateInfoType.NONE
        self._public = kind.public_info
        layout = shared.observation
        self.tensor: Any = None
        self.dict: dict[str, Any] = {}
        if self._private and self._public and (layout.complete or not kind.perfect_recall):
            self.tensor = np.zeros(layout.size, np.float32)
            at = 0
            for name, size in layout.parts:
                self.dict[name] = self.tensor[at : at + size]
                at += size

    def set_from(self, state: SpielState, player: int) -> None:
        """Fill the vector."""
        if self.tensor is not None:
            self.tensor.fill(0)
            self._shared.observation.write(state.ours, player, self.tensor)

    def string_from(self, state: SpielState, player: int) -> str:
        """The same in words: whose view, private part, public part."""
        words = []
        if self._private:
            own: Any = state.ours.infoset(player).private
            words += [f"player {player}", cards_text(own) if isinstance(own, tuple) else str(own)]
        if self._public:
            words.append(f"| {public_text(state.ours)}")
        return " ".join(words).strip()


def _game_type(entry: GameEntry, ours: Game | None = None) -> Any:
    """The static description; of a game that exists, with its own utility and players."""
    example = ours or load(entry.name, **entry.examples[0])
    zero_sum = example.zero_sum
    has_chance = example.start().actor == CHANCE
    specification = {each.name: _default(each.default) for each in entry.parameters}
    if isinstance(example, Holdem):
        specification[_ACTIONS] = ""
    loads = not any(each.required for each in entry.parameters)
    return _TYPES(
        short_name=PREFIX + entry.name.replace("-", "_"),
        long_name=f"tiltless: {entry.description}",
        dynamics=_TYPES.Dynamics.SEQUENTIAL,
        chance_mode=_TYPES.ChanceMode.EXPLICIT_STOCHASTIC
        if has_chance
        else _TYPES.ChanceMode.DETERMINISTIC,
        information=_TYPES.Information.IMPERFECT_INFORMATION,
        utility=_TYPES.Utility.ZERO_SUM if zero_sum else _TYPES.Utility.GENERAL_SUM,
        reward_model=_TYPES.RewardModel.TERMINAL,
        max_num_players=12,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=observation_of(example).complete,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=specification,
        default_loadable=loads and getattr(example, "hidden", None) is None,
    )


def _default(value: Any) -> int | float | bool | str:
    """A default of ours as OpenSpiel can state it; nothing is an empty text."""
    if isinstance(value, bool | int | float | str):
        return value
    return " ".join(map(str, value)) if isinstance(value, Iterable) else ""


def _our_parameters(given: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters for `load`: texts are read as on our command line, empty ones are left out."""
    found = {}
    for name, value in given.items():
        if name == _ACTIONS or value == "":
            continue
        text = ",".join(value.split(" ")) if isinstance(value, str) else None
        found[name] = read_parameters([f"{name}={text}"])[name] if text else value
    return found


_classes: dict[str, type[SpielGame]] = {}


def register_games() -> None:
    """Give every game of our registry a name in OpenSpiel's; those added later, again."""
    for entry in registered():
        if entry.name not in _classes:
            _classes[entry.name] = type("SpielGame", (SpielGame,), {"entry": entry})
            pyspiel.register_game(_game_type(entry), _classes[entry.name])


def spiel_game(game: Game, actions: str = "") -> SpielGame:
    """A game object of ours in OpenSpiel, with the numbering ``actions``.

    Other than with ``pyspiel.load_game``, its text does not tell its parameters.
    """
    register_games()
    if game.name not in _classes:
        raise OptionError(f"{game.name} is not a registered game; see tiltless.games.register")
    found = _classes[game.name].__new__(_classes[game.name])
    found._set_up(game, actions, {})
    return found


register_games()
