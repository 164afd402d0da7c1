"""Game registry: ``load("leduc", players=3)``.

A game is added with one line in `_GAMES`: its name, where its rules are, a description, and
parameters that make it small enough for tests (`tests/games/test_contract.py` then checks it like
every other game). Rules are imported on first use, so that Kuhn poker does not import hold'em.
Programs outside this package call `register` instead of editing the table.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple, cast

from tiltless.errors import FingerprintError, OptionError
from tiltless.games.game import Game
from tiltless.validate import an_instance, brief, unknown_name

__all__ = ["GameEntry", "Parameter", "load", "register", "registered"]


class Parameter(NamedTuple):
    """One parameter of a game; ``default`` has no meaning if it is ``required``."""

    name: str
    default: Any
    required: bool


@dataclass(frozen=True, slots=True)
class GameEntry:
    """A line of the registry.

    rules: ``"module:callable"``, or the callable itself; called with the parameters, by name.
    examples: sets of parameters for tests, each a game of modest size.
    """

    name: str
    rules: str | Callable[..., Game]
    description: str
    examples: tuple[Mapping[str, Any], ...] = ({},)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What `load` accepts, read from the signature of the rules."""
        empty = inspect.Parameter.empty
        return tuple(
            Parameter(each.name, None, True)
            if each.default is empty
            else Parameter(each.name, each.default, False)
            for each in inspect.signature(self.maker).parameters.values()
        )

    @property
    def version(self) -> int:
        """The version of the rules, as the games themselves carry it."""
        return self.maker(**self.examples[0]).version

    @property
    def maker(self) -> Callable[..., Game]:
        """The callable that creates the game, imported on first use."""
        if callable(self.rules):
            return self.rules
        module, _, name = self.rules.partition(":")
        try:
            return cast(Callable[..., Game], getattr(import_module(module), name))
        except (ImportError, AttributeError, ValueError) as problem:
            raise OptionError(
                f"cannot import the rules of {self.name}, {brief(self.rules)}: {problem}; write "
                "module:callable, with the module's folder in PYTHONPATH"
            ) from problem


_PENNIES = {"row": ((1, -1), (-1, 1))}
_DILEMMA = {"row": ((3, 0), (5, 1)), "column": ((3, 5), (0, 1))}

_GAMES = (
    GameEntry("rps", "tiltless.games.matrix:rock_paper_scissors", "Rock, paper, scissors"),
    GameEntry(
        "matrix",
        "tiltless.games.matrix:matrix_game",
        "Two players choose at once; any payoffs",
        (_PENNIES, _DILEMMA),
    ),
    GameEntry(
        "bargaining",
        "tiltless.games.bargaining:bargaining",
        "Nash's demand game: two shares of a pie, or nothing",
        ({"pie": 4}, {}),
    ),
    GameEntry(
        "kuhn",
        "tiltless.games.kuhn:Kuhn",
        "Kuhn poker: one card each, one bet",
        ({}, {"players": 3}),
    ),
    GameEntry(
        "leduc",
        "tiltless.games.leduc:Leduc",
        "Leduc hold'em: one card each, one board card, two betting rounds",
        ({}, {"rank_only": True}, {"players": 3}),
    ),
    GameEntry(
        "nlhe",
        "tiltless.games.holdem.variants:nlhe",
        "No-limit Texas hold'em, 2 to 10 seats",
        (
            {},
            {"seats": 6, "stack": (50, 3, 80, 200, 1, 33), "ante": 1, "straddle": 4},
            {"seats": 3, "stack": (3, 1, 2), "ante": 1, "short_stacks": True},
        ),
    ),
    GameEntry(
        "limit-holdem",
        "tiltless.games.holdem.variants:limit_holdem",
        "Fixed-limit Texas hold'em, 2 to 10 seats",
        ({}, {"seats": 3}),
    ),
    GameEntry(
        "short-deck",
        "tiltless.games.holdem.variants:short_deck",
        "No-limit hold'em with the cards from six up",
        ({"seats": 3},),
    ),
    GameEntry(
        "toy-holdem",
        "tiltless.games.holdem.variants:toy_holdem",
        "Hold'em that ends on the flop: fold, call or raise",
    ),
    GameEntry(
        "river-of-blood",
        "tiltless.games.holdem.river_of_blood:river_of_blood",
        "No-limit hold'em whose board grows until a black card (MIT Pokerbots 2023)",
    ),
    GameEntry(
        "permutation",
        "tiltless.games.holdem.permutation:permutation",
        "No-limit hold'em with ranks in a hidden order (MIT Pokerbots 2020)",
        ({}, {"ranks": "42356789TJQKA"}),
    ),
)

_entries: dict[str, GameEntry] = {entry.name: entry for entry in _GAMES}


def registered() -> tuple[GameEntry, ...]:
    """All registered games, in the order of the table."""
    return tuple(_entries.values())


def register(entry: GameEntry) -> None:
    """Add a game for the lifetime of this process; `OptionError` if the name is taken."""
    an_instance("entry", entry, GameEntry, "make one as docs/adding-a-game.md shows")
    if entry.name in _entries:
        raise OptionError(f"a game is already called {entry.name!r}; choose another name")
    _entries[entry.name] = entry


def load(name: str, /, *, version: int | None = None, **parameters: Any) -> Game:
    """Create a game from its name and parameters: ``load("kuhn", players=3)``.

    ``game == load(game.name, version=game.version, **game.parameters)`` holds for every game.
    version: the expected version of the rules; another one raises `FingerprintError`.
    """
    entry = _entries.get(name) if isinstance(name, str) else None
    if entry is None:
        raise unknown_name("game", name, sorted(_entries))
    _check_names(entry, parameters)
    game = entry.maker(**parameters)
    if version is not None and version != game.version:
        raise FingerprintError(
            f"{name} is at version {game.version} of its rules, not {version}; "
            "rebuild what was made for the other version"
        )
    return game


def _check_names(entry: GameEntry, given: Mapping[str, Any]) -> None:
    """Raise `OptionError` for a parameter that the game does not have, or that is missing."""
    known = {parameter.name: parameter for parameter in entry.parameters}
    for name in given:
        if name not in known:
            raise unknown_name(f"parameter of {entry.name}", name, sorted(known))
    missing = [each.name for each in known.values() if each.required and each.name not in given]
    if missing:
        raise OptionError(f"{entry.name} needs {', '.join(missing)}; pass {missing[0]}=...")
