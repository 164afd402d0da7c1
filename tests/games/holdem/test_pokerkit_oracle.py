"""pokerkit as an oracle: 2 to 9 seats, uneven stacks, antes, straddles, no limit and limit.

At each decision: who acts, stacks, bets, pot, whether a fold is legal, price, smallest and largest
raise. Between streets and at the showdown: main pot and side pots. At the end: chips, odd ones
included. The allowed differences are explained in `pokerkit_twin`; each has its rate.
"""

from collections import Counter

import pytest

pytest.importorskip("pokerkit")

from helpers.pokerkit_twin import compare_hand, compare_short_deck

ALLOWED = {"pointless check": 0.0065, "merged pots": 0.0059, "reopened": 0.0002}
"""Differences and how often they occur in a hand, as counted in 100,000 of them."""


def compare(seeds, play=compare_hand) -> Counter[str]:
    seen: Counter[str] = Counter()
    for seed in seeds:
        try:
            play(seed, seen)
        except AssertionError as problem:
            raise AssertionError(f"hand {seed}: {problem}") from problem
    assert set(seen) <= {"hands", "decisions", "pots", *ALLOWED}
    for name, rate in ALLOWED.items():
        expected = rate * seen["hands"]
        assert seen[name] <= expected + 5 * expected**0.5 + 2, f"{name}: {seen[name]} times"
    return seen


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(first, marks=pytest.mark.slow) for first in (400, 800, 1200))]
)
def test_random_hands_agree(first):
    seen = compare(range(first, first + 400))
    assert seen["hands"] == 400
    assert seen["decisions"] > 3200
    assert seen["pots"] > 800


def test_short_deck_agrees():
    assert compare(range(80), compare_short_deck)["hands"] == 80


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_many_random_hands_agree(part):
    start = 100_000 + 5_000 * part
    assert compare(range(start, start + 5_000))["hands"] == 5_000
