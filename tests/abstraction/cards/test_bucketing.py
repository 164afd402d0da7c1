import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive.cards import buckets as naive
from tiltless.abstraction.cards.bucketing import (
    METRICS,
    Clustered,
    ComboList,
    Lossless,
    StrengthBins,
    Suitless,
    neighbours,
    rank_pairs,
)
from tiltless.abstraction.cards.features import Histogram, Strength, live_hands
from tiltless.abstraction.cards.potential import Potential, places_of
from tiltless.cards.card import COMBO_CARDS, combo_index, parse_cards
from tiltless.errors import ArrayError, OptionError
from tiltless.kernels.cards.assign import assign

NONE = np.empty(0, np.uint8)


def board_of(text):
    return np.array(parse_cards(text), np.uint8)


def assigned(points, centroids, metric):
    near, apart = neighbours(centroids, metric)
    out = np.empty(len(points), np.uint16)
    live = np.ones(len(points), np.uint8)
    distances = np.empty(len(points), np.int32)
    flat = points.reshape(-1), live, centroids.reshape(-1)
    looked = assign(*flat, near, apart, metric, out, distances)
    gap = np.abs(points.astype(np.int64) - centroids[out]) ** metric
    assert (distances == gap.sum(axis=1)).all()
    return out, looked


@pytest.mark.nojit
@pytest.mark.bounds
@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 9),
    st.integers(1, 40),
    st.integers(2, 5000),
    st.sampled_from(["l1", "l2"]),
    st.integers(0, 2**32),
)
def test_assign_finds_the_nearest_centroid_and_the_lowest_of_equals(dims, k, most, metric, seed):
    rng = np.random.default_rng(seed)
    most = min(most, 4096)
    centroids = np.unique(rng.integers(0, most, (k, dims)), axis=0).astype(np.int16)
    centroids = rng.permutation(centroids)
    points = rng.integers(0, most, (30, dims)).astype(np.int16)
    out, looked = assigned(points, centroids, METRICS[metric])
    wanted = [naive.nearest(point, centroids, METRICS[metric]) for point in points]
    assert out.tolist() == wanted
    assert looked <= len(points) * len(centroids) * 4


def test_assign_looks_at_few_centroids():
    rng = np.random.default_rng(0)
    centroids = np.unique(rng.integers(0, 4096, (1000, 2)), axis=0).astype(np.int16)
    points = np.sort(rng.integers(0, 4096, (5000, 2)), axis=0).astype(np.int16)
    _, looked = assigned(points, centroids, METRICS["l2"])
    assert looked < 60 * len(points)


def test_the_widest_histograms_still_fit_into_32_bits():
    board = board_of("Ks7d2cJh3s")
    rule = clustered(Histogram(128), 40, board)
    buckets, whole = rule.buckets(board), Histogram(128).whole(board).astype(np.int64)
    gaps = ((whole[:, None] - rule.centroids[None].astype(np.int64)) ** 2).sum(axis=2)
    live = live_hands(board) > 0
    assert (buckets[live] == gaps.argmin(axis=1)[live]).all()
    assert gaps.max() > 2**30
    extremes = np.array([[0] * 127, [4096] * 127], np.int16)
    assert assigned(extremes, extremes, METRICS["l2"])[0].tolist() == [0, 1]


def test_lossless_buckets_are_canonical_hands():
    assert Lossless(0).count == 169
    assert Lossless(3).count == 1_286_792
    assert Lossless(5).count == 123_156_254
    assert len(set(Lossless(0).buckets(NONE).tolist())) == 169
    flop = Lossless(3).buckets(board_of("Ks7d2c"))
    assert flop[combo_index("AhQh")] != flop[combo_index("AsQs")]
    assert (
        Lossless(3).buckets(board_of("Ks7s2s"))[combo_index("AhQd")]
        == Lossless(3).buckets(board_of("Kc7c2c"))[combo_index("AhQs")]
    )
    assert flop.dtype == np.uint32


def test_the_thesis_drops_the_suits_of_the_board():
    assert [Suitless(n).count for n in (0, 3, 4, 5)] == [169, 76_895, 307_580, 1_043_575]
    one, two = Suitless(3).buckets(board_of("Ks7s2s")), Suitless(3).buckets(board_of("2d7hKc"))
    live = (live_hands(board_of("Ks7s2s")) & live_hands(board_of("2d7hKc"))) > 0
    assert (one[live] == two[live]).all()
    assert one[combo_index("AsQs")] != one[combo_index("AsQh")]
    other = Suitless(3).buckets(board_of("Ks7s3s"))
    assert one[combo_index("AsQs")] != other[combo_index("AsQs")]
    assert Suitless(5).buckets(board_of("AsAhAdAcKs")).max() < 1_043_575


def test_rank_pairs_forget_suits():
    ranks = rank_pairs().buckets(NONE)
    assert len(set(ranks.tolist())) == 91
    assert ranks[combo_index("AsKs")] == ranks[combo_index("AsKd")]
    assert rank_pairs().count == 91
    with pytest.raises(OptionError, match="starting hands"):
        rank_pairs().buckets(board_of("Ks7d2c"))


