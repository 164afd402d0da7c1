"""Bots in folders: real processes and sockets, well behaved and not."""

import json
import os
import shutil
import sys
import time
from pathlib import Path

import pytest

from tiltless.errors import OptionError
from tiltless.protocols.mit.bot_folder import OUTPUT_LIMIT, BotFolder
from tiltless.protocols.mit.engine import play_match

SKELETON = Path(__file__).parents[3] / "examples" / "mit_skeleton"
pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups are of POSIX systems")

CONNECT = """
import os, signal, socket, subprocess, sys, time
s = socket.create_connection(("localhost", int(sys.argv[-1])))
f = s.makefile("rw")
def answer(line):
    return "K" if "D" in line or "R" not in line and "P0" not in line else "F"
def go(count):
    for _ in range(count):
        line = f.readline()
        if not line or line == "Q\\n":
            sys.exit()
        f.write(answer(line) + "\\n")
        f.flush()
"""


@pytest.fixture
def bot(tmp_path):
    """Makes the folder of a bot from its program, or from the text of commands.json."""

    def make(program="", commands=None, build=()):
        folder = tmp_path / f"bot{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        (folder / "player.py").write_text(program)
        run = {"build": list(build), "run": [sys.executable, "-S", "player.py"]}
        (folder / "commands.json").write_text(json.dumps(run) if commands is None else commands)
        return folder

    return make


def played(first, second, hands=6, limit=10.0, quit_limit=None, **options):
    """A match between two folders; the bots after it, and the match."""
    with BotFolder(first, "A", connect_limit=limit) as a, BotFolder(second, "B") as b:
        for each in (a, b):
            each.build()
            each.start()
        match = play_match(2020, [a, b], hands=hands, **options)
        a.connect_limit = quit_limit or limit  # the time to end after a match, too
        a.quit()
        b.quit()
    return a, b, match


@pytest.fixture
def skeleton(tmp_path):
    """The example, run by this interpreter."""
    folder = tmp_path / "skeleton"
    shutil.copytree(SKELETON, folder)
    run = {"build": [], "run": [sys.executable, "-S", "player.py"]}
    (folder / "commands.json").write_text(json.dumps(run))
    return folder


def test_the_skeleton_bot_plays_both_years_without_a_fault(skeleton):
    for year in (2020, 2023):
        with BotFolder(skeleton, "A") as a, BotFolder(skeleton, "B") as b:
            for each in (a, b):
                assert each.build()
                assert each.start()
            match = play_match(year, [a, b], hands=200, seed=year)
            a.quit()
            b.quit()
        assert [seat.faults.total() for seat in match.seats] == [0, 0]
        assert match.log.count("shows") > 100
        assert " bets " in match.log
        assert " raises to " in match.log
        assert not a.notes
        assert all(10 < seat.clock < 30 for seat in match.seats)


def test_the_shipped_commands_of_the_skeleton():
    commands = json.loads((SKELETON / "commands.json").read_text())
    assert commands == {"build": [], "run": ["python3", "player.py"]}


@pytest.mark.parametrize(
    ("commands", "note"),
    [
        ("", "misformatted"),
        ("[" * 100_000, "misformatted"),
        ("[]", "missing command"),
        ('{"build": []}', "missing command"),
        ('{"build": [], "run": "python3 player.py"}', "missing command"),
        ('{"build": [], "run": ["python3", 5]}', "run command misformatted"),
        ('{"build": [], "run": ["no such program"]}', 'check "run"'),
        ('{"build": ["no such program"], "run": []}', 'check "build"'),
    ],
)
def test_a_bot_that_cannot_be_started_loses_its_blinds(bot, skeleton, commands, note):
    a, _, match = played(bot(commands=commands), skeleton)
    assert not a.is_connected
    assert note in " ".join(a.notes)
    assert match.log.count("A folds") >= 3
    assert match.seats[0].faults == {"absent": 1}


