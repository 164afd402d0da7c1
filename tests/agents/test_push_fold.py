"""All-in or fold by price, and the blueprint with short stacks."""

import numpy as np
import pytest

from helpers.playing import deal, play
from tiltless.agents import make_agent
from tiltless.agents.agent import Clock
from tiltless.agents.push_fold import depth, play_push_fold, push_fold
from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
from tiltless.cards.card import CLASS_OF_COMBO, combo_index
from tiltless.cards.preflop import class_pairs, equity_vs_random, preflop_equities
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.variants import nlhe
from tiltless.games.registry import load
from tiltless.seeding import SeededRandom


def share(classes):
    """The part of all hands."""
    return float(classes[CLASS_OF_COMBO].mean())


def test_ten_big_blinds_push_as_the_published_charts_say():
    found = push_fold(3, 19, 18)
    assert share(found.push) == pytest.approx(0.58, abs=0.02)
    assert push_fold(30, 190, 180) is found  # the same at any scale


@pytest.mark.parametrize("chips", [10, 20, 40, 80])
def test_nobody_would_gain_by_pushing_more_or_less(chips):
    """The value of a push against the best response to the whole range, by class."""
    pot, push, call = 3, chips - 1, chips - 2
    equity, pairs = preflop_equities(), class_pairs()
    pushing, total = push_fold(pot, push, call).push, pot + push + call
    calls = [
        sum(pushing[i] * pairs[i, j] * ((1 - equity[i, j]) * total - call) for i in range(169)) > 0
        for j in range(169)
    ]
    gain = []
    for i in range(169):
        values = np.where(calls, equity[i] * total - push, pot)
        worth = float((pairs[i] * values).sum() / pairs[i].sum())
        gain.append(max(worth, 0.0) - pushing[i] * worth)
    weights = pairs.sum(axis=1)
    assert np.dot(gain, weights) / weights.sum() < 0.03  # chips


def test_calls_go_by_the_price():
    cheap, dear = push_fold(20, 10, 5).call, push_fold(3, 200, 199).call
    assert share(cheap) == 1
    assert share(dear) < 0.3
    assert share(push_fold(3, 79, 78).call) == pytest.approx(0.3, abs=0.1)
    names = {name: CLASS_OF_COMBO[combo_index(name)] for name in ("AdAc", "7d2c")}
    assert (dear[names["AdAc"]], dear[names["7d2c"]]) == (1, 0)


def test_where_checking_is_free_fewer_hands_push():
    assert share(push_fold(4, 18, 18, free=True).push) < share(push_fold(4, 18, 18).push)


def answers(game, line):
    state = play(deal(game), line)
    return play_push_fold(state.view(state.actor))


def test_spots():
    short = nlhe(stack="10bb")
    for line, actions in (
        ("", (RaiseTo(20), FOLD)),
        ("c", (RaiseTo(20), CHECK)),
        ("r5", (RaiseTo(20), FOLD)),
        ("r20", (CALL, FOLD)),
        ("r5 r20", (CALL, FOLD)),
    ):
        found, chances = answers(short, line)
        assert found == actions
        assert chances.shape == (1326, len(actions))
        assert chances.sum(axis=1) == pytest.approx(np.ones(1326))
    assert answers(load("limit-holdem", stack="10bb"), "") is None
    assert depth(play(deal(short), "").view(0)) == 20 / 3


def test_against_a_blind_that_is_all_in_any_hand_is_met():
    game = nlhe(stack=(40, 2), blinds=(1, 2))
    found, chances = answers(game, "")
    assert found == (CALL, FOLD)
    expected = equity_vs_random() * 4 > 1
    assert (chances[:, 0] == expected[CLASS_OF_COMBO]).all()


@pytest.mark.parametrize("stacks", [(200, 12), (12, 200)])
def test_chips_that_nobody_can_call_do_not_count(stacks):
    uneven, even = nlhe(stack=stacks), nlhe(stack=(12, 12))
    for line in ("", "r5", "c"):
        ours, exact = answers(uneven, line), answers(even, line)
        assert (ours[1] == exact[1]).all()
    if stacks[0] > stacks[1]:
        for chips in (12, 14, 200):
            assert (answers(uneven, f"r{chips}")[1] == answers(even, "r12")[1]).all()


def edges(other, stack, deals, **options):
    """Lower and upper 95 % bounds of the blueprint's result, chips a hand."""
    game = load("nlhe", stack=stack, **options)
    one, two = Seated(make_agent("blueprint")), Seated(make_agent(other))
    won = []
    for number, deck in enumerate(shuffled_decks(game, 21, 0, deals).tolist()):
        first = play_hand(game, (one, two), deck, seed=21, deal=number)
        second = play_hand(game, (two, one), deck, seed=21, deal=number)
        assert not first.faults
        won.append((first.payoffs[0] + second.payoffs[1]) / 2)
    error = 1.96 * np.std(won, ddof=1) / deals**0.5
    return np.mean(won) - error, np.mean(won) + error


@pytest.mark.parametrize(
    ("other", "stack", "deals"),
    [
        ("all-in", "10bb", 400),
        pytest.param("all-in", "20bb", 800, marks=pytest.mark.slow),
        pytest.param("all-in", "40bb", 400, marks=pytest.mark.slow),
        ("fish", "10bb", 200),
    ],
)
def test_short_stacks_beat_the_simplest(other, stack, deals):
    assert edges(other, stack, deals)[0] > 0


@pytest.mark.slow
@pytest.mark.parametrize("other", ["all-in", "fish"])
@pytest.mark.parametrize("stack", ["5bb", "10bb", "20bb", "40bb"])
def test_short_stacks_beat_the_simplest_in_thousands_of_deals(other, stack):
    assert edges(other, stack, 4000)[0] > 0


def test_short_stacks_do_not_lose_to_rollouts():
    low, high = edges("monte-carlo:rollouts=300", "10bb", 300)
    assert high > 0
    assert low > -1


@pytest.mark.slow
def test_short_stacks_beat_rollouts_in_thousands_of_deals():
    assert edges("monte-carlo:rollouts=300", "10bb", 4000)[0] > 0


@pytest.mark.parametrize("stack", ["15bb", "20bb", "40bb"])
def test_all_ins_far_below_the_trees_are_met_by_price(stack):
    game = load("nlhe", stack=stack)
    state = play(deal(game), f"r{2 * int(stack[:-2])}")
    agent = make_agent("blueprint")
    actions, chances = agent.policies(state.view(state.actor))
    assert actions == (CALL, FOLD)
    assert chances[:, 0].mean() > 0.2  # of the tree's all-in, one hand in ten is called
    decision = agent.act(state.view(state.actor), Clock(), SeededRandom())
    assert decision.source == "price"
