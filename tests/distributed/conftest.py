"""A cluster of two nodes on this machine, in a folder of its own."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NODE = "from tiltless.cli import main; main()"


class TwoNodes:
    """The nodes of a cluster.

    home: the home folder and the one for temporary files, where nothing should appear.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.home = folder / "r", folder / "h"
        self.home.mkdir()
        self._before = self._names()
        self.nodes: list[subprocess.Popen] = []
        self.address = ""

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
        return subprocess.Popen(
            [sys.executable, *words],
            env=self.environment(**more),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *words: str, code: int = 0, **more: str) -> str:
        """What a program says."""
        process = self.command(*words, **more)
        said, _ = process.communicate(timeout=300)
        assert process.returncode == code, said
        return said

    def add(self, *words: str, **more: str) -> subprocess.Popen:
        """A node, when it is ready."""
        options = "--cores", "1", "--store", "200"
        process = self.command("-c", NODE, "cluster", *words, *options, **more)
        line = process.stdout.readline()
        found = re.search(r"cluster is at (\S+);", line)
        if found:
            self.address = found[1]
        assert "cluster" in line, line + process.stdout.read()
        self.nodes.append(process)
        return process

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

    def end(self) -> None:
        """End all nodes."""
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
        return len(family)

    def wait_for_the_end(self, seconds: float = 20.0) -> list[str]:
        """Command lines of processes that are left after so long."""
        until = time.monotonic() + seconds
        while (left := self.processes()) and time.monotonic() < until:
            time.sleep(0.1)
        return left

    @staticmethod
    def _names() -> set[Path]:
        """Files in Ray's usual folders."""
        shared = Path("/dev/shm").glob("plasma*")
        return {*shared, *Path("/tmp").glob("ray")}

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


@contextmanager
def two_nodes() -> Iterator[TwoNodes]:
    """A cluster that ends with the block."""
    if find_spec("ray") is None:
        pytest.skip("Ray is not installed: pip install 'tiltless[cluster]'")
    if not sys.platform.startswith("linux"):
        pytest.skip("two nodes on one machine are tested on Linux")
    folder = Path(tempfile.mkdtemp(prefix="tl", dir="/tmp"))  # short: sockets are in it
    nodes = TwoNodes(folder)
    try:
        port = str(20_000 + os.getpid() % 20_000)
        nodes.add("start", "--port", port)
        nodes.add("join", nodes.address)
        yield nodes
    finally:
        nodes.end()
        nodes.wait_for_the_end()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def cluster() -> Iterator[TwoNodes]:
    with two_nodes() as nodes:
        yield nodes


@pytest.fixture
def own_cluster() -> Iterator[TwoNodes]:
    """For one test, which may end it."""
    with two_nodes() as nodes:
        yield nodes
