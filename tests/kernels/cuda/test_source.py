"""The structs of the CUDA sources have the fields of ours, in order; kernels have twins."""

import inspect
import re

import pytest

from tiltless.kernels.cuda import structs, twin
from tiltless.kernels.cuda.source import KERNELS, compile_options, cuda_source
from tiltless.kernels.postflop.decision import LEAST_TOTAL

SOURCE = cuda_source()


def fields_of(struct):
    body = re.search(rf"struct {struct} {{(.*?)}};", SOURCE, re.DOTALL)[1]
    declared = [line.strip() for line in body.split(";") if line.strip()]
    return [
        name.strip(" *")
        for line in declared
        for name in re.sub(r"^(const )?\w+ ", "", line).split(",")
    ]


@pytest.mark.parametrize(
    ("struct", "ours"),
    [
        ("Street", structs.DeviceStreet),
        ("Tables", structs.DeviceTables),
        ("Program", structs.RiverProgram),
    ],
)
def test_structs_have_the_same_fields(struct, ours):
    assert fields_of(struct) == list(ours._fields)


def test_the_least_total_is_ours():
    assert float(re.search(r"#define LEAST_TOTAL (\S+)f", SOURCE)[1]) == LEAST_TOTAL


def test_every_kernel_has_a_twin_with_as_many_arguments():
    found = re.findall(
        r'extern "C" __global__ void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\((.*?)\)',
        SOURCE,
        re.DOTALL,
    )
    assert sorted(name for name, _ in found) == sorted(KERNELS)
    for name, arguments in found:
        names = [each.split()[-1].strip("*").rstrip("_") for each in arguments.split(",")]
        assert names == list(inspect.signature(getattr(twin, name)).parameters), name


def test_codes_of_steps_are_equal():
    names = re.search(r"enum { (ENTER.*?) };", SOURCE)[1].split(", ")
    assert [getattr(structs, name) for name in names] == list(range(6))


def test_options_are_constants():
    assert "-DHANDS=2" in compile_options(2, 544, 4, False)
