"""The part of CuPy that a card is used through, on one core.

Arrays are NumPy's; kernels are compiled by g++ as in `emulated_card`; a stream that records runs
nothing until the graph is launched, as on a card.
"""

import ctypes
import time
from types import SimpleNamespace

import numpy as np

from helpers.emulated_card import build_library, emulate


class Array(np.ndarray):
    @property
    def data(self):
        return SimpleNamespace(ptr=self.ctypes.data)

    def set(self, arr, stream=None):
        assert arr.shape == self.shape
        assert arr.dtype == self.dtype
        assert arr.flags.c_contiguous
        self[...] = arr

    def get(self, stream=None):
        return np.array(self).view(np.ndarray)


class Stream:
    recording = None

    def __init__(self, non_blocking=False):
        assert non_blocking

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def synchronize(self):
        assert Stream.recording is None

    def begin_capture(self):
        Stream.recording = []

    def end_capture(self):
        recorded, Stream.recording = Stream.recording, None
        return SimpleNamespace(launch=lambda stream: [work() for work in recorded])


class Event:
    def record(self, stream):
        self.at = time.perf_counter()

    def synchronize(self):
        pass


class Kernel:
    num_regs, local_size_bytes, shared_size_bytes = 32, 0, 0
    max_dynamic_shared_size_bytes = 48 * 1024

    def __init__(self, library, name):
        self.library, self.name = library, name

    def __call__(self, grid, block, args, *, shared_mem=0):
        assert shared_mem <= self.max_dynamic_shared_size_bytes
        values = [
            ctypes.c_void_p(each.data.ptr)
            if isinstance(each, Array)
            else {np.int32: ctypes.c_int, np.float32: ctypes.c_float}[type(each)](each)
            for each in args
        ]

        def work():
            emulate(self.library, self.name, grid, block[0], shared_mem, values)

        if Stream.recording is None:
            work()
        else:
            Stream.recording.append(work)


def make_cupy(folder):
    """A module to be put where ``import cupy`` looks."""

    class RawModule:
        def __init__(self, code, options, backend):
            assert backend == "nvrtc"
            self.library = build_library(folder, code, options)

        def get_function(self, name):
            return Kernel(self.library, name)

    attributes = {"MaxSharedMemoryPerBlockOptin": 232448}
    return SimpleNamespace(
        float32=np.float32,
        asarray=lambda values: np.array(values).view(Array),
        zeros=lambda size, dtype: np.zeros(size, dtype).view(Array),
        get_default_memory_pool=lambda: SimpleNamespace(
            free_bytes=lambda: 0, used_bytes=lambda: 1 << 20
        ),
        RawModule=RawModule,
        cuda=SimpleNamespace(
            Stream=Stream,
            Event=Event,
            get_elapsed_time=lambda one, two: 1e3 * (two.at - one.at),
            Device=lambda: SimpleNamespace(attributes=attributes, id=0),
            runtime=SimpleNamespace(
                getDeviceCount=lambda: 1,
                getDeviceProperties=lambda _: {"name": b"a core"},
                memGetInfo=lambda: (1 << 33, 1 << 33),
            ),
        ),
    )
