"""The dealer: recorded dialogues, rulings, clocks, and bad players over real sockets."""

import re
import socket
import threading
from contextlib import ExitStack
from random import Random

import pytest

from helpers.acpc_play import NAMES, RandomSeat
from helpers.mutation import no_hang
from helpers.recorded import GOLDEN
from tiltless.errors import OptionError
from tiltless.protocols.acpc.dealer import deal_match
from tiltless.protocols.acpc.dialect import AcpcDialect
from tiltless.protocols.acpc.gamedef import GAMES
from tiltless.protocols.acpc.log import MatchHeader, parse_log
from tiltless.protocols.acpc.seats import AgentSeat, SeatError, listen, seat_players
from tiltless.protocols.acpc.wire import betting_text
from tiltless.protocols.adapter import Adapter

GAME = GAMES["holdem.nolimit.2p.reverse_blinds"]
THREE = GAMES["holdem.nolimit.3p"]
LONG = 30.0


def header(hands=4, seed=3, **limits):
    return MatchHeader("test", "test.game", hands, seed, **limits)


class Replays:
    """A player that makes the moves of a log, by its name."""

    def __init__(self, log, name):
        self.log, self.name, self.lines = log, name, []

    def send(self, line):
        self.lines.append(line)

    def receive(self, seconds):
        _, _, number, betting, _ = self.lines[-1].split(":")
        played = betting_text(self.log.hands[int(number)].betting)
        move = re.match(r"[fcr]\d*", played[len(betting) :])[0]
        return f"{self.lines[-1]}:{move}"


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("acpc-2p-nolimit.m1.log", "holdem.nolimit.2p.reverse_blinds"),
        ("acpc-2p-nolimit.t2.log", "holdem.nolimit.2p.reverse_blinds"),
        ("acpc-3p-nolimit.log", "holdem.nolimit.3p"),
    ],
)
def test_the_matches_of_the_real_dealer_are_played_again(file, name):
    """Same seed and same actions: the same log, byte for byte."""
    text = (GOLDEN / file).read_text()
    log = parse_log(text.splitlines(), GAMES[name])
    seats = [Replays(log, each) for each in log.seats]
    match = deal_match(GAMES[name], seats, log.seats, log.header)
    assert match.log.text == text
    assert match.error == ""
    if file == "acpc-2p-nolimit.m1.log":
        assert seats[0].lines[:5] == [
            "MATCHSTATE:0:0::4cKs|",
            "MATCHSTATE:0:0:c:4cKs|",
            "MATCHSTATE:0:0:cc/:4cKs|/3s2hAh",
            "MATCHSTATE:0:0:cc/c:4cKs|/3s2hAh",
            "MATCHSTATE:0:0:cc/cc/:4cKs|/3s2hAh/9d",
        ]
        assert "MATCHSTATE:0:0:cc/cc/r200c/cc:4cKs|KhKc/3s2hAh/9d/4s" in seats[0].lines
        assert "MATCHSTATE:1:1::|4s4h" in seats[0].lines


class Script:
    """A player that answers with given texts, then calls."""

    def __init__(self, *answers, seconds=0.0, clock=None):
        self.answers, self.line, self.limits = list(answers), "", []
        self.seconds, self.clock = seconds, clock

    def send(self, line):
        self.line = line

    def receive(self, seconds):
        self.limits.append(seconds)
        if self.clock is not None:
            self.clock[0] += self.seconds
        answer = self.answers.pop(0) if self.answers else ":c"
        if isinstance(answer, BaseException):
            raise answer
        return self.line + answer if answer.startswith(":") else answer


def test_rulings():
    said = []
    first = Script("# wait", "nonsense", "MATCHSTATE:0:9::4cKs|:c", ":f", ":r101", ":r", ":zebra")
    match = deal_match(GAME, [first, Script()], NAMES[:2], header(1), say=said.append)
    assert betting_text(match.log.hands[0].betting) == "cc/r200c/cc/cc"
    warnings = [line for line in said if line.startswith("WARNING")]
    assert warnings == [
        "WARNING: ignoring un-requested response",
        "WARNING: ignoring un-requested response",
        "WARNING: invalid action, changed to call",
        "WARNING: raise of 101 increased to 200",
        "WARNING: bad action format in response, changed to call",
        "WARNING: invalid action, changed to call",
    ]
    assert match.warnings[0].total() == 6
    assert match.warnings[1].total() == 0
    assert sum(line.startswith("TO 1 at ") for line in said) == 9


