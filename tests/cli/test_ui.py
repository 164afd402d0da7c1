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


def test_the_second_ctrl_c_ends_the_program():
    with deferred_signals() as asked:
        os.kill(os.getpid(), signal.SIGINT)
        assert asked.wait(5)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
