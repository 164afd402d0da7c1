"""The twins of the CUDA kernels against the engine of the processor, launch list included."""

from pathlib import Path

import numpy as np
import pytest

from tiltless.bench.device.check import GOLDEN_KIND, TINY, golden_tables
from tiltless.errors import OptionError
from tiltless.files.arrays import read_arrays
from tiltless.kernels.postflop.street import AVERAGE, BEST
from tiltless.postflop.device.compare import random_tables
from tiltless.postflop.device.machine import NumpyMachine
from tiltless.postflop.file import load_solver
from tiltless.postflop.node import find_node
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import IP, OOP, Spot
from tiltless.search.subgame import Tremble

GOLDEN = Path(__file__).parents[2] / "golden" / "gpu"
CLOSE = 3e-6
RAKED = Spot(
    "QsJh2h8d3c", "QQ+,AKs,JTs,99:0.5", "88+,AQs+,T9s", 64, 320, "50%, a", rake=0.05, rake_cap=8
)
EMPTIED = Spot("QsQh2h8d", "QQ", "JJ,88", 64, 200, "a; cap 1")  # some rivers leave OOP no hand
SPOTS = {**TINY, "raked": RAKED, "emptied": EMPTIED}


def both(spot, **options):
    """A solver of the processor and one of the twins, with the same random tables."""
    solvers = (
        PostflopSolver(spot, **options),
        PostflopSolver(spot, **options, device=NumpyMachine()),
    )
    for solver in solvers:
        random_tables(solver, 3)
        solver.iterations = 6
    return solvers


def assert_close(one, two, close=CLOSE):
    np.testing.assert_allclose(one, two, rtol=0, atol=close * np.abs(one).max())


@pytest.mark.parametrize("name", SPOTS)
def test_an_iteration_and_its_values(name):
    cpu, gpu = both(SPOTS[name])
    for solver in (cpu, gpu):
        solver.run(1)
    for mode in (BEST, AVERAGE) if name != "flop" else ():
        for player in (IP, OOP):
            assert_close(cpu.root_values(player, mode), gpu.root_values(player, mode))
    assert gpu.exploitability() == pytest.approx(cpu.exploitability(), rel=1e-5)
    assert_close(cpu.tables.regret, gpu.tables.regret)
    assert_close(cpu.tables.average, gpu.tables.average)


@pytest.mark.parametrize("rules", ["cfr+", "dcfr+", "linear"])
def test_other_rules(rules):
    cpu, gpu = both(RAKED, rules=rules)
    for solver in (cpu, gpu):
        solver.run(12)  # more than one recorded sequence
    assert_close(cpu.tables.regret, gpu.tables.regret, 1e-4)  # rounding grows from one to the next
    assert_close(cpu.tables.average, gpu.tables.average, 1e-4)


def test_halves_of_iterations_and_changed_ranges():
    """What search uses: `learn`, and ranges changed in place."""
    cpu, gpu = both(TINY["river"])
    for solver in (cpu, gpu):
        solver.start(IP)[:3] *= 0.25
    for player in (OOP, IP):
        assert_close(cpu.learn(player), gpu.learn(player))
    assert gpu.iterations == 7


def test_tables_that_are_changed_stay_changed():
    _, gpu = both(TINY["river"])
    gpu.run(1)
    gpu.tables.regret[:] = 2
    gpu.tables.average[:] = 3
    assert (gpu.tables.regret == 2).all()
    gpu.exploitability()
    assert (gpu.tables.average == 3).all()


def test_solved_values_agree():
    spot = TINY["river"]
    cpu, gpu = PostflopSolver(spot), PostflopSolver(spot, device=NumpyMachine())
    ends = [solver.solve(1.0, iterations=100) for solver in (cpu, gpu)]
    assert ends[1].exploitability <= 1.0
    chips = spot.pot / 50 * sum(end.exploitability for end in ends)
    assert abs(cpu.values()[OOP] - gpu.values()[OOP]) <= chips
    cpu.tables.average[:] = gpu.tables.average
    assert cpu.exploitability() == pytest.approx(ends[1].exploitability, rel=1e-4)