@pytest.mark.parametrize(
    ("limits", "hands"),
    [
        ({"response": 2000}, 0),  # every answer takes 3 seconds
        ({"hand": 8000}, 0),
        ({"per_hand": 7000}, 2),  # 12 seconds a hand; 4 hands have 28
        ({}, 2),
    ],
)
def test_a_player_without_time_ends_the_match(limits, hands):
    clock = [0.0]
    slow = Script(seconds=3.0, clock=clock)
    match = deal_match(GAME, [Script(), slow], NAMES[:2], header(4, **limits), now=lambda: clock[0])
    assert match.error == "seat 2: ran out of time"
    assert len(match.log.hands) == hands
    assert "SCORE" not in match.log.text
    assert (
        slow.limits[0]
        == min(limits.get("response", 600_000), limits.get("hand", 600_000), 28_000) / 1000
    )


def test_the_time_of_a_hand_begins_anew_with_each_hand():
    clock = [0.0]
    slow = Script(seconds=3.0, clock=clock)  # 12 seconds a hand
    limits = {"hand": 13_000, "per_hand": 13_000}
    players = [Script(), slow]
    match = deal_match(GAME, players, NAMES[:2], header(4, **limits), now=lambda: clock[0])
    assert match.error == ""
    assert match.seconds == (0.0, 48.0)


def test_a_lost_player_ends_the_match_and_the_log_stays():
    lost = Script(*[":c"] * 5, SeatError("the connection was closed"))
    match = deal_match(THREE, [Script(), lost, Script()], NAMES, header(9))
    assert match.error == "seat 2: the connection was closed"
    assert len(match.log.hands) == 1
    assert not match.log.is_complete
    assert parse_log(match.log.text.splitlines(), THREE).text == match.log.text


def test_an_interrupted_match_keeps_its_hands():
    stopped = Script(*[":c"] * 5, KeyboardInterrupt())
    match = deal_match(GAME, [Script(), stopped], NAMES[:2], header(9))
    assert (match.error, len(match.log.hands)) == ("stopped", 1)


def test_fixed_seats_do_not_rotate():
    seats = [Script(), Script(), Script()]
    match = deal_match(THREE, seats, NAMES, header(2), fixed=True)
    assert [hand.names for hand in match.log.hands] == [NAMES, NAMES]
    rotating = deal_match(THREE, seats, NAMES, header(2))
    assert rotating.log.hands[1].names == ("Bob", "Carol", "Alice")
    assert rotating.log.hands[1].hole == match.log.hands[1].hole


def test_players_and_names_that_do_not_fit():
    with pytest.raises(OptionError, match="3 players"):
        deal_match(THREE, [Script()] * 2, NAMES[:2], header())
    with pytest.raises(OptionError, match="different"):
        deal_match(GAME, [Script()] * 2, ("A", "A"), header())
    with pytest.raises(OptionError, match="hands"):
        deal_match(GAME, [Script()] * 2, NAMES[:2], header(0))


def agent_seat(game, text="fish"):
    return AgentSeat(Adapter(AcpcDialect(game), text))


class Impatient:
    """A seat that is waited for as long as it takes, but shortly once a player has turned bad."""

    def __init__(self, seat, bad):
        self.seat, self.bad, self.send = seat, bad, seat.send

    def receive(self, seconds):
        while True:
            was_bad = self.bad.is_set()
            try:
                return self.seat.receive(0.1)
            except SeatError as problem:
                if was_bad or "no answer" not in str(problem):
                    raise


