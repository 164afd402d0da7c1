"""Answers to bets that the tree does not have: the mixture of all readings of a hand."""

from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest

from helpers.playing import dealt, played, view_after
from tiltless.abstraction.bets.translation import Shares, Translation, chance_of_smaller
from tiltless.agents.agent import Clock
from tiltless.agents.blueprint import BlueprintAgent
from tiltless.blueprint.locate import MOST_READINGS, Locator
from tiltless.blueprint.strategy import Blueprint
from tiltless.cards.card import COMBO_CARDS
from tiltless.games.game import TERMINAL
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, Action, RaiseTo
from tiltless.games.holdem.history import decisions, view_before
from tiltless.games.holdem.state import HoldemState
from tiltless.games.holdem.view import View
from tiltless.games.registry import load
from tiltless.kernels.blueprint.nodes import PARENT
from tiltless.kernels.blueprint.quantise import WHOLE
from tiltless.seeding import SeededRandom

EVERY = np.arange(1326)
GAME = load("nlhe", stack=10_000, blinds=(50, 100))
FLOP = (RaiseTo(200), CALL)  # a pot of 400; the big blind is first
PLACES = {
    "first": FLOP,
    "after our check": (*FLOP, CHECK),
    "before the flop": (),
    "over our bet": (*FLOP, RaiseTo(150)),  # a size of the tree
    "over our raise": (*FLOP, RaiseTo(150), RaiseTo(500)),
    "turn": (*FLOP, CHECK, CHECK),
}


def answer(agent: BlueprintAgent, view: View) -> tuple[tuple[Action, ...], Any]:
    """The mixture in double precision."""
    actions, chances, _ = agent._rows(view, EVERY)
    return actions, chances


def column(agent: BlueprintAgent, view: View, action: Action) -> Any:
    actions, chances = answer(agent, view)
    return chances[:, actions.index(action)] if action in actions else np.zeros(1326)


def bets(state: HoldemState, count: int = 60) -> list[int]:
    """Raises of all sizes, each a little larger than the one before."""
    low, high = state.actions.min_raise, state.actions.max_raise
    return sorted({int(each) for each in np.geomspace(low, high, count)})


# Defence


@pytest.fixture
def balanced(monkeypatch: pytest.MonkeyPatch) -> BlueprintAgent:
    """An agent whose rows call a bet of A pots with probability 1 / (1 + A), with every hand."""
    agent = BlueprintAgent()
    chosen = agent.at(GAME.rules)
    spots, tree = chosen.locator._spots, chosen.known.blueprint.tree
    trained = Blueprint.table

    def table(self: Blueprint, node: int) -> Any:
        rows = np.zeros(trained(self, node).shape)
        actions = [tree.action(child) for child in tree.children(node)]
        passive = next(i for i, action in enumerate(actions) if action in (CALL, CHECK))
        rows[:, passive] = WHOLE
        faced = tree.action(node) if node else None
        if FOLD in actions and isinstance(faced, RaiseTo):
            before = spots.spot(int(tree.nodes.node[node, PARENT])).spot
            assert before is not None
            share = before.share(min(faced.chips, before.most))
            rows[:, passive] /= 1 + share
            rows[:, actions.index(FOLD)] = WHOLE - rows[:, passive]
        return rows

    monkeypatch.setattr(Blueprint, "table", table)
    return agent


@pytest.mark.parametrize("place", PLACES)
def test_bets_of_any_size_are_defended_as_they_must_be(
    balanced: BlueprintAgent, place: str
) -> None:
    """f / (1 + A) + (1 - f) / (1 + B) = 1 / (1 + x): no size of bluff gains."""
    before = played(GAME, *PLACES[place])
    pot = before.pot + before.betting.high - before.betting.bets[before.actor]
    last = 0.0
    for chips in bets(before):
        x = (chips - before.betting.high) / pot
        state = before.apply(RaiseTo(chips))
        folds = column(balanced, state.view(state.actor), FOLD)
        assert np.ptp(folds) < 1e-12
        assert 1 - folds[0] == pytest.approx(1 / (1 + x), rel=0.01)
        assert folds[0] >= last - 1e-9
        last = folds[0]