def test_locks_hold_on_a_device():
    cpu, gpu = both(RAKED)
    for solver in (cpu, gpu):
        node = find_node(solver, "x")
        check, *_ = node.actions
        solver.lock(node, {check: 1.0})
        solver.run(3)
        assert find_node(solver, "x").strategy[node.combos(node.actor)][:, 0].min() == 1
    assert gpu.exploitability() == pytest.approx(cpu.exploitability(), rel=1e-5)
    assert_close(cpu.tables.average, gpu.tables.average)  # a lock is not averaged
    for solver in (cpu, gpu):
        solver.unlock(find_node(solver, "x"))
        solver.run(1)
    assert_close(cpu.tables.regret, gpu.tables.regret)


def test_files_and_reports_do_not_depend_on_the_device(tmp_path):
    cpu, gpu = both(TINY["turn"])
    for solver in (cpu, gpu):
        solver.run(1)
    gpu.save(tmp_path / "turn.spot")
    loaded = load_solver(tmp_path / "turn.spot", device=NumpyMachine())
    assert loaded.iterations == 7
    np.testing.assert_array_equal(loaded.tables.regret, gpu.tables.regret)
    assert loaded.values() == gpu.values()
    line = "x x 3c"
    assert_close(find_node(cpu, line).cfv(OOP), find_node(loaded, line).cfv(OOP))


def test_memory_is_refused_beforehand():
    with pytest.raises(OptionError, match=r"0\.0 MB are free") as refused:
        PostflopSolver(TINY["river"], device=NumpyMachine(free=2e4))
    assert "\n" not in str(refused.value)


def test_more_decisions_than_shared_memory_has_room_for_are_refused():
    machine = NumpyMachine()
    machine.shared_limit = 4 * 32
    with pytest.raises(OptionError, match="takes 4"):
        PostflopSolver(TINY["turn"], device=machine)


def test_what_a_device_does_not_do():
    for options in ({"compressed": True}, {"rules": "pcfr+"}):
        with pytest.raises(OptionError, match="not supported on a GPU"):
            PostflopSolver(RAKED, device=NumpyMachine(), **options)


@pytest.mark.parametrize("name", ["river", "turn"])
def test_tables_recorded_on_a_card(name):
    path = GOLDEN / f"{name}.safetensors"
    if not path.exists():
        pytest.skip("no tables have been recorded on a card")
    recorded = read_arrays(path, kind=GOLDEN_KIND)
    assert recorded.fingerprint == TINY[name].fingerprint
    for key, table in golden_tables(name, NumpyMachine()).items():
        expected = recorded.arrays[key]
        np.testing.assert_allclose(table, expected, rtol=0, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("name", ["turn", pytest.param("flop", marks=pytest.mark.slow)])
def test_values_inside_the_tree(name):
    cpu, gpu = both(TINY[name])
    for street in range(len(cpu.forests) - 1):
        for player, mode in ((IP, AVERAGE), (OOP, BEST)):
            board = len(cpu.boards[street]) - 1
            values = [solver.cfv(street, board, player, mode) for solver in (cpu, gpu)]
            assert_close(*values)
    assert not gpu._runner._device_newer  # nothing was learned, so nothing is read back


def test_some_rows_are_read_and_written_alone():
    cpu, gpu = both(TINY["turn"])
    place = 1, 5, 0  # street, board, node
    for solver in (cpu, gpu):
        solver.run(1)
        solver._fill(place, np.float32(0.25))
    assert gpu._runner._device_newer  # the tables of the host are old
    assert (gpu.read_rows("average", *place) == 0.25).all()
    assert_close(cpu.read_rows("regret", 0, 0, 0), gpu.read_rows("regret", 0, 0, 0))
    assert gpu._runner._device_newer
    assert_close(cpu.tables.average, gpu.tables.average)
    assert_close(cpu.tables.regret, gpu.tables.regret)
    gpu._fill(place, np.float32(0.5))  # on the host, as all of it will be written
    gpu.run(0)
    assert (gpu.read_rows("average", *place) == 0.5).all()


@pytest.mark.parametrize("player", [IP, OOP])
def test_a_tremble_is_that_of_the_processor(player):
    cpu, gpu = both(TINY["turn"])
    before = cpu.tables.regret.copy()
    for solver in (cpu, gpu):
        Tremble(solver, player, 0.3)()
    assert (cpu.tables.regret != before).any()
    assert_close(cpu.tables.regret, gpu.tables.regret)
