"""The agent that plays a blueprint."""

from random import Random
from typing import Any

import numpy as np
import pytest

from helpers.playing import dealt, view_after
from tiltless.agents import KnownStrategy, make_agent
from tiltless.agents.agent import Clock
from tiltless.agents.blueprint import BlueprintAgent, load_blueprint
from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
from tiltless.blueprint.shipped import find_blueprint
from tiltless.cards.card import COMBO_CARDS, combo_index
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.games.holdem.view import View
from tiltless.games.registry import load
from tiltless.seeding import SeededRandom

OPTIONS = (
    "blueprint",
    "blueprint:argmax",
    "blueprint:threshold=0.1",
    "blueprint:purify,fold-threshold=0.4,translation=pseudo-harmonic",
)


HUNDRED = load("nlhe")
DEEP = load("nlhe", stack="2000bb")
SHORT = load("nlhe", stack=(37, 90), blinds=(1, 3), heads_up="pypokerengine", free_fold=True)
VIEWS = {
    "first in": view_after(HUNDRED),
    "flop": view_after(HUNDRED, RaiseTo(4), CALL),
    "off-tree turn": view_after(HUNDRED, RaiseTo(5), CALL, RaiseTo(7), CALL, RaiseTo(30), seed=1),
    "short": view_after(SHORT, CALL, CHECK, CHECK, RaiseTo(9), seed=2),
    "over in the tree": view_after(DEEP, RaiseTo(300), CALL, RaiseTo(600), seed=3),
    "past the tree": view_after(DEEP, RaiseTo(400), RaiseTo(1200), seed=4),
    "ten blinds": view_after(load("nlhe", stack="10bb")),
    "a short all-in": view_after(load("nlhe", stack="30bb"), RaiseTo(60)),
    "a short all-in later": view_after(
        load("nlhe", stack="30bb"), CALL, CHECK, RaiseTo(58), seed=5
    ),
}


def with_cards(view: View, combo: int) -> View:
    return view._replace(cards=tuple(COMBO_CARDS[combo].tolist()))


SOURCES = {
    "over in the tree": "strength",
    "past the tree": "blueprint, past the tree",
    "ten blinds": "price",
    "a short all-in": "price",
    "a short all-in later": "strength",
}


@pytest.mark.parametrize("name", VIEWS)
def test_decisions_say_what_decided(name: str) -> None:
    decision = BlueprintAgent().act(VIEWS[name], Clock(), SeededRandom())
    assert decision.source == SOURCES.get(name, "blueprint")


@pytest.mark.parametrize("text", OPTIONS)
@pytest.mark.parametrize("name", VIEWS)
def test_policies_are_what_act_draws_from(name: str, text: str) -> None:
    view, agent = VIEWS[name], make_agent(text)
    assert isinstance(agent, KnownStrategy)
    actions, chances = agent.policies(view)
    assert chances.shape == (1326, len(actions))
    assert chances.dtype == np.float32
    assert len(set(actions)) == len(actions)
    assert all(action in view.actions for action in actions)
    blocked = np.isin(COMBO_CARDS, view.board).any(axis=1)
    assert not chances[blocked].any()
    assert chances[~blocked].sum(axis=1) == pytest.approx(np.ones(np.count_nonzero(~blocked)))
    for combo in np.flatnonzero(~blocked)[:: 3 if name == "flop" else 21].tolist():
        decision = agent.act(with_cards(view, combo), Clock(), SeededRandom(combo))
        said = dict(decision.policy)
        row = dict(zip(actions, chances[combo].tolist(), strict=True))
        assert said == {action: chance for action, chance in row.items() if chance}
        assert said[decision.action] > 0


@pytest.mark.parametrize("name", VIEWS)
def test_policies_do_not_look_at_the_own_cards(name: str) -> None:
    view, agent = VIEWS[name], BlueprintAgent()
    actions, chances = agent.policies(view)
    free = np.flatnonzero(~np.isin(COMBO_CARDS, view.board).any(axis=1))
    for combo in free[[0, 400, -1]].tolist():
        others, found = BlueprintAgent().policies(with_cards(view, combo))
        assert others == actions
        assert (found == chances).all()


def test_rows_are_those_of_the_blueprint() -> None:
    agent, view = BlueprintAgent(), VIEWS["flop"]
    blueprint = agent.at(view.rules).known.blueprint
    node = blueprint.locate("r2bb c /")
    actions, chances = agent.policies(view)
    menu = tuple(blueprint.tree.action(child) for child in blueprint.tree.children(node))
    assert actions[: len(menu)] == menu
    buckets = blueprint.abstraction.buckets(view.board)
    visited = blueprint.table(node).any(axis=1)[buckets]
    expected = blueprint.hands(node, view.board)
    assert visited.mean() > 0.9
    assert (chances[visited, : len(menu)] == expected[visited].astype(np.float32)).all()


def test_buckets_are_those_of_the_abstraction() -> None:
    known = load_blueprint(find_blueprint())
    for view in VIEWS.values():
        assert (known.buckets(view.board) == known.blueprint.abstraction.buckets(view.board)).all()


def test_past_the_tree_hands_fold_as_often_as_before() -> None:
    agent, view = BlueprintAgent(), VIEWS["past the tree"]
    blueprint = agent.at(view.rules).known.blueprint
    actions, chances = agent.policies(view)
    assert actions == (CALL, FOLD)
    menu = [blueprint.tree.action(child) for child in blueprint.tree.children(0)]
    for combo, row in enumerate(blueprint.hands(0)):
        fold = row[menu.index(FOLD)]
        assert chances[combo].tolist() == pytest.approx([1 - fold, fold])


