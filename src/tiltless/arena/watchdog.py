"""Watchdog: interrupts agents that do not answer.

While a chunk is played, a system timer checks every second how long the current agent has been
thinking. When that is too long, `NoAnswer` is raised inside the agent: five seconds after its clock
has run out, when it is ruled late, or after ten minutes if there is no clock, which ends the match,
since it might never answer. Compilation does not count (`tiltless.agents.thinking_time`), and is
never interrupted.

This stops everything that Python can interrupt: loops, sleep, waiting for a lock, a network or
another process. It does not stop compiled code that never returns, or an agent that catches every
exception. It works only in the main thread, not on Windows, and not in programs that use SIGALRM
themselves.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tiltless.agents.agent import Agent, Clock
from tiltless.agents.thinking_time import is_compiling, thinking_time
from tiltless.errors import TiltlessError

__all__ = ["NO_CLOCK", "NoAnswer", "NoAnswerError", "asked", "longest", "watched"]

NO_CLOCK = Clock()
_PATIENCE = 600.0
_GRACE = 5.0
_EVERY = 1.0


class NoAnswer(KeyboardInterrupt):
    """Raised inside an agent that takes too long; it is not ruled a crash."""


class NoAnswerError(TiltlessError):
    """A match that ended because an agent did not answer."""


class _Asked(threading.local):
    """The agent that this thread asked last: (agent, start, clock, deal).

    The start is in `thinking_time`.
    """

    now: tuple[Agent, float, Clock, int] | None = None


asked = _Asked()
"""``now`` is set whenever the dealer asks an agent; None when a hand is over."""


def longest(clock: Clock) -> float:
    """The most seconds that an agent is waited for."""
    return _PATIENCE if clock.seconds is None else clock.seconds + _GRACE


@contextmanager
def watched() -> Iterator[None]:
    """Interrupt the agent in ``asked`` if it takes too long."""
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "setitimer"):  # Windows has no setitimer
        yield
        return
    if signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL:  # in use by the program
        yield
        return
    asked.now = None  # of an earlier match that was stopped
    signal.signal(signal.SIGALRM, _look)
    signal.setitimer(signal.ITIMER_REAL, _EVERY, _EVERY)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _look(signum: int, frame: object) -> None:
    if asked.now is not None and not is_compiling():
        _, since, clock, _ = asked.now
        if thinking_time() - since > longest(clock):
            raise NoAnswer
