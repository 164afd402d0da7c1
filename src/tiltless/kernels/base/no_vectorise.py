"""No vectorisation of a short loop: an empty instruction that keeps it scalar.

Loops over the two to eight actions of a decision are turned into masked vector code, which writes
and reads the same few bytes in different widths; the processor then waits for its own stores, and a
traversal takes five times as long. An empty instruction in the loop forbids that and costs nothing.

Tested by tests/blueprint/test_engine.py
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from tiltless.kernels.base.jit import compiler_enabled

__all__ = ["one_by_one"]


@intrinsic
def _one_by_one(typing: Any) -> Any:
    """An empty instruction that the vectoriser must not move."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        nothing = ir.FunctionType(ir.VoidType(), [])
        builder.asm(nothing, "", "", [], True)
        return context.get_dummy_value()

    return types.void(), generate


def _nothing() -> None:
    """With the compiler off."""


one_by_one: Any = _one_by_one if compiler_enabled() else _nothing
