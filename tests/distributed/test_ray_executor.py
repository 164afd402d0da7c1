"""The executor on Ray against a fake of it: who does what when workers are lost, hang or refuse."""

import pytest

from helpers.fake_ray import FakeRay, die, hang
from tiltless.distributed import ray_executor
from tiltless.distributed.ray_executor import ATTEMPTS, RayExecutor
from tiltless.executor import WorkerError, WorkerRefusedError


@pytest.fixture
def make(monkeypatch):
    """A fake cluster and an executor on it; the lines that it says are in ``said``."""

    def both(nodes=(("a", 2), ("b", 1)), programs=None, **options):
        ray = FakeRay(nodes, programs)
        monkeypatch.setattr(ray_executor, "time", ray)
        said = []
        executor = RayExecutor(ray, note=said.append, **options)
        executor.said = said
        return ray, executor

    return both


def collected(executor, task, jobs):
    """Results, and the error at the end."""
    results = []
    try:
        for each in executor.map(task, jobs):
            results.append(each)
    except WorkerError as problem:
        return results, str(problem)
    return results, ""


def square(number):
    return number * number


def test_results_are_in_order_and_every_worker_has_its_part(make):
    ray, executor = make()
    assert list(executor.map(square, range(50))) == [n * n for n in range(50)]
    assert sorted({node for node, _ in ray.log}) == ["a", "b"]
    assert executor.cores == len(executor.workers) == 3
    assert len(ray.log) == 50


def test_jobs_are_taken_as_results_are(make):
    _, executor = make()
    taken = []
    results = executor.map(square, (taken.append(n) or n for n in range(1000)))
    assert next(results) == 0
    assert len(taken) <= 4 * executor.cores + 3
    results.close()


def test_a_job_whose_worker_dies_is_done_again(make):
    ray, executor = make()
    left = {3: 2, 7: ATTEMPTS - 1}

    def task(number):
        if left.get(number, 0):
            left[number] -= 1
            die()
        return number

    assert collected(executor, task, range(20)) == (list(range(20)), "")
    assert [sum(job == n for _, job in ray.log) for n in (3, 7, 8)] == [3, ATTEMPTS, 1]
    assert len(executor.workers) == 3


def test_a_job_that_kills_every_worker_is_named_and_the_rest_goes_on(make):
    ray, executor = make()
    got, error = collected(executor, lambda n: die() if n == 4 else n, range(12))
    assert got == [n for n in range(12) if n != 4]
    assert error.startswith("1 jobs have failed")
    assert "job 4" in error
    assert str(ATTEMPTS) in error
    assert sum(job == 4 for _, job in ray.log) == ATTEMPTS


def test_a_job_that_raises_or_wants_too_much_memory_is_named(make):
    ray, executor = make()

    def task(number):
        if number == 2:
            raise ValueError("two is wrong")
        if number == 5:
            raise MemoryError
        return number

    got, error = collected(executor, task, range(10))
    assert got == [0, 1, 3, 4, 6, 7, 8, 9]
    assert "two is wrong" in error
    assert "1 GB" in error
    counts = [sum(job == n for _, job in ray.log) for n in range(10)]
    assert counts[2] == counts[5] == 1
    assert list(executor.map(square, [3])) == [9]


@pytest.mark.parametrize("limit", [3.0, None])
def test_a_job_that_hangs_is_ended_and_tried_once_more(make, limit):
    ray, executor = make(job_seconds=limit)
    left = {1: 1, 6: 99}

    def task(number):
        if left.get(number, 0):
            left[number] -= 1
            hang()
        return number

    got, error = collected(executor, task, range(10))
    assert got == [n for n in range(10) if n != 6]
    assert "job 6" in error
    assert "job 1" not in error
    assert sum(job == 6 for _, job in ray.log) == 2
    assert ray.now < 2 * ((limit or 600) + 10)


def test_a_machine_with_another_program_gets_no_job(make):
    ray, executor = make(programs={"b": "0.0.0"})
    assert collected(executor, square, range(9)) == ([n * n for n in range(9)], "")
    assert {node for node, _ in ray.log} == {"a"}
    states = {each.name: each.refused for each in executor.check()}
    assert not states["a"]
    assert "0.0.0" in states["b"]
    assert executor.cores == 2


def test_a_machine_with_other_files_is_left_out(make):
    """The task itself finds that its model or buckets are others."""
    ray, executor = make()

    def task(number):
        if ray.here == "a":
            raise WorkerRefusedError("it has another model")
        return number

    assert collected(executor, task, range(9)) == (list(range(9)), "")
    assert [line for line in executor.said if "another model" in line]
    assert {each.name: bool(each.refused) for each in executor.check()} == {"a": True, "b": False}


@pytest.mark.parametrize("how", ["dies", "is another program"])
def test_jobs_of_a_machine_that_is_refused_later_are_done_elsewhere(make, how):
    """A worker died; the next cannot be started, or was updated, while the others have jobs."""
    ray, executor = make(nodes=(("a", 1), ("b", 3)))
    died = []

    class Programs(dict):
        answers = 0

        def get(self, node, usual):
            self.answers += node == "b"
            if node == "a" or self.answers <= 3:
                return usual
            return "0.0.0" if how != "dies" else die()

    def task(number):
        ray.now += 1.0
        if ray.here == "b" and not died:
            died.append(number)
            die()
        return number

    ray.programs = Programs()
    assert collected(executor, task, range(60)) == (list(range(60)), "")
    assert [each.name for each in executor.check() if each.refused] == ["b"]


def test_a_cluster_without_any_machine_to_use_is_an_error(make):
    _, executor = make(programs={"a": "0.0.0", "b": "0.0.1"})
    got, error = collected(executor, square, range(3))
    assert got == []
    assert "a: it runs tiltless 0.0.0" in error
    assert "b: it runs tiltless 0.0.1" in error
    ray, executor = make(nodes=())
    assert "answered" in collected(executor, square, range(3))[1]
    assert ray.now >= 120


def test_machines_may_leave_and_join(make):
    ray, executor = make()

    def task(number):
        ray.now += 1.0
        if number == 5:
            ray.lose("b")
            ray.cores["c"] = 2
        return number

    assert collected(executor, task, range(30)) == (list(range(30)), "")
    assert executor.said == ["b has left the cluster"]
    assert {node for node, _ in ray.log} == {"a", "b", "c"}
    assert executor.cores == 4


def test_work_that_nobody_waits_for_is_ended(make):
    ray, executor = make()
    results = executor.map(lambda n: hang() if n else n, range(10))
    assert next(results) == 0
    results.close()
    assert not any(actor.alive and actor.waiting for actor in ray.actors)
    executor.close()
    assert not any(actor.alive for actor in ray.actors)
