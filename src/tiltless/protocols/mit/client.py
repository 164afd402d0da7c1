"""A player of MIT Pokerbots: an agent at the other end of an engine's socket.

The agent is made and runs in a thread of its own (`tiltless.protocols.background`), so that every
line is answered in time: while the agent is being made, is late or has failed, the answer is a
check or a fold.
"""

import secrets
import socket
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from tiltless.agents.agent import Agent, Clock, check_or_call
from tiltless.agents.registry import make_agent
from tiltless.arena.rulings import Fault
from tiltless.cards.card import parse_cards
from tiltless.games.game import CHANCE, TERMINAL
from tiltless.games.holdem.game import Holdem
from tiltless.protocols.adapter import Adapter, Lines
from tiltless.protocols.background import BackgroundAgent
from tiltless.protocols.mit.dialect import MitDialect
from tiltless.protocols.mit.followed_hand import OWN
from tiltless.protocols.mit.year_file import load_year
from tiltless.protocols.mit.years import Year
from tiltless.protocols.seen_hand import hand_as_seen
from tiltless.seeding import SeededRandom

__all__ = ["MatchReport", "play_connected"]

_LONGEST_LINE = 8192  # a board of 31 cards has 93 characters
_MOST_BYTES = 2**25  # without a line
_SILENCE = 600.0  # the opponent may use its whole clock, or the whole match without us
_LOADING = 0.6  # of the limit for one answer
_CLOSED = "the engine closed the connection before the match was over"
_REHEARSAL = 0.5  # seconds for a decision
_SWITCH = 0.0005  # seconds that a busy agent in Python may keep us waiting for the GIL


class MatchReport(NamedTuple):
    """What happened in a match.

    chips: our bankroll.  seconds_left: of our clock.  faults: failures of the agent, and lines that
    were wrong.  broken: why the match ended before the engine said so; otherwise "".
    """

    hands: int
    chips: int
    seconds_left: float
    seed: int
    faults: tuple[Fault, ...]
    broken: str

    def lines(self) -> list[str]:
        """For people."""
        said = [
            f"{self.hands:,} hand{'s' * (self.hands != 1)}, {self.chips:+,} chips, "
            f"{self.seconds_left:.1f} s left, seed {self.seed}"
        ]
        if self.faults:
            kinds = Counter(fault.kind for fault in self.faults)
            counts = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
            first = self.faults[0]
            said.append(f"faults: {counts}; the first: {first.kind}, {first.detail}")
        if self.broken:
            said.append(f"broken off: {self.broken}")
        return said


def play_connected(
    connection: socket.socket,
    agent: str | Callable[[], Agent],
    year: int | str | Year,
    trusted: bool = False,
    *,
    hands: int | None = None,
    seed: int | None = None,
    silence: float = _SILENCE,
    say: Callable[[str], None] = print,
) -> MatchReport:
    """Play a match on a connection, and close it.

    agent: its text in the registry, or a function that makes it.  trusted: see
    `tiltless.agents.registry.make_agent`.  hands: of the match, if not as many as the year's.
    seed: of the agent's random numbers; drawn if not given.  silence: seconds without a word from
    the engine after which the match is given up.  say: for notes.

    `OptionError` if there is no such agent, or it cannot play this year's game.
    """
    with connection:
        found = year if isinstance(year, Year) else load_year(year)
        dialect, length = MitDialect(found, hands), hands or found.hands
        seed = secrets.randbits(32) if seed is None else seed

        def fresh() -> Agent:
            return make_agent(agent, trusted=trusted) if isinstance(agent, str) else agent()

        def make() -> Agent:
            made = fresh()
            if note := made.expect_match(length):  # of an agent that plays by the score of a match
                say(f"note: {note}")
            _rehearse(fresh(), dialect.game)  # another one: thinking counts on its match clock
            return made

        def wait(clock: Clock) -> float | None:
            return None if clock.seconds is None else dialect.clock.limit(clock.seconds)

        player = BackgroundAgent(make, wait, wait_for_loading=_LOADING * found.reply)
        adapter: Adapter[str, str] = Adapter(dialect, player, seed=seed)
        connection.settimeout(silence)
        with _responsive(), _said(say):
            broken = _play(connection, adapter, dialect)
    player.finish(1.0)
    return MatchReport(
        dialect.hands_begun,
        dialect.bankroll,
        dialect.clock.left,
        seed,
        tuple(adapter.faults),
        broken,
    )


def _rehearse(agent: Agent, game: Holdem) -> None:
    """Let an agent act once on every street, so that its tables and its compiled code are loaded.

    Otherwise the first decisions of the match would be late.
    """
    deck = list(parse_cards("AsTc2s7d9cQh5d3c"))  # a red river, then a black card
    hole = [deck.pop(0) for _ in range(min(game.rules.hole_cards, len(deck)))]
    with suppress(Exception):
        state = hand_as_seen(game, OWN, hole, button=OWN)
        while state.actor != TERMINAL:
            if state.actor == CHANCE:
                size = game.deal_size(state.street, state.board)
                state = state.apply(tuple(deck.pop(0) for _ in range(size)))
                continue
            if state.actor == OWN:
                agent.act(state.view(OWN), Clock(_REHEARSAL), SeededRandom(0))
            state = state.apply(check_or_call(state.actions))


@contextmanager
def _responsive() -> Iterator[None]:
    """Let a busy agent hand over the GIL more often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@contextmanager
def _said(say: Callable[[str], None]) -> Iterator[None]:
    """Say warnings in one line each."""
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_, **__: say(f"note: {message}")
        yield


def _play(connection: socket.socket, adapter: Adapter[str, str], dialect: MitDialect) -> str:
    """Answer lines until the match is over; returns what has broken it off, or ""."""
    lines, pending = Lines(_LONGEST_LINE), 0
    try:
        while data := connection.recv(65_536):
            complete = lines.feed(data)
            pending = 0 if complete else pending + len(data)
            if pending > _MOST_BYTES:
                return f"a line of more than {_MOST_BYTES:,} bytes"
            for line in complete:
                answer = adapter.receive(line)
                if dialect.is_over:
                    return ""
                if answer is not None:
                    connection.sendall(answer.encode() + b"\n")
    except TimeoutError:
        return f"nothing from the engine for {connection.gettimeout():g} s"
    except (BrokenPipeError, ConnectionResetError):
        return _CLOSED
    except OSError as problem:
        return f"the connection is lost: {problem.strerror or problem}"
    return _CLOSED
