"""Trees that are counted before they are built."""

import pytest

from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CHECK, RaiseTo
from tiltless.postflop import memory as range_cost
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, Spot
from tiltless.search import budget as size
from tiltless.search.budget import TooLargeError, affordable, check_size, tree_size
from tiltless.search.subgame import solve_subgame

HOPELESS = "25%, 50%, 75%, 100%, 150%, a"


def spot(board, bets, stack=186):
    return Spot(board, oop="22+", ip="22+", pot=28, stack=stack, bets=bets, big_blind=2)


@pytest.mark.parametrize("board", ["Ks7d2c9h", "Ks7d2c9h4s"])
@pytest.mark.parametrize(
    "bets", ["75%, a / a; force 15%", "50%, a / 50%, a | donk 30%", "a | cap 1"]
)
@pytest.mark.parametrize("line", [(), (CHECK, RaiseTo(9)), (RaiseTo(7), RaiseTo(23))])
def test_the_tree_that_is_built(board, bets, line):
    some = spot(board, bets)
    assert tree_size(some, line) == PostflopSolver(some, played=line).cost.nodes


@pytest.mark.parametrize("board", ["Ks7d2c9h", "Ks7d2c9h4s"])
def test_hopeless_trees_are_not_counted_to_the_end(board):
    some = spot(board, HOPELESS, stack=1986)
    assert 5000 < tree_size(some, (), 5000) <= 5000 + 48 * 8


def test_hopeless_trees_are_never_begun(monkeypatch):
    monkeypatch.setattr(range_cost, "street_forests", None)
    monkeypatch.setattr(range_cost, "_that_fits", None)
    with pytest.raises(TooLargeError, match="make more than 40,000 nodes"):
        solve_subgame(spot("Ks7d2c9h", HOPELESS), (), IP, seconds=2, most=affordable(2))


def test_memory_is_asked_for_large_trees_only(monkeypatch):
    monkeypatch.setattr(size, "free_memory", lambda: 50e6)
    check_size(spot("Ks7d2c9h4s", "50%, a"), ())
    with pytest.raises(OptionError, match="3,237 nodes, more than there is memory for") as caught:
        check_size(spot("Ks7d2c9h", "75%, a / a; force 15%"), ())
    assert not isinstance(caught.value, TooLargeError)  # more time would not help


def test_more_time_affords_more():
    assert affordable(0.5) < affordable(2) < affordable(None)
    assert affordable(100) == affordable(None)
