import threading
from itertools import chain

import numpy as np
import pytest

from naive.agents.push_or_fold import best_response_value, push_or_fold
from naive.blueprint import external as naive
from tiltless.abstraction.cards.buckets import ONE_BUCKET, ComboBuckets
from tiltless.blueprint.engine import BlueprintEngine, BlueprintRules
from tiltless.blueprint.sampling import ExternalTraversals, heads_up_payoffs
from tiltless.blueprint.simulate.playout import play
from tiltless.blueprint.tree import betting_tree
from tiltless.cards.card import CLASS_OF_COMBO
from tiltless.cards.evaluate import evaluate_many
from tiltless.cards.hand_order import hand_tables
from tiltless.cfr.pruning import RegretBased
from tiltless.errors import ArrayError, OptionError
from tiltless.games import load
from tiltless.kernels.blueprint.external import (
    BlueprintTables,
    Deals,
    TraversalRules,
    scale_table,
    show_down,
    traverse_external,
)

BLOCK = ExternalTraversals.block
RNG = np.random.default_rng(3)
PAIRS = ComboBuckets(2, (CLASS_OF_COMBO % 14 == 0).astype(np.int64))
FREE = TraversalRules(1.0, -np.inf, -np.inf, 1.0)


def setup(bets="100%, a; cap 2", stack=8, hands=40):
    tree = betting_tree(load("nlhe", stack=stack), bets)
    rows = tree.rows([3] * tree.streets)
    size = int(rows.start[-1])
    tables = BlueprintTables(
        np.zeros(size, np.float32), np.zeros(size, np.float32), heads_up_payoffs(tree)
    )
    bucket = RNG.integers(0, 3, (hands, 2, tree.streets)).astype(np.uint32)
    result = RNG.integers(-1, 2, hands).astype(np.int8)
    words = RNG.integers(0, 2**63, hands).astype(np.uint64)
    return tree, rows, tables, Deals(bucket, result, words, np.zeros(hands, np.uint8))


def both(rules, bets="100%, a; cap 2", start=None, hands=40):
    tree, rows, tables, deals = setup(bets, hands=hands)
    if start is not None:
        tables.regret[:] = start(len(tables.regret))
    slow = BlueprintTables(tables.regret.copy(), tables.average.copy(), tables.payoff)
    for hand in range(hands):
        state = naive.Words(deals.words[hand])
        dealt = deals.bucket[hand], int(deals.result[hand])
        naive.walk(tree, rows, slow, dealt, hand & 1, state, rules)
    fixed = tree.nodes, rows, tables, deals, 0, rules, tree.size.depth, 8, 1
    visited = traverse_external(*fixed)
    assert visited > hands
    np.testing.assert_array_equal(tables.regret, slow.regret)
    np.testing.assert_array_equal(tables.average, slow.average)
    return tables


@pytest.mark.nojit
@pytest.mark.bounds
def test_walks_equal_plain_recursion_to_the_bit():
    tables = both(FREE, hands=12)
    assert np.count_nonzero(tables.regret) > 20
    assert np.count_nonzero(tables.average) > 20


@pytest.mark.parametrize("bets", ["100%, a; cap 2", "33%, 50%, 100%, 200%, a; cap 1", "a"])
def test_many_walks_equal_plain_recursion(bets):
    both(FREE, bets, hands=300)


def test_floors_pruning_and_averages_equal_plain_recursion():
    def random(n):
        return RNG.normal(0, 3, n).astype(np.float32)

    both(TraversalRules(0.0, -np.inf, -np.inf, 1.0), start=random, hands=200)
    both(TraversalRules(2.5, -4.0, -np.inf, 1.0), start=random, hands=200)
    both(TraversalRules(1.0, -6.0, -2.0, 0.3), start=random, hands=400)


def test_lanes_change_nothing_where_walks_do_not_meet():
    """More hands than lanes, so that lanes begin new walks while others are under way."""
    hands, pruned = 40, TraversalRules(1.0, -6.0, -2.0, 0.3)
    tree = betting_tree(load("nlhe", stack=8), "100%, a; cap 2")
    rows = tree.rows([hands] * tree.streets)
    start = RNG.normal(0, 3, int(rows.start[-1])).astype(np.float32)
    bucket = np.repeat(np.arange(hands, dtype=np.uint32), 2 * tree.streets)
    deals = Deals(
        bucket.reshape(hands, 2, tree.streets),  # no walk reads what another writes
        RNG.integers(-1, 2, hands).astype(np.int8),
        RNG.integers(0, 2**63, hands).astype(np.uint64),
        np.zeros(hands, np.uint8),
    )
    found = []
    for lanes in (1, 8, 64):
        tables = BlueprintTables(start.copy(), np.zeros_like(start), heads_up_payoffs(tree))
        dealt = deals._replace(words=deals.words.copy())
        traverse_external(tree.nodes, rows, tables, dealt, 0, pruned, tree.size.depth, 8, lanes)
        found.append(tables)
    for each in found[1:]:
        np.testing.assert_array_equal(each.regret, found[0].regret)
        np.testing.assert_array_equal(each.average, found[0].average)


