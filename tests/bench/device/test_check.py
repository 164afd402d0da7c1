"""The check of a card, with the twins instead of one."""

import pytest

from tiltless.bench import gpu
from tiltless.bench.device import check as gpu_check
from tiltless.bench.device.check import GOLDEN_KIND, parser, run_check
from tiltless.files.arrays import read_arrays
from tiltless.postflop.device.machine import NumpyMachine
from tiltless.postflop.spot import Spot


class BrokenMachine(NumpyMachine):
    """Forgets the last launch of each sequence."""

    def run(self, key, launches):
        super().run(key, lambda: list(launches())[:-1])


def test_golden_tables_are_written(tmp_path, capsys):
    given = parser().parse_args(["--only", "golden", "--golden", str(tmp_path / "new")])
    assert run_check(given, NumpyMachine) == 0
    assert capsys.readouterr().out.count("ok") == 2
    assert set(read_arrays(tmp_path / "new" / "river.safetensors", kind=GOLDEN_KIND).arrays) == {
        "regret",
        "average",
    }


def test_the_spots_are_those_of_the_benches(monkeypatch, capsys):
    assert {spot for spot, _ in gpu._SPOTS.values()} <= set(gpu_check._SPOTS.values())
    tiny = Spot("QsJh2h8d3c", "QQ+,AKs", "88,JJ,AQs", 64, 200, "a; cap 1")
    monkeypatch.setattr(gpu_check, "_SPOTS", {"flop_full": tiny})
    given = parser().parse_args(["--only", "spots"])
    assert run_check(given, NumpyMachine) == 0, capsys.readouterr().out
    assert "ok   spot flop_full: " in capsys.readouterr().out


@pytest.mark.slow
def test_random_spots(monkeypatch, capsys):
    monkeypatch.setattr(gpu_check, "_UNTIL", {5: 1.0, 4: 30.0})
    monkeypatch.setattr(gpu_check, "_BETS", {5: "a; cap 1", 4: "a; cap 1"})
    words = ["--only", "rivers,turns", "--rivers", "2", "--turns", "1"]
    assert run_check(parser().parse_args(words), NumpyMachine) == 0, capsys.readouterr().out


@pytest.mark.slow
def test_a_broken_machine_is_seen(capsys):
    assert run_check(parser().parse_args(["--only", "launches"]), BrokenMachine) == 1
    assert "first " in capsys.readouterr().out
