from dataclasses import replace

import pytest

from tiltless.blueprint.training.config import read_config
from tiltless.blueprint.training.convergence import Match
from tiltless.blueprint.training.cost import SpeedEstimate
from tiltless.blueprint.training.litmus import LitmusCheck
from tiltless.blueprint.training.run import Tick
from tiltless.blueprint.training.text import (
    estimate_text,
    match_text,
    now_and_then,
    tick_text,
    time_text,
)

MATCH = Match(2_000_000, 1_000_000, 10**6, 0.01, 0.002, 0.05, 0.01, 2)
CHECKS = (
    LitmusCheck("AA never folds", True),
    LitmusCheck("72o folds", False),
    LitmusCheck("98s plays", False),
)
TICK = Tick(2_500_000, 30.0, 80_000.0, 3.2e6, 0.0456, 900, CHECKS, MATCH)


def test_the_live_line_names_what_fails_first():
    line = tick_text(read_config("minute"), TICK, 1000)
    assert line == (
        "2,500,000 walks, 80,000/s, 3.2 M nodes/s, 90.0% of information sets met, "
        "regret 0.0456 chips, litmus 1/3 (not yet: 72o folds), "
        "last match +5.0 ± 2.0 mbb/h, 0:30 left"
    )


def test_the_live_line_leaves_out_what_there_is_not():
    config = read_config("minute").with_stop(None, None)
    line = tick_text(config, replace(TICK, checks=(), match=None), 1000)
    assert line.endswith("regret 0.0456 chips")
    passed = tick_text(config, replace(TICK, checks=CHECKS[:1]), 1000)
    assert "litmus 1/1, last match" in passed


def test_a_match_in_words():
    assert match_text(MATCH) == (
        "2,000,000 walks against 1,000,000: +5.0 ± 2.0 mbb/h (+0.01 ± 0.0039 chips a hand) in "
        "1,000,000 hands; the button wins +25 ± 10 mbb/h"
    )


def test_an_estimate_in_words():
    estimate = SpeedEstimate(1234.5, 5e6, 98_765_432.0, 3600.0, 1.23456e9, 86400.0 * 10)
    assert estimate_text(estimate).splitlines() == [
        "measured: 1,234 walks/s, 5.0 M nodes/s",
        "the end, as configured: in 1:00:00, at about 98,800,000 walks",
        "a sensible end: in 10 days 0 h, at about 1,230,000,000 walks, when each information set "
        "was met 40,000 times on average",
    ]
    endless = replace(estimate, stop_walks=None, stop_seconds=None)
    assert "as configured" not in estimate_text(endless)
    counted = replace(estimate, met_walks=None, met_seconds=None)
    assert len(estimate_text(counted).splitlines()) == 2


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0:00"), (59.6, "1:00"), (3599, "59:59"), (7384, "2:03:04"), (180000, "2 days 2 h")],
)
def test_times(seconds, text):
    assert time_text(seconds) == text


def test_lines_come_now_and_then():
    told = []
    on_tick = now_and_then(lambda tick: told.append(tick.seconds))
    for seconds in (3.0, 4.0, 12.9, 13.0, 22.0, 40.0):
        on_tick(replace(TICK, seconds=seconds))
    assert told == [3.0, 13.0, 40.0]
