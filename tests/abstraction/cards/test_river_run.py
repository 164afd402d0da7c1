import random

import numpy as np
import pytest

from naive.cards import river_run as naive
from tiltless.abstraction.cards.abstraction import street_name, street_of
from tiltless.abstraction.cards.bucketing import Clustered
from tiltless.abstraction.cards.design import Designer, design
from tiltless.abstraction.cards.design_file import load_design, save_design
from tiltless.abstraction.cards.features import Histogram, live_hands
from tiltless.abstraction.cards.grammar import parse_streets
from tiltless.abstraction.cards.river_run import RUNS, RunHistogram, deal_boards
from tiltless.abstraction.cards.river_run_fill import RunBuckets
from tiltless.cards.card import COMBO_CARDS, COMBO_OF, cards_text, combo_index, parse_cards
from tiltless.cards.hand_order import hand_tables, permuted
from tiltless.errors import CardError, OptionError
from tiltless.kernels.cards.evaluate import evaluate_large_hands
from tiltless.kernels.cards.river_run import LONGEST, draw_runs, rank_long_boards, run_counts

SMALL = RunHistogram(bins=10, runs=(1, 1, 2, 6))
SUIT_CHANGES = {"black": "sdhc", "red": "chds", "both": "shdc"}
COLOUR_CHANGES = {"c with d, s with h": "dcsh", "c with h, s with d": "hscd"}


def cards(text):
    return np.array(parse_cards(text), np.uint8)


def with_suits(board, suits):
    """The cards of an array with other suits, ``suits`` naming those of c, d, h and s."""
    return (board & 252) + np.array(["cdhs".index(suit) for suit in suits], np.uint8)[board & 3]


def hand_map(suits):
    changed = with_suits(COMBO_CARDS, suits)
    return COMBO_OF[changed[:, 0], changed[:, 1]].astype(int)


def drawn_runs(feature, board):
    """The runs that a feature draws, by the cards before them; board: a canonical one."""
    newest_red = len(board) > 4 and naive.red(int(board[-1]))
    known = max(len(board), 5)
    found = {}
    boards, sizes, _ = feature.final_boards(np.sort(board), newest_red)
    for final, size in zip(boards.tolist(), sizes.tolist(), strict=True):
        if size > known:
            found.setdefault(frozenset(final[:known]), []).append(tuple(final[known:size]))
    return found


# Kernels


@pytest.mark.nojit
@pytest.mark.bounds
@pytest.mark.parametrize("order", ["23456789TJQKA", "4392T7JA5KQ68"])
def test_ranks_of_all_hands_on_long_boards(order):
    rng = np.random.default_rng(1)
    tables = hand_tables(permuted(order))
    sizes = np.array([5, 6, 7, 8, 9, 12, 18, 31], np.uint8)
    boards = np.zeros((len(sizes), LONGEST), np.uint8)
    for board, size in zip(boards, sizes, strict=True):
        board[:size] = rng.permutation(52)[:size]
    found = np.zeros((len(sizes), 1326), np.uint16)
    rank_long_boards(boards, sizes, tables, found)
    some = rng.choice(1326, 60, replace=False)
    for board, size, values in zip(boards, sizes, found, strict=True):
        hands = np.hstack([COMBO_CARDS[some], np.tile(board[:size], (len(some), 1))])
        expected = np.zeros(len(some), np.uint16)
        evaluate_large_hands(hands, False, tables, expected)
        live = live_hands(board[:size]) > 0
        assert (values[some] == np.where(live[some], expected, 0)).all()
        assert not values[~live].any()


@pytest.mark.bounds
def test_ranks_on_thousands_of_boards_with_many_suited_cards():
    rng = np.random.default_rng(2)
    tables = hand_tables()
    for size in (6, 9, 14):
        reds = np.array([c for c in range(52) if c % 4 in (1, 2)], np.uint8)
        boards = np.zeros((40, LONGEST), np.uint8)
        for board in boards:
            board[:size] = rng.permutation(reds)[:size]
        found = np.zeros((len(boards), 1326), np.uint16)
        rank_long_boards(boards, np.full(len(boards), size, np.uint8), tables, found)
        for board, values in zip(boards, found, strict=True):
            live = live_hands(board[:size]) > 0
            hands = np.hstack([COMBO_CARDS, np.tile(board[:size], (1326, 1))])
            expected = np.zeros(1326, np.uint16)
            evaluate_large_hands(hands, False, tables, expected)
            assert (values == np.where(live, expected, 0)).all()


