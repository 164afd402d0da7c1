"""Betting graphs of several seats: counts known from elsewhere, links, positions and chips."""

import math
from dataclasses import replace

import numpy as np
import pytest

from tiltless.abstraction.bets.presets import find_menu
from tiltless.blueprint.multiway.graph import RATIO_STEP
from tiltless.blueprint.multiway.graph_layout import betting_graph, graph_size
from tiltless.blueprint.multiway.menu import MULTIWAY_MENUS, MultiwayMenu
from tiltless.blueprint.tree import tree_size
from tiltless.errors import OptionError
from tiltless.games.registry import load
from tiltless.kernels.multiway.nodes import (
    ACTIONS,
    ACTOR,
    END,
    FIRST,
    FOLDS,
    LINK,
    PARENT,
    SHOWDOWN,
    STREET,
    UNCONTESTED,
)

SIX = load("nlhe", seats=6, stack="100bb")
BUCKETS = (169, 200, 200, 200)
LIMPED = load("nlhe", seats=5, stack="100bb")
LIMPS = MultiwayMenu.parse("2.5bb; cap 1", "none")
STUDY = replace(MULTIWAY_MENUS["six"], preflop=find_menu("2.5bb / 3x / a; cap 3; force 15%"))
SMALL = MultiwayMenu.parse("2.5bb / a; cap 2; force 15%", "75% / a; cap 2; force 15%", "75%; cap 1")


@pytest.fixture(scope="module")
def graph():
    return betting_graph(load("nlhe", seats=3, stack="20bb"), SMALL)


def test_a_menu_has_the_counts_of_an_independent_program():
    """355,997 actions and 68.6 million entries with pairs, 257,897 and 49 million without."""
    size = graph_size(SIX, STUDY)
    assert size.decisions[0] == 38_828
    assert sum(size.actions) == 355_997
    assert size.entries(BUCKETS) == 169 * size.actions[0] + 200 * sum(size.actions[1:])
    assert round(size.entries(BUCKETS) / 1e6, 1) == 68.6


@pytest.mark.slow
def test_a_menu_without_pairs_has_the_counts_of_an_independent_program():
    without = graph_size(SIX, STUDY, pairs=False)
    assert (sum(without.actions), without.decisions[0]) == (257_897, 38_828)


def test_pairs_add_blocks_after_the_flop():
    game = load("nlhe", seats=4, stack="100bb")
    menu = replace(MULTIWAY_MENUS["six"], preflop=find_menu("2.5bb / a; cap 2"))
    pairs, without = graph_size(game, menu), graph_size(game, menu, pairs=False)
    assert pairs.actions[0] == without.actions[0]
    assert all(one > two for one, two in zip(pairs.actions[1:], without.actions[1:], strict=True))


@pytest.mark.parametrize(
    ("seats", "menu"),
    [
        (2, "100%, a; cap 2"),
        (3, "100%, a; cap 2"),
        (3, "preflop: 2.5bb / 3x / a; flop, turn, river: 75% / a; cap 3"),
        (4, "preflop: 2.5bb / 3x / a; flop, turn, river: 75%; cap 1; force 15%"),
        (6, "preflop: 2.5bb / 3x / a | cap 2; flop, turn, river: none"),
    ],
)
def test_exact_histories_have_the_counts_of_the_betting_tree(seats, menu):
    game = load("nlhe", seats=seats, stack=200)
    tree = tree_size(game, menu, limit=10**12)
    size = graph_size(game, MultiwayMenu.parse(menu, menu, limper=0), shared=False)
    assert (size.decisions, size.actions) == (tree.decisions, tree.actions)
    assert size.nodes - size.blocks == tree.nodes  # links are nodes only here
    assert size.ends - size.blocks == tree.ends


@pytest.mark.parametrize("shared", [True, False])
def test_every_end_and_every_link_is_consistent(shared):
    graph = betting_graph(load("nlhe", seats=4, stack="30bb"), SMALL, shared=shared)
    node, arrays = graph.nodes.node, graph.nodes
    assert len(node) == graph.size.nodes
    acts = node[:, ACTOR] >= 0
    assert acts.sum() == sum(graph.size.decisions)
    for at in np.flatnonzero(acts):
        children = node[node[at, FIRST] : node[at, FIRST] + node[at, ACTIONS]]
        assert (children[:, PARENT] == at).all()
        assert (children[:, STREET] == node[at, STREET]).all()
        assert (graph.label[node[at, FIRST]] == -3) == node[at, FOLDS]
    ends = node[~acts]
    assert sorted(ends[:, END]) == list(range(graph.size.ends))
    live = np.array([int(x).bit_count() for x in arrays.live])[ends[:, END]]
    assert ((live == 1) == (ends[:, ACTOR] == UNCONTESTED)).all()
    links = ends[:, ACTOR] == LINK
    assert ((arrays.target[ends[:, END]] >= 0) == links).all()
    to = arrays.target[ends[links, END]]
    assert (node[to, STREET] == ends[links, STREET] + 1).all()
    assert (node[to, PARENT] == -1).all()
    assert (node[to, ACTOR] == 0).all()  # position 0 acts first
    if not shared:
        assert len(set(to)) == len(to)  # every line has its own blocks
    roots = set(np.flatnonzero(acts & (node[:, PARENT] == -1))) - {0}
    assert roots == set(to)


