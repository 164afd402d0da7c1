import numpy as np
import pytest

from helpers.hidden_order import drawn_order, pins, random_showdowns, rows_of
from naive.permutation.agreement import agrees
from naive.permutation.listing import list_agreeing
from tiltless.experiments.permutation.report_methods import ReportChain, ReportFilter
from tiltless.permutation.evidence import ShowdownResult


def records(showdowns):
    return rows_of(showdowns).showdowns


def test_chain_begins_at_the_identity_and_finds_the_order():
    truth = drawn_order(3)
    chain = ReportChain(1)
    assert chain.guess.tolist() == list(range(13))
    for showdown in records(random_showdowns(3, truth, 250)):
        chain.observe(showdown)
    assert tuple(chain.guess) == truth


def test_chain_returns_the_most_visited_order_of_the_last_three_quarters():
    """Three ranks are free, and of their six orders the one with fewest inversions is likeliest."""
    top, bottom = [12, 10, 11, 8, 9], [0, 3, 2, 1, 4]
    chain = ReportChain(2)
    for showdown in records(list(pins(top, bottom)) * 3):
        chain.observe(showdown)
    free = list_agreeing([], top, bottom)
    assert tuple(chain.guess) in free
    assert tuple(chain.guess[5:8]) == (5, 6, 7)


def test_chains_repeat_with_the_seed():
    showdowns = records(random_showdowns(1, drawn_order(1), 20))
    guesses = []
    for seed in (1, 1, 2):
        chain = ReportChain(seed)
        for showdown in showdowns:
            chain.observe(showdown)
        guesses.append(chain.guess.tolist())
    assert guesses[0] == guesses[1]


def test_filter_keeps_what_agrees_and_adds_swaps_below_200():
    showdowns = list(random_showdowns(4, drawn_order(4), 35))
    particles = ReportFilter(1, particles=5_000)
    assert particles.orders.shape == (5_000, 13)
    grew = False
    for number, showdown in enumerate(records(showdowns), 1):
        before = len(particles.orders)
        particles.observe(showdown)
        grew |= len(particles.orders) > before
        for order in particles.orders[:3]:
            assert agrees(order, showdowns[:number])
    assert grew
    if len(particles.orders):
        assert len(np.unique(particles.orders, axis=0)) == len(particles.orders)


def test_swaps_are_all_that_agree():
    truth = np.array(drawn_order(5), np.int8)
    showdowns = list(random_showdowns(5, truth, 12))
    particles = ReportFilter(1, particles=10, few=200)
    particles.orders = truth[None]
    more = list(random_showdowns(6, truth, 40))
    wrong = next(each for each in more if each[1])
    for showdown in records(showdowns):
        particles.observe(showdown)
    expected = set()
    for low in range(13):
        for high in range(low + 1, 13):
            swapped = truth.copy()
            swapped[[low, high]] = swapped[[high, low]]
            if agrees(swapped, showdowns):
                expected.add(tuple(swapped.tolist()))
    found = particles._swapped(truth[None])
    assert {tuple(row) for row in found.tolist()} == expected
    assert wrong


def test_an_empty_list_stays_empty():
    cards, seen = next(each for each in random_showdowns(1, drawn_order(1), 20) if each[1])
    particles = ReportFilter(1, particles=500)
    for result in (seen, -seen, seen):
        particles.observe(ShowdownResult.checked(cards[:2], cards[2:4], cards[4:], result))
    assert len(particles.orders) == 0


@pytest.mark.parametrize("penalty", [0.07])
def test_parameters_are_the_reports(penalty):
    chain = ReportChain(0)
    assert chain._steps == 5000
    assert np.exp(chain._log_penalty) == pytest.approx(penalty)
    assert len(ReportFilter(0).orders) == 100_000
