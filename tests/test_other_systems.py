"""Windows and macOS lack what Linux has: everything still imports, and plays."""

import subprocess
import sys

HIDE = """
import sys
hidden = {"fcntl", "resource", "termios", "tty", "pty", "grp", "pwd"}
import multiprocessing, pathlib, shutil, subprocess, tempfile, os, signal, importlib, pkgutil
import sqlite3, concurrent.futures.process, asyncio
# what others ask of a system is their own affair
import fastapi, matplotlib.figure, numba, numpy, rich.console, rich.live, rich.progress, typer
import uvicorn
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name in hidden:
            raise ImportError(f"{name} is not on this system")
for name in hidden:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Blocker())
for module, names in {
    signal: ("SIGALRM", "SIGUSR1", "SIGUSR2", "SIGHUP", "SIGPIPE", "setitimer", "ITIMER_REAL"),
    os: ("sched_getaffinity", "posix_fallocate", "sysconf", "getuid", "getloadavg", "fork"),
}.items():
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
sys.platform = "win32"
import tiltless
"""
IMPORT = """
from tiltless.errors import OptionError
peers = ("pypokerengine", "pokerkit", "pyspiel")
for module in pkgutil.walk_packages(tiltless.__path__, "tiltless."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ImportError as error:
            if (error.name or "").split(".")[0] not in peers:
                raise
        except OptionError as error:
            if "is not installed" not in str(error):
                raise
"""
PLAY = """
from tiltless.cards.equity import equity
assert abs(equity("AsAh", "KdKc", board="QsJh2h").shares[0] - 0.9) < 0.1
from tiltless.games import load
from tiltless.tabular.solve_until import solve
from tiltless.tabular.solver import Solver
assert solve(Solver(load("kuhn"), "dcfr"), until=1e-2)[-1].distance <= 1e-2
from tiltless.bench.measuring.timing import machine, peak_megabytes
assert machine()["cores"] and peak_megabytes() != peak_megabytes()  # NaN
from tiltless.system import usable_cores, usable_memory
assert usable_cores() >= 1 and usable_memory() > 0
from tiltless.match import main
sys.exit(main(["rules", "fish", "--hands", "10", "--clock", "60", "--db", sys.argv[1]]))
"""


def test_without_what_only_linux_has(tmp_path):
    command = [sys.executable, "-c", HIDE + IMPORT + PLAY, str(tmp_path / "results.sqlite")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
