"""Local best response as a lower bound, in Leduc, where best responses are known exactly."""

from functools import cache

import numpy as np
import pytest

from naive.arena.lbr_leduc import (
    beyond,
    branches,
    checked_or_called,
    fold_chance,
    local_best_response,
    local_worths,
    wins,
)
from naive.tabular.trees import random_strategy
from tiltless.arena.estimators.local_spot import LocalSpot, best_action, narrowed
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


def shipped_choices(strategy, seat):
    """U of the actions at each infoset that a response meets, with the code of hold'em's.

    Its range is a vector over the bot's cards; ``states`` has the state of each.
    """
    choices = {}

    def follow(states, weights):
        now = states[int(weights.argmax())]
        if now.actor == TERMINAL:
            return
        if now.actor == seat:
            paid = now.line.paid
            pot, asked = sum(paid), max(paid) - paid[seat]
            spot = LocalSpot(weights, vector(states, lambda state: wins(state, seat)), pot, asked)
            values = []
            for action in now.actions:
                folds = None
                if action == "raise":
                    folds = vector(states, lambda state: fold_chance(state, strategy))
                    values.append((action, spot.raises(beyond(now), folds)))
                else:
                    values.append((action, 0.0 if action == "fold" else spot.call()))
            choices[now.infoset(seat).key] = dict(values)
            best = best_action(values)
            follow({card: state.apply(best) for card, state in states.items()}, weights)
            return
        for move in {move for state in states.values() for move, _ in branches(state, strategy)}:
            odds = vector(
                states, lambda state, move=move: dict(branches(state, strategy)).get(move, 0.0)
            )
            if weights @ odds > 0:
                after = {card: states[card].apply(move) for card in np.flatnonzero(odds).tolist()}
                follow(after, narrowed(weights, odds))

    cards = len(leduc().game.card_names)
    for own in range(cards):
        others = [card for card in range(cards) if card != own]
        deals = {card: (own, card) if seat == 0 else (card, own) for card in others}
        start = leduc().game.start()
        follow(
            {card: start.apply(one).apply(two) for card, (one, two) in deals.items()},
            np.array([float(card != own) for card in range(cards)]) / len(others),
        )
    return choices


def vector(states, number):
    out = np.zeros(len(leduc().game.card_names))
    for card, state in states.items():
        out[card] = number(state)
    return out


def value_of(strategy, seat, choices):
    """What ``seat`` wins with these choices against a strategy, by the compiled traversal."""
    both = dict(strategy)
    for key, worth in choices.items():
        best = best_action(list(worth.items()))
        both[key] = np.array([float(action == best) for action in worth])
    return leduc().values(table_of(both))[seat]


@pytest.mark.parametrize(
    "seeds", [range(10), pytest.param(range(30, 330), marks=pytest.mark.slow)], ids=len
)
def test_never_more_than_a_best_response(seeds):
    """The code that ships: ranges, values and choices; its winnings by another traversal."""
    for seed in seeds:
        strategy = any_strategy(seed)
        best = leduc().evaluate(table_of(strategy)).best
        for seat in SEATS:
            won = value_of(strategy, seat, shipped_choices(strategy, seat))
            assert won <= best[seat] + 1e-9, (seed, seat)


@pytest.mark.parametrize("seed", range(6))
def test_values_are_those_of_the_naive_one(seed):
    """At every infoset, from worlds and their payoffs; mixed strategies have no ties to break."""
    strategy = any_strategy(seed)
    for seat in SEATS:
        won, expected = local_best_response(leduc().game, strategy, seat)
        choices = shipped_choices(strategy, seat)
        met = choices.keys() & expected.keys()
        assert len(met) > 0.9 * max(len(choices), len(expected)) > 20
        for key in met:
            assert choices[key] == pytest.approx(expected[key], abs=1e-7)
        if seed % 3 == 0:
            assert len(met) == len(choices) == len(expected)
            assert value_of(strategy, seat, choices) == pytest.approx(won, abs=1e-12)


@pytest.mark.parametrize("seat", SEATS)
def test_against_uniform_play_it_finds_most(seat):
    uniform = as_dict(Strategy.uniform(leduc().flat).table)
    found = leduc().evaluate(table_of(uniform))
    won = value_of(uniform, seat, shipped_choices(uniform, seat))
    assert won > found.values[seat] + 0.75 * found.gains[seat]


@pytest.mark.parametrize("seat", SEATS)
def test_one_who_always_folds_pays_the_ante(seat):
    folds = habit("check", "fold")
    assert value_of(folds, seat, shipped_choices(folds, seat)) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("seat", SEATS)
def test_it_wins_from_one_who_never_bets(seat):
    """Checked down, the game is even; bets on more than half the chances only add to that."""
    calls = habit("check", "call")
    choices = shipped_choices(calls, seat)
    assert value_of(calls, seat, choices) > 0
    assert {pick(worth) for worth in choices.values()} == {"check", "raise"}


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
