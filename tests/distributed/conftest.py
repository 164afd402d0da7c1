"""A cluster of two nodes on this machine, in a folder of its own."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

from tiltless.lock import locked

ROOT = Path(__file__).parents[2]
NODE = "from tiltless.cli import main; main()"
STORE = "80"  # MB; Ray wants 75 at least
READY = re.compile(r"cluster is at (\S+);|is part of the cluster")


class TwoNodes:
    """The nodes of a cluster, which may be killed and started again.

    home: the home folder and the one for temporary files, where nothing should appear.
    killed: how many of our commands were, whose folders the next command removes.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.home = folder / "r", folder / "h"
        self.home.mkdir()
        self._before = self._names()
        self.nodes: list[subprocess.Popen] = []
        self._started: list[subprocess.Popen] = []
        self.address, self.killed = "", 0

    def environment(self, **more: str) -> dict[str, str]:
        from tiltless.cache import cache_folder

        path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
        return {
            **os.environ,
            "HOME": str(self.home),
            "TMPDIR": str(self.home),
            "TILTLESS_CACHE": str(cache_folder()),
            "TILTLESS_CLUSTER": str(self.folder),
            "PYTHONPATH": path,
            "RAY_health_check_initial_delay_ms": "0",
            "RAY_health_check_period_ms": "500",
            "RAY_health_check_timeout_ms": "1000",
            "RAY_health_check_failure_threshold": "4",
            "RAY_memory_monitor_refresh_ms": "0",
            **more,
        }

    def command(self, *words: str, **more: str) -> subprocess.Popen:
        """A program that is still running."""
        process = subprocess.Popen(
            [sys.executable, *words],
            env=self.environment(**more),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._started.append(process)
        return process

    def run(self, *words: str, code: int = 0, **more: str) -> str:
        """What a program says."""
        process = self.command(*words, **more)
        said, _ = process.communicate(timeout=300)
        assert process.returncode == code, said
        return said

    def add(self, *words: str, **more: str) -> subprocess.Popen:
        """A node, when it is ready."""
        options = "--cores", "1", "--store", STORE
        process = self.command("-c", NODE, "cluster", *words, *options, **more)
        line = process.stdout.readline()
        if line.startswith("starting Ray"):
            line = process.stdout.readline()
        found = READY.search(line)
        if not found:
            said, _ = process.communicate(timeout=60)
            pytest.fail(f"Ray cannot {words[0]} a node on this machine: {line}{said}", False)
        self.address = found[1] or self.address
        self.nodes.append(process)
        return process

    def complete(self) -> None:
        """Start what is missing of two nodes."""
        if not self.nodes:
            self.add("start", "--port", str(free_port()))
        if len(self.nodes) == 1:
            self.add("join", self.address)

    @contextmanager
    def third(self, **more: str) -> Iterator[None]:
        """One more node for a while, with these environment variables."""
        node = self.add("join", self.address, **more)
        try:
            yield
        finally:
            self.nodes.remove(node)
            node.terminate()
            self.close(node)

    def end_drivers(self) -> None:
        """End what a failed test has left: it would keep the workers from the next test."""
        for driver in self._started:
            if driver not in self.nodes and driver.poll() is None:
                driver.kill()
                self.close(driver)
                self.killed += 1

    def end(self) -> None:
        """End all drivers and nodes."""
        self.end_drivers()
        for node in reversed(self.nodes):
            node.terminate()
        for node in self.nodes:
            self.close(node)
        self.nodes.clear()

    @staticmethod
    def close(node: subprocess.Popen) -> None:
        """Wait for the end of a node, and close its output."""
        node.wait(60)
        node.stdout.close()

    def kill(self, node: subprocess.Popen) -> int:
        """Kill a node with everything that it has started; returns the number of processes."""
        family = [node.pid, *descendants(node.pid)]
        for process in family:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.close(node)
        if node in self.nodes:
            self.nodes.remove(node)
        self.killed += 1
        return len(family)

    def wait_for_the_end(self, seconds: float = 20.0) -> list[str]:
        """Command lines of processes that are left after so long."""
        until = time.monotonic() + seconds
        while (left := self.processes()) and time.monotonic() < until:
            time.sleep(0.1)
        return left

    def check_nothing_is_left(self) -> None:
        """End all nodes: no process, no file but the token and folders of what was killed."""
        self.end()
        assert self.wait_for_the_end() == []
        assert (self.folder / "token").stat().st_mode & 0o77 == 0
        assert sum(path.is_dir() for path in self.folder.iterdir()) <= self.killed
        assert list(self.home.iterdir()) == []
        assert self.outside() == []

    @staticmethod
    def _names() -> set[Path]:
        """Files in Ray's usual folders."""
        stores = [path for folder in ("/dev/shm", "/tmp") for path in Path(folder).glob("plasma*")]
        return {*stores, *Path("/tmp").glob("ray")}

    def outside(self) -> list[Path]:
        """Files outside of our folder that were not there before."""
        return sorted(self._names() - self._before)

    def processes(self) -> list[str]:
        """Command lines of processes that work in our folder."""
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            try:
                environment = (path / "environ").read_bytes()
                line = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if f"TILTLESS_CLUSTER={self.folder}\0".encode() in environment and line:
                found.append(line)
        return found


def descendants(process: int) -> list[int]:
    """Process numbers below a process."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
    found = [process]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found[1:]


def free_port() -> int:
    """A port that nobody uses at the moment."""
    with socket.socket() as each:
        each.bind(("", 0))
        return each.getsockname()[1]


@pytest.fixture(scope="module")
def nodes(tmp_path_factory) -> Iterator[TwoNodes]:
    """A folder for two nodes, one at a time of all processes that run tests."""
    if find_spec("ray") is None:
        missing = "Ray is not installed: pip install 'tiltless[cluster]'"
        if os.environ.get("CI"):
            pytest.fail(f"{missing}; with CI set these tests must run", False)
        pytest.skip(missing)
    if not sys.platform.startswith("linux"):
        pytest.skip("two nodes on one machine are tested on Linux")
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with locked(shared / "cluster.lock"):
        folder = Path(tempfile.mkdtemp(prefix="tl", dir="/tmp"))  # short: sockets are in it
        made = TwoNodes(folder)
        try:
            yield made
            if made.address:
                made.check_nothing_is_left()
        finally:
            made.end()
            made.wait_for_the_end()
            shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def cluster(nodes) -> Iterator[TwoNodes]:
    """Two nodes; a test may kill one or end both."""
    nodes.complete()
    yield nodes
    nodes.end_drivers()
