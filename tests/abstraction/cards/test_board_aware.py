"""Board-aware buckets: the description of boards against a twin, clusters, design files, tables."""

import numpy as np
import pytest

from naive.cards import buckets as naive
from naive.cards.evaluate import strength
from tiltless.abstraction.cards.board_aware import (
    MADE_TIMES,
    RANGE_BINS,
    BoardAware,
    board_features,
)
from tiltless.abstraction.cards.bucketing import StrengthBins
from tiltless.abstraction.cards.design import Designer, design
from tiltless.abstraction.cards.design_file import Design, load_design, save_design
from tiltless.abstraction.cards.features import Histogram, live_hands
from tiltless.abstraction.cards.grammar import parse_streets
from tiltless.abstraction.cards.presets import card_design
from tiltless.abstraction.cards.tables import build_tables
from tiltless.cards.card import CLASS_OF_COMBO, COMBO_CARDS, parse_cards
from tiltless.cards.isomorphism import canonical_boards
from tiltless.errors import ArrayError, DamagedFileError, OptionError

SHIPPED = card_design("board-aware")
ABSTRACTION = SHIPPED.abstraction()
CLUSTERS = card_design("standard").arrays["opponents8"]
FLOP = "lossless, boards 4 x histogram(10) 6, lossless, lossless"


def board_of(text):
    return np.array(parse_cards(text), np.uint8)


def test_boards_are_described_by_equities_of_ranges_and_by_categories():
    of_combo = CLUSTERS[CLASS_OF_COMBO].tolist()
    board = parse_cards("AsKd7h7c2s")
    counts, made = np.zeros((8, RANGE_BINS), int), np.zeros(9)
    for combo, hand in enumerate(COMBO_CARDS.tolist()):
        if not set(hand) & set(board):
            mean = naive.features(hand, board, of_combo, 2)[0]
            counts[of_combo[combo], min(int(mean * RANGE_BINS + 1e-9), RANGE_BINS - 1)] += 1
            made[strength((*hand, *board))[0]] += 1
    below = counts.cumsum(axis=1)[:, :-1] / counts.sum(axis=1, keepdims=True)
    found = board_features(np.array([board], np.uint8), CLUSTERS, 1)[0].astype(float)
    ranges = below.size
    assert np.abs(found[:ranges] - 4096 * below.ravel()).max() <= 0.5 + 1e-6
    wanted = 4096 * np.sqrt(made / made.sum())
    assert np.abs(found[ranges:].reshape(MADE_TIMES, 9) - wanted).max() <= 0.5 + 1e-6


def test_features_of_boards_do_not_depend_on_threads():
    boards = canonical_boards(5)[0][::1000]
    one, three = (board_features(boards, CLUSTERS, workers) for workers in (1, 3))
    assert np.array_equal(one, three)
    assert len(np.unique(one, axis=0)) > len(boards) / 2


def test_a_bucket_is_the_cluster_of_the_board_times_the_bucket_of_the_hand():
    assert ABSTRACTION.counts == (169, 3600, 400, 240)
    flop, river = ABSTRACTION.streets[1], ABSTRACTION.streets[3]
    boards = canonical_boards(3)[0]
    for number in (0, 1500):
        board = boards[number]
        label = int(SHIPPED.arrays["flop_boards"][number])
        assert flop.cluster(board) == label
        live = live_hands(board) > 0
        whole = Histogram(25).whole(board)[live][::20]
        near = [naive.nearest(point, SHIPPED.arrays["flop"][label], 2) for point in whole]
        buckets = ABSTRACTION.buckets(board.tolist())
        assert buckets[live][::20].tolist() == [60 * label + each for each in near]
        assert not buckets[~live].any()
    board = board_of("Ks7d2cJh3s")
    live = live_hands(board) > 0
    bins = StrengthBins(10).buckets(board)[live]
    assert (river.buckets(board)[live] == bins + 10 * river.cluster(board)).all()


