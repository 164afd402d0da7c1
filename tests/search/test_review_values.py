"""Values of reviewed decisions, beside values that are computed exactly."""

import numpy as np
import pytest

from helpers.solved_spots import river, turn
from naive.postflop.best_play import best_play
from tiltless.abstraction.cards.buckets import ONE_BUCKET, PREFLOP_CLASSES
from tiltless.blueprint.locate import Locator
from tiltless.blueprint.tree import betting_tree
from tiltless.cards.card import CLASS_OF_COMBO, COMBO_CARDS, combo_index, parse_cards
from tiltless.cards.hand_equity import hand_equities
from tiltless.cards.matchups import edges_against_all
from tiltless.cards.ranges import Range
from tiltless.games import load
from tiltless.games.game import CHANCE
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.kernels.blueprint.nodes import ACTIONS, FIRST
from tiltless.kernels.postflop.street import AVERAGE, BEST
from tiltless.postflop.node import find_node
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import Spot
from tiltless.search.early_streets import EarlyStreets
from tiltless.search.playouts import Continuation
from tiltless.search.solved import Subgame


def decisions(node):
    """All decisions of a street from a node on."""
    if node.actor >= 0:
        yield node
        for action in node.actions:
            yield from decisions(node.after(action))


@pytest.mark.parametrize("player", [0, 1])
def test_values_on_the_river_are_those_of_best_play(player):
    solver = river()
    subgame = Subgame(solver, "fixed-range", 1.0, 0.0)
    count = 0
    for node in decisions(find_node(solver)):
        if node.actor != player:
            continue
        for combo in node.combos(player)[::7].tolist():
            found = subgame.best_values(node, combo)
            assert found == pytest.approx(best_play(solver, node.moves, combo), abs=2e-3)
            count += 1
    assert count > 20


def test_values_on_the_turn_and_of_a_hand_outside_the_range():
    solver = turn()
    subgame = Subgame(solver, "fixed-range", 1.0, 0.0)
    for hand in ("KhTh", "5c4c"):  # the second is in nobody's range
        found = subgame.best_values(find_node(solver), combo_index(hand))
        assert found == pytest.approx(best_play(solver, (), combo_index(hand)), abs=2e-3)


def test_against_hardly_any_hand_there_are_no_values():
    spot = Spot("Jh8d4c2s2h", "AsAh, KsKh:5e-7", "AsAd, QcQd", pot=10, stack=20, bets="a")
    solver = PostflopSolver(spot)
    solver.run(2)
    subgame, node = Subgame(solver, "fixed-range", 1.0, 0.0), find_node(solver, "x")
    aces, queens = combo_index("AsAd"), combo_index("QcQd")
    assert subgame.best_values(node, aces) == []
    assert subgame.values_at(node, aces) == [0.0, 0.0]
    assert len(subgame.best_values(node, queens)) == len(subgame.values_at(node, queens)) == 2


@pytest.mark.parametrize("solved", [river, turn])
def test_actions_of_the_solution_cost_its_exploitability(solved):
    """Added up over a street, exactly what a best response wins more."""
    solver = solved()
    subgame, lost = Subgame(solver, "fixed-range", 1.0, 0.0), [0.0, 0.0]
    pairs = 0.0
    for node in decisions(find_node(solver)):
        player = node.actor
        others = node.others(player)
        for combo in node.combos(player).tolist():
            weight = node.reaches[player][combo] * others[combo]
            if weight > 0 and (values := subgame.best_values(node, combo)):
                costs = max(values) - np.array(values)
                lost[player] += weight * float(node.strategy[combo] @ costs)
        if not node.moves:
            pairs = float(node.reaches[player] @ others)
    for player in (0, 1):
        held = solver.boards[0].combos[0][player]
        start = solver.start(player)[: len(held)]
        best, mean = (
            float(start @ solver.root_values(player, mode)[: len(held)]) for mode in (BEST, AVERAGE)
        )
        if solved is river:
            assert lost[player] == pytest.approx(best - mean, rel=1e-3, abs=1e-3)
        else:  # after the turn's decisions best play goes on
            assert 0 < lost[player] <= best - mean + 1e-3
    whole = 100 * sum(lost) / 2 / pairs / solver.spot.pot
    assert whole <= solver.exploitability() + 1e-3


# --- playouts ---------------------------------------------------------------------------------

