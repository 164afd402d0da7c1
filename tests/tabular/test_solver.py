"""Every preset on every small game, against known values and OpenSpiel."""

from itertools import count, pairwise
from math import inf, nan

import numpy as np
import pytest

from tiltless.cfr.averaging import Power
from tiltless.cfr.presets import PRESETS, Preset, find_preset
from tiltless.cfr.regret import Discounted, Floored
from tiltless.cfr.sampling import Full
from tiltless.errors import DamagedFileError, FingerprintError, OptionError
from tiltless.files.arrays import read_arrays, write_arrays
from tiltless.games import load
from tiltless.tabular import solve_until as progress
from tiltless.tabular.solve_until import solve
from tiltless.tabular.solver import Solver

FULL = [name for name, preset in PRESETS.items() if isinstance(preset.sampling, Full)]


# Exploitability after 1,000 iterations: twice what was measured (full traversals have no spread).
KUHN = {
    "cfr": 2e-3, "cfr+": 2e-4, "linear": 2e-4, "dcfr": 3e-4, "dcfr+": 3.2e-4, "pcfr+": 5e-8,
    "pdcfr+": 1e-12, "dcfr-ranges": 4e-4,
}  # fmt: skip
LEDUC = {
    "cfr": 0.024, "cfr+": 5e-4, "linear": 0.013, "dcfr": 4e-4, "dcfr+": 4e-4, "pcfr+": 1.5e-3,
    "pdcfr+": 2e-3, "dcfr-ranges": 4e-4,
}  # fmt: skip


@pytest.mark.parametrize("name", FULL)
def test_kuhn_by_full_traversals(name):
    for layout in ("flat", "stacked"):
        solver = Solver(load("kuhn"), name, layout=layout)
        solver.run(1000)
        assert solver.distance() < KUHN[name]
        assert solver.evaluate().values[0] == pytest.approx(-1 / 18, abs=KUHN[name])


@pytest.mark.parametrize("name", FULL)
def test_leduc_by_full_traversals(name):
    solver = Solver(load("leduc"), name)
    assert solver.layout == "stacked"
    solver.run(1000)
    assert solver.distance() < LEDUC[name]
    assert solver.evaluate().values[0] == pytest.approx(-0.085606, abs=2 * LEDUC[name])


@pytest.mark.parametrize(
    ("game", "name", "points"),
    [
        ("kuhn", "cfr", {10: 0.0687, 100: 0.00823, 1000: 0.000938}),
        ("kuhn", "cfr+", {10: 0.03269, 100: 0.001194, 1000: 8.74e-5}),
        ("leduc", "cfr", {10: 0.8886, 100: 0.0957, 1000: 0.01182}),
        ("leduc", "cfr+", {10: 0.6104, 100: 0.01342, 1000: 0.000257}),
    ],
)
@pytest.mark.parametrize("layout", ["flat", "stacked"])
def test_trajectories_of_openspiel(game, name, points, layout):
    """Details of averaging differ, so within a factor of two."""
    solver = Solver(load(game), name, layout=layout)
    for iterations, expected in points.items():
        solver.run(iterations - solver.iterations)
        assert expected / 2 < solver.distance() < expected * 2


def test_the_flat_layout_averages_like_openspiel():
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("leduc_poker")
    theirs = pyspiel.CFRSolver(game)
    for _ in range(10):
        theirs.evaluate_and_update_policy()
    ours = Solver(load("leduc"), "cfr", layout="flat")
    ours.run(10)
    expected = pyspiel.exploitability(game, theirs.average_policy())
    assert ours.distance() == pytest.approx(expected, abs=1e-9)


def test_results_mean_the_same_to_openspiel():
    pyspiel = pytest.importorskip("pyspiel")
    from tiltless.protocols.openspiel import openspiel_game, openspiel_policy

    for name, parameters in (("kuhn", {}), ("leduc", {})):
        solver = Solver(load(name, **parameters), "dcfr")
        solver.run(50)
        strategy = solver.strategy()
        theirs = pyspiel.exploitability(openspiel_game(strategy.game), openspiel_policy(strategy))
        assert theirs == pytest.approx(solver.distance(), abs=1e-9)


