"""The CUDA kernels on one core, compiled by g++: every thread a fiber, every barrier a switch."""

import ctypes
import hashlib
import subprocess
from pathlib import Path

import numpy as np

from tiltless.kernels.cuda.source import compile_options, cuda_source
from tiltless.postflop.device.machine import NumpyMachine

EMULATOR = Path(__file__).parents[1] / "kernels" / "cuda" / "emulator.cpp"


def build_library(folder, source, options):
    """Compile kernels with the emulator around them, unless that has been done."""
    folder = Path(folder)
    name = hashlib.sha256("\n".join((source, *options)).encode()).hexdigest()[:16]
    library = folder / f"{name}.so"
    if not library.exists():
        text = source.replace("extern __shared__", "extern")
        (folder / "kernels.cu").write_text(text, encoding="utf-8")
        command = ["g++", "-O1", "-shared", "-fPIC", "-w", *options, f"-I{folder}", str(EMULATOR)]
        subprocess.run([*command, "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


def emulate(library, kernel, grid, threads, shared, values):
    """Run a launch; values: the arguments as ctypes."""
    pointers = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
    code = library.emulate(kernel.encode(), *grid, threads, shared, pointers)
    assert code == 0, (kernel, {1: "threads wait in vain", 3: "beyond shared memory"}[code])


class EmulatedCard(NumpyMachine):
    """A machine whose arrays are NumPy's and whose kernels are those of the ``.cu`` files."""

    def __init__(self, folder, shared_limit=NumpyMachine.shared_limit):
        super().__init__()
        self.folder, self.shared_limit, self.shape, self.held = folder, shared_limit, None, []

    def compile(self, shape):
        self.shape = shape
        self.library = build_library(self.folder, cuda_source(), compile_options(*shape))

    def struct(self, fields):
        numbers = [each.ctypes.data if isinstance(each, np.ndarray) else each for each in fields]
        self.held.append(fields)
        return np.array(numbers, np.uint64)

    def run(self, key, launches):
        for launch in launches():
            values = [_value(each) for each in launch.arguments]
            emulate(self.library, launch.kernel, launch.grid, launch.threads, launch.shared, values)
            self.launched += 1


def _value(each):
    if isinstance(each, np.ndarray):
        return ctypes.c_void_p(each.ctypes.data)
    return ctypes.c_float(each) if isinstance(each, np.float32) else ctypes.c_int(each)
