"""Devices by name, and what is said where there is no card."""

import sys

import pytest

from tiltless.bench import gpu
from tiltless.errors import OptionError
from tiltless.postflop.device.card import find_machine, missing_card
from tiltless.postflop.solution import solve_spot
from tiltless.postflop.spot import Spot

SPOT = Spot("QsJh2h8d3c", "QQ", "88", 64, 320, "a")


@pytest.fixture
def no_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    missing_card.cache_clear()
    yield
    missing_card.cache_clear()


@pytest.mark.usefixtures("no_cupy")
def test_without_cupy_the_message_says_what_to_install():
    with pytest.raises(OptionError, match=r"tiltless\[gpu\]") as refused:
        solve_spot(SPOT, device="gpu")
    assert "\n" not in str(refused.value)


def test_a_driver_that_is_missing_is_one_line(monkeypatch):
    class Runtime:
        @staticmethod
        def getDeviceCount():  # noqa: N802
            raise RuntimeError("cudaErrorInsufficientDriver: too old\nmore")

    class Cupy:
        class cuda:  # noqa: N801
            runtime = Runtime

    monkeypatch.setitem(sys.modules, "cupy", Cupy)
    missing_card.cache_clear()
    assert "too old)" in missing_card()
    assert "\n" not in missing_card()
    missing_card.cache_clear()


def test_unknown_devices_are_refused():
    with pytest.raises(OptionError, match="cpu or gpu"):
        find_machine("tpu")
    assert find_machine("cpu") is None


@pytest.mark.usefixtures("no_cupy")
def test_the_bench_has_nulls():
    found = gpu.run()
    assert set(found.values()) == {None}
    assert {
        "gpu_turn_full_s",
        "gpu_flop_bench_s",
        "gpu_flop_full_s",
        "gpu_rivers_per_s",
    } <= set(found)
