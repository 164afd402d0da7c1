"""What is done through CuPy, with a CuPy that emulates a card: structs, graphs, benches."""

import shutil
import sys

import numpy as np
import pytest

from helpers.fake_cupy import make_cupy
from tiltless.bench import gpu
from tiltless.bench.device import check as gpu_check
from tiltless.bench.device import profile as gpu_profile
from tiltless.postflop.device import card
from tiltless.postflop.device.compare import random_tables
from tiltless.postflop.device.machine import NumpyMachine
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import Spot
from tiltless.search.subgame import Tremble

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")

RIVER = Spot("QsJh2h8d3c", "QQ,AKs", "88,AQs", 64, 320, "a; cap 1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture(autouse=True)
def fake_cupy(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", make_cupy(folder))
    card.missing_card.cache_clear()
    card._module.cache_clear()
    card._stream.cache_clear()
    yield
    card.missing_card.cache_clear()
    card._module.cache_clear()
    card._stream.cache_clear()


def test_a_card_solves_as_its_twin():
    found = []
    for device in ("gpu", NumpyMachine()):
        solver = PostflopSolver(RIVER, device=device)
        random_tables(solver, 5)
        for _ in range(3):  # launched, recorded, replayed
            solver.run(1)
        found.append((solver.exploitability(), solver.exploitability(), *solver.values()))
        solver.tables.regret[:] *= 0.5  # which is written before the next pass
        solver.run(1)
        found[-1] += tuple(np.asarray(solver.tables.regret).tolist())
    np.testing.assert_allclose(*found, rtol=1e-3, atol=1e-2)


@pytest.mark.slow
def test_the_bench_measures(monkeypatch):
    monkeypatch.setattr(gpu, "_SPOTS", {"turn_full": (RIVER, 5.0)})
    monkeypatch.setattr(gpu, "_TIMED", 1)
    monkeypatch.setattr(gpu, "_BATCH", 2)
    monkeypatch.setattr(gpu, "_REPEATS", 1)
    monkeypatch.setattr(gpu, "_BATCH_SPOT", RIVER)
    monkeypatch.setattr(gpu, "_BATCH_RANGE", "QQ,AKs,77")
    monkeypatch.setattr(gpu, "_BATCH_UNTIL", 20.0)
    monkeypatch.setattr(gpu.gpu_flops, "run", dict)  # whose processes have no emulated card
    found = gpu.run()
    assert found["gpu"] == "a core"
    assert found["gpu_turn_full_s"] > 0
    assert found["gpu_turn_full_exploitability"] <= 5
    assert found["gpu_rivers_per_s"] > 0
    assert found["gpu_rivers_worst_exploitability"] <= 20


@pytest.mark.slow
def test_the_profile_names_kernels(monkeypatch, capsys):
    monkeypatch.setattr(gpu_profile, "_SPOTS", {"tiny": RIVER})
    words = ["--spots", "tiny", "--threads", "32", "--iterations", "10"]
    gpu_profile._profile(gpu_profile.parser().parse_args(words))
    shown = capsys.readouterr().out
    assert "river      2 launches" in shown
    assert "32 registers" in shown


def test_the_check_asks_the_card(monkeypatch, capsys):
    monkeypatch.setattr(gpu_check, "TINY", {"river": RIVER})
    assert gpu_check._check(gpu_check.parser().parse_args(["--only", "launches"])) == 0
    assert "ok   launches river" in capsys.readouterr().out


def test_processes_share_the_memory():
    alone, shared = card.CudaCard(), card.CudaCard(processes=4)
    assert shared.free_bytes() < alone.free_bytes() / 4
    assert card.CudaCard(processes=1000).free_bytes() == 0


def test_rows_and_trembles_on_a_card():
    found = []
    for device in ("gpu", NumpyMachine()):
        solver = PostflopSolver(RIVER, device=device)
        random_tables(solver, 6)
        solver.run(1)
        tremble = Tremble(solver, 0, 0.3)
        for _ in range(3):  # launched, recorded, replayed
            tremble()
        solver.wait()
        solver._fill((0, 0, 0), np.float32(0.5))
        rows = [solver.read_rows("regret", 0, 0, node) for node in (0, 1)]
        found.append(np.concatenate([each.ravel() for each in rows]))
    np.testing.assert_allclose(*found, rtol=1e-4, atol=1e-3)
