import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltless.intervals import (
    Interval,
    Tally,
    half_width_95,
    share_interval,
    student_quantile,
    tally,
)


def test_a_tally_by_hand():
    four = tally([1, 2, 3, 6])
    assert four == Tally(4, 12.0, 50.0)
    assert four.mean == 3
    assert four.variance == pytest.approx(14 / 3)
    assert four.standard_error == pytest.approx(math.sqrt(14 / 12))
    assert four.interval.low == pytest.approx(3 - 3.182446 * math.sqrt(14 / 12))
    assert four.interval.half_width == pytest.approx(3.182446 * math.sqrt(14 / 12))


@given(st.lists(st.integers(-10_000, 10_000)), st.lists(st.integers(-10_000, 10_000)))
def test_tallies_merge_in_any_order(left, right):
    both = tally(left).merge(tally(right))
    assert both == tally(right).merge(tally(left)) == tally(left + right)
    one_by_one = Tally()
    for number in left + right:
        one_by_one = one_by_one.add(number)
    assert one_by_one == both
    if len(left + right) > 1:
        assert both.variance == pytest.approx(np.var(left + right, ddof=1), abs=1e-6)


def test_little_is_known_of_few():
    assert Tally().mean == 0
    assert Tally().interval.half_width == math.inf
    assert tally([5]).interval == Interval(5, -math.inf, math.inf)
    assert tally([0.1] * 50).deviation == pytest.approx(0, abs=1e-8)  # never the root of less


def test_shares_by_wilson():
    assert share_interval(0.5, 10) == pytest.approx((0.5, 0.236593, 0.763407), abs=1e-6)
    assert share_interval(0.0, 10) == pytest.approx((0, 0, 0.277533), abs=1e-6)
    assert share_interval(1.0, 3) == pytest.approx((1, 0.438503, 1), abs=1e-6)


def below(quantile, freedom):
    """The part of Student's distribution below, by Simpson's rule on its density."""
    x = np.linspace(0, quantile, 20_001)
    log_scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    density = math.exp(log_scale) / math.sqrt(math.pi * freedom)
    density = density * (1 + x**2 / freedom) ** (-(freedom + 1) / 2)
    weights = np.ones(len(x))
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    return 0.5 + float((weights * density).sum()) * (x[1] - x[0]) / 3


@pytest.mark.parametrize("freedom", [*range(1, 16), 20, 29, 30, 50, 100, 1000, 10**6])
def test_students_quantile(freedom):
    assert below(student_quantile(freedom), freedom) == pytest.approx(0.975, abs=1e-6)


def test_students_quantile_becomes_the_normal_one():
    assert student_quantile(10**12) == pytest.approx(1.959963985, abs=1e-9)
    steps = [student_quantile(freedom) for freedom in range(1, 200)]
    assert steps == sorted(steps, reverse=True)


@pytest.mark.parametrize("count", [2, 3, 5, 10, 30])
def test_intervals_of_a_few_hold_the_truth(count):
    rng = np.random.default_rng(count)
    inside = 0
    for _ in range(2000):
        low, high = tally(rng.normal(3.0, 2.0, count)).interval[1:]
        inside += low <= 3 <= high
    assert 1860 <= inside <= 1940  # 1,900 ± 4 standard deviations


def test_an_interval_in_another_unit():
    assert Interval(1, -1, 3).scaled(-2) == Interval(-2, -6, 2)
    assert str(Interval(1250.04, 1000, 1500.08)) == "+1,250.0 ± 250.0"
    assert str(tally([3.0]).interval) == "+3.0 ± ?"


def poker_like(rng, deals):
    """Blinds mostly, pots at times, stacks seldom: kurtosis about 30; the mean is 0.02."""
    kind = rng.random(deals)
    size = np.where(kind < 0.7, 1.0, np.where(kind < 0.96, 8.0, 100.0))
    return size * rng.choice([-1.0, 1.0], deals) * rng.random(deals) + 0.02


def test_95_percent_of_intervals_hold_the_truth():
    rng = np.random.default_rng(7)
    inside = 0
    for _ in range(1000):
        low, high = tally(poker_like(rng, 1000)).interval[1:]
        inside += low <= 0.02 <= high
    assert 930 <= inside <= 970


def test_an_interval_of_a_standard_error_is_that_of_many_numbers():
    assert half_width_95(0.5) == pytest.approx(0.979982)
    assert Interval.of_error(2.0, 0.5) == pytest.approx((2, 1.020018, 2.979982))
    assert Interval.around(1.0, 0.25) == (1, 0.75, 1.25)
    assert Interval.of_error(1.0, math.inf) == (1, -math.inf, math.inf)
    many = tally(np.random.default_rng(1).normal(size=100_000))
    assert many.interval == pytest.approx(
        Interval.of_error(many.mean, many.standard_error), rel=1e-3
    )
