"""Full-tree engines against the naive twin, against published trajectories, and each other."""

from functools import lru_cache

import numpy as np
import pytest

from naive.tabular.full import NaiveCfr
from tiltless.cfr.averaging import Power, Uniform
from tiltless.cfr.regret import Discounted, Floored, Plain, Predictive
from tiltless.cfr.schedule import schedule
from tiltless.errors import OptionError
from tiltless.games import load
from tiltless.tabular.batched_tree import stack
from tiltless.tabular.flat import flatten
from tiltless.tabular.full_traversal import FlatEngine, StackedEngine, normalised
from tiltless.tabular.public import public_form

RULES = {
    "cfr": (Plain(), Uniform()),
    "cfr+": (Floored(), Power(1)),
    "linear": (Discounted(1, 1), Power(1)),
    "dcfr": (Discounted(1.5, 0), Power(2)),
    "delayed": (Floored(), Power(1, delay=3)),
    "pcfr+": (Predictive(Floored()), Power(2)),
    "pdcfr+": (Predictive(Discounted(2.3, 0, floored=True)), Power(5)),
}


@lru_cache(maxsize=16)
def made(name, *parameters):
    """A game and its flat form."""
    game = load(name, **dict(parameters))
    return game, flatten(game)


def in_order(flat, rows):
    """Rows by key as the table of a flat form has them."""
    assert {*rows} == {*flat.keys}
    assert [len(rows[key]) for key in flat.keys] == np.diff(flat.tree.start).tolist()
    return pytest.approx(np.concatenate([rows[key] for key in flat.keys]), abs=1e-12)


@pytest.mark.nojit
@pytest.mark.bounds
@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(
    ("name", "parameters"),
    [("kuhn", {}), ("kuhn", {"players": 3}), ("rps", {}), ("bargaining", {"pie": 3})],
)
def test_flat_engine_equals_the_naive_twin(name, parameters, rules, alternating):
    game, flat = made(name, *parameters.items())
    regret, averaging = RULES[rules]
    engine = FlatEngine(flat, regret, averaging, alternating)
    naive = NaiveCfr(game, regret, averaging, alternating)
    engine.run(1, 4)
    engine.run(5, 3)
    naive.run(7)
    assert engine.tables.regret == in_order(flat, naive.regret)
    assert engine.current() == in_order(flat, naive.strategy)
    assert engine.average() == in_order(flat, naive.average_strategy())


@pytest.mark.nojit
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_stacked_engine_equals_the_flat_one(name, rules):
    game, flat = made(name, *([("ranks", 2)] if name == "leduc" else []))
    regret, averaging = RULES[rules]
    form = public_form(game, lane=8)
    one = FlatEngine(flat, regret, averaging, alternating=True)
    two = StackedEngine(flat, form, regret, averaging)
    one.run(1, 6)
    two.run(1, 2)
    two.run(3, 4)
    assert two.current() == pytest.approx(one.current(), abs=1e-10)
    second = slice(flat.tree.start[flat.tree.player[1]], None)
    assert two.average()[second] == pytest.approx(one.average()[second], abs=1e-10)
    # player 0's average is one iteration ahead: the strategies that iterations end with
    assert np.abs(two.average() - one.average()).max() > (1e-6 if rules != "delayed" else -1)


def test_stacking_shares_shapes():
    form = public_form(load("leduc"), lane=8)
    stacks = stack(form)
    assert len(form.tree.actor) == 465
    assert len(stacks.tree.actor) == 90
    assert int(stacks.tree.length.max()) == 6 * 8


@pytest.mark.parametrize("name", ["rps", "bargaining"])
def test_games_that_cannot_be_stacked_are_refused(name):
    with pytest.raises(OptionError, match="flat"):
        stack(public_form(load(name), lane=8))
    with pytest.raises(OptionError, match="lane=8"):
        stack(public_form(load("kuhn")))


def test_schedule_of_discounts():
    rows = schedule(Discounted(1.5, 0), Power(2), 1, 3)
    assert rows[:, 0] == pytest.approx([0, 0.5, 2**1.5 / (2**1.5 + 1)])
    assert rows[:, 1] == pytest.approx([0, 0.5, 0.5])
    assert rows[:, 6].tolist() == [1, 4, 9]
    assert schedule(Predictive(Floored()), Uniform(), 5, 1)[0].tolist() == [1, 1, 1, 1, 1, 1, 1]


def test_linear_regrets_count_in_proportion_to_the_iteration():
    """alpha = beta = 1 equals weights t, up to a common factor."""
    weights = np.ones(1)
    for t in range(2, 7):
        factor = schedule(Discounted(1, 1), Uniform(), t, 1)[0, 0]
        weights = np.append(weights * factor, 1.0)
    assert weights / weights[0] == pytest.approx(np.arange(1, 7))


def test_huge_powers_do_not_overflow():
    assert Discounted(300, -300).discounts(10**6) == pytest.approx((1, 0), abs=1e-300)


@pytest.mark.parametrize(
    "make", [lambda: Predictive(Discounted(1.5, 0)), lambda: Power(31), lambda: Power(-1)]
)
def test_rules_that_make_no_sense_are_refused(make):
    with pytest.raises(OptionError):
        make()


def test_untouched_infosets_are_uniform():
    flat = flatten(load("kuhn"))
    assert (normalised(flat, np.zeros(flat.entries)) == 0.5).all()


def test_same_start_same_result_to_the_bit():
    flat = flatten(load("leduc", ranks=3))
    form = public_form(load("leduc", ranks=3), lane=8)
    for make in (
        lambda: FlatEngine(flat, Floored(), Power(1), True),
        lambda: StackedEngine(flat, form, Floored(), Power(1)),
    ):
        whole, parts = make(), make()
        whole.run(1, 20)
        parts.run(1, 7)
        resumed = make()
        resumed.restore(parts.state())
        resumed.run(8, 13)
        for name, table in whole.state().items():
            assert (table == resumed.state()[name]).all()


@pytest.mark.parametrize("gamma", [0, 0.5, 2])
def test_iterations_up_to_the_delay_do_not_count(gamma):
    weights = [Power(gamma, delay=3).weight(t) for t in range(1, 7)]
    assert weights == pytest.approx([0, 0, 0, 1, 2**gamma, 3**gamma])
    assert [Uniform(delay=3).weight(t) for t in range(1, 7)] == [0, 0, 0, 1, 1, 1]
