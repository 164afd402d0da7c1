"""A player at an ACPC dealer: an agent at the other end of a socket.

It connects, loads the agent, lets it act once on every street, and only then sends its version: the
match begins when all players have, so that loading and compiling take nobody's time. The agent runs
in a thread of its own (`tiltless.protocols.background`): if it is late or fails, the answer is a
check or a fold. No message announces the end of a match: the dealer closes the connection.
"""

import secrets
import socket
from collections.abc import Callable
from typing import NamedTuple

from tiltless.agents.agent import Agent, Clock
from tiltless.agents.registry import make_agent
from tiltless.arena.rulings import Fault
from tiltless.protocols.acpc.dialect import AcpcDialect
from tiltless.protocols.acpc.gamedef import GameDef
from tiltless.protocols.acpc.log import chips_text
from tiltless.protocols.acpc.pace import Pace
from tiltless.protocols.acpc.small_games import small_agent
from tiltless.protocols.acpc.wire import LONGEST_LINE, VERSION
from tiltless.protocols.adapter import Adapter, Keep
from tiltless.protocols.background import BackgroundAgent
from tiltless.protocols.line_session import (
    CLOSED,
    answer_lines,
    problem_lines,
    rehearse,
    responsive,
    said,
)

__all__ = ["AcpcReport", "play_at_dealer"]

_SILENCE = 3600.0  # other players may think for a long time
_END = b"\r\n"


class AcpcReport(NamedTuple):
    """What happened in a match.

    chips: what we have won; halves and thirds of split pots included.  faults: failures of the
    agent, and lines that were wrong.  broken: why the match ended in the middle of a hand, or
    before the hands that were announced; otherwise "".
    """

    hands: int
    chips: float
    seed: int
    faults: tuple[Fault, ...]
    broken: str

    def lines(self) -> list[str]:
        """For people."""
        sign = "+" if self.chips >= 0 else ""
        words = [
            f"{self.hands:,} hand{'s' * (self.hands != 1)}, {sign}{chips_text(self.chips)} chips, "
            f"seed {self.seed}"
        ]
        return [*words, *problem_lines(self.faults, self.broken)]


def play_at_dealer(
    connection: socket.socket,
    agent: str | Callable[[], Agent],
    game: GameDef,
    trusted: bool = False,
    *,
    hands: int | None = None,
    seed: int | None = None,
    pace: Pace | None = None,
    silence: float = _SILENCE,
    say: Callable[[str], None] = print,
    keep: Keep | None = None,
) -> AcpcReport:
    """Play a match on a connection, and close it.

    agent: its text in the registry, for Kuhn and Leduc one of
    `tiltless.protocols.acpc.small_games.small_agent`; or a function that makes it.  trusted: see
    `tiltless.agents.registry.make_agent`.  hands: of the match, if known.  seed: of the agent's
    random numbers; drawn if not given.  pace: our time.  silence: seconds without a word from the
    dealer after which the match is given up.  say: for notes.  keep: for hands that
    are over.

    `OptionError` if there is no such agent, or it cannot play this game.
    """
    with connection:
        pace = pace or Pace()
        dialect = AcpcDialect(game, pace)
        holdem = dialect.table.holdem
        seed = secrets.randbits(32) if seed is None else seed

        def fresh() -> Agent:
            if not isinstance(agent, str):
                return agent()
            if holdem is None:
                return small_agent(agent, game)
            return make_agent(agent, trusted=trusted)

        def make() -> Agent:
            made = fresh()
            if holdem is not None:
                made.check_table(holdem.name, holdem.rules)  # before anything large is loaded
                rehearse(fresh(), holdem)  # another one: thinking counts on its match clock
            return made

        def wait(clock: Clock) -> float | None:
            return None if clock.seconds is None else pace.limit(clock.seconds)

        with BackgroundAgent(make, wait) as player, connection:
            player.loaded()
            adapter: Adapter[str, str] = Adapter(dialect, player, seed=seed, keep=keep)
            connection.settimeout(silence)
            with responsive(), said(say):
                broken = _greet(connection) or answer_lines(
                    connection,
                    adapter.receive,
                    lambda: False,
                    peer="dealer",
                    end=_END,
                    longest=LONGEST_LINE,
                )
    done = dialect.is_between_hands and (hands is None or dialect.hands_begun >= hands)
    if broken == CLOSED:
        broken = "" if done else "the dealer closed the connection before the match was over"
    return AcpcReport(dialect.hands_begun, dialect.chips, seed, tuple(adapter.faults), broken)


def _greet(connection: socket.socket) -> str:
    """Send our version; returns what was wrong, or ""."""
    try:
        connection.sendall(VERSION.encode() + _END)
    except (BrokenPipeError, ConnectionResetError):
        return CLOSED
    except OSError as problem:
        return f"the connection is lost: {problem.strerror or problem}"
    return ""
