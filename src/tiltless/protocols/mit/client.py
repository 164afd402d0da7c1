"""A player of MIT Pokerbots: an agent at the other end of an engine's socket.

The agent is made and runs in a thread of its own (`tiltless.protocols.background`), so that every
line is answered in time: while the agent is being made, is late or has failed, the answer is a
check or a fold.
"""

import secrets
import socket
from collections.abc import Callable
from typing import NamedTuple

from tiltless.agents.agent import Agent, Clock
from tiltless.agents.registry import make_agent
from tiltless.arena.rulings import Fault
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
from tiltless.protocols.mit.dialect import MitDialect
from tiltless.protocols.mit.year_file import load_year
from tiltless.protocols.mit.years import Year

__all__ = ["MatchReport", "play_connected"]

_MOST_BYTES = 2**25  # without a line
_SILENCE = 600.0  # the opponent may use its whole clock, or the whole match without us
_LOADING = 0.6  # of the limit for one answer
_CLOSED = "the engine closed the connection before the match was over"


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
        words = [
            f"{self.hands:,} hand{'s' * (self.hands != 1)}, {self.chips:+,} chips, "
            f"{self.seconds_left:.1f} s left, seed {self.seed}"
        ]
        return [*words, *problem_lines(self.faults, self.broken)]


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
    keep: Keep | None = None,
) -> MatchReport:
    """Play a match on a connection, and close it.

    agent: its text in the registry, or a function that makes it.  trusted: see
    `tiltless.agents.registry.make_agent`.  hands: of the match, if not as many as the year's.
    seed: of the agent's random numbers; drawn if not given.  silence: seconds without a word from
    the engine after which the match is given up.  say: for notes.  keep: for hands that
    are over.

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
            rehearse(fresh(), dialect.game)  # another one: thinking counts on its match clock
            return made

        def wait(clock: Clock) -> float | None:
            return None if clock.seconds is None else dialect.clock.limit(clock.seconds)

        loading = _LOADING * found.reply
        with BackgroundAgent(make, wait, wait_for_loading=loading) as player, connection:
            adapter: Adapter[str, str] = Adapter(dialect, player, seed=seed, keep=keep)
            connection.settimeout(silence)
            with responsive(), said(say):
                broken = answer_lines(
                    connection, adapter.receive, lambda: dialect.is_over, most_bytes=_MOST_BYTES
                )
    return MatchReport(
        dialect.hands_begun,
        dialect.bankroll,
        dialect.clock.left,
        seed,
        tuple(adapter.faults),
        _CLOSED if broken == CLOSED else broken,
    )
