from functools import cache
from pathlib import Path

import numpy as np
import pytest

from naive.games.betting import calls_for_more, dealt, offered, perft
from tiltless.abstraction.bets.grammar import parse_menu
from tiltless.blueprint import betting as betting_walk
from tiltless.blueprint import tree as betting
from tiltless.blueprint.tree import betting_tree, count_nodes, label_of, tree_size
from tiltless.cards.hand_order import SHORT_DECK
from tiltless.errors import OptionError
from tiltless.games import TERMINAL, load
from tiltless.games.holdem.actions import FOLD, RaiseTo
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.streets import Street
from tiltless.kernels.blueprint.nodes import (
    ACTIONS,
    ACTOR,
    CHANCE,
    FIRST,
    LIVE,
    PARENT,
    ROW,
    SHOWDOWN,
    STREET,
    UNCONTESTED,
)

ALL_IN = parse_menu("a")
POT = parse_menu("100%, a")
OPEN = parse_menu("50%, 100%, a")
TWO = parse_menu("50%, 100%, a; cap 2")
SMALL = parse_menu("preflop: 40% | cap 2; flop: 75%, 200%; turn: none; cap 1")
BLUEPRINT = parse_menu(
    "preflop: 2.5bb, a / 3x; flop: oop 33% | ip 33%, 75% / 100%, a | donk 20%; "
    "turn: oop 50% / 2.5x | ip e | donk none; river: 2e150%, min / a; "
    "add 200%; merge 10%; force 20%"
)
DONK = parse_menu("preflop: 2bb; flop: 100% | donk min; turn: 50% | donk a; river: a | donk 50%")
LEAD = parse_menu("100% | donk min | cap 2")

CONFIGURATIONS = {
    "heads-up, every raise": (load("nlhe", stack=8), parse_menu("all")),
    "heads-up, everything": (load("nlhe", stack=60), BLUEPRINT),
    "heads-up, leads": (load("nlhe", stack=24), DONK),
    "heads-up, button elsewhere": (load("nlhe", stack=(31, 44), button=1), BLUEPRINT),
    "three, leads": (load("nlhe", seats=3, stack=(9, 7, 12), button=1), DONK),
    "three, by position": (
        load("nlhe", seats=3, stack=(13, 9, 12)),
        parse_menu("preflop: 3bb, a; flop: oop 100% | ip 50%, 200% | donk a; cap 2; merge 30%"),
    ),
    "three, raises a player": (load("nlhe", seats=3, stack=5), parse_menu("min; each 1")),
    "heads-up, limit within": (load("nlhe", stack=20), parse_menu("2c1r; turn: 4c0r, a")),
    "heads-up, two sizes": (load("nlhe", stack=24), TWO),
    "heads-up, sizes by street": (load("nlhe", stack=30), SMALL),
    "heads-up, uneven": (load("nlhe", stack=(9, 31), ante=1), TWO),
    "heads-up, all-in by the blinds": (load("nlhe", stack=(1, 9)), POT),
    "button elsewhere": (load("nlhe", seats=3, stack=(5, 8, 11), button=2), POT),
    "three, ante": (load("nlhe", seats=3, stack=(4, 9, 6), ante=1), POT),
    "three, acpc raises": (load("nlhe", seats=3, stack=9, minimum_raise="acpc"), POT),
    "four, straddle": (load("nlhe", seats=4, stack=(6, 1, 9, 4), straddle=4), POT),
    "five, big blind ante": (
        load("nlhe", seats=5, stack=(3, 1, 5, 2, 7), big_blind_ante=2),
        ALL_IN,
    ),
    "six, all-in or fold": (
        load("nlhe", seats=6, stack=(4, 4, 7, 4, 4, 5)),
        parse_menu("a; cap 1"),
    ),
    "free folds": (load("nlhe", stack=9, free_fold=True), POT),
    "free folds, three": (load("nlhe", seats=3, stack=4, free_fold=True), POT),
    "effective raises": (load("nlhe", stack=(9, 30), effective_raises=True), POT),
    "pypokerengine blinds": (load("nlhe", stack=12, heads_up="pypokerengine"), POT),
    "limit": (load("limit-holdem", stack=13), OPEN),
    "limit, three": (load("limit-holdem", seats=3, stack=7, raise_cap=1), OPEN),
    "short deck": (load("short-deck", seats=2, stack=12), TWO),
    "short deck, three": (load("short-deck", seats=3, stack=7), POT),
    "toy": (load("toy-holdem", raises_per_player=2), OPEN),
    "permutation": (load("permutation", stack=14), POT),
    "river of blood": (load("river-of-blood", stack=10), POT),
    "river of blood, leads": (load("river-of-blood", stack=9), LEAD),
    "river of blood, three": (load("river-of-blood", seats=3, stack=5), ALL_IN),
}
MANY_PATHS = ("six, all-in or fold", "three, leads")
"""Other configurations of as many players, or with leads, have fewer."""


