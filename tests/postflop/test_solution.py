"""One object for a solved spot."""

import numpy as np
import pytest

from tiltless.cards.card import combo_index
from tiltless.errors import CardError, OptionError, RangeError
from tiltless.postflop.node import find_node
from tiltless.postflop.solution import Solution, load_solution, solve_spot
from tiltless.postflop.spot import Spot

RIVER = Spot("QsJh2h8d3c", oop="QQ+,AK,JTs", ip="TT-88,AQ,KQs", pot=64, stack=128, bets="100%, a")


@pytest.fixture(scope="module")
def river():
    return solve_spot(RIVER, until="0.3%")


def test_it_is_solved(river):
    assert river.exploitability <= 0.3
    assert river.exploitability == pytest.approx(river.solver.exploitability())
    assert river.spot is RIVER
    assert sum(river.ev.values()) == pytest.approx(64, abs=1e-4)
    assert 100 * sum(river.gains.values()) / 2 / 64 == pytest.approx(river.exploitability, rel=1e-3)
    assert f"{river.iterations:,} iterations" in repr(river)


@pytest.mark.parametrize(("text", "number"), [("0.3%", 0.3), (" 2 % ", 2.0), (0.3, 0.3), (1, 1.0)])
def test_a_percentage_is_a_text_or_a_number(text, number):
    told = []
    solution = solve_spot(RIVER, until=text, progress=told.append)
    assert told[-1].exploitability == solution.exploitability <= number
    assert all(status.exploitability > number for status in told[:-1])


@pytest.mark.parametrize("until", ["much", "-1%", "101%", -0.1, float("nan"), None, True])
def test_other_percentages_are_refused(until):
    with pytest.raises(OptionError, match=r"until=.*0\.3%"):
        solve_spot(RIVER, until=until)


def test_iterations_and_time_are_limits():
    assert solve_spot(RIVER, until=0, iterations=30).iterations == 30
    assert solve_spot(RIVER, until=0, seconds=1e-9).iterations <= 10


def test_a_node_has_the_strategy_of_a_hand(river):
    node = river.at("x b64")
    assert (node.player, node.pot, node.line, node.board) == ("oop", 128, "x b64", "QsJh2h8d3c")
    assert node.actions == ("f", "c", "r128")
    rows = find_node(river.solver, "x b64").strategy
    for hand in ("AhKh", "QcQd"):
        expected = dict(zip(node.actions, rows[combo_index(hand)], strict=True))
        assert node.strategy(hand) == pytest.approx(expected)
        assert sum(node.strategy(hand).values()) == pytest.approx(1)


def test_a_node_has_the_strategy_of_the_range(river):
    node, report = river.at("x"), river.at("x").report()
    table = node.strategy()
    weights = report.weight[report.weight > 0]
    assert len(table) == len(weights)
    assert table["AcQc"] == node.strategy("AcQc")
    assert sum(node.frequencies.values()) == pytest.approx(1)
    assert node.frequencies == pytest.approx(
        dict(zip(report.actions, report.totals.frequencies, strict=True))
    )


def test_hands_that_are_not_there_are_refused(river):
    with pytest.raises(RangeError, match=r"7s2c .*OOP"):
        river.at("").strategy("7s2c")
    with pytest.raises(CardError, match="Qs"):
        river.at("").strategy("QsQd")
    with pytest.raises(OptionError, match="'x x'"):
        river.at("x x").strategy("AhKh")


def test_reports_are_of_who_acts_or_of_the_player_named(river):
    node = river.at("x")
    assert node.report().player == node.report("ip").player == 0
    assert node.report("oop").player == 1
    with pytest.raises(OptionError, match=r"player='button'.*oop.*ip"):
        node.report("button")
    text = repr(node.report())
    assert "IP after 'x'" in text
    assert f"EV {node.report().totals.ev:.2f}" in text


def test_lines_go_on(river):
    assert river.at("x").at("b64").line == river.at("x b64").line
    assert repr(river.at("x x")).endswith("nobody acts>")
    assert "OOP to act: x " in repr(river.at())


def test_a_lock_changes_the_solution(river):
    solution = solve_spot(RIVER)
    before = solution.ev["ip"]
    solution.lock("x b64: f 100%")
    assert solution.exploitability > 0.3  # of what was solved without it
    status = solution.solve("0.3%")
    assert solution.exploitability == status.exploitability <= 0.3
    assert solution.at("x b64").strategy("AhKh") == {"f": 1.0, "c": 0.0, "r128": 0.0}
    assert solution.ev["ip"] >= before - 0.2
    solution.lock("x b64: c 100%")  # the same decision, otherwise
    assert solution.exploitability == solution.solver.exploitability() > 0.3


def test_files_keep_everything(river, tmp_path):
    path = tmp_path / "river.spot"
    river.save(path)
    for again in (load_solution(path), Solution.load(path, threads=1)):
        assert again.iterations == river.iterations
        assert again.at("x").strategy() == river.at("x").strategy()
        assert np.array_equal(again.at("x b64").node.strategy, river.at("x b64").node.strategy)
