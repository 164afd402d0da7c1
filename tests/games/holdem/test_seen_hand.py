"""Hands of which one seat's cards are known: the views are those of the dealer."""

import pytest

from tiltless.agents.registry import make_agent
from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
from tiltless.errors import InputError
from tiltless.games import load
from tiltless.games.game import TERMINAL, IllegalActionError
from tiltless.games.holdem.actions import CALL, CHECK, RaiseTo
from tiltless.games.holdem.history import HIDDEN, HIDDEN_RANKS
from tiltless.games.holdem.seen_hand import end_view, hand_as_seen

GAMES = [
    load("nlhe", seats=3),
    load("nlhe", seats=2, stack=20),
    load("limit-holdem"),
    load("river-of-blood"),
    load("permutation"),
]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.name}-{game.players}")
def test_views_are_those_of_the_dealer(game):
    agents = [Seated(make_agent("uniform")) for _ in range(game.players)]
    compared = 0
    for deal, deck in enumerate(shuffled_decks(game, 2, 0, 25).tolist()):
        button = deal % game.players
        final = play_hand(game, agents, deck, seed=2, deal=deal, button=button).final
        for seat in range(game.players):
            seen = hand_as_seen(game, seat, final.hole[seat][::-1], button=button)
            real = game.start(button)
            if game.hidden is not None:
                real = real.apply(final.ranks)
            for cards in final.hole:
                real = real.apply(cards)
            for move in final.moves:
                if move in (HIDDEN, HIDDEN_RANKS):
                    continue
                assert seen.view(seat) == real.view(seat)
                assert [len(cards) for cards in seen.hole] == [
                    2 * (each == seat) for each in range(game.players)
                ]
                seen, real = seen.apply(move), real.apply(move)
                compared += 1
            end = real.view(seat)
            assert end_view(seen, seat, end.payoffs, end.shown) == end
    assert compared > 150


def test_what_cannot_be_is_refused():
    game = load("nlhe")
    for cards in ((1,), (1, 1), (1, 52), (1, 2, 3), ()):
        with pytest.raises(InputError):
            hand_as_seen(game, 0, cards)
    state = hand_as_seen(game, 0, (51, 50), button=0)
    assert state.actor == 0
    with pytest.raises(IllegalActionError):
        state.apply(RaiseTo(3))
    with pytest.raises(InputError):
        state.apply(CALL).apply(CHECK).apply((51, 1, 2))  # a card of our own


def test_stacks_and_a_hand_without_decisions():
    game = load("nlhe", stack=(1, 100), short_stacks=True)
    state = hand_as_seen(game, 1, (3, 2), button=0, stacks=(1, 100))
    assert state.actor < 0
    assert state.actor != TERMINAL
    assert state.view(1).cards == (3, 2)
