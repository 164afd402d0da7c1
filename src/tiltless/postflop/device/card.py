"""A card of NVIDIA through CuPy: arrays, compiled kernels and CUDA graphs.

CuPy is imported when a card is asked for (``pip install tiltless[gpu]``).
"""

import os
from collections.abc import Callable, Hashable, Iterable
from functools import cache
from typing import Any

import numpy as np

from tiltless.errors import OptionError
from tiltless.kernels.cuda.source import KERNELS, compile_options, cuda_source
from tiltless.postflop.device.machine import KernelShape, Launch, Machine
from tiltless.validate import brief

__all__ = ["DEVICES", "CudaCard", "check_device", "find_machine", "missing_card"]

DEVICES = ("cpu", "gpu")
"""Names of devices."""
_SHARE_OF_MEMORY = 0.95
_CONTEXT = 0.6e9  # bytes of a card that a process takes before it allocates anything


def find_machine(device: str | Machine, processes: int = 1) -> Machine | None:
    """The machine of a device, None for the processor; `OptionError` if there is no card.

    processes: how many use the card at once; each may have its share of the memory.
    """
    if not isinstance(device, str):
        return device
    check_device(device)
    return None if device == "cpu" else CudaCard(processes)


def check_device(device: str) -> None:
    """`OptionError` if there is no such device here; nothing is taken from a card."""
    if device not in DEVICES:
        raise OptionError(f"device={brief(device)} is not known; choose {' or '.join(DEVICES)}")
    missing = missing_card() if device != "cpu" else ""
    if missing:
        raise OptionError(f"{missing}, or choose the device cpu")


@cache
def missing_card() -> str:
    """Why there is no card to use and what to do, in one line; empty if there is one."""
    os.environ.setdefault("CUDA_MODULE_LOADING", "EAGER")  # nothing is loaded while a graph records
    try:
        import cupy
    except ImportError:
        return (
            "the device gpu needs CuPy, which is not installed; install tiltless[gpu] (CUDA 13) or "
            "tiltless[gpu12] (CUDA 12)"
        )
    try:
        count = int(cupy.cuda.runtime.getDeviceCount())
    except Exception as problem:  # CuPy's own, which has no class without a driver
        reason = str(problem).partition("\n")[0]
        return f"no NVIDIA card can be used here ({reason}); check the driver"
    return "" if count else "there is no NVIDIA card in this machine; use one that has a card"


@cache
def _module(shape: KernelShape) -> tuple[dict[str, Any], set[Hashable]]:
    """The kernels for a shape, compiled; and an empty set, not empty once they have run."""
    import cupy

    options = compile_options(*shape)
    module = cupy.RawModule(code=cuda_source(), options=options, backend="nvrtc")
    return {name: module.get_function(name) for name in KERNELS}, set()


@cache
def _stream() -> Any:
    """One stream for all spots: CuPy keeps freed memory for the stream that it was freed on."""
    import cupy

    return cupy.cuda.Stream(non_blocking=True)


