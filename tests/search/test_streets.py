"""A hand so far, street by street."""

from random import Random

from helpers.playing import deal, dealt, play
from tiltless.games.holdem.actions import CHECK, RaiseTo
from tiltless.games.registry import load
from tiltless.search.streets import past_decisions, street_start

GAME = load("nlhe")
SCRIPT = "r6 c k r8 c r20 c k r30"


def test_streets_as_they_began():
    state = play(deal(GAME, "AsAd QhQc"), "r6 c k r8 c k r20", "Ks7d2c9h")
    start = street_start(state.view(state.actor))
    assert start.board == state.board
    assert (start.pot, start.stack, start.smallest) == (28, 186, 2)
    assert start.line == (CHECK, RaiseTo(20))
    assert state.view(0).moves[start.moves :] == start.line


def test_chips_that_nobody_can_call_do_not_count():
    state = play(deal(GAME, "AsAd QhQc", stacks=(300, 50)), "r6 c k r250", "Ks7d2c")
    start = street_start(state.view(state.actor))
    assert (start.stack, start.line) == (44, (CHECK, RaiseTo(44)))


def test_past_decisions_are_what_players_saw():
    state = deal(GAME, "AsAd QhQc")
    rng, seen, moves = Random(4), [], []
    for word in SCRIPT.split():
        state = dealt(state, rng)
        seen.append(state.view(state.actor)._replace(cards=()))
        state = play(state, word)
        moves.append(state.view(0).moves[len(seen[-1].moves)])
    state = dealt(state, rng)
    past = list(past_decisions(state.view(state.actor)))
    assert [each.view for each in past] == seen
    assert [each.move for each in past] == moves
    for each in past:
        line = street_start(each.view).line
        assert each.line[: len(line) + 1] == (*line, each.move)
    assert [len(each.line) for each in past] == [2, 2, 3, 3, 3, 2, 2, 2, 2]
