"""LLVM vectors of eight float64 for Numba; `tiltless.kernels.simd` is the way to use them."""

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_model

__all__ = ["LANES", "load", "maximum", "spread", "store", "where_positive"]

LANES = 8
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)


class _Float64x8(types.Type):
    def __init__(self) -> None:
        super().__init__(name="float64x8")


_float64x8 = _Float64x8()


@register_model(_Float64x8)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)  # type: ignore[no-untyped-call]


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, place: Any, kind: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    element = builder.gep(data, [context.cast(builder, place, kind, types.intp)])
    return builder.bitcast(element, _VECTOR.as_pointer())


@intrinsic
def load(typing: Any, array: Any, place: Any) -> Any:
    """Eight elements of a one-dimensional float64 array, from ``place`` on."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        kinds = signature.args
        pointer = _pointer(context, builder, kinds[0], given[0], given[1], kinds[1])
        return builder.load(pointer, align=8)

    return _float64x8(array, place), generate


@intrinsic
def store(typing: Any, array: Any, place: Any, vector: Any) -> Any:
    """Write eight elements of a one-dimensional float64 array, from ``place`` on."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        kinds = signature.args
        pointer = _pointer(context, builder, kinds[0], given[0], given[1], kinds[1])
        builder.store(given[2], pointer, align=8)
        return context.get_dummy_value()

    return types.void(array, place, vector), generate


@intrinsic
def spread(typing: Any, number: Any) -> Any:
    """One number eight times."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        one = context.cast(builder, given[0], signature.args[0], types.float64)
        start = builder.insert_element(
            ir.Constant(_VECTOR, ir.Undefined), one, ir.Constant(ir.IntType(32), 0)
        )
        same = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return builder.shuffle_vector(start, start, same)

    return _float64x8(number), generate


@intrinsic
def maximum(typing: Any, one: Any, two: Any) -> Any:
    """The larger of two vectors, element by element."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        larger = builder.fcmp_ordered(">", given[0], given[1])
        return builder.select(larger, given[0], given[1])

    return _float64x8(one, two), generate


@intrinsic
def where_positive(typing: Any, test: Any, yes: Any, no: Any) -> Any:
    """Element by element: ``yes`` where ``test`` is above 0, else ``no``."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        zero = ir.Constant(_VECTOR, [0.0] * LANES)
        above = builder.fcmp_ordered(">", given[0], zero)
        return builder.select(above, given[1], given[2])

    return _float64x8(test, yes, no), generate


def _register(operation: Any, instruction: str) -> None:
    @intrinsic
    def on_vectors(typing: Any, one: Any, two: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            return getattr(builder, instruction)(given[0], given[1])

        return _float64x8(one, two), generate

    apply: Any = on_vectors

    @overload(operation, inline="always")
    def choose(one, two):  # type: ignore[no-untyped-def]  # Numba compares signatures
        if one is _float64x8 and two is _float64x8:
            return lambda one, two: apply(one, two)
        return None


_register(operator.add, "fadd")
_register(operator.sub, "fsub")
_register(operator.mul, "fmul")
_register(operator.truediv, "fdiv")
