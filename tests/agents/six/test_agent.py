"""The agent of three to six seats: legal play at all of its tables, policies, and who is chosen."""

from random import Random

import numpy as np
import pytest

from helpers.small_six import PARAMETERS, random_model
from tiltless.agents.agent import Clock
from tiltless.agents.registry import make_agent
from tiltless.agents.spot_query import spot_view
from tiltless.blueprint import shipped
from tiltless.errors import CardError, OptionError
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem.actions import FOLD, RaiseTo
from tiltless.games.registry import load


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("six") / "six.safetensors"
    random_model().compact().save(path)
    return path


TABLES = [
    {"seats": 4, "stack": "20bb"},
    {"seats": 3, "stack": (40, 7, 200)},
    {"seats": 4, "stack": (40, 12, 300, 90), "ante": 1},
    {"seats": 4, "stack": 5000, "blinds": (50, 100)},
]


@pytest.mark.parametrize("parameters", TABLES)
def test_play_is_legal_and_policies_are_what_is_played(model, parameters):
    agent, rng, game = make_agent(f"six:file={model}"), Random(5), load("nlhe", **parameters)
    agent.check_table(game.name, game.rules)
    sources = set()
    for hand in range(24):
        state = game.start(button=hand % game.players)
        while state.actor != TERMINAL:
            if state.actor == CHANCE:
                state = state.apply(state.chance.sample(rng))
                continue
            view = state.view(state.actor)
            if state.actor == 1 and rng.random() < 0.4:  # somebody who bets as he likes
                low, high = view.actions.min_raise, view.actions.max_raise
                move = RaiseTo(rng.randint(low, min(high, 3 * low))) if high else None
                if move:
                    state = state.apply(move)
                    continue
            decision = agent.act(view, Clock(), rng)
            sources.add(decision.source.partition(",")[0])
            assert decision.action in view.actions
            told = agent.policies(view)
            combo = np.flatnonzero(told.chances.sum(axis=1) > 0.5)
            assert len(combo) >= 1326 - 52 * 5
            np.testing.assert_allclose(told.chances[combo].sum(axis=1), 1, atol=1e-5)
            first = told.actions.index(decision.action)
            own = dict(decision.policy)
            row = told.chances[_combo(view.cards)]
            assert row[first] == pytest.approx(own[decision.action], abs=1e-5)
            state = state.apply(decision.action)
    assert "blueprint" in sources


def _combo(cards):
    from tiltless.cards.card import COMBO_OF

    return int(COMBO_OF[cards[0], cards[1]])


def test_the_strategy_of_a_spot_is_the_row_of_the_model(model):
    agent = make_agent(f"six:file={model}")
    game = load("nlhe", **PARAMETERS)
    view = spot_view(game, "f r2.5bb f")
    assert (view.seat, view.pot) == (2, 8)
    told = agent.policies(view)
    strategy = agent.at(game.rules).known.strategy
    spots = strategy.spots
    spot = spots.after(spots.after(spots.after(spots.root, 0), 2), 0)
    wanted = strategy.hands(spot.node)
    assert told.actions[: len(spot.actions)] == spot.actions  # then those of hands never met
    met = strategy.table(spot.node).any(axis=1)[strategy.buckets(())]
    np.testing.assert_allclose(told.chances[met, : len(spot.actions)], wanted[met], atol=1e-6)


def test_lines_of_a_table():
    game = load("nlhe", seats=4, stack="20bb")
    view = spot_view(game, "r5 f f c / x", "Ks7d2c")
    assert (view.street, view.seat, view.pot) == (1, 3, 11)
    assert len(view.board) == 3
    for line, board, problem in (
        ("r5 f f c / x", "", OptionError),
        ("r5 f f c", "Ks7d2c", OptionError),
        ("r5 f f f", "", OptionError),
        ("r5 x", "", OptionError),
        ("r5 f / ", "Ks7d2c", OptionError),
        ("f f", "Ks7d2c", CardError),
    ):
        with pytest.raises(problem):
            spot_view(game, line, board)


def test_a_dear_raise_past_the_menu_is_not_called_with_every_hand(model):
    """Before the flop the toy's third raise is all-in; one in between is no invitation."""
    agent, game = make_agent(f"six:file={model}"), load("nlhe", seats=4, stack="20bb")
    view = spot_view(game, "r5 r15 r27 f f")
    assert view.to_call == 12
    told = agent.policies(view)
    folds = told.chances[:, told.actions.index(FOLD)]
    assert folds[_combo((0, 21))] > folds[_combo((50, 51))]  # a two and a seven; aces


def test_other_tables_are_refused(model):
    agent = make_agent(f"six:file={model}")
    for seats in (2, 7):
        with pytest.raises(OptionError, match=f"3 to 4 seats and the table has {seats}"):
            agent.check_table("nlhe", load("nlhe", seats=seats).rules)


@pytest.mark.parametrize("options", ["", ",search"])
def test_two_who_are_left_with_carried_stacks_are_played_by_the_model_of_two(model, options):
    """A session with carried stacks once ended in crashes when only two had chips."""
    agent, rng = make_agent(f"six:file={model}{options}"), Random(3)
    game = load("nlhe", stack=(900, 300), blinds=(1, 2))
    for button in (0, 1):
        state = game.start(button=button)
        agent.hand_start(state.view(0))
        while state.actor != TERMINAL:
            if state.actor == CHANCE:
                state = state.apply(state.chance.sample(rng))
                continue
            decision = agent.act(state.view(state.actor), Clock(), rng)
            assert decision.source.startswith(("blueprint", "strength", "price"))
            state = state.apply(decision.action)


def test_the_blueprint_agent_chooses_by_seats(model, tmp_path, monkeypatch):
    folder = tmp_path / "models"
    folder.mkdir()
    monkeypatch.setattr(shipped, "MODELS", folder)
    with pytest.raises(OptionError, match="no blueprint of six seats ships"):
        make_agent("six")
    (folder / "hundred.safetensors").write_bytes(
        (tmp_path.parent / "none").read_bytes() if False else _hundred()
    )
    (folder / "six.safetensors").write_bytes(model.read_bytes())
    for seats, name in ((2, "hundred"), (3, "six"), (4, "six"), (5, "hundred")):
        assert shipped.blueprint_for(load("nlhe", seats=seats).rules) == name
    agent = make_agent("blueprint")
    assert agent.check_table("nlhe", load("nlhe", seats=3, stack="20bb").rules) == ""
    assert make_agent("six").files == (folder / "six.safetensors",)


def _hundred():
    from importlib.resources import files

    return (files("tiltless.blueprint") / "models" / "hundred.safetensors").read_bytes()
