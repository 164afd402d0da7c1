"""Matches to infer from: a hidden order, and random hands checked down."""

from random import Random

import numpy as np
import numpy.typing as npt

from tiltless.cards.evaluate import evaluate_many
from tiltless.cards.hand_order import HandOrder, permuted
from tiltless.games.holdem.permutation import draw_ranks
from tiltless.permutation.evidence import ShowdownResult
from tiltless.seeding import mixed

__all__ = ["hidden_order", "random_cards", "with_results"]


def hidden_order(seed: int) -> HandOrder:
    """The order of a match, drawn as the engine draws it."""
    return permuted(draw_ranks(Random(mixed(seed, 1))))


def random_cards(seed: int, count: int) -> npt.NDArray[np.uint8]:
    """Nine cards of each showdown, uint8 ``[count, 9]``: first hand, second hand, board."""
    rng = np.random.default_rng([seed, 2])
    return np.stack([rng.permutation(52)[:9] for _ in range(count)]).astype(np.uint8)


def with_results(cards: npt.NDArray[np.uint8], order: HandOrder) -> list[ShowdownResult]:
    """Showdowns with the results that an order gives them.  cards: uint8 ``[n, 9]``."""
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