@pytest.mark.nojit
@pytest.mark.bounds
def test_drawn_runs():
    start, runs = cards("Ks7d2c4h9d"), 60
    boards, sizes = np.zeros((runs, LONGEST), np.uint8), np.zeros(runs, np.uint8)
    weights, state = np.zeros(runs, np.uint64), np.array([5], np.uint64)
    draw_runs(start[None], np.array([3], np.uint64), runs, state, boards, sizes, weights)
    assert (boards[:, :5] == start).all()
    for board, size, weight in zip(boards.tolist(), sizes.tolist(), weights.tolist(), strict=True):
        run = board[5:size]
        assert len(set(board[:size])) == size
        assert all(map(naive.red, run[:-1]))
        assert not naive.red(run[-1])
        assert weight == 3 * naive.run_weight(47, len(run))
    assert sorted(boards[:47, 5]) == sorted({*range(52)} - {*start.tolist()})  # each card once
    assert len(set(boards[47:, 5].tolist())) == runs - 47
    assert int(state[0]) != 5


@pytest.mark.nojit
@pytest.mark.bounds
def test_counts_on_one_long_board():
    board = cards("Ks7d2c4h9dJh3s")
    rows = np.zeros((1, LONGEST), np.uint8)
    rows[0, :7] = board
    most = 2 * 43 * 42 // 2
    bin_of = np.zeros((LONGEST, 1981), np.uint8)
    bin_of[7] = np.minimum(np.arange(1981) * 10 // most, 9)
    counts = np.zeros((1326, 10), np.uint64)
    size, weight = np.array([7], np.uint8), np.array([11], np.uint64)
    run_counts(rows, size, weight, bin_of, hand_tables(), counts)
    assert (counts.sum(axis=1) == 11 * live_hands(board)).all()
    for hand in ("AsAd", "3c3d", "5h6h", "Qc8c"):
        place = min(int(naive.equity(parse_cards(hand), tuple(board.tolist())) * 10), 9)
        assert counts[combo_index(hand), place] == 11


def test_long_runs_are_as_likely_as_for_a_player_who_sees_his_cards():
    """Runs that spare a hand, weighted, have the lengths of runs dealt without its cards."""
    start, runs = cards("Ks7d2c4h9d"), 47 * 4000
    boards, sizes = np.zeros((runs, LONGEST), np.uint8), np.zeros(runs, np.uint8)
    weights, state = np.zeros(runs, np.uint64), np.array([1], np.uint64)
    draw_runs(start[None], np.ones(1, np.uint64), runs, state, boards, sizes, weights)
    for hand in ("AhJd", "AhJs", "AcJs"):
        held = cards(hand)
        spared = ~np.isin(boards, held).any(axis=1)
        by_length = np.bincount(sizes[spared] - 5, weights[spared], 30) / (4096 * runs)
        reds = 26 - 3 - sum(naive.red(card) for card in held.tolist())
        chance, expected = 1.0, [0.0]
        for taken in range(8):
            expected.append(chance * (45 - reds) / (45 - taken))
            chance *= (reds - taken) / (45 - taken)
        assert abs(by_length.sum() - 1) < 0.005
        np.testing.assert_allclose(by_length[:9], expected, atol=0.005)


# The feature


@pytest.mark.parametrize(
    ("board", "hands"),
    [
        ("2c3d4h", ["AsAd"]),
        ("2c3d4h5s", ["AsAd", "Jh9h", "7c2d"]),
        ("2c3d4h5s7d", ["AsAd", "Jh9h", "8c6s"]),
        ("2c3d4h5d7s", ["AsAd", "Jh9h", "8c6s"]),
        ("2c3d4h5s7dTd", ["AsAd", "JhQh", "8c6s"]),
        ("2c3d4h5d7dTs", ["AsAd", "JdQd", "8c6s"]),
        ("2c3d4h5s7dTdJd", ["AsAd", "JhQh"]),
        ("2c3d4h5s7dTdJdKdAh", ["AsAd", "JhQh"]),
        ("2c3d4h5s7dTdJdKdAs", ["AcAd", "JhQh"]),
    ],
)
def test_histograms_agree_with_the_naive_twin(board, hands):
    given = cards(board)
    shares = SMALL.exact(given)
    assert (np.isnan(shares).any(axis=1) == (live_hands(given) == 0)).all()
    drawn = drawn_runs(SMALL, given)
    for hand in hands:
        expected = naive.histogram(
            parse_cards(hand),
            tuple(given.tolist()),
            10,
            SMALL.runs[min(len(board) // 2 - 2, 3)],
            drawn,
        )
        np.testing.assert_allclose(shares[combo_index(hand)], expected, rtol=0, atol=1e-12)
        passed = np.cumsum(expected)[:-1]
        whole = SMALL.whole(given)[combo_index(hand)]
        np.testing.assert_allclose(whole / 4096, passed, rtol=0, atol=0.5001 / 4096)
    # so a canonical board was given, and no exchange of suits leaves it unchanged
    assert all(
        (np.sort(with_suits(given, s)) != np.sort(given)).any() for s in SUIT_CHANGES.values()
    )


@pytest.mark.parametrize(
    ("hand", "board"), [("JhTh", "9h2c3d"), ("AsAc", "9h2c3d5d"), ("JhTh", "9h2c3d5cKd")]
)
def test_mean_equity_is_that_of_random_play(hand, board):
    rng = random.Random(4)
    played = [naive.play_on(parse_cards(hand), parse_cards(board), rng) for _ in range(1000)]
    feature = RunHistogram(bins=200, runs=(1, 2, 16, 2000))
    shares = feature.exact(cards(board))[combo_index(hand)]
    found = shares @ ((np.arange(200) + 0.5) / 200)
    assert abs(found - np.mean(played)) < 4 * np.std(played) / 1000**0.5 + 0.003


def test_a_black_river_is_exact_and_a_red_one_is_not():
    black, red = cards("2c3d4h7d9s"), cards("2c3d4h9s7d")
    assert (RunHistogram().whole(black) == Histogram().whole(black)).all()
    assert (RunHistogram().whole(red) != Histogram().whole(red)).any()
    assert ((RunHistogram().exact(black) > 0).sum(axis=1) == live_hands(black)).all()


def test_the_order_of_cards_counts_only_for_the_colour_of_the_newest():
    def same(one, other):
        return bool((SMALL.counts(cards(one)) == SMALL.counts(cards(other))).all())

    assert same("2c3d4h", "4h3d2c")
    assert same("2c3d4h5s", "5s3d4h2c")
    assert same("2c3d4h5s7d", "2c7d4h5s3d")
    assert same("2c3d4h5s7d", "5s2c3d7d4h")
    assert same("3d4h7d5s2c", "3d4h7d2c5s")
    assert not same("2c3d4h5s7d", "7d3d4h2c5s")
    assert same("2c3d4h5s7dTd", "2c5s4h3dTd7d")


@pytest.mark.parametrize(
    "board",
    [
        *("2c3d4h", "2c2s4h", "2d2hKs", "2d2h5c", "AcAsKd"),
        *("2c3d4h5s", "2c2s3d3h", "2c3c4d5d", "2c2s3c3s"),
        *("2c3d4h5s7d", "2c3d4h5h7s", "2c2s3d3hKd", "2c2s3d3hKs"),
        *("2c3d4h5s7dTh", "2c2s3d3hKdKh", "2c2s3d3hKd9s", "2c2s3d3hKdKh9d9h8s"),
    ],
)
def test_exchanges_inside_a_colour_change_nothing(board):
    given = cards(board)
    counts = SMALL.counts(given)
    for suits in SUIT_CHANGES.values():
        changed = SMALL.counts(with_suits(given, suits))
        scale = counts.sum() / changed.sum()
        assert scale == 1
        assert (changed[hand_map(suits)] == counts).all()


def test_exchanging_red_and_black_changes_buckets(preset):
    for board in ("2c3d4h", "2c3d4h5s", "2c3d4h5s7d"):
        given = cards(board)
        buckets = preset.buckets(given)
        for suits in SUIT_CHANGES.values():
            changed = preset.buckets(with_suits(given, suits))
            assert (changed[hand_map(suits)] == buckets).all()
        for suits in COLOUR_CHANGES.values():
            changed = preset.buckets(with_suits(given, suits))
            assert (changed[hand_map(suits)] != buckets).mean() > 0.02


def test_draws_repeat_and_follow_the_seed():
    board = cards("2c3d4h5s7d")
    again = RunHistogram(bins=10, runs=(1, 1, 2, 6))
    assert (again.counts(board) == SMALL.counts(board)).all()
    other = RunHistogram(bins=10, runs=(1, 1, 2, 6), seed=1)
    assert (other.counts(board) != SMALL.counts(board)).any()
    assert len({SMALL.definition, other.definition, RunHistogram().definition}) == 3
    # these numbers must never change without a new version: buckets are made of them
    runs = drawn_runs(SMALL, board)[frozenset(board.tolist())]
    assert [cards_text(run) for run in runs] == ["As", "9c", "6h5c", "Kd4c", "Qd9c", "9dTc"]


def test_what_cannot_be():
    with pytest.raises(CardError, match=r"2c3d4h5s7s9d .* after 7s"):
        SMALL.counts(cards("2c3d4h5s7s9d"))
    with pytest.raises(CardError, match="after Ts"):
        SMALL.counts(cards("2c3d4h5s7dTs9d"))
    with pytest.raises(OptionError, match="bins"):
        RunHistogram(bins=1)
    with pytest.raises(OptionError, match="give four numbers"):
        RunHistogram(runs=(1, 1))
    with pytest.raises(OptionError, match="runs"):
        RunHistogram(runs=(1, 1, 0, 1))


@pytest.mark.slow
def test_before_the_flop():
    """Every board and every last card is looked at, and red suited hands differ from black ones."""
    feature = RunHistogram(bins=10, runs=RUNS)
    counts = feature.counts(np.empty(0, np.uint8))
    for suits in SUIT_CHANGES.values():
        assert (counts[hand_map(suits)] == counts).all()
    assert len(np.unique(counts, axis=0)) == 507
    # 5 orders x C(50, 5) boards, four times because all exchanges of suits are added up
    total = counts.sum(axis=1) / (4 * 4096 * 5 * 2_118_760)
    np.testing.assert_allclose(total, 1, atol=0.002)
    mean = counts @ (np.arange(10) + 0.5) / counts.sum(axis=1)
    assert mean.argmax() in {combo_index(hand) for hand in ("AhAd", "AsAc", "AsAd")}
    assert mean[combo_index("JhTh")] > mean[combo_index("JsTs")] + 0.003


# Streets, texts and designs


def test_boards_are_dealt_as_in_the_game():
    rng = np.random.default_rng(0)
    for size in (3, 4, 5, 6, 9, 12):
        boards = deal_boards(size, 300, rng)
        assert boards.shape == (300, size)
        assert all(len(set(board)) == size for board in boards.tolist())
        assert all(naive.red(c) for board in boards.tolist() for c in board[4:-1])
        newest = [naive.red(board[-1]) for board in boards.tolist()]
        assert 0.2 < np.mean(newest) < 0.6


def test_streets_of_long_boards():
    assert [street_of(n) for n in (0, 3, 4, 5)] == [0, 1, 2, 3]
    assert [street_of(n, 8) for n in (0, 3, 4, 5, 6, 7, 8, 9, 10, 31)] == [*range(8), 7, 7]
    for size, streets in ((6, 4), (2, 8), (32, 8)):
        with pytest.raises(CardError, match=f"not {size}; deal a whole street"):
            street_of(size, streets)
    assert [street_name(street) for street in (0, 3, 4, 7)] == ["preflop", "river", "run1", "run4"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("lossless, bins 9, bins 9, run-histogram 9", "no street after the river; give a fifth"),
        ("lossless, bins 9, bins 9, bins 9, run-histogram 9", "bins 9 on the river, where boards"),
        ("lossless, bins 9, bins 9, run-histogram 9, ochs 9", r"ochs\(8\) 9 l2 on the run1, where"),
        (
            "lossless, bins 9, potential 9, run-histogram 9, run-histogram 9",
            "potential on the turn",
        ),
        ("lossless, bins 9, run-histogram(1) 9, bins 9", r"run-histogram\(1\) on the turn; give 2"),
        ("lossless, bins 9", "names 2 streets; give four"),
    ],
)
def test_texts_that_make_no_sense(text, says):
    with pytest.raises(OptionError, match=says):
        parse_streets(text)


def test_run_histograms_have_standard_hands():
    with pytest.raises(OptionError, match="standard order of hands, not no-straights"):
        design("run-histogram 8, " + ", ".join(["run-histogram 40"] * 7), order="no-straights")
    with pytest.raises(OptionError, match="too many boards"):
        design("lossless" + ", run-histogram 4" * 4, designer=Designer(points=None))


def test_dealt_hands_are_filled_on_the_fly():
    centroids = np.sort(np.random.default_rng(0).integers(0, 4096, (9, 9)), axis=1)
    rule = Clustered(SMALL, centroids.astype(np.int16), "l1")
    deals = ["AsAdKsKh 2c3d4h5s7d Td", "AsAdKsKh 2c3d4h5s7s Td", "AsAdKsKh 2c3d4h5s7d Td"]
    deals += ["QsQdJs9h 2c3d4h5s7d 8s", "AsAd2s9h 3d4h5s6d7h Tc"]
    rows = np.array([parse_cards(deal) for deal in deals], np.uint8)
    for size, street in ((5, 0), (6, 1)):
        bucket = np.full((len(deals), 2, 3), 99, np.uint32)
        RunBuckets(rule, size).fill(rows, street, bucket)
        assert (np.delete(bucket, street, axis=2) == 99).all()
        for row, (one, two) in zip(rows, bucket[:, :, street].tolist(), strict=True):
            over = size == 6 and not naive.red(int(row[8]))
            all_hands = rule.buckets(row[4 : 4 + size]) if not over else np.zeros(1326, int)
            assert one == all_hands[COMBO_OF[row[0], row[1]]]
            assert two == all_hands[COMBO_OF[row[2], row[3]]]
    assert len(set(bucket[:, :, 1].ravel().tolist())) > 2
    for size, cut in ((6, rows[1:2]), (7, rows)):  # nobody got so far; not dealt so far
        bucket[:] = 99
        RunBuckets(rule, size).fill(cut, 1, bucket[: len(cut)])
        assert not bucket[: len(cut), :, 1].any()


def test_a_small_design(tmp_path):
    text = "lossless, histogram 5, run-histogram(20) 6, run-histogram(20) 7 l1, run-histogram 8"
    made = design(text, designer=Designer(points=500, rounds=3, tries=1))
    found = made.abstraction()
    assert found.counts == (507, 5, 6, 7, 8)
    assert found.suits == "red-black"
    assert [street.wants_table for street in found.streets] == [False, True, True, False, False]
    assert {*made.arrays} == {"flop", "turn", "river", "run1"}
    save_design(tmp_path / "some", made)
    assert load_design(tmp_path / "some").abstraction().fingerprint == found.fingerprint
    long_board = "2c3d4h5s7dTdJdKdAh9s"
    direct = Clustered(RunHistogram(), made.arrays["run1"])
    assert (found.buckets(long_board) == direct.buckets(cards(long_board))).all()


@pytest.fixture(scope="module")
def preset():
    from importlib.resources import as_file, files

    with as_file(
        files("tiltless.abstraction.cards") / "centroids" / "river-of-blood.safetensors"
    ) as path:
        return load_design(path).abstraction()


def test_the_preset(preset):
    assert preset.counts == (8, *[40] * 7)
    assert preset.text == "run-histogram(50) 8 l1" + ", run-histogram(50) 40 l1" * 7
    assert preset.bucket("AsAd") == 7
    assert preset.bucket("7s2d") == 0
    good, bad = "KhKs", "3h8s"
    for board in ("KdKc2d", "KdKc2d5s", "KdKc2d5s9d", "KdKc2d5s9dJd", "KdKc2d5s9dJdQd"):
        assert preset.bucket(good, board) > 36
        assert preset.bucket(bad, board) < 20
    rng = np.random.default_rng(7)
    for size in (3, 4, 5, 6, 7, 8, 9, 11):
        used = set()
        for board in deal_boards(size, 12, rng):
            buckets = preset.buckets(board.tolist())[live_hands(board) > 0]
            assert buckets.max() < 40
            used |= {*buckets.tolist()}
        assert len(used) > 25, cards_text(board.tolist())
