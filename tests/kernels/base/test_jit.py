"""Compiled code is kept, never stale, and never mixed up with bounds-checked code."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tiltless

HELPER = (
    "from tiltless.kernels.base.jit import inline\n@inline\ndef factor():\n    return {factor}\n"
)
KERNEL = """
from tiltless.kernels.base.jit import kernel
from tiltless.kernels.probe_helper import factor
@kernel
def scaled(values, place):
    return values[place] * factor()
"""
MAIN = """
import numpy as np
from numba.core import event
compiled = []
class Listener(event.Listener):
    def on_start(self, e): compiled.append(e.data["dispatcher"].__name__)
    def on_end(self, e): pass
event.register("numba:compile", Listener())
from tiltless.kernels.probe import scaled
print(scaled(np.array([10, 0]), 0), "compiled" if "scaled" in compiled else "cached", end=" ")
try:
    scaled(np.array([10, 0]), 1_000)
    print("unchecked")
except IndexError:
    print("checked")
"""


@pytest.fixture
def package(tmp_path):
    """A copy of the package with one more kernel, which calls a helper in another file."""
    source = Path(tiltless.__file__).parent
    copy = tmp_path / "src" / "tiltless"
    copy.mkdir(parents=True)
    for name in ("__init__.py", "_version.py", "cache.py", "errors.py", "lock.py"):
        shutil.copy(source / name, copy / name)
    (copy / "__init__.py").write_text("")
    (copy / "kernels" / "base").mkdir(parents=True)
    for name in ("__init__.py", "base/__init__.py", "base/jit.py", "base/compiling.py"):
        shutil.copy(source / "kernels" / name, copy / "kernels" / name)
    (copy / "kernels" / "probe.py").write_text(KERNEL)
    (copy / "kernels" / "probe_helper.py").write_text(HELPER.format(factor=2))

    def run(*arguments, main=MAIN, **environment):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
        clean |= {
            "PYTHONPATH": str(tmp_path / "src"),
            "TILTLESS_CACHE": str(tmp_path / "cache"),
            **environment,
        }
        done = subprocess.run(
            [sys.executable, "-c", main, *arguments],
            env=clean,
            capture_output=True,
            text=True,
            check=True,
        )
        assert "ctypes" not in done.stderr
        return done.stdout.split()

    run.helper = copy / "kernels" / "probe_helper.py"
    run.cache = tmp_path / "cache"
    return run


def test_code_is_kept_never_stale_and_never_mixed_up_with_checked_code(package):
    """The helper that is edited lies in another file than the kernel."""
    assert package() == ["20", "compiled", "unchecked"]
    assert package(NUMBA_BOUNDSCHECK="1") == ["20", "compiled", "checked"]
    package.helper.write_text(HELPER.format(factor=6))
    assert package() == ["60", "compiled", "unchecked"]
    package.helper.write_text(HELPER.format(factor=2))
    assert package() == ["20", "cached", "unchecked"]
    assert package(NUMBA_BOUNDSCHECK="1") == ["20", "cached", "checked"]


def test_a_folder_that_cannot_be_written_only_costs_time(package, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert package(TILTLESS_CACHE=str(blocked)) == ["20", "compiled", "unchecked"]


def test_every_jitted_function_lives_in_kernels():
    """Else an edit of it would not change the name of the folder of compiled code."""
    root = Path(tiltless.__file__).parent
    for source in root.rglob("*.py"):
        if source == root / "kernels" / "base" / "jit.py":
            continue
        text = source.read_text()
        assert "njit" not in text, source
        if root / "kernels" not in source.parents and "jit" in text:
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.ImportFrom) and node.module == "tiltless.kernels.base.jit":
                    names = {name.name for name in node.names}
                    assert names <= {"code_folder", "compiler_enabled"}, source


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("rounds", [4, pytest.param(10, marks=pytest.mark.slow)])
def test_four_processes_compile_each_function_once(tmp_path, rounds):
    """In half of the rounds the first that compiled something is killed."""
    script = Path(__file__).with_name("four_compilers.py")
    command = [sys.executable, str(script), str(tmp_path), str(rounds)]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert [line for line in run.stderr.splitlines() if not line.startswith("waiting for")] == []
    for number in range(rounds):
        names = (tmp_path / str(number) / "compiled").read_text().split()[1::2]
        assert set(names) == {"outer", "scaled"}
        assert len(names) == 2 + number % 2  # what was not saved when its maker was killed
        left = [path for path in (tmp_path / str(number) / "cache").rglob("*") if path.is_file()]
        assert sorted(path.suffix for path in left) == [".nbc", ".nbc", ".nbi", ".nbi"]


INTERRUPTED = """
import signal, sys
import numpy as np
from tiltless.kernels.base.compiling import compile_seconds
from tiltless.kernels.probe import scaled
def ring(*_): raise KeyboardInterrupt
for name, values in (("SIGINT", np.array([10, 0])), ("SIGALRM", np.array([10.0, 0.0]))):
    number = getattr(signal, name)
    signal.signal(number, ring)
    def trace(frame, event, _):
        if frame.f_code.co_name == "_raw_object_cache_notify":
            sys.settrace(None)
            signal.raise_signal(number)
    sys.settrace(trace)
    try:
        scaled(values, 0)
        print("lost")
    except KeyboardInterrupt:
        print(scaled(values, 0))
    assert signal.getsignal(number) is ring
assert compile_seconds() > 0
"""


def test_a_signal_while_llvm_calls_back_is_neither_lost_nor_loses_code(package):
    assert package(main=INTERRUPTED) == ["20", "20.0"]
    assert package() == ["20", "cached", "unchecked"]
