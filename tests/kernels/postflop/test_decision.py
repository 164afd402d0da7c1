"""What is done at one decision, where a whole pass does not show it."""

import numpy as np
import pytest

from tiltless.kernels.base.simd import aligned_zeros
from tiltless.kernels.postflop.decision import lift


@pytest.mark.nojit
@pytest.mark.parametrize("actions", [2, 3, 5])
def test_lifted_regrets(actions):
    width, share = 48, 0.05
    regret = aligned_zeros((actions + 2) * width)
    regret[:] = np.random.default_rng(actions).normal(size=len(regret))
    regret[width : width + 5] = -1
    before = regret.copy()
    lift(regret, np.array([[width, actions]], np.uint64), width, share)
    rows = slice(width, (actions + 1) * width)
    old, new = before[rows].reshape(actions, width), regret[rows].reshape(actions, width)
    least = share / actions * np.maximum(old, 0).sum(axis=0)
    assert new == pytest.approx(np.maximum(old, least), rel=1e-6)
    assert (regret[:width] == before[:width]).all()
    assert (regret[rows.stop :] == before[rows.stop :]).all()
