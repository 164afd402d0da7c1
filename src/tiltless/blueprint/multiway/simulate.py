"""Compiled matches of several players: one of a strategy against copies of another.

The unit is a deal in all rotations: the first side sits in each seat once, with the same cards and
the same random numbers of the seats, and copies of the second side sit everywhere else. Two equal
sides score exactly 0, so this is duplicate play and its own control. Deals come in blocks of fixed
size with generators of their own: results do not depend on the number of threads.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tiltless.abstraction.cards.buckets import Buckets
from tiltless.blueprint.multiway.graph import BettingGraph
from tiltless.cards.hand_order import hand_tables
from tiltless.errors import ArrayError
from tiltless.kernels.base.rng import fill_words
from tiltless.kernels.cards.evaluate import evaluate_hands
from tiltless.kernels.cards.shuffle import deal_hands
from tiltless.kernels.multiway.rotation import RotationDeals, play_rotations
from tiltless.validate import whole_number

__all__ = ["DEALS", "RotationResult", "play_against_copies"]

DEALS = 1024
"""Deals that share a generator; changing it changes the deals of a seed."""
_BOARD = 5

Table = npt.NDArray[np.float32]


class RotationResult(NamedTuple):
    """Chips a hand, over deals in all rotations.

    hands: one for each seat of each deal.  mean, standard_error: of what the first side wins.
    button, button_error: of what the button wins, whoever sits there.
    seats: what each player wins, ``[players]``, counted clockwise from the button.
    """

    hands: int
    mean: float
    standard_error: float
    button: float
    button_error: float
    seats: npt.NDArray[np.float64]


def play_against_copies(
    graph: BettingGraph,
    buckets: Sequence[Buckets],
    deals: int,
    first: Table,
    second: Table,
    *,
    seed: int = 0,
    threads: int = 1,
) -> RotationResult:
    """One of the first side against copies of the second, every deal in every seat.

    first, second: float32 ``[entries]``, weights laid out by `BettingGraph.offsets`; they are only
    read, and may be mapped from a file.
    """
    deals = whole_number("deals", deals, 1, 10**12)
    counts = [group.count for group in buckets]
    entries, start = graph.size.entries(counts), graph.offsets(counts)
    one, other = (_read_only(table, entries) for table in (first, second))

    def block(number: int) -> npt.NDArray[np.float64]:
        size = min(DEALS, deals - number * DEALS)
        dealt = _deal(graph, buckets, seed, number, size)
        won = np.empty((size, graph.players, graph.players))
        stack, ante = float(graph.stack), float(graph.ante)
        play_rotations(graph.nodes, start, one, other, dealt, stack, ante, won)
        return won

    own = np.arange(graph.players)
    sums, squares = np.zeros(2), np.zeros(2)
    seats = np.zeros(graph.players)
    with ThreadPoolExecutor(threads) as pool:
        for won in pool.map(block, range(-(-deals // DEALS))):
            each = np.stack([won[:, own, own].mean(axis=1), won[:, :, 0].mean(axis=1)])
            sums += each.sum(axis=1)
            squares += (each**2).sum(axis=1)
            seats += won.mean(axis=1).sum(axis=0)
    mean = sums / deals
    errors = [inf, inf]
    if deals > 1:
        variance = np.maximum(squares - deals * mean**2, 0.0) / (deals - 1)
        errors = [sqrt(each / deals) for each in variance]
    hands = deals * graph.players
    return RotationResult(
        hands, float(mean[0]), errors[0], float(mean[1]), errors[1], seats / deals
    )


def _read_only(table: Table, entries: int) -> Table:
    """A view that cannot be written to: kernels are compiled for one kind of array."""
    if table.shape != (entries,) or table.dtype != np.float32:
        raise ArrayError(
            f"a side has shape {table.shape} and dtype {table.dtype}; this graph needs "
            f"({entries},) of float32"
        )
    view = table.view()
    view.flags.writeable = False
    return view


def _deal(
    graph: BettingGraph, buckets: Sequence[Buckets], seed: int, number: int, deals: int
) -> RotationDeals:
    """The cards of a block, as buckets and strengths."""
    game, players = graph.game, graph.players
    sequence = np.random.SeedSequence(seed, spawn_key=(number,))
    deal_rng, choices = sequence.generate_state(2, np.uint64).reshape(2, 1)
    deck = np.array([card for card in range(52) if game.deck >> card & 1], np.uint8)
    cards = np.empty((deals, 2 * players + _BOARD), np.uint8)
    deal_hands(deal_rng, deck, cards.shape[1], 0, cards)
    words = np.empty((deals, players), np.uint64)
    fill_words(choices, words.reshape(-1))
    bucket = np.zeros((deals, players, graph.streets), np.uint32)
    for street, group in enumerate(buckets):
        group.fill(cards, street, bucket)
    seven = np.empty((deals, players, 2 + _BOARD), np.uint8)
    seven[:, :, :2] = cards[:, : 2 * players].reshape(deals, players, 2)
    seven[:, :, 2:] = cards[:, None, 2 * players :]
    strength = np.empty(deals * players, np.uint16)
    evaluate_hands(seven.reshape(-1, 2 + _BOARD), hand_tables(game.order), strength)
    return RotationDeals(bucket, strength.reshape(deals, players), words)
