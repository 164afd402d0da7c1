"""The player over a socket: whole matches, peers that misbehave, agents that are late."""

import socket
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

from helpers.command import run_here
from helpers.line_peer import LONG, peer
from helpers.mit_lines import EVERY, exchanges
from tiltless.agents.agent import Agent, Decision, check_or_call
from tiltless.errors import OptionError
from tiltless.games.holdem.actions import RaiseTo
from tiltless.protocols.connection import connect
from tiltless.protocols.mit import client
from tiltless.protocols.mit.client import play_connected
from tiltless.protocols.mit.wire import parse_clause


class Script(Agent):
    """Plays a list of actions, then checks and calls; may wait at a gate, but not to rehearse."""

    def __init__(self, actions=(), gate=None):
        self.actions, self.gate, self.hands, self.expected = list(actions), gate, 0, 0
        self.rehearsed = self.begun = False

    def match_start(self):
        self.begun = True

    def act(self, view, clock, rng):
        if not self.begun:
            self.rehearsed = True
            return Decision(check_or_call(view.actions))
        if self.gate is not None:
            assert self.gate.wait(LONG)
        return Decision(self.actions.pop(0) if self.actions else check_or_call(view.actions))

    def hand_end(self, view):
        self.hands += 1

    def expect_match(self, hands):
        self.expected = hands
        return ""


def says(*lines):
    """A peer that sends lines one by one and reads an answer to each but the last; its answers."""
    answers = []

    def talk(file):
        for line in lines:
            file.write(line if isinstance(line, bytes) else line.encode() + b"\n")
            file.flush()
            if line != lines[-1]:
                answers.append(file.readline().decode().strip())

    return talk, answers


def play(talk, agent=Script, year=2023, **options):
    with peer(talk) as connection:
        return play_connected(connection, agent, year, **options)


HAND = (
    "T30.000 P1 HAs,Kd C",
    "T29.000 K B2h,7c,9d",
    "T29.000 K K B2h,7c,9d,5s",
    "T29.000 K K B2h,7c,9d,5s,Jc",
    "T29.000 K R4",
    "T29.000 C O8s,8d D-6",
)
CALLED = ["K", "K", "K", "K", "C", "K"]


@pytest.mark.parametrize(("year", "player"), EVERY)
def test_a_recorded_match(year, player):
    wanted = exchanges(year, player)
    talk, answers = says(*(each.line for each in wanted), "Q")

    class Follows(Script):
        """Plays what counted in the recording, by the number of the line."""

        def act(self, view, clock, rng):
            if not self.begun:
                return super().act(view, clock, rng)
            return Decision(parse_clause(wanted[len(answers)].counted))

    agent = Follows()
    report = play(talk, lambda: agent, year, hands=300, seed=7)
    assert answers == [each.counted or "K" for each in wanted]
    assert (report.hands, agent.hands, agent.expected, report.seed) == (300, 300, 300, 7)
    assert report.chips == sum(int(each.line.split("D")[1]) for each in wanted if " D" in each.line)
    assert (report.faults, report.broken) == ((), "")
    assert "300 hands" in report.lines()[0]


@pytest.mark.parametrize(
    ("talk", "said"),
    [
        (lambda file: None, "closed"),
        (says(*HAND[:2])[0], "closed"),
        (says("T30.000 P1 HAs,Kd")[0], "closed"),
        (lambda file: file.read(), "nothing from the engine for 0.2 s"),
        (lambda file: (file.write(b"T30.0"), file.flush(), file.read()), "nothing"),
    ],
)
def test_a_peer_that_stops_ends_the_match_in_one_line(talk, said):
    report = play(talk, silence=0.2)
    assert said in report.broken
    assert "\n" not in report.lines()[-1]
    assert report.lines()[-1].startswith("broken off: ")


def test_long_lines_are_bounded():
    """10 MB without an end are answered like any line that cannot be read."""
    huge = b"T30.000 P1 HAs,Kd " + b"K " * 5_000_000 + b"\n"
    talk, answers = says(huge, b"\xff\xfe\n", b"\n", "T29.000 D-2", "T29.000 P0 HAs,Kd", "Q")
    report = play(talk)
    assert answers == ["K", "K", "K", "K", "C"]
    assert report.hands == 2
    assert report.broken == ""


def test_bytes_without_end_are_given_up(monkeypatch):
    monkeypatch.setattr(client, "_MOST_BYTES", 200_000)

    def talk(file):
        for _ in range(200):
            file.write(b"x" * 10_000)

    assert "200,000 bytes" in play(talk).broken


def test_a_late_agent_checks_or_folds_and_comes_back():
    """It waits until the table has its answers; the clock has time for a short wait only."""
    gate, answers = threading.Event(), []

    def talk(file):
        for line in (
            "T0.200 P1 HAs,Kd R4",
            "T0.150 F D-2",
            "T9.000 P0 H2s,2d",
            "T9.0 C K B3d,4d,5d K",
        ):
            if line.startswith("T9"):
                gate.set()
            file.write(line.encode() + b"\n")
            file.flush()
            answers.append(file.readline().decode().strip())
        file.write(b"Q\n")

    report = play(talk, lambda: Script(gate=gate), hands=20)
    assert answers == ["F", "K", "C", "K"]
    assert [fault.kind for fault in report.faults] == ["late"]
    assert "1 interrupted" in report.lines()[1]


