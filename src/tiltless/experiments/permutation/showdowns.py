"""Where the showdowns of the experiment come from.

``random``: any two hands, checked down. ``play``: hands of the shipped blueprint against itself, as
two players who ignore the permutation would play shown cards; about one hand in four is shown.
"""

from functools import cache

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.buckets import Buckets
from tiltless.abstraction.cards.tables import build_tables
from tiltless.blueprint.shipped import find_blueprint
from tiltless.blueprint.simulate.playout import play
from tiltless.blueprint.strategy import Blueprint
from tiltless.blueprint.tree import BettingTree
from tiltless.kernels.blueprint.nodes import ACTOR, SHOWDOWN
from tiltless.permutation.random_match import hidden_order, random_cards, with_results

__all__ = ["SOURCES", "hidden_order", "self_play_cards", "shown_cards", "with_results"]

SOURCES = ("random", "play")
_HANDS = 6  # played for each showdown wanted, at first


def shown_cards(source: str, seed: int, count: int) -> npt.NDArray[np.uint8]:
    """Nine shown cards of each showdown, uint8 ``[count, 9]``: first hand, second hand, board."""
    if source == "random":
        return random_cards(seed, count)
    tree, policy, groups = _self_play()
    hands = _HANDS * count
    while len(shown := self_play_cards(tree, policy, groups, hands, seed)) < count:
        hands *= 2
    return shown[:count]


def self_play_cards(
    tree: BettingTree,
    policy: npt.NDArray[np.float32],
    groups: tuple[Buckets, ...],
    hands: int,
    seed: int,
) -> npt.NDArray[np.uint8]:
    """Nine cards of those hands of a strategy against itself that are shown, uint8 ``[n, 9]``."""
    played = play(tree, hands, seed=seed, policy=policy, buckets=groups, trace=True)
    assert played.path is not None
    assert played.cards is not None
    ends = played.path[np.arange(hands), (played.path >= 0).sum(axis=1) - 1]
    return np.asarray(played.cards[tree.nodes.node[ends, ACTOR] == SHOWDOWN])


@cache
def _self_play() -> tuple[BettingTree, npt.NDArray[np.float32], tuple[Buckets, ...]]:
    """The shipped blueprint; builds its bucket tables if they are missing, which takes minutes."""
    blueprint = Blueprint.load(find_blueprint())
    groups = blueprint.groups(build_tables(blueprint.abstraction))
    return blueprint.tree, blueprint.policy(), groups
