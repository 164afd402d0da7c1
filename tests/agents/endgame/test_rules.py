"""Lock lines against full recursion over the engine's own hands."""

import pytest

from naive.agents.match_recursion import always_wins, folding_results
from tiltless.agents.endgame.rules import MatchState, fold_cost
from tiltless.games import load

HANDS = "7h2d AsAh", "AsAh 7h2d"  # seat 0 loses every showdown, or wins it


def lock_line(left, button=True):
    return min(b for b in range(2000) if MatchState(b, left, button, (1, 2)).is_won)


def test_the_lines_of_blinds_one_and_two():
    lines = [lock_line(left) for left in (1000, 500, 200, 100, 10)]
    assert lines == [1501, 751, 301, 151, 16]
    assert (lock_line(1), lock_line(1, button=False)) == (2, 3)


@pytest.mark.parametrize(
    "parameters", [{}, {"ante": 1, "stack": 5}, {"blinds": (2, 5), "stack": 12}, {"stack": 2}]
)
def test_folding_is_enough_exactly_where_recursion_says(parameters):
    game = load("nlhe", seats=2, **{"stack": 4, **parameters})
    results, spots = {}, {}
    for button in (True, False):
        found = [folding_results(game, int(not button), hole) for hole in HANDS]
        results[button] = frozenset().union(*(whole for whole, _ in found))
        spots[button] = {spot for _, some in found for spot in some}
    posts = -min(results[True]), -min(results[False])
    wins = always_wins(results)
    far = 6 * max(posts) + 2
    for left in range(1, 7):
        for button in (True, False):
            for bankroll in range(-far, far):
                state = MatchState(bankroll, left, button, posts)
                assert state.is_won == wins(bankroll, left, button)
                assert state.is_lost == wins(-bankroll, left, not button)
                for paid, reached in spots[button]:
                    safe = all(wins(bankroll + won, left - 1, not button) for won in reached)
                    assert state.wins_by_folding(paid) == safe
                    lost = wins(paid - bankroll, left - 1, button)
                    assert state.loses_by_folding(paid) == lost


def test_posts_alternate():
    assert [fold_cost(left, True, (1, 2)) for left in range(5)] == [0, 1, 3, 4, 6]
    assert [fold_cost(left, False, (1, 2)) for left in range(5)] == [0, 2, 3, 5, 6]
