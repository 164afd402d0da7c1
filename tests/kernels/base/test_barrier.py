"""Threads inside kernels that wait for each other."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tiltless.kernels.base.barrier import abort, failed, make_barrier, post, reached, take, wait
from tiltless.kernels.base.jit import kernel


@kernel
def count_in_turn(thread, threads, rounds, numbers, barrier):
    """Each thread in turn makes the next number from the one before."""
    for i in range(thread, rounds, threads):
        before = (thread - 1) % threads
        wait(barrier, before, i)
        numbers[i + 1] = numbers[i] + i
        post(barrier, thread, i + 1)


@pytest.mark.nojit
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_what_is_written_before_a_post_is_seen_after_a_wait(threads):
    rounds = 3000
    numbers, barrier = np.full(rounds + 1, -1), make_barrier(threads)
    numbers[0] = 0
    with ThreadPoolExecutor(threads) as pool:
        for work in [
            pool.submit(count_in_turn, thread, threads, rounds, numbers, barrier)
            for thread in range(threads)
        ]:
            work.result(timeout=60)
    assert (numbers == np.concatenate([[0], np.cumsum(np.arange(rounds))])).all()


@pytest.mark.nojit
def test_signals_lie_on_lines_of_their_own():
    barrier = make_barrier(2)
    post(barrier, 1, 7)
    (place,) = np.flatnonzero(barrier)
    assert barrier[place] == 7
    assert place * barrier.itemsize >= 64
    wait(barrier, 1, 7)


@kernel
def take_all(count, takers, barrier):
    """Take numbers while there are some, and count how often each was taken."""
    while not failed(barrier):
        number = reached(barrier, 0)
        if number >= count:
            break
        if take(barrier, 0, number):
            takers[number] += 1


@kernel
def wait_for(number, barrier):
    wait(barrier, 0, number)


@pytest.mark.nojit
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_each_number_is_taken_by_one_thread(threads):
    count = 3000
    takers, barrier = np.zeros(count, np.int64), make_barrier(1)
    with ThreadPoolExecutor(threads) as pool:
        for work in [pool.submit(take_all, count, takers, barrier) for _ in range(threads)]:
            work.result(timeout=60)
    assert reached(barrier, 0) == count
    assert (takers == 1).all()


@pytest.mark.nojit
def test_who_sleeps_wakes_when_the_number_is_posted():
    barrier = make_barrier(1)
    with ThreadPoolExecutor(2) as pool:
        waits = [pool.submit(wait_for, 5, barrier) for _ in range(2)]
        time.sleep(0.05)  # long enough for them to sleep
        assert not any(each.done() for each in waits)
        post(barrier, 0, 4)
        time.sleep(0.01)
        assert not any(each.done() for each in waits)
        post(barrier, 0, 5)
        for each in waits:
            each.result(timeout=60)


@pytest.mark.nojit
def test_giving_up_ends_all_waits():
    barrier = make_barrier(1)
    assert not failed(barrier)
    with ThreadPoolExecutor(2) as pool:
        waits = [pool.submit(wait_for, 5, barrier) for _ in range(2)]
        time.sleep(0.02)
        abort(barrier)
        for each in waits:
            each.result(timeout=60)
    assert failed(barrier)
    assert reached(barrier, 0) == 0
