"""Hands of three to six seats in a betting graph: where they are found, and what is refused."""

from random import Random
from types import SimpleNamespace

import pytest

from helpers.small_six import small_graph
from tiltless.blueprint.locate import Locator
from tiltless.blueprint.multiway.graph import RATIO_STEP, BlockKey, ratio_bin
from tiltless.blueprint.multiway.graph_layout import betting_graph
from tiltless.blueprint.multiway.locate import GraphSpots
from tiltless.blueprint.multiway.menu import MultiwayMenu
from tiltless.errors import OptionError
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.betting import NOBODY
from tiltless.games.holdem.positions import position_names
from tiltless.games.registry import load
from tiltless.kernels.multiway.nodes import ACTOR, END, FIRST, LINK, PARENT

GRAPH = small_graph()
SPOTS = GraphSpots(GRAPH)
KEYS = {root: key for key, root in GRAPH.roots.items()}


def played(game, line, seed=1, button=0):
    """A state after the actions of a line; cards come by chance."""
    state, rng, line = game.start(button=button), Random(seed), list(line)
    while state.actor != TERMINAL and (line or state.actor == CHANCE):
        move = state.chance.sample(rng) if state.actor == CHANCE else line.pop(0)
        state = state.apply(move)
    assert not line
    return state


def located(state):
    return Locator(SPOTS).locate(state.view(state.actor))


def test_play_on_the_menu_is_followed_exactly():
    """Before the flop node by node; the flop's block is the one that the graph links to."""
    rng, game, locator = Random(3), load("nlhe", seats=4, stack="20bb"), Locator(SPOTS)
    record, flops, turns = GRAPH.nodes.node, 0, 0
    for hand in range(150):
        state, node, street = game.start(button=hand % 4), 0, 0
        while state.actor != TERMINAL:
            if state.actor == CHANCE:
                state = state.apply(state.chance.sample(rng))
                continue
            view = state.view(state.actor)
            (found,) = locator.locate(view)
            assert found.inside
            assert not found.priced
            assert not found.called
            if view.street > street:
                assert record[node, ACTOR] == LINK
                target = int(GRAPH.nodes.target[record[node, END]])
                if view.street == 1:
                    flops += 1
                    assert found.node == target
                else:  # a link has the ratio in the middle of its bin, the table has chips
                    turns += 1
                    stack = min(view.stacks[seat] for seat in view.live)
                    assert abs(KEYS[found.node].ratio - ratio_bin(stack, view.pot)) <= 1
                    assert KEYS[found.node]._replace(ratio=0) == KEYS[target]._replace(ratio=0)
                street, node = view.street, found.node
            assert found.node == node
            number = rng.randrange(len(found.actions))
            if found.actions[number] == FOLD and rng.random() < 0.6:
                number = 1
            node = int(record[node, FIRST]) + number
            state = state.apply(found.actions[number])
    assert flops > 50
    assert turns > 30


def test_absent_seats_have_folded():
    game = load("nlhe", seats=3, stack="20bb")
    (found,) = located(game_at := played(game, []))
    assert game_at.actor == 0  # the button acts first
    assert found.node == SPOTS.after(SPOTS.root, 0).node
    flop = played(game, [FOLD, CALL, CHECK])
    (found,) = located(flop)
    key = KEYS[found.node]
    assert (key.street, key.players, key.aggressor, key.pair) == (1, 2, NOBODY, (1, 2))
    assert key.ratio == ratio_bin(38, 4)


def test_the_raiser_and_who_is_left_choose_the_block():
    game = load("nlhe", seats=4, stack="20bb")
    state = played(game, [RaiseTo(5), FOLD, CALL, CALL])
    (found,) = located(state)
    key = KEYS[found.node]
    assert (key.street, key.players, key.aggressor, key.pair) == (1, 3, 2, None)
    state = played(game, [RaiseTo(5), FOLD, CALL, CALL, CHECK, RaiseTo(11), FOLD, CALL])
    (found,) = located(state)  # two are left, but three saw the flop
    key = KEYS[found.node]
    assert (key.street, key.players, key.aggressor, key.pair) == (2, 2, 1, None)


