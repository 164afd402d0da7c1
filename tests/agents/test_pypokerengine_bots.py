from collections import Counter

import pytest

from helpers.playing import deal, play
from tiltless.agents import make_agent
from tiltless.agents.agent import Clock
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.variants import nlhe
from tiltless.seeding import SeededRandom, mixed

FREE = nlhe(stack=200, free_fold=True)
STRICT = nlhe(stack=200)


def decide(agent, state, word=1):
    return make_agent(agent).act(state.view(state.actor), Clock(), SeededRandom(word)).action


@pytest.mark.parametrize(
    ("hand", "stays"), [("AsAd", True), ("Ks8d", True), ("7s2d", False), ("3s2d", False)]
)
def test_honest_stays_in_with_an_average_hand(hand, stays):
    state = deal(FREE, f"{hand} {hand.replace('s', 'h').replace('d', 'c')}")
    assert decide("honest", state) == (CALL if stays else FOLD)
    state = play(state, "c")
    assert decide("honest", state) == (CHECK if stays else FOLD)


def test_honest_checks_where_the_rules_forbid_to_fold():
    state = play(deal(STRICT, "3s2d 3h2c"), "c")
    assert decide("honest", state) == CHECK


def test_honest_counts_ties_as_wins():
    board = "AsKsQsJsTs"
    state = play(deal(FREE, "3s2d 3h2c"), "c k k k k k", board)
    assert state.view(state.actor).board
    assert decide("honest", state) == CHECK


def test_honest_counts_every_seat_and_not_those_who_are_left():
    game = nlhe(seats=6, stack=200, free_fold=True)
    state = play(deal(game, "2c2d 3c3d 4c4d Td8d 5c5d 6c6d"), "")
    assert state.actor == 3
    assert decide("honest", state) == CALL  # a sixth is enough, and T8s wins more
    state = play(deal(game, "2c2d 3c3d 4c4d 7d2h 5c5d 6c6d"), "")
    assert decide("honest", state) == FOLD
    state = play(deal(game, "7d2h 3c3d 4c4d 5c5d 6c6d 8c8d"), "f f f")
    assert decide("honest", state) == FOLD  # against two, 72o would win more than a sixth


def test_random_folds_a_third_and_never_calls():
    state = deal(FREE, "AsAd KsKd")
    view = state.view(state.actor)
    agent = make_agent("random")
    drawn = [agent.act(view, Clock(), SeededRandom(mixed(5, n))).action for n in range(9000)]
    counts = Counter(type(action).__name__ for action in drawn)
    assert set(counts) == {"Fold", "RaiseTo"}
    assert abs(counts["Fold"] - 3000) < 4 * (9000 * 2 / 9) ** 0.5
    sizes = [action.chips for action in drawn if isinstance(action, RaiseTo)]
    assert (min(sizes), max(sizes)) == (view.min_raise, view.max_raise)
    middle = (view.min_raise + view.max_raise) / 2
    spread = (view.max_raise - view.min_raise) / 12**0.5
    assert abs(sum(sizes) / len(sizes) - middle) < 4 * spread / len(sizes) ** 0.5


@pytest.mark.parametrize("script", ["r200", "r197"])
def test_random_folds_where_it_cannot_make_a_full_raise(script):
    state = play(deal(FREE), script)
    assert {decide("random", state, word) for word in range(50)} == {FOLD}


def test_random_checks_where_the_rules_forbid_to_fold():
    state = play(deal(STRICT), "c")
    drawn = {type(decide("random", state, word)).__name__ for word in range(50)}
    assert drawn == {"Check", "RaiseTo"}


def test_bad_options_are_refused():
    with pytest.raises(OptionError, match="rollouts=0"):
        make_agent("honest:rollouts=0")
    with pytest.raises(OptionError, match=r"random.*'rollouts'"):
        make_agent("random:rollouts=5")


def test_random_calls_where_nobody_can_call_a_raise():
    state = nlhe(stack=(40, 200)).start()
    for move in ((0, 4), (8, 12), RaiseTo(40)):
        state = state.apply(move)
    drawn = [decide("random", state, word) for word in range(300)]
    assert set(drawn) == {FOLD, CALL}
    assert 60 < drawn.count(FOLD) < 140
