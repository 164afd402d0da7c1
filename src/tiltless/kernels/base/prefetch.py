"""Prefetching: ask for memory before it is needed, so that the wait overlaps with other work.

Tested by tests/blueprint/test_engine.py
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from tiltless.kernels.base.jit import compiler_enabled

__all__ = ["prefetch_read", "prefetch_write"]


def _prefetch(array: Any, index: Any, write: int) -> Any:
    """The typed signature and the code generator of a prefetch of ``array[index]``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind, offset = signature.args
        data = context.make_array(kind)(context, builder, args[0]).data
        element = builder.gep(data, [context.cast(builder, args[1], offset, types.intp)])
        pointer = builder.bitcast(element, ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        call = builder.module.declare_intrinsic(
            "llvm.prefetch",
            [pointer.type],
            ir.FunctionType(ir.VoidType(), [pointer.type, number, number, number]),
        )
        keep, data_cache = ir.Constant(number, 3), ir.Constant(number, 1)
        builder.call(call, [pointer, ir.Constant(number, write), keep, data_cache])
        return context.get_dummy_value()

    return types.void(array, index), generate


@intrinsic
def _read(typing: Any, array: Any, index: Any) -> Any:
    """Fetch ``array[index]`` of a flat array; any index is safe, even one outside."""
    return _prefetch(array, index, 0)


@intrinsic
def _write(typing: Any, array: Any, index: Any) -> Any:
    """The same, and ask for the right to write there."""
    return _prefetch(array, index, 1)


def _nothing(array: Any, index: Any) -> None:
    """With the compiler off."""


prefetch_read: Any = _read if compiler_enabled() else _nothing
prefetch_write: Any = _write if compiler_enabled() else _nothing
