from dataclasses import dataclass
from random import Random

import numpy as np
import pytest

from naive.blueprint import decision_columns as naive
from tiltless.abstraction.cards.buckets import (
    ONE_BUCKET,
    PREFLOP_CLASSES,
    ComboBuckets,
    on_board,
)
from tiltless.abstraction.information.features import (
    actions,
    buckets,
    colour,
    history,
    last_action,
    pot,
    pot_odds,
    raises,
    seat,
    street,
)
from tiltless.abstraction.information.presets import PRESETS
from tiltless.abstraction.information.product import ONE, refines
from tiltless.blueprint.betting import AbstractBetting
from tiltless.blueprint.information import abstracted, classes, decisions, playable, situations
from tiltless.blueprint.line_key import KeyedLine
from tiltless.blueprint.simulate.playout import play
from tiltless.blueprint.tree import betting_tree, label_of
from tiltless.errors import OptionError
from tiltless.games import CHANCE, TERMINAL, load
from tiltless.games.holdem.actions import CALL, RaiseTo
from tiltless.kernels.blueprint import nodes as kinds
from tiltless.kernels.blueprint.nodes import ACTIONS, ACTOR, FIRST, PARENT, ROW, STREET

TWO = "50%, 100%, a; cap 2"
CONFIGURATIONS = {
    "heads-up": (load("nlhe", stack=30), "50%, 100%, a"),
    "heads-up, uneven": (load("nlhe", stack=(9, 31), ante=1, button=1), "all; cap 1"),
    "no all-in": (load("nlhe", stack=30), "33%, 75%; cap 2"),
    "three": (load("nlhe", seats=3, stack=(7, 25, 13), ante=1, button=1), "100%, a"),
    "three, effective": (
        load("nlhe", seats=3, stack=(7, 25, 13), effective_raises=True),
        "100%, a",
    ),
    "four, acpc": (load("nlhe", seats=4, stack=(20, 6, 11, 3), minimum_raise="acpc"), "100%, a"),
    "six": (load("nlhe", seats=6, stack=(4, 4, 7, 4, 4, 5)), "a; cap 1"),
    "free folds": (load("nlhe", stack=12, free_fold=True), "100%, a"),
    "limit": (load("limit-holdem", stack=24), "min"),
    "toy": (load("toy-holdem"), "min"),
    "river of blood": (load("river-of-blood", stack=16), TWO),
    "river of blood, donks": (load("river-of-blood", stack=60), "100% | donk 50%; cap 2"),
}
LAYOUTS = {**dict.fromkeys(CONFIGURATIONS), "river of blood": 6}
TREES = {
    name: betting_tree(*each, repeat_from=LAYOUTS[name]) for name, each in CONFIGURATIONS.items()
}
MANY_DECISIONS = ("no all-in", "six")
"""Lines of other trees, of two players and of four, are of the same kinds."""
every_tree = pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
PRODUCTS = {
    "nothing": ONE,
    "whole history": history(),
    "street history": history("street") * seat,
    "pot bins": seat * pot(20),
    "odds": pot(None) * pot_odds(),
    "last action": last_action * raises * seat,
    "cards too": colour() * seat * pot(5) * buckets(PREFLOP_CLASSES, ONE_BUCKET),
}
every_product = pytest.mark.parametrize("product", PRODUCTS.values(), ids=PRODUCTS)


@dataclass(frozen=True)
class OfBoard:
    """Buckets for boards of one size."""

    board_cards: int
    count: int = 3

    def fill(self, cards, street, bucket):
        bucket[:, :, street] = cards[:, 4 : 4 + self.board_cards].sum(axis=1, keepdims=True) % 3


def same_partition(one, other):
    return refines(one, other) and refines(other, one)


