"""Agents in a thread of their own, so that a table is answered in time whatever an agent does.

A clock that another program counts does not stop while our code is compiled, and compiled code
cannot be interrupted. So `BackgroundAgent` runs an agent in a second thread and waits only as long
as it may: then the decision is ruled late, and what the agent does about it later is ignored. Until
it has finished, the next decisions are late too, and are not waited for as long. Hooks are only
queued, so that an acknowledgement need not wait for an agent that learns from a showdown. (Kernels
release the GIL.)
"""

import threading
from collections.abc import Callable
from queue import SimpleQueue
from random import Random
from typing import Any, Self

from tiltless.agents.agent import Agent, Clock, Decision
from tiltless.arena.watchdog import NoAnswer
from tiltless.games.holdem.rules import Rules
from tiltless.games.holdem.view import View

__all__ = ["BackgroundAgent"]

_CLOSING = 1.0  # seconds
_STILL_BUSY = 0.25  # of the time for a decision, when the agent has not finished the last one


class _LateError(Exception):
    """A call has not returned in time."""


class _Job:
    """A call of a method of the agent."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call, self._value = call, None
        self._problem: BaseException | None = None
        self._done = threading.Event()
        self.is_wanted = True

    def run(self) -> None:
        """In the thread of the agent."""
        try:
            self._value = self._call()
        except BaseException as problem:
            self._problem = problem
        self._done.set()

    @property
    def is_done(self) -> bool:
        """Whether the call has returned."""
        return self._done.is_set()

    def result(self, seconds: float | None) -> Any:
        """What the call returns or raises; `_LateError` if that takes too long.

        (An event, because the timeout of a `SimpleQueue` may be lost when a signal arrives.)
        """
        if not self._done.wait(seconds):
            raise _LateError
        if self._problem is not None:
            raise self._problem
        return self._value


class BackgroundAgent(Agent):
    """An agent that is made, and acts, in a thread of its own.

    make: creates the agent.  wait: how long to wait for a decision with a clock, in seconds; None
    for no limit.  wait_for_loading: how long `check_table` waits for an agent that is being made.

    A decision that is late raises `NoAnswer`, which is ruled late. A hook that failed raises its
    exception when the next hook is called.
    """

    def __init__(
        self,
        make: Callable[[], Agent],
        wait: Callable[[Clock], float | None] = lambda clock: clock.seconds,
        wait_for_loading: float | None = None,
    ) -> None:
        self._wait, self._wait_for_loading = wait, wait_for_loading
        self._agent: Agent | None = None
        self._failed: BaseException | None = None
        self._problem: BaseException | None = None
        self._late: _Job | None = None  # the decision that the agent is still busy with
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()  # None: the last
        self._make = make
        self._thread = threading.Thread(target=self._work, name="agent", daemon=True)
        self._thread.start()

    def act(self, view: View, clock: Clock, rng: Random) -> Decision:
        """The agent's decision; `NoAnswer` if it takes too long."""
        seconds, last = self._wait(clock), self._late
        if seconds is not None and last is not None and not last.is_done:
            seconds *= _STILL_BUSY
        job = self._call("act", view, clock, rng)
        try:
            decision: Decision = job.result(seconds)
        except _LateError:
            job.is_wanted = False  # not begun if the agent was busy, and will not be
            self._late = job if last is None or last.is_done else last
            raise NoAnswer from None
        self._late = None
        return decision

    def loaded(self) -> None:
        """Wait until the agent has been made; raises what making it raised."""
        job = _Job(self._made)
        self._jobs.put(job)
        job.result(None)

    def check_table(self, game: str, rules: Rules) -> str:
        """The agent's own check, when it has been made; "" if that takes too long."""
        job = self._call("check_table", game, rules)
        try:
            return str(job.result(self._wait_for_loading))
        except _LateError:
            return ""

    def match_start(self) -> None:
        """Passed on."""
        self._tell("match_start")

    def hand_start(self, view: View) -> None:
        """Passed on."""
        self._tell("hand_start", view)

    def showdown(self, view: View) -> None:
        """Passed on."""
        self._tell("showdown", view)

    def hand_end(self, view: View) -> None:
        """Passed on."""
        self._tell("hand_end", view)

    def finish(self, seconds: float) -> bool:
        """Wait until the agent has done everything that it was told; False if that takes longer."""
        job = _Job(lambda: None)
        self._jobs.put(job)
        try:
            job.result(seconds)
        except _LateError:
            return False
        return True

    def close(self, seconds: float = _CLOSING) -> None:
        """End the thread when the agent has done everything that it was told.

        seconds: to wait for that; a busy agent's thread ends later.  Nothing may be asked any more.
        """
        self._jobs.put(None)
        self._thread.join(seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, method: str, *arguments: Any) -> _Job:
        job = _Job(lambda: getattr(self._made(), method)(*arguments))
        self._jobs.put(job)
        return job

    def _tell(self, hook: str, *arguments: Any) -> None:
        def call() -> None:
            try:
                getattr(self._made(), hook)(*arguments)
            except BaseException as problem:
                self._problem = problem

        self._jobs.put(_Job(call))
        problem, self._problem = self._problem, None
        if problem is not None:
            raise problem

    def _made(self) -> Agent:
        if self._agent is None:
            raise self._failed or RuntimeError("the agent has not been made")
        return self._agent

    def _work(self) -> None:
        try:
            self._agent = self._make()
        except BaseException as problem:
            self._failed = problem
        while (job := self._jobs.get()) is not None:
            if job.is_wanted:
                job.run()
