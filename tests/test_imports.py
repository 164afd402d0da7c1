"""The core must run on a bare compute server, where only numpy and numba are installed."""

import subprocess
import sys

import pytest

BLOCK_AND_IMPORT = """
import importlib, pkgutil, sys
allowed = {"tiltless", "numpy", "numba", "llvmlite", *sys.stdlib_module_names}
class Blocker:
    def find_spec(self, name, path=None, target=None):
        root = name.partition(".")[0]
        if root not in allowed and not root.startswith("_"):
            raise ImportError(f"{name} is not part of the core")
sys.meta_path.insert(0, Blocker())
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
"""


CORE = "kernels files cards games abstraction cfr tabular blueprint postflop search".split()


@pytest.mark.parametrize("package", CORE)
def test_core_needs_numpy_and_numba_only(package):
    subprocess.run([sys.executable, "-c", BLOCK_AND_IMPORT, f"tiltless.{package}"], check=True)


def test_the_blocker_blocks():
    command = [sys.executable, "-c", BLOCK_AND_IMPORT, "tiltless.cli"]
    failed = subprocess.run(command, capture_output=True, text=True)
    assert failed.returncode == 1
    assert "is not part of the core" in failed.stderr
