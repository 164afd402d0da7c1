"""The flop search that is measured on a card, with few hands on the twins of its kernels."""

import sys

import pytest

from tiltless.bench.device import search as gpu_search
from tiltless.postflop.device.card import missing_card
from tiltless.postflop.device.machine import NumpyMachine
from tiltless.postflop.spot import Spot


@pytest.mark.slow
def test_figures(monkeypatch):
    spot = Spot("QsJs2s", "KK:0.5,44", "AKs", 20, 40, "a; turn, river: none; cap 1")
    monkeypatch.setattr(gpu_search, "_SPOT", spot)
    monkeypatch.setattr(gpu_search, "_ODD", gpu_search.RaiseTo(13))
    monkeypatch.setattr(gpu_search, "_ITERATIONS", 1)
    limited = []

    def solve(*given, **options):
        limited.append(options["seconds"])
        options |= {"iterations": 1}
        return gpu_search.__dict__["_real"](*given, **options)

    monkeypatch.setitem(gpu_search.__dict__, "_real", gpu_search.solve_subgame)
    monkeypatch.setattr(gpu_search, "solve_subgame", solve)
    found = gpu_search.run(NumpyMachine())
    assert limited.count(2.0) == 2
    assert found["search_odd_bet_mb"] > found["search_flop_mb"] > 0
    assert found["search_flop_s"] > 0


def test_without_a_card(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "cupy", None)
    missing_card.cache_clear()
    assert gpu_search.main() == 1
    assert capsys.readouterr().err.count("\n") == 1
    missing_card.cache_clear()
