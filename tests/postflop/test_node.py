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


def value(place, player, mode=2):
    """What a player wins from a place on, over all pairs of hands of the spot."""
    return float(place.reaches[player] @ place.cfv(player, mode)) / place.solver.spot.pairs


def test_the_root(solver):
    place, spot = find_node(solver), solver.spot
    assert (place.actor, place.pot, place.board) == (1, spot.pot, spot.board)
    assert place.actions == (CHECK, RaiseTo(10))
    for player in (0, 1):
        assert np.array_equal(place.reaches[player], spot.weights[player])
        assert value(place, player) == pytest.approx(solver.values()[player], abs=1e-4)
        assert spot.weights[player] @ place.others(player) == pytest.approx(spot.pairs)


def test_strategies_are_shares_of_the_hands_there_are(solver):
    for moves in [(), (CHECK,), (CHECK, RaiseTo(10)), (*CALLED, parse_card("4d"))]:
        place = find_node(solver, moves)
        held = np.zeros(1326, bool)
        held[place.combos(place.actor)] = True
        assert place.strategy[held].sum(axis=1) == pytest.approx(1)
        assert not place.strategy[~held].any()
        weights = disjoint(solver.spot.weights[place.actor], place.board)
        assert np.array_equal(held, weights > 0)


@pytest.mark.parametrize("moves", [(), (CHECK,), (RaiseTo(10),), (*CALLED, parse_card("9c"))])
def test_worth_adds_up_over_actions(solver, moves):
    place = find_node(solver, moves)
    for player in (0, 1):
        after = [place.after(action) for action in place.actions]
        parts = np.array([there.cfv(player) for there in after])
        if player == place.actor:
            total = (place.strategy.T * parts).sum(axis=0)
        else:
            total = parts.sum(axis=0)
        scale = np.abs(total).max()
        assert np.abs(total - place.cfv(player)).max() < 1e-5 * scale
        best = np.array([there.cfv(player, BEST) for there in after])
        best = best.max(axis=0) if player == place.actor else best.sum(axis=0)
        assert np.abs(best - place.cfv(player, BEST)).max() < 1e-5 * np.abs(best).max()


@pytest.mark.parametrize("moves", [CALLED, (CHECK, CHECK)])
def test_worth_adds_up_over_cards(solver, moves):
    """Real cards, of which one stands for several in the solver."""
    place = find_node(solver, moves)
    assert place.actor == STREET_END
    cards = place.cards_to_come()
    assert len(cards) == 52 - len(place.board)
    for player in (0, 1):
        total = sum(place.after(card).cfv(player) for card in cards) / (len(cards) - 4)
        scale = np.abs(total).max()
        assert np.abs(total - place.cfv(player)).max() < 1e-5 * scale


def test_the_last_street_of_a_flop_adds_up():
    solver = PostflopSolver(FLOP)
    solver.run(5)
    for turn in ("4c", "4d", "4h", "Ks"):
        place = find_node(solver, (*CALLED, parse_card(turn), CHECK, CHECK))
        cards = place.cards_to_come()
        for player in (0, 1):
            total = sum(place.after(card).cfv(player) for card in cards) / 44
            assert np.abs(total - place.cfv(player)).max() < 1e-5 * np.abs(total).max()
            reach = place.reaches[1 - player]
            for card in cards[::9]:
                there = place.after(card)
                assert np.array_equal(there.reaches[1 - player], disjoint(reach, there.board))


def test_suits_that_may_be_exchanged_are(solver):
    """The same turn or river in another suit: the same play with suits exchanged."""
    one, two = (find_node(solver, (*CALLED, parse_card(card))) for card in ("4c", "4d"))
    assert (one.number, one.node) == (two.number, two.node)
    there = swap_combos(0, 1)
    assert np.array_equal(one.strategy, two.strategy[there])
    for player in (0, 1):
        assert np.array_equal(one.cfv(player), two.cfv(player)[there])
        assert one.reaches[player] == pytest.approx(two.reaches[player][there], abs=1e-4)
    assert one.board[-1] != two.board[-1]


def test_reaches_multiply_along_the_way(solver):
    card = parse_card("9d")
    place = find_node(solver, (*CALLED, card))
    ip, oop = (disjoint(weights, place.board) for weights in solver.spot.weights)
    oop = oop * find_node(solver).strategy[:, 0]
    ip = ip * find_node(solver, (CHECK,)).strategy[:, 1]
    oop = oop * find_node(solver, (CHECK, RaiseTo(10))).strategy[:, 1]
    assert place.reaches[0] == pytest.approx(ip)
    assert place.reaches[1] == pytest.approx(oop)
    assert place.pot == 40
    pairs = 0.0
    for i in np.flatnonzero(ip):
        apart = ~np.isin(COMBO_CARDS, COMBO_CARDS[i]).any(axis=1)
        assert place.others(0)[i] == pytest.approx(oop @ apart, abs=1e-9)
        pairs += ip[i] * (oop @ apart)
    assert place.reaches[1] @ place.others(1) == pytest.approx(pairs)


def test_ends_and_moves_that_are_not_there(solver):
    assert find_node(solver, (CHECK, RaiseTo(10), FOLD)).actor == FOLD_NODE
    place = find_node(solver)
    with pytest.raises(OptionError, match="raise to 11 is not in the tree here; there is check"):
        place.after(RaiseTo(11))
    with pytest.raises(OptionError, match="street is not over"):
        place.after(parse_card("4c"))
    over = find_node(solver, (CHECK, CHECK))
    with pytest.raises(OptionError, match="there is a card"):
        over.after(CHECK)
    with pytest.raises(OptionError, match="Qs is on"):
        over.after(parse_card("Qs"))
    river = over
    while river.actor != SHOWDOWN:
        river = river.after(river.cards_to_come()[0] if river.actor == STREET_END else CHECK)
    with pytest.raises(OptionError, match="hand is over"):
        river.after(CHECK)
    assert river.actions == ()


def test_folding_is_worth_what_was_paid(solver):
    place = find_node(solver, (CHECK, RaiseTo(10), FOLD))
    for player, wins in ((0, 10), (1, -10)):
        held = place.combos(player)
        found = place.cfv(player)[held]
        assert found == pytest.approx(wins * place.others(player)[held], abs=1e-3)
