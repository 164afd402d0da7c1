"""Spots of River of Blood: rivers, and boards of the run."""

from dataclasses import replace

import numpy as np
import pytest

from naive.postflop.values import values
from tiltless.cards.card import COMBO_CARDS, SUITS, parse_cards
from tiltless.cards.evaluate import evaluate
from tiltless.cards.ranges import Range
from tiltless.cards.run_boards import rank_run_boards
from tiltless.errors import CardError, OptionError
from tiltless.postflop.boards import board_sets
from tiltless.postflop.node import find_node
from tiltless.postflop.run_spot import RunSpot
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP, Spot

RED = RunSpot(
    "QdJh2h8d3h",
    oop="AsAc, Ts9s, Tc9c, KhTh, 7s7c:0.5",
    ip="KsKc, AhQs, AhQc, 9d7s, 9d8c",
    pot=20,
    stack=40,
    bets="100%, a / a; river: 100%, a / a",
)
LONG = replace(RED, board="QdJc2h8d3h5h4d6h6dAd")
BLACK = replace(RED, board="QdJh2h8d3c")


def every_hand(board, seed=1):
    free = ~np.isin(COMBO_CARDS, parse_cards(board)).any(axis=1)
    rng = np.random.default_rng(seed)
    return [Range.from_weights(np.where(free, rng.random(1326), 0)) for _ in (0, 1)]


@pytest.mark.parametrize(
    "spot", [RED, replace(RED, bets_after=True), LONG], ids=["red", "bets after", "long"]
)
def test_values_are_those_of_an_enumeration_of_all_pairs_and_next_cards(spot):
    solver = PostflopSolver(spot)
    solver.run(20)
    for player in (IP, OOP):
        node = find_node(solver)
        lost = spot.pot / 2
        found, others = node.cfv(player), node.others(player)
        expected = values(solver, (), player)
        assert len(expected) >= 3
        for combo, (chips, _) in expected.items():
            assert found[combo] / others[combo] + lost == pytest.approx(chips, abs=2e-4)


@pytest.mark.parametrize("board", [RED.board, LONG.board, "QdJh2h8d3h4c"])
def test_exploitability_falls_with_every_hand(board):
    ip, oop = every_hand(board)
    spot = RunSpot(board, oop=oop, ip=ip, pot=40, stack=360, bets="75%, a / a")
    solver, found = PostflopSolver(spot), []
    for iterations in (5, 15, 60):
        solver.run(iterations)
        found.append(solver.exploitability())
    assert found[0] > 3 * found[1] > 9 * found[2]
    assert found[2] < 0.6


def test_a_black_river_is_a_river():
    ip, oop = every_hand(BLACK.board)
    given = {"oop": oop, "ip": ip, "pot": 40, "stack": 360, "bets": "75%, a / a"}
    spots = Spot(BLACK.board, **given), RunSpot(BLACK.board, **given)
    solvers = [PostflopSolver(spot) for spot in spots]
    for solver in solvers:
        solver.run(10)
    assert (solvers[0].tables.average == solvers[1].tables.average).all()


def test_without_later_bets_hands_are_shown_on_each_next_board():
    top, after = board_sets(RED)
    solver = PostflopSolver(RED)
    assert solver.forests[1].decisions == 0
    assert solver.forests[1].nodes == len(solver.forests[0].forest.next)
    cards = [card for some in after.images for card in some]
    assert sorted(cards) == [card for card in range(52) if card not in top.boards[0]]
    assert float(after.arrays.share) == pytest.approx(1 / (52 - 5 - 4))


def test_only_suits_of_one_colour_are_alike():
    classes = {"oop": "88+, AK", "ip": "TT+, QJ", "pot": 20, "stack": 40, "bets": "a"}
    images = board_sets(RunSpot("QdJh2h8d3h", **classes))[1].images
    assert any({SUITS[card & 3] for card in some} == {"c", "s"} for some in images)
    images = board_sets(RunSpot("QdQcJdJc3h", **classes))[1].images  # diamonds are like clubs
    assert all(len(some) == 1 for some in images)


def test_locks_must_not_part_hands_that_are_the_same():
    red = RunSpot("2dKsQc9c2h", oop="88+", ip="AK, TT", pot=20, stack=40, bets="100%")
    solver = PostflopSolver(red)
    rows = np.random.default_rng(0).random((1326, 2))
    with pytest.raises(OptionError, match="same up to suits"):  # diamonds and hearts
        solver.lock(find_node(solver), rows)
    other = PostflopSolver(replace(red, board="KcKdQsQh3h"))
    other.lock(find_node(other), rows)  # clubs and diamonds are not of one colour


def test_a_file_cannot_hold_it(tmp_path):
    with pytest.raises(OptionError, match="RunSpot cannot be saved"):
        PostflopSolver(RED).save(tmp_path / "spot")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("size", [5, 7, 8, 12, 31])
def test_values_on_long_boards(size):
    blacks, reds = ([c for c in range(52) if (SUITS[c & 3] in "dh") == red] for red in (0, 1))
    rng = np.random.default_rng(size)
    board = [*rng.permutation(blacks)[:4], *rng.permutation(reds)[: size - 5], blacks[-1]]
    board = np.array(sorted({*board}), np.uint8)  # in any order; doubles only make it shorter
    found = rank_run_boards(board[None], eval7_flushes=True)[0]
    blocked = np.isin(COMBO_CARDS, board).any(axis=1)
    assert not found[blocked].any()
    for combo in np.flatnonzero(~blocked)[::37].tolist():
        cards = [*COMBO_CARDS[combo].tolist(), *board.tolist()]
        assert found[combo] == evaluate(cards, eval7_flushes=True)


@pytest.mark.parametrize("board", ["QdJh2h8d", "QdJh2h8d3c4h", "QdJh2h8d3h4c4d"])
def test_boards_that_cannot_be(board):
    with pytest.raises(CardError):
        replace(RED, board=board)