def test_strength_bins_are_equal_steps_of_equity():
    board = board_of("Ks7d2cJh3s")
    equity = Strength().exact(board)[:, 0]
    buckets = StrengthBins(190).buckets(board)
    live = live_hands(board) > 0
    assert (buckets[live] == np.minimum(np.floor(equity[live] * 190 + 1e-9), 189)).all()
    assert (buckets[~live] == 0).all()
    assert StrengthBins(190).buckets(NONE)[combo_index("AsAh")] == int(0.85204 * 190)


def clustered(feature, count, board, metric="l2"):
    points = feature.whole(board)[live_hands(board) > 0]
    chosen = np.unique(points, axis=0)
    step = max(len(chosen) // count, 1)
    return Clustered(feature, chosen[::step][:count].copy(), metric)


@pytest.mark.parametrize("metric", ["l1", "l2"])
def test_clustered_hands_go_to_the_nearest_centroid(metric):
    board = board_of("Ks7d2cJh3s")
    rule = clustered(Histogram(10), 5, board, metric)
    buckets, whole = rule.buckets(board), Histogram(10).whole(board)
    for hand in np.flatnonzero(live_hands(board))[::37]:
        assert buckets[hand] == naive.nearest(whole[hand], rule.centroids, METRICS[metric])
    assert (buckets[live_hands(board) == 0] == 0).all()


def test_buckets_do_not_change_with_the_names_of_suits():
    board, swapped = board_of("Ks7d2cJh"), board_of("Kh7c2dJs")
    image = np.array([1, 0, 3, 2], np.uint8)
    rule = clustered(Strength(), 20, board)
    moved = (COMBO_CARDS & 0xFC) | image[COMBO_CARDS & 3]
    one, two = rule.buckets(board), rule.buckets(swapped)
    for hand in range(0, 1326, 11):
        assert one[hand] == two[combo_index(moved[hand].tolist())]


def test_potential_is_the_mean_place_of_the_next_buckets():
    river = clustered(Strength(), 6, board_of("Ks7d2cJh3s"))
    feature = Potential(river, places_of(river, dims=3))
    board = board_of("Ks7d2cJh")
    shares = feature.exact(board)
    live = live_hands(board) > 0
    assert np.allclose(shares[live].sum(axis=1), 1)
    hand = combo_index("AsKd")
    rivers = [card for card in range(52) if card not in (*board, *COMBO_CARDS[hand])]
    counts = np.zeros(6)
    for card in rivers:
        counts[river.buckets(np.append(board, np.uint8(card)))[hand]] += 1
    assert np.allclose(shares[hand], counts / 46)
    total = counts.astype(np.int64) @ feature.places.astype(np.int64)
    assert feature.whole(board)[hand].tolist() == (total // 46).tolist()


@pytest.mark.parametrize("metric", ["l1", "l2"])
def test_places_are_as_far_apart_as_centroids(metric):
    """On a line the squared distance of places is proportional to that of the centroids."""
    values = np.array([0, 100, 250, 700, 1500, 4000], np.int16)[:, None]
    rule = Clustered(Strength(), values, metric)
    places = places_of(rule).astype(np.float64)
    squared = ((places[:, None] - places[None]) ** 2).sum(axis=2)
    line = np.abs(values.astype(float) - values.astype(float).T)
    ratio = squared[line > 0] / line[line > 0]
    assert ratio.max() / ratio.min() < 1.02
    assert (np.diff(places[:, 0]) > 0).all()


def test_energy_distance_on_a_line_is_l2_of_cumulative_histograms():
    """Székely & Rizzo: the identity that makes `Potential` a sibling of `Histogram`."""
    rng = np.random.default_rng(1)
    p, q = rng.dirichlet(np.ones(9)), rng.dirichlet(np.ones(9))
    apart = np.abs(np.arange(9)[:, None] - np.arange(9)[None]).astype(float)
    energy = 2 * p @ apart @ q - p @ apart @ p - q @ apart @ q
    cumulative = np.cumsum(p - q)
    assert energy == pytest.approx(2 * (cumulative**2).sum())


def test_wrong_centroids_are_refused():
    with pytest.raises(ArrayError, match="int16 in rows"):
        Clustered(Strength(), np.zeros((3, 1)))
    with pytest.raises(ArrayError, match="two centroids are equal"):
        Clustered(Strength(), np.zeros((2, 1), np.int16))
    with pytest.raises(ArrayError, match="exceed 4096"):
        Clustered(Strength(), np.array([[5000]], np.int16))
    with pytest.raises(ArrayError, match="centroids have 2 numbers and strength has 1"):
        Clustered(Strength(), np.array([[5, 6]], np.int16))
    with pytest.raises(ArrayError, match="32 bits are not enough"):
        Clustered(Histogram(129), np.zeros((1, 128), np.int16))
    with pytest.raises(OptionError, match="metric='cosine'"):
        Clustered(Strength(), np.array([[50]], np.int16), "cosine")
    with pytest.raises(ArrayError, match="1,326 combos"):
        ComboList(np.zeros(5, np.uint16))
    with pytest.raises(ArrayError, match="one row for each"):
        Potential(Clustered(Strength(), np.array([[50]], np.int16)), np.zeros((2, 3), np.int16))
