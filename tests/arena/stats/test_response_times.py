"""Percentiles from classes are near the true ones, and parts add up."""

import numpy as np
import pytest

from tiltless.arena.stats.response_times import ResponseTimes, response_times


@pytest.mark.parametrize("scale", [2e-6, 1e-4, 3.0])
def test_percentiles(scale):
    seconds = np.random.default_rng(1).lognormal(0, 1, 5000) * scale
    times = response_times(seconds.tolist())
    assert times.decisions == 5000
    for percent in (5, 50, 95, 99):
        assert times.percentile(percent) == pytest.approx(np.percentile(seconds, percent), rel=0.1)
    assert times.percentile(100) == times.longest == seconds.max()
    assert times.mean == pytest.approx(seconds.mean())


def test_parts_add_up():
    seconds = np.random.default_rng(2).exponential(1e-3, 1000).tolist()
    whole = response_times(seconds)
    parts = ResponseTimes()
    for start in range(0, 1000, 130):
        parts = parts.merge(response_times(seconds[start : start + 130]))
    assert parts.counts == whole.counts
    assert parts.longest == whole.longest
    assert parts.total == pytest.approx(whole.total)


def test_nothing_and_next_to_nothing():
    none = response_times([])
    assert (none.decisions, none.mean, none.percentile(50), none.longest) == (0, 0, 0, 0)
    assert none.merge(none) == none
    zero = response_times([0.0, 0.0])
    assert (zero.decisions, zero.percentile(99)) == (2, 0)
    assert response_times([4.0]).percentile(50) <= 4.0