def test_suits_do_not_matter():
    one, other = ABSTRACTION.bucket("AsKd", "Ks7s2c"), ABSTRACTION.bucket("AhKc", "Kh7h2s")
    assert one == other


def test_boards_that_treat_ranges_alike_share_a_cluster():
    flop, river = ABSTRACTION.streets[1], ABSTRACTION.streets[3]
    assert flop.cluster(board_of("AsKd7h")) == flop.cluster(board_of("AsKd6h"))
    kinds = ("AsKdQh", "7s7d2h", "9h8h7h", "As7d2h")
    assert len({flop.cluster(board_of(board)) for board in kinds}) == 4
    kinds = ("Ks9s7s4s2d", "Ks9d7s4h2d", "KsKd7s4h2d", "KsKd7s7h2d")
    assert len({river.cluster(board_of(board)) for board in kinds}) == 4


@pytest.mark.slow
def test_designs_and_tables_are_the_same_for_any_number_of_threads(tmp_path):
    quick = {"points": 40_000, "rounds": 5, "tries": 1, "seed": 3}
    one, three = (design(FLOP, designer=Designer(**quick, threads=n)) for n in (1, 3))
    abstraction = one.abstraction()
    assert abstraction.fingerprint == three.abstraction().fingerprint
    save_design(tmp_path / "x.safetensors", one)
    back = load_design(tmp_path / "x.safetensors")
    assert back.abstraction().fingerprint == abstraction.fingerprint
    assert back.text == "lossless, boards 4 x histogram(10) 6 l2, lossless, lossless"
    tables = build_tables(abstraction, folder=tmp_path, threads=2)
    cards = np.array([parse_cards("AsKd 7h7c Ks7s2c")], np.uint8)
    bucket = np.zeros((1, 2, 4), np.uint32)
    tables.groups[1].fill(cards, 1, bucket)
    wanted = [abstraction.bucket(hand, "Ks7s2c") for hand in ("AsKd", "7h7c")]
    assert bucket[0, :, 1].tolist() == wanted
    for board in canonical_boards(3)[0][::300]:
        assert np.array_equal(tables.buckets(board.tolist()), abstraction.buckets(board.tolist()))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("boards 4 x bins 3, bins 3, bins 3, bins 3", "there is no board yet"),
        ("lossless, boards 0 x bins 3, bins 3, bins 3", "give 1 to 256"),
        ("lossless, boards 4 x lossless, bins 3, bins 3", "after the x write one of"),
        ("lossless, boards 4 x potential 3, strength 3, bins 3", "after the x write one of"),
        ("lossless, boards 4 x boards 3 x bins 3, bins 3, bins 3", "after the x write one of"),
        ("lossless, boards 200 x bins 900, bins 3, bins 3", "at most 65,536"),
        ("lossless, potential 3, boards 4 x strength 3, bins 3", "cluster that street too"),
        ("lossless, boards 4, bins 3, bins 3", "buckets 'boards 4' of the flop"),
    ],
)
def test_texts_that_cannot_be_are_refused(text, match):
    with pytest.raises(OptionError, match=match):
        parse_streets(text)


def test_arrays_that_do_not_fit_are_refused():
    label, hands = SHIPPED.arrays["flop_boards"], (StrengthBins(5),) * 60
    assert BoardAware(3, label, hands).count == 300
    with pytest.raises(ArrayError, match="1,755"):
        BoardAware(3, label[:-1], hands)
    with pytest.raises(ArrayError, match="60 clusters and 59"):
        BoardAware(3, label, hands[:59])
    with pytest.raises(ArrayError, match="the same number"):
        BoardAware(3, label, (*hands[:59], StrengthBins(6)))
    changed = Design("x", SHIPPED.text, {**SHIPPED.arrays, "flop": SHIPPED.arrays["flop"][:3]})
    with pytest.raises(DamagedFileError):
        changed.abstraction()
