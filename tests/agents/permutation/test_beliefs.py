"""Beliefs: what an agent plays by, from a posterior that is told."""

import numpy as np
import pytest

from tiltless.agents.permutation.beliefs import HOWS, IDENTITY, Known, Posterior
from tiltless.cards.card import RANKS

SWAPPED = IDENTITY.copy()
SWAPPED[[0, 12]] = 12, 0


class Told:
    """A posterior of two orders: the identity, and deuce and ace swapped with a probability."""

    def __init__(self, swapped, exact=True):
        self.swapped, self.exact = swapped, exact

    def entropy(self):
        shares = np.array([self.swapped, 1 - self.swapped])
        return float(-(shares * np.log2(shares)).sum())

    def mean_ranks(self):
        return self.swapped * SWAPPED + (1 - self.swapped) * IDENTITY

    def most_likely(self):
        return SWAPPED if self.swapped > 0.5 else IDENTITY

    def samples(self, n):
        return np.where(np.arange(n)[:, None] < n * self.swapped, SWAPPED, IDENTITY)


def belief(how, swapped, exact=True, certain=0.5):
    return Posterior(how, 31, certain, lambda: Told(swapped, exact)).belief()


def test_an_order_that_is_told():
    known = Known("A" + RANKS[1:-1] + "2")
    known.observe("2c2d", "AcAd", "Kc9d7h5s3c", -1)
    assert (known.belief().order == SWAPPED).all()
    assert known.belief().known
    assert (Known().belief().order == IDENTITY).all()


@pytest.mark.parametrize("how", HOWS)
def test_once_it_is_certain_the_likeliest_order_is_played(how):
    found = belief(how, 0.95)
    assert (found.order == (IDENTITY if how == "identity" else SWAPPED)).all()
    assert found.known == (how != "identity")
    assert not len(found.samples)
    assert not belief(how, 0.95, exact=False).known
    assert not belief(how, 0.95, certain=0.2).known


def test_before_that_it_depends_on_how():
    assert (belief("likeliest", 0.6).order == SWAPPED).all()
    # the mean true rank of a deuce is 7.2, of an ace 4.8
    between = [8, 0, 1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 4]
    assert belief("borda", 0.6).order.tolist() == between
    assert not len(belief("borda", 0.6).samples)
    median = belief("median", 0.6)
    assert median.order.tolist() == between
    assert median.samples.shape == (31, 13)
    assert (median.samples == SWAPPED).all(axis=1).sum() == 19
