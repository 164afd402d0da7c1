"""The tables of showdown seeking, from matches that take no time."""

import numpy as np
import pytest
from typer.testing import CliRunner

from tiltless.cli.app import app
from tiltless.experiments.permutation import seeking_reproduction
from tiltless.experiments.permutation.play import MatchesResult
from tiltless.experiments.permutation.seeking_reproduction import (
    OPPONENTS,
    PRICED,
    RULES,
    PriceRow,
    reproduce_seeking,
    seeking_tables,
)
from tiltless.intervals import Interval


def played(job):
    """Chips that depend on the pair; a rule costs 30 and is 100 hands sooner."""
    pair = np.arange(2 * job.pairs).reshape(job.pairs, 2) + job.seed % 1000
    chips, rule = 50 * (pair % 7) - 30 * bool(job.rule), 100 * bool(job.rule)
    expected = chips / 2
    return MatchesResult(chips, chips // 2, 200 + 0 * chips, 600 - rule + pair, pair, expected)


def priced(job):
    rule, deals, _ = job
    return PriceRow(rule, deals, Interval.around(50.0, 1.0), Interval.around(-25.0, 3.0))


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(seeking_reproduction, "_play_block", played)
    monkeypatch.setattr(seeking_reproduction, "_price", priced)


def test_differences_are_taken_pair_by_pair():
    said = []
    run = reproduce_seeking(pairs=60, deals=100, seed=5, say=said.append)
    assert [row.rule for row in run.prices] == list(PRICED)
    assert [(row.opponent, row.rule) for row in run.matches] == [
        (opponent, rule) for opponent in OPPONENTS for rule in ("", *RULES)
    ]
    for row in run.matches:
        assert row.matches == 120
        if row.rule:
            assert row.more == pytest.approx((-15, -15, -15))
            assert row.sooner == pytest.approx((100, 100, 100))
        else:
            assert row.more is row.sooner is None
    lines = seeking_tables(run).splitlines()
    assert [line for line in lines if line in said] == said
    assert "| +50 ± 1 | -25 ± 3 | -0.50 |" in said[0]
    assert len({line.count("|") for line in lines[-len(run.matches) - 2 :]}) == 1


def test_the_command_prints_and_stores_the_tables(tmp_path):
    out = tmp_path / "seeking.md"
    words = ["reproduce", "permutation-play", "--seeking", "--quick", "--processes", "1"]
    done = CliRunner().invoke(app, [*words, "--out", str(out)], env={"COLUMNS": "300"})
    assert done.exit_code == 0, (done.output, done.exception)
    assert out.read_text() in done.stdout
    assert f"| {next(iter(RULES))} | the order is known | 8 |" in done.stdout
