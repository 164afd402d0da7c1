"""The wrapper: locks, the score, hooks, and matches won."""

from random import Random

import numpy as np
import pytest

from helpers.playing import view_after
from tiltless.agents.agent import Agent, Clock, Decision, KnownStrategy, check_or_call
from tiltless.agents.endgame import endgame
from tiltless.agents.endgame.lines import changes
from tiltless.agents.endgame.rules import MatchState
from tiltless.agents.endgame.values import match_values
from tiltless.agents.registry import imports_code, is_slow, make_agent
from tiltless.agents.simple import Folder
from tiltless.arena.chunk import play_chunk
from tiltless.arena.match import play_match
from tiltless.arena.plan import MatchPlan
from tiltless.cards.card import COMBO_OF, parse_cards
from tiltless.errors import OptionError
from tiltless.games import load
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo

GAME = load("nlhe", stack=200)
JAM = RaiseTo(200)


def at(agent, view, bankroll, left, hands=100):
    """The wrapper of an agent at a decision, with this score before the hand."""
    wrapped = endgame(agent, hands)
    wrapped._bankroll, wrapped._played = bankroll, hands - left
    wrapped.hand_start(view)
    return wrapped


def choice(agent, view, bankroll, left):
    return at(agent, view, bankroll, left).act(view, Clock(), Random(1)).action


class Caller(Agent):
    """Not a known strategy."""

    def act(self, view, clock, rng):
        return Decision(check_or_call(view.actions), source="caller")


# --- locks -----------------------------------------------------------------------------------


def lost_after_a_lock(agent, matches, hands, seed=1, other="probe-pot"):
    """Matches that were locked, and those of them that were not won, against a constant raiser.

    Locks are found here from the results of hands alone.
    """
    plan = MatchPlan(
        (f"endgame:agent={agent}", other), matches // 2 * hands, seed=seed, match_hands=hands
    )
    agents = plan.make_agents()
    locked, lost = 0, 0
    score = {}

    def look(hand):
        nonlocal locked, lost
        number = hand.deal % hands
        if not number:
            score.update(won=0, lock=False)
        score["won"] += hand.played.payoffs[hand.agents.index(0)]
        left = hands - number - 1
        button = (number + 1) % 2 == hand.agents.index(0)
        small = (left + button) // 2
        score["lock"] |= score["won"] > small + 2 * (left - small)
        if not left:
            locked += score["lock"]
            lost += score["lock"] and score["won"] <= 0

    for number in range(plan.chunks):
        play_chunk(plan, number, agents, keep_hands=False, look=look)
    return locked, lost


def test_no_match_is_lost_after_a_lock():
    for agent, matches in (("uniform", 10), ("all-in", 40)):
        locked, lost = lost_after_a_lock(agent, matches, 30)
        assert locked > 0.2 * matches
        assert lost == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "other", "matches"),
    [("rules", "all-in", 10_000), ("all-in", "probe-pot", 10_000), ("uniform", "probe-pot", 2000)],
)
def test_no_match_of_ten_thousand_is_lost_after_a_lock(agent, other, matches):
    """Against bots that raise in every hand; ``-rP`` shows the counts."""
    locked, lost = lost_after_a_lock(agent, matches, 30, seed=2, other=other)
    print(f"{agent} against {other}: {lost} of {locked} locked matches lost, {matches} played")
    assert locked > 0.2 * matches
    assert lost == 0


@pytest.mark.parametrize(
    ("actions", "expected"),
    [((), FOLD), ((RaiseTo(6),), FOLD), ((CALL,), CHECK), ((RaiseTo(6), CALL), CHECK)],
)
def test_a_won_match_is_checked_and_folded_home(actions, expected):
    view = view_after(GAME, *actions)
    paid = view.paid[view.seat]
    for left in (1, 2, 30):
        rest = left - 1
        small = (rest + (view.seat != view.button)) // 2
        line = paid + small + 2 * (rest - small)  # a fold leaves just enough to fold home, and tie
        assert choice(Caller(), view, line + 1, left) == expected
        assert choice(Caller(), view, line, left) != FOLD or left > 1


