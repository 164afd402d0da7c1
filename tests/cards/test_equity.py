from itertools import combinations, permutations
from unittest.mock import patch

import numpy as np
import pytest

import tiltless.cards.equity as equities
from naive.cards.equity import equity as naive_equity
from tiltless.cards.card import COMBO_CARDS, COMBO_OF, combo_index, parse_cards
from tiltless.cards.equity import equity
from tiltless.cards.evaluate import evaluate_many
from tiltless.cards.hand_equity import equity_histogram, hand_equities, hand_vs_ranges
from tiltless.cards.hand_order import SHORT_DECK, permuted
from tiltless.cards.ranges import Range
from tiltless.cards.runouts import runouts
from tiltless.errors import CardError, InputError, OptionError, RangeError

# Exact values of OMPEval and poker-eval, two programs that agree with each other.
KNOWN = [
    (("AA", "KK"), "", 0.819461),
    (("AsAh", "KdKc"), "", 0.812555),
    (("AKs", "random"), "", 0.670446),
    (("AsAh", "KdKc"), "QsJh2h", 0.908081),
    (("AsAh", "random"), "QsJh2h", 0.866097),
    (("random", "random"), "QsJh2h", 0.5),
    (("AA", "KK", "QQ"), "", 0.669793),
    (("AsAh", "random"), "QsJh2h8d3c", 0.877273),
]


@pytest.mark.parametrize(("players", "board", "expected"), KNOWN)
def test_known_equities(players, board, expected):
    result = equity(*players, board=board)
    assert result.shares[0] == pytest.approx(expected, abs=1e-6)
    assert sum(result.shares) == pytest.approx(1, abs=1e-12)
    assert result.method == "exact"


def test_random_against_random_before_the_flop():
    result = equity("random", "random")
    assert result.shares == pytest.approx((0.5, 0.5), abs=1e-12)
    assert result.deals == 1326 * 1225 * 1_712_304


CASES = {
    "few": (["AsKd,7h6h:0.5", "QcQd,AhKs:0.3,9s8s"], "Qs7d2c4h", ""),
    "blocked hands": (["AsKd,AsQs", "AsQd,KdKc,JcJh:0.7"], "2s7s9c", "Qc"),
    "sets": (["88+,AK:0.4", "22+:0.5,AJs+"], "8s7d2c2h", ""),
    "three": (["AK", "QQ,72o:0.1", "J9s"], "Qs7d2c4h", "Ac"),
    "many": (["random", "10%"], "Qs7d2c4h3h", ""),
}


@pytest.mark.bounds
@pytest.mark.parametrize("case", CASES)
def test_exact_equals_the_naive_twin(case):
    texts, board, dead = CASES[case]
    cards, gone = parse_cards(board), parse_cards(dead)
    ranges = [Range(text) for text in texts]
    shares, wins, ties, mass = naive_equity([r.weights for r in ranges], cards, gone)
    result = equity(*ranges, board=board, dead=dead)
    assert result.shares == pytest.approx(shares, abs=1e-10)
    assert result.wins == pytest.approx(wins, abs=1e-10)
    assert result.ties == pytest.approx(ties, abs=1e-10)
    assert result.deals == pytest.approx(mass, rel=1e-10)


@pytest.mark.parametrize("count", [1, 3, 12, 40, 160, 700, 1326])
def test_every_method_gives_the_same(count):
    """Lists of different lengths go through different kernels; merged results must agree."""
    rng = np.random.default_rng(count)
    weights = np.zeros(1326)
    chosen = rng.choice(1326, count, replace=False)
    weights[chosen] = 0.001 + 0.999 * rng.random(count).round(3)
    mine, theirs = Range.from_weights(weights), Range("random") * 0.7
    together = equity(mine, theirs, board="Qs7d2c4h")
    each = hand_equities(mine, theirs, board="Qs7d2c4h")
    live = np.isfinite(each)
    met = weights[live]  # against a uniform range every hand meets the same number of hands
    assert together.shares[0] == pytest.approx((each[live] * met).sum() / met.sum(), abs=1e-10)
    swapped = equity(theirs, mine, board="Qs7d2c4h")
    assert swapped.shares[1] == pytest.approx(together.shares[0], abs=1e-12)
    assert swapped.wins[1] == pytest.approx(together.wins[0], abs=1e-12)