def serve(game, clients, hands=6, bad=None):
    """A match over sockets, each client ``talk(file)`` in a thread of its own; what came of it.

    bad: an event that is set when a player begins to misbehave.
    """
    problems = []

    def run(port, talk):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=LONG) as connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with connection.makefile("rwb") as file:
                    talk(file)
        except (BrokenPipeError, ConnectionResetError):  # the dealer has ended the match
            pass
        except BaseException as problem:
            problems.append(problem)

    with ExitStack() as stack:
        servers = listen([0] * game.players, "127.0.0.1", stack)
        ports = [server.getsockname()[1] for server in servers]
        threads = [
            threading.Thread(target=run, args=each) for each in zip(ports, clients, strict=True)
        ]
        for thread in threads:
            thread.start()
        match = error = None
        try:
            seats = seat_players(servers, stack, LONG)
            if bad is not None:
                seats = [Impatient(seat, bad) for seat in seats]
            match = deal_match(game, seats, NAMES[: game.players], header(hands))
        except SeatError as problem:
            error = str(problem)
    for thread in threads:
        thread.join(LONG)
        assert not thread.is_alive()
    assert not problems
    return match, error


def stock(version=b"VERSION:2.0.0\n", decisions=None, last=None):
    """A client as the stock one: echoes the line with a call; ``last`` after some decisions."""

    def talk(file):
        file.write(version)
        file.flush()
        made = 0
        while line := file.readline():
            text = line.strip()
            _, position, _, betting, _ = text.decode().split(":")
            if _is_turn(int(position), betting, text):
                if made == decisions:
                    last(file, text)
                    return
                made += 1
                file.write(text + b":c\r\n")
                file.flush()

    return talk


def _is_turn(position, betting, text):
    """By the protocol alone: everybody calls, so turns are counted. Two or three players."""
    players = text.count(b"|") + 1
    rounds = betting.split("/")
    if betting.count("c") == 4 * players:
        return False
    first = players - 1 if len(rounds) == 1 else 0
    return (first + len(rounds[-1])) % players == position


@pytest.mark.parametrize("game", [GAME, THREE])
def test_stock_clients_play_a_match(game):
    match, _ = serve(game, [stock() for _ in range(game.players)])
    assert match.error == ""
    assert len(match.log.hands) == 6
    assert [warnings.total() for warnings in match.warnings] == [0] * game.players
    assert match.log.replayed(game).text == match.log.text


def killed(file, text):
    """It is gone in the middle of a line."""
    file.write(text[:10])


def hangs(file, text):
    """It says nothing more, but stays."""
    file.read()


def drips(file, text):
    """A slow loris: a byte now and then, but never a line."""
    stop = threading.Event()
    for _ in range(1000):
        file.write(b"M")
        file.flush()
        stop.wait(0.02)


def floods(file, text):
    """10 MB without an end of a line."""
    for _ in range(160):
        file.write(b"x" * 65_536)
    file.flush()
    file.read()


def chatters(file, text):
    """Lines that are not asked for, until it is cut off."""
    for _ in range(20):
        file.write(b"MATCHSTATE:0:77::4cKs|:c\n#\n\n\xff\n" * 100)
    file.flush()
    file.read()


BAD = {
    killed: "closed",
    hangs: "no answer",
    drips: "no answer",
    floods: "no answer",
    chatters: "no answer",
}
SEATS = [
    (GAME, 0),
    (GAME, 1),
    (THREE, 0),
    (THREE, 1),
    (THREE, 2),
]
IN_EVERY_SEAT = pytest.mark.parametrize(
    ("game", "seat"), SEATS, ids=lambda each: str(getattr(each, "players", each))
)


@IN_EVERY_SEAT
@pytest.mark.parametrize("bad", BAD)
def test_bad_clients_end_the_match_in_every_seat(bad, game, seat):
    clients = [stock() for _ in range(game.players)]
    turned = threading.Event()

    def misbehave(file, text):
        turned.set()
        bad(file, text)

    clients[seat] = stock(decisions=6, last=misbehave)
    before = threading.active_count()
    match, _ = serve(game, clients, bad=turned)
    assert match.error.startswith(f"seat {seat + 1}: ")
    assert BAD[bad] in match.error
    assert len(match.log.hands) == 1
    assert not match.log.is_complete
    assert match.log.text == match.log.replayed(game).text
    assert threading.active_count() == before


RULED = {  # answers that become calls, as those who count turns here expect
    "illegal": [b":f", b":z", b":?", b"::c"],
    "NaN": [b":rNaN", b":nan", b":r-inf", b":r"],
}


