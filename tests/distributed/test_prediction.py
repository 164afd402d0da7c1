"""Predictions of rounds against times that can be added up by hand."""

import pytest

from tiltless.distributed.prediction import MERGE_ERROR, MeasuredRound, main, merge_error, predict
from tiltless.errors import OptionError

EVEN = MeasuredRound(10.0, 0.0, down=100.0, up=50.0, merge=0.5, save=1.0, network=100.0)


@pytest.mark.parametrize(
    ("machines", "seconds"),
    [
        (1, 10 + 0.5 + 1),
        (2, 1 + 10 + 0.5 + 2 * 0.5 + 1),  # sent, learned, sent back, merged, saved
        (4, 3 + 10 + 0.5 + 4 * 0.5 + 1),  # regrets are sent one after the other
    ],
)
def test_a_round_without_spread_is_a_sum(machines, seconds):
    found = predict(EVEN, machines)
    assert found.seconds == pytest.approx(seconds)
    assert found.busy == pytest.approx(machines * 10 / seconds)
    assert found.short == pytest.approx(found.busy / merge_error(machines, "short") ** 2)


def test_changes_wait_for_the_link():
    """Three copies end at almost the same time; theirs are 4 s each on the way."""
    slow = EVEN._replace(down=0.0, up=400.0)
    assert predict(slow, 4).seconds == pytest.approx(10 + 3 * 4 + 4 * 0.5 + 1)


def test_spread_costs_time():
    assert predict(EVEN._replace(spread=0.2), 16).seconds > predict(EVEN, 16).seconds


def test_merge_errors_are_those_of_the_study_and_lines_between():
    for rounds, table in MERGE_ERROR.items():
        assert all(merge_error(copies, rounds) == error for copies, error in table.items())
    assert merge_error(32, "short") == pytest.approx(1.42 + (1.42 - 1.39))
    assert 1.30 < merge_error(6, "short") < 1.39


def test_impossible_figures_are_refused():
    with pytest.raises(OptionError, match="network"):
        predict(EVEN._replace(network=0.0), 2)


def test_the_command_prints_a_table(capsys):
    assert main(["--round", "15"]) == 0
    rows = [line.split("|") for line in capsys.readouterr().out.splitlines() if "|" in line]
    assert [int(row[1]) for row in rows[2:]] == [1, 2, 4, 8, 16, 32, 64]