def test_suit_symmetry_changes_nothing():
    """A range that breaks every symmetry is enumerated in full, and must agree."""
    exact = equity("AKs,QQ", "JJ,T9s", board="QsJh2h")
    tilted = Range("AKs,QQ,7c2d:0.000000001")
    assert equity(tilted, "JJ,T9s", board="QsJh2h").shares == pytest.approx(exact.shares, abs=1e-7)


def test_hand_equities_before_the_flop_are_symmetric_in_suits():
    each = hand_equities("QQ+,AKs", "99+,AQ")
    assert np.ptp(each[[combo_index(t) for t in ("AsKs", "AdKd", "AcKc")]]) < 1e-12
    alone = equity("AdKd", "99+,AQ").shares[0]
    assert each[combo_index("AdKd")] == pytest.approx(alone, abs=1e-10)
    assert np.isnan(each[combo_index("JsJh")])


def test_short_deck_and_permuted_ranks():
    rules = {"lowest": 4, "flush_beats_full_house": True}
    board = parse_cards("9s8s7s6d")
    ranges = [Range("AsKs,TT"), Range("JhTh,66")]
    dead = tuple(range(16))
    expected, *_ = naive_equity([r.weights for r in ranges], board, dead, **rules)
    result = equity(*ranges, board=board, order=SHORT_DECK)
    assert result.shares == pytest.approx(expected, abs=1e-10)
    order = permuted("A23456789TJQK")
    expected, *_ = naive_equity([r.weights for r in ranges], board, true_rank=order.true_ranks)
    assert equity(*ranges, board=board, order=order).shares == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("players", [("AA", "KK"), ("AKs", "22+", "random"), ("15%",) * 4])
def test_monte_carlo_is_within_its_error(players):
    given = {"board": "Qs7d2c4h", "method": "monte carlo", "samples": 50_000}
    sampled = equity(*players, **given, seed=5)
    assert sampled.method == "monte carlo"
    assert sampled.deals == 50_000
    if len(players) < 4:
        exact = equity(*players, board="Qs7d2c4h", method="exact")
        for ours, truth, error in zip(
            sampled.shares, exact.shares, sampled.standard_errors, strict=True
        ):
            assert abs(ours - truth) < 4.5 * error
            assert 2e-4 < error < 4e-3
    again = equity(*players, **given, seed=5)
    other = equity(*players, **given, seed=6)
    assert again == sampled
    assert other.shares != sampled.shares


def test_monte_carlo_counts_wins_and_ties():
    exact = equity("AK", "AQ", "A2s", board="7s7d2c", method="exact")
    sampled = equity("AK", "AQ", "A2s", board="7s7d2c", method="monte carlo", samples=300_000)
    assert sampled.wins == pytest.approx(exact.wins, abs=0.006)
    assert sampled.ties == pytest.approx(exact.ties, abs=0.006)
    assert max(exact.ties) > 0.05


def test_ranges_that_leave_little_room_for_each_other():
    """One deal in thousands is possible when hands are drawn without looking at each other."""
    pairs = equity(*["AA", "AA", "KK", "KK", "QQ", "QQ", "JJ", "JJ", "TT", "TT"], samples=50_000)
    assert pairs.method == "monte carlo"
    assert pairs.shares[0] == pytest.approx(pairs.shares[1], abs=0.01)
    assert pairs.shares[0] > 0.47  # aces; tens make straights with the low cards that are left
    assert pairs.shares[2] < pairs.shares[-1] < 0.03
    crowd = equity(*["15%"] * 10, samples=50_000)
    assert crowd.shares == pytest.approx((0.1,) * 10, abs=0.01)


def test_importance_weights_are_right():
    """Ranges that block each other unevenly: plain averages over drawn deals would be wrong."""
    players = ("AsAh,AsKs,2c2d", "AsAd,AhAd,3c3d", "AdAc,Ks3h")
    exact = equity(*players, board="7s8d9c", method="exact")
    sampled = equity(*players, board="7s8d9c", method="monte carlo", samples=400_000)
    for ours, truth, error in zip(
        sampled.shares, exact.shares, sampled.standard_errors, strict=True
    ):
        assert abs(ours - truth) < 4.5 * error < 0.02