def walk_side_by_side(tree, most_board):
    """Walk both worlds together; returns the nodes that were met."""
    game, node, label = tree.game, tree.nodes.node, tree.nodes.label
    seats = [(game.button + player) % game.players for player in range(game.players)]
    met = set()
    stack = [(state, 0) for state in dealt(game.start())]
    while stack:
        state, place = stack.pop()
        met.add(place)
        kind, street, actions, first, row, live, _, _ = node[place].tolist()
        assert [bool(live >> p & 1) for p in range(game.players)] == [
            seat in state.live for seat in seats
        ]
        if state.actor == TERMINAL:
            assert kind == (SHOWDOWN if len(state.live) > 1 else UNCONTESTED)
            assert actions == 0
            assert tree.nodes.paid[row].tolist() == [state.paid[seat] for seat in seats]
            continue
        assert seats[kind] == state.actor
        assert street == min(state.street, tree.repeat_from)
        menu = offered(state, tree.menu)
        assert [tree.action(child) for child in tree.children(place)] == menu
        for child, action in enumerate(menu, first):
            assert label[child] == label_of(action)
            stack += [
                (after, landing(tree, child, state.apply(action), met))
                for after in dealt(state.apply(action))
                if len(after.board) <= most_board
            ]
    return met


def landing(tree, place, state, met):
    """The node where a state arrives after an action: past the node where the board decides."""
    node = tree.nodes.node[place]
    if node[ACTOR] != CHANCE:
        return place
    met.add(place)
    assert node[STREET] == min(state.street, tree.repeat_from)
    assert node[ACTIONS] == 2
    return int(node[FIRST]) + calls_for_more(state)


@pytest.mark.parametrize(
    ("game", "menu"),
    [
        pytest.param(*each, id=name, marks=[pytest.mark.slow] * (name in MANY_PATHS))
        for name, each in CONFIGURATIONS.items()
    ],
)
def test_paths_are_the_legal_hands_of_the_readable_game(game, menu):
    tree = betting_tree(game, menu)
    met = walk_side_by_side(tree, most_board=7)
    first_of_repeats = np.flatnonzero(tree.nodes.node[1:, PARENT] < 0) + 1
    assert met == set(range(tree.size.nodes)) - set(first_of_repeats.tolist())
    assert bool(len(first_of_repeats)) == bool(tree.run_suits)


@pytest.mark.parametrize("repeat_from", [4, 5, 6])
def test_streets_that_repeat_begin_at_the_declared_street(repeat_from):
    game = load("river-of-blood", stack=6)
    tree = betting_tree(game, POT, repeat_from=repeat_from)
    met = walk_side_by_side(tree, most_board=8)
    assert {int(street) for street in tree.nodes.node[sorted(met), STREET]} == set(
        range(repeat_from + 1)
    )
    assert tree.streets == repeat_from + 1


def test_a_street_that_repeats_is_laid_out_once_for_each_way_to_begin():
    tree = betting_tree(load("river-of-blood", stack=40), TWO)
    node = tree.nodes.node
    here = node[(node[:, STREET] == 4) & (node[:, ACTOR] >= 0)]
    first = np.unique(here[:, [ROW, FIRST]], axis=0)
    assert len(first) == tree.size.decisions[4]  # copies share their rows and their children
    roots = np.flatnonzero(node[:, PARENT] < 0)[1:]
    run_begins = node[np.isin(node[:, PARENT], np.flatnonzero(node[:, ACTOR] == CHANCE))]
    run_begins = run_begins[run_begins[:, ACTOR] >= 0]
    assert set(run_begins[:, FIRST]) == set(node[roots, FIRST])
    assert len(run_begins) > 5 * len(roots)
    # nobody bets: the street follows itself, for ever
    place = int(roots[0])
    check = tree.children(tree.children(place)[0])[0]
    assert node[check, ACTOR] == CHANCE
    again = node[tree.children(check)[1]]
    assert again[FIRST] == node[place, FIRST]
    assert again[ROW] == node[place, ROW]


