"""Where the showdowns of the experiment come from.

``random``: any two hands, checked down. ``play``: hands of the shipped blueprint against itself, as
two players who ignore the permutation would play shown cards; about one hand in four is shown.
"""

from functools import cache
from random import Random

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.buckets import Buckets
from tiltless.abstraction.cards.tables import build_tables
from tiltless.blueprint.shipped import find_blueprint
from tiltless.blueprint.simulate.playout import play
from tiltless.blueprint.strategy import Blueprint
from tiltless.blueprint.tree import BettingTree
from tiltless.cards.evaluate import evaluate_many
from tiltless.cards.hand_order import HandOrder, permuted
from tiltless.games.holdem.permutation import draw_ranks
from tiltless.kernels.blueprint.nodes import ACTOR, SHOWDOWN
from tiltless.permutation.evidence import ShowdownResult
from tiltless.seeding import mixed

__all__ = ["SOURCES", "hidden_order", "shown_cards", "with_results"]

SOURCES = ("random", "play")
_HANDS = 6  # played for each showdown wanted, at first


def hidden_order(seed: int) -> HandOrder:
    """The order of a match, drawn as the engine draws it."""
    return permuted(draw_ranks(Random(mixed(seed, 1))))


def shown_cards(source: str, seed: int, count: int) -> npt.NDArray[np.uint8]:
    """Nine shown cards of each showdown, uint8 ``[count, 9]``: first hand, second hand, board."""
    if source == "random":
        rng = np.random.default_rng([seed, 2])
        return np.stack([rng.permutation(52)[:9] for _ in range(count)]).astype(np.uint8)
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


def with_results(cards: npt.NDArray[np.uint8], order: HandOrder) -> list[ShowdownResult]:
    """Showdowns with the results that an order gives them."""
    first, second = (
        evaluate_many(cards[:, list(columns)], order).astype(np.int64)
        for columns in ((0, 1, 4, 5, 6, 7, 8), (2, 3, 4, 5, 6, 7, 8))
    )
    results = np.sign(first - second).tolist()
    rows = [tuple(row) for row in cards.tolist()]
    return [
        ShowdownResult(row[:2], row[2:4], row[4:], result)
        for row, result in zip(rows, results, strict=True)
    ]
