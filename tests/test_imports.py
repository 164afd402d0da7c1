"""The core must run on a bare compute server, where only numpy and numba are installed."""

import json
import subprocess
import sys

import pytest

BLOCK = """
import importlib, pkgutil, sys
allowed = {"tiltless", "numpy", "numba", "llvmlite", *sys.stdlib_module_names}
class Blocker:
    def find_spec(self, name, path=None, target=None):
        root = name.partition(".")[0]
        if root not in allowed and not root.startswith("_"):
            raise ImportError(f"{name} is not part of the core")
sys.meta_path.insert(0, Blocker())
"""
IMPORT = (
    BLOCK
    + """
for name in sys.argv[1:]:
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, name + "."):
        importlib.import_module(module.name)
"""
)
RUN = (
    BLOCK
    + """
import runpy
if sys.argv[1] == "tiltless.bench":  # the work of a real one takes a minute
    from tiltless.bench import BENCHES
    from tiltless.bench.timing import best_seconds
    BENCHES["tiny"] = lambda: {"tiny_s": best_seconds(lambda: sum(range(10))), "peer_s": None}
sys.argv[:] = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__")
"""
)


CORE = (
    "kernels files cards games abstraction permutation cfr tabular blueprint postflop search "
    "agents arena bench experiments protocols.mit protocols.acpc "
    "protocols.slumbot protocols.encoding"
)


def test_core_needs_numpy_and_numba_only():
    packages = [f"tiltless.{package}" for package in CORE.split()]
    subprocess.run([sys.executable, "-c", IMPORT, *packages], check=True)


def test_the_blocker_blocks():
    command = [sys.executable, "-c", IMPORT, "tiltless.cli"]
    failed = subprocess.run(command, capture_output=True, text=True)
    assert failed.returncode == 1
    assert "is not part of the core" in failed.stderr


COMMANDS = {
    "match": ["rules", "fish", "--hands", "20", "--seed", "3"],
    "lbr": ["fish", "--hands", "4", "--setting", "1"],
    "bench": ["tiny"],
    "strength": ["--quick", "--only", "probe-top-20", "--scale", "0.02", "--processes", "1"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_servers_play_and_measure_without_more(name, tmp_path):
    """Plain lines, and the keys of the command line's own JSON."""

    def said(*more, code=0):
        words = [f"tiltless.{name}", *COMMANDS[name], *more]
        command = [sys.executable, "-c", RUN, *words]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == code, done.stderr
        return done

    assert len(said().stdout.splitlines()) >= 2
    found = json.loads(said("--json").stdout)
    expected = {
        "match": {"hands": 20, "seed": 3, "unit": "mbb/h"},
        "lbr": {"agent": "fish", "hands": 4, "game": "nlhe"},
        "bench": {"bench": "tiny", "peer_s": None},
        "strength": {"seed": 1000},
    }[name]
    assert expected.items() <= found.items()


def test_a_server_says_mistakes_in_one_line():
    for words in (
        ["tiltless.match", "fish"],
        ["tiltless.lbr", "fish", "--game", "kuhn"],
        ["tiltless.strength", "--only", "nothing"],
    ):
        command = [sys.executable, "-c", RUN, *words]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 2
        assert done.stderr.startswith("error: ")
        assert done.stderr.count("\n") == 1
