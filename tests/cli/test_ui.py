"""What all commands share at the terminal."""

import io
import json
import os
import signal

import pytest
from rich.console import Console

from tiltless.cli import ui
from tiltless.interrupts import deferred_signals


def test_json_has_null_where_a_number_is_not_known(capsys):
    ui.print_json({"a": [1.5, float("nan")], "b": (float("inf"), "x")})
    assert json.loads(capsys.readouterr().out) == {"a": [1.5, None], "b": [None, "x"]}
    ui.print_json({"a": 1, "b": [2]}, indent=None)
    assert capsys.readouterr().out.count("\n") == 1


def test_lines_are_printed_as_they_are():
    file = io.StringIO()
    ui.say(Console(file=file, width=20), "[bold] " + "word " * 20)
    assert file.getvalue() == "[bold] " + "word " * 20 + "\n"


def test_a_bar_shows_its_columns():
    file = io.StringIO()
    on = Console(file=file, width=100, force_terminal=True)
    with ui.bar("[{task.description}]", "{task.completed} of {task.total}", on=on) as bar:
        bar.update(bar.add_task("flop", total=4), completed=3)
    assert "[flop]" in file.getvalue()
    assert "3 of 4" in file.getvalue()


def test_a_bar_is_an_occasional_line_in_a_pipe(monkeypatch):
    monkeypatch.setattr(ui, "EVERY", 0.0)
    file, now = io.StringIO(), [0.0]
    with ui.bar("{task.description}", "{task.fields[last]}", on=Console(file=file)) as bar:
        bar.get_time = lambda: now[0]
        task, other = (
            bar.add_task(name, total=total, last="")
            for name, total in (("flops", 8), ("hands", None))
        )
        for done in range(1, 4):
            now[0] += 100.0  # slower than rich's own estimate of the speed allows
            bar.update(task, completed=done, last=f"QsJh{done}h")
        bar.update(other, completed=7)
    assert file.getvalue().splitlines() == [
        "flops 12% QsJh1h",
        "flops 25% QsJh2h (10:00 left)",
        "flops 38% QsJh3h (8:20 left)",
        "hands",
    ]


def test_a_bar_says_at_most_a_line_in_ten_seconds():
    file = io.StringIO()
    with ui.bar(on=Console(file=file)) as bar:
        task = bar.add_task("flops", total=100)
        for _ in range(100):
            bar.update(task, advance=1)
    assert not file.getvalue()


def test_the_second_ctrl_c_ends_the_program():
    with deferred_signals() as asked:
        os.kill(os.getpid(), signal.SIGINT)
        assert asked.wait(5)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
