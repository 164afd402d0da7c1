"""Hands left out of a subgame: which, and what they play."""

import numpy as np
import pytest

from tiltless.cards.card import COMBO_CARDS, combo_index, parse_cards
from tiltless.cards.ranges import Range
from tiltless.games.holdem.actions import CHECK
from tiltless.kernels.postflop.street import BEST
from tiltless.postflop.node import find_node
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP, Spot
from tiltless.search.left_out import kept_ranges
from tiltless.search.streets import StreetStart
from tiltless.search.subgame import solve_subgame, subgame_spot

RIVER, TURN = "Ks7d2c5h9s", "Ks7d2c5h"
SIZES = "75%, a / a; force 15%"


def ranges(seed=3):
    """Two ranges in which about half of the hands have next to no weight."""
    rng = np.random.default_rng(seed)
    weights = rng.random((2, 1326))
    weights[rng.random((2, 1326)) < 0.5] *= 1e-3
    return weights


def solved(board, searcher, iterations=60, least=0.002):
    start = StreetStart(tuple(parse_cards(board)), 20, 60, 2)
    spot = subgame_spot(start, *ranges(), SIZES, searcher, least)
    return solve_subgame(spot, (), searcher, iterations=iterations)


@pytest.mark.parametrize("searcher", [IP, OOP])
def test_only_our_own_rare_hands_are_left_out(searcher):
    weights = ranges()
    weights[:, 500] = 0
    board = tuple(parse_cards(RIVER))
    blocked = np.isin(COMBO_CARDS, board).any(axis=1)
    kept = kept_ranges(board, *weights, searcher, 0.002)
    for player, mine in enumerate(weights):
        assert not kept[player][blocked].any()
        most = mine[~blocked].max()
        some = (mine >= 0.002 * most) & ~blocked if player == searcher else ~blocked
        assert ((kept[player] > 0) == some).all()
        assert kept[player][some] == pytest.approx(np.maximum(mine[some] / most, 1e-5))
    every = kept_ranges(board, *weights)
    assert all(((each > 0) == ~blocked).all() for each in every)


def test_all_are_kept_if_the_others_cannot_meet_the_opponent():
    one, two = np.zeros(1326), np.zeros(1326)
    one[combo_index(parse_cards("AsAh"))] = two[combo_index(parse_cards("AsAd"))] = 1
    kept = kept_ranges(tuple(parse_cards(RIVER)), one, two, IP)
    assert [np.count_nonzero(each) for each in kept] == [1081, 1081]


@pytest.mark.parametrize(
    ("board", "player"),
    [(RIVER, IP), (RIVER, OOP), pytest.param(TURN, OOP, marks=pytest.mark.slow)],
)
def test_they_play_a_best_response(board, player):
    """Their values are those of a best response in a tree that has all hands."""
    few = solved(board, player, iterations=20)
    whole = PostflopSolver(
        Spot(
            board,
            **{
                name: Range.from_weights(w) for name, w in zip(("ip", "oop"), ranges(), strict=True)
            },
            pot=20,
            stack=60,
            bets=SIZES,
            big_blind=2,
        )
    )
    # the same strategies of the kept hands; others have weight 0
    for street, forest in enumerate(few.solver.forests):
        for at in range(len(few.solver.boards[street])):
            theirs = few.solver.boards[street].combos[at]
            mine = whole.boards[street].combos[at]
            assert whole.boards[street].boards[at] == few.solver.boards[street].boards[at]
            for node in np.flatnonzero(forest.forest.node[:, 0] >= 0).tolist():
                actor = int(forest.forest.node[node, 0])
                where = [mine[actor].tolist().index(combo) for combo in theirs[actor].tolist()]
                whole.rows(whole.tables.average, street, at, node)[:, where] = few.solver.rows(
                    few.solver.tables.average, street, at, node
                )[:, : len(where)]
    for each in (IP, OOP):
        combos = whole.boards[0].combos[0][each]
        whole.start(each)[: len(combos)] = few.solver.spot.weights[each][combos]
    combos = whole.boards[0].combos[0][player]
    expected = whole.cfv(0, 0, player, BEST)[:, : len(combos)]
    found = few.responses(player)[:, combos]
    assert found == pytest.approx(expected, abs=1e-4 * float(abs(expected).max()))
    for line in ((), (CHECK,)):
        node = find_node(few.solver, line)
        strategy = few.strategy_at(node)
        free = ~np.isin(COMBO_CARDS, node.board).any(axis=1)
        assert strategy[free].sum(axis=1) == pytest.approx(1)
        assert not strategy[~free].any()
        if node.actor != player:
            continue
        out = np.setdiff1d(combos, node.combos(player))
        assert len(out) > 100
        for combo in out[::50].tolist():
            values = few.values_at(node, combo)
            assert values[int(strategy[combo].argmax())] == pytest.approx(max(values), abs=1e-3)
            assert strategy[combo].max() == 1
