import importlib
import pkgutil

import pytest

from tiltless import kernels
from tiltless.cli.warmup import jobs
from tiltless.kernels.base.jit import compiler_enabled
from tiltless.kernels.blueprint.chance import by_decision

# Needed only to build tables that are then kept on disk, or by tests.
NOT_NEEDED = {"displace_rows", "compare_classes", "rank_long_boards", "sum_matchups"}


@pytest.mark.skipif(not compiler_enabled(), reason="needs the compiler")
def test_warmup_compiles_every_kernel():
    for job in jobs().values():
        job()
    missing = set()
    for module in pkgutil.iter_modules(kernels.__path__):
        for thing in vars(importlib.import_module(f"tiltless.kernels.{module.name}")).values():
            cache = getattr(thing, "_cache", None)
            if cache is not None and type(cache).__name__ != "NullCache" and not thing.signatures:
                missing.add(thing.__name__)
    assert missing <= NOT_NEEDED


@pytest.mark.skipif(not compiler_enabled(), reason="needs the compiler")
def test_averages_of_a_file_are_put_in_order_without_compiling():
    jobs()["blueprints"]()
    assert {signature[0].mutable for signature in by_decision.signatures} == {True, False}