def all_lines(tree):
    """Every decision with its line, copies in streets that repeat followed once."""
    walk = AbstractBetting(tree.game, tree.menu, tree.repeat_from)
    number = {int(node): place for place, node in enumerate(decisions(tree))}
    seen = set()
    stack = [(0, KeyedLine.start(walk))]
    while stack:
        node, line = stack.pop()
        kind = int(tree.nodes.node[node, ACTOR])
        assert kind == line.actor
        if kind >= 0:
            node = int(tree.nodes.node[tree.nodes.node[node, FIRST], PARENT])
            yield number[node], line
            if node in seen:
                continue
            seen.add(node)
            for child, action in zip(tree.children(node), line.offered, strict=True):
                assert tree.action(child) == action
                stack.append((child, line.after(action)))
        elif kind == kinds.CHANCE:
            for more, child in enumerate(tree.children(node)):
                stack.append((child, line.run_on(bool(more))))


@pytest.mark.parametrize(
    "tree",
    [
        pytest.param(tree, id=name, marks=[pytest.mark.slow] * (name in MANY_DECISIONS))
        for name, tree in TREES.items()
    ],
)
def test_lines_and_trees_agree_at_every_decision(tree):
    found = situations(tree)
    visited = set()
    for place, line in all_lines(tree):
        one = line.situations
        assert one.chips == found.chips
        for name, column, value in zip(found._fields[1:], found[1:], one[1:], strict=True):
            assert value.shape == (1,)
            assert column[place] == value[0], name
        visited.add(place)
    assert len(visited) == len(found.street) == sum(tree.size.decisions)


@pytest.mark.nojit
@pytest.mark.bounds
@pytest.mark.parametrize("name", ["three", "free folds", "toy"])
def test_lines_and_small_trees_agree(name):
    test_lines_and_trees_agree_at_every_decision(TREES[name])


@every_tree
def test_readable_hands_agree_with_the_tree(tree):
    game, rng = tree.game, Random(3)
    found = situations(tree)
    number = {int(node): place for place, node in enumerate(decisions(tree))}
    words, by_slots = {}, set()
    for _ in range(150):
        state, node, slots_of_street = game.start(), 0, []
        while state.actor != TERMINAL:
            if state.actor == CHANCE:
                state = state.apply(state.chance.sample(rng))
                slots_of_street = []
                if tree.nodes.node[node, ACTOR] == kinds.CHANCE:
                    node = tree.children(node)[1]
                continue
            place = number[int(tree.nodes.node[tree.nodes.node[node, FIRST], PARENT])]
            offered = tree.menu.actions(state)
            by_street = naive.moves_by_street(state)
            assert found.street[place] == min(state.street, tree.streets - 1)
            assert found.seat[place] == (state.actor - game.button) % game.players
            assert found.pot[place] == state.pot
            assert found.chips == sum(state.table.stacks)
            assert found.call[place] == (state.actions.call if CALL in offered else 0)
            assert found.raises[place] == sum(isinstance(m, RaiseTo) for m in by_street[-1])
            assert found.last[place] == [0, *slots_of_street][-1]
            assert found.slots[place] == naive.slots(state, offered)
            if state.street < tree.repeat_from:
                word = int(found.history[place])
                assert words.setdefault(tuple(map(tuple, by_street)), word) == word
            by_slots.add((tuple(slots_of_street), int(found.street_history[place])))
            action = rng.choice(offered)
            slots_of_street.append(naive.slot(state, offered, action))
            node = next(c for c in tree.children(node) if tree.nodes.label[c] == label_of(action))
            state = state.apply(action)
    assert len(set(words.values())) == len(words) > 10
    assert len({word for _, word in by_slots}) == len({slots for slots, _ in by_slots}) > 1
    assert len(by_slots) == len({slots for slots, _ in by_slots})


@every_tree
def test_history_leaves_the_tree_as_it_is(tree):
    for product in (history(), seat * history() * pot(3)):
        same = abstracted(tree, product)
        assert (same.tree.nodes.node == tree.nodes.node).all()
        assert same.tree.size == tree.size
        assert same.infosets == tree.size.decisions
    words = situations(tree).history
    assert len(np.unique(words)) == len(words)  # and the words tell all decisions apart
    assert same_partition(classes(tree, history()), words)


