"""Matches over lines of text: what the clients of all such protocols have in common."""

import socket
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from tiltless.agents.agent import Agent, Clock, check_or_call
from tiltless.arena.rulings import Fault
from tiltless.cards.card import parse_cards
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.seen_hand import hand_as_seen
from tiltless.games.holdem.view import View
from tiltless.protocols.adapter import Lines
from tiltless.seeding import SeededRandom

__all__ = [
    "CLOSED",
    "answer_lines",
    "faults_text",
    "problem_lines",
    "rehearse",
    "responsive",
    "said",
]

CLOSED = "the connection was closed"
"""What `answer_lines` returns when the other side has ended it."""
_OWN = 0
_REHEARSAL = 0.5  # seconds for a decision
_DECKS = ("AsTc2s7d9cQh5d3c", "KsJc4s8d9cQh5d3c")  # a red river, then a black card
_SHOWDOWNS = 40  # the agent of Permutation Hold'em changes its method at about the 35th
_SWITCH = 0.0005  # seconds that a busy agent in Python may keep us waiting for the GIL


def answer_lines(
    connection: socket.socket,
    answer: Callable[[str], str | None],
    is_over: Callable[[], bool],
    *,
    peer: str = "engine",
    end: bytes = b"\n",
    longest: int = 8192,
    most_bytes: int = 2**25,
) -> str:
    """Answer lines until the match is over; returns what has broken it off, or "".

    peer: what the other side is called.  end: of the lines that are sent.  longest: bytes of a
    line that is read, see `Lines`.  most_bytes: without the end of a line, when the match is given
    up.  The time limit of the connection is that of a whole line, however slowly its bytes come.
    """
    lines, pending, silence = Lines(longest), 0, connection.gettimeout()
    began = time.monotonic()
    try:
        while data := _received(connection, silence, began):
            complete = lines.feed(data)
            pending = 0 if complete else pending + len(data)
            if pending > most_bytes:
                return f"a line of more than {most_bytes:,} bytes"
            for line in complete:
                said_back = answer(line)
                if is_over():
                    return ""
                if said_back is not None:
                    connection.settimeout(silence)
                    connection.sendall(said_back.encode() + end)
            began = time.monotonic() if complete else began
    except TimeoutError:
        return f"nothing from the {peer} for {silence:g} s"
    except (BrokenPipeError, ConnectionResetError):
        return CLOSED
    except OSError as problem:
        return f"the connection is lost: {problem.strerror or problem}"
    return CLOSED


def _received(connection: socket.socket, silence: float | None, began: float) -> bytes:
    """What has come; `TimeoutError` once the line that began at some time has taken too long."""
    if silence is not None:
        left = began + silence - time.monotonic()
        if left <= 0:
            raise TimeoutError
        connection.settimeout(left)
    return connection.recv(65_536)


def problem_lines(faults: Sequence[Fault], broken: str) -> list[str]:
    """The end of a client's report: its faults, and why the session was broken off."""
    said = [faults_text(faults)] if faults else []
    return [*said, f"broken off: {broken}"] if broken else said


def faults_text(faults: Sequence[Fault]) -> str:
    """``faults: 2 late, 1 interrupted, 1 garbled; the first: …``.

    A late decision was still sent; for an interrupted one the agent was not waited for.
    """
    kinds = Counter("interrupted" if fault.is_interrupted else fault.kind for fault in faults)
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    return f"faults: {counts}; the first: {faults[0].kind}, {faults[0].detail}"


def rehearse(agent: Agent, game: Holdem) -> None:
    """Let an agent act once on every street, so that its tables and its compiled code are loaded.

    Otherwise the first decisions of the match would be late. A decision that overran its clock may
    have loaded only a part, and had no time for a search: then there is a second hand. At last the
    agent hears of hands that were checked down, since one that learns from showdowns needs more
    code for that.
    """
    for deck in _DECKS:
        longest = 0.0
        with suppress(Exception):
            for view in _decisions(game, list(parse_cards(deck))):
                begin = time.monotonic()
                agent.act(view, Clock(_REHEARSAL), SeededRandom(0))
                longest = max(longest, time.monotonic() - begin)
        if longest <= _REHEARSAL:
            break
    with suppress(Exception):
        for view in _showdowns(game):
            agent.showdown(view)


def _showdowns(game: Holdem) -> Iterator[View]:
    """The ends of hands of one match in which everybody checks or calls."""
    rng = SeededRandom(0)
    of_match = game.for_match(rng)
    for number in range(_SHOWDOWNS):
        state = of_match.start(button=number % game.players)
        while state.actor != TERMINAL:
            chance = state.chance
            move = check_or_call(state.actions) if chance is None else chance.sample(rng)
            state = state.apply(move)
        yield state.view(_OWN)


def _decisions(game: Holdem, deck: list[int]) -> Iterator[View]:
    """Our decisions in a hand in which everybody checks or calls."""
    hole = [deck.pop(0) for _ in range(min(game.rules.hole_cards, len(deck)))]
    state = hand_as_seen(game, _OWN, hole, button=_OWN)
    while state.actor != TERMINAL:
        if state.actor == CHANCE:
            size = game.deal_size(state.street, state.board)
            state = state.apply(tuple(deck.pop(0) for _ in range(size)))
            continue
        if state.actor == _OWN:
            yield state.view(_OWN)
        state = state.apply(check_or_call(state.actions))


@contextmanager
def responsive() -> Iterator[None]:
    """Let a busy agent hand over the GIL more often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@contextmanager
def said(say: Callable[[str], None]) -> Iterator[None]:
    """Say warnings in one line each."""
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_, **__: say(f"note: {message}")
        yield
