"""Discounts, floors and averages as rules: their limits, and what is refused."""

import warnings
from math import inf, nan

import numpy as np
import pytest

from tiltless.abstraction.cards.buckets import ONE_BUCKET
from tiltless.blueprint.engine import BlueprintEngine, BlueprintRules
from tiltless.blueprint.sampling import SCHEMES
from tiltless.blueprint.tree import betting_tree
from tiltless.cfr.pruning import RegretBased
from tiltless.errors import ArrayError, OptionError
from tiltless.games import load

TREE = betting_tree(load("nlhe", stack=8), "100%, a; cap 2")


def engine(**rules):
    return BlueprintEngine(TREE, [ONE_BUCKET] * 4, BlueprintRules(**rules), seed=1)


@pytest.mark.parametrize("time", [1, 2, 1000, 10**9])
def test_infinite_exponents_keep_all_or_nothing(time):
    assert BlueprintRules(alpha=inf, beta=-inf).discounts(time)[:2] == (1.0, 0.0)
    assert BlueprintRules(beta=inf).discounts(time)[1] == 1.0


def test_large_exponents_are_near_the_limit():
    for exponent in (1e3, 1e6, 1e308):
        up, down, _ = BlueprintRules(alpha=exponent, beta=-exponent).discounts(10)
        assert (up, down) == (1.0, 0.0)
        assert BlueprintRules(alpha=exponent).discounts(1)[0] == 0.5
    up, down, average = BlueprintRules(alpha=1.5, beta=0.5, gamma=2).discounts(4)
    assert (up, down, average) == pytest.approx((8 / 9, 2 / 3, 16 / 25))


@pytest.mark.parametrize("sampling", SCHEMES)
def test_tables_stay_finite_with_infinite_exponents(sampling):
    block = SCHEMES[sampling].block
    made = engine(sampling=sampling, discount_every=block, alpha=inf, beta=-inf)
    made.run(3 * block)
    made.check_finite()
    assert made.regret.max() > 0
    assert made.regret.min() == 0  # the last discount has just forgotten the negative ones


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        ({"alpha": nan}, "alpha=nan"),
        ({"alpha": -inf}, "alpha=-inf"),
        ({"beta": nan}, "beta=nan"),
        ({"gamma": nan}, "gamma=nan"),
        ({"gamma": -0.5}, "gamma=-0.5"),
        ({"gamma": inf}, "gamma=inf"),
        ({"floor": nan}, "floor=nan"),
        ({"floor": 0.0}, "floor=0.0"),
        ({"floor": -inf}, "floor=-inf"),
    ],
)
def test_silly_numbers_are_refused_in_one_line(rules, problem):
    with pytest.raises(OptionError, match=problem) as error:
        BlueprintRules(**rules)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("sampling", SCHEMES)
def test_regrets_stop_at_the_floor_of_every_scheme(sampling):
    block = SCHEMES[sampling].block
    free, floored = engine(sampling=sampling), engine(sampling=sampling, floor=-0.25)
    for each in (free, floored):
        each.run(2 * block)
    assert free.regret.min() < -0.25
    assert floored.regret.min() == -0.25


def test_of_two_floors_the_higher_counts():
    for floor, lowest in ((None, -31.0), (-100.0, -31.0), (-7.0, -7.0)):
        made = engine(floor=floor, pruning=RegretBased(-30.0))
        assert made._traversal_rules(0).floor == pytest.approx(lowest)
    assert engine()._traversal_rules(0).floor == -inf


@pytest.mark.parametrize("bad", [nan, inf, -inf])
@pytest.mark.parametrize("name", ["regret", "average"])
def test_numbers_that_are_not_finite_are_seen(name, bad):
    made = engine()
    made.check_finite()
    getattr(made, name)[5] = bad
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ArrayError, match=f"{name} .* 0 ") as error:
            made.check_finite()
    assert "\n" not in str(error.value)


def test_where_the_average_begins():
    block = SCHEMES["external"].block
    for start, every, first in ((0, 7, 0), (1, 1, block), (block, 1, block), (block, 3, 3 * block)):
        rules = BlueprintRules(average_from=start, average_every=every)
        assert rules.first_average == first
        made = BlueprintEngine(TREE, [ONE_BUCKET] * 4, rules, seed=1)
        if first:
            made.run(first)
            assert not made.average.any()
        made.run(1)
        assert np.count_nonzero(made.average)


def test_rules_in_words():
    assert BlueprintRules().text() == "external sampling, discount_every 1048576"
    rules = BlueprintRules(
        gamma=2.0, average_from=5, floor=-100.0, pruning=RegretBased(-30.0, 7), discount_every=0
    )
    assert rules.text() == (
        "external sampling, discount_every 0, gamma 2, average_from 5, floor -100, "
        "prune_below -30, prune_from 7, share_unpruned 0.05"
    )
