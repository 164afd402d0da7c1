"""Machines of a cluster: one is started, the others join it; each ends with its command.

The work is done by ``ray start --block``, a child of ours that ends if we are killed. What it
starts are its children, so nothing is left that would have to be searched for by name.
"""

import contextlib
import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tiltless.distributed.ray_home import (
    check_address,
    keep_head,
    ray_environment,
    ray_library,
    remove_session,
    session_folder,
    sweep_sessions,
    token_file,
)
from tiltless.errors import OptionError, TiltlessError
from tiltless.files.atomic import make_folder
from tiltless.interrupts import deferred_signals
from tiltless.system import usable_cores

__all__ = ["PORT", "run_node"]

PORT = 6379
_START = "import sys; from ray.scripts.scripts import main; sys.argv[0] = 'ray'; main()"
_STARTED = "Ray runtime started"
_OWN_ADDRESS = re.compile(r"Local node IP: (\S+)")
_START_SECONDS, _END_SECONDS = 120.0, 20.0
_PDEATHSIG = 1  # of prctl, Linux


def run_node(
    say: Callable[[str], None],
    *,
    join: str = "",
    port: int = PORT,
    host: str = "",
    cores: int = 0,
    store_bytes: int = 0,
) -> None:
    """Make this machine a part of a cluster until SIGINT or SIGTERM.

    join: ``HOST:PORT`` of a cluster; "" starts one at ``port``.  host: the address of this machine
    that others reach it by; found by Ray if "".  cores: 0 for all usable ones.  store_bytes: size
    of the object store, which must hold the tables of a training run; 0 for Ray's choice, 30 % of
    memory.  say: told when it is ready.
    """
    if join:
        check_address(join)
    ray_library()  # is it there?
    sweep_sessions()
    command = ["start", "--block", "--disable-usage-stats"]
    command += [f"--num-cpus={cores or usable_cores()}", f"--temp-dir={session_folder()}"]
    head_only = ["--head", f"--port={port}", "--include-dashboard=false"]
    command += [f"--address={join}"] if join else head_only
    command += [f"--node-ip-address={host}"] if host else []
    command += [f"--object-store-memory={store_bytes}"] if store_bytes else []
    log = make_folder(session_folder()) / "start.log"
    with deferred_signals((signal.SIGINT, signal.SIGTERM)) as stopped:
        with log.open("w", encoding="utf-8") as output:
            child = subprocess.Popen(
                [sys.executable, "-c", _START, *command],
                env={**os.environ, **ray_environment(), "RAY_LOG_TO_STDERR": "0"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_end_with_parent if sys.platform == "linux" else None,
            )
        head = ""
        try:
            address = _started(child, log, join)
            if not join:
                head = f"{address}:{port}"
                keep_head(head)
            say(_ready_text(head, join))
            while not stopped.is_set() and child.poll() is None:
                time.sleep(0.2)
            if not stopped.is_set():
                raise TiltlessError("the cluster's processes on this machine have ended")
        finally:
            _end(child)
            if head:
                keep_head("")
            remove_session()


def _started(child: "subprocess.Popen[bytes]", log: Path, join: str) -> str:
    """Wait until the processes run; returns the address of this machine."""
    until = time.monotonic() + _START_SECONDS
    while time.monotonic() < until:
        text = log.read_text(encoding="utf-8", errors="replace")
        found = _OWN_ADDRESS.search(text)
        if _STARTED in text and found:
            return found[1]
        if child.poll() is not None:
            lines = [line.strip() for line in text.splitlines() if line.strip()]
            told = next((line for line in reversed(lines) if "Error" in line), lines[-1:] or "")
            where = f"join {join}" if join else "start"
            raise OptionError(f"this machine cannot {where}: {told}; check address and token")
        time.sleep(0.1)
    raise TiltlessError(f"Ray has not started within {_START_SECONDS:.0f} seconds; see {log}")


def _ready_text(head: str, join: str) -> str:
    if join:
        return f"this machine is part of the cluster at {join}; Ctrl-C leaves it"
    return (
        f"the cluster is at {head}; on every other machine, copy {token_file()} to the same place "
        f"and run: tiltless cluster join {head}\nCtrl-C ends it"
    )


def _end(child: "subprocess.Popen[bytes]") -> None:
    """End the processes, which are one group or more, and wait for them."""
    child.terminate()
    try:
        child.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGTERM)