class CudaCard:
    """The current card. One stream; sequences of launches are recorded as CUDA graphs.

    processes: that share its memory.
    """

    def __init__(self, processes: int = 1) -> None:
        import cupy

        self.cupy: Any = cupy
        self.processes = processes
        self.stream = _stream()
        attributes = cupy.cuda.Device().attributes
        self.shared_limit = int(attributes["MaxSharedMemoryPerBlockOptin"])
        self._kernels: dict[str, Any] = {}
        self._warm: set[Hashable] = set()
        self._graphs: dict[Hashable, Any] = {}
        self._held: list[Any] = []  # what structs and graphs point to

    def compile(self, shape: KernelShape) -> None:
        """Compile the kernels, unless that has been done."""
        self._kernels, self._warm = _module(shape)
        for name in ("down", "river", "up"):
            kernel = self._kernels[name]
            kernel.max_dynamic_shared_size_bytes = self.shared_limit - kernel.shared_size_bytes
        river = self._kernels["river"]
        river.preferred_shared_memory_carveout = 100  # percent, so that several blocks fit

    def free_bytes(self) -> float:
        """Memory of the card that may be allocated."""
        free, total = self.cupy.cuda.runtime.memGetInfo()
        pool = self.cupy.get_default_memory_pool()
        there = float(free + pool.free_bytes())
        if self.processes > 1:
            share = total / self.processes - _CONTEXT - pool.used_bytes()
            there = min(there, max(share, 0.0))
        return _SHARE_OF_MEMORY * there

    def array(self, values: Any) -> Any:
        """A copy of an array on the card."""
        return self._taken(lambda: self.cupy.asarray(np.ascontiguousarray(values)))

    def zeros(self, size: int) -> Any:
        """Float32 zeros."""
        return self._taken(lambda: self.cupy.zeros(size, self.cupy.float32))

    def _taken(self, make: Callable[[], Any]) -> Any:
        """What a function allocates; `OptionError` if another process has taken the memory."""
        try:
            with self.stream:
                return make()
        except Exception as problem:  # CuPy's own
            if type(problem).__name__ != "OutOfMemoryError":
                raise
            raise OptionError(
                "the GPU has no memory left, as others use it, too; use fewer processes"
            ) from None

    def struct(self, fields: tuple[Any, ...]) -> Any:
        """Pointers and whole numbers of 64 bits, on the card."""
        self._held.append(fields)
        numbers = [
            int(each) if isinstance(each, int | np.integer) else each.data.ptr for each in fields
        ]
        return self.array(np.array(numbers, np.uint64))

    def write(self, array: Any, values: Any) -> None:
        """Overwrite an array of the card."""
        whole = np.broadcast_to(np.asarray(values, array.dtype), array.shape)
        array.set(np.ascontiguousarray(whole), stream=self.stream)

    def read(self, array: Any) -> Any:
        """The values of an array, when all launches are done."""
        found = array.get(stream=self.stream)
        self.stream.synchronize()
        return found

    def run(self, key: Hashable, launches: Callable[[], Iterable[Launch]]) -> None:
        """Replay the graph of a key, which is recorded when the key is new."""
        with self.stream:
            if not self._warm:  # the very first launches: kernels are loaded
                self._warm.add(key)
                self._launch(launches())
                return
            graph = self._graphs.get(key)
            if graph is None:
                self.stream.begin_capture()
                try:
                    self._launch(launches())
                finally:
                    graph = self.stream.end_capture()
                self._graphs[key] = graph
            graph.launch(self.stream)

    def timed(self, launches: Iterable[Launch]) -> dict[str, tuple[int, float]]:
        """Launches one by one: how many of each kernel, and their milliseconds."""
        spent: dict[str, tuple[int, float]] = {}
        events = self.cupy.cuda
        with self.stream:
            for launch in launches:
                begin, end = events.Event(), events.Event()
                begin.record(self.stream)
                self._launch([launch])
                end.record(self.stream)
                end.synchronize()
                count, before = spent.get(launch.kernel, (0, 0.0))
                took = float(events.get_elapsed_time(begin, end))
                spent[launch.kernel] = count + 1, before + took
        return spent

    def resources(self) -> dict[str, tuple[int, int, int]]:
        """Registers, bytes of stack and of static shared memory of each kernel."""
        return {
            name: (kernel.num_regs, kernel.local_size_bytes, kernel.shared_size_bytes)
            for name, kernel in self._kernels.items()
        }

    def _launch(self, launches: Iterable[Launch]) -> None:
        for launch in launches:
            self._held.append(launch.arguments)
            arguments = [
                np.int32(each) if isinstance(each, int) else each for each in launch.arguments
            ]
            kernel = self._kernels[launch.kernel]
            kernel(launch.grid, (launch.threads,), tuple(arguments), shared_mem=launch.shared)
