"""Four processes that compile two functions on an empty cache, for test_jit.py.

python four_compilers.py FOLDER ROUNDS: in every second round the first process that compiled
something is killed, by turns before its code is saved and while it is. They are forked from here,
where the compiler is warm, so that four times its start does not hide what they do at once.
"""

import importlib
import os
import signal
import sys
import time
import traceback
from pathlib import Path

import numba
import numpy as np
from numba.core import event

from tiltless.kernels.base import jit

PROCESSES = 4
NAMES = ("scaled", "outer")
SOURCE = """
from tiltless.kernels.base.jit import kernel
@kernel
def scaled(values, factor):
    return values[0] * factor
@kernel
def outer(values, factor):
    return scaled(values, factor) + 1
"""


class _Compilations(event.Listener):
    """One line in ``compiled`` for each: the process and the function."""

    def __init__(self, folder):
        self.folder = folder

    def on_start(self, event):
        pass

    def on_end(self, event):
        name = event.data["dispatcher"].__name__
        if name in NAMES:
            with open(self.folder / "compiled", "ab", buffering=0) as file:
                file.write(f"{os.getpid()} {name}\n".encode())
            _wait_while(self.folder / "kill-compiled")


def _wait_while(path):
    """Where the first that comes here is to be killed, wait for that."""
    while path.exists():
        time.sleep(0.001)


def _compile(folder, number):
    """Call both functions, in the one order or in the other."""
    jit._CODE_FOLDER = folder / "cache"
    event.register("numba:compile", _Compilations(folder))
    replace = os.replace

    def saved(*paths):
        _wait_while(folder / "kill-saving")
        replace(*paths)

    os.replace = saved
    sys.path.insert(0, str(folder))
    probe = importlib.import_module("probe")
    values = np.array([10, 0])
    for name in NAMES[:: 1 - 2 * (number % 2)]:
        getattr(probe, name)(values, 2)
    assert (probe.scaled(values, 2), probe.outer(values, 2)) == (20, 21)


def _start(folder, number):
    child = os.fork()
    if child:
        return child
    try:
        _compile(folder, number)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)


def _kill_first(folder, flag):
    """When something was compiled, or half saved, kill who did it; returns the process."""
    done = "compiled" if flag.name == "kill-compiled" else "cache/*/*.tmp.*"
    while not any(path.stat().st_size for path in folder.glob(done)):
        time.sleep(0.001)
    first = int((folder / "compiled").read_text().split()[0])
    os.kill(first, signal.SIGKILL)
    flag.unlink()
    return first


def main(folder, rounds):
    numba.njit(lambda values, factor: values[0] * factor)(np.array([1]), 1)  # warm
    for number in range(rounds):
        here = folder / str(number)
        (here / "cache").mkdir(parents=True)
        (here / "probe.py").write_text(SOURCE)
        (here / "compiled").touch()
        flag = here / ("kill-saving" if number % 4 == 3 else "kill-compiled")
        if number % 2:
            flag.touch()
        children = [_start(here, seat) for seat in range(PROCESSES)]
        killed = _kill_first(here, flag) if number % 2 else 0
        for child in children:
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            assert status == (-signal.SIGKILL if child == killed else 0), (number, status)
        status = os.waitpid(_start(here, 0), 0)[1]  # a later one, which loads both
        assert status == 0, (number, status)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