GAME = load("nlhe", seats=2, stack="5bb")
TREE = betting_tree(GAME, "a / a")
BUCKETS = [PREFLOP_CLASSES, ONE_BUCKET, ONE_BUCKET, ONE_BUCKET]
ROWS = TREE.rows([group.count for group in BUCKETS])


@pytest.fixture(scope="module")
def table():
    weights = np.random.default_rng(1).integers(1, 100, int(ROWS.start[-1])).astype(np.uint8)
    weights.flags.writeable = False
    return weights


def chances(table, node, bucket):
    record = TREE.nodes.node[node]
    street, width = int(record[1]), int(record[ACTIONS])
    begin = int(ROWS.start[street]) + int(record[4]) * int(ROWS.buckets[street]) + bucket * width
    return table[begin : begin + width] / table[begin : begin + width].sum()


@pytest.mark.parametrize("hand", ["AsAd", "7h2c"])
def test_a_shove_before_the_flop(table, hand):
    """Exactly: the blinds where they fold, the equity of all chips where they call."""
    child = int(TREE.nodes.node[0, FIRST]) + 2
    others = np.random.default_rng(3).random(1326)
    cards = parse_cards(hand)
    free = ~np.isin(COMBO_CARDS, cards).any(axis=1)
    weights = np.where(free, others, 0)
    calls = np.array([chances(table, child, int(bucket))[1] for bucket in CLASS_OF_COMBO])
    caught = weights * calls
    equity = caught @ (1 + edges_against_all(combo_index(hand), ())) / 2 / caught.sum()
    exact = ((weights - caught).sum() * 2 + caught.sum() * (20 * equity - 10)) / weights.sum()
    played = Continuation(TREE, table, BUCKETS).payoffs([child], 0, cards, (), others, 100_000, 7)
    error = played.std() / np.sqrt(played.size)
    assert played.mean() == pytest.approx(exact, abs=4 * error)
    assert error < 0.04


def test_early_values_of_a_flop_at_another_table(table):
    """A bet on a flop with blinds five times as large; values are in its chips, relative to a fold.

    The tree's only bet is all-in, and a smaller one is read as partly that and partly a check.
    """
    game = load("nlhe", seats=2, stack=50, blinds=(5, 10))
    state = game.start(0)
    todo = [CALL, CHECK]
    deals = iter([parse_cards("KdKh"), parse_cards("7c7d"), parse_cards("Ks8h2c")])
    while todo or state.actor == CHANCE:
        state = state.apply(next(deals) if state.actor == CHANCE else todo.pop(0))
    view = state.view(state.actor)
    assert view.street == 1
    early = EarlyStreets(Continuation(TREE, table, BUCKETS), Locator(TREE).locate, 40_000)
    shove, bet = RaiseTo(40), RaiseTo(20)
    others = np.ones(1326)
    found = early.values(view, bet, others, 1)
    assert found.actions == (CHECK, shove, bet)
    mean = {each: value[0] for each, value in zip(found.actions, found.estimate.means, strict=True)}
    error = dict(zip(found.actions, (value[1] for value in found.estimate.means), strict=True))
    assert min(mean[CHECK], mean[shove]) < mean[bet] < max(mean[CHECK], mean[shove])
    hand = combo_index(view.cards)
    board = parse_cards("Ks8h2c")
    equity = hand_equities(Range("7c7d"), Range.random(), board=board)[hand]
    node = Locator(TREE).locate(view)[0].node
    child = int(TREE.nodes.node[node, FIRST]) + 1
    called = chances(table, child, 0)[1]
    exact = (1 - called) * 20 + called * (100 * equity - 40)
    assert mean[shove] == pytest.approx(exact, abs=4 * error[shove])


def test_folds_are_worth_nothing_and_the_same_deals_are_played(table):
    state = GAME.start(0)
    for cards in ("AsAd", "KdKh"):
        state = state.apply(parse_cards(cards))
    view = state.view(0)
    early = EarlyStreets(Continuation(TREE, table, BUCKETS), Locator(TREE).locate, 500)
    found = early.values(view, FOLD, np.ones(1326), 1)
    assert dict(zip(found.actions, found.estimate.means, strict=True))[FOLD] == (0, 0)
    assert found.estimate.best != found.actions.index(FOLD)
    assert found.estimate.cost.mean > 0
    assert found == early.values(view, FOLD, np.ones(1326), 1)
    threads = Continuation(TREE, table, BUCKETS, threads=2)
    assert found == EarlyStreets(threads, Locator(TREE).locate, 500).values(
        view, FOLD, np.ones(1326), 1
    )