def test_who_loses_by_folding_never_folds():
    for actions in ((), (RaiseTo(6),), (JAM,), (RaiseTo(6), RaiseTo(20)), (RaiseTo(6), CALL)):
        view = view_after(GAME, *actions)
        for left in (1, 2, 10):
            for bankroll in range(-60, 4, 4 if view.board else 1):
                state = MatchState(bankroll, left, view.seat == view.button, (1, 2))
                action = choice(Folder(), view, bankroll, left)
                if state.loses_by_folding(view.paid[view.seat]) and not state.is_lost:
                    assert action != FOLD
    assert choice(Caller(), view_after(GAME), -1, 1) == JAM  # a call cannot gain two chips often


def test_the_line_that_can_gain_enough():
    """Ten chips behind, last hand: on the river a pot of eight is not enough, however good."""
    lines = [RaiseTo(4), CALL, CHECK, CHECK, CHECK, CHECK, CHECK]
    view = view_after(GAME, *lines)
    assert (view.street, view.pot) == (3, 8)
    assert choice(Caller(), view, -10, 1) == RaiseTo(196)


# --- the score -------------------------------------------------------------------------------


def calling_hands(bankroll, left):
    """Which hands call an all-in as big blind, ``[1326]``."""
    view = view_after(GAME, JAM)
    policies = at(make_agent("fold"), view, bankroll, left).policies(view)
    if CALL not in policies.actions:
        return np.zeros(1326, bool)
    return policies.chances[:, policies.actions.index(CALL)] > 0.5


def test_calls_of_an_all_in_follow_the_score():
    ahead, behind = calling_hands(130, 100), calling_hands(-130, 100)
    assert ahead.sum() < 100  # above .84 are needed
    assert behind.sum() > 1250
    some = calling_hands(60, 100)  # about .7 are needed
    assert 0 < some.sum() < 400
    aces, worst = (COMBO_OF[tuple(parse_cards(hand))] for hand in ("AsAh", "7d2c"))
    assert some[aces]
    assert not some[worst]


def test_even_scores_are_left_to_the_agent():
    view = view_after(GAME, JAM)
    values = match_values(1000, (1, 2), 2, 200)
    for bankroll, left, changed in ((0, 1000, False), (0, 100, False), (130, 100, True)):
        state = MatchState(bankroll, left, False, (1, 2))
        assert (changes(view, state, values, Caller()) is not None) is changed


def test_policies_are_what_is_played():
    for actions in ((), (CALL,), (RaiseTo(6),), (JAM,), (RaiseTo(6), CALL, CHECK, RaiseTo(194))):
        for seed in range(2):
            view = view_after(GAME, *actions, seed=seed)
            for bankroll, left in ((-140, 100), (130, 100), (-7, 4), (5, 4), (-1, 1), (0, 50)):
                wrapped = at(make_agent("fold"), view, bankroll, left)
                policies = wrapped.policies(view)
                first, second = view.cards
                row = policies.chances[COMBO_OF[first, second]]
                played = wrapped.act(view, Clock(), Random(0)).action
                assert row[policies.actions.index(played)] == pytest.approx(1)
                free = policies.chances.sum(axis=1)
                assert set(np.round(free, 5)) <= {0, 1}


def test_only_locks():
    view = view_after(GAME, JAM)
    for bankroll, left, expected in ((-130, 100, FOLD), (152, 100, FOLD), (-149, 100, CALL)):
        wrapped = at(make_agent("fold"), view, bankroll, left)
        wrapped.only_locks = True
        assert wrapped.act(view, Clock(), Random(1)).action == expected
    assert choice(make_agent("fold"), view, -130, 100) == CALL


