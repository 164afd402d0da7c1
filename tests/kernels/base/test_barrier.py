"""Threads inside kernels that wait for each other."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tiltless.kernels.base.barrier import make_signals, post, wait
from tiltless.kernels.base.jit import kernel


@kernel
def count_in_turn(thread, threads, rounds, numbers, signals):
    """Each thread in turn makes the next number from the one before."""
    for i in range(thread, rounds, threads):
        before = (thread - 1) % threads
        wait(signals, before, i)
        numbers[i + 1] = numbers[i] + i
        post(signals, thread, i + 1)


@pytest.mark.nojit
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_what_is_written_before_a_post_is_seen_after_a_wait(threads):
    rounds = 3000
    numbers, signals = np.full(rounds + 1, -1), make_signals(threads)
    numbers[0] = 0
    with ThreadPoolExecutor(threads) as pool:
        for work in [
            pool.submit(count_in_turn, thread, threads, rounds, numbers, signals)
            for thread in range(threads)
        ]:
            work.result(timeout=60)
    assert (numbers == np.concatenate([[0], np.cumsum(np.arange(rounds))])).all()


@pytest.mark.nojit
def test_signals_lie_on_lines_of_their_own():
    signals = make_signals(2)
    post(signals, 1, 7)
    (place,) = np.flatnonzero(signals)
    assert signals[place] == 7
    assert place * signals.itemsize >= 64
    wait(signals, 1, 7)
