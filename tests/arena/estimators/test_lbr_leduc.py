"""Local best response as a lower bound, in Leduc, where best responses are known exactly."""

from functools import cache

import numpy as np
import pytest

from naive.arena.lbr_leduc import checked_or_called, local_best_response, local_worths
from naive.tabular.trees import random_strategy
from tiltless.games import CHANCE, TERMINAL, load
from tiltless.tabular.best_response import Evaluator
from tiltless.tabular.flat import flatten
from tiltless.tabular.strategy import Strategy

SEATS = (0, 1)


@cache
def leduc():
    return Evaluator(flatten(load("leduc")))


def as_dict(table):
    flat = leduc().flat
    start = flat.tree.start
    return {key: table[start[i] : start[i + 1]] for i, key in enumerate(flat.keys)}


def table_of(strategy):
    return np.concatenate([strategy[key] for key in leduc().flat.keys])


def any_strategy(seed):
    """By turns mixed, nearly pure, and pure."""
    strategy, _ = random_strategy(leduc().flat, seed)
    if seed % 3 == 1:
        strategy = {key: row**16 / (row**16).sum() for key, row in strategy.items()}
    if seed % 3 == 2:
        strategy = {key: np.eye(len(row))[row.argmax()] for key, row in strategy.items()}
    return strategy


def habit(*words):
    """Always the first of these words that is legal."""
    flat = leduc().flat
    return {
        key: np.array([float(a == next(w for w in words if w in menu)) for a in menu])
        for key, menu in zip(flat.keys, flat.actions, strict=True)
    }


def pick(worth):
    return max(worth, key=worth.get)


@pytest.mark.parametrize(
    "seeds", [range(30), pytest.param(range(30, 1030), marks=pytest.mark.slow)], ids=len
)
def test_never_more_than_a_best_response(seeds):
    for seed in seeds:
        strategy = any_strategy(seed)
        best = leduc().evaluate(table_of(strategy)).best
        for seat in SEATS:
            won, _ = local_best_response(leduc().game, strategy, seat)
            assert won <= best[seat] + 1e-9, (seed, seat)


@pytest.mark.parametrize("seat", SEATS)
def test_against_uniform_play_it_finds_most(seat):
    uniform = Strategy.uniform(leduc().flat).table
    found = leduc().evaluate(uniform)
    won, _ = local_best_response(leduc().game, as_dict(uniform), seat)
    assert won > found.values[seat] + 0.75 * found.gains[seat]


@pytest.mark.parametrize("seat", SEATS)
def test_one_who_always_folds_pays_the_ante(seat):
    won, _ = local_best_response(leduc().game, habit("check", "fold"), seat)
    assert won == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("seat", SEATS)
def test_it_wins_from_one_who_never_bets(seat):
    """Checked down, the game is even; bets on more than half the chances only add to that."""
    won, choices = local_best_response(leduc().game, habit("check", "call"), seat)
    assert won > 0
    assert {pick(worth) for worth in choices.values()} == {"check", "raise"}


@pytest.mark.parametrize("seed", range(6))
def test_it_wins_what_its_choices_win(seed):
    """The walk with ranges against the compiled values of the same play."""
    strategy = any_strategy(seed)
    for seat in SEATS:
        won, choices = local_best_response(leduc().game, strategy, seat)
        both = dict(strategy)
        for key, worth in choices.items():
            both[key] = np.array([float(action == pick(worth)) for action in worth])
        assert won == pytest.approx(leduc().values(table_of(both))[seat], abs=1e-12)


def worlds_by_infoset(strategy, seat):
    """All that ``seat`` can meet against a strategy, whatever it does itself."""
    met = {}

    def walk(state, odds):
        if state.actor == TERMINAL or odds == 0:
            return
        if state.actor == CHANCE:
            options = state.chance.outcomes()
        elif state.actor == seat:
            met.setdefault(state.infoset(seat).key, []).append((state, odds))
            options = [(action, 1.0) for action in state.actions]
        else:
            row = strategy[state.infoset(state.actor).key]
            options = zip(state.actions, row, strict=True)
        for move, share in options:
            walk(state.apply(move), odds * share)

    walk(leduc().game.start(), 1.0)
    return met


def checked_down(state, seat):
    """Chips of ``seat`` at the end, on average, if both only check and call from here."""
    if state.actor == TERMINAL:
        return state.payoffs[seat]
    if state.actor == CHANCE:
        return sum(p * checked_down(state.apply(card), seat) for card, p in state.chance.outcomes())
    return checked_down(checked_or_called(state), seat)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("seat", SEATS)
def test_the_formula_is_what_the_game_pays(seed, seat):
    """U is the payoff relative to a fold if both check and call from there on."""
    strategy = any_strategy(seed)
    for worlds in worlds_by_infoset(strategy, seat).values():
        for action, worth in local_worths(worlds, strategy).items():
            paid = 0.0
            for state, odds in worlds:
                after = state.apply(action)
                fold = 0.0
                if action == "raise":
                    fold = strategy[after.infoset(1 - seat).key][after.actions.index("fold")]
                    paid += odds * fold * after.apply("fold").payoffs[seat]
                paid += odds * (1 - fold) * checked_down(after, seat)
                paid += odds * state.line.paid[seat]
            assert worth == pytest.approx(paid / sum(odds for _, odds in worlds), abs=1e-9)


@pytest.mark.parametrize("seed", [0, 3, 6, 9])
def test_facing_a_bet_on_the_last_street_it_is_a_best_response(seed):
    """Nothing can follow there but a last raise, so there is nothing that it overlooks."""
    strategy = any_strategy(seed)
    best = as_dict(leduc().best_response(table_of(strategy)).table)
    compared = 0
    for seat in SEATS:
        for key, worlds in worlds_by_infoset(strategy, seat).items():
            line = worlds[0][0].line
            if line.street == 1 and "fold" in line.actions:
                assert pick(local_worths(worlds, strategy)) == line.actions[best[key].argmax()]
                compared += 1
    assert compared > 500