@pytest.mark.parametrize(
    ("game", "menu"),
    [
        (load("nlhe"), OPEN),
        (load("nlhe", seats=3, stack=(20, 50, 33), ante=1), parse_menu("70%, a; cap 2")),
        (load("limit-holdem"), OPEN),
        (load("river-of-blood"), TWO),
    ],
    ids=["nlhe", "three", "limit", "river of blood"],
)
def test_arrays_of_large_trees_hang_together(game, menu):
    tree = betting_tree(game, menu)
    node, size = tree.nodes.node, tree.size
    assert len(node) == size.nodes == count_nodes(game, menu)
    parents = np.flatnonzero(node[:, ACTIONS] > 0)
    roots = np.flatnonzero(node[:, PARENT] < 0)
    original = np.ones(len(node), dtype=bool)  # nodes that are no copy of a street's beginning
    if tree.run_suits:
        copied = np.isin(node[:, FIRST], node[roots[1:], FIRST]) & (node[:, ACTIONS] > 0)
        original &= ~copied
        original[roots] = True
    parents = parents[original[parents]]
    children = np.concatenate(
        [np.arange(node[p, FIRST], node[p, FIRST] + node[p, ACTIONS]) for p in parents]
    )
    assert sorted([*children.tolist(), *roots.tolist()]) == list(range(len(node)))
    owners = np.repeat(parents, node[parents, ACTIONS])
    assert np.array_equal(node[children, PARENT], owners)
    for street, (decisions, actions) in enumerate(zip(size.decisions, size.actions, strict=True)):
        here = node[(node[:, ACTOR] >= 0) & (node[:, STREET] == street) & original]
        assert len(here) == decisions
        assert np.array_equal(here[:, ROW], np.cumsum(here[:, ACTIONS]) - here[:, ACTIONS])
        assert here[:, ACTIONS].sum() == actions
    ends = node[node[:, ACTOR] < CHANCE]
    assert sorted(ends[:, ROW].tolist()) == list(range(size.ends))
    paid = tree.nodes.paid[ends[:, ROW]]
    assert (paid >= 0).all()
    assert (paid <= np.array(game.rules.stacks)).all()
    alone = ends[:, LIVE] & (ends[:, LIVE] - 1) == 0
    assert np.array_equal(alone, ends[:, ACTOR] == UNCONTESTED)


def test_depth_bounds_every_hand():
    tree = betting_tree(load("nlhe", stack=40), TWO)
    longest, place = 0, np.flatnonzero(tree.nodes.node[:, ACTOR] < 0)
    depth = np.ones(len(tree.nodes.node), dtype=int)
    for node in range(1, len(depth)):
        parent = tree.nodes.node[node, PARENT]
        assert parent < node
        depth[node] = depth[parent] + 1
    longest = depth[place].max()
    assert longest == tree.size.depth


def test_rows_of_tables():
    tree = betting_tree(load("nlhe", stack=20), TWO)
    one = tree.rows()
    assert one.start[-1] == sum(tree.size.actions) == tree.size.nodes - 1
    many = tree.rows((169, 10, 20, 30))
    assert many.start.tolist() == [
        0,
        *np.cumsum([b * n for b, n in zip((169, 10, 20, 30), tree.size.actions, strict=True)]),
    ]
    used = np.zeros(many.start[-1], dtype=int)
    for actor, street, actions, _, row, *_ in tree.nodes.node.tolist():
        if actor >= 0:
            for bucket in range(many.buckets[street]):
                begin = many.start[street] + row * many.buckets[street] + bucket * actions
                used[begin : begin + actions] += 1
    assert (used == 1).all()
    large = tree.rows(2**31)
    assert large.start[-1] == 2**31 * sum(tree.size.actions)
    assert tree.rows(np.int64(3)).buckets.tolist() == [3] * 4
    assert tree.rows(np.arange(1, 5)).buckets.tolist() == [1, 2, 3, 4]
    with pytest.raises(OptionError, match=r"3 numbers.*4 streets"):
        tree.rows((1, 2, 3))
    for wrong in (0, 2.5, None):
        with pytest.raises(OptionError, match=f"buckets={wrong} "):
            tree.rows(wrong)


