from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
import pytest

from naive.cards import buckets as naive
from tiltless.abstraction.cards import features as module
from tiltless.abstraction.cards.features import Histogram, OpponentClusters, Strength, live_hands
from tiltless.cards.card import CLASS_OF_COMBO, COMBO_CARDS, COMBO_OF, combo_index, parse_cards
from tiltless.cards.hand_equity import equity_histogram
from tiltless.cards.hand_order import NO_STRAIGHTS, STANDARD, hand_tables
from tiltless.cards.preflop import equity_vs_random
from tiltless.errors import ArrayError, OptionError
from tiltless.kernels.cards.strength import cluster_sums, final_boards, strength_sums

RNG = np.random.default_rng(5)
CLUSTERS = RNG.integers(0, 8, 169).astype(np.uint8)
CLUSTERS[:8] = range(8)


def board_of(text):
    return np.array(parse_cards(text), np.uint8)


def deal(board_cards):
    cards = RNG.permutation(52)[: 2 + board_cards].astype(np.uint8)
    return tuple(map(int, cards[:2])), cards[2:]


def agree(hand, board, compare=naive.quick_duels):
    clusters = CLUSTERS[CLASS_OF_COMBO].tolist()
    mean, square, shares, ochs = naive.features(hand, tuple(map(int, board)), clusters, 50, compare)
    combo = COMBO_OF[hand]
    np.testing.assert_allclose(Strength().exact(board)[combo], [mean, square], atol=1e-9)
    np.testing.assert_allclose(Histogram().exact(board)[combo], shares, atol=1e-9)
    np.testing.assert_allclose(OpponentClusters(CLUSTERS).exact(board)[combo], ochs, atol=1e-9)
    np.testing.assert_allclose(
        Strength(squared=True).whole(board)[combo], np.array([mean, square]) * 4096, atol=0.5001
    )
    np.testing.assert_allclose(
        Histogram().whole(board)[combo], np.cumsum(shares)[:-1] * 4096, atol=0.5001
    )
    np.testing.assert_allclose(
        OpponentClusters(CLUSTERS).whole(board)[combo], np.array(ochs) * 4096, atol=0.5001
    )


@pytest.mark.nojit
@pytest.mark.bounds
def test_a_river_agrees_with_plain_python():
    agree(*deal(5), compare=naive.duels)


def test_rivers_agree_with_hand_by_hand():
    for text in ("AsKsQsJsTs", "AsKsQsJs2d", "7s7h7d7c2s", "2c3d4h5s9c"):  # flushes, ties, quads
        board = board_of(text)
        rest = [card for card in range(52) if card not in board]
        for _ in range(3):
            agree(tuple(map(int, RNG.choice(rest, 2, replace=False))), board)
    for _ in range(10):
        agree(*deal(5))


def test_turns_and_flops_agree_with_hand_by_hand():
    for _ in range(3):
        agree(*deal(4))
    agree(*deal(3))


@pytest.mark.slow
def test_many_hands_of_every_street_agree_with_hand_by_hand():
    for board_cards, hands in ((5, 200), (4, 40), (3, 5)):
        for _ in range(hands):
            agree(*deal(board_cards))


def test_before_the_flop_strength_is_the_equity_against_a_random_hand():
    none = np.empty(0, np.uint8)
    exact = Strength().exact(none)
    np.testing.assert_allclose(exact[:, 0], equity_vs_random()[CLASS_OF_COMBO], atol=1e-12)
    shares = Histogram().exact(none)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-12)
    steps = np.arange(50) / 50
    assert (shares @ steps <= exact[:, 0] + 1e-9).all()
    assert (exact[:, 0] <= shares @ (steps + 1 / 50) + 1e-9).all()
    aces = OpponentClusters(np.eye(169, dtype=np.uint8)[CLASS_OF_COMBO[combo_index("AsAh")]])
    against = aces.exact(none)
    assert against[combo_index("KsKh"), 1] == pytest.approx(0.18055, abs=2e-5)
    assert against[combo_index("AsAh"), 1] == pytest.approx(0.5)


