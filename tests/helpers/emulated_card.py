"""The CUDA kernels on one core, compiled by g++: every thread a fiber, every barrier a switch."""

import ctypes
import subprocess
from pathlib import Path

import numpy as np

from tiltless.kernels.cuda.source import compile_options, cuda_source
from tiltless.postflop.device.machine import NumpyMachine

EMULATOR = Path(__file__).parents[1] / "kernels" / "cuda" / "emulator.cpp"


class EmulatedCard(NumpyMachine):
    """A machine whose arrays are NumPy's and whose kernels are those of the ``.cu`` files."""

    def __init__(self, folder, shared_limit=NumpyMachine.shared_limit):
        super().__init__()
        self.folder, self.shared_limit, self.shape = Path(folder), shared_limit, None
        self.held = []

    def compile(self, shape):
        self.shape = shape
        source = cuda_source().replace("extern __shared__", "extern")
        (self.folder / "kernels.cu").write_text(source, encoding="utf-8")
        library = self.folder / f"kernels-{'-'.join(map(str, map(int, shape)))}.so"
        if not library.exists():
            command = ["g++", "-O1", "-shared", "-fPIC", "-w", *compile_options(*shape)]
            command += [f"-I{self.folder}", str(EMULATOR), "-o", str(library)]
            subprocess.run(command, check=True)
        self.library = ctypes.CDLL(str(library))

    def struct(self, fields):
        numbers = [each.ctypes.data if isinstance(each, np.ndarray) else each for each in fields]
        self.held.append(fields)
        return np.array(numbers, np.uint64)

    def run(self, key, launches):
        for launch in launches():
            values = [_value(each) for each in launch.arguments]
            pointers = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
            x, y = launch.grid
            code = self.library.emulate(
                launch.kernel.encode(), x, y, launch.threads, launch.shared, pointers
            )
            assert code == 0, (launch.kernel, code)
            self.launched += 1


def _value(each):
    if isinstance(each, np.ndarray):
        return ctypes.c_void_p(each.ctypes.data)
    return ctypes.c_float(each) if isinstance(each, np.float32) else ctypes.c_int(each)
