"""Executor on a Ray cluster: a worker process for each core, any of which may die at any time.

Every worker is told its job by the driver, who knows at each moment which machine does what, since
when, and how often a job was tried. Workers keep nothing that a result depends on. So

- a job whose worker or machine is lost is done again elsewhere, up to `ATTEMPTS` times;
- a job that takes longer than a limit is ended with its worker, and tried once more;
- a job that raises, or runs into the memory limit of its worker, is named, and the others go on;
- a worker with another program, or with other files than the driver, is refused with its machine.

Machines that join are used from then on.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from tiltless.distributed.identity import program
from tiltless.distributed.worker import (
    MEMORY,
    REFUSED,
    RESULT,
    ClusterWorker,
    Hello,
    JobOutcome,
)
from tiltless.executor import WorkerError

__all__ = ["ATTEMPTS", "MachineState", "RayExecutor", "SharedObject"]

J = TypeVar("J")
R = TypeVar("R")

ATTEMPTS = 5
"""How often a job may be lost with its worker."""
_HANGS = 2  # how often it may take too long
_AHEAD = 2  # jobs that a worker has at once, so that it does not wait for the next
_WINDOW = 4  # results for each worker that may wait for an earlier one
_POLL_SECONDS = 0.5
_LOOK_SECONDS = 2.0  # between two looks for new machines
_NOBODY_SECONDS = 120.0  # without any worker before we give up
_LEAST_LIMIT, _LIMIT_FACTOR = 600.0, 20.0
_FAILED_STARTS = 3
_SHOWN = 3


class SharedObject:
    """A value in the object store, which each machine fetches once."""

    def __init__(self, reference: Any) -> None:
        self.reference = reference

    def get(self) -> Any:
        """The value; its arrays are read-only."""
        import ray

        return ray.get(self.reference)


class MachineState(NamedTuple):
    """A machine.  workers: those that have answered.  refused: why it is; "" if it is not."""

    name: str
    cores: int
    workers: int
    refused: str


@dataclass(eq=False)
class _Call:
    """A job that a worker has.  lost, hung: how often it was tried without a result."""

    number: int
    job: Any
    lost: int = 0
    hung: int = 0


@dataclass(eq=False)
class _Worker:
    """A worker process; calls: what it has to do, in its order, by reference."""

    actor: Any
    node: str
    hello: Any
    who: Hello | None = None
    calls: dict[Any, _Call] = field(default_factory=dict)
    since: float = 0.0  # when the first of them was begun


@dataclass(eq=False)
class _Machine:
    """A node of the cluster.  refused: why it is not used; "" if it is.  cores: workers on it."""

    name: str
    cores: int
    memory: int
    refused: str = ""
    failed: int = 0


class RayExecutor:
    """Workers on all machines of a cluster; the driver must be connected (`connected`).

    memory: bytes that each worker's jobs may allocate; None for an equal share of its machine.
    job_seconds: the limit on the time of a job; None for ten minutes or 20 times the longest job
    so far, whichever is more.  note: called with lines about machines that leave or are refused.
    """

    is_here = False

    def __init__(
        self,
        ray: Any,
        *,
        memory: int | None = None,
        job_seconds: float | None = None,
        note: Callable[[str], None] | None = None,
    ) -> None:
        self._ray, self._memory, self._job_seconds = ray, memory, job_seconds
        self._note = note or (lambda _: None)
        self._make = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(ClusterWorker)
        self._machines: dict[str, _Machine] = {}
        self._workers: list[_Worker] = []
        self._looked = self._longest = 0.0
        self._look()

    @property
    def cores(self) -> int:
        """Cores of all machines that are not refused."""
        return sum(each.cores for each in self._machines.values() if not each.refused)

    @property
    def workers(self) -> list[tuple[str, int]]:
        """Machine and process number of each worker that has answered."""
        return [(each.who.machine, each.who.process) for each in self._workers if each.who]

    def check(self, seconds: float = 30.0) -> list[MachineState]:
        """Wait until every worker has answered, or for so long; returns the state of machines."""
        until = time.monotonic() + seconds
        again: deque[_Call] = deque()
        while time.monotonic() < until and any(worker.who is None for worker in self._workers):
            self._wait(again, {}, {})
        ready = Counter(worker.node for worker in self._workers if worker.who)
        return [
            MachineState(each.name, each.cores, ready[node], each.refused)
            for node, each in self._machines.items()
        ]

    def share(self, value: Any) -> SharedObject:
        """Put a value into the object store; it is there as long as the result is kept."""
        return SharedObject(self._ray.put(value))

    def close(self) -> None:
        """End all workers."""
        for worker in list(self._workers):
            self._end(worker)

    def map(self, task: Callable[[J], R], jobs: Iterable[J]) -> Generator[R, None, None]:
        """The result of each job; at the end a `WorkerError` if some have failed, see above."""
        source: Iterator[_Call] = (_Call(*each) for each in enumerate(jobs))
        again: deque[_Call] = deque()
        results: dict[int, Any] = {}
        failed: dict[int, str] = {}
        following, exhausted, nobody = 0, False, time.monotonic()
        try:
            while True:
                for worker in self._free():
                    window = following + _WINDOW * max(self.cores, 1)
                    call = again.popleft() if again else None
                    if call is None and not exhausted:
                        if self._in_flight() + len(results) + following < window:
                            call = next(source, None)
                            exhausted = call is None
                    if call is None:
                        break
                    self._send(worker, task, call)
                if not self._in_flight() and not again and exhausted:
                    break
                self._wait(again, results, failed)
                if any(worker.who for worker in self._workers):
                    nobody = time.monotonic()
                elif self._nobody(nobody):
                    raise WorkerError(self._nobody(nobody))
                while following in results or following in failed:
                    if following in results:
                        yield results.pop(following)
                    following += 1
            if failed:
                raise WorkerError(_failed_text(failed))
        finally:
            for worker in [each for each in self._workers if each.calls]:
                self._end(worker)  # nobody waits for what it does

    def _in_flight(self) -> int:
        return sum(len(worker.calls) for worker in self._workers)

    def _free(self) -> Iterator[_Worker]:
        """Workers that can be given a job, those without any first, each as often as it can."""
        self._look()
        for count in range(_AHEAD):
            for worker in self._workers:
                if worker.who is not None and len(worker.calls) == count:
                    yield worker

    def _send(self, worker: _Worker, task: Callable[[Any], Any], call: _Call) -> None:
        if not worker.calls:
            worker.since = time.monotonic()
        worker.calls[worker.actor.run.remote(task, call.job)] = call

    def _look(self) -> None:
        """Find machines and start a worker for each core of theirs that has none."""
        now = time.monotonic()
        if now - self._looked < _LOOK_SECONDS and self._workers:
            return
        self._looked = now
        alive = {}
        for node in self._ray.nodes():
            cores = int(node["Resources"].get("CPU", 0))
            if node["Alive"] and cores:
                share = int(node["Resources"].get("memory", 0) / cores)
                known = self._machines.get(node["NodeID"])
                name = node.get("NodeManagerHostname") or node["NodeID"][:8]
                alive[node["NodeID"]] = known or _Machine(name, cores, share)
        for gone in set(self._machines) - set(alive):
            self._note(f"{self._machines[gone].name} has left the cluster")
        self._machines = alive
        for node_id, machine in alive.items():
            here = sum(worker.node == node_id for worker in self._workers)
            for _ in range(0 if machine.refused else machine.cores - here):
                self._start(node_id, machine)

    def _start(self, node_id: str, machine: _Machine) -> None:
        strategies = self._ray.util.scheduling_strategies
        where = strategies.NodeAffinitySchedulingStrategy(node_id, soft=False)
        memory = machine.memory if self._memory is None else self._memory
        actor = self._make.options(scheduling_strategy=where).remote(memory)
        self._workers.append(_Worker(actor, node_id, actor.hello.remote()))

    def _end(self, worker: _Worker) -> None:
        if worker in self._workers:
            self._workers.remove(worker)
        self._ray.kill(worker.actor)

    def _wait(self, again: deque[_Call], results: dict[int, Any], failed: dict[int, str]) -> None:
        """Wait for something to happen, and take note of it."""
        owner = {worker.hello: worker for worker in self._workers if worker.who is None}
        owner |= {reference: worker for worker in self._workers for reference in worker.calls}
        if not owner:
            time.sleep(_POLL_SECONDS)
            return
        ready, _ = self._ray.wait(list(owner), num_returns=1, timeout=_POLL_SECONDS)
        if ready:  # and all others that are ready by now
            ready, _ = self._ray.wait(list(owner), num_returns=len(owner), timeout=0)
        for reference in ready:
            worker = owner[reference]
            if worker not in self._workers:
                continue  # it was ended meanwhile
            try:
                found = self._ray.get(reference)
            except self._ray.exceptions.RayError as problem:
                self._lost(worker, problem, again, failed)
                continue
            if worker.who is None:
                again.extend(self._greet(worker, found))
            else:
                self._finished(worker, reference, found, again, results, failed)
        self._end_hanging(again, failed)

    def _greet(self, worker: _Worker, hello: Hello) -> list[_Call]:
        """A worker has answered for the first time; returns jobs as `_refuse` does."""
        if hello.program == program():
            worker.who = hello
            return []
        return self._refuse(
            worker, f"it runs tiltless {hello.program} and this machine {program()}; update it"
        )

    def _refuse(self, worker: _Worker, why: str) -> list[_Call]:
        """Use a machine no more; returns the jobs that its workers had."""
        machine = self._machines.get(worker.node)
        if machine is not None and not machine.refused:
            machine.refused = why
            self._note(f"{machine.name} is refused: {why}")
        calls = []
        for each in [other for other in self._workers if other.node == worker.node]:
            calls += list(each.calls.values())
            self._end(each)
        return calls

    def _finished(
        self,
        worker: _Worker,
        reference: Any,
        outcome: JobOutcome,
        again: deque[_Call],
        results: dict[int, Any],
        failed: dict[int, str],
    ) -> None:
        now = time.monotonic()
        call = worker.calls.pop(reference)
        self._longest, worker.since = max(self._longest, now - worker.since), now
        if outcome.kind == RESULT:
            results[call.number] = outcome.value
        elif outcome.kind == REFUSED:
            again.append(call)
            again.extend(self._refuse(worker, outcome.value))
        else:
            machine = worker.who.machine if worker.who else "a machine"
            failed[call.number] = f"{outcome.value} (on {machine})"
            self._note(f"job {call.number} failed on {machine}: {outcome.value}")
            if outcome.kind == MEMORY:  # what it allocated may not have been given back
                again.extend(worker.calls.values())
                worker.calls.clear()
                self._end(worker)

    def _lost(
        self, worker: _Worker, problem: Exception, again: deque[_Call], failed: dict[int, str]
    ) -> None:
        """A worker is gone; what it was doing is tried again, what it would have done is not."""
        machine = self._machines.get(worker.node)
        if worker.who is None and machine is not None:
            machine.failed += 1
            if machine.failed >= _FAILED_STARTS:
                first = str(problem).strip().partition("\n")[0]
                again.extend(self._refuse(worker, f"no worker can be started there: {first}"))
                return
        name = worker.who.machine if worker.who else "a machine"
        for place, call in enumerate(worker.calls.values()):
            call.lost += place == 0
            if call.lost >= ATTEMPTS:
                failed[call.number] = f"its worker was lost {ATTEMPTS} times, the last on {name}"
                self._note(f"job {call.number} failed: {failed[call.number]}")
            else:
                again.append(call)
        worker.calls.clear()
        self._end(worker)
        self._looked = 0.0  # replace it at once

    def _end_hanging(self, again: deque[_Call], failed: dict[int, str]) -> None:
        limit = self._job_seconds or max(_LEAST_LIMIT, _LIMIT_FACTOR * self._longest)
        now = time.monotonic()
        for worker in list(self._workers):
            if not worker.calls or worker.who is None or now - worker.since < limit:
                continue
            first, *others = worker.calls.values()
            first.hung += 1
            what = f"it did not end within {limit:.3g} seconds (on {worker.who.machine})"
            self._note(f"job {first.number}: {what}; its worker was ended")
            if first.hung >= _HANGS:
                failed[first.number] = what
            else:
                again.append(first)
            again.extend(others)
            worker.calls.clear()
            self._end(worker)
            self._looked = 0.0

    def _nobody(self, since: float) -> str:
        """Why to give up; empty while there is hope."""
        machines = list(self._machines.values())
        if machines and all(machine.refused for machine in machines):
            whys = "; ".join(f"{each.name}: {each.refused}" for each in machines[:_SHOWN])
            return f"every machine of the cluster is refused: {whys}"
        if time.monotonic() - since > _NOBODY_SECONDS:
            return (
                f"no worker of the cluster has answered for {_NOBODY_SECONDS:.0f} seconds; its "
                "cores may be in use by others: see tiltless cluster status"
            )
        return ""


def _failed_text(failed: dict[int, str]) -> str:
    shown = [f"job {number}: {why}" for number, why in sorted(failed.items())[:_SHOWN]]
    more = f"; and {len(failed) - _SHOWN} more" if len(failed) > _SHOWN else ""
    return f"{len(failed)} jobs have failed, all others are done: {'; '.join(shown)}{more}"
