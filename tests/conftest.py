"""Settings for every test."""

import gc
import os
import signal
import warnings
from unittest.mock import patch

import pytest
from hypothesis import settings

settings.register_profile("tiltless", deadline=None, derandomize=True)
settings.load_profile("tiltless")

# Started in the background by some shells, we inherit that Ctrl-C is ignored, and so would every
# program that a test interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure():
    """Reading thousands of tests leaves no garbage worth looking for."""
    gc.disable()


def pytest_collection_finish():
    """The collector leaves what was read alone: looking through it took a sixth of all time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


@pytest.fixture(autouse=True)
def _quiet_overflow():
    """Kernels let 64-bit words overflow on purpose; run as plain Python, NumPy warns about it."""
    with warnings.catch_warnings():
        if os.environ.get("NUMBA_DISABLE_JIT") == "1":
            warnings.filterwarnings("ignore", "overflow encountered", RuntimeWarning)
        yield


@pytest.fixture(autouse=True, scope="session")
def _quiet_compiling():
    """Commands run inside the tests' process do not announce that kernels compile.

    Whether they would depends on the tests that ran before and on the cache.
    """
    with patch("tiltless.cli.app.announce_compiling", lambda: None):
        yield
