"""Files of earlier versions still load, say the same and continue.

tests/data/old-files was written by commit 082f83b, before its modules were sorted by engine::

    tiltless solve-spot --board QsJh2h8d3c --oop AA,QJs --ip KK,AQs --pot 20 --stack 40
        --bets "50%, a" --iterations 50 --threads 1 --save river.spot
    tiltless solve kuhn --algorithm cfr+ --iterations 100 --save kuhn.solver
        --strategy kuhn.strategy
    tiltless train run.toml --threads 1

All numbers below are what that commit said, also of the runs that continue.
"""

import shutil
from pathlib import Path

import pytest

import tiltless as tl
from tiltless.blueprint.strategy import Blueprint
from tiltless.blueprint.training.config import read_config
from tiltless.blueprint.training.run import Trainer
from tiltless.tabular.strategy import Strategy

OLD = Path(__file__).parent / "data" / "old-files"


def test_a_solved_spot():
    solution = tl.load_solution(OLD / "river.spot", threads=1)
    assert solution.iterations == 10
    assert solution.exploitability == pytest.approx(0.0662021950, rel=1e-6)
    assert solution.ev["oop"] == pytest.approx(10 + 10.0199501163)
    assert list(solution.at().frequencies.values()) == pytest.approx(
        [0.4078471998, 0.5309324916, 0.0612203086]
    )
    assert list(solution.at("x").frequencies.values()) == pytest.approx(
        [0.9995526257, 0.0002236871, 0.0002236871], rel=1e-5
    )
    solution.solve(until="0.00001%", iterations=30)
    assert list(solution.at().frequencies.values()) == pytest.approx(
        [0.4078362535, 0.5310193518, 0.0611443948], rel=1e-5
    )


def test_a_strategy_and_its_solver():
    strategy = Strategy.load(OLD / "kuhn.strategy")
    assert strategy.table[[0, 1, 8, 9, 20, 21]].tolist() == [
        0.8115951899002203, 0.18840481009977958, 0.41978447400837704, 0.580215525991623,
        0.6687165128416939, 0.3312834871583062,
    ]  # fmt: skip
    solver = tl.Solver(tl.load_game("kuhn"), "cfr+")
    solver.resume(OLD / "kuhn.solver")
    assert solver.strategy().table == pytest.approx(strategy.table, abs=1e-15)
    solver.run(100)
    assert solver.exploitability() == pytest.approx(0.0004227, rel=2e-4)


def test_a_blueprint_and_its_checkpoint(tmp_path):
    def probs(blueprint, *query):
        return [prob for _, prob in blueprint.query(*query)]

    blueprint = Blueprint.load(OLD / "blueprint.safetensors")
    assert probs(blueprint, "AsKd") == [0, pytest.approx(2 / 255), pytest.approx(253 / 255)]
    assert probs(blueprint, "7c2d", "", "a") == [1, 0]
    shutil.copy(OLD / "checkpoint-1.safetensors", tmp_path)
    config = read_config(str(OLD / "run.toml")).with_stop(98_304, None)
    trainer = Trainer(config, tmp_path, threads=1, match_deals=0, resume=True)
    assert probs(trainer.blueprint(), "AsKd") == probs(blueprint, "AsKd")
    trainer.run()
    assert probs(trainer.blueprint(), "AsKd") == [
        0,
        pytest.approx(29 / 255),
        pytest.approx(226 / 255),
    ]
