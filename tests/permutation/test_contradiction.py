import numpy as np
import pytest

from helpers.hidden_order import drawn_order, observe_all, random_showdowns
from tiltless.permutation.evidence import ShowdownResult
from tiltless.permutation.orders import Orders


def garbled(showdowns, *wrong):
    """The same with the winner of some showdowns changed."""
    return [(cards, -seen if i in wrong else seen) for i, (cards, seen) in enumerate(showdowns)]


def decisive(showdowns, first):
    """The first showdown from a number on that has a winner."""
    return next(i for i in range(first, len(showdowns)) if showdowns[i][1])


def as_record(showdown):
    cards, seen = showdown
    return ShowdownResult.checked(cards[:2], cards[2:4], cards[4:], seen)


def test_a_late_contradiction_is_reported_and_dropped():
    truth = drawn_order(21)
    orders = observe_all(Orders(1), random_showdowns(21, truth, 200))
    left = orders.count
    cards, seen = next(each for each in random_showdowns(22, truth, 50) if each[1])
    with pytest.warns(UserWarning, match="number 201 is dropped"):
        orders.observe(cards[:2], cards[2:4], cards[4:], -seen)
    assert orders.dropped == [as_record((cards, -seen))]
    assert orders.count == left
    assert (orders._rows == truth).all(axis=1).any()


@pytest.mark.parametrize("where", [3, 50])
def test_an_early_wrong_result_does_not_win_in_the_end(where):
    truth = drawn_order(31)
    showdowns = list(random_showdowns(31, truth, 200))
    wrong = decisive(showdowns, where)
    with pytest.warns(UserWarning, match="is dropped"):
        orders = observe_all(Orders(1), garbled(showdowns, wrong))
    assert as_record(garbled(showdowns, wrong)[wrong]) in orders.dropped
    assert len(orders.dropped) <= 2
    assert (orders._rows == truth).all(axis=1).any()


def test_a_contradiction_before_the_list():
    truth = drawn_order(41)
    showdowns = list(random_showdowns(41, truth, 6))
    cards, seen = next(each for each in showdowns if each[1])
    orders = observe_all(Orders(2), showdowns)
    entropy = orders.entropy()
    assert not orders.exact
    with pytest.warns(UserWarning, match="is dropped"):
        orders.observe(cards[:2], cards[2:4], cards[4:], -seen)
    assert len(orders.dropped) == 1
    assert orders.entropy() == pytest.approx(entropy, abs=3.0)
    assert orders._evidence.agreeing(orders._rows).all()
    observe_all(orders, random_showdowns(43, truth, 100))
    assert (orders._rows == truth).all(axis=1).any()


@pytest.mark.filterwarnings("ignore:no order")
def test_nonsense_does_not_stop_it():
    """Results drawn at random: nothing is learnt, but every update comes back with orders."""
    rng = np.random.default_rng(1)
    orders = Orders(1)
    for _ in range(60):
        cards = rng.permutation(52)[:9]
        orders.observe(cards[:2], cards[2:4], cards[4:], int(rng.integers(-1, 2)))
        assert orders.count > 0
        assert (np.sort(orders.samples(3), axis=1) == np.arange(13)).all()
    assert len(orders.dropped) > 10
