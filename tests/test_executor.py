"""Executors: results in the order of the jobs, failures where they belong, nobody left behind."""

import multiprocessing
import os
import sys
from contextlib import closing

import pytest

from helpers.executor_tasks import fail_at_three, leave_a_mark, square, vanish, worker
from tiltless.errors import OptionError
from tiltless.executor import Executor, Here, KeptProcesses, Processes, WorkerError, executor_for


@pytest.mark.parametrize("executor", [Here(), Processes(2)])
def test_results_in_the_order_of_the_jobs(executor):
    assert isinstance(executor, Executor)
    assert list(executor.map(square, range(20))) == [number**2 for number in range(20)]
    assert list(executor.map(square, [])) == []


def test_here_is_here_and_processes_are_elsewhere():
    assert set(Here().map(worker, range(3))) == {os.getpid()}
    found = set(Processes(2).map(worker, range(8)))
    assert os.getpid() not in found
    assert 1 <= len(found) <= 2


@pytest.mark.parametrize("executor", [Here(), Processes(2)])
def test_an_exception_comes_where_its_result_would(executor):
    results = executor.map(fail_at_three, range(6))
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="three"):
        next(results)
    assert not multiprocessing.active_children()


def test_a_worker_that_is_gone():
    with pytest.raises(WorkerError, match="buy memory") as caught:
        list(Processes(2, remedy="buy memory").map(vanish, range(4)))
    assert "\n" not in str(caught.value)
    assert not multiprocessing.active_children()


def test_a_program_from_standard_input_is_told_to_be_a_file(monkeypatch):
    monkeypatch.setattr(sys.modules["__main__"], "__file__", "<stdin>", raising=False)
    with pytest.raises(WorkerError, match=r"processes=2.*standard input; save it as a file"):
        list(Processes(2).map(square, range(4)))


def test_nobody_is_left_when_results_are_no_longer_wanted():
    def endless():
        number = 0
        while True:
            yield number
            number += 1

    with closing(Processes(2).map(square, endless())) as results:
        assert next(results) == 0
        assert multiprocessing.active_children()
    assert not multiprocessing.active_children()


def test_jobs_that_nobody_waits_for_are_stopped(tmp_path):
    with closing(Processes(2).map(leave_a_mark, [(n, tmp_path) for n in range(4)])) as results:
        assert next(results) == 0
    assert list(tmp_path.iterdir()) == []


def test_kept_processes_serve_several_calls_and_end_with_the_block():
    with KeptProcesses(2) as kept:
        assert isinstance(kept, Executor)
        first = set(kept.map(worker, range(8)))
        processes = {child.pid for child in multiprocessing.active_children()}
        assert first <= processes  # one may do all of it
        assert set(kept.map(worker, range(8))) <= processes
        with pytest.raises(ValueError, match="three"):
            list(kept.map(fail_at_three, range(6)))
        assert not multiprocessing.active_children()
        assert not set(kept.map(worker, range(4))) & processes
    assert not multiprocessing.active_children()


def test_processes_of_others_are_left_alone():
    with KeptProcesses(1) as others:
        with closing(Processes(1).map(square, range(9))) as first:
            assert next(first) == 0
            results = others.map(square, range(9))
            assert next(results) == 0  # begun while the first were at work, which now are stopped
        assert list(results) == [number**2 for number in range(1, 9)]


@pytest.mark.parametrize("executor", [Here(), Processes(2), KeptProcesses(2)])
def test_shared_values_come_back(executor):
    assert executor.share([1, 2]).get() == [1, 2]


def test_an_executor_for_a_number_of_processes():
    assert executor_for(1, 10) == Here()
    assert executor_for(4, 1) == executor_for(4, 0) == Here()
    assert executor_for(4, 3) == Processes(3)
    assert executor_for(2, 9, remedy="wait") == Processes(2, "wait")
    own = Processes(7)
    assert executor_for(own, 1) is own
    for wrong in (0, -1, 1.5, 1025, None):
        with pytest.raises(OptionError, match="processes="):
            executor_for(wrong, 5)
    with pytest.raises(OptionError, match="processes="):
        Processes(0)