@pytest.mark.parametrize("name", FULL)
def test_rock_paper_scissors(name):
    solver = Solver(load("rps"), name)
    assert solver.layout == "flat"
    solver.run(2000)
    assert solver.strategy().table == pytest.approx(np.full(6, 1 / 3), abs=0.02)


@pytest.mark.parametrize("name", FULL)
def test_three_player_kuhn(name):
    """No guarantee with three players, but every rule gets far below the uniform 2.0625."""
    solver = Solver(load("kuhn", players=3), name)
    solver.run(1000)
    assert solver.distance() < 0.02


def test_bargaining_reaches_a_coarse_correlated_equilibrium():
    from tiltless.tabular.cce import CoarseCorrelatedPlay

    solver = Solver(load("bargaining", pie=10), Preset(Floored(), Power(0), alternating=False))
    play = CoarseCorrelatedPlay(solver.flat)
    gaps = []
    for _ in range(2000):
        play.add(solver.engine.current())
        solver.run(1)
        gaps.append(play.cce_gap())
    assert gaps[0] > 0.9
    assert gaps[-1] < 0.05


def test_general_sum_games_have_nash_conv_only():
    solver = Solver(load("bargaining", pie=4), "cfr+")
    solver.run(500)
    assert not solver.has_exploitability
    assert solver.distance() < 0.05
    with pytest.raises(OptionError, match=r"bargaining.*nash_conv"):
        solver.exploitability()


def test_exploitability_is_half_of_nash_conv():
    solver = Solver(load("kuhn"), "cfr+")
    solver.run(10)
    assert solver.exploitability() == solver.evaluate().nash_conv / 2 > 0


def test_resume_is_the_same_to_the_bit(tmp_path):
    path = tmp_path / "solver.safetensors"
    for layout in ("flat", "stacked"):
        whole = Solver(load("leduc", ranks=3), "pcfr+", layout=layout)
        whole.run(60)
        part = Solver(load("leduc", ranks=3), "pcfr+", layout=layout)
        part.run(25)
        part.save(path)
        resumed = Solver(load("leduc", ranks=3), "pcfr+", layout=layout)
        resumed.resume(path)
        resumed.run(35)
        assert resumed.iterations == 60
        for name, table in whole.engine.state().items():
            assert (table == resumed.engine.state()[name]).all()


def test_a_file_of_another_game_or_algorithm_is_refused(tmp_path):
    path = tmp_path / "solver.safetensors"
    Solver(load("kuhn"), "cfr").save(path)
    for other in (Solver(load("kuhn", players=3), "cfr"), Solver(load("kuhn"), "cfr+")):
        with pytest.raises(FingerprintError, match="was made for kuhn by cfr"):
            other.resume(path)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(DamagedFileError):
        Solver(load("kuhn"), "cfr").resume(path)


@pytest.mark.parametrize(
    ("arrays", "metadata"),
    [
        ({}, {"iterations": "many"}),
        ({}, {"iterations": "-1"}),
        ({"regret": None}, {}),
        ({"average": np.zeros(3)}, {}),
    ],
)
def test_a_state_that_does_not_fit_is_refused(arrays, metadata, tmp_path):
    """Its fingerprint is right, its content is not: of another version, or made by hand."""
    path = tmp_path / "solver.safetensors"
    Solver(load("kuhn"), "cfr").save(path)
    file = read_arrays(path)
    held = {name: file.load(name) for name in file.arrays} | arrays
    write_arrays(
        path,
        {name: array for name, array in held.items() if array is not None},
        kind=file.kind,
        fingerprint=file.fingerprint,
        metadata={**file.metadata, **metadata},
    )
    solver = Solver(load("kuhn"), "cfr")
    with pytest.raises(DamagedFileError, match="tables do not fit") as caught:
        solver.resume(path)
    assert "\n" not in str(caught.value)
    assert solver.iterations == 0


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"seed": -1}, "seed=-1"),
        ({"seed": 1.5}, "seed=1.5"),
        ({"threads": 0}, "threads=0"),
        ({"threads": 1.5}, "threads=1.5"),
    ],
)
def test_numbers_that_cannot_be(given, says):
    with pytest.raises(OptionError, match=says):
        Solver(load("kuhn"), "es-mccfr", **given)


