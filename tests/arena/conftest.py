import pytest

from tiltless.executor import KeptProcesses


@pytest.fixture(scope="session")
def two_processes():
    """Two worker processes that are started once for all tests that only compare results."""
    with KeptProcesses(2) as kept:
        yield kept
