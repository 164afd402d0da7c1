"""LLVM vectors of 64 bytes for Numba; kernels use them through `tiltless.kernels.base.simd`.

Tested by tests/kernels/postflop/test_decision.py
"""

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_model

__all__ = ["lanes_to_rows", "load", "maximum", "rows_to_lanes", "spread", "store", "where_positive"]

_INT32, _INT64 = ir.IntType(32), ir.IntType(64)


class _Vector(types.Type):
    """A vector of ``lanes`` numbers of one type."""

    def __init__(self, of: Any, lanes: int) -> None:
        super().__init__(name=f"{of}x{lanes}")
        self.of, self.lanes = of, lanes
        self.code = ir.VectorType(ir.FloatType() if of == types.float32 else ir.DoubleType(), lanes)


@register_model(_Vector)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, kind.code)  # type: ignore[no-untyped-call]


_VECTORS = {types.float64: _Vector(types.float64, 8), types.float32: _Vector(types.float32, 16)}


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    """To the vector that begins at an element; index: an intp value."""
    data = context.make_array(array_type)(context, builder, array).data
    kind = _VECTORS[array_type.dtype].code
    return builder.bitcast(builder.gep(data, [index]), kind.as_pointer())


def _read(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    pointer = _pointer(context, builder, array_type, array, index)
    return builder.load(pointer, align=array_type.dtype.bitwidth // 8)


def _write(
    context: Any, builder: Any, array_type: Any, array: Any, index: Any, vector: Any
) -> None:
    pointer = _pointer(context, builder, array_type, array, index)
    builder.store(vector, pointer, align=array_type.dtype.bitwidth // 8)


@intrinsic
def load(typing: Any, array: Any, index: Any) -> Any:
    """64 bytes of a one-dimensional array, from ``index`` on."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = signature.args
        return _read(
            context,
            builder,
            kinds[0],
            args[0],
            context.cast(builder, args[1], kinds[1], types.intp),
        )

    return _VECTORS[array.dtype](array, index), generate


@intrinsic
def store(typing: Any, array: Any, index: Any, vector: Any) -> Any:
    """Write 64 bytes of a one-dimensional array, from ``index`` on."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = signature.args
        start = context.cast(builder, args[1], kinds[1], types.intp)
        _write(context, builder, kinds[0], args[0], start, args[2])
        return context.get_dummy_value()

    return types.void(array, index, vector), generate


@intrinsic
def spread(typing: Any, number: Any) -> Any:
    """One number in all lanes: 16 of float32, 8 of anything else."""
    kind = _VECTORS[types.float32 if number == types.float32 else types.float64]

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        one = context.cast(builder, args[0], signature.args[0], kind.of)
        start = builder.insert_element(
            ir.Constant(kind.code, ir.Undefined), one, ir.Constant(_INT32, 0)
        )
        same = ir.Constant(ir.VectorType(_INT32, kind.lanes), [0] * kind.lanes)
        return builder.shuffle_vector(start, start, same)

    return kind(number), generate


@intrinsic
def maximum(typing: Any, one: Any, two: Any) -> Any:
    """The larger of two vectors, element by element."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        larger = builder.fcmp_ordered(">", args[0], args[1])
        return builder.select(larger, args[0], args[1])

    return one(one, two), generate


@intrinsic
def where_positive(typing: Any, test: Any, yes: Any, no: Any) -> Any:
    """Element by element: ``yes`` where ``test`` is above 0, else ``no``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        zero = ir.Constant(test.code, [0.0] * test.lanes)
        above = builder.fcmp_ordered(">", args[0], zero)
        return builder.select(above, args[1], args[2])

    return yes(test, yes, no), generate


def _register(operation: Any, instruction: str) -> None:
    @intrinsic
    def on_vectors(typing: Any, one: Any, two: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, instruction)(args[0], args[1])

        return one(one, two), generate

    apply: Any = on_vectors

    @overload(operation, inline="always")
    def choose(one, two):  # type: ignore[no-untyped-def]  # Numba compares signatures
        if isinstance(one, _Vector) and one is two:
            return lambda one, two: apply(one, two)
        return None


_register(operator.add, "fadd")
_register(operator.sub, "fsub")
_register(operator.mul, "fmul")
_register(operator.truediv, "fdiv")


def _transpose(builder: Any, vectors: list[Any]) -> list[Any]:
    """Sixteen vectors of sixteen, rows for columns: four rounds that swap ever larger squares.

    In round k, vectors whose indices differ in bit k alone exchange those elements whose bit k
    differs from the vector's; after four rounds every bit has changed sides.
    """
    for bit in (1, 2, 4, 8):
        low = [i if not i & bit else i - bit + 16 for i in range(16)]
        high = [i + bit if not i & bit else i + 16 for i in range(16)]
        masks = [ir.Constant(ir.VectorType(_INT32, 16), mask) for mask in (low, high)]
        after = list(vectors)
        for i in range(16):
            if not i & bit:
                pair = vectors[i], vectors[i + bit]
                after[i], after[i + bit] = (builder.shuffle_vector(*pair, mask) for mask in masks)
        vectors = after
    return vectors


def _row_indices(context: Any, builder: Any, kinds: Any, offsets: Any, index: Any) -> list[Any]:
    """``offsets[lane] + index`` of the sixteen lanes; kinds: of both."""
    data = context.make_array(kinds[0])(context, builder, offsets).data
    start = context.cast(builder, index, kinds[1], types.intp)
    rows = [builder.load(builder.gep(data, [ir.Constant(_INT64, lane)])) for lane in range(16)]
    return [builder.add(row, start) for row in rows]


def _column_indices(context: Any, builder: Any, kind: Any, index: Any) -> list[Any]:
    """``16 * (index + i)`` for i from 0 to 15."""
    start = context.cast(builder, index, kind, types.intp)
    steps = [builder.add(start, ir.Constant(_INT64, i)) for i in range(16)]
    return [builder.mul(step, ir.Constant(_INT64, 16)) for step in steps]


@intrinsic
def rows_to_lanes(typing: Any, rows: Any, offsets: Any, index: Any, lanes: Any) -> Any:
    """``lanes[16 * (index + i) + lane] = rows[offsets[lane] + index + i]``, i from 0 to 15."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = signature.args
        sources = _row_indices(context, builder, kinds[1:3], args[1], args[2])
        columns = [_read(context, builder, kinds[0], args[0], source) for source in sources]
        targets = _column_indices(context, builder, kinds[2], args[2])
        for target, vector in zip(targets, _transpose(builder, columns), strict=True):
            _write(context, builder, kinds[3], args[3], target, vector)
        return context.get_dummy_value()

    return types.void(rows, offsets, index, lanes), generate


@intrinsic
def lanes_to_rows(typing: Any, lanes: Any, rows: Any, offsets: Any, index: Any) -> Any:
    """``rows[offsets[lane] + index + i] = lanes[16 * (index + i) + lane]``, i from 0 to 15."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = signature.args
        sources = _column_indices(context, builder, kinds[3], args[3])
        columns = [_read(context, builder, kinds[0], args[0], source) for source in sources]
        targets = _row_indices(context, builder, kinds[2:4], args[2], args[3])
        for target, vector in zip(targets, _transpose(builder, columns), strict=True):
            _write(context, builder, kinds[1], args[1], target, vector)
        return context.get_dummy_value()

    return types.void(lanes, rows, offsets, index), generate
