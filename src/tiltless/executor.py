"""Executors: stateless tasks in this process or in others, results in the order of the jobs.

A task is a function of a module, a job is what it is called with, and a result follows from the job
alone. So a job may run anywhere, and again if its worker was lost, and results are the same
whatever the executor. `Here` and `Processes` are part of this module; `tiltless.distributed` has
one on a Ray cluster, and all are accepted wherever a number of processes is.
"""

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from typing import Generic, Protocol, TypeVar, runtime_checkable

from tiltless.errors import TiltlessError
from tiltless.validate import whole_number

__all__ = [
    "Executor",
    "Held",
    "Here",
    "KeptProcesses",
    "Processes",
    "Shared",
    "WorkerError",
    "WorkerRefusedError",
    "executor_for",
]

J = TypeVar("J")
R = TypeVar("R")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_MOST = 1024
_AHEAD = 4  # jobs for each process that are handed out before the first result is taken
_STARTING = threading.Lock()  # so that each pool knows its own processes
_UNGUARDED = 77  # exit code of a process that would have started processes of its own


class WorkerError(TiltlessError):
    """A process that worked for us is gone, or could not do what it was asked for."""


class WorkerRefusedError(WorkerError):
    """This worker must not do the job: its program or its files are not those of the driver.

    A task raises it; an executor with several machines leaves that machine out.
    """


class Shared(Protocol[T_co]):
    """A value that many jobs name; see `Executor.share`."""

    def get(self) -> T_co:
        """The value; arrays may be read-only."""
        ...


@dataclass(frozen=True)
class Held(Generic[T]):
    """A value that travels with every job."""

    value: T

    def get(self) -> T:
        """The value."""
        return self.value


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

        An exception of a task is raised where its result would come; an executor on several
        machines leaves out the results of such jobs, and raises a `WorkerError` that names them
        when all others are done. Closing the generator, or an interrupt, ends the work that nobody
        waits for any more. `WorkerError` if a worker is lost for good.
        """
        ...

    def share(self, value: T) -> Shared[T]:
        """A value for many jobs, which reaches a machine once if the executor can do that."""
        ...


@dataclass(frozen=True)
class Here:
    """One job after the other in this process, each when its result is asked for."""

    is_here = True

    def map(self, task: Callable[[J], R], jobs: Iterable[J]) -> Generator[R, None, None]:
        """The result of each job."""
        for job in jobs:
            yield task(job)

    def share(self, value: T) -> Held[T]:
        """The value itself."""
        return Held(value)


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
        with KeptProcesses(self.count, self.remedy) as kept:
            yield from kept.map(task, jobs)

    def share(self, value: T) -> Held[T]:
        """The value itself, which is pickled with every job."""
        return Held(value)


class KeptProcesses:
    """`Processes` that stay from one call to the next, until the block ends.

    An exception or an interrupt in a call ends them too; the next call starts others.
    """

    is_here = False

    def __init__(self, count: int, remedy: str = Processes.remedy) -> None:
        self.count, self.remedy = whole_number("processes", count, 1, _MOST), remedy
        self._pool: ProcessPoolExecutor | None = None
        self._own: set[BaseProcess] = set()

    def __enter__(self) -> "KeptProcesses":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def share(self, value: T) -> Held[T]:
        """The value itself, which is pickled with every job."""
        return Held(value)

    def map(self, task: Callable[[J], R], jobs: Iterable[J]) -> Generator[R, None, None]:
        """The result of each job."""
        if _is_starting():
            os._exit(_UNGUARDED)
        waiting: deque[Future[R]] = deque()
        finished = False
        if self._pool is None:
            if getattr(sys.modules["__main__"], "__file__", None) == "<stdin>":
                raise WorkerError(
                    f"processes={self.count} cannot start from a program that Python reads from "
                    "its standard input; save it as a file"
                )
            # the processes share the cores already: products of matrices take one thread in each
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(
                self.count, mp_context=context, initializer=_begin_worker
            )
        try:
            for job in jobs:
                with _STARTING:
                    before = set(multiprocessing.active_children())
                    try:
                        waiting.append(self._pool.submit(task, job))
                    finally:  # a pool that cannot start all its processes has started some
                        self._own |= set(multiprocessing.active_children()) - before
                if len(waiting) >= _AHEAD * self.count:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
            finished = True
        except BrokenProcessPool:
            self._pool.shutdown(wait=True, cancel_futures=True)  # all are gone, their codes known
            if any(child.exitcode == _UNGUARDED for child in self._own):
                raise WorkerError(
                    f"processes={self.count} runs this script again in each process; put what it "
                    "does under: if __name__ == '__main__':"
                ) from None
            raise WorkerError(
                "a worker process was ended from outside, perhaps for want of memory; "
                f"{self.remedy}"
            ) from None
        finally:
            if not finished:
                self._end(at_once=True)

    def close(self) -> None:
        """End the processes."""
        self._end(at_once=False)

    def _end(self, at_once: bool) -> None:
        pool, self._pool = self._pool, None
        own, self._own = self._own, set()
        if pool is None:
            return
        if at_once:  # do not wait for jobs that nobody wants any more
            for child in own:
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
