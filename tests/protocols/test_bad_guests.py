"""Players and bots of other libraries that misbehave at our tables, in every seat.

Each kind once here, 100 times in `make test-slow`. They are ruled on as in the arena: a check if
that is free, otherwise a fold; the hand goes on, and the others' play is not affected.
"""

import random
import threading
import time

import pytest

pytest.importorskip("pypokerengine", reason="PyPokerEngine is not installed (extra interop)")
pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra interop)")

import pyspiel
from examples.players.fish_player import FishPlayer
from pypokerengine.api.game import setup_config, start_poker

from tiltless.agents.agent import Agent, Clock, Decision, check_or_fold
from tiltless.agents.registry import make_agent
from tiltless.arena import watchdog
from tiltless.arena.dealer import Seated, play_hand, shuffled_decks
from tiltless.errors import InputError
from tiltless.games import load
from tiltless.protocols.openspiel import AgentBot, BotAgent
from tiltless.protocols.pypokerengine import Guest, Visitor
from tiltless.protocols.pypokerengine.messages import read_answer

SEATS = 3
SHORT = Clock(0.02)
HUGE = "x" * 10_000_000


def _wait():
    time.sleep(60)


def _slowly():
    """A slow loris: it does something all the time, and never ends."""
    while True:
        time.sleep(0.001)


def _crash():
    raise ZeroDivisionError("lost")


class _Cheat(BaseException):
    """Which is no `Exception`."""


def _leave():
    raise _Cheat


# what a player answers: a value, or a function that is called; and the fault
THEIR_ANSWERS = {
    "crash": (_crash, "crashed"),
    "crash hard": (_leave, "crashed"),
    "hang": (_wait, "late"),
    "flood": (HUGE, "crashed"),
    "slow loris": (_slowly, "late"),
    "illegal": (("raise", -7), ""),  # their engine makes it a fold, and so do we
    "NaN": (("raise", float("nan")), "crashed"),
}
BOT_ANSWERS = {
    "crash": (_crash, "crashed"),
    "crash hard": (_leave, "crashed"),
    "hang": (_wait, "late"),
    "flood": (HUGE, "crashed"),
    "slow loris": (_slowly, "late"),
    "illegal": (10**9, "crashed"),
    "NaN": (float("nan"), "crashed"),
}


def bad_player(kind):
    answer = THEIR_ANSWERS[kind][0]

    class Bad(FishPlayer):
        def declare_action(self, valid_actions, hole_card, round_state):
            return answer() if callable(answer) else answer

    return Guest(Bad)


def bad_bot(kind):
    answer = BOT_ANSWERS[kind][0]

    class Bad(pyspiel.Bot):
        def step(self, state):
            return answer() if callable(answer) else answer

        def inform_action(self, state, player, action):
            return

    agent = BotAgent("uniform_random")
    agent._maker = lambda game, player, seed: Bad()
    return agent


class ChecksOrFolds(Agent):
    """What every ruling comes to."""

    def act(self, view, clock, rng):
        return Decision(check_or_fold(view.actions))


GUESTS = {"pypokerengine": (bad_player, THEIR_ANSWERS), "openspiel": (bad_bot, BOT_ANSWERS)}
CASES = [(name, kind) for name, (_, kinds) in GUESTS.items() for kind in kinds]


def hand_with(guest, seat, deal, clock):
    game = load("nlhe", seats=SEATS, stack=40)
    seats = [Seated(make_agent("fish")) for _ in range(SEATS)]
    seats[seat] = Seated(guest, clock)
    deck = shuffled_decks(game, 1, deal, 1)[0].tolist()
    with watchdog.watched():
        hand = play_hand(game, seats, deck, deal=deal, button=deal % SEATS)
        watchdog.asked.now = None
    return hand


