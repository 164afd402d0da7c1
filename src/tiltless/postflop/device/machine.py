"""Machines that launch the CUDA kernels: what a card and its stand-in have in common.

`NumpyMachine` runs the twins of the kernels on this processor, with the same buffers and the same
launches; `tiltless.postflop.device.card` has the card.
"""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple, Protocol

import numpy as np

from tiltless.kernels.cuda import twin

__all__ = ["KernelShape", "Launch", "Machine", "NumpyMachine"]


class KernelShape(NamedTuple):
    """Constants that the kernels are compiled with.

    hands: of a thread on the last street.  threads: of its blocks.  most_actions: of a decision.
    spill: whether the slots of a block are in global instead of shared memory.
    """

    hands: int
    threads: int
    most_actions: int
    spill: bool

    @property
    def stride(self) -> int:
        """The length of a vector in a slot."""
        return self.hands * self.threads


class Launch(NamedTuple):
    """A kernel, its grid of blocks, the threads of a block, bytes of shared memory, arguments."""

    kernel: str
    grid: tuple[int, int]
    threads: int
    shared: int
    arguments: tuple[Any, ...]


class Machine(Protocol):
    """Where kernels run. Arrays and structs are those of the machine."""

    shared_limit: int
    """Bytes of shared memory that a block may have."""

    def compile(self, shape: KernelShape) -> None:
        """Prepare the kernels."""

    def free_bytes(self) -> float:
        """Memory that may be allocated."""

    def array(self, values: Any) -> Any:
        """A copy of an array."""

    def zeros(self, size: int) -> Any:
        """Float32 zeros."""

    def struct(self, fields: tuple[Any, ...]) -> Any:
        """A struct of arrays of this machine and whole numbers, as an argument of kernels."""

    def write(self, array: Any, values: Any) -> None:
        """Overwrite an array with values of the host."""

    def read(self, array: Any) -> Any:
        """The values of an array on the host, when all launches are done."""

    def run(self, key: Hashable, launches: Callable[[], Iterable[Launch]]) -> None:
        """Run launches one after the other; equal keys mean equal launches."""


class NumpyMachine:
    """The twins of the kernels: no card, and no speed."""

    shared_limit = 227 * 1024

    def __init__(self, free: float = float("inf")) -> None:
        self.free, self.launched = free, 0

    def compile(self, shape: KernelShape) -> None:
        """Nothing to compile."""

    def free_bytes(self) -> float:
        """The limit given."""
        return self.free

    def array(self, values: Any) -> Any:
        """A copy of an array."""
        return np.array(values)

    def zeros(self, size: int) -> Any:
        """Float32 zeros."""
        return np.zeros(size, np.float32)

    def struct(self, fields: tuple[Any, ...]) -> Any:
        """The tuple itself."""
        return fields

    def write(self, array: Any, values: Any) -> None:
        """Overwrite an array."""
        array[...] = values

    def read(self, array: Any) -> Any:
        """A copy."""
        return np.array(array)

    def run(self, key: Hashable, launches: Callable[[], Iterable[Launch]]) -> None:
        """Call the twins."""
        for launch in launches():
            getattr(twin, launch.kernel)(*launch.arguments)
            self.launched += 1
