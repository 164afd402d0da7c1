"""Matches of Permutation Hold'em for tests: hidden orders, showdowns, and evidence that pins."""

from itertools import pairwise
from random import Random

from naive.permutation.agreement import result
from tiltless.cards.hand_order import permuted
from tiltless.games.holdem.permutation import draw_ranks
from tiltless.permutation.evidence import EvidenceRows, ShowdownResult


def drawn_order(seed):
    """An order as the engine draws it: true rank of each shown rank."""
    return permuted(draw_ranks(Random(seed))).true_ranks


def random_showdowns(seed, order, count):
    """Pairs of nine cards and their result under an order: any two hands, checked down."""
    rng = Random(seed)
    for _ in range(count):
        cards = rng.sample(range(52), 9)
        yield cards, result(cards, order)


def pins(top, bottom):
    """Showdowns that only orders with these highest and lowest shown ranks agree with.

    Both hands hold a pair, the board three of a kind and two ranks more: two full houses with the
    same three of a kind, so the higher pair wins, and neither straights nor flushes are possible.
    """
    rest = [shown for shown in range(13) if shown not in top and shown not in bottom]
    chain = [*pairwise(top), *pairwise(reversed(bottom))]
    chain += [(top[-1], each) for each in rest] if top else []
    chain += [(each, bottom[-1]) for each in rest] if bottom else []
    for high, low in chain:
        trips, x, y = [shown for shown in range(13) if shown not in (high, low)][:3]
        board = [4 * trips, 4 * trips + 1, 4 * trips + 2, 4 * x + 3, 4 * y + 3]
        yield [4 * high, 4 * high + 1, 4 * low, 4 * low + 1, *board], 1


def rows_of(showdowns):
    """Pairs of nine cards and a result as the evidence of the kernels."""
    rows = EvidenceRows()
    for cards, seen in showdowns:
        rows.add(ShowdownResult.checked(cards[:2], cards[2:4], cards[4:], seen))
    return rows


def observe_all(orders, showdowns):
    """Feed showdowns to an `Orders`; returns it."""
    for cards, seen in showdowns:
        orders.observe(cards[:2], cards[2:4], cards[4:], seen)
    return orders