@IN_EVERY_SEAT
@pytest.mark.parametrize("kind", RULED)
def test_answers_that_do_not_count_cost_only_their_player(kind, game, seat):
    def ruled(file):
        file.write(b"VERSION:2.0.0\n")
        file.flush()
        made = 0
        while line := file.readline():
            text = line.strip()
            _, position, _, betting, _ = text.decode().split(":")
            if _is_turn(int(position), betting, text):
                bad = RULED[kind][made % 4]
                made += 1
                free = "/" in betting  # a fold before the flop would be legal
                file.write(text + (bad if free or bad != b":f" else b":?") + b"\r\n")
                file.flush()

    clients = [stock() for _ in range(game.players)]
    clients[seat] = ruled
    before = threading.active_count()
    match, _ = serve(game, clients)
    assert match.error == ""
    assert match.log.is_complete
    for other, warnings in enumerate(match.warnings):
        assert warnings.total() == (24 if other == seat else 0)  # 4 in each of 6 hands
    assert {betting_text(hand.betting) for hand in match.log.hands} == {
        "/".join(["c" * game.players] * 4)
    }
    assert threading.active_count() == before


@pytest.mark.parametrize(
    ("version", "said"),
    [
        (b"VERSION:2:0:0\n", "seat 2: invalid version"),
        (b"VERSION:3.0.0\r\n", "seat 2: version 3.0.0"),
        (b"\xff" * 10_000 + b"\n", "seat 2: invalid version"),
        (b"", "seat 2: could not read version"),
    ],
)
def test_versions_are_checked(version, said):
    def talk(file):
        file.write(version)
        file.flush()
        if version:
            file.read()

    _, error = serve(GAME, [stock(), talk])
    assert said in error


def test_players_that_do_not_come_are_not_waited_for():
    with ExitStack() as stack:
        servers = listen([0, 0], "127.0.0.1", stack)
        with pytest.raises(SeatError, match="seat 1 to connect"):
            seat_players(servers, stack, 0.05)
        port = servers[0].getsockname()[1]
        with pytest.raises(OptionError, match=str(port)):
            listen([port], "127.0.0.1", stack)
        with pytest.raises(OptionError, match="no such host"):
            listen([0], "no such host", stack)


@pytest.mark.slow
@IN_EVERY_SEAT
@pytest.mark.parametrize("bad", BAD)
def test_bad_clients_a_hundred_times(bad, game, seat):
    for _ in range(100):
        test_bad_clients_end_the_match_in_every_seat(bad, game, seat)


@pytest.mark.slow
@IN_EVERY_SEAT
@pytest.mark.parametrize("kind", RULED)
def test_answers_that_do_not_count_a_hundred_times(kind, game, seat):
    for _ in range(100):
        test_answers_that_do_not_count_cost_only_their_player(kind, game, seat)


class Garbles(RandomSeat):
    """Sends a mutated answer before each of its answers, and counts them."""

    sent = 0
    is_next_right = False

    def receive(self, seconds):
        self.is_next_right = not self.is_next_right
        answer = super().receive(seconds)
        if not self.is_next_right:
            return answer
        self.lines.pop()  # the state is answered again
        self.sent += 1
        text = list(answer)
        for _ in range(self.rng.choice((1, 1, 2, 5, 30))):
            index = self.rng.randrange(len(text) + 1)
            text[index : index + self.rng.randrange(3)] = self.rng.choice("0123456789:|/fcrA \0é")
        return "".join(text)

    def send(self, line):
        self.is_next_right = False  # a mutated answer that counts is not followed by another
        super().send(line)


def garble(count, seed):
    sent = 0
    while sent < count:
        for name, game in GAMES.items():
            seats = [Garbles(game, Random(f"{seed} {sent} {n}")) for n in range(game.players)]
            with no_hang(name):  # of all answers together
                match = deal_match(game, seats, NAMES[: game.players], header(20, seed=seed))
            assert match.error == "", name
            assert match.log.replayed(game).text == match.log.text
            assert sum(match.log.totals) == pytest.approx(0, abs=1e-6)
            sent += sum(seat.sent for seat in seats)


def test_a_thousand_mutated_answers():
    garble(1000, 1)


@pytest.mark.slow
def test_many_mutated_answers():
    garble(100_000, 2)