def test_only_known_strategies_stay_known():
    assert isinstance(make_agent("endgame:agent=fold"), KnownStrategy)
    assert not isinstance(endgame(Caller()), KnownStrategy)


def test_other_games_are_played_by_the_exact_rules():
    for game in ("river-of-blood", "permutation", "limit-holdem"):
        result = play_match(
            "endgame:agent=uniform", "uniform", game=game, hands=12, matches=12, seed=4
        )
        assert not any(result[0].faults)
        assert dict(result[0].sources.counts)["match won"] > 3


# --- hooks and options -----------------------------------------------------------------------


def test_the_score_is_counted_by_hooks():
    wrapped = make_agent("endgame:agent=fish,hands=3")
    view = view_after(GAME)
    over = view._replace(payoffs=(-7, 7))
    wrapped.match_start()
    for left, bankroll in ((3, 0), (2, -7), (1, -14)):
        wrapped.hand_start(view)
        assert wrapped.state == MatchState(bankroll, left, True, (1, 2))
        wrapped.hand_end(over)
    wrapped.hand_start(view)
    assert wrapped.state is None  # more hands than expected
    assert wrapped.act(view, Clock(), Random(0)).action == CALL
    wrapped.match_start()
    wrapped.hand_start(view)
    assert wrapped.state == MatchState(0, 3, True, (1, 2))


def test_the_length_of_a_match():
    assert make_agent("endgame:agent=fish").hands == 1000
    plan = MatchPlan(("endgame:agent=fish", "endgame:hands=40,agent=fish"), 50, match_hands=50)
    agents = plan.make_agents()
    assert [agent.hands for agent in agents] == [50, 40]
    (note,) = plan.notes(agents)
    assert "40" in note
    assert "50" in note
    with pytest.raises(OptionError, match="3"):
        MatchPlan(("endgame:agent=fish", "fish", "fish"), 10).make_agents()


@pytest.mark.parametrize(
    ("text", "hands", "inner"),
    [
        ("endgame:agent=fish", 1000, "Caller"),
        ("endgame:agent=fish,hands=20", 20, "Caller"),
        ("endgame:hands=20,agent=monte-carlo:rollouts=50,pot-odds", 20, "MonteCarlo"),
        ("endgame:hands=20, agent=endgame:hands=30,agent=fold", 20, "KnownEndgame"),
    ],
)
def test_texts_of_agents_inside_agents(text, hands, inner):
    agent = make_agent(text)
    assert (agent.hands, type(agent.agent).__name__) == (hands, inner)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("endgame", "agent"),
        ("endgame:agent=nobody", "nobody"),
        ("endgame:agent=fish,hands=-1", "-1"),
        ("endgame:agent=monte-carlo:rollouts=50,hands=20", "hands"),
        ("endgame:agent=mybots:Maniac", "mybots:Maniac"),
    ],
)
def test_wrong_texts_name_what_is_wrong(text, named):
    with pytest.raises(OptionError, match=named):
        make_agent(text)


def test_trust_and_patience_are_those_of_the_inner_agent():
    assert imports_code("endgame:agent=mybots:Maniac")
    assert not imports_code("endgame:agent=fish")
    assert is_slow("endgame:hands=3,agent=search:iterations=2")
    assert not is_slow("endgame:agent=fish")
    one, two = make_agent("endgame:agent=fish"), make_agent("endgame:agent=fold")
    assert one.fingerprint() != two.fingerprint()


# --- strength --------------------------------------------------------------------------------


def test_more_matches_are_won_than_by_the_agent_alone():
    result = play_match("endgame:agent=rules", "rules", hands=60, matches=30, seed=1)
    assert result.matches_won().low > 0.5


@pytest.mark.slow
def test_matches_won_against_the_same_blueprint():
    """Locks alone make .584 by the dynamic program."""
    result = play_match("endgame:agent=blueprint", "blueprint", hands=1000, matches=120, seed=17)
    share = result.matches_won()
    assert share.mean >= 0.57
    assert share.low > 0.5
