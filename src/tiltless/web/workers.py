"""Worker processes: searching and solving outside of the server, with progress and cancelling.

A job is a task of `tiltless.web.tasks` with its arguments. A process has one job at a time and
keeps what jobs of the same *key* share, such as an opened spot or an agent, so a key always goes to
the process that has it. A job that is cancelled is asked to stop; if it does not within a moment,
its process is ended. A process that dies is an error of its job; the next job gets a new one.

Processes are spawned when the first job needs them, and end with the server: they see the end of
their pipe however that happens. Messages between them are pickled, and never leave this machine.
"""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any

from tiltless.errors import TiltlessError
from tiltless.executor import WorkerError
from tiltless.web.tasks import TASKS, JobContext

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

__all__ = ["LARGE", "CancelledError", "Job", "WorkerPool"]

_POLL_SECONDS = 0.02
_GRACE_SECONDS = 0.3
"""How long a cancelled job may take to stop by itself."""
_ENOUGH = "enough"
_QUEUED = 64
_MOST_LARGE = 2
LARGE = "spot:"
"""How keys begin of which a process keeps only two, since solved spots take much memory."""

Progress = Callable[[Any], None]


class CancelledError(TiltlessError):
    """A job that was cancelled."""


class Job:
    """A task that was handed to a pool.

    result: done when the task is; `CancelledError`, `WorkerError` or the task's own
    `TiltlessError` if it failed.  tell: called with each progress, from a thread of the pool.
    """

    def __init__(self, task: str, arguments: dict[str, Any], key: str, tell: Progress) -> None:
        self.task, self.arguments, self.key, self.tell = task, arguments, key, tell
        self.result: Future[Any] = Future()
        self.cancelled, self.enough = threading.Event(), threading.Event()

    def finish(self) -> None:
        """Ask it to be content with what it has; the result is what it has found so far."""
        self.enough.set()

    def cancel(self) -> None:
        """Ask it to stop; the result is a `CancelledError` within half a second."""
        self.cancelled.set()


class WorkerPool:
    """Processes for jobs.

    processes: how many jobs run at once.  nice: added to their niceness, so that others go first.
    kept: how many keys a process remembers.
    """

    def __init__(self, processes: int, *, nice: int = 0, kept: int = 8) -> None:
        self._queue: list[Job] = []
        self._changed = threading.Condition()
        self._closed = False
        self._workers = [_Worker(self, nice, kept) for _ in range(processes)]

    def submit(
        self, task: str, arguments: dict[str, Any], *, key: str = "", tell: Progress | None = None
    ) -> Job:
        """Queue a job.  task: a name of `TASKS`."""
        job = Job(task, arguments, key, tell or (lambda _: None))
        with self._changed:
            if self._closed:
                raise WorkerError("the server is stopping; try again later")
            if len(self._queue) >= _QUEUED:
                raise WorkerError("too much work is waiting; try again in a moment")
            self._queue.append(job)
            self._changed.notify_all()
        for worker in self._workers:
            worker.start()
        return job

    def run(self, task: str, arguments: dict[str, Any], *, key: str = "") -> Any:
        """The result of a job; blocks."""
        return self.submit(task, arguments, key=key).result.result()

    def close(self) -> None:
        """End all processes; jobs that run or wait are cancelled."""
        with self._changed:
            self._closed = True
            for job in self._queue:
                if job.result.set_running_or_notify_cancel():
                    job.result.set_exception(CancelledError("the server is stopping"))
            self._queue.clear()
            self._changed.notify_all()
        for worker in self._workers:
            worker.close()

    def take(self, worker: "_Worker") -> Job | None:
        """The next job for a process, which waits for one; None if the pool is closed."""
        with self._changed:
            while not self._closed:
                for job in self._queue:
                    holder = next((each for each in self._workers if job.key in each.keys), None)
                    if job.cancelled.is_set() or not job.key or holder in (None, worker):
                        self._queue.remove(job)
                        worker.remember(job.key)
                        return job
                self._changed.wait(0.5)
        return None