def test_table_nodes_lead_to_each_action():
    tree = betting_tree(load("river-of-blood", stack=8), POT)
    found, start = tree.table_nodes(), tree.rows().start
    for place, record in enumerate(tree.nodes.node.tolist()):
        if record[ACTOR] >= 0:
            begin = start[record[STREET]] + record[ROW]
            assert found[begin : begin + record[ACTIONS]].tolist() == list(tree.children(place))


def test_history_and_description():
    tree = betting_tree(load("nlhe", stack=20), OPEN)
    raised = tree.children(0)[-1]
    folded = tree.children(raised)[0]
    assert tree.history(folded) == (RaiseTo(20), FOLD)
    assert tree.history(0) == ()
    assert tree.action(0) is None
    words = tree.describe()
    assert words.startswith(f"nlhe, 2 players: {tree.size.nodes:,} nodes")
    for street, name in enumerate(("preflop", "flop", "turn", "river")):
        line = next(line for line in words.splitlines() if line.strip().startswith(name))
        assert f" {tree.size.decisions[street]:,} with" in line
    assert f"{tree.size.ends:,} ends" in words
    assert "again and again" in betting_tree(load("river-of-blood", stack=4), POT).describe()


def test_limit_holdem_has_the_known_numbers_of_decisions():
    """Seven ways to a flop, nine from street to street, ten decisions on each."""
    size = tree_size(load("limit-holdem"), OPEN)
    assert size.decisions == (8, 7 * 10, 7 * 9 * 10, 7 * 9 * 9 * 10)


def test_rules_are_enough():
    game = load("short-deck", seats=3, stack=9)
    from_rules, from_game = (betting_tree(each, POT) for each in (game.rules, game))
    assert np.array_equal(from_rules.nodes.node, from_game.nodes.node)
    assert from_rules.game.order == SHORT_DECK


def test_more_raises_than_python_may_recurse():
    """One street with five cards each, and nobody ever raises by more than one chip."""
    street = Street("all", 0, 1)
    rules = Rules((3000, 3000), (1, 1), (street,), hole_cards=5)
    tree = betting_tree(rules, "min")
    assert tree.size.depth > 2500
    assert tree.history(int(np.argmax(tree.nodes.label)))[-1] == RaiseTo(3000)


def test_a_hand_without_decisions_is_one_node():
    tree = betting_tree(load("nlhe", stack=1, ante=1, short_stacks=True), POT)
    assert tree.nodes.node.tolist() == [[SHOWDOWN, 3, 0, 0, 0, 3, -1, 0]]
    assert tree.nodes.paid.tolist() == [[1, 1]]
    assert tree.size == (1, 1, (0, 0, 0, 0), (0, 0, 0, 0), 1)


def test_big_blind_ante_is_dead():
    tree = betting_tree(load("nlhe", seats=3, stack=9, big_blind_ante=2), POT)
    assert tree.nodes.dead.tolist() == [0, 0, 2]


def test_trees_that_are_too_large_are_refused_before_they_are_made():
    with pytest.raises(OptionError, match="124,322 nodes"):
        betting_tree(load("nlhe"), OPEN, memory_limit=6_100_000)
    with pytest.raises(
        OptionError,
        match=r"20,833 nodes.*1,000,000 bytes",
    ):
        betting_tree(load("nlhe"), OPEN, memory_limit=1_000_000)
    with pytest.raises(OptionError, match=r"\b0 nodes.* 10 bytes"):
        betting_tree(load("nlhe"), OPEN, memory_limit=10)
    with pytest.raises(OptionError, match="1,000 nodes"):
        count_nodes(load("nlhe"), OPEN, limit=1000)
    with pytest.raises(OptionError, match=r"22,369,621.*1,073,741,824"):
        betting_tree(load("nlhe", seats=6), "33%, 50%, 75%, 100%, 150%, 200%, a")


def test_more_nodes_than_can_be_numbered(monkeypatch):
    monkeypatch.setattr(betting, "_MAX_NODES", 1000)
    with pytest.raises(OptionError, match="1,000 nodes"):
        betting_tree(load("nlhe"), OPEN)


