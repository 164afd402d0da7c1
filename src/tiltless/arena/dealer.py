"""The dealer: plays one hand between agents, and rules on agents that fail.

**Rulings.** What becomes of an agent that crashes, is illegal or late: `tiltless.arena.rulings`.

**One loop.** `play_hand` plays a hand of agents to its end. `Hand` is the same loop with somebody
outside at the table, a person at a page for instance: it stops where that seat must act, so that
hundreds of hands can wait in one thread.
"""

import time
from collections.abc import Generator, Sequence
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from tiltless.agents.agent import Agent, Clock
from tiltless.agents.thinking_time import compiling
from tiltless.arena.rulings import ARENA, Fault, ask, tell
from tiltless.arena.watchdog import NO_CLOCK, asked
from tiltless.errors import OptionError
from tiltless.games.game import CHANCE, TERMINAL, IllegalActionError
from tiltless.games.holdem.actions import Action
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.history import PastDecision
from tiltless.games.holdem.state import HoldemState
from tiltless.games.holdem.view import View, unchecked_view
from tiltless.kernels.cards.shuffle import deal_hands
from tiltless.seeding import SeededRandom, deal_key, derived_word
from tiltless.validate import brief

__all__ = ["Hand", "PlayedHand", "Seated", "play_hand", "shuffled_decks"]

_CARDS, _RANKS, _FIRST_SEAT = 1, 2, 3  # what a word of luck is for


class PlayedHand(NamedTuple):
    """A hand that is over.

    final: the last state, all cards in it.  payoffs: net chips by seat.  faults: what was ruled on.
    seconds: what each seat spent on each of its decisions, in order.  decisions: of the hand, as
    they stood.  sources: (seat, `Decision.source`) of those that an agent made and explained.
    """

    final: HoldemState
    payoffs: tuple[int, ...]
    faults: tuple[Fault, ...]
    seconds: tuple[tuple[float, ...], ...]
    decisions: tuple[PastDecision, ...]
    sources: tuple[tuple[int, str], ...] = ()


class Seated(NamedTuple):
    """An agent in a seat, and its clock."""

    agent: Agent
    clock: Clock = NO_CLOCK


def shuffled_decks(game: Holdem, seed: int, first: int, deals: int) -> npt.NDArray[np.uint8]:
    """A shuffled deck for each deal, uint8 ``[deals, cards]``; each depends on its number alone."""
    deck = np.array([card for card in range(52) if game.deck >> card & 1], np.uint8)
    out = np.empty((deals, len(deck)), np.uint8)
    for row, deal in enumerate(range(first, first + deals)):
        state = np.array([derived_word(deal_key(seed, deal), _CARDS)], np.uint64)
        deal_hands(state, deck.copy(), len(deck), 0, out[row : row + 1])
    return out


class Hand:
    """A hand that is being played, and stops where somebody outside must act.

    ::

        hand = Hand(game, [None, Seated(agent)], deck)
        while (view := hand.advance()) is not None:
            hand.act(ask_the_person(view))
        hand.result

    Arguments are those of `play_hand`; a seat that is None is somebody outside, who is asked by
    `advance` and has no hooks. When the hand is made, hole cards are dealt and the agents have
    heard that it begins. It waits between calls without a thread; what an interrupt ends in the
    middle cannot be gone on with.
    """

    def __init__(
        self,
        game: Holdem,
        seats: Sequence[Seated | None],
        deck: Sequence[int],
        *,
        seed: int = 0,
        deal: int = 0,
        button: int = 0,
        stacks: Sequence[int] | None = None,
    ) -> None:
        self._course = _course(game, seats, deck, seed, deal, button, stacks)
        self._state = next(self._course)
        self._asked: View | None = None
        self._action: Action | None = None
        self._played: PlayedHand | None = None

    def view(self, seat: int) -> View:
        """What a seat sees where the hand stands."""
        return self._state.view(seat)

    def advance(self) -> View | None:
        """Play on until somebody outside must act, and what that seat sees; None at the end."""
        if self._asked is None and self._played is None:
            try:
                self._state = self._course.send(self._action)
                self._asked = unchecked_view(self._state, self._state.actor)
            except StopIteration as end:
                self._played = end.value
                self._state = end.value.final
        return self._asked

    def act(self, action: Action) -> None:
        """Act for whom `advance` named; what is not legal is refused, and the question stands."""
        if self._asked is None:
            raise IllegalActionError("nobody is asked to act; call advance first")
        if action not in self._asked.actions:
            raise IllegalActionError(f"{brief(action)} is not legal; legal: {self._asked.actions}")
        self._action, self._asked = action, None

    @property
    def done(self) -> bool:
        """Whether it is over."""
        return self._played is not None

    @property
    def result(self) -> PlayedHand:
        """What came of it, once it is over."""
        if self._played is None:
            raise OptionError("the hand is not over; advance it until nobody is asked any more")
        return self._played


