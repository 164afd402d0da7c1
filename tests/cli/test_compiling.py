"""Signs that a program is at work: while it compiles, and while it builds tables."""

import io
import re
import subprocess
import sys
import time
from itertools import pairwise

import pytest
from numba.core import event

from tiltless.cli import compiling, table_bar, ui

OFTEN = 0.1
IMPATIENT = f"""
from tiltless.cli import compiling, main, ui
compiling.SECOND = ui.EVERY = {OFTEN}
main()
"""


def test_a_command_on_an_empty_cache_is_never_silent(tmp_path, monkeypatch):
    """One sign for ten that are due will do, as the machine may be busy."""
    monkeypatch.setenv("TILTLESS_CACHE", str(tmp_path))
    command = [sys.executable, "-c", IMPATIENT, "equity", "AA", "KK"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        came = [(line, time.monotonic()) for line in process.stderr]
        text = process.stdout.read()
    assert process.returncode == 0
    assert came[0][0].startswith("compiling kernels, once")
    seconds = float(re.search(r"([\d.]+) s of compiling, once", text)[1])
    signs = [
        re.fullmatch(r"compiling function (\d+), (\d+) s so far\n", line) for line, _ in came[1:]
    ]
    assert len(signs) > max(2, seconds / OFTEN / 10)
    assert all(now is not None for now in signs)
    for before, now in pairwise(signs):  # the work goes on
        assert int(before[1]) <= int(now[1])
        assert int(before[2]) <= int(now[2])
    longest = max(now - before for (_, before), (_, now) in pairwise(came))
    assert longest < max(1.0, seconds / 2)


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def signs(monkeypatch):
    """A notice that hears of steps of `fake_step`, and of nothing else."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(compiling, "SECOND", 0.01)
    monkeypatch.setattr(ui, "EVERY", 0.01)
    monkeypatch.setattr(event, "_registered", {**event._registered, "numba:compile": []})
    compiling.announce_compiling()


def fake_step(until, inner=None):
    """A compilation that lasts until something is so; inner: another that it needs."""
    with event.trigger_event("numba:compile", data={"dispatcher": fake_step}):
        if inner is not None:
            inner()
        end = time.monotonic() + 60
        while not until():
            assert time.monotonic() < end
            time.sleep(0.001)


def test_a_line_on_a_terminal_changes_and_vanishes(signs, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)

    def shows(count, times):
        return lambda: terminal.getvalue().count(f"\rcompiling function {count}, ") >= times

    fake_step(shows(2, 3), inner=lambda: fake_step(shows(2, 2)))
    assert terminal.getvalue().endswith(" \r")
    done = terminal.getvalue()
    time.sleep(0.05)
    assert terminal.getvalue() == done  # nobody compiles
    fake_step(shows(3, 1))
    assert terminal.getvalue().count("\n") == 1


def test_a_spinner_is_sign_enough(signs, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with ui.live_line(ui.console(stderr=True)) as show:
        show("[1] hand")
        fake_step(lambda: terminal.getvalue().count("[1] hand") > 3)
    assert "compiling kernels, once" in terminal.getvalue()
    assert "compiling function" not in terminal.getvalue()


def test_a_program_that_lost_its_standard_error_goes_on(signs, monkeypatch):
    class Closed(io.StringIO):
        tries = 0

        def write(self, text):
            self.tries += 1
            if self.tries > 1:
                raise BrokenPipeError
            return super().write(text)

    closed = Closed()
    monkeypatch.setattr(sys, "stderr", closed)
    fake_step(lambda: closed.tries > 3)


def test_steps_are_lines_in_a_pipe_and_bars_on_a_terminal(monkeypatch, capfd):
    monkeypatch.setattr(ui, "EVERY", 0.0)
    with table_bar.shown_steps(["flop"]) as tell:
        tell("flop", 1, 4)
        tell("turn", 1, 2)
    said = capfd.readouterr().err.splitlines()
    assert said[:2] == ["flop 25%", "turn 50%"]
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with table_bar.shown_steps(["flop"]) as tell:
        tell("flop", 1, 4)
    assert "flop 25%" not in terminal.getvalue()
    assert " 25%" in terminal.getvalue()
