"""Bots that misbehave in the middle of a match: both seats, a hundred times in `make test-slow`.

The match goes on to its end with checks and folds for them, and nothing of them is left.
"""

import json
import os
import sys
import threading

import pytest

from tiltless.agents.registry import make_agent
from tiltless.protocols.mit.agent_player import AgentPlayer
from tiltless.protocols.mit.bot_folder import BotFolder
from tiltless.protocols.mit.engine import play_match
from tiltless.protocols.mit.years import find_year

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups are of POSIX systems")

HANDS = 6
CONNECT = """
import os, socket, sys, time
s = socket.create_connection(("localhost", int(sys.argv[-1])))
f = s.makefile("rw")
def say(*answers):
    for answer in answers:
        if not f.readline():
            sys.exit()
        f.write(answer + "\\n")
        f.flush()
say("K", "K", "K")
"""
BAD = {
    "crash": ("os._exit(3)", "lost"),
    "hang": ("time.sleep(1000)", "late"),
    "flood": ("s.sendall(b'x' * 10_000_000); time.sleep(1000)", "late"),
    "slow loris": ("while True: s.sendall(b' '); time.sleep(0.01)", "late"),
    "illegal": ("while True: say('R1')", "illegal"),
    "NaN": ("while True: say('RNaN', 'nan', 'R-inf')", "misformatted"),
}


@pytest.fixture
def folder(tmp_path):
    run = {"build": [], "run": [sys.executable, "-S", "player.py"]}
    (tmp_path / "commands.json").write_text(json.dumps(run))
    return tmp_path


def misbehaves(folder, kind, seat):
    program, fault = BAD[kind]
    (folder / "player.py").write_text(CONNECT + program)
    before = threading.active_count()
    ours = AgentPlayer(make_agent("fish"), "ours", find_year(2020), 1)
    with BotFolder(folder, "theirs", connect_limit=10.0) as bad:
        assert bad.start()
        players = [bad, ours] if seat == 0 else [ours, bad]
        clock = 0.25 if fault == "late" else 10.0
        match = play_match(2020, players, hands=HANDS, clock=clock, seed=1)
        bad.connect_limit = 0.05  # which it will not need to quit
        bad.quit()
    assert match.seats[seat].faults[fault]
    assert match.seats[1 - seat].faults.total() == 0
    assert sum(match.bankrolls) == 0
    assert match.log.count("Round #") == HANDS
    assert threading.active_count() == before
    with pytest.raises(ProcessLookupError):
        os.killpg(bad._process._process.pid, 0)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("kind", BAD)
def test_a_bad_bot_costs_only_itself(folder, kind, seat):
    misbehaves(folder, kind, seat)


@pytest.mark.slow
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("kind", BAD)
def test_a_hundred_bad_bots(folder, kind, seat):
    for _ in range(100):
        misbehaves(folder, kind, seat)
