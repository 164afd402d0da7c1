"""Ask for memory before it is needed, so that waiting for it overlaps with other work."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from tiltless.kernels.base.jit import compiler_enabled

__all__ = ["prefetch_read", "prefetch_write"]


def _prefetch(array: Any, place: Any, write: int) -> Any:
    """The typed signature and the code generator of a prefetch of ``array[place]``."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        kind, offset = signature.args
        data = context.make_array(kind)(context, builder, given[0]).data
        element = builder.gep(data, [context.cast(builder, given[1], offset, types.intp)])
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

    return types.void(array, place), generate


@intrinsic
def _read(typing: Any, array: Any, place: Any) -> Any:
    """Fetch ``array[place]`` of a flat array; any place is safe, also one outside."""
    return _prefetch(array, place, 0)


@intrinsic
def _write(typing: Any, array: Any, place: Any) -> Any:
    """The same, and ask for the right to write there."""
    return _prefetch(array, place, 1)


def _nothing(array: Any, place: Any) -> None:
    """With the compiler off."""


prefetch_read: Any = _read if compiler_enabled() else _nothing
prefetch_write: Any = _write if compiler_enabled() else _nothing
