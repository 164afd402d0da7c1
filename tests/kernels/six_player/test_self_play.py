"""Compiled self-play against nested dictionaries at the ordinary engine: every chip and regret."""

import numpy as np
import pytest

from naive.six_player.self_play import NaiveSelfPlay, pair_classes
from tiltless.cards.card import combo_index
from tiltless.cards.hand_order import STANDARD, hand_tables
from tiltless.cards.isomorphism import isomorphism
from tiltless.experiments.six_player.options import ReportOptions
from tiltless.experiments.six_player.policy import (
    ReportPolicy,
    TrainingCounts,
    action_text,
    empty_nodes,
)
from tiltless.experiments.six_player.training import SHARES
from tiltless.kernels.six_player import nodes as codes
from tiltless.kernels.six_player.self_play import ReportBuckets, play_games


def stand_in_step(row, combo):
    """A bucket that any board and hand can have without building tables."""
    return (7 * row + 13 * combo) % 190


@pytest.fixture(scope="module")
def buckets():
    """Tables with the shapes of the real ones: made-up flops, zeros afterwards."""
    boards = [isomorphism((cards,), "all") for cards in (3, 4, 5)]
    flop = stand_in_step(np.arange(boards[0].size)[:, None], np.arange(1326)).astype(np.uint8)
    tables = [flop, *(np.zeros((each.size, 1326), np.uint8) for each in boards[1:])]
    for table in tables:
        table.setflags(write=False)
    shares = np.zeros((4, 8), np.int64)
    for street, sizes in enumerate(SHARES):
        shares[street, : len(sizes)] = sizes
    return ReportBuckets(shares, ReportOptions().steps, *tables, *(each.tables for each in boards))


def naive_step(buckets):
    from tiltless.cards.card import COMBO_CARDS, COMBO_OF
    from tiltless.kernels.cards.bucket_tables import spread_board

    def step(cards, board):
        if len(board) > 3:
            return 0
        out = np.empty(1326, np.uint16)
        row = np.array(board, np.uint8)
        spread_board(row, 1, buckets.flop, buckets.flops, COMBO_CARDS, COMBO_OF, out)
        return int(out[combo_index(cards)])

    return step


def run(options, buckets, games, *, most=200_000, state=7, rows=2000):
    nodes, counts = empty_nodes(most), np.zeros(2, np.int64)
    payoffs = np.zeros((rows, 6), np.int64)
    word = np.array([state], np.uint64)
    buckets = buckets._replace(steps=options.steps)
    done = play_games(
        word, 0, games, options.rules, buckets, hand_tables(STANDARD), nodes, counts, payoffs
    )
    return done, nodes, counts, payoffs[: counts[0]]


def same(policy, node, naive):
    """Whether a node and everything below it agree."""
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


READINGS = [
    {},
    {"own_regret": "net", "fold_value": "paid", "after_fold": "scaled", "stake": "street"},
    {"pot": "after", "small_raises": "minimum", "empty_seats": "closed", "buckets": "shared"},
    {"exploration": 1000.0, "stack": 1530, "hands": 30, "own_regret": "net"},
]


@pytest.mark.parametrize("reading", READINGS, ids=str)
def test_every_chip_and_regret_is_that_of_nested_dictionaries(reading, buckets):
    options = ReportOptions(**reading)
    games = 60
    done, nodes, counts, payoffs = run(options, buckets, games)
    assert done == games
    naive = NaiveSelfPlay(options, 7, naive_step(buckets))
    naive.play(games)
    assert payoffs.tolist() == naive.payoffs
    assert counts[0] == len(naive.payoffs)
    assert (payoffs.sum(axis=1) == 0).all()
    assert {(payoffs[hand] != 0).sum() for hand in range(len(payoffs))} > {2, 3}

    policy = ReportPolicy.of_nodes(nodes, options, TrainingCounts())
    classes, total = pair_classes(), 1
    assert policy.policies == len(naive.policies)
    for (ranks, small), root in naive.policies.items():
        node = policy.child(0, classes[ranks] * 6 + int(small[1]) - 1)
        assert policy.visits[node] == root.visits
        total += same(policy, node, root)
    assert total == policy.size == nodes.used[0]


def test_a_full_table_stops(buckets):
    options = ReportOptions()
    done, nodes, _, _ = run(options, buckets, 50, most=500)
    assert done < 50
    assert nodes.used[0] == 500


def test_a_table_goes_on_where_it_was(buckets):
    """Sorted, unsorted again and continued: the same policy as in one go."""
    options = ReportOptions()
    _, whole, _, _ = run(options, buckets, 30)
    word, counts = np.array([7], np.uint64), np.zeros(2, np.int64)
    nodes = empty_nodes(100_000)
    for first, games in ((0, 10), (10, 20)):
        nodes = ReportPolicy.of_nodes(nodes, options, TrainingCounts()).to_nodes(150_000)
        more = first, games, options.rules, buckets, hand_tables(STANDARD), nodes, counts
        assert play_games(word, *more, np.zeros((0, 6), np.int64)) == games
    one, two = (ReportPolicy.of_nodes(each, options, TrainingCounts()) for each in (whole, nodes))
    for name in ("first", "token", "visits", "regret"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
