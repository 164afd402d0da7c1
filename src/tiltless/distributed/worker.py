"""What runs on a machine of the cluster: one process that does one job after the other."""

import contextlib
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tiltless.distributed.identity import machine_name, program
from tiltless.executor import WorkerRefusedError

resource: Any
try:
    import resource
except ImportError:  # Windows has none
    resource = None

__all__ = ["MEMORY", "RAISED", "REFUSED", "RESULT", "ClusterWorker", "Hello", "JobOutcome"]

RESULT, RAISED, MEMORY, REFUSED = "result", "raised", "memory", "refused"
_STATUS = Path("/proc/self/status")


class Hello(NamedTuple):
    """Who a worker is.  program: see `tiltless.distributed.identity.program`."""

    machine: str
    process: int
    program: str


class JobOutcome(NamedTuple):
    """How a job ended.  kind: one of the four above.  value: the result, or what went wrong."""

    kind: str
    value: Any


class ClusterWorker:
    """A worker process.

    memory: bytes that jobs may allocate, beyond what the process has at its start; 0 for no limit.
    Exceeding them is a `MemoryError` of the job and no trouble for the machine.
    """

    def __init__(self, memory: int = 0) -> None:
        with contextlib.suppress(ValueError):  # Ray's own handlers may run in another thread
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.memory = memory
        if memory and resource is not None:
            _, hard = resource.getrlimit(resource.RLIMIT_DATA)
            limit = _allocated() + memory
            if hard == resource.RLIM_INFINITY or limit < hard:
                resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))

    def hello(self) -> Hello:
        """Who this is."""
        return Hello(machine_name(), os.getpid(), program())

    def run(self, task: Callable[[Any], Any], job: Any) -> JobOutcome:
        """Do one job; a failure of the job is an outcome like any other."""
        try:
            return JobOutcome(RESULT, task(job))
        except MemoryError:
            return JobOutcome(MEMORY, f"it needs more than {self.memory / 1e9:.3g} GB of memory")
        except WorkerRefusedError as problem:
            return JobOutcome(REFUSED, str(problem))
        except Exception as problem:
            return JobOutcome(RAISED, f"{type(problem).__name__}: {problem}".partition("\n")[0])


def _allocated() -> int:
    """Bytes of private memory that this process has; 0 if unknown."""
    try:
        for line in _STATUS.read_text(encoding="ascii").splitlines():
            if line.startswith("VmData:"):
                return 1024 * int(line.split()[1])
    except (OSError, ValueError, IndexError):
        pass
    return 0