def test_histogram_in_short_deck_has_no_low_hands():
    histogram = equity_histogram("AsKs,2c2d", board="9sTsJs6d", order=SHORT_DECK, bins=10)
    assert histogram == pytest.approx(
        equity_histogram("AsKs", board="9sTsJs6d", order=SHORT_DECK, bins=10)
    )


def test_what_is_too_large_is_sampled_and_says_so():
    result = equity("random", "random", "random", "random", samples=20_000)
    assert result.method == "monte carlo"
    assert result.shares == pytest.approx((0.25,) * 4, abs=0.02)


def test_hand_against_several_ranges():
    ranges = ["KK,QQ", "random", "22+", "AsKs"]
    at_once = hand_vs_ranges("AdAh", ranges, board="QsJh2h")
    single = [equity("AdAh", r, board="QsJh2h").shares[0] for r in ranges]
    assert at_once == pytest.approx(single, abs=1e-10)


def test_histogram_matches_a_count_by_hand():
    hand, board = parse_cards("AsKs"), parse_cards("QsJh2h7d")
    expected = np.zeros(10)
    for river in range(52):
        if river in {*hand, *board}:
            continue
        final = (*board, river)
        others = combinations([c for c in range(52) if c not in {*hand, *final}], 2)
        mine, *theirs = evaluate_many([(*final, *pair) for pair in [hand, *others]]).tolist()
        scores = [1.0 if mine > value else 0.5 if mine == value else 0.0 for value in theirs]
        expected[min(int(sum(scores) / len(scores) * 10 + 1e-9), 9)] += 1
    got = equity_histogram("AsKs", board="QsJh2h7d", bins=10)
    assert got == pytest.approx(expected / expected.sum(), abs=1e-12)


def test_histogram_of_a_range_is_the_weighted_mean():
    both = equity_histogram("AsKs,7h7c:0.5", "20%", board="QsJh2h", bins=50)
    one = equity_histogram("AsKs", "20%", board="QsJh2h", bins=50)
    two = equity_histogram("7h7c", "20%", board="QsJh2h", bins=50)
    assert both == pytest.approx((one + 0.5 * two) / 1.5, abs=1e-9)
    assert both.sum() == pytest.approx(1)


