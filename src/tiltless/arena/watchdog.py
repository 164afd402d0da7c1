"""Watchdog: interrupts agents that do not answer.

While a chunk is played, a timer of the system looks every second at how long the agent that was
asked has taken. When that is too long, `NoAnswer` is raised in the middle of what it does: five
seconds after its clock, which is a ruling like any other, or after ten minutes where there is no
clock, which ends the match, since nobody knows whether it would ever answer. Compiling is not
counted (`tiltless.agents.thinking_time`), and is never interrupted.

That reaches everything that Python can interrupt: loops, sleep, waiting for a lock, for a network
or for another process. It does not reach compiled code that never comes back, an agent that goes on
whatever is raised, threads other than the main one, Windows, nor programs that have another use for
SIGALRM.
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
    """Somebody has been asked for too long; not to be taken for a crash."""


class NoAnswerError(TiltlessError):
    """A match that ended because an agent did not answer."""


class _Asked(threading.local):
    """Whom this thread asked last: the agent, when, with which clock, in which deal.

    When: in `thinking_time`.
    """

    now: tuple[Agent, float, Clock, int] | None = None


asked = _Asked()
"""``now`` is set by the dealer whenever it asks an agent; None when a hand is over."""


def longest(clock: Clock) -> float:
    """How many seconds are waited for somebody."""
    return _PATIENCE if clock.seconds is None else clock.seconds + _GRACE


@contextmanager
def watched() -> Iterator[None]:
    """Interrupt whom ``asked`` names when that takes too long."""
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "setitimer"):  # no such thing on Windows
        yield
        return
    if signal.getsignal(signal.SIGALRM) is not signal.SIG_DFL:  # somebody else's
        yield
        return
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
