"""Executors: stateless tasks in this process or in others, results in the order of the jobs.

A task is a function of a module, a job is what it is called with, and a result follows from the job
alone. So a job may run anywhere, and again if its worker was lost, and results are the same
whatever the executor. `Here` and `Processes` are part of this module; another one, on a cluster for
instance, has the two members of `Executor` and is accepted wherever a number of processes is.
"""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from typing import Protocol, TypeVar, runtime_checkable

from tiltless.errors import TiltlessError
from tiltless.validate import whole_number

__all__ = ["Executor", "Here", "Processes", "WorkerError", "executor_for"]

J = TypeVar("J")
R = TypeVar("R")

_MOST = 1024
_AHEAD = 4  # jobs for each process that are handed out before the first result is taken
_UNGUARDED = 77  # exit code of a process that would have started processes of its own


class WorkerError(TiltlessError):
    """A process that worked for us is gone."""


@runtime_checkable
class Executor(Protocol):
    """Runs tasks that keep no state.

    is_here: whether jobs run in this process, so that a task may be any callable and share objects.
    Elsewhere, tasks and jobs and results are pickled.
    """

    @property
    def is_here(self) -> bool:
        """See above."""
        ...

    def map(self, task: Callable[[J], R], jobs: Iterable[J]) -> Generator[R, None, None]:
        """The result of each job, in the order of the jobs.

        An exception of a task is raised where its result would come. Closing the generator, or an
        interrupt, ends the work that nobody waits for any more. `WorkerError` if a worker is lost
        for good.
        """
        ...


@dataclass(frozen=True)
class Here:
    """One job after the other in this process, each when its result is asked for."""

    is_here = True

    def map(self, task: Callable[[J], R], jobs: Iterable[J]) -> Generator[R, None, None]:
        """The result of each job."""
        for job in jobs:
            yield task(job)


@dataclass(frozen=True)
class Processes:
    """Processes of this machine, spawned and never forked; they end with the call.

    remedy: what somebody who has lost one may do.
    """

    count: int
    remedy: str = "use fewer processes"

    is_here = False

    def __post_init__(self) -> None:
        whole_number("processes", self.count, 1, _MOST)

    def map(self, task: Callable[[J], R], jobs: Iterable[J]) -> Generator[R, None, None]:
        """The result of each job."""
        if _is_starting():
            os._exit(_UNGUARDED)
        waiting: deque[Future[R]] = deque()
        before = set(multiprocessing.active_children())
        pool = ProcessPoolExecutor(
            self.count, mp_context=multiprocessing.get_context("spawn"), initializer=_begin_worker
        )
        finished = False
        started: set[BaseProcess] = set()
        try:
            for job in jobs:
                waiting.append(pool.submit(task, job))
                started |= set(multiprocessing.active_children()) - before
                if len(waiting) >= _AHEAD * self.count:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
            finished = True
        except BrokenProcessPool:
            pool.shutdown(wait=True, cancel_futures=True)  # all are gone, and their codes known
            if any(child.exitcode == _UNGUARDED for child in started):
                raise WorkerError(
                    f"processes={self.count} runs this script again in each process; put what it "
                    "does under: if __name__ == '__main__':"
                ) from None
            raise WorkerError(
                "a worker process was ended from outside, perhaps for want of memory; "
                f"{self.remedy}"
            ) from None
        finally:
            if not finished:  # do not wait for jobs that nobody wants any more
                for child in set(multiprocessing.active_children()) - before:
                    child.terminate()
            pool.shutdown(wait=True, cancel_futures=True)


def executor_for(
    processes: int | Executor, jobs: int, *, remedy: str = Processes.remedy
) -> Executor:
    """An executor for a number of processes, no more of them than jobs; one is given back as it is.

    remedy: as `Processes` has it.
    """
    if isinstance(processes, Executor):
        return processes
    count = min(whole_number("processes", processes, 1, _MOST), max(jobs, 1))
    return Here() if count == 1 else Processes(count, remedy)


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
