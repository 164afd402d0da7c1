from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.scripted import End, Luck, Scripted, Turn
from naive.tabular.trees import expected_payoffs, flat_payoffs, random_strategy
from tiltless.errors import InputError, OptionError
from tiltless.games import CHANCE, TERMINAL, load
from tiltless.tabular.estimate import estimate
from tiltless.tabular.flat import flatten
from tiltless.tabular.levels import level_order

GAMES = {
    "rps": load("rps"),
    "dilemma": load("matrix", row=[[3, 0], [5, 1]], column=[[3, 5], [0, 1]]),
    "bargaining": load("bargaining"),
    "kuhn": load("kuhn"),
    "kuhn3": load("kuhn", players=3),
    "leduc": load("leduc"),
    "leduc-ranks": load("leduc", rank_only=True),
    "leduc-one-raise": load("leduc", ranks=4, raises=1),
}
FLAT = {name: flatten(game) for name, game in GAMES.items()}
every_game = pytest.mark.parametrize("flat", FLAT.values(), ids=FLAT)


@every_game
def test_nodes_are_the_histories_of_the_readable_game(flat):
    """Walk both worlds side by side: actors, odds, payoffs, infosets and actions agree."""
    tree, seen = flat.tree, np.zeros(flat.nodes, dtype=bool)
    stack = [(flat.game.start(), 0)]
    while stack:
        state, node = stack.pop()
        assert not seen[node]
        seen[node] = True
        row = int(tree.row[node])
        children = range(int(tree.first[node]), int(tree.first[node + 1]))
        assert tree.actor[node] == state.actor
        if state.actor == TERMINAL:
            assert len(children) == 0
            assert tuple(tree.payoffs[row]) == state.payoffs
            continue
        if state.actor == CHANCE:
            moves, chance_probs = zip(*state.chance.outcomes(), strict=True)
            assert tuple(tree.chance_probs[row : row + len(moves)]) == chance_probs
        else:
            infoset = state.infoset(state.actor)
            moves = infoset.actions
            assert flat.keys[row] == infoset.key
            assert flat.number[infoset.key] == row
            assert flat.actions[row] == moves
            assert tree.start[row + 1] - tree.start[row] == len(moves)
        assert len(children) == len(moves)
        stack += [(state.apply(move), c) for move, c in zip(moves, children, strict=True)]
    assert seen.all()


@every_game
def test_nodes_are_in_level_order(flat):
    first, level = flat.tree.first.astype(np.int64), flat.tree.level
    assert first[0] == 1
    assert first[-1] == flat.nodes
    assert np.all(np.diff(first) >= 0)
    assert np.all(first[:-1] > np.arange(flat.nodes))  # parents come before their children
    depth = np.zeros(flat.nodes, dtype=int)
    for node in range(flat.nodes):
        depth[first[node] : first[node + 1]] = depth[node] + 1
    assert np.all(np.diff(depth) >= 0)
    assert level.tolist() == [*np.searchsorted(depth, range(depth[-1] + 1)), flat.nodes]


@every_game
def test_infosets_are_sorted_by_player_and_time(flat):
    tree = flat.tree
    owners = [key[0] for key in flat.keys]
    assert owners == sorted(owners)
    for player in range(flat.game.players):
        assert owners[tree.player[player] : tree.player[player + 1]] == [player] * owners.count(
            player
        )
    assert len(flat.number) == flat.infosets == len(tree.start) - 1
    assert flat.same_level
    # On the way to a node, a player's infosets have rising numbers.
    last = np.full((flat.nodes, flat.game.players), -1)
    for node in range(flat.nodes):
        actor = tree.actor[node]
        if actor >= 0:
            assert tree.row[node] > last[node, actor]
        for child in range(int(tree.first[node]), int(tree.first[node + 1])):
            last[child] = last[node]
            if actor >= 0:
                last[child, actor] = tree.row[node]


