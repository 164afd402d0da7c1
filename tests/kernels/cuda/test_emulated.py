"""The CUDA kernels themselves, on one core, against their twins after every launch."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

import tiltless.postflop.device.runner as device_runner
from helpers.emulated_card import EmulatedCard
from tiltless.bench.device.check import TINY
from tiltless.postflop.device.batch import RiverBatch
from tiltless.postflop.device.compare import launch_differences, random_tables
from tiltless.postflop.device.machine import NumpyMachine
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, Spot
from tiltless.search.subgame import Tremble

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")

CLOSE = 2e-6
RIVER = Spot("QsJh2h8d3c", "QQ,AKs", "88,AQs", 64, 320, "50%, a; cap 2")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("kernels")


@pytest.mark.parametrize(
    ("threads", "shared"),
    [
        pytest.param(576, 200_000, marks=pytest.mark.slow),
        (32, 200_000),
        pytest.param(576, 1000, marks=pytest.mark.slow),
    ],
)
def test_rivers(folder, monkeypatch, threads, shared):
    """One hand or two in a thread; slots in shared or in global memory."""
    defaults = (*device_runner.DeviceRunner.__init__.__defaults__[:-1], threads)
    monkeypatch.setattr(device_runner.DeviceRunner.__init__, "__defaults__", defaults)
    card = EmulatedCard(folder, shared)
    spot = RIVER if threads > 32 else replace(RIVER, oop="QQ+,AKs,JTs,99,A5s,T9s,44")
    worst = launch_differences(spot, card, NumpyMachine())
    assert card.shape.spill == (shared == 1000)
    assert card.shape.hands == (2 if threads == 32 else 1)
    assert max(worst.values()) < CLOSE, worst


def test_more_hands_with_a_card_than_a_warp_has_lanes(folder):
    spot = Spot("QsJh2h8d3c", "A3o+,A3s+", "88,AQs", 64, 320, "a; cap 1")
    card = EmulatedCard(folder)
    worst = launch_differences(spot, card, NumpyMachine())
    assert max(worst.values()) < CLOSE, worst


def test_trembles(folder):
    found = []
    for machine in (EmulatedCard(folder), NumpyMachine()):
        solver = PostflopSolver(RIVER, device=machine)
        random_tables(solver, 4)
        Tremble(solver, IP, 0.3)()
        found.append(np.array(solver.tables.regret))
    random_tables(solver, 4)
    assert (solver.tables.regret != found[1]).any()
    np.testing.assert_allclose(*found, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "columns"), [("turn", 48 << 10), ("turn", 0), ("flop", 48 << 10)])
def test_later_streets(folder, monkeypatch, name, columns):
    """Columns of numbers in shared memory, and where they do not fit."""
    monkeypatch.setattr("tiltless.postflop.device.launches._COLUMNS", columns)
    spot = {"turn": TINY["turn"], "flop": replace(TINY["flop"], oop="QQ", ip="JJ")}[name]
    passes = {"turn": 3, "flop": 1}[name]
    worst = launch_differences(spot, EmulatedCard(folder), NumpyMachine(), passes=passes)
    assert max(worst.values()) < CLOSE, worst


@pytest.mark.slow
def test_batches(folder):
    spots = [RIVER, replace(RIVER, board="AsKd7h7c2d", oop="QQ,AKs,55")]
    found = []
    for machine in (EmulatedCard(folder), NumpyMachine()):
        batch = RiverBatch(spots, machine)
        batch.run(2)
        found.append((batch.exploitability(), batch.machine.read(batch.device.tables.average)))
    for one, two in zip(*found, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-4, atol=1e-4)
