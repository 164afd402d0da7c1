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

__all__ = ["SOURCES", "hidden_order", "shown_cards", "with_results"]

SOURCES = ("random", "play")
_HANDS = 6  # played for each showdown wanted, at first


def shown_cards(source: str, seed: int, count: int) -> npt.NDArray[np.uint8]:
    """Nine shown cards of each showdown, uint8 ``[count, 9]``: first hand, second hand, board."""
    if source == "random":
        return random_cards(seed, count)
    tree, policy, groups = _self_play()
    hands = _HANDS * count
    while True:
        played = play(tree, hands, seed=seed, policy=policy, buckets=groups, trace=True)
        assert played.path is not None
        assert played.cards is not None
        ends = played.path[np.arange(hands), (played.path >= 0).sum(axis=1) - 1]
        shown = tree.nodes.node[ends, ACTOR] == SHOWDOWN
        if shown.sum() >= count:
            return np.asarray(played.cards[shown][:count])
        hands *= 2


@cache
def _self_play() -> tuple[BettingTree, npt.NDArray[np.float32], tuple[Buckets, ...]]:
    """The shipped blueprint; builds its bucket tables if they are missing, which takes minutes."""
    blueprint = Blueprint.load(find_blueprint())
    groups = blueprint.groups(build_tables(blueprint.abstraction))
    return blueprint.tree, blueprint.policy(), groups
