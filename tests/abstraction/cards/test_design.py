import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltless.abstraction.cards.abstraction import street_of
from tiltless.abstraction.cards.bucketing import METRICS, Clustered, neighbours
from tiltless.abstraction.cards.clustering import k_means
from tiltless.abstraction.cards.design import Designer, design, opponent_clusters
from tiltless.abstraction.cards.design_file import load_design, save_design
from tiltless.abstraction.cards.features import Histogram, Strength
from tiltless.abstraction.cards.grammar import StreetText, parse_streets
from tiltless.abstraction.cards.presets import CARD_PRESETS, card_abstraction, card_design
from tiltless.cards.card import CLASS_OF_COMBO, combo_index
from tiltless.errors import CardError, DamagedFileError, ForeignFileError, OptionError
from tiltless.files.arrays import write_arrays
from tiltless.kernels.cards.assign import assign

QUICK = Designer(points=2_000, rounds=5, tries=2, seed=3)


def cost(points, centroids, power):
    apart = np.abs(points[:, None].astype(np.int64) - centroids[None]) ** power
    return apart.sum(axis=2).min(axis=1).sum()


def blobs(count, dims=3, each=200, seed=0):
    rng = np.random.default_rng(seed)
    centres = rng.integers(200, 3800, (count, dims))
    points = centres[:, None] + rng.integers(-20, 21, (count, each, dims))
    return centres, points.reshape(-1, dims).astype(np.int16)


@pytest.mark.parametrize("metric", ["l1", "l2"])
def test_k_means_finds_clusters_that_are_there(metric):
    centres, points = blobs(12)
    found = k_means(points, np.ones(len(points), np.uint32), 12, metric, seed=1, tries=5)
    for centre in centres:
        assert np.abs(found - centre).sum(axis=1).min() < 15


def test_k_means_counts_weights():
    points = np.array([[0], [10], [1000]], np.int16)
    found = k_means(points, np.array([9, 1, 5], np.uint32), 2, "l2", seed=0)
    assert sorted(found[:, 0].tolist()) == [1, 1000]


@pytest.mark.parametrize("metric", ["l1", "l2"])
def test_k_means_is_better_than_its_seeds_and_the_same_for_any_number_of_threads(metric):
    points = np.random.default_rng(0).integers(0, 4096, (3000, 4)).astype(np.int16)
    weights = np.ones(len(points), np.uint32)
    power = METRICS[metric]
    one = k_means(points, weights, 30, metric, 7, tries=1, threads=1)
    three = k_means(points, weights, 30, metric, 7, tries=1, threads=3)
    assert np.array_equal(one, three)
    seeds = k_means(points, weights, 30, "l2", 7, tries=1, rounds=1)
    assert cost(points, one, power) < cost(points, seeds, power)
    assert cost(points, k_means(points, weights, 30, metric, 7, tries=4), power) <= cost(
        points, one, power
    )
    assert not np.array_equal(one, k_means(points, weights, 30, metric, 8, tries=1))


def test_k_means_gives_different_centroids_even_for_many_equal_points():
    points = np.repeat(np.arange(10, dtype=np.int16), 50)[:, None]
    found = k_means(points, np.ones(500, np.uint32), 10, "l2", seed=0)
    assert sorted(found[:, 0].tolist()) == list(range(10))
    with pytest.raises(OptionError, match="11 buckets for 10 different hands"):
        k_means(points, np.ones(500, np.uint32), 11, "l2", seed=0)


def test_medians_count_weights():
    points = np.array([[0], [10], [1000], [1010]], np.int16)
    found = k_means(points, np.array([9, 1, 9, 1], np.uint32), 2, "l1", seed=0)
    assert sorted(found[:, 0].tolist()) == [0, 1000]


def test_a_flop_that_is_drawn_more_often_than_it_has_hands_counts_as_often():
    points, weights, _ = Designer(points=3_000_000, seed=1).sample(_Flat(), 1)
    assert len(points) < 3_000_000
    assert (Designer(points=30_000, seed=1).sample(_Flat(), 1)[1] == 1).all()
    assert weights.sum() / 4096 == pytest.approx(3_000_000, rel=1e-3)


class _Flat:
    """A feature that costs nothing."""

    dims = 1

    def whole(self, board):
        return np.zeros((1326, 1), np.int16)


