import os
import signal

import pytest

from tiltless.interrupts import deferred_signals


def test_the_first_signal_is_deferred_and_the_second_one_is_not():
    before = signal.getsignal(signal.SIGINT)
    with deferred_signals() as asked:
        assert not asked.is_set()
        os.kill(os.getpid(), signal.SIGINT)
        assert asked.is_set()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_patient_work_is_never_interrupted():
    with deferred_signals((signal.SIGINT, signal.SIGTERM), patient=True) as asked:
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGINT)
        assert asked.is_set()
