"""Buckets of boards whose newest card says whether they grow."""

from fractions import Fraction

import numpy as np
import pytest

from naive.cards.river_run import equity, red
from tiltless.abstraction.cards.abstraction import CardAbstraction
from tiltless.abstraction.cards.bucketing import Lossless, StrengthBins
from tiltless.abstraction.cards.design import Designer, design
from tiltless.abstraction.cards.design_file import load_design, save_design
from tiltless.abstraction.cards.features import live_hands
from tiltless.abstraction.cards.fill import table_suits
from tiltless.abstraction.cards.grammar import parse_streets
from tiltless.abstraction.cards.next_card import NextCard, NextCardHistogram
from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.abstraction.cards.river_run import deal_boards, growing_boards
from tiltless.cards.card import COMBO_CARDS, parse_cards
from tiltless.cards.isomorphism import isomorphism
from tiltless.errors import ArrayError, CardError, OptionError

RNG = np.random.default_rng(4)
CENTROIDS = np.sort(RNG.integers(0, 4097, (9, 5)).astype(np.int16), axis=1)


def cards(text):
    return np.array(parse_cards(text), np.uint8)


def shares(hand, board, bins):
    """The histogram over the next card, one card and one hand at a time."""
    counts = [0] * bins
    left = [card for card in range(52) if card not in {*hand, *board}]
    for card in left:
        counts[min(int(equity(hand, (*board, card)) * bins), bins - 1)] += 1
    return [Fraction(count, len(left)) for count in counts]


@pytest.mark.parametrize("text", ["2c7d9sKdTh", "2c7d9sKdThTd", "5h5d9h8hKdThTdJd"])
def test_the_histogram_is_that_of_every_next_card(text):
    board, feature = cards(text), NextCardHistogram(6)
    found, whole = feature.exact(board), feature.whole(board)
    live = live_hands(board) > 0
    assert np.isnan(found[~live]).all()
    for combo in RNG.choice(np.flatnonzero(live), 3, replace=False):
        hand = tuple(COMBO_CARDS[combo].tolist())
        expected = shares(hand, tuple(board.tolist()), 6)
        assert found[combo].tolist() == pytest.approx([float(each) for each in expected])
        passed = np.cumsum([float(each) for each in expected])[:-1]
        assert whole[combo].tolist() == pytest.approx(4096 * passed, abs=0.51)


def test_black_boards_have_intervals_and_red_ones_the_nearest_centroid():
    rule = NextCard(7, CENTROIDS)
    assert rule.count == 16
    for board in [*deal_boards(5, 6, RNG), *deal_boards(7, 6, RNG), *deal_boards(12, 2, RNG)]:
        found, live = rule.buckets(board), live_hands(board) > 0
        assert not found[~live].any()
        if not red(int(board[-1])):
            for combo in RNG.choice(np.flatnonzero(live), 2, replace=False):
                share = equity(tuple(COMBO_CARDS[combo].tolist()), tuple(board.tolist()))
                assert found[combo] == min(int(share * 7), 6)
        else:
            points = NextCardHistogram(6).whole(board).astype(int)
            apart = ((points[:, None] - CENTROIDS.astype(int)) ** 2).sum(axis=2)
            assert (found[live] == 7 + apart.argmin(axis=1)[live]).all()


def test_black_rivers_are_the_bins_of_holdem_in_each_cluster_of_boards():
    label = RNG.integers(0, 3, isomorphism((5,)).size).astype(np.uint8)
    rule, bins = NextCard(4, CENTROIDS, label), StrengthBins(4)
    assert rule.count == 12 + 9
    black = [board for board in deal_boards(5, 30, RNG) if not red(int(board[-1]))]
    clusters = set()
    for board in black:
        cluster = int(label[isomorphism((5,)).index(board.tolist())])
        clusters.add(cluster)
        live = live_hands(board) > 0
        assert (rule.buckets(board)[live] == 4 * cluster + bins.buckets(board)[live]).all()
    assert clusters == {0, 1, 2}
    longer = next(board for board in deal_boards(6, 30, RNG) if not red(int(board[-1])))
    assert rule.buckets(longer).max() < 4  # clusters are of rivers alone


def test_boards_that_have_ended_do_not_grow():
    with pytest.raises(CardError, match="continues after Kc"):
        NextCard(4, CENTROIDS).buckets(cards("2c7d9sThKcTd"))
    for size in (5, 6):
        boards = growing_boards(size, 200, np.random.default_rng(1))
        assert all(red(int(card)) for board in boards for card in board[4:])
        lengths = np.bincount([len(board) for board in boards], minlength=12)
        assert lengths[:size].sum() == 0
        assert (lengths[size + 1 :].sum() > 50) == (size == 6)


def test_grammar():
    text = "lossless, strength 8, bins 8, boards 4 x next-card 3 + 20, next-card(10) 5+6"
    streets = parse_streets(text)
    assert [str(street) for street in streets[3:]] == [
        "boards 4 x next-card(25) 3 + 20",
        "next-card(10) 5 + 6",
    ]
    assert parse_streets(", ".join(map(str, streets))) == streets
    for wrong in (
        "lossless, strength 8, next-card 3 + 3, next-card 3 + 3, next-card 3 + 3",
        "lossless, strength 8, strength 8, next-card 3 + 3",
        "lossless, strength 8, strength 8, next-card 300 + 3, next-card 3 + 3",
        "lossless, strength 8, strength 8, next-card 3, next-card 3 + 3",
        "lossless, strength 8, strength 8, next-card 3 + 3, boards 3 x next-card 3 + 3",
    ):
        with pytest.raises(OptionError) as error:
            parse_streets(wrong)
        assert "\n" not in str(error.value)


def test_a_small_design(tmp_path):
    text = "lossless, bins 5, bins 5, next-card(8) 3 + 4, next-card(8) 2 + 5"
    made = design(text, designer=Designer(points=1500, rounds=3, tries=1, threads=1))
    found = made.abstraction()
    assert found.counts == (507, 5, 5, 7, 7)
    save_design(tmp_path / "some", made)
    assert load_design(tmp_path / "some").abstraction().fingerprint == found.fingerprint
    weak = made.arrays["river"].astype(int).sum(axis=1)
    assert (np.diff(weak) <= 0).all()  # weak hands first: most of their mass is in low bins


def test_tables_of_features_that_know_no_colour_are_those_of_holdem():
    mine = card_abstraction("run-aware")
    assert mine.counts == (507, 3600, 400, 490, 300)
    assert [table_suits(mine, street) for street in (1, 2)] == ["all", "all"]
    assert table_suits(card_abstraction("river-of-blood"), 1) == "red-black"
    holdem = card_abstraction("board-aware")
    board = cards("2c7d9s")
    assert (mine.streets[1].buckets(board) == holdem.streets[1].buckets(board)).all()
    other = CardAbstraction("x", (Lossless(0, ("cs", "dh")), *holdem.streets[1:]), ("cs", "dh"))
    assert table_suits(other, 1) == ("cs", "dh")


def test_wrong_arrays_are_refused():
    for wrong in (
        lambda: NextCard(4, CENTROIDS.astype(np.int32)),
        lambda: NextCard(4, CENTROIDS - np.int16(5000)),
        lambda: NextCard(4, CENTROIDS, np.zeros(5, np.uint8)),
    ):
        with pytest.raises(ArrayError) as error:
            wrong()
        assert "\n" not in str(error.value)
    with pytest.raises(OptionError):
        NextCard(0, CENTROIDS)
