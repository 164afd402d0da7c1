"""Slow, obvious twins of best responses and of measures of profiles, on the readable game.

A strategy is a dictionary from the key of an infoset to the probabilities of its actions.
"""

from collections import defaultdict
from functools import cache
from itertools import product

import numpy as np

from naive.tabular.trees import expected_payoffs
from tiltless.games import CHANCE, TERMINAL


def pure_strategies(flat, player):
    """Every way to choose one action at each infoset of ``player``."""
    mine = [key for key in flat.keys if key[0] == player]
    menus = [np.eye(len(flat.actions[flat.number[key]])) for key in mine]
    for choice in product(*menus):
        yield dict(zip(mine, choice, strict=True))


def best_value_of_all(flat, strategies, player):
    """The best pure strategy of ``player`` against a mean of ``strategies``, by trying them all."""

    def mean(pure):
        each = [expected_payoffs(flat.game.start(), {**s, **pure})[player] for s in strategies]
        return sum(each) / len(each)

    return max(map(mean, pure_strategies(flat, player)))


def best_response_value(game, strategy, player):
    """By recursion over histories; an action is chosen once for all histories of an infoset."""
    reach = defaultdict(list)  # of chance and of the others, for each history of an infoset

    def branches(state):
        if state.actor == CHANCE:
            return state.chance.outcomes()
        if state.actor == player:
            return zip(state.actions, [1.0] * len(state.actions), strict=True)
        return zip(state.actions, strategy[state.infoset(state.actor).key], strict=True)

    def note(state, weight):
        if state.actor == player:
            reach[state.infoset(player).key].append((state, weight))
        if state.actor != TERMINAL:
            for move, chance_probs in branches(state):
                note(state.apply(move), weight * chance_probs)

    @cache
    def choice(key):
        actions = reach[key][0][0].actions

        def cfv(action):
            return sum(w * value(state.apply(action)) for state, w in reach[key])

        return max(actions, key=cfv)

    def value(state):
        if state.actor == TERMINAL:
            return state.payoffs[player]
        if state.actor == player:
            return value(state.apply(choice(state.infoset(player).key)))
        return sum(
            chance_probs * value(state.apply(move)) for move, chance_probs in branches(state)
        )

    note(game.start(), 1.0)
    return value(game.start())