def test_limits_are_positive():
    for limit in (0, -1, 0.5):
        with pytest.raises(OptionError, match=f"memory_limit={limit} "):
            betting_tree(load("nlhe"), OPEN, memory_limit=limit)
        with pytest.raises(OptionError, match=f"^limit={limit} "):
            count_nodes(load("nlhe"), OPEN, limit=limit)


def test_hopeless_trees_are_refused_soon(monkeypatch):
    """What takes the time is asking the menu; so many questions are about half a second."""
    asked = 0

    def actions(walk, betting, street, aggressor):
        nonlocal asked
        asked += 1
        return honest(walk, betting, street, aggressor)

    honest = betting_walk.AbstractBetting.actions
    monkeypatch.setattr(betting_walk.AbstractBetting, "actions", actions)
    with pytest.raises(OptionError, match=r"22,369,621.*1,073,741,824"):
        betting_tree(load("nlhe", seats=6), OPEN)
    assert asked < 100_000


def test_only_holdem_has_a_betting_tree():
    for build in (betting_tree, count_nodes, tree_size):
        with pytest.raises(OptionError, match=r"^leduc.*hold'em"):
            build(load("leduc"), OPEN)
        with pytest.raises(OptionError, match=r"^None.*hold'em"):
            build(None, OPEN)
        with pytest.raises(OptionError, match=r"^\(\(0.5,\),\)"):
            build(load("nlhe"), ((0.5,),))


@pytest.mark.parametrize("bound", ["_MOST_STARTS", "_MOST_POSITIONS"])
def test_counting_looks_at_a_bounded_number_of_positions(monkeypatch, bound):
    monkeypatch.setattr(betting_walk, bound, 5)
    with pytest.raises(OptionError, match=r"more than [\d,]+ nodes, in too many different"):
        count_nodes(load("nlhe"), OPEN)


def test_counting_is_quick_where_positions_repeat():
    nodes = count_nodes(load("nlhe", stack="200bb"), "50%, 75%, 100%, a")
    assert nodes > 2_000_000


def test_games_that_may_never_end_are_refused():
    streets = (Street("one", 0, 1), Street("two", 3, 1))
    for suits in ("cdhs", "cdh"):
        rules = Rules((9,) * 10, (1, 1), streets, run_suits=suits)
        with pytest.raises(OptionError, match="may run out of cards"):
            betting_tree(rules, POT)


def test_progress_is_reported():
    calls = []
    tree = betting_tree(
        load("nlhe", stack=20), TWO, progress=lambda done, total: calls.append((done, total))
    )
    assert calls == sorted(calls)
    assert calls[-1] == (tree.size.nodes, tree.size.nodes)


# Perft


def perft_lines():
    """(game, menu, depth, count) for each line of numbers in the golden files."""
    for path in sorted((Path(__file__).parents[1] / "golden").glob("*.perft")):
        game = menu = None
        for line in path.read_text().splitlines():
            words = line.partition("#")[0].split()
            if not words:
                continue
            if words[0] == "game":
                options = dict(word.split("=") for word in words[2:])
                game = load(words[1], **{key: value(text) for key, text in options.items()})
            elif words[0] == "menu":
                menu = parse_menu(" ".join(words[1:]))
            else:
                depth, count = map(int, words)
                yield pytest.param(game, menu, depth, count, id=f"{path.stem}-{depth}-{count}")


def value(text):
    numbers = [int(number) if number.isdigit() else number for number in text.split(",")]
    return numbers[0] if len(numbers) == 1 else tuple(numbers)


cached_tree = cache(betting_tree)


def tree_perft(tree, depth):
    counts = {0: 1}
    for _ in range(depth):
        after = {}
        for place, times in counts.items():
            if tree.nodes.node[place, ACTOR] == CHANCE:
                place = tree.children(place)[1]
            for child in tree.children(place):
                after[child] = after.get(child, 0) + times
        counts = after
    return sum(counts.values())


@pytest.mark.parametrize(("game", "menu", "depth", "count"), list(perft_lines()))
def test_perft(game, menu, depth, count):
    assert isinstance(game, Holdem)
    assert tree_perft(cached_tree(game, menu), depth) == count
    if count < 500:
        assert perft(game, menu, depth) == count