@pytest.mark.parametrize("given", [(nan, 0), (1.5, inf), (inf, -inf)])
def test_discounts_are_finite(given):
    """NaN would make every strategy uniform; so would infinity in the second iteration."""
    with pytest.raises(OptionError, match=r"alpha=.* not both finite"):
        Discounted(*given)


@pytest.mark.parametrize("growth", [0.9, nan, inf])
def test_measurements_that_do_not_come(growth):
    with pytest.raises(OptionError, match=f"check_every={growth}"):
        solve(Solver(load("kuhn"), "cfr"), iterations=20, check_every=growth)


def test_solve_stops_where_it_is_told():
    solver = Solver(load("leduc"), "dcfr")
    points = solve(solver, until=0.01)
    assert points[-1].distance <= 0.01 < points[-2].distance
    assert solve(Solver(load("kuhn"), "cfr"), iterations=37)[-1].iteration == 37
    timed = solve(Solver(load("kuhn"), "cfr"), seconds=0.05)
    assert timed[-1].seconds >= 0.05
    assert [p.iteration for p in points] == sorted({p.iteration for p in points})


@pytest.mark.parametrize(
    ("algorithm", "until", "looks"),
    [("dcfr", 1e-3, [10, 20, 30]), ("es-mccfr", 0.3, [1_094, 2_188, 3_282])],
)
def test_the_clock_does_not_say_when_to_look(monkeypatch, algorithm, until, looks):
    """The same points on a machine where everything takes no time, and where it takes long."""
    found = []
    for tick in (0.0, 7.0):
        clock = count(0.0, tick)
        monkeypatch.setattr(progress.time, "perf_counter", lambda clock=clock: next(clock))
        points = solve(Solver(load("leduc"), algorithm), until=until)
        found.append([(point.iteration, point.distance) for point in points])
    assert found[0] == found[1]
    assert [iteration for iteration, _ in found[0]][:3] == looks


def test_looks_thin_out_and_go_on_after_a_break():
    whole = solve(Solver(load("kuhn"), "cfr"), iterations=5000)
    spacing = [b.iteration / a.iteration for a, b in pairwise(whole[20:-1])]
    assert all(1.05 < each <= 1.1 for each in spacing)
    broken = Solver(load("kuhn"), "cfr")
    points = solve(broken, iterations=777)
    solve(broken, iterations=5000, history=points)
    assert [p.iteration for p in points if p.iteration != 777] == [p.iteration for p in whole]
    assert points[-1].distance == whole[-1].distance


def test_who_says_stop_gets_a_last_measurement():
    asked = iter([False, False, False, True, True])
    solver = Solver(load("leduc"), "dcfr")
    points = solve(solver, iterations=10**9, stop=lambda: next(asked, True))
    assert 0 < points[-1].iteration == solver.iterations < 10**6


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: find_preset("dcfx"), "'dcfr'"),
        (lambda: Solver(load("kuhn"), "cfr", layout="round"), "layout='round'"),
        (lambda: Solver(load("kuhn"), "cfr", threads=0), "threads=0"),
        (lambda: Solver(load("kuhn"), "es-mccfr", layout="stacked"), "es-mccfr.*auto.*flat"),
        (lambda: Solver(load("rps"), "cfr", layout="stacked"), "rps.*flat"),
        (lambda: Solver(load("kuhn"), "cfr").run(-1), "iterations=-1"),
        (lambda: solve(Solver(load("kuhn"))), "until, iterations.*seconds"),
        (lambda: solve(Solver(load("kuhn")), until=0), " 0 "),
        (lambda: solve(Solver(load("kuhn")), until=1, check_every=0.5), "give 1 or more"),
        (lambda: Solver(load("nlhe"), "cfr"), r"nlhe.*4\.29 GB"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(OptionError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_every_preset_cites_its_paper():
    assert all(preset.paper.endswith(".") for preset in PRESETS.values())
