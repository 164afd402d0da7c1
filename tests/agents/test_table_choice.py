"""Agents without a file play the shipped blueprint that was made for the table."""

from pathlib import Path
from random import Random
from shutil import copy

import numpy as np
import pytest

from helpers.playing import deal, dealt, play, view_after
from tiltless.abstraction.cards.presets import card_abstraction
from tiltless.agents import make_agent
from tiltless.agents.agent import Clock
from tiltless.agents.blueprint import BlueprintAgent
from tiltless.agents.search import SearchAgent
from tiltless.arena.match import play_stored
from tiltless.arena.plan import MatchPlan
from tiltless.arena.store import Store
from tiltless.blueprint import shipped
from tiltless.blueprint.files.file import read_about
from tiltless.blueprint.shipped import find_blueprint, shipped_blueprints
from tiltless.blueprint.strategy import Blueprint, buckets_of
from tiltless.blueprint.tree import betting_tree
from tiltless.cards.card import parse_cards
from tiltless.cards.matchups import HOLDING
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.registry import load

DEEP = load("nlhe", stack=20_000, blinds=(50, 100))
HUNDRED = load("nlhe")
TABLES = (
    ({}, "hundred"),
    ({"stack": 200}, "hundred"),
    ({"stack": 10_000, "blinds": (50, 100)}, "hundred"),
    ({"stack": 20_000, "blinds": (50, 100)}, "two-hundred"),
    ({"stack": 400}, "two-hundred"),
    ({"stack": (900, 400)}, "two-hundred"),  # the effective stack counts
    ({"stack": 2_000, "blinds": (5, 10), "heads_up": "pypokerengine"}, "two-hundred"),
)
OTHERS = (
    ("20bb", "hundred"),
    ("141bb", "hundred"),
    ("142bb", "two-hundred"),
    ("500bb", "two-hundred"),
)
QUICK = {"iterations": 8, "turn": "a/a", "river": "75%+a/a"}


def played_by(agent: BlueprintAgent, rules) -> Path:
    about = agent.at(rules).known.blueprint.about
    return next(path for path in agent.files if read_about(path) == about)


@pytest.mark.parametrize("name", ["blueprint", "search"])
@pytest.mark.parametrize(("parameters", "chosen"), TABLES)
def test_the_blueprint_made_for_a_table_plays_it(parameters, chosen, name):
    agent, game = make_agent(name), load("nlhe", **parameters)
    assert agent.check_table(game.name, game.rules) == ""
    agent = getattr(agent, "blueprint", agent)
    assert played_by(agent, game.rules) == find_blueprint(chosen)


@pytest.mark.parametrize(("stack", "chosen"), OTHERS)
def test_other_depths_are_played_by_the_nearest_with_a_warning(stack, chosen):
    agent, game = BlueprintAgent(), load("nlhe", stack=stack)
    trained = {"hundred": "100", "two-hundred": "200"}[chosen]
    for number in (trained, stack.removesuffix("bb")):
        assert f" {number} " in agent.check_table(game.name, game.rules)
    assert played_by(agent, game.rules) == find_blueprint(chosen)


def test_a_file_that_is_named_plays_every_table():
    for text in ("blueprint:file=hundred", "search:file=hundred"):
        assert " 100 " in make_agent(text).check_table(DEEP.name, DEEP.rules)
    for text, seats in (("blueprint", 7), ("blueprint:file=hundred", 3), ("search", 3)):
        with pytest.raises(OptionError, match=str(seats)):
            make_agent(text).check_table("nlhe", load("nlhe", seats=seats).rules)


@pytest.mark.parametrize("small", [1, 50])
def test_deep_hands_are_played_from_the_deep_tree(small):
    """Every decision of some hands, with the chips of training and others of the same ratio."""
    game = load("nlhe", stack=400 * small, blinds=(small, 2 * small))
    blueprint, agent, rng = Blueprint.load("two-hundred"), BlueprintAgent(), Random(3)
    found = 0
    for _ in range(6):
        state, line = dealt(game.start(0), rng), ""
        while state.actor >= 0:
            view = state.view(state.actor)
            node = blueprint.locate(line)
            seen = blueprint.table(node).any(axis=1)[blueprint.buckets(view.board)]
            seen &= ~HOLDING[list(view.board)].any(axis=0)
            menu = blueprint.tree.children(node)
            chances = agent.policies(view).chances[seen, : len(menu)]
            assert (chances == blueprint.hands(node, view.board)[seen].astype(np.float32)).all()
            decision = agent.act(view, Clock(), rng)
            assert decision.source in ("blueprint", "strength")
            found += decision.source == "blueprint"
            line += f" {word(decision.action, 50 // small)}"
            after = dealt(state.apply(decision.action), rng)
            line += " /" * (len(after.board) > len(state.board) and after.actor >= 0)
            state = after
    assert found > 12


