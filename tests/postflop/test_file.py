"""Solvers in files: to the last bit, and on from there."""

from dataclasses import replace

import numpy as np
import pytest

from tiltless.cfr.averaging import Power
from tiltless.cfr.presets import Preset
from tiltless.cfr.regret import Discounted
from tiltless.errors import DamagedFileError, FileError, FingerprintError, OptionError
from tiltless.files.arrays import read_arrays, write_arrays
from tiltless.games.holdem.actions import CALL, CHECK, FOLD, RaiseTo
from tiltless.postflop.file import KIND, load_solver, save_solver
from tiltless.postflop.node import find_node
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import Spot

RIVER = Spot("QsJh2h8d3c", "QQ+, AKs:0.3, 54s", "88+, AQs+", 20, 90, "50%, a", rake=0.05)
TURN = replace(RIVER, board="QsJh2h8d", bets="50%; cap 2", aggressor="ip")

END = 4  # the node where the hands are shown after two checks


def same(one, two):
    assert one.iterations == two.iterations
    assert one.spot == two.spot
    assert one.rules == two.rules
    for name, table in one.tables._asdict().items():
        assert table.tobytes() == getattr(two.tables, name).tobytes(), name
    assert one.locks.keys() == two.locks.keys()
    for key, rows in one.locks.items():
        assert np.array_equal(rows, two.locks[key])


@pytest.mark.parametrize(
    ("spot", "how"),
    [
        (RIVER, {}),
        (RIVER, {"rules": "pdcfr+"}),
        (RIVER, {"compressed": True}),
        (RIVER, {"played": [CHECK, RaiseTo(33)]}),
        (TURN, {"rules": "cfr+"}),
        (TURN, {"compressed": True}),
    ],
)
@pytest.mark.parametrize("locked", [False, True])
def test_goes_on_as_if_it_had_never_stopped(spot, how, locked, tmp_path):
    solver = PostflopSolver(spot, **how)
    if locked:
        solver.lock(find_node(solver, (CHECK,)), {CHECK: 1})
        solver.lock(find_node(solver, (RaiseTo(10),)), {FOLD: 1, CALL: 2})
    solver.run(7)
    save_solver(solver, tmp_path / "spot", note="mine")
    again = load_solver(tmp_path / "spot")
    same(solver, again)
    assert again.values() == solver.values()
    for each in (solver, again):
        each.run(5)
    same(solver, again)
    about = read_arrays(tmp_path / "spot", kind=KIND).metadata
    assert (about["note"], about["iterations"]) == ("mine", "7")


def test_two_threads_go_on(tmp_path):
    solver = PostflopSolver(TURN)
    solver.run(3)
    save_solver(solver, tmp_path / "spot")
    again = load_solver(tmp_path / "spot", threads=2)
    assert again.threads == 2
    assert again.exploitability() == pytest.approx(solver.exploitability(), abs=1e-4)


def test_rules_without_a_name(tmp_path):
    rules = Preset(Discounted(1.2, 0.1), Power(3))
    solver = PostflopSolver(RIVER, rules=rules)
    solver.run(2)
    save_solver(solver, tmp_path / "spot")
    with pytest.raises(OptionError, match=r"rules=Preset\(\.\.\.\)"):
        load_solver(tmp_path / "spot")
    with pytest.raises(FingerprintError, match="own; "):
        load_solver(tmp_path / "spot", rules=Preset(Discounted(1.3, 0.1), Power(3)))
    same(solver, load_solver(tmp_path / "spot", rules=rules))


def test_every_damaged_byte_is_noticed(tmp_path):
    solver = PostflopSolver(RIVER)
    solver.run(2)
    path = tmp_path / "spot"
    save_solver(solver, path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    places = [0, 8, 20, len(whole) - 1, *rng.integers(0, len(whole), 40).tolist()]
    for place in places:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(FileError):
            load_solver(path)
    for length in (0, 7, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(FileError):
            load_solver(path)
    with pytest.raises(FileError):
        load_solver(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("arrays", "metadata", "says"),
    [
        ({"average": np.zeros(3, np.float32)}, {}, "table average"),
        ({"regret": None}, {}, "table regret"),
        ({}, {"spot": "board = 3"}, "metadata cannot be read"),
        ({}, {"iterations": "-1"}, "metadata cannot be read"),
        ({}, {"iterations": "many"}, "metadata cannot be read"),
        ({}, {"played": "jump"}, "metadata cannot be read"),
        ({"lock_keys": np.array([[0, 0, 999]])}, {}, "not a decision"),
        ({"lock_keys": np.array([[0, 0, -1]])}, {}, "not a decision"),
        ({"lock_keys": np.array([[0, 0, END]])}, {}, "not a decision"),
        ({"lock_keys": np.array([[0, 0.5, 0]])}, {}, "not by street"),
        ({"lock_keys": np.array([0, 0])}, {}, "not by street"),
        ({"lock_keys": np.array([[0, 0, 0]])}, {}, "size of its locks"),
    ],
)
def test_files_that_lie_are_refused(arrays, metadata, says, tmp_path):
    """Their checksums are right and their content is not."""
    path = tmp_path / "spot"
    save_solver(PostflopSolver(RIVER), path)
    file = read_arrays(path)
    held = {**file.arrays, **arrays}
    write_arrays(
        tmp_path / "other",
        {name: array for name, array in held.items() if array is not None},
        kind=KIND,
        fingerprint=file.fingerprint,
        metadata={**file.metadata, **metadata},
    )
    with pytest.raises(DamagedFileError, match=says) as caught:
        load_solver(tmp_path / "other")
    assert "\n" not in str(caught.value)


def test_a_spot_of_another_file_is_refused(tmp_path):
    save_solver(PostflopSolver(RIVER), tmp_path / "spot")
    file = read_arrays(tmp_path / "spot")
    write_arrays(
        tmp_path / "other",
        file.arrays,
        kind=KIND,
        fingerprint=file.fingerprint,
        metadata={**file.metadata, "spot": replace(RIVER, pot=21).toml()},
    )
    with pytest.raises(FingerprintError):
        load_solver(tmp_path / "other")
    write_arrays(tmp_path / "foreign", {}, kind="something", metadata={})
    with pytest.raises(FingerprintError, match=r"'something'.*'range-solver'"):
        load_solver(tmp_path / "foreign")


def test_a_file_that_does_not_fit_is_refused_before(tmp_path):
    save_solver(PostflopSolver(TURN), tmp_path / "spot")
    with pytest.raises(OptionError, match=r"\d MB.*\d MB"):
        load_solver(tmp_path / "spot", memory=1000)


def test_the_solver_has_it_too(tmp_path):
    solver = PostflopSolver(RIVER)
    solver.run(7)
    solver.save(tmp_path / "spot", note="mine")
    again = PostflopSolver.load(tmp_path / "spot", threads=2)
    assert (again.iterations, again.threads) == (7, 2)
    assert again.values() == solver.values()
