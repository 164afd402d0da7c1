"""Compiled tables against our readable rules, decision by decision."""

import numpy as np
import pytest

from tiltless.errors import ArrayError, OptionError
from tiltless.games import CHANCE, TERMINAL, load
from tiltless.protocols.encoding.action_numbers import action_numbers
from tiltless.protocols.encoding.observation import HoldemObservation
from tiltless.protocols.environments.compiled_table import CompiledTable, make_table
from tiltless.protocols.environments.table import NumberedTable
from tiltless.protocols.environments.vector import VectorTables

GAMES = {
    "heads-up": ("nlhe", {}, ""),
    "uneven": ("nlhe", {"stack": (37, 90), "ante": 1}, ""),
    "six": ("nlhe", {"seats": 6, "stack": (50, 3, 80, 200, 8, 33), "ante": 1, "straddle": 4}, ""),
    "dead ante": (
        "nlhe",
        {"seats": 6, "stack": "20bb", "big_blind_ante": 2},
        "33%, 75%, 150%, a",
    ),
    "acpc": (
        "nlhe",
        {
            "seats": 3,
            "stack": (40, 25, 33),
            "minimum_raise": "acpc",
            "free_fold": True,
            "effective_raises": True,
        },
        "",
    ),
    "limit": ("limit-holdem", {"seats": 3}, ""),
    "short deck": ("short-deck", {}, ""),
    "caps": ("nlhe", {"raises_per_player": 1, "raise_cap": 2}, "min, 100%"),
}


def dealt(state, cards):
    """The state after chance, with the cards of a compiled table."""
    seats = state.game.players
    while state.actor == CHANCE:
        hole, board = 2 * len(state.hole), 2 * seats + len(state.board)
        first, size = (hole, 2) if hole < 2 * seats else (board, state.chance.size)
        state = state.apply(tuple(cards[first : first + size].tolist()))
    return state


@pytest.mark.parametrize("name", GAMES)
def test_every_decision_agrees(name):
    """Actor, mask, observation of every seat, end and payoffs; one action in 20 is illegal."""
    variant, parameters, actions = GAMES[name]
    game = load(variant, **parameters)
    tables = VectorTables(game, tables=16, actions=actions, seed=1)
    numbers, layout = action_numbers(game, actions), HoldemObservation(game)
    rng, hands = np.random.default_rng(1), 0
    states = [dealt(game.start(game.button), cards) for cards in tables.cards]
    for _ in range(30):
        chosen = np.zeros(16, np.int64)
        for i, state in enumerate(states):
            assert state.actor == tables.actors[i]
            legal = list(numbers.legal(state))
            assert legal == np.flatnonzero(tables.masks[i]).tolist()
            assert np.array_equal(layout.vector(state, state.actor), tables.observations[i])
            seat = int(rng.integers(game.players))
            assert np.array_equal(layout.vector(state, seat), tables.observe(i, seat))
            chosen[i] = rng.choice(legal) if rng.random() < 0.95 else rng.integers(-3, 99)
        before, buttons = tables.cards, tables.buttons.copy()
        over, payoffs = tables.step(chosen)
        for i, state in enumerate(states):
            legal, number = numbers.legal(state), int(chosen[i])
            assert over[i] or tables.ruled[i] == (number not in legal)
            number = number if number in legal else numbers.fallback(state)
            after = dealt(state.apply(numbers.action(state, number)), before[i])
            assert over[i] == (after.actor == TERMINAL)
            assert payoffs[i].tolist() == (list(after.payoffs) if over[i] else [0] * game.players)
            if over[i]:
                hands += 1
                after = dealt(game.start((int(buttons[i]) + 1) % game.players), tables.cards[i])
            states[i] = after
    assert hands > 20


def test_seeds_repeat():
    one, two = VectorTables(tables=8, seed=3), VectorTables(tables=8, seed=4)
    first = one.cards
    assert not np.array_equal(first, two.cards)
    one.step(np.ones(8, np.int64))
    two.reset(3)
    assert np.array_equal(first, two.cards)
    assert len({tuple(hand) for hand in first.tolist()}) == 8


def test_the_one_table_is_the_readable_one():
    """A hand on the compiled table, played again in our rules."""
    table, rng = CompiledTable(load("nlhe", seats=3, stack=40)), np.random.default_rng(2)
    table.seed(5)
    for _ in range(30):
        table.deal()
        while table.actor >= 0:
            assert table.state.actor == table.actor
            assert np.array_equal(
                table.observation(1), HoldemObservation(table.game).vector(table.state, 1)
            )
            legal = np.flatnonzero(table.mask(table.actor))
            assert legal.tolist() == list(table.numbers.legal(table.state))
            table.act(int(rng.choice(legal)))
        assert table.state.payoffs == table.payoffs
    assert isinstance(make_table(table.game), CompiledTable)
    assert isinstance(make_table(table.game, "chips"), NumberedTable)


def test_what_is_not_played_is_refused():
    for game, actions in (
        (load("kuhn"), ""),
        (load("river-of-blood"), ""),
        (load("toy-holdem"), ""),
        (load("nlhe"), "chips"),
        (load("nlhe"), "standard"),
        (load("nlhe", seats=3, stack=(3, 1, 2), ante=1, short_stacks=True), ""),
        (load("nlhe", seats=7), ""),
    ):
        with pytest.raises(OptionError):
            VectorTables(game, actions=actions)
    with pytest.raises(ArrayError):
        VectorTables(tables=2).step([1, 1, 1])
    with pytest.raises(ArrayError):
        VectorTables(tables=2).step([1.0, 1.0])
