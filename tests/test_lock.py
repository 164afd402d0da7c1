"""Locks between processes: one holder at a time, free when the holder dies, nothing left behind."""

import os
import subprocess
import sys
import threading

import pytest

from tiltless import lock as module
from tiltless.lock import locked, try_lock, waiting_for

_HOLD = """
import sys
from tiltless.lock import locked
with locked(sys.argv[1]) as held:
    print(held, flush=True)
    sys.stdin.read()
"""

_COUNT = """
import sys, time
from pathlib import Path
from tiltless.lock import locked
counter = Path(sys.argv[1])
for _ in range(50):
    with locked(counter.with_suffix(".lock")) as held:
        assert held
        counter.write_text(str(int(counter.read_text()) + 1))
"""


def _start(code, *arguments):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_a_second_one_is_refused_and_the_file_goes_with_the_lock(tmp_path):
    path = tmp_path / "x.lock"
    first = try_lock(path)
    assert first is not None
    assert path.read_text() == str(os.getpid())
    assert try_lock(path) is None
    first.release()
    assert not path.exists()
    second = try_lock(path)
    assert second is not None
    del second
    assert not path.exists()


def test_a_killed_holder_leaves_no_lock(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_QUIET_SECONDS", 0.1)
    path = tmp_path / "x.lock"
    with _start(_HOLD, path) as holder:
        assert holder.stdout.readline() == "True\n"
        assert try_lock(path) is None
        asked = []
        started = threading.Event()

        def waiting(process):
            asked.append(process)
            started.set()

        def kill():
            started.wait()
            holder.kill()

        killer = threading.Thread(target=kill)
        killer.start()
        with locked(path, waiting) as held:
            assert held
        killer.join()
    assert asked == [holder.pid]
    assert list(tmp_path.iterdir()) == []


def test_four_processes_never_hold_it_together(tmp_path):
    counter = tmp_path / "counter"
    counter.write_text("0")
    processes = [_start(_COUNT, counter) for _ in range(4)]
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    assert counter.read_text() == "200"
    assert list(tmp_path.iterdir()) == [counter]


def test_who_opened_a_file_that_was_removed_does_not_hold_the_lock(tmp_path, monkeypatch):
    """The holder removes the file, and another makes it anew, between our opening and locking."""
    path = tmp_path / "x.lock"
    first = try_lock(path)
    take, others = module._take, []

    def late(handle):
        if not others:
            others.append(None)
            first.release()
            others[0] = try_lock(path)
        return take(handle)

    monkeypatch.setattr(module, "_take", late)
    assert try_lock(path) is None
    assert others[0] is not None
    others.clear()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_costs_only_the_lock(tmp_path):
    path = tmp_path / "missing" / "x.lock"
    with locked(path) as held:
        assert not held
    with pytest.raises(OSError):
        try_lock(path)


def test_without_modules_of_the_system_everybody_gets_one(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "fcntl", None)
    monkeypatch.setattr(module, "msvcrt", None)
    path = tmp_path / "x.lock"
    with locked(path) as first, locked(path) as second:
        assert first
        assert second
    assert list(tmp_path.iterdir()) == []


class _Msvcrt:
    """Windows' module, over ``flock``."""

    LK_NBLCK = 2

    @staticmethod
    def locking(handle, mode, nbytes):
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_locks_of_windows(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "fcntl", None)
    monkeypatch.setattr(module, "msvcrt", _Msvcrt)
    path = tmp_path / "x.lock"
    with locked(path) as held:
        assert held
        assert try_lock(path) is None
    assert list(tmp_path.iterdir()) == []


def test_the_message_names_the_process_and_what_it_makes(capsys):
    waiting_for("the flop table")(4711)
    line = capsys.readouterr().err
    assert "4711" in line
    assert "the flop table" in line
    assert line.count("\n") == 1