def test_averages_grow_however_large_they_are():
    """Plain float32 sums would stand still at 2^24."""
    tree, groups = push_or_fold()
    engine = BlueprintEngine(tree, groups, BlueprintRules(discount_every=0), seed=3)
    fresh = BlueprintEngine(tree, groups, BlueprintRules(discount_every=0), seed=3)
    large = np.float32(2**25)
    engine.average[:] = large
    for each in (engine, fresh):
        each.run(20 * BLOCK)
    grown = (engine.average.astype(float) - float(large)).sum()
    assert grown == pytest.approx(fresh.average.sum(dtype=float), rel=0.02)


def test_showdowns_are_those_of_the_evaluator():
    cards = np.array([RNG.permutation(52)[:9] for _ in range(500)], np.uint8)
    result = np.empty(500, np.int8)
    show_down(cards, hand_tables(), result)
    first = evaluate_many(cards[:, [0, 1, 4, 5, 6, 7, 8]]).astype(int)
    second = evaluate_many(cards[:, [2, 3, 4, 5, 6, 7, 8]]).astype(int)
    assert result.tolist() == np.sign(first - second).tolist()
    assert 0 in result


def test_payoffs_are_those_of_playouts():
    """Every end, with who wins as the hand was played."""
    tree = betting_tree(load("nlhe", stack=(7, 9)), "100%, a; cap 2")
    payoff = heads_up_payoffs(tree)
    played = play(tree, 5000, seed=1, payoffs=True, trace=True)
    result = np.empty(5000, np.int8)
    show_down(played.cards, hand_tables(), result)
    lengths = (played.path >= 0).sum(axis=1)
    ends = played.path[np.arange(5000), lengths - 1]
    node = tree.nodes.node[ends]
    shown = node[:, 0] == -3
    wanted = payoff[node[:, 4], np.where(shown, result + 1, 1)]
    assert wanted.tolist() == played.payoffs[:, 0].tolist()
    assert shown.any()
    assert not shown.all()


def test_push_or_fold_comes_close_to_equilibrium():
    """Ten big blinds, limps and all-ins: exploitability by exact best responses, in chips."""
    tree, groups = push_or_fold(20)
    engine = BlueprintEngine(tree, groups, BlueprintRules(discount_every=32 * BLOCK), seed=1)

    def exploitability():
        gains = [best_response_value(tree, engine.rows, engine.average, p) for p in (0, 1)]
        return sum(gains) / 2

    uniform = exploitability()
    engine.run(1_000_000)
    early = exploitability()
    engine.run(5_000_000)
    late = exploitability()
    assert uniform > 1.0
    assert late < early < 0.06
    assert late < 0.015  # chips; a big blind has two. Measured: 0.0076 and 0.0082
    first_in = engine.average[:507].reshape(169, 3)
    assert first_in[0, 0] < 0.001 * first_in[0].sum()  # aces never fold first in


def test_mean_regret_counts_walks_as_the_discounts_do():
    tree, groups = push_or_fold()
    rules = BlueprintRules(discount_every=2 * BLOCK, discount_until=6 * BLOCK)
    engine = BlueprintEngine(tree, groups, rules, seed=2)
    weight = 0.0
    for block in range(1, 10):
        engine.run(BLOCK)
        weight += BLOCK
        if block in (2, 4, 6):
            weight *= {2: 1 / 2, 4: 2 / 3, 6: 3 / 4}[block]
        assert engine.weight() == pytest.approx(weight)
    total = float(np.maximum(engine.regret, 0).sum(dtype=float))
    assert engine.mean_positive_regret() == pytest.approx(total / weight)
    assert BlueprintEngine(tree, groups, BlueprintRules(discount_every=0)).weight() == 0


def test_a_run_in_pieces_is_the_same_run():
    tree, groups = push_or_fold()
    rules = BlueprintRules(discount_every=2 * BLOCK, pruning=RegretBased(-50.0, 3 * BLOCK, 0.1))
    whole = BlueprintEngine(tree, groups, rules, seed=5)
    whole.run(7 * BLOCK)
    first = BlueprintEngine(tree, groups, rules, seed=5)
    first.run(3 * BLOCK - 5)
    assert first.walks == 3 * BLOCK
    second = BlueprintEngine(tree, groups, rules, seed=5)
    second.restore({name: array.copy() for name, array in first.state().items()})
    second.run(4 * BLOCK)
    np.testing.assert_array_equal(whole.regret, second.regret)
    np.testing.assert_array_equal(whole.average, second.average)
    assert (whole.blocks, whole.visited) == (second.blocks, second.visited)
    other = BlueprintEngine(tree, groups, rules, seed=6)
    other.run(7 * BLOCK)
    assert not np.array_equal(whole.regret, other.regret)