@pytest.mark.parametrize("year", [2020, 2023])
def test_agents_rehearse_every_street_before_the_match(year):
    seen = []

    class Rehearses(Script):
        def act(self, view, clock, rng):
            seen.append((self.begun, view.street_name))
            if view.street_name == "turn" and not self.begun:
                raise ZeroDivisionError
            return super().act(view, clock, rng)

    class Fluent(Rehearses):
        def act(self, view, clock, rng):
            seen.append((self.begun, view.street_name))
            return Script.act(self, view, clock, rng)

    talk, answers = says(*HAND, "Q")
    report = play(talk, Fluent, year)
    streets = ["preflop", "flop", "turn", "river"] + ["run"] * (year == 2023)
    assert [street for begun, street in seen if not begun][: len(streets)] == streets
    assert (report.faults, answers) == ((), CALLED)
    seen.clear()
    talk, answers = says(*HAND, "Q")
    report = play(talk, Rehearses, year)  # a failure there is no failure in the match
    assert [street for begun, street in seen if not begun][:3] == streets[:3]
    assert (report.faults, answers) == ((), CALLED)


def test_an_agent_is_not_asked_when_the_clock_is_nearly_gone():
    talk, answers = says("T0.200 P1 HAs,Kd R4", "T0.150 F D-2", "T0.150 P0 H2s,2d", "Q")
    report = play(talk, lambda: Script([RaiseTo(10)]))
    assert answers == ["F", "K", "F"]
    assert [fault.kind for fault in report.faults] == ["late"]


def test_an_agent_may_be_loaded_while_the_match_has_begun(monkeypatch):
    monkeypatch.setattr(client, "_LOADING", 0.001)
    gate, answers = threading.Event(), []

    def make():
        assert gate.wait(LONG)
        return Script()

    def talk(file):
        for line in ("T0.200 P1 HAs,Kd R4", "T0.150 F D-2", "T9.000 P0 H2s,2d"):
            if line.startswith("T9"):
                gate.set()
            file.write(line.encode() + b"\n")
            file.flush()
            answers.append(file.readline().decode().strip())
        file.write(b"Q\n")

    play(talk, make, hands=20)
    assert answers == ["F", "K", "C"]


def test_agents_that_do_not_exist_or_cannot_play():
    talk, _ = says(*HAND, "Q")
    with pytest.raises(OptionError, match="no-such-agent"):
        play(talk, "no-such-agent")
    with pytest.raises(OptionError, match="trusted"):
        play(talk, "os:system")

    class Refuses(Script):
        def check_table(self, game, rules):
            raise OptionError(f"cannot play {game} with {rules.stacks}")

    with pytest.raises(OptionError, match=r"river-of-blood with \(400, 400\)"):
        play(talk, Refuses)
    with pytest.raises(OptionError, match="2021"):
        play(talk, year=2021)


def test_notes_about_the_table_are_said():
    class Grumbles(Script):
        def check_table(self, game, rules):
            return "made for another table"

        def expect_match(self, hands):
            return f"made for other matches than of {hands} hands"

    said = []
    talk, _ = says(*HAND, "Q")
    play(talk, Grumbles, hands=7, say=said.append)
    assert len(said) == 2
    assert "7 hands" in said[0]
    assert "made for another table" in said[1]


def test_nobody_is_there():
    with socket.create_server(("localhost", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(OptionError, match=f"port {port}"):
        connect("localhost", port)
    for host, port in (("localhost", 0), ("localhost", 70_000), ("x" * 300, 80)):
        with pytest.raises(OptionError, match="port"):
            connect(host, port)


@contextmanager
def served(talk):
    """A port that serves one player."""
    with socket.create_server(("localhost", 0)) as server:
        server.settimeout(LONG)

        def serve():
            connection, _ = server.accept()
            connection.settimeout(LONG)
            with connection, connection.makefile("rwb") as file:
                talk(file)

        thread = threading.Thread(target=serve)
        thread.start()
        yield str(server.getsockname()[1])
        thread.join(LONG)


PLAIN = """
import socket, sys
def first(address, timeout, create=socket.create_connection):
    assert not {"numpy", "numba"} & set(sys.modules), "loaded before connecting"
    return create(address, timeout)
socket.create_connection = first
from tiltless.protocols.mit.__main__ import main
code = main(sys.argv[1:])
assert not {"typer", "rich", "click", "pandas", "faiss", "matplotlib"} & set(sys.modules)
sys.exit(code)
"""


def test_a_server_plays_with_little_and_connects_first():
    talk, answers = says(*HAND, "Q")
    with served(talk) as port:
        command = [sys.executable, "-c", PLAIN, port, "--agent", "fish", "--year", "2023"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONG)
    assert done.returncode == 0, done.stderr
    assert answers == CALLED
    assert "1 hand, -6 chips" in done.stdout


def test_the_command():
    talk, answers = says(*HAND, "Q")
    with served(talk) as port:
        done = run_here("connect", "mit", port, "--agent", "fish", "--year", "2023", "--seed", "3")
    assert (done.returncode, done.stderr) == (0, "")
    assert answers == CALLED
    assert "1 hand, -6 chips" in done.stdout
    assert "seed 3" in done.stdout
    talk, _ = says(*HAND[:2])
    with served(talk) as port:
        done = run_here("connect", "mit", port, "--agent", "fish", "--year", "2020")
    assert done.returncode == 1
    assert "broken off" in done.stdout


def test_the_command_takes_the_rules_of_a_new_year():
    talk, answers = says(*HAND, "Q")
    with served(talk) as port:
        done = run_here("connect", "mit", port, "--agent", "fish", "--year", "river-of-blood")
    assert (done.returncode, answers) == (0, CALLED)


@pytest.mark.parametrize("year", ["2019", "nothing.toml"])
def test_mistakes_in_the_command_are_one_line(year):
    with served(lambda file: file.readline()) as port:
        done = run_here("connect", "mit", port, "--agent", "fish", "--year", year)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