class _Worker:
    """A process and the thread that talks to it."""

    def __init__(self, pool: WorkerPool, nice: int, kept: int) -> None:
        self.pool, self.nice, self.kept = pool, nice, kept
        self.keys: list[str] = []
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None
        self._thread: threading.Thread | None = None

    def remember(self, key: str) -> None:
        """The process gets a job of this key; it forgets the oldest as it does (`_work`)."""
        if key:
            self.keys = _kept([*(each for each in self.keys if each != key), key], self.kept)

    def start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="worker", daemon=True)
            self._thread.start()

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
        if self._thread is not None:
            self._thread.join(2)
        self._end()

    def _serve(self) -> None:
        while (job := self.pool.take(self)) is not None:
            try:
                if not job.result.set_running_or_notify_cancel():
                    continue  # nobody waits for it any more
                if job.cancelled.is_set():
                    raise CancelledError("the job was cancelled")
                job.result.set_result(self._do(job))
            except TiltlessError as problem:
                job.result.set_exception(problem)
            except Exception as problem:  # a result that cannot be read: the process is no use
                self._end()
                job.result.set_exception(WorkerError(f"the work failed: {problem}"))

    def _do(self, job: Job) -> Any:
        try:
            pipe = self._connected()
            self.remember(job.key)  # a new process has forgotten all
            pipe.send((job.task, job.arguments, job.key))
            asked, told = 0.0, False
            while True:
                if job.enough.is_set() and not told:
                    told = True
                    pipe.send(_ENOUGH)
                if job.cancelled.is_set() and not asked:
                    asked = time.monotonic()
                    pipe.send(None)
                if asked and time.monotonic() - asked > _GRACE_SECONDS:
                    self._end()
                    raise CancelledError("the job was cancelled")
                if not pipe.poll(_POLL_SECONDS):
                    continue
                kind, value = pipe.recv()
                if kind == "progress":
                    job.tell(value)
                    continue
                if job.cancelled.is_set():
                    raise CancelledError("the job was cancelled")
                if kind == "failed":
                    raise value if isinstance(value, TiltlessError) else WorkerError(value)
                return value
        except (OSError, EOFError) as problem:
            self._end()
            raise WorkerError("the process that worked on this has ended; try again") from problem

    def _connected(self) -> "Connection":
        if self._process is None or not self._process.is_alive() or self._pipe is None:
            self._end()
            context = multiprocessing.get_context("spawn")
            self._pipe, theirs = context.Pipe()
            process = context.Process(
                target=_work, args=(theirs, self.nice, self.kept), daemon=True
            )
            process.start()
            self._process = process
            theirs.close()
        return self._pipe

    def _end(self) -> None:
        self.keys.clear()
        if self._process is not None:
            self._process.kill()
            self._process.join(5)
            self._process = None
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None


def _work(pipe: "Connection", nice: int, kept: int) -> None:
    """The process: one job after the other, until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    if nice and hasattr(os, "nice"):
        os.nice(nice)
    jobs: list[Any] = []
    arrived, stop, enough = threading.Condition(), threading.Event(), threading.Event()

    def listen() -> None:
        while True:
            try:
                message = pipe.recv()
            except (EOFError, OSError):
                os._exit(0)  # the server is gone
            with arrived:
                if message is None:
                    stop.set()
                elif message == _ENOUGH:
                    enough.set()
                else:
                    stop.clear()
                    enough.clear()
                    jobs.append(message)
                    arrived.notify()

    threading.Thread(target=listen, daemon=True).start()
    memory: dict[str, dict[str, Any]] = {}
    while True:
        with arrived:
            while not jobs:
                arrived.wait()
            task, arguments, key = jobs.pop(0)
        own = memory.pop(key, {})
        if key:
            memory[key] = own  # the newest last
            for old in set(memory) - set(_kept(list(memory), kept)):
                del memory[old]
        told = partial(_tell, pipe)
        context = JobContext(own, stop.is_set, enough.is_set, told)
        try:
            answer = "done", TASKS[task](context, **arguments)
        except TiltlessError as problem:
            answer = "failed", _plain(problem)
        except Exception as problem:
            answer = "failed", f"{type(problem).__name__}: {problem}"
        pipe.send(answer)


def _tell(pipe: "Connection", data: Any) -> None:
    pipe.send(("progress", data))


def _kept(keys: list[str], most: int) -> list[str]:
    """The newest keys, which are last, and of those that take much memory fewer."""
    large = [key for key in keys if key.startswith(LARGE)][:-_MOST_LARGE]
    return [key for key in keys if key not in large][-most:]


def _plain(problem: TiltlessError) -> TiltlessError | str:
    """An error that can be sent: some classes take more than a text."""
    try:
        return type(problem)(str(problem))
    except TypeError:
        return str(problem)