def test_what_is_kept_before_the_flop_has_its_order_and_bins(monkeypatch):
    """And nobody can change it; the two seconds of each are left out."""
    none, orders = np.empty(0, np.uint8), [STANDARD, NO_STRAIGHTS]
    for name in ("_preflop_strength", "_preflop_counts"):
        monkeypatch.setattr(module, name, lru_cache(getattr(module, name).__wrapped__))

    def sums(board, order):
        return np.full((1326, 2), orders.index(order), np.uint64)

    def counts(feature, board):
        return np.full((1326, feature.bins), orders.index(feature.order), np.uint32)

    monkeypatch.setattr(module, "_strength_sums", sums)
    monkeypatch.setattr(Histogram, "_counts", counts)
    for _ in range(2):
        for number, order in enumerate(orders):
            found = Strength(order=order).sums(none)[0]
            assert (found == number).all()
            found += np.uint64(7)
            for bins in (5, 6):
                found = Histogram(bins, order).counts(none)
                assert found.shape == (1326, bins)
                assert (found == number).all()
                found += np.uint32(7)


@pytest.mark.slow
def test_moments_and_clusters_before_the_flop_are_those_of_every_board():
    """All 2,118,760 boards that AsKs can see, one by one, without classes or orbits."""
    hand = parse_cards("AsKs")
    rest = np.array([card for card in range(52) if card not in hand], np.uint8)
    boards = rest[np.array(list(combinations(range(50), 5)), np.uint8)]
    ones, combo = np.ones(len(boards), np.uint64), combo_index("AsKs")
    sums = np.zeros((1326, 2), np.uint64)
    strength_sums(boards, ones, hand_tables(), sums)
    none = np.empty(0, np.uint8)
    wanted = sums[combo] / [1980.0 * len(boards), 1980.0**2 * len(boards)]
    np.testing.assert_allclose(Strength().exact(none)[combo], wanted, atol=1e-12)
    feature = OpponentClusters(CLUSTERS)
    won = np.zeros((1326, 8), np.uint64)
    cluster_sums(boards, ones, feature._units, hand_tables(), won)
    met = np.zeros(8)
    for low, high in combinations(rest.tolist(), 2):
        met[CLUSTERS[CLASS_OF_COMBO[COMBO_OF[low, high]]]] += 2 * comb(48, 5)
    np.testing.assert_allclose(feature.exact(none)[combo], won[combo] / met, atol=1e-12)


@pytest.mark.slow
def test_histogram_before_the_flop_is_that_of_every_board():
    shares = Histogram().exact(np.empty(0, np.uint8))[combo_index("AsKs")]
    np.testing.assert_allclose(shares, equity_histogram("AsKs"), atol=1e-9)


def test_histograms_agree_with_those_of_single_hands():
    board = board_of("Ks7d2c")
    shares = Histogram(20).exact(board)
    for hand in ("AsKd", "4h3d", "7s7h"):
        np.testing.assert_allclose(
            shares[combo_index(hand)], equity_histogram(hand, board="Ks7d2c", bins=20), atol=1e-9
        )


def test_hands_on_the_board_have_no_features():
    board = board_of("Ks7d2cJh3s")
    live = live_hands(board)
    assert live.sum() == 1081
    touching = np.isin(COMBO_CARDS, board).any(axis=1)
    assert ((live == 0) == touching).all()
    for feature in (Strength(), Histogram(), OpponentClusters(CLUSTERS)):
        assert np.isnan(feature.exact(board)[touching]).all()
        assert not np.isnan(feature.exact(board)[~touching]).any()


@pytest.mark.nojit
def test_final_boards_are_all_of_them_once():
    for text, count in (("Ks7d2c", 1176), ("Ks7d2cJh", 48), ("Ks7d2cJh3s", 1)):
        board = board_of(text)
        out = np.zeros((1176, 5), np.uint8)
        assert final_boards(board, out) == count
        found = {tuple(sorted(row)) for row in out[:count].tolist()}
        assert len(found) == count
        assert all(len(set(row)) == 5 and set(board.tolist()) <= set(row) for row in found)


def test_clusters_are_checked():
    with pytest.raises(ArrayError, match="one uint8 for each of the 169"):
        OpponentClusters(np.zeros(168, np.uint8))
    with pytest.raises(OptionError, match="skip a number"):
        OpponentClusters(np.full(169, 1, np.uint8))
    with pytest.raises(OptionError, match="bins"):
        Histogram(1)
