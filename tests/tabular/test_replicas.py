import threading

import numpy as np
import pytest

from naive.tabular.sampled import Recipe
from tiltless.cfr.averaging import Power
from tiltless.cfr.pruning import RegretBased
from tiltless.cfr.regret import Discounted, Floored
from tiltless.cfr.sampling import ChanceSampling, External, Outcome, PublicChance
from tiltless.errors import OptionError
from tiltless.games import load
from tiltless.kernels.tabular.sampled import merge_copies
from tiltless.tabular.best_response import Evaluator
from tiltless.tabular.flat import flatten
from tiltless.tabular.replicas import Replicas
from tiltless.tabular.sampled import SampledEngine, sampled_engine
from tiltless.tabular.sampled_rules import sampled_rules

LEDUC = flatten(load("leduc"))
every_scheme = pytest.mark.parametrize(
    "sampling", [ChanceSampling(), External(), Outcome(), PublicChance()], ids=repr
)


def trained(recipe, iterations, *, seed=0, threads=2, **options):
    engine = SampledEngine(LEDUC, *recipe, seed=seed, threads=threads, **options)
    engine.run(1, iterations)
    return engine


def same(one, two):
    return all(np.array_equal(a, b) for a, b in zip(one.tables, two.tables, strict=True))


def distance(engine):
    return Evaluator(LEDUC).exploitability(engine.average())


def note(replicas, calls):
    """A job that notes who does what."""
    barrier = threading.Barrier(replicas.threads)

    def job(thread, tables, span, words):
        barrier.wait(10)  # all threads work at the same time
        calls.append((thread, list(range(span.first, span.first + span.step * span[2], span.step))))
        return span.iterations

    return job


@pytest.mark.parametrize("threads", [1, 2, 3, 5])
@pytest.mark.parametrize("count", [0, 1, 4, 7, 5_000, 10_001])
def test_every_iteration_is_done_once(threads, count):
    replicas, calls = Replicas(10, sampled_rules(*Recipe(External())), 0, threads), []
    assert replicas.run(note(replicas, calls), 11, count) == count
    assert sorted(t for _, part in calls for t in part) == list(range(11, 11 + count))
    assert {thread for thread, _ in calls} == set(range(threads))


@pytest.mark.nojit
@pytest.mark.bounds
def test_copies_are_merged():
    total = np.array([1.0, 2.0, 3.0])
    copies = np.array([[1.0, 4.0, 1.0], [2.0, 2.0, -9.0]])
    merge_copies(total, copies, 0.5, -1.0)
    assert total.tolist() == [1.5, 3.0, -1.0]
    assert copies.tolist() == [total.tolist()] * 2


@every_scheme
def test_several_threads_repeat_to_the_bit(sampling):
    engines = [sampled_engine(LEDUC, *Recipe(sampling), seed=s, threads=3) for s in (1, 1, 2)]
    for engine in engines:
        engine.run(1, 5_000)
        engine.run(5_001, 1_000)
    assert same(engines[0], engines[1])
    assert not same(engines[0], engines[2])


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("copies", [True, False])
def test_threads_find_the_same_equilibrium(threads, copies):
    """One thread: mean 0.074, deviation 0.008 over 20 seeds; two 0.079 and 0.007, four 0.086 and
    0.006, on one table 0.072 and 0.008 (10 seeds each). Bound: the largest mean plus four."""
    engine = trained(Recipe(External()), 100_000, seed=11, threads=threads, copies=copies)
    assert distance(engine) < 0.115


def test_threads_with_other_rules():
    """Linear: 0.074 and 0.006 over 10 seeds. Floored: 0.116 and 0.004."""
    linear = trained(Recipe(External(), Discounted(1, 1), Power(1)), 100_000, seed=11)
    assert distance(linear) < 0.1
    floored = trained(Recipe(External(), Floored(), Power(1)), 100_000, seed=11)
    assert distance(floored) < 0.135
    assert floored.tables.regret.min() == 0
    rule = RegretBased(-50, 5_000)
    pruned = trained(Recipe(External(), pruning=rule), 50_000, seed=11)
    assert pruned.tables.regret.min() >= rule.floor


def test_averages_are_added_and_regrets_are_not():
    one, two = (trained(Recipe(External()), 100_000, threads=threads) for threads in (1, 2))
    assert two.tables.average.sum() == pytest.approx(one.tables.average.sum(), rel=0.05)
    ratio = np.abs(two.tables.regret).sum() / np.abs(one.tables.regret).sum()
    assert 0.4 < ratio < 0.7


@pytest.mark.parametrize("lanes", [1, 4])
def test_a_run_may_be_continued_with_other_threads(lanes):
    recipe = Recipe(External())
    state = trained(recipe, 50_000, threads=2, lanes=lanes).state()
    for threads in (1, 2, 3):
        engine = SampledEngine(LEDUC, *recipe, seed=5, threads=threads, lanes=lanes)
        engine.restore(state)
        engine.run(50_001, 50_000)
        assert distance(engine) < 0.115
    whole = SampledEngine(LEDUC, *recipe, threads=2, lanes=lanes)
    again = SampledEngine(LEDUC, *recipe, threads=2, lanes=lanes)
    whole.run(1, 50_000)
    again.restore(state)
    for engine in (whole, again):
        engine.run(50_001, 5_000)
    assert same(whole, again)


def test_copies_only_where_memory_allows(monkeypatch):
    rules = sampled_rules(*Recipe(External()))
    assert Replicas(1000, rules, 0, 1).copies is None
    assert Replicas(1000, rules, 0, 2).copies is not None
    assert Replicas(1000, rules, 0, 2, copies=False).copies is None
    monkeypatch.setattr("tiltless.tabular.replicas._MEMORY", 31_999)
    assert Replicas(1000, rules, 0, 2).copies is None


def test_no_threads_at_all():
    with pytest.raises(OptionError, match=r"^threads=0.*1"):
        trained(Recipe(External()), 1, threads=0)


def test_errors_in_threads_are_seen():
    replicas = Replicas(10, sampled_rules(*Recipe(External())), 0, 2)

    def job(thread, tables, span, words):
        raise RuntimeError("lost")

    with pytest.raises(RuntimeError, match="lost"):
        replicas.run(job, 1, 10)
