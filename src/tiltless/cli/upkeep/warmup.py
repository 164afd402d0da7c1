"""``tiltless warmup``: compile every kernel in advance."""

import contextlib
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Annotated, cast

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from tiltless.cli.compiling import on_compile
from tiltless.cli.upkeep.warmup_jobs import job_order, job_seconds, jobs
from tiltless.kernels.base.jit import code_folder
from tiltless.lock import try_lock
from tiltless.system import free_memory, usable_cores

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

__all__ = ["jobs", "run_jobs", "warmup", "workers"]

_WORKER_BYTES = 600_000_000  # twice of what one was seen to take


def warmup(
    processes: Annotated[
        int, typer.Option(min=0, help="Number of compiling processes; 0 means one for each core.")
    ] = 0,
) -> None:
    """Compile every kernel in advance, and build the tables in the cache folder."""
    console = Console(stderr=True)
    console.print("compiling kernels, once for this machine and version")
    with Progress(
        TextColumn("{task.description:<22}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
    ) as progress:
        names = sorted(jobs(), key=job_order)
        task = progress.add_task("", total=sum(map(job_seconds, names)))

        def show(running: str, done: float) -> None:
            progress.update(task, description=running, completed=done)

        count = len(run_jobs(names, processes or workers(), show))
        progress.update(task, description="done")
    console.print(
        f"{count} compiled, kept in {code_folder()}" if count else "everything was ready already",
        soft_wrap=True,
        markup=False,
    )


def workers() -> int:
    """Number of processes that compile at once: one per core, as far as memory allows."""
    return max(1, int(min(usable_cores(), free_memory() / _WORKER_BYTES)))


def run_jobs(names: Sequence[str], workers: int, show: Callable[[str, float], None]) -> set[str]:
    """Run jobs in worker processes, in this order; returns the names of what was compiled.

    Jobs of a process that died or failed are run again in this process at the end.
    show: called with one running job and the estimated seconds of all jobs done so far.
    """
    context = multiprocessing.get_context("spawn")
    todo, again, compiled = list(names), list[str](), set[str]()
    busy: dict[Connection, tuple[SpawnProcess, str, float]] = {}
    idle: list[tuple[SpawnProcess, Connection]] = []
    finished = 0.0
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as they inherit it
    try:
        for _ in range(min(workers, len(todo))):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs,), daemon=True)
            process.start()
            theirs.close()
            idle.append((process, ours))
        signal.signal(signal.SIGINT, before)
        while busy or (todo and idle):
            while todo and idle:
                process, pipe = idle.pop()
                busy[pipe] = process, todo.pop(0), time.monotonic()
                pipe.send(busy[pipe][1])
            for pipe in cast("list[Connection]", wait(list(busy), 0.5)):
                process, name, _ = busy.pop(pipe)
                finished += job_seconds(name)
                try:
                    made = pipe.recv()
                except EOFError:
                    again.append(name)
                    continue
                idle.append((process, pipe))
                again += [name] * (made is None)
                compiled.update(made or ())
            now, running = time.monotonic(), list(busy.values())
            part = sum(min(now - begin, 0.95 * job_seconds(name)) for _, name, begin in running)
            show(
                max((name for _, name, _ in running), key=job_seconds, default=""), finished + part
            )
    finally:
        signal.signal(signal.SIGINT, before)
        for process in [*(each for each, _, _ in busy.values()), *(each for each, _ in idle)]:
            process.terminate()
            process.join()
        for left in code_folder().glob("*.lock"):  # of those that were ended in the middle
            with contextlib.suppress(OSError):
                if lock := try_lock(left):
                    lock.release()
    if again or todo:
        on_compile(compiled.add)
        here = jobs()
        for name in again + todo:
            show(name, finished)
            here[name]()
    return compiled


def _work(pipe: "Connection") -> None:
    """Run jobs from the pipe; answer each with what was compiled, or None if it failed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started us says when to stop
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # as long as we live
    compiled: list[str] = []
    on_compile(compiled.append)
    todo = jobs()
    with contextlib.suppress(EOFError):
        while True:
            job = todo[pipe.recv()]
            compiled.clear()
            try:
                job()
                pipe.send(compiled)
            except Exception:
                pipe.send(None)