def test_a_file_is_loaded_once() -> None:
    one, two, three = BlueprintAgent(), BlueprintAgent(argmax=True), BlueprintAgent("hundred")
    known = [agent.at(HUNDRED.rules).known for agent in (one, two, three)]
    assert known[0] is known[1] is known[2]


def test_draws_follow_the_row() -> None:
    view, agent = VIEWS["first in"], BlueprintAgent()
    luck, count = SeededRandom(5), {}
    decision = agent.act(view, Clock(), luck)
    for _ in range(2000):
        drawn = agent.act(view, Clock(), luck).action
        count[drawn] = count.get(drawn, 0) + 1
    for action, chance in decision.policy:
        error = (chance * (1 - chance) / 2000) ** 0.5
        assert abs(count.get(action, 0) / 2000 - chance) <= 4.5 * error + 1e-9


def test_never_visited_rows_are_played_by_strength(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = BlueprintAgent()
    blueprint = agent.at(HUNDRED.rules).known.blueprint
    trained = type(blueprint).table
    monkeypatch.setattr(
        type(blueprint), "table", lambda self, node: np.zeros_like(trained(self, node))
    )
    view = view_after(HUNDRED, RaiseTo(200))
    actions, chances = agent.policies(view)
    row = dict(zip(actions, chances[combo_index("7d2c")].tolist(), strict=True))
    assert row[FOLD] == 1
    row = dict(zip(actions, chances[combo_index("AdAc")].tolist(), strict=True))
    assert row.get(FOLD, 0) == 0
    view = view_after(HUNDRED, CALL)
    actions, chances = agent.policies(view)
    row = dict(zip(actions, chances[combo_index("7d2c")].tolist(), strict=True))
    assert row[CHECK] == 1


def any_game(rng: Random) -> Any:
    """Two seats, any chips."""
    small = rng.choice([0, 1, 1, 2, 5, 7])
    big = max(1, small) * rng.choice([1, 2, 2, 3])
    most = [5 * big, 50 * big, 200 * big, 3000 * big]
    shared: dict[str, Any] = {
        "stack": tuple(rng.randint(1, rng.choice(most)) for _ in range(2)),
        "blinds": (small, big),
        "heads_up": rng.choice(["standard", "pypokerengine"]),
        "free_fold": rng.random() < 0.3,
        "ante": rng.choice([0, 0, 1, 3]),
        "minimum_raise": rng.choice(["standard", "acpc"]),
        "short_stacks": True,
    }
    if rng.random() < 0.15:
        return load("limit-holdem", **shared)
    return load(
        "nlhe",
        **shared,
        effective_raises=rng.random() < 0.3,
        big_blind_ante=rng.choice([0, 0, 2]),
        raise_cap=rng.choice([None, None, 2]),
    )


def check_many_hands(games: int, hands: int, seed: int) -> None:
    rng = Random(seed)
    ours = [make_agent(text) for text in OPTIONS]
    others = [make_agent(text) for text in ("uniform", "uniform", "fish", "all-in", "blueprint")]
    for number in range(games):
        game = any_game(rng)
        decks = shuffled_decks(game, seed, number * hands, hands)
        for deal, deck in enumerate(decks.tolist()):
            seats = [Seated(rng.choice(ours)), Seated(rng.choice(others))]
            rng.shuffle(seats)
            hand = play_hand(game, seats, deck, seed=seed, deal=deal, button=rng.randrange(2))
            assert hand.faults == (), game.parameters


def test_every_action_is_legal_whatever_the_chips() -> None:
    check_many_hands(12, 8, 11)


@pytest.mark.slow
def test_every_action_is_legal_in_thousands_of_hands() -> None:
    check_many_hands(1000, 20, 12)


def test_mirrored_play_against_itself_is_even() -> None:
    one, two = make_agent("blueprint"), make_agent("blueprint")
    decks = shuffled_decks(HUNDRED, 3, 0, 40)
    for deal, deck in enumerate(decks.tolist()):
        first = play_hand(HUNDRED, [Seated(one), Seated(two)], deck, seed=3, deal=deal)
        second = play_hand(HUNDRED, [Seated(two), Seated(one)], deck, seed=3, deal=deal)
        assert first.payoffs == second.payoffs


def test_hands_at_another_scale_are_the_same_hands() -> None:
    agent = make_agent("blueprint")
    large = load("nlhe", stack=10_000, blinds=(50, 100))
    for deal, deck in enumerate(shuffled_decks(HUNDRED, 4, 0, 40).tolist()):
        seats = [Seated(agent), Seated(agent)]
        small_hand = play_hand(HUNDRED, seats, deck, seed=4, deal=deal)
        large_hand = play_hand(large, seats, deck, seed=4, deal=deal)
        assert tuple(50 * chips for chips in small_hand.payoffs) == large_hand.payoffs


def test_other_games_are_refused_in_one_line() -> None:
    state = dealt(load("nlhe", seats=3).start(), Random(0))
    with pytest.raises(OptionError, match="2 seats and cannot play nlhe with 3"):
        make_agent("blueprint:file=hundred").act(state.view(state.actor), Clock(), SeededRandom())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("blueprint:argmax,purify", "argmax and purify"),
        ("blueprint:translation=nearest", "translation='nearest'"),
        ("blueprint:threshold=2", r"threshold=2\.0.*0 to 1"),
        ("blueprint:file=nothing", "'nothing'"),
        ("blueprint:fold-threshold=x", "fold-threshold='x' is not possible"),
    ],
)
def test_wrong_options_are_named(text: str, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        make_agent(text)