def word(action, chips):
    """An action as in a line of play.  chips: of training for one at the table."""
    if isinstance(action, RaiseTo):
        return f"r{chips * action.chips}"
    return {FOLD: "f", CHECK: "x", CALL: "c"}[action]


def test_an_agent_plays_two_tables_at_a_time():
    views = [view_after(game, RaiseTo(2 * game.rules.big_blind), CALL) for game in (DEEP, HUNDRED)]
    both = BlueprintAgent()
    for view, name in [*zip(views, ("two-hundred", "hundred"), strict=True)] * 2:
        alone = BlueprintAgent(name)
        assert both.policies(view).actions == alone.policies(view).actions
        assert (both.policies(view).chances == alone.policies(view).chances).all()
        own = view._replace(cards=tuple(parse_cards("AsKd")))
        assert both.act(own, Clock(), Random(4)) == alone.act(own, Clock(), Random(4))


def test_search_solves_with_the_table_s_blueprint():
    both = SearchAgent(**QUICK)
    for game, name in ((DEEP, "two-hundred"), (HUNDRED, "hundred"), (DEEP, "two-hundred")):
        chips = game.rules.big_blind
        script = f"r{2 * chips} c k k k k k"
        state = play(deal(game, "AsAd QhQc"), script, "Ks7d2c9h4s")
        view, alone = state.view(state.actor), SearchAgent(file=name, **QUICK)
        assert alone.explain(view) is not None
        ours, theirs = both.policies(view), alone.policies(view)
        assert ours.actions == theirs.actions
        assert (ours.chances == theirs.chances).all()


def test_nothing_is_loaded_before_a_table_is_seen():
    """Workers do not call `check_table`, and a decision may have no time to load a model."""
    agent = BlueprintAgent()
    assert not agent._loaded
    agent.hand_start(view_after(DEEP))
    assert list(agent._loaded) == [find_blueprint("two-hundred")]


@pytest.fixture
def models(tmp_path, monkeypatch):
    """Two small models, of 20 and of 40 big blinds."""
    folder = tmp_path / "models"
    folder.mkdir()
    monkeypatch.setattr(shipped, "MODELS", folder)
    for name, stack in (("hundred", 40), ("other", 80)):
        tree, cards = betting_tree(load("nlhe", stack=stack), "100%, a"), card_abstraction("tiny")
        average = np.ones(int(tree.rows(buckets_of(tree, cards)).start[-1]), np.float32)
        about = "nlhe", {"stack": stack}, "100%, a", cards
        Blueprint.from_average(tree, *about, average).save(folder / f"{name}.safetensors")
    return folder


def test_a_results_file_continues_only_with_equal_files(models, tmp_path):
    assert shipped_blueprints() == ("hundred", "other")
    plan = MatchPlan(("blueprint", "fish"), 4, parameters={"stack": 80}, chunk=2)
    notes: list[str] = []
    with Store(tmp_path / "arena.db") as store:
        for number in (1, 1):
            again = play_stored(plan, store, resume=True, note=notes.append)
            assert (again.number, notes) == (number, [])
        before = {name: make_agent(name).fingerprint() for name in ("blueprint", "search")}
        card = Blueprint.load("other").with_card({"note": "another file"})
        copy(models / "other.safetensors", tmp_path)
        card.save(models / "other.safetensors")
        assert all(make_agent(name).fingerprint() != before[name] for name in before)
        assert play_stored(plan, store, resume=True, note=notes.append).number == 2
        assert len(notes) == 1
        (models / "other.safetensors").unlink()
        assert all(make_agent(name).fingerprint() != before[name] for name in before)
        copy(tmp_path / "other.safetensors", models)
        assert play_stored(plan, store, resume=True, note=notes.append).number == 1