@every_game
def test_arrays_have_the_types_that_kernels_expect(flat):
    types = [array.dtype.name for array in flat.tree]
    assert types == ["int8", "uint32", "uint32", "int64", "float64", "float64", "int64", "int64"]
    assert all(array.flags.c_contiguous and array.flags.writeable for array in flat.tree)
    assert flat.tree.payoffs.shape[1] == flat.game.players
    assert flat.nbytes < 20 * flat.nodes + 40 * flat.infosets + 1000


@every_game
def test_equal_payoffs_and_odds_are_kept_once(flat):
    assert len(np.unique(flat.tree.payoffs, axis=0)) == len(flat.tree.payoffs)
    if flat.game.name == "leduc":
        assert len(flat.tree.chance_probs) < 30


@pytest.mark.parametrize("seed", range(3))
@every_game
def test_expected_payoffs_agree_with_recursion(flat, seed):
    strategy, table = random_strategy(flat, seed)
    naive = expected_payoffs(flat.game.start(), strategy)
    assert flat_payoffs(flat, table) == pytest.approx(naive, abs=1e-12, rel=0)


def test_more_payoffs_than_are_shared(monkeypatch):
    monkeypatch.setattr("tiltless.tabular.flat._SHARED", 2)
    flat = flatten(GAMES["leduc-ranks"])
    strategy, table = random_strategy(flat, 0)
    naive = expected_payoffs(flat.game.start(), strategy)
    assert flat_payoffs(flat, table) == pytest.approx(naive, abs=1e-12, rel=0)
    assert len(flat.tree.payoffs) > len(FLAT["leduc-ranks"].tree.payoffs)


def test_moves_of_a_node():
    flat = FLAT["kuhn"]
    words = [flat.moves(node) for node in range(flat.nodes)]
    assert words[0] == ()
    assert words[1] == ("J",)
    assert len(set(words)) == flat.nodes
    assert ("K", "J", "check", "bet", "call") in words
    assert flat.tree.actor[words.index(("J", "K"))] == 0


def test_deep_games_need_no_recursion():
    node = End((1.0, -1.0))
    for depth in range(5000):
        node = Turn(depth % 2, str(depth), {"stop": End((0.0, 0.0)), "go": node})
    flat = flatten(Scripted(node))
    assert flat.nodes == 10_001
    assert len(flat.tree.level) == 5002
    assert flat_payoffs(flat, np.tile([0.0, 1.0], 5000)).tolist() == [1, -1]


def test_infosets_on_two_levels_are_noticed():
    """A player who does not know whether a coin was tossed."""
    turn = Turn(0, "", {"a": End((1.0, -1.0)), "b": End((0.0, 0.0))})
    flat = flatten(Scripted(Luck((1,), {"toss": Luck((), {"h": turn, "t": turn}), "not": turn})))
    assert flat.infosets == 1
    assert not flat.same_level


def test_one_infoset_with_two_menus_is_refused():
    one = Turn(0, "x", {"a": End((0.0, 0.0))})
    two = Turn(0, "x", {"a": End((0.0, 0.0)), "b": End((0.0, 0.0))})
    with pytest.raises(InputError, match=r"a and a, b .*\(player 0, nothing: x\)"):
        flatten(Scripted(Luck((), {"h": one, "t": two})))


def test_large_games_are_refused_before_they_are_laid_out():
    with pytest.raises(OptionError, match=r"^leduc.*0.001 GB"):
        flatten(load("leduc", ranks=13, suits=4), memory_limit=10**6)
    with pytest.raises(OptionError, match=r"^nlhe.*4.29 GB"):
        flatten(load("nlhe", stack="100bb"))


def test_memory_limit_holds_where_the_estimate_was_too_low(monkeypatch):
    game = load("leduc", ranks=6)
    low = estimate(game)._replace(bytes=1)
    monkeypatch.setattr("tiltless.tabular.flat.estimate", lambda game: low)
    with pytest.raises(OptionError, match=r"^leduc .*6\.55e\+04.*0\.001 GB"):
        flatten(game, memory_limit=10**6)


