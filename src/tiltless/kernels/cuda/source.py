"""The CUDA source of all kernels as one text, and the options to compile it with.

Tested by tests/kernels/cuda/test_source.py
"""

from pathlib import Path

__all__ = ["KERNELS", "compile_options", "cuda_source"]

KERNELS = ("down", "folds", "collect", "up", "keep", "lift", "river", "root_values")
"""The names of the kernels."""
_THREADS = 1280  # that a multiprocessor should hold at once, which limits registers
_FILES = ("structs", "decision", "sums", "street", "river", "values")


def cuda_source() -> str:
    """The files, one after the other."""
    folder = Path(__file__).parent
    return "\n".join((folder / f"{name}.cu").read_text(encoding="utf-8") for name in _FILES)


def compile_options(hands: int, threads: int, most_actions: int, spill: bool) -> tuple[str, ...]:
    """Options of NVRTC or nvcc: constants, and no fast mathematics."""
    return (
        "-std=c++17",
        f"-DHANDS={hands}",
        f"-DTHREADS={threads}",
        f"-DLEAST_BLOCKS={max(_THREADS // threads, 1)}",
        f"-DMOST_ACTIONS={most_actions}",
        f"-DSPILL={int(spill)}",
    )
