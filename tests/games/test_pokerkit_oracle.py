"""pokerkit as an oracle: 2 to 9 seats, uneven stacks, antes, straddles, no limit and limit.

At each decision: who acts, stacks, bets, pot, price, smallest and largest raise. At the end: chips,
odd ones included. The allowed differences are explained in `pokerkit_twin`.
"""

from collections import Counter

import pytest

pytest.importorskip("pokerkit")

from helpers.pokerkit_twin import compare_hand, compare_short_deck

ALLOWED = {"pointless check", "reopened", "merged pots"}


def compare(seeds, play=compare_hand) -> Counter[str]:
    seen: Counter[str] = Counter()
    for seed in seeds:
        try:
            play(seed, seen)
        except AssertionError as problem:
            raise AssertionError(f"hand {seed}: {problem}") from problem
    assert set(seen) <= {"hands", "decisions", *ALLOWED}
    return seen


@pytest.mark.parametrize("part", range(6))
def test_random_hands_agree(part):
    seen = compare(range(500 * part, 500 * (part + 1)))
    assert seen["hands"] == 500
    assert seen["decisions"] > 4000
    assert sum(seen[name] for name in ALLOWED) < 20


def test_short_deck_agrees():
    assert compare(range(150), compare_short_deck)["hands"] == 150


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_many_random_hands_agree(part):
    start = 100_000 + 5_000 * part
    assert compare(range(start, start + 5_000))["hands"] == 5_000