def test_no_folder_and_no_commands(tmp_path, skeleton):
    with pytest.raises(OptionError):
        BotFolder(tmp_path / "nothing", "A")
    (tmp_path / "empty").mkdir()
    a, _, match = played(tmp_path / "empty", skeleton)
    assert "not found" in a.notes[0]
    assert match.year.hands == 6


@pytest.mark.parametrize(
    ("program", "fault"),
    [
        ("go(3); time.sleep(1000)", "late"),
        ("go(3); s.close(); f.close(); time.sleep(1000)", "lost"),
        ("go(3); os._exit(3)", "lost"),
        ("go(3); os.kill(os.getpid(), signal.SIGKILL)", "lost"),
        ("go(3)\nwhile True: s.sendall(b'x' * 100_000)", "late"),
        ("s.sendall(b'K\\n' * 100_000); time.sleep(1000)", "illegal"),
        ("s.sendall(b'\\xff\\xfe\\n' * 100_000); time.sleep(1000)", "misformatted"),
        (
            "s.sendall(b' ' * 140_000); time.sleep(0.1); s.sendall(b'K\\n'); go(99)",
            "misformatted",
        ),
        ("s.sendall(b'R' + b'9' * 60_000 + b'\\n'); go(99)", "misformatted"),
    ],
)
def test_bad_bots_check_and_fold_to_the_end(bot, skeleton, program, fault):
    clock = 0.5 if fault == "late" else 30.0  # waited out only by the late ones
    _, _, match = played(bot(CONNECT + program), skeleton, clock=clock, quit_limit=0.1)
    assert match.seats[0].faults[fault]
    assert match.log.endswith(")")
    assert match.seats[1].faults.total() == 0
    if fault in ("late", "lost"):
        assert match.seats[0].faults[fault] == 1
        assert match.seats[0].clock == 0


def test_a_bot_that_does_not_connect(bot, skeleton):
    for program in ("import time; time.sleep(1000)", "raise SystemExit(1)"):
        a, _, match = played(bot(program), skeleton, limit=0.5)
        assert a.notes[0] == "Timed out waiting for A to connect"
        assert match.seats[0].seconds == []


def test_output_is_kept_up_to_a_limit(bot, skeleton):
    shout = CONNECT + "print('hello', flush=True)\nos.write(1, b'x' * 5_000_000)\ngo(99)"
    a, _, match = played(bot(shout, build=["sh", "-c", "echo built; exit 3"]), skeleton)
    assert a.output.startswith(b"built\nhello\nxxx")
    assert len(a.output) == OUTPUT_LIMIT
    assert a.notes == ["A build ended with exit code 3"]
    assert match.seats[0].faults.total() == 0


def test_a_build_that_takes_too_long_is_killed(bot, tmp_path):
    folder = bot(build=["sh", "-c", f"sleep 1000 & echo $! > {tmp_path}/child; wait"])
    with BotFolder(folder, "A", build_limit=0.3) as a:
        assert not a.build()
    assert a.notes == ["Timed out waiting for A to build"]
    assert b"Timed out" in a.output
    assert gone(tmp_path / "child")


@pytest.mark.parametrize("end", ["go(999)", "go(3); time.sleep(1000)", "go(3); os._exit(0)"])
def test_no_process_is_left(bot, skeleton, tmp_path, end):
    child = (
        "print(subprocess.Popen(['sleep', '1000']).pid, file=open('../child', 'w'), flush=True)\n"
    )
    played(bot(CONNECT + child + end), skeleton, clock=0.5, quit_limit=0.3)
    assert gone(tmp_path / "child")


def test_no_process_is_left_after_an_interruption(bot, tmp_path):
    child = "open('../child', 'w').write(f'{os.getpid()}')\n"
    folder = bot(CONNECT + child + "go(3); time.sleep(1000)")

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        played(folder, folder, hands=2, clock=0.5, progress=stop)
    assert gone(tmp_path / "child")


def gone(file):
    """Whether the process whose number a file has is gone, or a zombie of somebody else."""
    number = int(file.read_text())
    for _ in range(100):
        try:
            state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False
