"""Compiled self-play against nested dictionaries at the ordinary engine: every chip and regret."""

import math

import numpy as np
import pytest

from helpers.six_report import made_up_flops, made_up_step
from naive.six_player.self_play import NaiveSelfPlay, pair_classes
from tiltless.cards.hand_order import STANDARD, hand_tables
from tiltless.experiments.six_player.options import ReportOptions
from tiltless.experiments.six_player.policy import (
    ReportPolicy,
    TrainingCounts,
    action_text,
    empty_nodes,
)
from tiltless.games.holdem.pots import share_out, side_pots
from tiltless.kernels.six_player import hand, self_play
from tiltless.kernels.six_player import nodes as codes


def python(function):
    """A compiled helper as plain Python."""
    return getattr(function, "py_func", function)


def run(options, games, *, most=200_000, state=7, rows=5000):
    nodes, counts = empty_nodes(most), np.zeros(2, np.int64)
    payoffs, word = np.zeros((rows, 6), np.int64), np.array([state], np.uint64)
    buckets = made_up_flops()._replace(steps=options.steps)
    more = options.rules, buckets, hand_tables(STANDARD), nodes, counts, payoffs
    done = self_play.play_games(word, 0, games, *more)
    return done, nodes, counts, payoffs[: counts[0]]


def same(policy, node, naive):
    """Compare a node and everything below it; how many nodes these are."""
    children = range(policy.first[node], policy.first[node + 1])
    assert len(children) == len(naive.below)
    checked = 1
    for at in children:
        seat, code = divmod(int(policy.token[at]), 1 << codes.SEAT_SHIFT)
        key = ("bucket", code) if seat == 7 else (f"p{seat + 1}", action_text(code))
        twin = naive.below[key]
        assert policy.visits[at] == twin.visits, key
        assert policy.regret[at] == twin.regret, key
        checked += same(policy, at, twin)
    return checked


def compare(options, games):
    """Play the same games twice; the payoffs."""
    done, nodes, counts, payoffs = run(options, games)
    assert done == games
    naive = NaiveSelfPlay(options, 7, made_up_step)
    naive.play(games)
    assert payoffs.tolist() == naive.payoffs
    assert counts[0] == len(naive.payoffs)
    policy = ReportPolicy.of_nodes(nodes, options, TrainingCounts())
    classes, total = pair_classes(), 1
    assert policy.policies == len(naive.policies)
    for (ranks, small), root in naive.policies.items():
        node = policy.child(0, classes[ranks] * 6 + int(small[1]) - 1)
        assert policy.visits[node] == root.visits
        total += same(policy, node, root)
    assert total == policy.size == nodes.used[0]
    return payoffs


READINGS = [
    {},
    {"own_regret": "net", "fold_value": "paid", "after_fold": "scaled", "stake": "street"},
    {"pot": "after", "small_raises": "minimum", "empty_seats": "closed", "buckets": "shared"},
    {"exploration": 1000.0, "stack": 1530, "hands": 30, "own_regret": "net"},
]


@pytest.mark.parametrize("reading", READINGS, ids=str)
def test_every_chip_and_regret_is_that_of_nested_dictionaries(reading):
    payoffs = compare(ReportOptions(**reading), 60)
    assert (payoffs.sum(axis=1) == 0).all()
    assert {(row != 0).sum() for row in payoffs} > {2, 3, 4}


@pytest.mark.parametrize("more", [{}, {"own_regret": "net", "after_fold": "scaled"}], ids=str)
def test_states_that_are_visited_often(more):
    """With two big blinds there is little to do, so that UCT and v(fold) decide at most states."""
    reading = {"stack": 200, "hands": 3, "exploration": 150.0, "fold_value": "paid"}
    compare(ReportOptions(**reading, **more), 120)


@pytest.mark.nojit
def test_side_pots_are_those_of_the_engine():
    rng = np.random.default_rng(5)
    chips, now = np.zeros((3, 6), np.int64), np.zeros(hand.NOW_FIELDS, np.int64)
    for _ in range(400):
        paid, values = rng.integers(0, 6, 6) * 7 + rng.integers(0, 2, 6), rng.integers(1, 4, 6)
        live, button = int(rng.integers(1, 64)), int(rng.integers(6))
        if not any(paid[seat] for seat in range(6) if live >> seat & 1):
            continue
        chips[hand.STACK], chips[hand.PAID], now[hand.LIVE], now[hand.BUTTON] = (
            0,
            paid,
            live,
            button,
        )
        python(hand.pay_out)(chips, now, values)
        pots = side_pots(paid.tolist(), live)
        order = [(button + 1 + away) % 6 for away in range(6)]
        assert chips[hand.STACK].tolist() == share_out(pots, values.tolist(), order)


@pytest.mark.nojit
@pytest.mark.bounds
def test_a_few_games():
    compare(ReportOptions(small_blind=33, big_blind=67, stack=401, hands=4), 2)


@pytest.mark.nojit
def test_a_full_table_stops():
    done, nodes, _, _ = run(ReportOptions(), 5, most=40)
    assert done < 5
    assert nodes.used[0] == 40