def play_hand(
    game: Holdem,
    seats: Sequence[Seated],
    deck: Sequence[int],
    *,
    seed: int = 0,
    deal: int = 0,
    button: int = 0,
    stacks: Sequence[int] | None = None,
) -> PlayedHand:
    """Play a hand to its end.

    seats: who sits where.  deck: cards in the order in which they are dealt: hole cards seat by
    seat, then the board.
    seed, deal: of which all random numbers are made, with the seat and the number of its decision;
    two tables with the same ones play alike.
    """
    course = _course(game, seats, deck, seed, deal, button, stacks)
    next(course)
    try:
        next(course)
    except StopIteration as end:
        return cast(PlayedHand, end.value)
    raise OptionError("somebody outside must act in this hand; play it with Hand")


def _course(
    game: Holdem,
    seats: Sequence[Seated | None],
    deck: Sequence[int],
    seed: int,
    deal: int,
    button: int,
    stacks: Sequence[int] | None,
) -> Generator[HoldemState, Action | None, PlayedHand]:
    """The one loop of a hand: stops when it begins, and where somebody outside must act.

    That action is sent to it, and must be legal.
    """
    state = game.start(button, stacks)
    faults: list[Fault] = []
    seconds: tuple[list[float], ...] = tuple([] for _ in seats)
    decisions: list[PastDecision] = []
    sources: list[tuple[int, str]] = []
    place, rng, started, now = 0, SeededRandom(), False, time.perf_counter
    key = deal_key(seed, deal)
    while (actor := state.actor) != TERMINAL:
        if actor == CHANCE and game.hidden is not None and state.ranks is None:
            rng.reset(derived_word(key, _RANKS))
            state = state.apply(game.hidden.sample(rng))
            continue
        if not started and len(state.hole) == game.players:
            started = True
            _tell(seats, state, "hand_start", faults, deal)
            asked.now = None
            yield state
        if actor == CHANCE:
            size = game.rules.hole_cards
            if started:
                size = game.deal_size(state.street, state.board)
            state = state.apply(tuple(deck[place : place + size]))
            place += size
            continue
        spent = seconds[actor]
        seated = seats[actor]
        if seated is None:
            rng.word, begin = 0, now() - compiling.total
            asked.now = None
            action = yield state
            assert action is not None
            spent.append(now() - compiling.total - begin)
            decisions.append(_past(state, action))
            state = state.apply(action)
            continue
        agent, clock = seated
        rng.word = derived_word(key, _FIRST_SEAT + actor, len(spent))
        view = unchecked_view(state, actor)
        action, took, source, fault, detail = ask(agent, view, clock, rng, deal)
        spent.append(took)
        if fault:
            faults.append(Fault(actor, fault, detail))
            action = ARENA.on(fault).action(view.actions)
        elif source:
            sources.append((actor, source))
        assert action is not None
        decisions.append(_past(state, action))
        state = state.apply(action)
    rng.word = 0  # an agent that has kept it sees nothing of others
    if state.shown:
        _tell(seats, state, "showdown", faults, deal)
    _tell(seats, state, "hand_end", faults, deal)
    asked.now = None
    return PlayedHand(
        state,
        state.payoffs,
        tuple(faults),
        tuple(map(tuple, seconds)),
        tuple(decisions),
        tuple(sources),
    )


def _past(state: HoldemState, action: Action) -> PastDecision:
    """The decision of the player to act in ``state``."""
    before = state.street, state.board, state.betting
    return PastDecision(*before, state.actor, action, len(state.moves))


def _tell(
    seats: Sequence[Seated | None], state: HoldemState, hook: str, faults: list[Fault], deal: int
) -> None:
    """Call a hook of everybody who has one of its own."""
    silent = getattr(Agent, hook)
    for seat, seated in enumerate(seats):
        if seated is None or getattr(type(seated.agent), hook) is silent:
            continue
        problem = tell(seated.agent, hook, state.view(seat), deal=deal)
        if problem:
            faults.append(Fault(seat, "hook", problem))
