import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltless.abstraction.cards.abstraction import CardAbstraction
from tiltless.abstraction.cards.bucketing import Clustered, Lossless, StrengthBins, rank_pairs
from tiltless.abstraction.cards.design import Designer, design, opponent_clusters
from tiltless.abstraction.cards.design_file import Design, load_design, save_design
from tiltless.abstraction.cards.features import Histogram, OpponentClusters, Strength
from tiltless.abstraction.cards.relabelled import Relabelled, relabelled, true_cards, true_combos
from tiltless.cards.card import (
    CLASS_OF_COMBO,
    COMBO_CARDS,
    RANKS,
    cards_text,
    combo_index,
    parse_cards,
)
from tiltless.cards.hand_order import NO_STRAIGHTS, SHORT_DECK, STANDARD, permuted
from tiltless.errors import OptionError

ORDER = permuted("4392T7JA5KQ68")
QUICK = Designer(points=1600, rounds=3, tries=1)
orders = st.permutations(RANKS).map("".join).map(permuted)


def cards(text):
    return np.array(parse_cards(text), np.uint8)


@given(orders)
def test_maps_of_cards_and_combos(order):
    of_card, of_combo = true_cards(order), true_combos(order)
    assert sorted(of_card) == [*range(52)]
    assert sorted(of_combo) == [*range(1326)]
    for place, shown in enumerate(order.rank_order):  # lowest true rank first
        for suit in "cdhs":
            assert cards_text([of_card[parse_cards(shown + suit)[0]]]) == RANKS[place] + suit
    for combo in (0, 7, 700, 1325):
        assert of_combo[combo] == combo_index(of_card[COMBO_CARDS[combo]].tolist())


@pytest.mark.parametrize("board", ["As7d2c4h9d", "Ts9s8s2d", "4c3d9h"])
@pytest.mark.parametrize("feature", [Strength, Histogram])
def test_standard_features_of_true_cards_are_the_features_of_the_order(feature, board):
    shown = cards(board)
    direct = feature(order=ORDER).whole(shown)
    through = feature().whole(true_cards(ORDER)[shown])[true_combos(ORDER)]
    assert (direct == through).all()
    assert (direct != feature().whole(shown)).any()


def test_opponent_clusters_are_those_of_true_cards():
    rng = np.random.default_rng(3)
    clusters = rng.permutation(np.arange(169) % 5).astype(np.uint8)
    shown_class = np.empty(169, np.uint8)
    shown_class[CLASS_OF_COMBO] = clusters[CLASS_OF_COMBO[true_combos(ORDER)]]
    board = cards("As7d2c4h9d")
    direct = OpponentClusters(shown_class, ORDER).whole(board)
    through = OpponentClusters(clusters).whole(true_cards(ORDER)[board])[true_combos(ORDER)]
    assert (direct == through).all()


def some_abstraction(order=STANDARD):
    centroids = np.sort(np.random.default_rng(0).integers(0, 4096, (9, 49)), axis=1)
    clustered = Clustered(Histogram(order=order), centroids.astype(np.int16), "l1")
    bins = StrengthBins(20, order)
    return CardAbstraction("some", (rank_pairs(), clustered, bins, clustered))


@pytest.mark.parametrize("board", ["", "4c3d9h", "4c3d9h6h", "4c3d9h6h6d"])
def test_relabelled_buckets(board):
    found = relabelled(some_abstraction(), ORDER)
    if board:
        assert (found.buckets(board) == some_abstraction(ORDER).buckets(board)).all()
    true_board = true_cards(ORDER)[cards(board)]
    for hand in ("AsAd", "8s8d", "5cQh"):
        true_hand = true_cards(ORDER)[cards(hand)].tolist()
        standard = some_abstraction().bucket(true_hand, true_board.tolist())
        assert found.bucket(hand, board) == standard
    assert found.counts == some_abstraction().counts


def test_names_and_fingerprints():
    one, other = relabelled(some_abstraction(), ORDER), relabelled(some_abstraction(), ORDER)
    assert one.fingerprint == other.fingerprint != some_abstraction().fingerprint
    assert one.fingerprint != relabelled(some_abstraction(), permuted("3492T7JA5KQ68")).fingerprint
    assert one.name == "some 4392T7JA5KQ68"
    assert one.streets[2].text == "bins 20 under 4392T7JA5KQ68"
    assert [street.wants_table for street in one.streets] == [False, True, True, True]
    same = some_abstraction()
    assert relabelled(same, STANDARD) is same


def test_twice_relabelled():
    """The inner order is of the ranks that the outer one calls true."""
    outer, lossless = permuted("A23456789TJQK"), Lossless(3)
    twice = Relabelled(Relabelled(lossless, ORDER), outer)
    board = cards("4c3d9h")
    once = Relabelled(lossless, ORDER).buckets(true_cards(outer)[board])[true_combos(outer)]
    assert (twice.buckets(board) == once).all()


@pytest.mark.parametrize("order", [SHORT_DECK, NO_STRAIGHTS])
def test_only_ranks_can_be_relabelled(order):
    with pytest.raises(OptionError, match="has its own rules"):
        relabelled(some_abstraction(), order)


# Before the order is known


def test_straights_are_discounted():
    board = cards("Js9d2c")
    with_them = Strength().exact(board)[:, 0]
    without = Strength(order=NO_STRAIGHTS).exact(board)[:, 0]
    draw, pair = combo_index("QhTh"), combo_index("2h3s")
    assert without[draw] < with_them[draw] - 0.05
    assert without[pair] > with_them[pair]


def test_a_design_without_straights(tmp_path):
    text = "lossless, bins 10, strength 6, histogram 6"
    made = design(text, name="unknown", designer=QUICK, order="no-straights")
    assert made.order == "no-straights"
    abstraction = made.abstraction()
    standard = Design("unknown", made.text, made.arrays).abstraction()
    assert abstraction.fingerprint != standard.fingerprint
    flop = abstraction.buckets("Js9d2c")
    assert (flop == StrengthBins(10, NO_STRAIGHTS).buckets(cards("Js9d2c"))).all()
    assert (flop != standard.buckets("Js9d2c")).any()
    assert [street.feature.order for street in abstraction.streets[2:]] == [NO_STRAIGHTS] * 2
    save_design(tmp_path / "unknown", made)
    again = load_design(tmp_path / "unknown")
    assert again.order == "no-straights"
    assert again.abstraction().fingerprint == abstraction.fingerprint
    with pytest.raises(OptionError, match="order of hands='chaos' is not known; choose standard,"):
        design(text, order="chaos")


@pytest.mark.slow
def test_opponent_clusters_without_straights():
    clusters, standard = opponent_clusters(8, order=NO_STRAIGHTS), opponent_clusters(8)
    assert clusters[CLASS_OF_COMBO[combo_index("AsAd")]] == 7
    assert (clusters != standard).any()
    made = design("lossless, bins 9, bins 9, ochs 6", designer=QUICK, order="no-straights")
    assert made.abstraction().streets[3].feature.order == NO_STRAIGHTS