def misbehaves(name, kind, seat, deal=0):
    make, answers = GUESTS[name]
    before = threading.active_count()
    clock = SHORT if answers[kind][1] == "late" else Clock()  # the machine may be busy
    hand = hand_with(make(kind), seat, deal, clock)
    twin = hand_with(ChecksOrFolds(), seat, deal, Clock())
    assert hand.decisions == twin.decisions
    assert hand.payoffs == twin.payoffs
    assert {fault.seat for fault in hand.faults} <= {seat}
    assert {fault.kind for fault in hand.faults} == {answers[kind][1]} - {""}
    assert all(len(fault.detail) < 700 for fault in hand.faults)
    assert threading.active_count() == before


@pytest.fixture
def impatient(monkeypatch):
    """The watchdog looks often, and interrupts at once."""
    monkeypatch.setattr(watchdog, "_GRACE", 0.01)
    monkeypatch.setattr(watchdog, "_EVERY", 0.01)


@pytest.mark.parametrize("seat", range(SEATS))
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_bad_guest_costs_only_itself(name, kind, seat, impatient):
    misbehaves(name, kind, seat)


@pytest.mark.slow
@pytest.mark.parametrize("seat", range(SEATS))
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_hundred_bad_guests(name, kind, seat, impatient):
    for deal in range(100):
        misbehaves(name, kind, seat, deal)


# Ours, if they fail, at the tables of the others: the game there goes on.


class Fails(Agent):
    def __init__(self, answer):
        self.answer = answer

    def act(self, view, clock, rng):
        return self.answer() if callable(self.answer) else self.answer


OURS = {
    "crash": (_crash, "crashed"),
    "crash hard": (_leave, "crashed"),
    "flood": (HUGE, "illegal"),
    "illegal": (Decision("call"), "illegal"),
    "NaN": (float("nan"), "illegal"),
}


def fails_in_their_engine(kind, players, seat, seed):
    before = random.getstate()
    random.seed(seed)
    visitor = Visitor(Fails(OURS[kind][0]))
    config = setup_config(max_round=2, initial_stack=200, small_blind_amount=5)
    for each in range(players):
        config.register_player(f"p{each}", visitor if each == seat else FishPlayer())
    stacks = [player["stack"] for player in start_poker(config, verbose=0)["players"]]
    random.setstate(before)
    assert 200 * players - 20 < sum(stacks) <= 200 * players  # odd chips vanish there
    assert {fault.kind for fault in visitor.faults} == {OURS[kind][1]}


def fails_in_openspiel(kind, seat):
    state = pyspiel.load_game("tiltless_nlhe(stack=20bb)").new_initial_state()
    bots = [AgentBot("fish", each) for each in range(2)]
    bots[seat] = AgentBot(Fails(OURS[kind][0]), seat)
    won = pyspiel.evaluate_bots(state, bots, 3)
    assert sum(won) == 0
    assert {fault.kind for fault in bots[seat].faults} == {OURS[kind][1]}


EVERY_SEAT = [(players, seat) for players in range(2, 7) for seat in range(players)]


@pytest.mark.parametrize(("players", "seat"), EVERY_SEAT)
@pytest.mark.parametrize("kind", OURS)
def test_our_failures_do_not_end_their_games(kind, players, seat):
    fails_in_their_engine(kind, players, seat, 1)
    if players == 2:
        fails_in_openspiel(kind, seat)


@pytest.mark.slow
@pytest.mark.parametrize(("players", "seat"), EVERY_SEAT)
@pytest.mark.parametrize("kind", OURS)
def test_a_hundred_failures_do_not_end_their_games(kind, players, seat):
    for seed in range(100):
        fails_in_their_engine(kind, players, seat, seed)
        if players == 2:
            fails_in_openspiel(kind, seat)


@pytest.mark.parametrize("answer", [HUGE, (HUGE, 0), ("raise", HUGE), (10**5000, 0)])
def test_answers_that_are_too_long_are_named_in_one_short_line(answer):
    state = load("nlhe").start().apply((0, 1)).apply((2, 3))
    with pytest.raises(InputError) as refused:
        read_answer(answer, state.view(state.actor))
    assert len(str(refused.value)) < 300
