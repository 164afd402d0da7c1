"""A street that is solved again keeps what we have already played on it."""

from random import Random

import numpy as np
import pytest

from helpers.playing import deal, play
from tiltless.agents.agent import Clock
from tiltless.agents.search import SearchAgent
from tiltless.games.holdem.actions import CHECK
from tiltless.games.registry import load
from tiltless.postflop.node import find_node
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import Spot
from tiltless.search.cache import where
from tiltless.search.past_play import OwnDecision, lock_past

GAME = load("nlhe")
BOARD = "Ks7d2c9h4s"


def after(script, **given):
    state = play(deal(GAME, "AsAd QhQc", **given), script, BOARD)
    return state.view(state.actor)


def ranges_along(agent, script, odd):
    """Our range after our first decision by the solution then in force, and in the new one.

    odd: the rest of the street's line, which ends with a bet that no tree has.
    """
    first, again = after(script), after(f"{script} {odd}")
    assert first.seat == again.seat
    actions, chances = agent.policies(first)
    agent.policies(again)
    before, then = agent.memory.find(where(first)), agent.memory.find(where(again))
    move = then.node.moves[0]
    weights = agent.memory.notes(where(first)).ranges[first.seat]
    played = weights * chances[:, actions.index(move)]
    return before, then, played, then.node.reaches[then.node.actor]


@pytest.mark.parametrize(
    ("script", "odd"),
    [
        ("r6 c k r8 c k k", "k r13"),
        pytest.param("r4 c k r3 c k k", "k r9", marks=pytest.mark.slow),
        pytest.param("r6 c k k k k", "k r5", marks=pytest.mark.slow),
        ("r6 c k r8 c", "k r13"),
    ],
)
def test_our_range_is_the_one_that_we_played(script, odd):
    agent = SearchAgent(iterations=20, turn="75%+a/a")
    before, then, played, now = ranges_along(agent, script, odd)
    assert before.subgame is not then.subgame
    kept = now > 0
    assert kept.sum() > 100
    scale = now[kept].sum() / played[kept].sum()
    assert now[kept] == pytest.approx(scale * played[kept], rel=1e-5, abs=1e-9)
    assert played[~kept].sum() < 0.02 * played.sum()  # hands that were left out


def test_bets_of_ours_are_kept_too():
    agent = SearchAgent(iterations=20)
    script = "r6 c k r8 c k k"
    bet = agent.policies(after(script)).actions[1].chips
    _, _, played, now = ranges_along(agent, script, f"r{bet} r{2 * bet + 7}")
    kept = now > 0
    scale = now[kept].sum() / played[kept].sum()
    assert now[kept] == pytest.approx(scale * played[kept], rel=1e-5, abs=1e-9)


def test_the_blueprint_s_decision_is_kept_where_there_was_no_time():
    agent = SearchAgent(iterations=20)
    script = "r6 c k r8 c k k"
    first, again = after(script), after(f"{script} k r13")
    late = agent.act(first, Clock(0.001), Random(1))
    assert "no time" in late.source
    actions, chances = agent.blueprint.policies(first)
    agent.act(again, Clock(), Random(1))
    found = agent.memory.find(where(again))
    weights = agent.memory.notes(where(first)).ranges[first.seat]
    played = weights * chances[:, actions.index(found.node.moves[0])]
    now = found.node.reaches[found.node.actor]
    kept = now > 0
    scale = now[kept].sum() / played[kept].sum()
    assert now[kept] == pytest.approx(scale * played[kept], rel=1e-5, abs=1e-9)


def test_a_move_that_we_never_make_is_not_locked():
    solver = PostflopSolver(Spot(BOARD, oop="22+", ip="22+", pot=20, stack=90, bets="50%, a"))
    actions, even = find_node(solver).actions, np.full((1326, 3), 1 / 3)
    for prob, locks in ((np.zeros(1326), 0), (np.full(1326, 0.25), 1)):
        lock_past(solver, [OwnDecision((), CHECK, prob, actions, even)])
        assert len(solver.locks) == locks
    assert next(iter(solver.locks.values())) == pytest.approx(np.array([[0.25, 0.375, 0.375]] * 63))
