"""One decision, every card, several lines: what a page and a command ask of a solved spot."""

import pytest

from helpers.solved_spots import river, turn
from tiltless.errors import OptionError
from tiltless.postflop.node import find_node
from tiltless.postflop.query import query_nodes
from tiltless.postflop.report import actor_report
from tiltless.postflop.tables import action_report


def test_one_decision():
    shown = query_nodes(river(), "x")
    assert shown.is_one
    shown.check_drawn()
    found = shown.as_json()
    assert (found["line"], found["player"]) == ("x", "ip")
    assert sum(action["frequency"] for action in found["actions"]) == pytest.approx(1)
    report = actor_report(find_node(river(), "x"))
    rows = action_report(report)
    assert [row.often for row in rows] == pytest.approx(list(report.totals.frequencies))
    mean = sum(row.often * row.ev for row in rows if row.often)
    assert mean == pytest.approx(report.totals.ev, abs=1e-3)


def test_a_line_that_ends_a_street_is_every_card():
    shown = query_nodes(turn(), "x x")
    assert not shown.is_one
    assert len(shown.rows) == len(shown.nodes) == 48
    assert shown.together.often == pytest.approx(sum(row.often for row in shown.reports))
    assert len(shown.as_json()["places"]) == 48
    with pytest.raises(OptionError, match="48"):
        shown.check_drawn()


def test_several_lines_have_a_row_each():
    shown = query_nodes(river(), "x, b32")
    assert list(shown.rows) == ["x", "b32"]
    assert shown.card_at == -1
    assert shown.together.often == pytest.approx(sum(row.often for row in shown.reports))


@pytest.mark.parametrize("lines", ["x, x b32", "b32 c, b32", "b32, b50%"])
def test_nodes_on_one_line_have_no_mean(lines):
    assert query_nodes(river(), lines).together is None
