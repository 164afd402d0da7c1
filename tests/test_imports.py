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
import io, json, runpy
from contextlib import redirect_stderr, redirect_stdout
from tiltless.bench import BENCHES
from tiltless.bench.measuring.timing import best_seconds
# the work of a real one takes a minute
BENCHES["tiny"] = lambda: {"tiny_s": best_seconds(lambda: sum(range(10))), "peer_s": None}
said = []
for words in json.loads(sys.argv[1]):
    sys.argv[:] = words
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as errors:
        try:
            runpy.run_module(words[0], run_name="__main__", alter_sys=True)
        except SystemExit as left:
            code = left.code
    said.append((code, out.getvalue(), errors.getvalue()))
print(json.dumps(said))
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


EXPECTED = {
    "match": {"hands": 20, "seed": 3, "unit": "mbb/h"},
    "lbr": {"agent": "fish", "hands": 4, "game": "nlhe"},
    "bench": {"bench": "tiny", "peer_s": None},
    "strength": {"seed": 1000},
}
MISTAKES = (
    ["tiltless.match", "fish"],
    ["tiltless.lbr", "fish", "--game", "kuhn"],
    ["tiltless.strength", "--only", "nothing"],
)


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What all of them say in one process: exit code, standard output, standard error."""
    plain = [[f"tiltless.{name}", *words] for name, words in COMMANDS.items()]
    lines = [*plain, *([*words, "--json"] for words in plain), *MISTAKES]
    command = [sys.executable, "-c", RUN, json.dumps(lines)]
    folder = tmp_path_factory.mktemp("server")
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", COMMANDS)
def test_servers_play_and_measure_without_more(said, name):
    """Plain lines, and the keys of the command line's own JSON."""
    number = list(COMMANDS).index(name)
    plain, as_json = said[number], said[len(COMMANDS) + number]
    assert (plain[0], as_json[0]) == (0, 0), plain[2] + as_json[2]
    assert len(plain[1].splitlines()) >= 2
    assert EXPECTED[name].items() <= json.loads(as_json[1]).items()


def test_a_server_says_mistakes_in_one_line(said):
    for code, _, errors in said[-len(MISTAKES) :]:
        assert code == 2
        assert errors.startswith("error: ")
        assert errors.count("\n") == 1
