"""Rulings: which action stands for an answer that does not count."""

import pytest

from tiltless.agents.agent import Agent, Decision
from tiltless.agents.simple import Caller
from tiltless.arena.dealer import Seated, play_hand
from tiltless.arena.rulings import ARENA, Ruling, Rulings, ask, tell
from tiltless.arena.watchdog import NO_CLOCK
from tiltless.errors import InputError
from tiltless.games import load
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, LegalActions, RaiseTo
from tiltless.seeding import SeededRandom

FACING = LegalActions(True, False, 2, 6, 100)
FREE = LegalActions(False, True, 0, 4, 100)
FREE_FOLD = LegalActions(True, True, 0, 4, 100)
NO_RAISE = LegalActions(True, False, 2, 0, 0)


@pytest.mark.parametrize(
    ("ruling", "facing", "free", "free_fold"),
    [
        (Ruling.CHECK_OR_FOLD, FOLD, CHECK, CHECK),
        (Ruling.FOLD, FOLD, CHECK, FOLD),
        (Ruling.CHECK_OR_CALL, CALL, CHECK, CHECK),
        (Ruling.NEAREST, CALL, CHECK, CHECK),
    ],
)
def test_the_action_that_stands(ruling, facing, free, free_fold):
    assert [ruling.action(each) for each in (FACING, FREE, FREE_FOLD)] == [facing, free, free_fold]


@pytest.mark.parametrize(
    ("actions", "wanted", "stands"),
    [
        (FACING, RaiseTo(3), RaiseTo(6)),
        (FACING, RaiseTo(500), RaiseTo(100)),
        (NO_RAISE, RaiseTo(500), CALL),
        (FREE, RaiseTo(1), RaiseTo(4)),
        (FREE, FOLD, CHECK),
    ],
)
def test_the_nearest_legal(actions, wanted, stands):
    assert Ruling.NEAREST.action(actions, wanted) == stands


@pytest.mark.parametrize("ruling", [Ruling.END, Ruling.WAIT])
def test_no_action_stands_where_the_match_ends_or_waits(ruling):
    with pytest.raises(InputError, match=ruling.value):
        ruling.action(FACING)


def test_each_kind_of_fault_has_its_ruling():
    row = Rulings(Ruling.NEAREST, Ruling.FOLD, Ruling.END, Ruling.CHECK_OR_CALL)
    assert [row.on(kind) for kind in ("illegal", "garbled", "late", "crashed")] == list(row[:4])
    assert row.ours is Ruling.CHECK_OR_FOLD


class Illegal(Agent):
    def act(self, view, clock, rng):
        return Decision(RaiseTo(10**6))


def test_the_dealer_follows_the_row(monkeypatch):
    """An illegal bet: folded by our rulings, called by others."""
    game = load("nlhe")
    seats = [Seated(Illegal()), Seated(Caller())]
    assert play_hand(game, seats, range(52)).payoffs == (-1, 1)
    other = ARENA._replace(illegal=Ruling.CHECK_OR_CALL)
    monkeypatch.setattr("tiltless.arena.dealer.ARENA", other)
    played = play_hand(game, seats, range(52))
    assert len(played.final.board) == 5
    assert {fault.kind for fault in played.faults} == {"illegal"}


def test_ask_and_tell():
    view = load("nlhe").start(0).apply((51, 50)).apply((0, 1)).view(0)
    action, seconds, source, fault, detail = ask(Caller(), view, NO_CLOCK, SeededRandom(1), 0)
    assert (action, source, fault, detail) == (CALL, "", "", "")
    assert seconds >= 0
    action, _, _, fault, detail = ask(Illegal(), view, NO_CLOCK, SeededRandom(1), 0)
    assert (action, fault) == (None, "illegal")
    assert "1000000" in detail
    assert tell(Caller(), "hand_start", view) == ""
    assert "TypeError" in tell(Caller(), "hand_start")
