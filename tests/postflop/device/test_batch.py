"""Rivers in a batch against the same rivers one by one."""

from dataclasses import replace

import numpy as np
import pytest

from tiltless.errors import OptionError
from tiltless.postflop.device.batch import RiverBatch
from tiltless.postflop.device.machine import NumpyMachine
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import OOP, Spot

FIRST = Spot("QsJh2h8d3c", "QQ+,AKs,JTs", "88,AQs+", 64, 320, "50%, a; cap 2")
SPOTS = [FIRST, replace(FIRST, board="AsKd7h7c2d", oop="QQ,AKs,55"), replace(FIRST, ip="JJ,A5s")]


def test_a_batch_is_its_spots():
    batch = RiverBatch(SPOTS, NumpyMachine())
    status = batch.solve(2.0, every=10, iterations=200)
    assert (status.exploitability <= 2).all()
    assert len(set(status.iterations.tolist())) > 1  # the first that are done rest
    for index, spot in enumerate(SPOTS):
        alone = PostflopSolver(spot, device=NumpyMachine())
        alone.run(int(status.iterations[index]))
        there = batch.solver(index)
        assert alone.exploitability() == pytest.approx(status.exploitability[index], rel=1e-3)
        assert there.exploitability() == pytest.approx(status.exploitability[index], rel=1e-3)
        assert there.values()[OOP] == pytest.approx(alone.values()[OOP], abs=0.05)
        np.testing.assert_allclose(there.tables.average, alone.tables.average, atol=1e-2)


@pytest.mark.parametrize(
    "other", [replace(FIRST, pot=65), replace(FIRST, board="QsJh2h8d"), replace(FIRST, rake=0.05)]
)
def test_other_spots_are_refused(other):
    with pytest.raises(OptionError):
        RiverBatch([FIRST, other], NumpyMachine())


def test_an_empty_batch_is_refused():
    with pytest.raises(OptionError, match="at least one"):
        RiverBatch([], NumpyMachine())