@pytest.mark.parametrize("slow", [0, 1, 2])
def test_a_slow_thread_does_not_hold_up_blocks(monkeypatch, slow):
    """Each block is done once, and the thread that sleeps in one of them does no other."""
    tree, *_ = setup()
    engine = BlueprintEngine(tree, [ONE_BUCKET] * tree.streets, seed=5, threads=2)
    done, lock, others = [], threading.Lock(), threading.Event()

    def run(block):
        if block == slow:
            assert others.wait(60)
        with lock:
            done.append(block)
            if len(done) == 9:
                others.set()
        return FREE

    monkeypatch.setattr(engine, "_traversal_rules", run)
    engine.run(10 * BLOCK)
    assert sorted(done) == list(range(10))
    assert done[-1] == slow


def test_threads_share_the_tables():
    tree, groups = push_or_fold()
    engine = BlueprintEngine(tree, groups, seed=5, threads=3)
    engine.run(7 * BLOCK)
    assert engine.blocks == 7
    alone = BlueprintEngine(tree, groups, seed=5)
    alone.run(7 * BLOCK)
    total, wanted = engine.average.sum(dtype=float), alone.average.sum(dtype=float)
    assert total == pytest.approx(wanted, rel=0.05)  # few updates are lost


def test_discounts_are_those_of_linear_cfr_in_steps():
    assert BlueprintRules().discounts(1) == (0.5, 0.5, 0.5)
    assert BlueprintRules(alpha=1.5, beta=0, gamma=2).discounts(4) == pytest.approx(
        (8 / 9, 0.5, 0.64)
    )
    table = np.array([-2.0, 0.0, 4.0], np.float32)
    scale_table(table, 0.5, 0.25)
    assert table.tolist() == [-0.5, 0.0, 2.0]


def test_averages_follow_their_cadence():
    tree, groups = push_or_fold()
    rules = BlueprintRules(discount_every=0, average_every=3, average_from=2 * BLOCK)
    engine = BlueprintEngine(tree, groups, rules)
    engine.run(3 * BLOCK)
    assert engine.infosets_touched() == 0
    engine.run(BLOCK)
    assert engine.infosets_touched() > 0
    kept = engine.average.copy()
    engine.run(2 * BLOCK)
    assert np.array_equal(kept, engine.average)


def test_games_that_do_not_fit_are_refused():
    groups = [ONE_BUCKET] * 4
    with pytest.raises(OptionError, match="take two players"):
        BlueprintEngine(betting_tree(load("nlhe", seats=3, stack=4), "a"), groups)
    with pytest.raises(OptionError, match="8,192"):
        BlueprintRules(discount_every=1000)
    tree, groups = push_or_fold()
    engine = BlueprintEngine(tree, groups)
    with pytest.raises(ArrayError, match=r"regret.*\(3,\).*\(1527,\)"):
        engine.restore({**engine.state(), "regret": np.zeros(3, np.float32)})


@pytest.mark.parametrize("first", [0, 5])
def test_copies_share_all_blocks_of_a_round(monkeypatch, first):
    """Each block is run by one copy, whatever discounts are due in between."""
    tree = betting_tree(load("nlhe", stack=8), "none")
    engine = BlueprintEngine(
        tree, [ONE_BUCKET] * tree.streets, BlueprintRules(discount_every=4 * BLOCK)
    )
    engine.copies, run = 3, []

    def run_blocks(blocks):
        run.append(list(blocks))
        return 0

    monkeypatch.setattr(engine, "_run_blocks", run_blocks)
    by_copy = []
    for copy in range(3):
        run.clear()
        engine.run_copy(engine.regret.copy(), first, first + 14, copy)
        by_copy.append([*chain(*run)])
    assert sorted(chain(*by_copy)) == list(range(first, first + 14))
    for copy, blocks in enumerate(by_copy):
        assert {(block - first) % 3 for block in blocks} == {copy}


def test_the_mean_regret_of_copies_is_that_of_their_own_traversals():
    tree = betting_tree(load("nlhe", stack=8), "a; cap 1")
    engine = BlueprintEngine(tree, [ONE_BUCKET] * tree.streets)
    engine.run(1)
    alone = engine.mean_positive_regret()
    engine.copies = 4  # the same regrets, as the mean of four who made a quarter of them each
    assert alone > 0
    assert engine.mean_positive_regret() == pytest.approx(4 * alone)