@every_tree
@every_product
def test_rows_are_shared_by_classes_and_by_nobody_else(tree, product):
    small = abstracted(tree, product).tree
    acts, found = decisions(tree), classes(tree, product)
    node = small.nodes.node
    place = small.rows().start[node[acts, STREET]] + node[acts, ROW]
    assert same_partition(place, found)
    used = np.zeros(int(small.rows().start[-1]), dtype=int)
    _, first = np.unique(found, return_index=True)
    for begin, count in zip(place[first], node[acts[first], ACTIONS], strict=True):
        used[begin : begin + count] += 1
    assert (used == 1).all()
    assert sum(small.size.decisions) == len(first)
    others = np.delete(np.arange(8), ROW)
    assert (node[:, others] == tree.nodes.node[:, others]).all()
    ends = node[:, ACTOR] < 0
    assert (node[ends, ROW] == tree.nodes.node[ends, ROW]).all()
    copies = np.flatnonzero(node[:, ACTOR] >= 0)
    originals = node[node[copies, FIRST], PARENT]
    assert (node[copies, ROW] == node[originals, ROW]).all()


@every_tree
@every_product
def test_classes_never_mix_streets_or_actions(tree, product):
    found, acts = classes(tree, product), decisions(tree)
    node = tree.nodes.node[acts]
    assert refines(found, node[:, STREET])
    assert refines(found, node[:, ACTIONS])
    assert refines(found, situations(tree).slots)
    first_label = tree.nodes.label[node[:, FIRST]]
    assert refines(found, np.minimum(first_label, 0))


@every_tree
@every_product
def test_keys_and_classes_of_a_tree_part_the_same_decisions(tree, product):
    keys = playable(product).keys(situations(tree))
    assert same_partition(keys, classes(tree, product))


def test_keys_along_a_line_are_those_of_the_tree():
    tree = TREES["river of blood, donks"]
    product = playable(PRESETS["ep-white"].features * last_action)
    keys = product.keys(situations(tree))
    for place, line in all_lines(tree):
        assert product.keys(line.situations)[0] == keys[place]


def spread(small, table, groups):
    """The policy of an abstract tree, written out for every decision of the full one."""
    full = small.full
    counts = [group.count for group in groups]
    few, many = small.tree.rows(counts), full.rows(counts)
    out = np.zeros(int(many.start[-1]), dtype=table.dtype)
    for node in decisions(full):
        number, count, row = full.nodes.node[node, [STREET, ACTIONS, ROW]].astype(int)
        to = many.start[number] + row * counts[number]
        size = count * counts[number]
        begin = few.start[number] + int(small.tree.nodes.node[node, ROW]) * counts[number]
        out[to : to + size] = table[begin : begin + size]
    return out


@every_tree
@pytest.mark.parametrize("name", ["pot bins", "odds", "cards too"])
def test_playouts_of_an_abstract_tree_are_those_of_the_full_one(tree, name):
    small = abstracted(tree, PRODUCTS[name] * buckets(ComboBuckets(2, np.arange(1326) & 1)))
    groups = small.buckets
    length = int(small.tree.rows([group.count for group in groups]).start[-1])
    table = np.random.default_rng(5).random(length).astype(np.float32)
    options = {"seed": 9, "buckets": groups, "payoffs": True, "trace": True}
    few = play(small.tree, 3000, policy=table, **options)
    many = play(tree, 3000, policy=spread(small, table, groups), **options)
    assert (few.path == many.path).all()
    assert (few.payoffs == many.payoffs).all()
    assert few.sums.tolist() == many.sums.tolist()
    assert (few.cards == many.cards).all()


def test_different_amounts_behind_the_same_slots_share_a_row():
    tree = TREES["heads-up"]
    small = abstracted(tree, seat * pot(2)).tree
    acts = decisions(tree)
    amounts = {}
    for node in acts:
        where = tuple(small.nodes.node[node, [STREET, ROW]].tolist())
        offer = [int(tree.nodes.label[child]) for child in tree.children(node)]
        amounts.setdefault(where, set()).add(tuple(label for label in offer if label >= 0))
    assert max(map(len, amounts.values())) > 3
    for offers in amounts.values():
        assert len({len(offer) for offer in offers}) == 1


