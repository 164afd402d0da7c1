"""Costs of decisions in small games, beside best responses and payoffs that are known."""

from random import Random

import numpy as np
import pytest

from naive.tabular.trees import random_strategy
from tiltless.games import CHANCE, TERMINAL, load
from tiltless.search.playouts import estimate_cost
from tiltless.tabular.best_response import Evaluator
from tiltless.tabular.decision_costs import action_values
from tiltless.tabular.flat import flatten
from tiltless.tabular.strategy import Strategy

LEDUC = load("leduc", rank_only=True)


def mixed_strategy(game, seed):
    flat = flatten(game)
    by_key, _ = random_strategy(flat, seed)
    return Strategy(flat, np.concatenate([by_key[key] for key in flat.keys]))


def own_reach(game, strategy, player):
    """The player's own part of the reach of each of its infosets."""
    found = {}

    def follow(state, reach):
        if state.actor == TERMINAL:
            return
        if state.actor == CHANCE:
            moves = [(move, 1.0) for move, _ in state.chance.outcomes()]
        else:
            row = strategy[state.infoset(state.actor)]
            if state.actor == player:
                found[state.infoset(player).key] = reach
            moves = [(a, p if state.actor == player else 1.0) for a, p in row.items()]
        for move, chance in moves:
            follow(state.apply(move), reach * chance)

    follow(game.start(), 1.0)
    return found


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_own_actions_cost_what_a_best_response_gains(name):
    game = load("kuhn") if name == "kuhn" else LEDUC
    strategy = mixed_strategy(game, 3)
    gains = Evaluator(strategy.flat).evaluate(strategy.table).gains
    for player in (0, 1):
        mine, lost = own_reach(game, strategy, player), 0.0
        for key, (others, values) in action_values(game, strategy, player).items():
            chances = strategy.table[strategy.flat.tree.start[strategy.flat.keys.index(key)] :]
            costs = values.max() - values
            lost += mine[key] * others * float(chances[: len(costs)] @ costs)
        assert lost == pytest.approx(gains[player], abs=1e-12)


def test_kuhn_by_hand():
    """Facing a bet of a player who bets all cards alike: the king wins 2, the jack loses 2."""
    game = load("kuhn")
    values = action_values(game, Strategy.uniform(flatten(game)), 1)
    facing = {}
    for state in _second_player(game):
        facing[state.infoset(1).private] = dict(
            zip(state.infoset(1).actions, values[state.infoset(1).key][1], strict=True)
        )
    assert sorted(each["call"] for each in facing.values()) == [-2, 0, 2]
    assert {each["fold"] for each in facing.values()} == {-1}


def _second_player(game):
    """States of the second player after a bet."""
    for one, _ in game.start().chance.outcomes():
        dealt = game.start().apply(one)
        for two, _ in dealt.chance.outcomes():
            state = dealt.apply(two)
            bet = state.infoset(0).actions[-1]
            yield state.apply(bet)


def test_estimates_of_playouts_in_leduc():
    """Playouts against the range by Bayes' rule: intervals contain the exact costs."""
    strategy, rng = mixed_strategy(LEDUC, 5), Random(1)
    exact = action_values(LEDUC, strategy, 0, best=False)
    states = _members(LEDUC, strategy)
    picked = sorted(exact, key=str)[::16]
    inside = 0
    for key in picked:
        here, weights = zip(*states[key], strict=True)
        actions = here[0].infoset(0).actions
        deals = rng.choices(here, weights, k=3000)
        payoffs = np.array([[_played(s.apply(a), strategy, rng) for s in deals] for a in actions])
        values = exact[key][1]
        for taken in range(len(actions)):
            found = estimate_cost(payoffs, taken)
            truth = values[found.best] - values[taken]
            inside += found.cost.low - 1e-9 <= truth <= found.cost.high + 1e-9
            assert found.cost.mean == pytest.approx(truth, abs=3 * found.cost.half_width + 1e-9)
    assert inside >= 0.85 * sum(len(exact[key][1]) for key in picked)


def _members(game, strategy):
    found = {}

    def follow(state, others):
        if state.actor == TERMINAL:
            return
        if state.actor == 0:
            found.setdefault(state.infoset(0).key, []).append((state, others))
        if state.actor == CHANCE:
            row = state.chance.outcomes()
        else:
            row = strategy[state.infoset(state.actor)].items()
        for move, chance in row:
            follow(state.apply(move), others * (1 if state.actor == 0 else chance))

    follow(game.start(), 1.0)
    return found


def _played(state, strategy, rng):
    while state.actor != TERMINAL:
        if state.actor == CHANCE:
            state = state.apply(state.chance.sample(rng))
        else:
            state = state.apply(strategy.sample(state.infoset(state.actor), rng))
    return state.payoffs[0]


def test_the_largest_of_equal_means_costs_nothing_on_average():
    """Chosen and valued by the same playouts, equal actions would seem to cost something."""
    rng = np.random.default_rng(2)
    costs, naive = [], []
    for _ in range(400):
        payoffs = rng.normal(size=(5, 60))
        costs.append(estimate_cost(payoffs, 0).cost.mean)
        naive.append(payoffs.mean(axis=1).max() - payoffs[0].mean())
    error = np.std(costs) / 20
    assert abs(np.mean(costs)) < 3 * error
    assert np.mean(naive) > 5 * error
