"""Connecting to a cluster, or starting one on this machine for as long as it is needed."""

import contextlib
import logging
from collections.abc import Callable, Iterator
from typing import Any

from tiltless.blueprint.training.rounds import RoundSetting
from tiltless.distributed.ray_executor import RayExecutor
from tiltless.distributed.ray_home import (
    check_address,
    local_head,
    ray_folder,
    ray_library,
    remove_session,
    session_folder,
    sweep_sessions,
)
from tiltless.errors import OptionError, TiltlessError
from tiltless.executor import Executor, Here, KeptProcesses
from tiltless.system import usable_cores

__all__ = ["AUTO", "STORE_BYTES", "connected", "copies_on", "on_cluster"]

AUTO = "auto"
STORE_BYTES = 200 << 20
"""The object store of a cluster that is started for one command: 200 MB, or less than tables need,
when Ray uses files instead of memory."""


@contextlib.contextmanager
def on_cluster(
    address: str | None, processes: int, note: Callable[[str], None] | None = None
) -> Iterator[int | Executor]:
    """What runs the jobs of a command: a number of processes, or the workers of a cluster.

    address: None for processes; otherwise see `connected`.
    """
    if address is None:
        yield processes
        return
    with connected(address, note=note) as executor:
        yield executor


@contextlib.contextmanager
def copies_on(
    address: str | None,
    copies: int,
    round_walks: int = 0,
    *,
    processes: int = 0,
    note: Callable[[str], None] | None = None,
) -> Iterator[tuple[RoundSetting | None, Executor | None]]:
    """How to train, and where: nothing of both if neither a cluster nor copies are given.

    address: of a cluster, see `connected`; None for processes of this machine.  copies: 0 for as
    many as the cluster has cores.  processes: 0 for all usable cores.
    """
    if address is not None:
        with connected(address, note=note) as executor:
            yield RoundSetting(copies or executor.cores, round_walks), executor
    elif copies:
        with KeptProcesses(min(copies, processes or usable_cores())) as kept:
            yield RoundSetting(copies, round_walks), Here() if kept.count == 1 else kept
    elif round_walks:
        raise OptionError(f"--round-walks {round_walks} is for rounds; add --copies or --cluster")
    else:
        yield None, None


@contextlib.contextmanager
def connected(
    address: str = AUTO,
    *,
    cores: int | None = None,
    store_bytes: int = STORE_BYTES,
    note: Callable[[str], None] | None = None,
    **options: Any,
) -> Iterator[RayExecutor]:
    """An executor on a cluster.

    address: ``HOST:PORT`` of a cluster that this machine has joined; ``auto`` for the one that was
    started on this machine, or for a new one on this machine alone, which ends with the block.
    cores, store_bytes: of a new one; all usable cores by default.  options: of `RayExecutor`. A
    program that is connected already stays so.
    """
    ray = ray_library()
    if ray.is_initialized():
        with contextlib.closing(RayExecutor(ray, note=note, **options)) as executor:
            yield executor
        return
    ray._private.worker._worker_logs_enabled = False  # we say ourselves who was lost
    sweep_sessions()
    where = _known(address)
    given: dict[str, Any] = {"address": where, "log_to_driver": False}
    if where == "local":
        given |= {"num_cpus": cores or usable_cores(), "object_store_memory": store_bytes}
        given |= {"include_dashboard": False, "_temp_dir": str(session_folder())}
    try:
        ray.init(**given, logging_level=logging.ERROR, namespace="tiltless")
    except Exception as problem:
        if isinstance(problem, TiltlessError):
            raise
        first = str(problem).strip().partition("\n")[0]
        raise OptionError(
            f"--cluster {address}: {first}; start one with tiltless cluster start, or join it from "
            f"this machine with tiltless cluster join and the token of {ray_folder()}"
        ) from None
    try:
        with contextlib.closing(RayExecutor(ray, note=note, **options)) as executor:
            yield executor
    finally:
        ray.shutdown()
        remove_session()


def _known(address: str) -> str:
    """As Ray takes it."""
    if address == AUTO:
        return local_head() or "local"
    return check_address(address)
