"""Enough of Ray for its executor, in this process, with a clock of its own.

A job runs when somebody waits for it. One that calls `die` takes its worker along; one that calls
`hang` never ends, and neither do those behind it.
"""

from types import SimpleNamespace

from tiltless.distributed.identity import program
from tiltless.distributed.worker import ClusterWorker, Hello


class RayError(Exception):
    pass


class _Hangs(BaseException):
    pass


class _Dies(BaseException):
    pass


def die():
    raise _Dies


def hang():
    raise _Hangs


class FakeRay:
    """nodes: cores by name.  programs: of the nodes that run another one.  now: seconds.

    log: (node, job) for every job that was begun.
    """

    def __init__(self, nodes, programs=None):
        self.cores, self.programs, self.now = dict(nodes), dict(programs or {}), 0.0
        self.actors, self.log, self.here = [], [], ""
        self.exceptions = SimpleNamespace(RayError=RayError)
        strategies = SimpleNamespace(NodeAffinitySchedulingStrategy=lambda node, soft: node)
        self.util = SimpleNamespace(scheduling_strategies=strategies)

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds
        assert self.now < 100_000, "everybody waits and nobody works"

    def nodes(self):
        return [
            {
                "NodeID": name,
                "NodeManagerHostname": name,
                "Alive": True,
                "Resources": {"CPU": cores, "memory": 8e9},
            }
            for name, cores in self.cores.items()
        ]

    def remote(self, **_):
        def options(scheduling_strategy):
            return SimpleNamespace(remote=lambda _: _Actor(self, scheduling_strategy))

        return lambda _: SimpleNamespace(options=options)

    def put(self, value):
        return value

    def get(self, reference):
        if isinstance(reference.found, Exception):
            raise reference.found
        return reference.found

    def kill(self, actor):
        actor.end()

    def lose(self, node):
        """A node leaves with its workers."""
        del self.cores[node]
        for actor in self.actors:
            if actor.node == node:
                actor.end()

    def wait(self, references, num_returns, timeout):
        if timeout:
            for actor in self.actors:
                actor.step()
        ready = [each for each in references if each.found is not None][:num_returns]
        self.now += 0.0 if ready else timeout
        return ready, [each for each in references if each not in ready]


class _Reference:
    def __init__(self):
        self.found = None


class _Actor:
    def __init__(self, ray, node):
        self.ray, self.node, self.alive, self.waiting = ray, node, True, []
        self.worker = ClusterWorker.__new__(ClusterWorker)  # without its signal handlers
        self.worker.memory = 10**9
        self.hello = SimpleNamespace(remote=lambda: self.call(self._hello))
        self.run = SimpleNamespace(remote=lambda *job: self.call(self.worker.run, *job))
        ray.actors.append(self)

    def _hello(self):
        return Hello(self.node, id(self), self.ray.programs.get(self.node, program()))

    def call(self, *what):
        reference = _Reference()
        self.waiting.append((reference, what))
        if not self.alive:
            self.end()
        return reference

    def step(self):
        if not self.alive or not self.waiting or self.waiting[0] is None:
            return
        reference, (function, *arguments) = self.waiting.pop(0)
        if arguments:
            self.ray.log.append((self.node, arguments[1]))
        self.ray.here = self.node
        try:
            reference.found = function(*arguments)
        except _Hangs:
            self.waiting.insert(0, None)
        except _Dies:
            reference.found = RayError("died")
            self.end()

    def end(self):
        self.alive = False
        for reference, _ in filter(None, self.waiting):
            reference.found = RayError("the worker is gone")
        self.waiting.clear()
