"""Dealers and engines that misbehave in the middle of a match, with our client in every position.

Each kind once here, 100 times in `make test-slow`. The client gives up in one line, or answers as
its dialect rules and plays the next hand; no thread of it is left. Where a busy machine makes the
agent itself late, the match is played again.
"""

import socket
import threading

import pytest

from tiltless.protocols.acpc.client import play_at_dealer
from tiltless.protocols.acpc.gamedef import GAMES
from tiltless.protocols.mit.client import play_connected

SILENCE = (0.05, 0.5, 5.0)  # seconds that the client waits for a line: the machine may be busy
LONG = 30.0
TRIES = 3  # of a match in which the agent may be late
FLOOD = 10_000_000

TWO, THREE = GAMES["holdem.nolimit.2p.reverse_blinds"], GAMES["holdem.nolimit.3p"]
# for each position, a state in which it must act: a call is free, or it owes chips
ACPC = {
    (TWO, 0): ("c", "4cKs|"),
    (TWO, 1): ("", "|4cKs"),
    (THREE, 0): ("c", "4cKs||"),
    (THREE, 1): ("cc", "|4cKs|"),
    (THREE, 2): ("", "||4cKs"),
}
MIT = {(2020, 0): "H", (2020, 1): "H", (2023, 0): "H", (2023, 1): "H"}


class AcpcTable:
    """A dealer: hand 0 is played, something bad happens in hand 1, and hand 2 is played."""

    first = b"VERSION:2.0.0\r\n"
    end = b"\r\n"
    late: tuple[bytes, ...] = ()  # the agent has seconds for each decision
    answers_all = False

    def __init__(self, game, position):
        self.game, self.position = game, position
        self.betting, self.cards = ACPC[game, position]

    def good(self, number):
        return f"MATCHSTATE:{self.position}:{number}:{self.betting}:{self.cards}".encode()

    def right(self, number):
        return self.good(number) + b":c"

    def illegal(self, number):
        """A raise that is too small, a card twice, somebody else's turn, cards of others."""
        start = f"MATCHSTATE:{self.position}:{number}:"
        twice = self.cards.replace("Ks", "4c")
        return [
            f"{start}{self.betting}r101:{self.cards}",
            f"{start}{self.betting}:{twice}",
            f"{start}ccccc/:{self.cards}",
            f"MATCHSTATE:7:{number}:{self.betting}:{self.cards}",
        ]

    def nan(self, number):
        start = f"MATCHSTATE:{self.position}"
        return [
            f"{start}:NaN:{self.betting}:{self.cards}",
            f"{start}:{number}:{self.betting}rNaN:{self.cards}",
            f"MATCHSTATE:nan:{number}:{self.betting}:{self.cards}",
            f"{start}:{number}:r1e999:{self.cards}",
        ]

    def play(self, connection, silence):
        return play_at_dealer(connection, "fish", self.game, seed=1, silence=silence)


class MitTable:
    """An engine, with the same three hands."""

    first = b""
    end = b"\n"
    late = (b"F",)  # of an agent that has a share of 30 seconds for 1,000 hands
    answers_all = True  # lines that are wrong, too

    def __init__(self, year, position):
        self.year, self.position = year, position

    def good(self, number):
        before = " R4" if self.position else ""
        return f"T2{number}.000 P{self.position} HAs,K{'dhs'[number % 3]}{before}".encode()

    def right(self, number):
        return b"C"

    def illegal(self, number):
        cards = self.good(number).decode()
        return [cards + " R1 R1", cards + " BKh,7c", cards + " BKh,7c,As C", cards + " D5 D5"]

    def nan(self, number):
        start = self.good(number).decode().partition(" ")[2]
        return [f"TNaN {start}", f"T20.0 PNaN {start}", f"T20.0 {start} RNaN", "T20.0 Dnan"]

    def play(self, connection, silence):
        return play_connected(connection, "fish", self.year, seed=1, silence=silence)


TABLES = {
    **{f"acpc {game.players} {position}": (AcpcTable, game, position) for game, position in ACPC},
    **{f"mit {year} {position}": (MitTable, year, position) for year, position in MIT},
}


def crash(table, file, heard):
    file.write(table.good(1)[:12])


def hang(table, file, heard):
    file.read()


def flood(table, file, heard):
    for _ in range(FLOOD // 65_536 + 1):
        file.write(b"x" * 65_536)
    file.write(b"\n")
    return _read(table, file, heard, 1)


def slow_loris(table, file, heard):
    stop = threading.Event()
    for _ in range(1000):
        file.write(b"M")
        file.flush()
        stop.wait(0.01)


def _lines(table, file, heard, lines):
    for line in lines:
        file.write(line.encode() + table.end)
    return _read(table, file, heard, len(lines))


def _read(table, file, heard, lines):
    """The answers to bad lines, where they are answered."""
    file.flush()
    heard += [file.readline().strip() for _ in range(lines * table.answers_all)]
    return True


def illegal(table, file, heard):
    return _lines(table, file, heard, table.illegal(1))


def nan(table, file, heard):
    return _lines(table, file, heard, table.nan(1))


BAD = {  # what the client says when it gives up; "": it goes on
    crash: "closed",
    hang: "nothing from",
    flood: "",
    slow_loris: "nothing from",
    illegal: "",
    nan: "",
}


def misbehaves(name, bad):
    make, *where = TABLES[name]
    for silence in SILENCE if "nothing" in BAD[bad] else [LONG] * TRIES:
        if match(make(*where), bad, silence):
            return
    raise AssertionError("the first hand was not waited for, or the agent was always late")


def match(table, bad, silence):
    """A match at a bad table; False if the client has given up before that, or was late."""
    heard, problems = [], []
    ours, theirs = socket.socketpair()
    theirs.settimeout(LONG)

    def ask(file, number):
        """A question, and its answer: what the client says of other lines comes before it."""
        file.write(table.good(number) + table.end)
        file.flush()
        known = (table.right(number), *table.late, b"")
        while (answer := file.readline().strip()) not in known:
            heard.append(answer)
        heard.append(answer)

    def serve():
        try:
            with theirs, theirs.makefile("rwb") as file:
                if table.first:
                    assert file.readline() == table.first
                ask(file, 0)
                if bad(table, file, heard):
                    ask(file, 2)
        except (BrokenPipeError, ConnectionResetError):  # the client has given up
            pass
        except BaseException as problem:
            problems.append(problem)

    before = threading.active_count()
    thread = threading.Thread(target=serve)
    thread.start()
    report = table.play(ours, silence)
    thread.join(LONG)
    assert not thread.is_alive()
    assert not problems
    assert threading.active_count() == before
    assert ours.fileno() == -1
    assert all("\n" not in line for line in report.lines())
    if heard in ([], [b""]) and "nothing" in report.broken:
        return False
    if table.late and any(fault.kind == "late" for fault in report.faults):
        return False
    assert heard[0] == table.right(0)
    if BAD[bad]:
        assert BAD[bad] in report.broken
        assert heard == [table.right(0)]
    else:
        assert heard[-1] == table.right(2)
        assert report.faults
        assert {fault.kind for fault in report.faults} == {"garbled"}
    return True


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", TABLES)
def test_a_bad_table_is_left_or_survived(name, bad):
    misbehaves(name, bad)


@pytest.mark.slow
@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", TABLES)
def test_a_hundred_bad_tables(name, bad):
    for _ in range(100):
        misbehaves(name, bad)
