"""Buckets of many hands at once are those that the agent finds one by one."""

import numpy as np
import pytest

from helpers.hidden_order import drawn_order
from tiltless.abstraction.cards.buckets import PREFLOP_CLASSES
from tiltless.abstraction.cards.fill import BoardTable
from tiltless.agents.permutation.hands import card_names, combo_names, median_orders
from tiltless.cards.card import CLASS_OF_COMBO, COMBO_CARDS, COMBO_OF
from tiltless.cards.isomorphism import canonical_boards
from tiltless.experiments.permutation.play_buckets import BelievedBuckets, ladder, renamed

_COUNT = 300


def rule(boards):
    """Buckets that know ranks only: three clusters of boards, then pairs with the board, then sums.

    boards: ``[n, cards]``; returns ``[n, 1326]``, 0 for blocked hands.
    """
    ranks, hole = boards.astype(int) >> 2, COMBO_CARDS.astype(int) >> 2
    pairs = sum((ranks[:, :, None] == hole[None, None, :, each]).any(axis=1) for each in (0, 1))
    out = 100 * (ranks.max(axis=1) % 3)[:, None] + 30 * pairs + hole.sum(axis=1)
    blocked = (boards[:, :, None, None] == COMBO_CARDS[None, None]).any(axis=(1, 3))
    return np.where(blocked, 0, out).astype(np.uint16)


@pytest.fixture(scope="module")
def believed():
    boards = canonical_boards(3)[0]
    rows = np.concatenate([rule(boards[low : low + 500]) for low in range(0, len(boards), 500)])
    table = BoardTable(_COUNT, 3, "all", rows)
    return BelievedBuckets((PREFLOP_CLASSES, table), (ladder(table),))


def dealt(hands, seed):
    rng = np.random.default_rng(seed)
    return np.array([rng.permutation(52)[:7] for _ in range(hands)], np.uint8)


def orders(count, seed=0):
    return np.array([drawn_order(100 * seed + each) for each in range(count)], np.int8)


def test_by_order_is_the_bucket_of_the_true_cards(believed):
    cards, by = dealt(20, 1), orders(20)
    bucket = believed.by_order(cards, by)
    for hand, (row, order) in enumerate(zip(cards, by, strict=True)):
        true = card_names(order)[row]
        assert (renamed(row[None], order[None])[0] == true).all()
        for player in range(2):
            combo = COMBO_OF[true[2 * player], true[2 * player + 1]]
            assert bucket[hand, player, 0] == CLASS_OF_COMBO[combo]
            assert bucket[hand, player, 1] == rule(true[None, 4:])[0, combo]


@pytest.mark.parametrize("count", [1, 8, 31])
def test_by_median_is_what_the_agent_chooses(believed, count):
    cards = dealt(25, count)
    samples = np.stack([orders(count, seed) for seed in range(25)])
    samples[:5] = samples[:5, :1]  # some are sure
    preflop = orders(25, 77)
    bucket = believed.by_median(cards, preflop, samples)
    assert (bucket[:, :, 0] == believed.by_order(cards, preflop)[:, :, 0]).all()
    differs = 0
    for hand, row in enumerate(cards):
        board = tuple(row[4:].tolist())
        for player in range(2):
            combo = np.array([COMBO_OF[row[2 * player], row[2 * player + 1]]], np.int64)
            chosen = median_orders(
                lambda true: rule(np.array([true]))[0], board, samples[hand], combo
            )[0]
            order = samples[hand, chosen]
            true = rule(card_names(order)[[*board]][None])[0]
            assert bucket[hand, player, 1] == true[combo_names(order)[combo[0]]]
            differs += chosen > 0
    assert differs > 10 or count == 1
