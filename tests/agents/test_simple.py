"""Agents that ignore their cards play as described."""

from collections import Counter

import pytest

from helpers.playing import deal, play
from tiltless.agents.agent import Clock
from tiltless.agents.simple import AllIn, Caller, Folder, UniformAgent
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.variants import limit_holdem, nlhe
from tiltless.seeding import SeededRandom, mixed


def act(agent, state, word=0):
    return agent.act(state.view(state.actor), Clock(), SeededRandom(word)).action


FIRST = deal(nlhe(), "AsKd 7h7d")
AFTER_CALL = play(FIRST, "c")
AFTER_ALL_IN = play(FIRST, "r200")


@pytest.mark.parametrize(
    ("agent", "first", "after_call", "after_all_in"),
    [
        (Caller(), CALL, CHECK, CALL),
        (Folder(), FOLD, CHECK, FOLD),
        (AllIn(), RaiseTo(200), RaiseTo(200), CALL),
    ],
)
def test_what_they_do(agent, first, after_call, after_all_in):
    assert act(agent, FIRST) == first
    assert act(agent, AFTER_CALL) == after_call
    assert act(agent, AFTER_ALL_IN) == after_all_in


def test_folder_checks_even_where_folding_is_free():
    state = play(deal(nlhe(free_fold=True), "AsKd 7h7d"), "c")
    assert act(Folder(), state) == CHECK


def test_uniform_draws_kinds_alike_and_sizes_alike():
    drawn = [act(UniformAgent(), FIRST, mixed(1, number)) for number in range(6000)]
    kinds = Counter(type(action).__name__ for action in drawn)
    assert set(kinds) == {"Fold", "Call", "RaiseTo"}
    assert all(1830 < count < 2170 for count in kinds.values())
    sizes = [action.chips for action in drawn if isinstance(action, RaiseTo)]
    assert 4 <= min(sizes) < 8
    assert 196 < max(sizes) <= 200
    assert 98 < sum(sizes) / len(sizes) < 106


def test_uniform_never_folds_for_free_and_follows_limits():
    free = {type(act(UniformAgent(), AFTER_CALL, mixed(2, n))).__name__ for n in range(300)}
    assert free == {"Check", "RaiseTo"}
    state = deal(limit_holdem(), "AsKd 7h7d")
    assert {str(act(UniformAgent(), state, mixed(3, n))) for n in range(300)} == {
        "fold",
        "call",
        "raise to 4",
    }