def test_players_left_and_ratio_of_links_agree_with_the_keys(graph):
    """Recomputes the key of every link from contributions alone."""
    node, arrays = graph.nodes.node, graph.nodes
    key_of = {root: key for key, root in graph.roots.items()}
    block_of, key = np.zeros(len(node), int), None
    for at in range(len(node)):
        block_of[at] = at if node[at, PARENT] < 0 else block_of[node[at, PARENT]]
    for at in np.flatnonzero(node[:, ACTOR] == LINK):
        end, before = node[at, END], key_of.get(block_of[at])
        key = key_of[arrays.target[end]]
        bets, live = arrays.contribution[end].astype(float), int(arrays.live[end])
        pot = bets.sum() if before is None else 1 + bets.sum()
        stack = (40 if before is None else RATIO_STEP**before.ratio) - bets.max()
        assert key.players == live.bit_count()
        assert abs(key.ratio - math.log(stack / pot) / math.log(RATIO_STEP)) < 0.51
        if before is None:
            order = graph.post_order(live)
            assert key.pair == (order if len(order) == 2 else None)
        else:
            assert key.pair == (before.pair if key.players == 2 else None)


def test_positions_act_from_the_small_blind_and_the_button_last(graph):
    assert graph.nodes.node[0, ACTOR] == 0  # three seats: the button acts first before the flop
    assert graph.post_order(0b111) == (1, 2, 0)
    assert betting_graph(LIMPED, LIMPS).nodes.node[0, ACTOR] == 3
    called = int(graph.nodes.node[0, FIRST]) + 1
    assert graph.nodes.node[called, ACTOR] == 1


def test_limpers_make_the_first_raise_larger():
    graph = betting_graph(LIMPED, LIMPS)
    node, at, raises = graph.nodes.node, 0, []
    for _ in range(4):
        raises.append(float(graph.label[node[at, FIRST] + 2]))
        at = int(node[at, FIRST]) + 1
    assert raises == [5, 7, 9, 11]  # 2.5 big blinds, and one more for each limper


def test_an_exact_graph_keeps_chips_and_a_shared_one_keeps_pots():
    game = load("nlhe", seats=3, stack="20bb")
    exact, shared = (betting_graph(game, SMALL, shared=kind) for kind in (False, True))
    assert list(exact.nodes.scaled) == [0, 0, 0, 0]
    assert list(shared.nodes.scaled) == [0, 1, 1, 1]
    for graph, unit in ((exact, 1), (shared, 0)):
        node = graph.nodes.node
        flop = int(graph.nodes.target[node[node[:, ACTOR] == LINK, END]][0])
        pots = graph.nodes.contribution[node[node[:, ACTOR] == LINK, END][0]].sum()
        bet = float(graph.label[node[flop, FIRST] + 1])
        assert bet == pytest.approx(round(0.75 * pots) if unit else 0.75, abs=0.51 * unit)


def test_offsets_cover_a_table_once(graph):
    buckets = (7, 5, 3, 2)
    start, node = graph.offsets(buckets), graph.nodes.node
    used = np.zeros(graph.size.entries(buckets), int)
    for at in np.flatnonzero(node[:, ACTOR] >= 0):
        used[start[at] : start[at] + node[at, ACTIONS] * buckets[node[at, STREET]]] += 1
    assert (used == 1).all()
    with pytest.raises(OptionError):
        graph.offsets((7, 5))


def test_a_graph_that_does_not_fit_is_refused_before_it_is_built():
    with pytest.raises(OptionError, match="GB"):
        betting_graph(LIMPED, SMALL, shared=False, memory_limit=1 << 16)


@pytest.mark.parametrize(
    "game",
    [
        load("nlhe", seats=7),
        load("nlhe", seats=3, stack=(200, 200, 100)),
        load("river-of-blood"),
    ],
)
def test_games_without_a_graph_are_refused(game):
    with pytest.raises(OptionError):
        graph_size(game)


def test_shared_blocks_need_sizes_relative_to_the_pot():
    menu = MultiwayMenu.parse("3bb; cap 1", "4bb; cap 1")
    with pytest.raises(OptionError):
        graph_size(SIX, menu)
    assert graph_size(load("nlhe", seats=2), menu, shared=False).nodes
    with pytest.raises(OptionError):
        MultiwayMenu.parse("3bb; cap 1", "50% | donk 25%")
    assert "2 left" in str(MULTIWAY_MENUS["six"])


def test_all_in_ends_are_showdowns(graph):
    node, arrays = graph.nodes.node, graph.nodes
    for at in np.flatnonzero(node[:, ACTOR] == LINK):
        assert not arrays.all_in[node[at, END]] & arrays.live[node[at, END]]
    shown = node[node[:, ACTOR] == SHOWDOWN]
    early = shown[shown[:, STREET] < 3]
    assert all(arrays.all_in[end] & arrays.live[end] for end in early[:, END])
