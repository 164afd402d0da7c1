"""The report over flops that is measured on a card, with two tiny flops of this processor."""

import json
import subprocess
import sys

import pytest

from tiltless.bench import gpu
from tiltless.bench.device import flops as gpu_flops
from tiltless.errors import OptionError
from tiltless.postflop.device.card import missing_card
from tiltless.postflop.flops.settings import FlopSettings

TINY = FlopSettings(
    "KK,T9s", "AKs,QQ", 20, 30, "flop: 50%, a; turn, river: none", until=0.0, iterations=3
)


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setattr(gpu_flops, "settings", lambda: TINY)


def test_the_settings_are_those_of_the_flop_bench():
    about = gpu_flops.settings()
    assert (about.pot, about.stack, about.until) == (64, 320, 0.5)
    assert len(gpu_flops.chosen_flops(about, 0)) == 1755
    assert len(gpu_flops.chosen_flops(about, 7)) == 7


@pytest.mark.usefixtures("tiny")
def test_figures_of_two_flops(capsys, tmp_path):
    words = ["--flops", "2", "--processes", "1", "--device", "cpu", "--out", str(tmp_path)]
    assert gpu_flops.main(words) == 0
    shown = capsys.readouterr()
    found = json.loads(shown.out)
    assert list(found) == list(gpu_flops.KEYS)
    assert found["flops_report_flops"] == 2
    assert found["flops_report_s"] > 0
    assert "2 of 2 flops" in shown.err
    assert gpu_flops.main(words) == 0  # continued: nothing is left to solve
    assert json.loads(capsys.readouterr().out)["flops_report_flops"] == 0


def test_without_a_card(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "cupy", None)
    missing_card.cache_clear()
    assert gpu_flops.run() == dict.fromkeys(gpu_flops.KEYS)
    assert set(gpu_flops.KEYS) <= set(gpu.KEYS)
    assert gpu_flops.main(["--flops", "1"]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    missing_card.cache_clear()


@pytest.mark.usefixtures("tiny")
def test_a_trial_is_smaller(monkeypatch):
    asked = []
    monkeypatch.setattr(gpu_flops, "missing_card", lambda: "")
    monkeypatch.setattr(gpu_flops, "flops_report", lambda count: asked.append(count) or {})
    for text in ("25", "x"):
        monkeypatch.setenv(gpu_flops.FLOPS, text)
        if text == "x":
            with pytest.raises(OptionError, match=gpu_flops.FLOPS):
                gpu_flops.run()
        else:
            gpu_flops.run()
    assert asked == [25]


def test_it_needs_neither_typer_nor_rich():
    code = (
        "import sys; sys.modules.update(typer=None, rich=None);"
        "import tiltless.bench.device.flops as module; module.settings()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