def test_progress_is_told():
    calls = []
    flat = flatten(load("leduc", ranks=6), progress=lambda done, all_: calls.append((done, all_)))
    assert len(calls) >= 2
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)
    assert all(done <= all_ for done, all_ in calls)
    assert calls[-1] == (flat.nodes, flat.nodes)


# --- estimates -----------------------------------------------------------------------------------


@every_game
def test_small_games_are_counted(flat):
    size = estimate(flat.game)
    assert size.exact
    assert (size.nodes, size.terminals) == (flat.nodes, flat.terminals)
    assert size.infosets == flat.infosets
    assert size.bytes > flat.nbytes


@pytest.mark.parametrize("name", ["kuhn3", "leduc", "leduc-ranks", "leduc-one-raise"])
def test_probes_come_close(name):
    """The mean of many estimates lies within its own error, and each says how far off it may be."""
    flat = FLAT[name]
    sizes = [estimate(flat.game, 400, seed) for seed in range(40)]
    assert not any(size.exact for size in sizes)
    nodes = np.array([size.nodes for size in sizes])
    spread = nodes.std(ddof=1)
    assert abs(nodes.mean() - flat.nodes) < 4 * spread / np.sqrt(len(nodes))
    told = np.mean([size.error * size.nodes for size in sizes])
    assert 0.5 < told / spread < 2
    assert np.mean([s.terminals for s in sizes]) == pytest.approx(flat.terminals, rel=0.15)
    assert np.mean([s.infosets for s in sizes]) == pytest.approx(flat.infosets, rel=0.3)


def test_the_same_seed_gives_the_same_estimate():
    game = GAMES["leduc"]
    assert estimate(game, 400, 3) == estimate(game, 400, 3) != estimate(game, 400, 4)


def test_estimates_of_games_that_nobody_can_list():
    size = estimate(load("nlhe", stack="100bb"), budget=2000)
    assert not size.exact
    assert log(size.nodes, 10) > 20


# --- level order ---------------------------------------------------------------------------------


def test_level_order_of_a_small_tree():
    # Root; a and b below it; c and d below a, e below b. In preorder: root, a, c, d, b, e.
    depth = np.array([0, 1, 2, 2, 1, 2], dtype=np.uint16)
    children = np.array([2, 2, 0, 0, 1, 0], dtype=np.uint32)
    order, first, level = level_order(depth, children)
    assert order.tolist() == [0, 1, 4, 2, 3, 5]
    assert first.tolist() == [1, 3, 5, 6, 6, 6, 6]
    assert level.tolist() == [0, 1, 3, 6]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60))
def test_level_order_is_breadth_first(widths):
    """Any tree: read preorder numbers of children, as far as they last; the rest are leaves."""
    widths = iter(widths)
    depth, children, below = [], [], {}
    stack = [(0, None)]
    while stack:
        level, parent = stack.pop()
        node = len(depth)
        below.setdefault(parent, []).append(node)
        depth.append(level)
        children.append(next(widths, 0))
        stack += [(level + 1, node)] * children[-1]
    queue = [0]
    for node in queue:
        queue += below.get(node, [])
    levels = level_order(np.array(depth, dtype=np.uint16), np.array(children, dtype=np.uint32))
    assert levels.order.tolist() == queue
    for place, node in enumerate(queue):
        inside = queue[levels.first[place] : levels.first[place + 1]]
        assert inside == below.get(node, [])


@pytest.mark.slow
def test_ten_million_histories():
    """Leduc with 52 cards: a minute, and memory as estimated."""
    game = load("leduc", ranks=13, suits=4)
    size = estimate(game)
    assert abs(size.nodes - 9_984_833) < 4 * size.error * size.nodes
    flat = flatten(game)
    assert (flat.nodes, flat.terminals, flat.infosets) == (9_984_833, 5_977_608, 79_872)