def test_a_training_does_not_depend_on_how_it_is_cut():
    """Sorted, unsorted again and continued: the same policy as in one go."""
    options, tables = ReportOptions(), hand_tables(STANDARD)
    _, whole, _, _ = run(options, 30)
    word, counts, nodes = np.array([7], np.uint64), np.zeros(2, np.int64), empty_nodes(100_000)
    for first, games in ((0, 10), (10, 20)):
        nodes = ReportPolicy.of_nodes(nodes, options, TrainingCounts()).to_nodes(150_000)
        more = options.rules, made_up_flops(), tables, nodes, counts, np.zeros((0, 6), np.int64)
        assert self_play.play_games(word, first, games, *more) == games
    one, two = (ReportPolicy.of_nodes(each, options, TrainingCounts()) for each in (whole, nodes))
    for name in ("first", "token", "visits", "regret"):
        assert np.array_equal(getattr(one, name), getattr(two, name))


def learned(options, net, taken, regrets):
    """Regrets after a decision between FOLD, RAISE 250 and RAISE 500, nothing paid before."""
    nodes = empty_nodes(10)
    nodes.regret[1:4] = regrets
    about = np.array([[0, 3, taken, 0]])
    decisions = self_play._Decisions(about, np.array([[1, 2, 3]]), np.array([[0, 250, 500]]))
    python(self_play._update)(nodes, options.rules, 1, decisions, np.array([net, 0, 0, 0, 0, 0]))
    return nodes.regret[1:4].tolist()


def test_the_reports_regret_example():
    """+500 after RAISE 500 takes FOLD to -480 and RAISE 250 to -245; so they were 20 and 5."""
    usual = ReportOptions()
    assert learned(usual, 500, 2, [20, 5, 0]) == [-480, -245, 0]
    assert learned(usual, -500, 2, [20, 5, 0]) == [520, 255, 0]
    assert learned(ReportOptions(own_regret="net"), 500, 2, [20, 5, 7]) == [-480, -245, 507]
    assert learned(usual, 0, 0, [20, 5, 7]) == [20, 5, 7]


def picked(c, tried, state=1):
    """What UCT picks among actions with (visits, regret), or None if never tried."""
    nodes, found = empty_nodes(20), np.full(11, -1)
    for i, each in enumerate(tried):
        if each is not None:
            found[i] = i + 1
            nodes.visits[i + 1], nodes.regret[i + 1] = each
    seen = sum(each[0] for each in tried if each)
    word = np.array([state], np.uint64)
    pick = python(self_play._pick)
    return pick(nodes, word, np.zeros(11, np.int64), len(tried), c, seen, found)


def test_the_picker():
    assert picked(1e6, [(5, 900), None, (5, 1000)]) == 1
    assert {picked(1e6, [None, (5, 1e9), None], state) for state in range(20)} == {0, 2}
    assert picked(1e-6, [(5, 900), (90, 901), (5, 0)]) == 1
    assert picked(1e6, [(5, 900), (90, 901), (4, 0)]) == 2
    edge = 1e6 * (math.sqrt(math.log(10) / 4) - math.sqrt(math.log(10) / 6))
    assert picked(1e6, [(4, 0), (6, 0.999 * edge)]) == 0
    assert picked(1e6, [(4, 0), (6, 1.001 * edge)]) == 1


@pytest.mark.parametrize(("street", "raises"), [(0, 9), (1, 7), (2, 5), (3, 5)])
def test_the_number_of_raises(street, raises):
    """In a pot of 1,000 with 10,000 behind no size is too small, and none is all-in."""
    chips, now = np.zeros((3, 6), np.int64), np.zeros(hand.NOW_FIELDS, np.int64)
    chips[hand.STACK], chips[hand.PAID, 0] = 10_000, 1000
    now[hand.LIVE] = now[hand.ABLE] = now[hand.WAITING] = 63
    now[hand.STREET], now[hand.LEAST] = street, 100
    token, to = np.zeros(11, np.int64), np.zeros(11, np.int64)
    fill = python(self_play._fill_menu)
    count = fill(chips, now, ReportOptions().rules, made_up_flops(), token, to)
    assert count == 2 + raises
    shares = {0: 0.25, 1: 0.75, 2: 0.5, 3: 0.5}
    assert to[2] == 1000 * shares[street]
    assert to[count - 2] == 2000
    assert (to[count - 1], token[count - 1]) == (10_000, codes.ALL_IN)


def test_the_reports_rotation_table():
    """p3 posts the small blind: to p1 ... p6 it is p3, p2, p1, p6, p5, p4 (its table 2)."""
    label = python(self_play._relabelled)
    assert [1 + label(2, own, 63, 0) for own in range(6)] == [3, 2, 1, 6, 5, 4]
    # p2 and p5 have left; closed up, p4 is the next after p3
    assert [label(chair, 2, 0b101101, 0) for chair in (2, 3, 5, 0)] == [0, 1, 3, 4]
    assert [label(chair, 2, 0b101101, 1) for chair in (2, 3, 5, 0)] == [0, 1, 2, 3]
