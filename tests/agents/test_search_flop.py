"""Flops searched on a device, where the processor stands in for it."""

import sys
from random import Random

import numpy as np
import pytest

from helpers.playing import deal, play
from tiltless.agents.agent import Clock
from tiltless.agents.search import SearchAgent
from tiltless.agents.search_boards import FLOP, TURN
from tiltless.agents.search_decision import policies_at
from tiltless.errors import OptionError
from tiltless.games.registry import load
from tiltless.postflop.device.card import missing_card
from tiltless.postflop.device.machine import NumpyMachine
from tiltless.search.cache import where
from tiltless.search.solved import carried_values
from tiltless.search.streets import past_decisions

GAME = load("nlhe")
SMALL = {"iterations": 2, "flop": "a; cap 1", "turn": "a; cap 1", "opponent": "subgame"}


def after(script):
    state = play(deal(GAME, "AsAd QhQc"), script, "Ks7s2s9h4d")
    return state.view(state.actor)


FLOP_VIEW, TURN_VIEW = after("r6 c"), after("r6 c k k")


@pytest.fixture(scope="module")
def searching():
    """An agent that has acted on the flop and on the turn, as the first to act."""
    agent = SearchAgent(**SMALL, device=NumpyMachine())
    agent._device = lambda kind: "cpu"
    agent.decisions = [agent.act(view, Clock(), Random(1)) for view in (FLOP_VIEW, TURN_VIEW)]
    return agent


def test_the_flop_is_searched_with_all_hands_and_a_fixed_range(searching):
    assert [each.source for each in searching.decisions] == ["search", "search"]
    assert searching.counts["solved"] == 2
    found = searching.memory.find(where(FLOP_VIEW))
    assert found.subgame.entry == "fixed-range"
    assert [len(found.node.combos(player)) for player in (0, 1)] == [1176, 1176]
    assert len(found.subgame.solver.forests) == 3


def test_the_turn_believes_what_the_flop_was_played_by(searching):
    (past,) = [
        each
        for each in past_decisions(TURN_VIEW)
        if each.view.street == FLOP and each.seat != TURN_VIEW.seat
    ]
    believed = searching._in_force(TURN_VIEW.seat, past)
    found = searching.memory.find_past(past, TURN_VIEW.seat)
    expected = policies_at(past.view, found, searching.post)
    np.testing.assert_array_equal(believed.chances, expected.chances)
    trusting = SearchAgent(**{**SMALL, "opponent": "blueprint"}, device=NumpyMachine())
    blueprint = trusting._in_force(TURN_VIEW.seat, past)
    assert blueprint.actions != believed.actions or (blueprint.chances != believed.chances).any()


def test_the_turn_has_the_values_of_the_flop_as_alternatives(searching):
    flop = searching.memory.find(where(FLOP_VIEW)).subgame
    turn = searching.memory.find(where(TURN_VIEW)).subgame
    assert (turn.entry, turn.trust) == ("max-margin", 0.9)
    own = [each for each in past_decisions(TURN_VIEW) if each.view.street == FLOP]
    line = own[-1].line
    expected = carried_values(
        flop, line, TURN_VIEW.board[-1], int(TURN_VIEW.seat == TURN_VIEW.button)
    )
    np.testing.assert_array_equal(searching._carried(TURN_VIEW), expected)


def test_the_processor_searches_from_the_turn_on():
    agent = SearchAgent(**SMALL)
    assert agent.first == TURN
    assert "search" not in agent.act(FLOP_VIEW, Clock(), Random(1)).source
    assert agent.takes_long(TURN_VIEW)
    assert not agent.takes_long(FLOP_VIEW)


def test_without_a_card_the_device_is_refused_in_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    missing_card.cache_clear()
    with pytest.raises(OptionError, match="device cpu") as refused:
        SearchAgent(device="gpu")
    assert "\n" not in str(refused.value)
    missing_card.cache_clear()


def test_a_flop_menu_that_is_too_large_is_refused():
    with pytest.raises(OptionError, match=r"flop=.*1,200,000 nodes"):
        SearchAgent(device=NumpyMachine(), flop="25%+50%+75%+100%+a/50%+100%+a")
    SearchAgent(flop="25%+50%+75%+100%+a/50%+100%+a")  # which is not used on a processor
