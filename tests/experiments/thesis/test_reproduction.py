import pytest

from tiltless.arena.store import Store
from tiltless.experiments.thesis import reproduction
from tiltless.experiments.thesis.published import THESIS, Published
from tiltless.experiments.thesis.reproduction import (
    ORDERS,
    beats_all,
    markdown,
    play_thesis,
    thesis_plan,
)

SMALL = Published(("All-in", "Fold"), ("all-in", "fold"), "sb/h", 40, {("all-in", "fold"): 1.5})
SMALL.values["fold", "all-in"] = -1.5


def test_the_published_table_is_the_one_in_print():
    assert len(THESIS.agents) == len(THESIS.names) == 7
    assert len(THESIS.values) == 42
    for (row, column), value in THESIS.values.items():
        assert value == -THESIS.values[column, row]
    assert THESIS.values["fish", "random"] == 68.65
    assert THESIS.values["cfr-v2", "monte-carlo"] == -1.75
    assert THESIS.values["cfr-v2", "cfr-v1"] == 2.13
    assert THESIS.values["rules", "monte-carlo"] == -2.0


def test_the_thesis_game():
    rules = thesis_plan(("fish", "fold"), 100, 0, "pypokerengine").table.rules
    assert rules.stacks == (1000, 1000)
    assert rules.blinds == (5, 10)
    assert rules.free_fold
    standard = thesis_plan(("fish", "fold"), 100, 0, "standard")
    assert standard.deals == 50
    assert standard.table.rules != rules


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(reproduction, "THESIS", SMALL)


def test_a_small_run_is_played_once_and_told(small, tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        run = play_thesis(store, agent="all-in", hands=40, seed=3)
        assert run.cell("all-in", "fold").mean == pytest.approx(1.5)  # 3/4 of a big blind
        assert run.cell("fold", "all-in").mean == pytest.approx(-1.5)
        assert [run.row(order)["fold"].mean for order in ORDERS] == [pytest.approx(1.5)] * 2
        assert not beats_all(run)  # mirrored, against itself exactly even
        assert run.row("standard")["all-in"].mean == 0
        matches = len(store.records())
        again = play_thesis(store, agent="all-in", hands=40, seed=3)
        assert len(store.records()) == matches == 5  # pairs of the table have seeds of their own
        assert markdown(again) == markdown(run)
        assert (run.matches, run.earlier) == (5, ())
        assert again.earlier == (40,) * 5
    text = markdown(run)
    assert "| All-in |  | +1.50 ± 0.00 (+1.50) |" in text
    assert "| standard order of blinds | +0.00 ± 0.00 | +1.50 ± 0.00 |" in text
