"""Signature items that need no engine: presets, menus, trees, games, buckets."""

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

from tiltless.abstraction.bets.presets import MENUS
from tiltless.abstraction.cards.presets import CARD_PRESETS, card_abstraction
from tiltless.bench.signature.golden import Fact, Item, signed
from tiltless.blueprint.loading import load_strategy
from tiltless.blueprint.shipped import find_blueprint, shipped_blueprints
from tiltless.blueprint.strategy import tree_fingerprint
from tiltless.blueprint.training.config import read_config
from tiltless.blueprint.training.presets import PRESETS as TRAININGS
from tiltless.blueprint.training.setup import Setup
from tiltless.blueprint.tree import BettingTree, betting_tree
from tiltless.cfr.presets import PRESETS as ALGORITHMS
from tiltless.games.game import TERMINAL, Game
from tiltless.games.holdem.game import Holdem
from tiltless.games.registry import load, registered
from tiltless.tabular.flat import flatten

__all__ = ["buckets", "games", "holdem_tree", "presets", "trees"]

_TREES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "tiny.nlhe-20bb": ("tiny", "nlhe", {"stack": "20bb"}),
    "standard.nlhe-20bb": ("standard", "nlhe", {"stack": "20bb"}),
    "standard.nlhe-100bb": ("standard", "nlhe", {"stack": "100bb"}),
    "thesis.toy-holdem": ("thesis", "toy-holdem", {}),
    "calling-station.nlhe-20bb": ("calling-station", "nlhe", {"stack": "20bb"}),
    "ep-white.nlhe-20bb": ("ep-white", "nlhe", {"stack": "20bb"}),
    "libratus-fan-club.nlhe-20bb": ("libratus-fan-club", "nlhe", {"stack": "20bb"}),
    "every-raise.limit-holdem": ("every-raise", "limit-holdem", {}),
    "tiny.nlhe-3-seats": ("tiny", "nlhe", {"seats": 3, "stack": 20}),
    "tiny.river-of-blood": ("tiny", "river-of-blood", {"stack": 40}),
    "tiny.short-deck": ("tiny", "short-deck", {"seats": 2, "stack": 40}),
}
_BOARDS = {"preflop": "", "flop": "Ks7d2c", "turn": "Ks7d2cJh", "river": "Ks7d2cJh7s"}
_BUCKETED = ("tiny", "small", "six-player", "libratus-fan-club", "calling-station", "standard")
_PLAYOUTS = 50


def presets() -> Iterator[Item]:
    """Fingerprints of card presets, blueprints and training runs; texts of menus."""
    for name in CARD_PRESETS:
        yield f"presets.cards.{name}", partial(_cards, name)
    for name, named in MENUS.items():
        yield f"presets.menus.{name}", partial(signed, str(named.menu))
    for name in TRAININGS:
        yield f"presets.training.{name}", partial(_training, name)
    yield "presets.algorithms", lambda: signed(list(ALGORITHMS))
    for name in shipped_blueprints():
        yield f"presets.blueprints.{name}", partial(_blueprint, name)


def _cards(name: str) -> Fact:
    return signed(card_abstraction(name).fingerprint)


def _training(name: str) -> Fact:
    return signed(Setup.of(read_config(name)).fingerprint)


def _blueprint(name: str) -> Fact:
    about = load_strategy(find_blueprint(name)).about
    return signed(about.fingerprint, about.tree, about.cards_fingerprint, about.visited)


def trees() -> Iterator[Item]:
    """Fingerprints and sizes of betting trees."""
    for name, (menu, game, parameters) in _TREES.items():
        yield f"trees.{name}", partial(_tree, menu, game, parameters)


def _tree(menu: str, game: str, parameters: dict[str, Any]) -> Fact:
    tree = holdem_tree(menu, game, **parameters)
    return signed(tree_fingerprint(tree), tuple(tree.size))


def holdem_tree(menu: str, game: str, **parameters: Any) -> BettingTree:
    """The betting tree of a kind of hold'em."""
    made = load(game, **parameters)
    assert isinstance(made, Holdem)
    return betting_tree(made, menu)


def games() -> Iterator[Item]:
    """Counts of small games in flat form, and random playouts of all of them."""
    for entry in registered():
        for number, parameters in enumerate(entry.examples):
            name = f"games.{entry.name}" + (f".{number}" if number else "")
            yield name, partial(_game, entry.name, parameters)


def _game(name: str, parameters: Any) -> Fact:
    game = load(name, **parameters)
    counts = []
    if not isinstance(game, Holdem) and game.players == 2:
        flat = flatten(game)
        counts = [flat.nodes, flat.infosets, flat.entries]
    rng = random.Random(1)
    return signed(game.version, counts, [_playout(game, rng) for _ in range(_PLAYOUTS)])


def _playout(game: Game, rng: random.Random) -> list[float]:
    """Actors and payoffs of a hand of random actions."""
    state, seen = game.start(), []
    while (actor := state.actor) != TERMINAL:
        seen.append(float(actor))
        chance = state.chance
        state = state.apply(chance.sample(rng) if chance else rng.choice(list(state.actions)))
    return [*seen, *map(float, state.payoffs)]


def buckets() -> Iterator[Item]:
    """The buckets of all hands on one board of each street."""
    for name in _BUCKETED:
        for street, board in _BOARDS.items():
            yield f"buckets.{name}.{street}", partial(_buckets, name, board)


def _buckets(name: str, board: str) -> Fact:
    return signed(card_abstraction(name).buckets(board).astype("uint32"))
