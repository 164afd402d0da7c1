"""Vector traversals for several players against a slow twin, and what every traversal keeps."""

import numpy as np
import pytest

from naive.blueprint import multiway as naive
from tiltless.abstraction.cards.buckets import ComboBuckets
from tiltless.blueprint.multiway.deals import HoldemDealer
from tiltless.blueprint.multiway.graph_layout import betting_graph
from tiltless.blueprint.multiway.menu import MultiwayMenu
from tiltless.cards.card import CLASS_OF_COMBO, COMBO_CARDS
from tiltless.games.registry import load
from tiltless.kernels.multiway.nodes import ACTIONS, ACTOR, FIRST
from tiltless.kernels.multiway.traversal import MultiwayRules, Stage, traverse_multiway

MENU = MultiwayMenu.parse("2.5bb / a; cap 2; force 15%", "75% / a; cap 2; force 15%", "75%; cap 1")
HIGH = COMBO_CARDS.max(axis=1) // 4
BUCKETS = [
    ComboBuckets(9, CLASS_OF_COMBO % 9),
    ComboBuckets(5, HIGH % 5),
    ComboBuckets(3, np.arange(1326) % 3),
    ComboBuckets(13, HIGH),
]


def table_of(seats, shared=True, stack="20bb"):
    game = load("nlhe", seats=seats, stack=stack)
    graph = betting_graph(game, MENU, shared=shared)
    dealer = HoldemDealer(game, BUCKETS)
    return graph, dealer, graph.offsets(dealer.counts)


def compiled(graph, start, regret, deals, rules, stage, won=None):
    width = int(graph.nodes.node[:, ACTIONS].max())
    height, won = sum(graph.size.turns), np.zeros(6) if won is None else won
    size = width, height, 13
    return traverse_multiway(graph.nodes, start, regret, regret, deals, stage, rules, *size, won)


def everybody(graph):
    return Stage(0, 0, np.arange(graph.players, dtype=np.int64))


@pytest.mark.parametrize(
    ("seats", "shared", "explore"), [(3, True, 0.0), (4, True, 0.01), (3, False, 0.0)]
)
def test_compiled_traversals_equal_the_twin(seats, shared, explore):
    graph, dealer, start = table_of(seats, shared)
    rng = np.random.default_rng(seats)
    regret = rng.normal(0, 100, graph.size.entries(dealer.counts)).astype(np.float32)
    regret = np.maximum(regret, np.float32(-150))
    regret[rng.random(len(regret)) < 0.3] = 0
    slow = regret.astype(np.float64)
    deals = dealer.deal(np.array([seats], np.uint64), 3, 0.5)
    rules = MultiwayRules(2.0, 0.25, -150.0, explore, 40.0, 0.0, 0.0)
    before = regret.copy()
    visited = compiled(graph, start, regret, deals, rules, everybody(graph))
    assert visited == naive.traverse(graph, start, slow, deals, rules)
    assert np.count_nonzero(regret != before) > 500
    np.testing.assert_allclose(regret, slow, rtol=1e-4, atol=0.5)  # of sums up to 10,000s


def test_a_traversal_may_begin_in_a_block():
    """A subgame: the flop among three players, with 12 chips in the pot and 34 behind."""
    graph, _, start = table_of(3)
    dealer = HoldemDealer(graph.game, BUCKETS, board=(0, 17, 34))
    regret = np.zeros(graph.size.entries(dealer.counts), np.float32)
    slow = regret.astype(np.float64)
    deals = dealer.deal(np.array([5], np.uint64), 3)
    assert (deals.board & np.uint64(1 | 1 << 17 | 1 << 34) == (1 | 1 << 17 | 1 << 34)).all()
    root = next(root for key, root in graph.roots.items() if (key.street, key.players) == (1, 3))
    rules = MultiwayRules(1.0, 1.0, -np.inf, 0.0, 34.0, 12.0, 4.0)
    stage = Stage(root, 1, np.array([1, 2, 0], np.int64))
    visited = compiled(graph, start, regret, deals, rules, stage)
    assert visited == naive.traverse(graph, start, slow, deals, rules, root, [1, 2, 0])
    assert regret.any()
    np.testing.assert_allclose(regret, slow, rtol=1e-4, atol=0.5)


def test_hands_count_by_their_weight():
    """Weights of a range: none for hands with an ace, which leaves their groups smaller."""
    graph, dealer, start = table_of(3)
    deals = dealer.deal(np.array([9], np.uint64), 2)
    weight = np.random.default_rng(1).random((3, 1326)).astype(np.float32)
    weight[:, (COMBO_CARDS // 4 == 12).any(axis=1)] = 0
    deals = deals._replace(weight=weight)
    regret = np.zeros(graph.size.entries(dealer.counts), np.float32)
    slow = regret.astype(np.float64)
    rules = MultiwayRules(1.0, 1.0, -np.inf, 0.0, 40.0, 0.0, 0.0)
    compiled(graph, start, regret, deals, rules, everybody(graph))
    naive.traverse(graph, start, slow, deals, rules)
    np.testing.assert_allclose(regret, slow, rtol=1e-4, atol=0.5)


def test_six_players_all_in_win_what_they_lose():
    """Everybody calls an all-in before the flop: 100 big blinds each, zero-sum to rounding."""
    game = load("nlhe", seats=6, stack="100bb")
    graph = betting_graph(game, MultiwayMenu.parse("a; cap 1", "none"))
    dealer = HoldemDealer(game, BUCKETS)
    tied = HoldemDealer(game, BUCKETS, board=range(32, 52, 4))  # a royal flush on the board
    start, node = graph.offsets(dealer.counts), graph.nodes.node
    regret = np.zeros(graph.size.entries(dealer.counts), np.float32)
    for at in np.flatnonzero((node[:, ACTOR] >= 0) & (node[:, ACTIONS] > 1)):
        raises = graph.label[node[at, FIRST] + node[at, ACTIONS] - 1] > 0
        taken = node[at, ACTIONS] - 1 if raises else 1
        regret[start[at] + taken + node[at, ACTIONS] * np.arange(9)] = 1e9  # all-in, or call
    for seed in range(5):
        won = np.zeros(6)
        deals = (tied if seed == 4 else dealer).deal(np.array([seed], np.uint64), 1)
        rules = MultiwayRules(0.0, 1.0, -np.inf, 0.0, 200.0, 0.0, 0.0)
        compiled(graph, start, regret, deals, rules, everybody(graph), won)
        shown = deals.strength[0, deals.held[0]]
        best = shown == shown.max()
        assert best.all() == (seed == 4)
        expected = np.where(best, 1200 / best.sum(), 0) - 200
        np.testing.assert_allclose(won, expected, atol=1e-3)
        assert abs(won.sum()) < 1e-3
