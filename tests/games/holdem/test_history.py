"""The history of a hand, against what its states were when they were played."""

from random import Random

import pytest

from helpers.playing import deal, play, random_action, random_game
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem import history
from tiltless.games.holdem.actions import CALL, CHECK, RaiseTo
from tiltless.games.holdem.betting import NOBODY
from tiltless.games.holdem.history import (
    HiddenDeal,
    PastDecision,
    StreetDeal,
    decisions,
    steps,
    streets,
    view_before,
)
from tiltless.games.registry import load

GAMES = [*map(random_game, range(12)), *map(load, ("permutation", "river-of-blood"))]


def states_of(game, rng):
    """All states of a hand."""
    state = game.start(rng.randrange(game.players))
    found = [state]
    while state.actor != TERMINAL:
        chance = state.chance
        state = state.apply(chance.sample(rng) if chance else random_action(state, rng))
        found.append(state)
    return found


@pytest.fixture
def replayed(monkeypatch):
    """The moves that were replayed."""
    moves, step = [], history._step

    def counted(rules, button, last, move, index):
        moves.append(move)
        return step(rules, button, last, move, index)

    monkeypatch.setattr(history, "_memory", history.MoveMemory())
    monkeypatch.setattr(history, "_step", counted)
    return moves


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_every_move_with_the_chips_before_it(game):
    rng = Random(5)
    for _ in range(5):
        states = states_of(game, rng)
        assert [len(state.moves) for state in states] == list(range(len(states)))
        for before, after, step in zip(states, states[1:], steps(states[-1]), strict=False):
            if before.actor != CHANCE:
                number, move = len(before.moves), after.moves[-1]
                assert step == PastDecision(
                    before.street, before.board, before.betting, before.actor, move, number
                )
                assert step.chips == after.pot - before.pot
            elif after.board != before.board:
                cards = after.board[len(before.board) :]
                assert step == StreetDeal(after.street, after.board, cards, after.betting)
            else:
                seat = len(before.hole) if after.ranks == before.ranks else NOBODY
                assert step == HiddenDeal(seat, before.betting)
        made = decisions(states[-1])
        assert [past for street in streets(states[-1]) for past in street.decisions] == [*made]


def test_states_and_views_have_one_history():
    state = play(deal(load("nlhe")), "r6 c k r8")
    for seat in (0, 1):
        assert steps(state.view(seat)) == steps(state)


def test_streets_as_they_began():
    state = play(deal(load("nlhe")), "r6 c k r8 c k k", "Ks7d2c9h4s")
    preflop, flop, turn, river = streets(state)
    assert (flop.board, flop.line, flop.aggressor) == (
        state.board[:3],
        (CHECK, RaiseTo(8), CALL),
        0,
    )
    assert (turn.line, turn.aggressor, turn.betting.stacks) == ((CHECK, CHECK), NOBODY, (186, 186))
    assert (river.street, river.board, river.decisions) == (3, state.board, ())
    assert preflop.aggressor == flop.aggressor == 0
    for street in (flop, turn):
        assert state.moves[street.before :][: len(street.line)] == street.line


def test_what_players_saw():
    states = states_of(load("nlhe"), Random(8))
    seen = {len(s.moves): s.view(s.actor)._replace(cards=()) for s in states if s.actor >= 0}
    for seat in (0, 1):
        view = states[-1].view(seat)
        found = {past.before: view_before(view, past) for past in decisions(view)}
        assert found == seen


def test_a_hand_is_replayed_once(replayed):
    states = states_of(load("nlhe"), Random(3))
    final = states[-1]
    for state in states:  # as it grows
        steps(state)
    assert replayed == list(final.moves)
    for state in reversed(states):  # and any earlier moment
        assert steps(state) == steps(final)[: len(state.moves)]
    assert replayed == list(final.moves)


def test_lines_that_part_share_their_beginning(replayed):
    state = play(deal(load("nlhe")), "r6 c k")
    raises = [state.apply(RaiseTo(chips)) for chips in (4, 9, 30)]
    histories = [steps(each) for each in raises]
    assert len(replayed) == len(state.moves) + 3
    assert [made[-1].action for made in histories] == [RaiseTo(4), RaiseTo(9), RaiseTo(30)]
    assert len({made[:-1] for made in histories}) == 1


def test_other_hands_share_nothing(replayed):
    one, two = (deal(load("nlhe", stack=stack)) for stack in (100, 90))
    for state in (one, two):
        state = play(state, "r6 c")
        assert [past.betting.stacks[1] for past in decisions(state)] == [
            state.table.stacks[1] - 2
        ] * 2
