"""Worker processes: chunks of a match in parallel, results in order.

Processes are spawned, never forked. Each is given the plan as text and makes the agents again; only
what a part gives comes back.
"""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import lru_cache
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from tiltless.agents.agent import Agent
from tiltless.agents.registry import imports_code, is_slow
from tiltless.arena.chunk import play_chunk
from tiltless.arena.plan import MatchPlan
from tiltless.arena.watchdog import NoAnswer, NoAnswerError, asked, longest, watched
from tiltless.errors import OptionError, TiltlessError
from tiltless.validate import whole_number

__all__ = ["WorkerError", "in_order"]

T = TypeVar("T")
Play = Callable[..., T]
"""Called with a plan, the number of a chunk, the agents, and what else `in_order` was given."""


_WARM_DEALS = 4
_PATIENCE = 60.0  # seconds more than its clock that an agent has while it warms up
_UNGUARDED = 77  # exit code of a process that would have started processes of its own


class WorkerError(TiltlessError):
    """A process that played for us is gone."""


def in_order(
    play: "Play[T]", plan: MatchPlan, numbers: Sequence[int], processes: int, *more: Any
) -> Generator[T, None, None]:
    """What ``play`` gives for each chunk, in the order of the numbers; here if one process will do.

    play: a function of a module, so that other processes find it.
    """
    processes = min(whole_number("processes", processes, 1, 1024), max(len(numbers), 1))
    agents = plan.make_agents()  # refuse them before a process is started
    if processes == 1:
        _warm_up(plan)
        for number in numbers:
            yield _watched(play, plan, number, agents, more)
        return
    if plan.objects:
        raise OptionError(
            "agents that are given as objects play in one process; for several, give them as "
            "text, such as module:Class with trusted=True"
        )
    if _is_starting():
        os._exit(_UNGUARDED)
    text, trusted = plan.to_json(), plan.trusted
    waiting: deque[Future[T]] = deque()
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        processes, mp_context=multiprocessing.get_context("spawn"), initializer=_begin_worker
    )
    finished = False
    started: set[BaseProcess] = set()
    try:
        for number in numbers:
            waiting.append(pool.submit(_in_worker, play, text, trusted, number, more))
            started |= set(multiprocessing.active_children()) - before
            if len(waiting) >= 4 * processes:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
        finished = True
    except BrokenProcessPool:
        pool.shutdown(wait=True, cancel_futures=True)  # all are gone then, and their codes known
        if any(child.exitcode == _UNGUARDED for child in started):
            raise WorkerError(
                f"processes={processes} runs this script again in each process; put what it does "
                "under: if __name__ == '__main__':"
            ) from None
        raise WorkerError(
            "a process that played was ended from outside, perhaps for want of memory; go on with "
            "fewer --processes, and with --resume if the match is kept"
        ) from None
    finally:
        if not finished:  # do not wait for chunks that nobody wants any more
            for child in set(multiprocessing.active_children()) - before:
                child.terminate()
        pool.shutdown(wait=True, cancel_futures=True)


def _begin_worker() -> None:
    """Leave Ctrl-C to the parent, and do not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _is_starting() -> bool:
    """Whether this is a process that is only being started, by a script without a guard."""
    return getattr(multiprocessing.current_process(), "_inheriting", False)


@lru_cache(maxsize=2)
def _ready(text: str, trusted: bool) -> tuple[MatchPlan, list[Agent]]:
    plan = replace(MatchPlan.from_json(text), trusted=trusted)
    _warm_up(plan)
    return plan, plan.make_agents()


def _warm_up(plan: MatchPlan) -> None:
    """Let agents of the registry play a little before a clock runs: the first time is slower.

    Tables are computed and files are read then. These agents are others than those of the match.
    """
    if plan.clock is None or plan.objects or any(map(imports_code, plan.agents)):
        return
    deals = 1 if any(map(is_slow, plan.agents)) else _WARM_DEALS
    trial = replace(
        plan, deals=deals, chunk=deals, carry=False, mirrored=True, clock=plan.clock + _PATIENCE
    )
    with watched():
        play_chunk(trial, 0, trial.make_agents(), keep_hands=False)


def _in_worker(play: "Play[T]", text: str, trusted: bool, number: int, more: tuple[Any, ...]) -> T:
    """Plan and agents are made once; trusted: as the parent's plan was."""
    plan, agents = _ready(text, trusted)
    return _watched(play, plan, number, agents, more)


def _watched(
    play: "Play[T]", plan: MatchPlan, number: int, agents: list[Agent], more: tuple[Any, ...]
) -> T:
    """Play, and give up where an agent does not answer."""
    try:
        with watched():
            return play(plan, number, agents, *more)
    except NoAnswer:
        assert asked.now is not None
        agent, _, clock, deal = asked.now
        asked.now = None
        names = [text for text, each in zip(plan.agents, agents, strict=True) if each is agent]
        raise NoAnswerError(
            f"{names[0]} did not answer for {longest(clock):g} seconds in deal {deal}; what was "
            "written before stays, and with a clock (--clock) it would be late and the match go on"
        ) from None