def test_numbers_of_classes():
    white = betting_tree(load("river-of-blood"), "ep-white")
    found = abstracted(white, PRESETS["ep-white"].features)
    assert found.tree.size.decisions == (51, 80, 80, 80, 80)
    assert [group.count for group in found.buckets] == [1, 2, 2, 2, 2]
    assert found.infosets == (51, 160, 160, 160, 160)
    text = found.describe()
    assert "118,932 decisions in 371 classes, 691 information sets" in text
    assert "flop            3,896 decisions in 80 classes, times 2 buckets" in text


def test_the_colour_counts_on_the_run_of_ep_white():
    preset = PRESETS["ep-white"]
    game = load("river-of-blood", stack=20)
    tree = betting_tree(game, preset.bets, repeat_from=preset.repeat_from)
    found = abstracted(tree, preset.features)
    assert [group.count for group in found.buckets] == [1, 2, 2, 2, 2, 2, 2, 2, 2]
    boards = [0, 3, 4, 5, 6, 7, 8, 9]
    looked_at = [OfBoard(cards) for cards in boards]
    hands = abstracted(tree, preset.features * buckets(*looked_at, ONE_BUCKET))
    assert [group.count for group in hands.buckets] == [3, 6, 6, 6, 6, 6, 6, 6, 2]
    by_default = betting_tree(game, preset.bets)
    assert [group.count for group in abstracted(by_default, colour()).buckets] == [1, 2, 2, 2, 2]
    with pytest.raises(OptionError, match=r"street 4.*6.*repeat_from=8"):
        abstracted(by_default, preset.features * buckets(*looked_at))
    with pytest.raises(OptionError, match=r"street 8.*9.*repeat_from=8"):
        abstracted(tree, preset.features * buckets(*looked_at))


def test_a_table_of_the_flop_does_not_go_on():
    tree = betting_tree(load("nlhe", stack=9), "a; cap 1")
    with pytest.raises(OptionError, match=r"3 board.*street 2.*4"):
        abstracted(tree, buckets(OfBoard(0), OfBoard(3)))
    assert len(abstracted(tree, buckets(*map(OfBoard, (0, 3, 4, 5)))).buckets) == 4


def test_colour_looks_at_the_newest_card_of_each_street():
    tree = betting_tree(load("river-of-blood", stack=9), "a; cap 1", repeat_from=6)
    groups = abstracted(tree, colour()).buckets
    played = play(tree, 2000, buckets=groups, trace=True, seed=4)
    bucket = np.zeros((2000, 2, tree.streets), dtype=np.uint32)
    for number, group in enumerate(groups):
        group.fill(played.cards, number, bucket)
    red = np.isin(played.cards & 3, [1, 2])
    assert (bucket[:, :, 0] == 0).all()
    for number, column in enumerate((6, 7, 8, 9, 10, 11), 1):
        assert (bucket[:, 0, number] == red[:, column]).all()
        assert (bucket[:, 1, number] == red[:, column]).all()
    assert on_board(groups[6], 10).column == 13  # the street that repeats, with more cards
    assert on_board(groups[5], 10) is groups[5]
    # A street past the river follows exactly where the card before it is red.
    for path, colours in zip(played.path, bucket[:, 0], strict=True):
        streets = {int(tree.nodes.node[node, STREET]) for node in path if node >= 0}
        if 4 in streets:
            assert colours[3] == 1


def test_mistakes_are_named():
    tree = TREES["toy"]
    with pytest.raises(OptionError, match=r"pot\(20\)"):
        abstracted(tree, "street")
    line = KeyedLine.start(AbstractBetting(tree.game, tree.menu, tree.repeat_from))
    with pytest.raises(OptionError, match=r"999.*RaiseTo\(20\)"):
        line.after(RaiseTo(999))
    with pytest.raises(OptionError, match="the board decides nothing here"):
        line.run_on(True)
    over = line.after(line.offered[0])
    assert over.actor == kinds.UNCONTESTED
    with pytest.raises(OptionError, match="nobody is to act here"):
        over.situations  # noqa: B018


def test_street_and_actions_are_always_factors():
    assert playable(ONE) == street * actions
    assert playable(seat * actions) == seat * actions * street
