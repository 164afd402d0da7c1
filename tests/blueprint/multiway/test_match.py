"""Play over a betting graph: chips are conserved, and known matches have known results."""

import numpy as np
import pytest

from tiltless.abstraction.cards.buckets import ComboBuckets
from tiltless.blueprint.multiway.deals import HoldemDealer
from tiltless.blueprint.multiway.graph import betting_graph
from tiltless.blueprint.multiway.match import one_against_all, play_deals
from tiltless.blueprint.multiway.menu import MultiwayMenu
from tiltless.cards.card import CLASS_OF_COMBO
from tiltless.games.registry import load
from tiltless.kernels.multiway.nodes import ACTIONS, ACTOR, FOLDS

MENU = MultiwayMenu.parse("2.5bb / a; cap 2; force 15%", "75% / a; cap 2; force 15%", "75%; cap 1")
GAME = load("nlhe", seats=6, stack="20bb")


@pytest.fixture(scope="module")
def setting():
    dealer = HoldemDealer(GAME, [ComboBuckets(n, CLASS_OF_COMBO % n) for n in (13, 5, 4, 3)])
    graph = betting_graph(GAME, MENU)
    return graph, dealer, graph.size.entries(dealer.counts)


def always(graph, dealer, entries, action):
    """A table that always takes one action: 0 the first, -1 the last."""
    table, start, node = np.zeros(entries, np.float32), graph.offsets(dealer.counts), 0
    for node in np.flatnonzero(graph.nodes.node[:, ACTOR] >= 0):
        actions = int(graph.nodes.node[node, ACTIONS])
        rows = dealer.counts[graph.nodes.node[node, 1]]
        take = actions - 1 if action < 0 else min(action * graph.nodes.node[node, FOLDS], 1)
        table[start[node] + take + actions * np.arange(rows)] = 1
    return table


def test_chips_are_conserved(setting):
    graph, dealer, entries = setting
    table = np.random.default_rng(1).random(entries).astype(np.float32)
    won = play_deals(graph, dealer, (table, table), [0, 1, -1, 0, 1, 0], 512, 3)
    np.testing.assert_allclose(won.sum(axis=1), 0, atol=1e-4)
    assert won.min() >= -40
    assert won.max() > 40  # pots of more than two stacks


def test_one_who_folds_loses_its_blinds(setting):
    graph, dealer, entries = setting
    fold, call = (always(graph, dealer, entries, action) for action in (0, 1))
    result = one_against_all(graph, dealer, fold, call, 600, seed=2)
    # the small blind is lost; the big blind is never raised, and checks to the end
    assert result.by_player[1] == pytest.approx(-500)
    assert result.by_player[[0, 3, 4, 5]] == pytest.approx([0] * 4)
    again = one_against_all(graph, dealer, fold, call, 600, seed=2)
    assert (again.first, again.second) == (result.first, result.second)


def test_equal_strategies_win_nothing(setting):
    """In rotation a strategy against itself wins exactly 0 over all seats."""
    graph, dealer, entries = setting
    table = np.random.default_rng(2).random(entries).astype(np.float32)
    result = one_against_all(graph, dealer, table, table, 300)
    assert abs(result.first) < 1e-6
    assert result.first == result.second