def neighbours(agent: BlueprintAgent, before: HoldemState) -> list[int]:
    """The chips of the tree's raises at a node that the table is at."""
    (located,) = agent.at(GAME.rules).locator.locate(before.view(before.actor))
    return [action.chips for action in located.actions if isinstance(action, RaiseTo)]


@pytest.mark.parametrize("place", PLACES)
def test_answers_of_what_ships_are_the_mixture_of_two(place: str) -> None:
    agent = BlueprintAgent()
    before = played(GAME, *PLACES[place])
    sizes = neighbours(agent, before)
    high = before.betting.high
    pot = before.pot + high - before.betting.bets[before.actor]

    def folds(chips: int) -> Any:
        state = before.apply(RaiseTo(chips))
        return column(agent, state.view(state.actor), FOLD)

    exact = {chips: folds(chips) for chips in sizes}
    at = {chips: (chips - high) / pot for chips in sizes}
    assert len(sizes) > 2
    for small, large in pairwise(sizes):
        for chips in {small + 1, (small + large) // 2, large - 1} - set(sizes):
            f = chance_of_smaller((chips - high) / pot, at[small], at[large])
            expected = f * exact[small] + (1 - f) * exact[large]
            assert folds(chips) == pytest.approx(expected, abs=1e-9)
    least = before.actions.min_raise
    if least < sizes[0]:
        f = chance_of_smaller((least - high) / pot, 0, at[sizes[0]])
        assert folds(least) == pytest.approx((1 - f) * exact[sizes[0]], abs=1e-9)


def test_answers_are_continuous() -> None:
    """The deterministic rule has a midpoint where hands change their minds; the mixture has not."""
    before = played(GAME, *FLOP)
    most = {}
    for rule in ("pseudo-harmonic", "deterministic"):
        agent = BlueprintAgent(translation=rule)
        states = [before.apply(RaiseTo(chips)) for chips in range(500, 2000, 10)]
        folds = [column(agent, state.view(state.actor), FOLD).mean() for state in states]
        most[rule] = np.abs(np.diff(folds)).max()
    assert most["pseudo-harmonic"] < 0.02
    assert most["deterministic"] > 0.1


# Private draws


class Drawn(Translation):
    """Reads each off-tree bet as one of its neighbours: those that were drawn, then the first."""

    __slots__ = ("made", "said")

    def __init__(self, said: list[int]) -> None:
        super().__init__()
        object.__setattr__(self, "said", said)
        object.__setattr__(self, "made", [])

    def readings(self, *given: Any) -> Shares:
        found = super().readings(*given)
        if len(found) == 1:
            return found
        said = self.said[len(self.made)] if len(self.made) < len(self.said) else 0
        self.made.append((said, found[said][1]))
        return ((found[said][0], 1.0),)


def all_draws(agent: BlueprintAgent, views: list[View], line: list[Action]) -> tuple[Any, int]:
    """The probability of all own actions with each hand, draw by draw, and how many there are."""
    total, count, said = np.zeros(1326), 0, [0] * 0
    chosen = agent.at(GAME.rules)
    ours = chosen.locator
    while True:
        chance, made = np.ones(1326), []
        for view, action in zip(views, line, strict=True):
            drawn = Drawn(said)
            chosen.locator = Locator(ours.tree, drawn)
            assert len(chosen.locator.locate(view)) == 1
            chance *= column(agent, view, action)
            made = drawn.made if len(drawn.made) > len(made) else made
        for _, share in made:
            chance *= share
        total, count = total + chance, count + 1
        said = [each for each, _ in made]
        while said and said[-1] == 1:
            said.pop()
        if not said:
            chosen.locator = ours
            return total, count
        said[-1] = 1


def any_hand(agent: BlueprintAgent, seat: int, rng: Random) -> HoldemState:
    """An opponent that bets any chips, against actions that the mixture takes with some hand."""
    state = dealt(GAME.start(0), rng)
    while state.actor != TERMINAL:
        legal = state.actions
        move: Action = CHECK if legal.check else CALL
        if state.actor != seat and legal.max_raise and rng.random() < 0.6:
            most = min(legal.max_raise, 3 * legal.min_raise + state.pot)
            move = RaiseTo(rng.randint(legal.min_raise, most))
        elif state.actor == seat:
            actions, chances = answer(agent, state.view(seat))
            odds = chances.mean(axis=0) * [action != FOLD for action in actions]
            move = rng.choices(actions, odds)[0]
        state = dealt(state.apply(move), rng)
    return state


def test_the_mixture_is_a_player_who_draws_in_private() -> None:
    """Kuhn's theorem: the probability of every line, with every hand."""
    agent, rng = BlueprintAgent(), Random(4)
    most = bets = 0
    for number in range(14):
        seat = number % 2
        final = any_hand(agent, seat, rng)
        own = [past for past in decisions(final) if past.seat == seat]
        views = [view_before(final.view(seat), past) for past in own]
        locator = agent.at(GAME.rules).locator
        if max(len(locator.locate(view)) for view in views) >= MOST_READINGS:
            continue  # some may have been dropped
        line = [past.action for past in own]
        slow, count = all_draws(agent, views, line)
        fast = np.ones(1326)
        for view, action in zip(views, line, strict=True):
            fast *= column(agent, view, action)
        assert np.abs(fast - slow).max() < 1e-9
        most, bets = max(most, count), bets + (count > 1)
    assert most >= 4
    assert bets >= 5


@pytest.mark.parametrize("place", PLACES)
def test_act_draws_from_the_mixture(place: str) -> None:
    before = played(GAME, *PLACES[place])
    state = before.apply(RaiseTo(before.betting.high + before.pot * 3 // 2))
    agent, rng = BlueprintAgent(), SeededRandom(1)
    view = state.view(state.actor)
    actions, chances = agent.policies(view)
    free = np.flatnonzero(~np.isin(COMBO_CARDS, view.board).any(axis=1))
    combo = int(free[np.argmin(np.abs(chances[free, actions.index(FOLD)] - 0.5))])
    view = view._replace(cards=tuple(COMBO_CARDS[combo].tolist()))
    drawn = [agent.act(view, Clock(), rng).action for _ in range(500)]
    for action, chance in zip(actions, chances[combo].tolist(), strict=True):
        error = (chance * (1 - chance) / 500) ** 0.5
        assert abs(drawn.count(action) / 500 - chance) <= 4.5 * error + 1e-9


def test_nobody_can_predict_a_draw() -> None:
    """The same public history and the same cards, but other random numbers: other actions."""
    view = view_after(GAME, RaiseTo(1_500))
    drawn = {BlueprintAgent().act(view, Clock(), SeededRandom(seed)).action for seed in range(60)}
    assert len(drawn) > 1
    one = BlueprintAgent().act(view, Clock(), SeededRandom(1))
    assert one == BlueprintAgent().act(view, Clock(), SeededRandom(1))


def test_hands_of_the_tree_have_one_reading_and_its_rows() -> None:
    """All rules agree there, to the last bit."""
    agents = [BlueprintAgent(translation=rule) for rule in ("pseudo-harmonic", "deterministic")]
    game, rng = load("nlhe"), Random(6)
    for _ in range(40):
        state = dealt(game.start(rng.randrange(2)), rng)
        while state.actor != TERMINAL:
            view = state.view(state.actor)
            (located,) = agents[0].at(game.rules).locator.locate(view)
            assert located.inside
            assert (located.share, located.reach) == (1.0, None)
            one, two = (agent.policies(view) for agent in agents)
            assert one.actions == two.actions
            assert (one.chances == two.chances).all()
            state = dealt(state.apply(rng.choice(located.actions)), rng)