def test_medians_of_l1():
    points = np.array([[0], [0], [0], [900], [2000], [2000], [2010]], np.int16)
    found = k_means(points, np.ones(7, np.uint32), 2, "l1", seed=0)
    assert sorted(found[:, 0].tolist()) == [0, 2000]


def test_opponent_clusters_go_from_weak_to_strong():
    clusters = opponent_clusters(8)
    assert set(clusters.tolist()) == set(range(8))
    of = {hand: clusters[CLASS_OF_COMBO[combo_index(hand)]] for hand in ("AsAh", "KsKh", "7s2h")}
    assert of["AsAh"] == of["KsKh"] == 7
    assert of["7s2h"] == 0
    assert np.array_equal(clusters, card_design("standard").arrays["opponents8"])


def test_a_design_is_the_same_every_time_and_differs_by_seed(tmp_path):
    text = "strength 4, bins 5, bins 6, strength 7 l1"
    one, two = design(text, designer=QUICK), design(text, designer=QUICK)
    assert one.abstraction().fingerprint == two.abstraction().fingerprint
    assert one.abstraction().counts == (4, 5, 6, 7)
    other = design(text, designer=Designer(points=2_000, rounds=5, tries=2, seed=4))
    assert one.abstraction().fingerprint != other.abstraction().fingerprint
    assert one.text == "strength 4 l2, bins 5, bins 6, strength 7 l1"
    preflop = one.abstraction().buckets()
    assert preflop[combo_index("AsAh")] == 3
    assert preflop[combo_index("7s2h")] == 0
    save_design(tmp_path / "x.safetensors", one)
    back = load_design(tmp_path / "x.safetensors")
    assert back.abstraction().fingerprint == one.abstraction().fingerprint
    assert back.made_by == "2000 hands a street, 5 rounds, best of 2, seed 3"
    board = "Ks7d2cJh3s"
    assert np.array_equal(back.abstraction().buckets(board), one.abstraction().buckets(board))


def test_weak_hands_have_low_buckets():
    river = card_abstraction("standard").buckets("Ks7d2cJh3s")
    assert river[combo_index("KhKd")] > river[combo_index("AsKd")] > river[combo_index("6h4d")]


def test_every_hand_can_be_a_point():
    points, weights, _ = Designer(points=None).sample(Strength(), 0)
    assert len(points) == 169
    assert weights.sum() == 1326
    with pytest.raises(OptionError, match=r"need .* GB; draw fewer points"):
        Designer(points=None).sample(Histogram(), 3)


def test_a_sample_has_its_size_and_repeats():
    points, weights, board = QUICK.sample(Strength(), 3)
    assert len(points) == 2000
    assert (weights == 1).all()
    assert (np.bincount(board) % 16 == 0).all()
    again, _, _ = Designer(points=2_000, seed=3, threads=1).sample(Strength(), 3)
    assert np.array_equal(points, again)
    # the mean equity of a random hand is one half; 2,000 hands in groups of 16
    assert points.mean() / 4096 == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize("name", CARD_PRESETS)
