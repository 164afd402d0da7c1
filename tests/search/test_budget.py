"""Trees that are counted before they are built."""

import pytest

from tiltless.abstraction.bets.menu import TableMenu
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CHECK, RaiseTo
from tiltless.postflop import memory as range_cost
from tiltless.postflop.betting_forest import nodes_dealt
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, Spot
from tiltless.search import budget as size
from tiltless.search.budget import TooLargeError, affordable, check_memory_for, grow_forests
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
    forests, solver = grow_forests(some, line), PostflopSolver(some, played=line)
    assert nodes_dealt(forests) == solver.cost.nodes
    assert [made.action for made in forests] == [made.action for made in solver.forests]
    grow_forests(some, line, solver.cost.nodes)
    with pytest.raises(TooLargeError):
        grow_forests(some, line, solver.cost.nodes - 1)


@pytest.mark.parametrize("board", ["Ks7d2c9h", "Ks7d2c9h4s"])
def test_hopeless_trees_are_not_grown_to_the_end(board, monkeypatch):
    asked, offers = [], TableMenu.actions
    monkeypatch.setattr(TableMenu, "actions", lambda *given: asked.append(1) or offers(*given))
    with pytest.raises(TooLargeError, match="5,000 nodes"):
        grow_forests(spot(board, HOPELESS, stack=1986), (), 5000)
    assert len(asked) < 5000


def test_hopeless_trees_are_never_begun(monkeypatch):
    monkeypatch.setattr(range_cost, "street_forests", None)
    monkeypatch.setattr(range_cost, "_that_fits", None)
    with pytest.raises(TooLargeError, match="40,000 nodes"):
        solve_subgame(spot("Ks7d2c9h", HOPELESS), (), IP, seconds=2, most=affordable(2))


def test_memory_is_asked_for_large_trees_only(monkeypatch):
    monkeypatch.setattr(size, "free_memory", lambda: 50e6)
    small, large = spot("Ks7d2c9h4s", "50%, a"), spot("Ks7d2c9h", "75%, a / a; force 15%")
    check_memory_for(small, grow_forests(small))
    with pytest.raises(OptionError, match="3,237 nodes") as caught:
        solve_subgame(large, (), IP, iterations=1)
    assert not isinstance(caught.value, TooLargeError)  # more time would not help


def test_more_time_affords_more():
    assert affordable(0.5) < affordable(2) < affordable(None)
    assert affordable(100) == affordable(None)
