"""Places: moves, real cards, and vectors of all combos that fit together."""

from dataclasses import replace

import numpy as np
import pytest

from tiltless.cards.card import COMBO_CARDS, parse_card
from tiltless.cards.suits import swap_combos
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.kernels.postflop.street import BEST, SHOWDOWN, STREET_END
from tiltless.kernels.postflop.street import FOLD as FOLD_NODE
from tiltless.postflop.node import find_node
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import Spot

TURN = Spot("QsJh2h8s", "QQ+, AKs:0.5, 87s, 54s", "88+, AQs+, 76s", 20, 90, "50%; cap 2")
FLOP = replace(TURN, board="QsJs2s", bets="flop: 50%; turn: none; river: a; cap 1")
CALLED = (CHECK, RaiseTo(10), CALL)


@pytest.fixture(scope="module", params=[TURN, FLOP], ids=["turn", "flop"])
def solver(request):
    solver = PostflopSolver(request.param)
    solver.run(15)
    return solver


def disjoint(weights, board):
    return weights * ~np.isin(COMBO_CARDS, board).any(axis=1)


def value(node, player, mode=2):
    """What a player wins from a node on, over all pairs of hands of the spot."""
    return float(node.reaches[player] @ node.cfv(player, mode)) / node.solver.spot.pairs


def test_the_root(solver):
    node, spot = find_node(solver), solver.spot
    assert (node.actor, node.pot, node.board) == (1, spot.pot, spot.board)
    assert node.actions == (CHECK, RaiseTo(10))
    for player in (0, 1):
        assert np.array_equal(node.reaches[player], spot.weights[player])
        assert value(node, player) == pytest.approx(solver.values()[player], abs=1e-4)
        assert spot.weights[player] @ node.others(player) == pytest.approx(spot.pairs)


def test_strategies_are_shares_of_the_hands_there_are(solver):
    for moves in [(), (CHECK,), (CHECK, RaiseTo(10)), (*CALLED, parse_card("4d"))]:
        node = find_node(solver, moves)
        held = np.zeros(1326, bool)
        held[node.combos(node.actor)] = True
        assert node.strategy[held].sum(axis=1) == pytest.approx(1)
        assert not node.strategy[~held].any()
        weights = disjoint(solver.spot.weights[node.actor], node.board)
        assert np.array_equal(held, weights > 0)


@pytest.mark.parametrize("moves", [(), (CHECK,), (RaiseTo(10),), (*CALLED, parse_card("9c"))])
def test_worth_adds_up_over_actions(solver, moves):
    node = find_node(solver, moves)
    for player in (0, 1):
        after = [node.after(action) for action in node.actions]
        parts = np.array([there.cfv(player) for there in after])
        if player == node.actor:
            total = (node.strategy.T * parts).sum(axis=0)
        else:
            total = parts.sum(axis=0)
        scale = np.abs(total).max()
        assert np.abs(total - node.cfv(player)).max() < 1e-5 * scale
        best = np.array([there.cfv(player, BEST) for there in after])
        best = best.max(axis=0) if player == node.actor else best.sum(axis=0)
        assert np.abs(best - node.cfv(player, BEST)).max() < 1e-5 * np.abs(best).max()


@pytest.mark.parametrize("moves", [CALLED, (CHECK, CHECK)])
def test_worth_adds_up_over_cards(solver, moves):
    """Real cards, of which one stands for several in the solver."""
    node = find_node(solver, moves)
    assert node.actor == STREET_END
    cards = node.cards_to_come()
    assert len(cards) == 52 - len(node.board)
    for player in (0, 1):
        total = sum(node.after(card).cfv(player) for card in cards) / (len(cards) - 4)
        scale = np.abs(total).max()
        assert np.abs(total - node.cfv(player)).max() < 1e-5 * scale


def test_the_last_street_of_a_flop_adds_up():
    solver = PostflopSolver(FLOP)
    solver.run(5)
    for turn in ("4c", "4d", "4h", "Ks"):
        node = find_node(solver, (*CALLED, parse_card(turn), CHECK, CHECK))
        cards = node.cards_to_come()
        for player in (0, 1):
            total = sum(node.after(card).cfv(player) for card in cards) / 44
            assert np.abs(total - node.cfv(player)).max() < 1e-5 * np.abs(total).max()
            reach = node.reaches[1 - player]
            for card in cards[::9]:
                there = node.after(card)
                assert np.array_equal(there.reaches[1 - player], disjoint(reach, there.board))


def test_suits_that_may_be_exchanged_are(solver):
    """The same turn or river in another suit: the same play with suits exchanged."""
    one, two = (find_node(solver, (*CALLED, parse_card(card))) for card in ("4c", "4d"))
    assert (one.board_index, one.index) == (two.board_index, two.index)
    there = swap_combos(0, 1)
    assert np.array_equal(one.strategy, two.strategy[there])
    for player in (0, 1):
        assert np.array_equal(one.cfv(player), two.cfv(player)[there])
        assert one.reaches[player] == pytest.approx(two.reaches[player][there], abs=1e-4)
    assert one.board[-1] != two.board[-1]


def test_reaches_multiply_along_the_way(solver):
    card = parse_card("9d")
    node = find_node(solver, (*CALLED, card))
    ip, oop = (disjoint(weights, node.board) for weights in solver.spot.weights)
    oop = oop * find_node(solver).strategy[:, 0]
    ip = ip * find_node(solver, (CHECK,)).strategy[:, 1]
    oop = oop * find_node(solver, (CHECK, RaiseTo(10))).strategy[:, 1]
    assert node.reaches[0] == pytest.approx(ip)
    assert node.reaches[1] == pytest.approx(oop)
    assert node.pot == 40
    pairs = 0.0
    for i in np.flatnonzero(ip):
        apart = ~np.isin(COMBO_CARDS, COMBO_CARDS[i]).any(axis=1)
        assert node.others(0)[i] == pytest.approx(oop @ apart, abs=1e-9)
        pairs += ip[i] * (oop @ apart)
    assert node.reaches[1] @ node.others(1) == pytest.approx(pairs)


def test_ends_and_moves_that_are_not_there(solver):
    assert find_node(solver, (CHECK, RaiseTo(10), FOLD)).actor == FOLD_NODE
    node = find_node(solver)
    with pytest.raises(OptionError, match=r"raise to 11 .*check"):
        node.after(RaiseTo(11))
    with pytest.raises(OptionError, match="4c"):
        node.after(parse_card("4c"))
    over = find_node(solver, (CHECK, CHECK))
    with pytest.raises(OptionError, match=r"check .*card"):
        over.after(CHECK)
    with pytest.raises(OptionError, match="Qs"):
        over.after(parse_card("Qs"))
    river = over
    while river.actor != SHOWDOWN:
        river = river.after(river.cards_to_come()[0] if river.actor == STREET_END else CHECK)
    with pytest.raises(OptionError, match="hand is over"):
        river.after(CHECK)
    assert river.actions == ()


def test_folding_is_worth_what_was_paid(solver):
    node = find_node(solver, (CHECK, RaiseTo(10), FOLD))
    for player, wins in ((0, 10), (1, -10)):
        held = node.combos(player)
        found = node.cfv(player)[held]
        assert found == pytest.approx(wins * node.others(player)[held], abs=1e-3)