def test_presets_load_and_have_a_fingerprint(name):
    made = card_design(name)
    assert made.name == name
    assert parse_streets(made.text) == parse_streets(CARD_PRESETS[name].text)
    abstraction = card_abstraction(name)
    assert len(abstraction.fingerprint) == 32
    for board in ("", "Ks7d2cJh3s"):
        buckets = abstraction.buckets(board)
        assert buckets.shape == (1326,)
        assert buckets.max() < abstraction.counts[street_of(len(board) // 2)]


def test_fingerprints_of_presets_differ():
    prints = {card_abstraction(name).fingerprint for name in CARD_PRESETS}
    assert len(prints) == len(CARD_PRESETS)


def test_a_file_that_was_changed_or_is_no_design_is_refused(tmp_path):
    made = design("lossless, bins 5, bins 5, strength 3", designer=QUICK)
    path = tmp_path / "x.safetensors"
    save_design(path, made)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    with pytest.raises(DamagedFileError):
        load_design(path)
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(DamagedFileError):
        load_design(path)
    path.write_bytes(b"no design")
    with pytest.raises(ForeignFileError):
        load_design(path)
    told = {"name": "x", "text": made.text}
    write_arrays(path, {}, kind="card-abstraction", fingerprint="", metadata=told)
    with pytest.raises(DamagedFileError, match="has no array 'river'"):
        load_design(path)
    for wrong in (np.zeros((3, 49), np.int16), np.array([[5], [6]], np.int16)):
        write_arrays(path, {"river": wrong}, kind="card-abstraction", metadata=told)
        with pytest.raises(DamagedFileError):
            load_design(path)
    write_arrays(path, made.arrays, kind="card-abstraction", fingerprint="0", metadata=told)
    with pytest.raises(DamagedFileError, match="says fingerprint 0"):
        load_design(path)


def test_unknown_presets_are_named():
    with pytest.raises(OptionError, match="'huge'; known: tiny"):
        card_abstraction("huge")
    for wrong in (5, None):
        with pytest.raises(OptionError, match=f"^{wrong} is no card abstraction; give a name"):
            card_abstraction(wrong)


def test_boards_of_half_a_street_are_refused():
    with pytest.raises(CardError, match="0, 3, 4 or 5 cards, not 2"):
        card_abstraction("tiny").buckets("KsQs")


@given(
    st.sampled_from(
        [
            "lossless",
            "suitless",
            "bins 160",
            "strength 5",
            "strength2 7 l1",
            "histogram 100",
            "histogram(20) 100 l1",
            "ochs 100",
            "ochs(5) 100 l1",
        ]
    ),
    st.integers(0, 3),
)
def test_street_texts_round_trip(text, street):
    read = StreetText.parse(text, street)
    assert StreetText.parse(str(read), street) == read
    assert StreetText.parse(f"  {text.upper()} ", street) == read


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("lossless, lossless, lossless", "names 3 streets"),
        ("lossless, magic 5, bins 5, bins 5", "buckets 'magic 5' of the flop"),
        ("lossless, histogram, bins 5, bins 5", "has no number of buckets"),
        ("lossless, bins 5 l1, bins 5, bins 5", "bins have no metric"),
        ("lossless, lossless 5, bins 5, bins 5", "lossless stands alone"),
        ("lossless, ranks, bins 5, bins 5", "ranks on the flop"),
        ("lossless, bins 5, bins 5, potential 5", "river, which has no next street"),
        ("potential 5, bins 5, bins 5, bins 5", "potential on the preflop"),
        ("lossless, potential 5, bins 5, bins 5", "clusters on the turn"),
        ("lossless, bins 0, bins 5, bins 5", "1 to 65,535"),
        ("bins 170, bins 5, bins 5, bins 5", "170 buckets on the preflop; give 1 to 169"),
        ("lossless, histogram 9000, bins 5, bins 5", "1 to 8,000"),
        ("lossless, histogram 99999999999, bins 5, bins 5", "1 to 8,000"),
        ("lossless, histogram(129) 9, bins 5, bins 5", r"histogram\(129\)"),
        ("lossless, histogram(1) 5, bins 5, bins 5", r"histogram\(1\)"),
        (f"lossless, histogram({'9' * 5000}) 5, bins 5, bins 5", "buckets 'histogram"),
        ("lossless, strength(4) 5, bins 5, bins 5", "strength has no size"),
        ("lossless, histogram 5 l3, bins 5, bins 5", "buckets 'histogram 5 l3'"),
    ],
)
def test_contradictory_texts_are_refused_in_one_line(text, problem):
    with pytest.raises(OptionError, match=problem) as error:
        parse_streets(text)
    assert "\n" not in str(error.value)


def test_potential_streets_can_be_designed():
    made = design(
        "lossless, bins 4, potential 5, strength 4",
        designer=Designer(points=64, rounds=3, tries=1),
    )
    turn = made.abstraction().streets[2]
    assert isinstance(turn, Clustered)
    assert turn.feature.text == "potential"
    assert made.arrays["turn_places"].shape == (4, 4)
    assert len(set(made.abstraction().buckets("Ks7d2cJh").tolist())) > 1


def test_assign_and_neighbours_agree_on_the_nearest_other():
    centroids = np.array([[0], [10], [25]], np.int16)
    near, apart = neighbours(centroids, METRICS["l1"])
    assert near.reshape(3, 3).tolist() == [[0, 1, 2], [1, 0, 2], [2, 1, 0]]
    assert apart.reshape(3, 3).tolist() == [[0, 10, 25], [0, 10, 15], [0, 15, 25]]
    out, distance = np.empty(1, np.uint16), np.empty(1, np.int32)
    point, live = np.array([18], np.int16), np.ones(1, np.uint8)
    assign(point, live, centroids.reshape(-1), near, apart, METRICS["l1"], out, distance)
    assert (out[0], distance[0]) == (2, 7)
