"""Jobs in processes of their own: progress, cancelling, and processes that die."""

import os
import signal
import threading
import time

import pytest

from tiltless.errors import OptionError
from tiltless.executor import WorkerError
from tiltless.web.workers import LARGE, CancelledError, WorkerPool


@pytest.fixture(scope="module")
def pool():
    pool = WorkerPool(2)
    yield pool
    pool.close()


def test_jobs_tell_their_progress_and_their_result(pool):
    told = []
    job = pool.submit("sleep", {"seconds": 0.05}, tell=told.append)
    assert job.result.result(30) == "slept"
    assert told
    assert told == sorted(told, reverse=True)


@pytest.mark.parametrize("deaf", [False, True])
def test_a_cancelled_job_ends_whether_it_listens_or_not(pool, deaf):
    told = threading.Event()
    job = pool.submit("sleep", {"seconds": 60, "deaf": deaf}, tell=lambda _: told.set())
    assert told.wait(30)
    job.cancel()
    with pytest.raises(CancelledError):
        job.result.result(10)
    assert pool.run("sleep", {"seconds": 0}) == "slept"


def test_a_job_that_waits_can_be_cancelled(pool):
    busy = [pool.submit("sleep", {"seconds": 60}) for _ in range(2)]
    late = pool.submit("sleep", {"seconds": 60})
    for job in (late, *busy):
        job.cancel()
    for job in (late, *busy):
        with pytest.raises(CancelledError):
            job.result.result(30)


def test_a_killed_process_is_an_error_of_its_job_only(pool):
    told, other_told = threading.Event(), threading.Event()
    job = pool.submit("sleep", {"seconds": 60}, key="a", tell=lambda _: told.set())
    other = pool.submit("sleep", {"seconds": 1.5}, key="b", tell=lambda _: other_told.set())
    assert told.wait(30)
    assert other_told.wait(30)
    worker = next(each for each in pool._workers if "a" in each.keys)
    os.kill(worker._process.pid, signal.SIGKILL)
    with pytest.raises(WorkerError):
        job.result.result(10)
    assert other.result.result(30) == "slept"
    assert pool.run("sleep", {"seconds": 0}, key="a") == "slept"


def test_errors_of_tasks_are_those_of_the_package(pool):
    with pytest.raises(OptionError):
        pool.run("check-agent", {"text": "nobody", "game": "nlhe", "rules": None})
    with pytest.raises(WorkerError, match="seconds"):
        pool.run("sleep", {})


def test_a_key_stays_with_its_process(pool):
    for _ in range(3):
        jobs = [pool.submit("sleep", {"seconds": 0.02}, key=key) for key in "cdc"]
        for job in jobs:
            job.result.result(30)
        held = [key for worker in pool._workers for key in worker.keys if key in "cd"]
        assert sorted(held) == ["c", "d"]


def test_a_result_that_nobody_waits_for_harms_nobody(pool):
    busy = [pool.submit("sleep", {"seconds": 0.3}) for _ in range(2)]
    late = pool.submit("sleep", {"seconds": 60})
    assert late.result.cancel()
    for job in busy:
        assert job.result.result(30) == "slept"
    assert pool.run("sleep", {"seconds": 0}) == "slept"


def test_a_process_keeps_two_solved_spots_and_more_of_the_rest(pool):
    keys = [f"{LARGE}{n}" for n in range(4)] + [f"agent:{n}" for n in range(4)]
    for key in keys:
        pool.run("sleep", {"seconds": 0}, key=key)
    for worker in pool._workers:
        assert sum(key.startswith(LARGE) for key in worker.keys) <= 2
    assert sum(key.startswith("agent") for worker in pool._workers for key in worker.keys) == 4


def test_the_end_of_a_pool_cancels_what_runs():
    pool, told = WorkerPool(1), threading.Event()
    job = pool.submit("sleep", {"seconds": 60}, tell=lambda _: told.set())
    waits = pool.submit("sleep", {"seconds": 60})
    assert told.wait(30)
    begin = time.monotonic()
    pool.close()
    for each in (job, waits):
        with pytest.raises((CancelledError, WorkerError)):
            each.result.result(10)
    assert time.monotonic() - begin < 30
    with pytest.raises(WorkerError):
        pool.submit("sleep", {"seconds": 0})
