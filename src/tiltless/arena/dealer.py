"""The dealer: plays one hand between agents, and rules on agents that fail.

**Rulings.** `tiltless.arena.rulings` decides what counts when an agent crashes, acts illegally or
runs out of time.

**One loop.** `play_hand` plays a hand between agents to its end. `Hand` runs the same loop for a
table with an outside player, such as a person at a web page: it stops whenever that seat must act,
so that hundreds of hands can wait in one thread.
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
from tiltless.games.holdem.state import HoldemState
from tiltless.games.holdem.view import View, unchecked_view
from tiltless.kernels.cards.shuffle import deal_hands
from tiltless.seeding import SeededRandom, deal_key, derived_word
from tiltless.validate import brief

__all__ = ["Hand", "PlayedHand", "Seated", "match_game", "play_hand", "shuffled_decks"]

_CARDS, _RANKS, _FIRST_SEAT = 1, 2, 3  # independent random streams of a deal


class PlayedHand(NamedTuple):
    """A hand that is over.

    final: the last state, with all cards.  payoffs: net chips by seat.  faults: failures of agents.
    seconds: by seat, the time spent on each of its decisions, in order.  decisions: (street, seat,
    action) of every action that counted, in order.  sources: (seat, `Decision.source`) of each
    decision whose agent gave one.
    """

    final: HoldemState
    payoffs: tuple[int, ...]
    faults: tuple[Fault, ...]
    seconds: tuple[tuple[float, ...], ...]
    decisions: tuple[tuple[int, int, Action], ...]
    sources: tuple[tuple[int, str], ...] = ()


class Seated(NamedTuple):
    """An agent in a seat, and its clock."""

    agent: Agent
    clock: Clock = NO_CLOCK


def shuffled_decks(game: Holdem, seed: int, first: int, deals: int) -> npt.NDArray[np.uint8]:
    """A shuffled deck for each deal, uint8 ``[deals, cards]``.

    first: the number of the first deal. A deck depends on the seed and its deal's number only.
    """
    deck = np.array([card for card in range(52) if game.deck >> card & 1], np.uint8)
    out = np.empty((deals, len(deck)), np.uint8)
    for row, deal in enumerate(range(first, first + deals)):
        state = np.array([derived_word(deal_key(seed, deal), _CARDS)], np.uint64)
        deal_hands(state, deck.copy(), len(deck), 0, out[row : row + 1])
    return out


def match_game(game: Holdem, seed: int, first: int) -> Holdem:
    """The game of the match that begins with deal ``first``; see `Holdem.for_match`."""
    return game.for_match(SeededRandom(derived_word(deal_key(seed, first), _RANKS)))


class Hand:
    """A hand in progress that stops whenever an outside player must act.

    ::

        hand = Hand(game, [None, Seated(agent)], deck)
        while (view := hand.advance()) is not None:
            hand.act(ask_the_person(view))
        hand.result

    Arguments are those of `play_hand`; a seat that is None belongs to an outside player, who is
    asked through `advance` and has no hooks. The constructor deals the hole cards and calls the
    agents' `hand_start`. Between calls the hand needs no thread. A hand that was interrupted inside
    `advance` cannot be continued.
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
        self._loop = _loop(game, seats, deck, seed, deal, button, stacks)
        self._state = next(self._loop)
        self._asked: View | None = None
        self._action: Action | None = None
        self._played: PlayedHand | None = None

    def view(self, seat: int) -> View:
        """What a seat sees at present."""
        return self._state.view(seat)

    def advance(self) -> View | None:
        """Play until an outside player must act, and return that seat's view; None at the end."""
        if self._asked is None and self._played is None:
            try:
                self._state = self._loop.send(self._action)
                self._asked = unchecked_view(self._state, self._state.actor)
            except StopIteration as end:
                self._played = end.value
                self._state = end.value.final
        return self._asked

    def act(self, action: Action) -> None:
        """Act for the seat that `advance` returned; after an illegal action, call it again."""
        if self._asked is None:
            raise IllegalActionError("no outside player is to act; call advance first")
        if action not in self._asked.actions:
            raise IllegalActionError(f"{brief(action)} is not legal; legal: {self._asked.actions}")
        self._action, self._asked = action, None

    @property
    def done(self) -> bool:
        """Whether the hand is over."""
        return self._played is not None

    @property
    def result(self) -> PlayedHand:
        """The result, once the hand is over."""
        if self._played is None:
            raise OptionError("the hand is not over; call advance and act until advance gives None")
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

    seats: the agents by seat.  deck: cards in the order in which they are dealt: hole cards seat by
    seat, then the board.
    seed, deal: together with the seat and the number of its decision they determine all random
    numbers, so that a hand can be replayed.
    """
    loop = _loop(game, seats, deck, seed, deal, button, stacks)
    next(loop)
    try:
        next(loop)
    except StopIteration as end:
        return cast(PlayedHand, end.value)
    raise OptionError("a seat of this hand has no agent; play it with Hand, or seat an agent")


def _loop(
    game: Holdem,
    seats: Sequence[Seated | None],
    deck: Sequence[int],
    seed: int,
    deal: int,
    button: int,
    stacks: Sequence[int] | None,
) -> Generator[HoldemState, Action | None, PlayedHand]:
    """The loop of a hand: yields once hole cards are dealt, and whenever an outside player acts.

    The outside player's action is sent to the generator, and must be legal.
    """
    state = game.start(button, stacks)
    faults: list[Fault] = []
    seconds: tuple[list[float], ...] = tuple([] for _ in seats)
    decisions: list[tuple[int, int, Action]] = []
    sources: list[tuple[int, str]] = []
    dealt, rng, started, now = 0, SeededRandom(), False, time.perf_counter
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
            state = state.apply(tuple(deck[dealt : dealt + size]))
            dealt += size
            continue
        spent = seconds[actor]
        seated = seats[actor]
        if seated is None:
            rng.word, begin = 0, now() - compiling.total
            asked.now = None
            action = yield state
            assert action is not None
            spent.append(now() - compiling.total - begin)
            decisions.append((state.street, actor, action))
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
        decisions.append((state.street, actor, action))
        state = state.apply(action)
    rng.word = 0  # an agent that kept a reference learns nothing of the others' numbers
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


def _tell(
    seats: Sequence[Seated | None], state: HoldemState, hook: str, faults: list[Fault], deal: int
) -> None:
    """Call a hook of every agent that overrides it."""
    silent = getattr(Agent, hook)
    for seat, seated in enumerate(seats):
        if seated is None or getattr(type(seated.agent), hook) is silent:
            continue
        problem = tell(seated.agent, hook, state.view(seat), deal=deal)
        if problem:
            faults.append(Fault(seat, "hook", problem))