@pytest.mark.nojit
@pytest.mark.parametrize("suits", [(0, 0, 0, 0), (0, 1, 1, 0), (0, 1, 2, 3), (0, 1, 1, 1)])
@pytest.mark.parametrize(("board", "dead"), [("2c2d2h2s", ""), ("2c2d2h", "2s")])
def test_runouts_are_one_of_each_orbit(suits, board, dead):
    cards, gone = parse_cards(board), parse_cards(dead)
    if gone and suits != (0, 1, 2, 3):
        suits = (0, 0, 0, 1)  # swapping must leave the known cards alone
    boards, weights = runouts(cards, gone, suits)
    group = [p for p in permutations(range(4)) if all(suits[p[s]] == suits[s] for s in range(4))]
    seen = {}
    for board_, weight in zip(boards, weights, strict=True):
        extra = [int(c) for c in board_[len(cards) :]]
        orbit = {frozenset(4 * (c // 4) + p[c % 4] for c in extra) for p in group}
        assert len(orbit) == weight
        for image in orbit:
            assert image not in seen
            seen[image] = True
    left = 52 - len(cards) - len(gone)
    assert len(seen) == (left if len(cards) == 4 else left * (left - 1) // 2)


def test_all_boards_up_to_suits():
    boards, weights = runouts((), (), (0, 0, 0, 0))
    assert len(boards) == 134_459
    assert weights.sum() == 2_598_960


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: equity("AA"), OptionError, "1 players.*2 to 10"),
        (lambda: equity(*["AA"] * 11), OptionError, "11 players"),
        (lambda: equity("AsAh", "KsAs"), RangeError, "no deal is possible"),
        (
            lambda: equity("AsAh", "KK", board="AsKdQc"),
            RangeError,
            "player 1 .AsAh.",
        ),
        (
            lambda: equity("AA", "KK", board="AsKdQcJhTs9s"),
            CardError,
            "6 cards.*none.*3, 4.*5",
        ),
        (lambda: equity("AA", "KK", board="AsAh"), CardError, "2 cards.*none.*3, 4.*5"),
        (lambda: hand_vs_ranges("AsAh", ["KK"], board="2c"), CardError, "1.*none"),
        (lambda: equity("AA", "KK", board="AsAs"), CardError, "As"),
        (
            lambda: equity("AA", "KK", board="As", dead="As"),
            CardError,
            "As .*board.*dead",
        ),
        (lambda: equity("AA", "KK", method="guess"), OptionError, "'guess'"),
        (lambda: equity("AA", "KK", samples=0), OptionError, "samples=0"),
        (lambda: equity("AA", "KK", samples=None), OptionError, "samples=None"),
        (lambda: equity("AA", "KK", seed=-1), OptionError, "seed=-1"),
        (lambda: equity("AA", "KK", board=5), CardError, "5.*'AsKd'"),
        (lambda: equity("AA", None), CardError, "None.*'AsKd'"),
        (lambda: equity("AA", ""), RangeError, "."),
        (lambda: equity("AA", [1, 2, 3]), CardError, "3 cards"),
        (lambda: equity("AA", "KK", board="2sKdQc", order=SHORT_DECK), CardError, "6c"),
        (lambda: equity("22", "KK", order=SHORT_DECK), RangeError, "player 1 .22."),
        (
            lambda: equity("AsAh", "AsKs", method="monte carlo"),
            RangeError,
            "no deal is possible",
        ),
        (lambda: hand_vs_ranges("AA", ["KK"]), RangeError, "AA.*AsKd"),
        (lambda: hand_vs_ranges("AsAh", []), OptionError, "at least one"),
        (lambda: hand_vs_ranges("AsAh", ["AsKs"]), RangeError, "AsKs"),
        (lambda: equity_histogram("AA", bins=0), OptionError, "bins=0"),
        (lambda: equity_histogram("AsAh", board="AsKdQc"), RangeError, r"player 1 \(AsAh\)"),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert isinstance(caught.value, InputError)
    assert "\n" not in str(caught.value)


def test_cards_may_be_numbers():
    assert equity((51, 50), [45, 44]).shares == equity("AsAh", "KdKc").shares
    assert COMBO_OF[51, 50] == len(COMBO_CARDS) - 1


@pytest.mark.parametrize("method", ["exact", "monte carlo"])
def test_the_size_of_the_pieces_between_which_ctrl_c_is_noticed_changes_nothing(method):
    def found():
        return equity("KK,AQ:0.3", "QJs,88", "random", board="7s5d2c", method=method, samples=999)

    kernel = {"exact": "sweep_deals", "monte carlo": "sample_deals"}[method]
    with patch(f"tiltless.cards.equity.{kernel}", wraps=getattr(equities, kernel)) as called:
        whole = found()
        once = called.call_count
        with patch.multiple("tiltless.cards.equity", _AT_ONCE=100, _AT_ONCE_NS=1e6):
            assert found().shares == pytest.approx(whole.shares, abs=1e-9)
    assert called.call_count >= once + 9


@pytest.mark.parametrize("widest", range(3))
def test_three_wide_ranges_on_one_board_are_interrupted_between_parts_of_the_widest(widest):
    players = ["88+,AK", "QQ,65s", "T9s"]
    players[widest] = "30%"
    board = "7s5d2cKhJd"
    expected = equity(*players, board=board, method="exact")
    with (
        patch("tiltless.cards.equity._AT_ONCE_NS", 1e4),
        patch("tiltless.cards.equity.sweep_deals", wraps=equities.sweep_deals) as called,
    ):
        found = equity(*players, board=board, method="exact")
    longest = max(8 * np.diff(call.args[2]).prod() for call in called.call_args_list)
    assert called.call_count > 4
    assert longest < 1e4
    assert found.deals == pytest.approx(expected.deals)
    assert found.shares == pytest.approx(expected.shares, abs=1e-9)


def test_an_exact_equity_that_takes_years_is_refused():
    with pytest.raises(OptionError, match="days; choose method 'monte carlo'"):
        equity("random", "random", "random", method="exact")