def test_stacks_that_differ():
    """The block has the second largest stack, or that of the player who is located if smaller."""
    game, locator = load("nlhe", seats=4, stack=(40, 30, 12, 38)), Locator(SPOTS)
    line = [CALL, CALL, CALL, CHECK, CHECK, CHECK, CHECK]
    for more, own, stack in ((0, 1, 28), (1, 2, 10), (2, 3, 36), (3, 0, 36)):
        view = played(game, line[: 4 + more]).view(own)
        assert view.actions.check
        (found,) = locator.locate(view)
        root = found.node
        while GRAPH.nodes.node[root, PARENT] >= 0:
            root = int(GRAPH.nodes.node[root, PARENT])
        wanted, key = BlockKey(1, ratio_bin(stack, 8), 4, NOBODY), KEYS[root]
        assert (key.street, key.players) == (1, 4)

        def far(key, wanted=wanted):
            return abs(key.ratio - wanted.ratio) + 5 * (key.aggressor != wanted.aggressor)

        assert far(key) == min(far(each) for each in KEYS.values() if each[::2][:2] == (1, 4))


def test_players_who_are_all_in_do_not_act_in_a_block():
    game = load("nlhe", seats=4, stack=(40, 40, 40, 9))
    state = played(game, [RaiseTo(9), CALL, FOLD, CALL])
    (found,) = located(state)
    assert KEYS[found.node].players == 2
    assert abs(KEYS[found.node].ratio - ratio_bin(31, 28)) <= 6  # with another pair or raiser


def test_bets_between_two_sizes_are_read_as_both_until_the_street_ends():
    game = load("nlhe", seats=4, stack="20bb")
    readings = located(played(game, [RaiseTo(4)]))
    assert len(readings) == 2
    assert sum(each.share for each in readings) == pytest.approx(1)
    (found,) = located(played(game, [RaiseTo(4), FOLD, FOLD, CALL]))
    assert KEYS[found.node][1:] == (ratio_bin(35, 11), 2, 1, (2, 3))  # of a raise to 5, 3 bins off


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"seats": 2}, "3 to 4 seats and the table has 2"),
        ({"seats": 5}, "3 to 4 seats and the table has 5"),
    ],
)
def test_other_tables_are_refused(options, problem):
    game = load("nlhe", **options)
    with pytest.raises(OptionError, match=problem):
        Locator(SPOTS).check_table("nlhe", game.rules)
    other = load("short-deck", seats=3)
    with pytest.raises(OptionError, match="other"):
        Locator(SPOTS).check_table("short-deck", other.rules)


@pytest.mark.parametrize(("bins", "found"), [(4, "aggressor"), (6, "ratio")])
def test_another_aggressor_is_five_bins_of_the_ratio_away(bins, found):
    wanted = BlockKey(2, 10, 3, 1)
    roots = {wanted._replace(ratio=10 + bins): "aggressor", wanted._replace(aggressor=2): "ratio"}
    spots = GraphSpots.__new__(GraphSpots)
    spots.graph, spots._blocks = SimpleNamespace(roots=roots), {}
    assert spots._nearest(wanted) == found
    assert pytest.approx(1.6, abs=0.02) == RATIO_STEP**5


def test_seats_keep_their_names_at_a_smaller_table():
    menu = MultiwayMenu.parse("a; cap 1", "none")
    locator = Locator(GraphSpots(betting_graph(load("nlhe", seats=5, stack="10bb"), menu)))
    line = []
    for name in ("CO", "BTN", "SB"):
        state = played(load("nlhe", seats=4, stack="10bb"), line)
        (found,) = locator.locate(state.view(state.actor))
        assert found.inside
        assert position_names(5)[found.tree_spot.actor] == name
        assert position_names(4)[state.actor] == name
        line.append(FOLD)
