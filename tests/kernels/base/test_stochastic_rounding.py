import numpy as np
import pytest

from naive.blueprint.external import add_by_chance as naive
from tiltless.kernels.base.jit import kernel
from tiltless.kernels.base.stochastic_rounding import add_by_chance

RNG = np.random.default_rng(5)


@kernel
def add_many(total, more, words, out):
    for i in range(len(out)):
        out[i] = add_by_chance(total[i], more[i], words[i])


def added(total, more, words):
    out = np.empty(len(total), np.float32)
    add_many(total.astype(np.float32), more.astype(np.float32), words, out)
    return out


@pytest.mark.nojit
@pytest.mark.bounds
def test_it_rounds_as_the_twin():
    total = np.exp(RNG.uniform(-3, 25, 300)).astype(np.float32)
    more = RNG.random(300).astype(np.float32)
    words = RNG.integers(0, 2**63, 300).astype(np.uint64)
    wanted = [naive(*each) for each in zip(total, more, words.tolist(), strict=True)]
    np.testing.assert_array_equal(added(total, more, words), np.array(wanted, np.float32))


def test_the_mean_is_the_sum():
    words = RNG.integers(0, 2**63, 400_000).astype(np.uint64)
    for total, more in ((2.0**24, 0.3), (2.0**26, 0.9), (5e6, 0.1)):
        found = added(np.full(len(words), total), np.full(len(words), more), words)
        gained = found.astype(float) - total
        error = gained.std() / len(words) ** 0.5
        assert gained.mean() == pytest.approx(np.float32(more), abs=4 * error)
        assert error < 0.02


def test_nothing_is_changed_where_nothing_is_lost():
    words = RNG.integers(0, 2**63, 100).astype(np.uint64)
    total, more = np.arange(100.0), np.full(100, 0.5)
    np.testing.assert_array_equal(added(total, more, words), (total + more).astype(np.float32))
    np.testing.assert_array_equal(added(total, 0 * more, words), total.astype(np.float32))
