"""Our client: at our dealer over real sockets, at dealers that misbehave, and by its command."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack

import pytest

from helpers.acpc_play import NAMES
from helpers.command import PROGRAM, run_here
from helpers.line_peer import LONG, peer
from tiltless.agents.agent import Agent, Decision, check_or_call
from tiltless.agents.registry import make_agent
from tiltless.errors import FileError, OptionError
from tiltless.games import load
from tiltless.protocols.acpc.client import play_at_dealer
from tiltless.protocols.acpc.dealer import deal_match
from tiltless.protocols.acpc.gamedef import GAMES, gamedef_text
from tiltless.protocols.acpc.log import MatchHeader, parse_log
from tiltless.protocols.acpc.pace import Pace
from tiltless.protocols.acpc.seats import SocketSeat, listen, seat_players
from tiltless.protocols.acpc.small_games import TabularAgent, small_agent, small_game
from tiltless.tabular.flat import flatten
from tiltless.tabular.strategy import Strategy

GAME = GAMES["holdem.nolimit.2p.reverse_blinds"]


def says(*lines):
    """A dealer that reads the version, and answers to its lines that end with ``?``."""
    answers = []

    def talk(file):
        answers.append(file.readline())
        for line in lines:
            file.write(line if isinstance(line, bytes) else line.strip("?").encode() + b"\r\n")
            file.flush()
            if not isinstance(line, bytes) and line.endswith("?"):
                answers.append(file.readline())

    return talk, answers


HAND = (
    "MATCHSTATE:0:0::4cKs|",
    "MATCHSTATE:0:0:c:4cKs|?",
    "MATCHSTATE:0:0:cc/:4cKs|/3s2hAh?",
    "MATCHSTATE:0:0:cc/cr300:4cKs|/3s2hAh?",
    "MATCHSTATE:0:0:cc/cr300f:4cKs|/3s2hAh",
)


def play(talk, agent="fold", game=GAME, **options):
    with peer(talk) as connection:
        return play_at_dealer(connection, agent, game, **options)


def test_a_match_ends_when_the_dealer_closes():
    talk, answers = says("# welcome", *HAND, "MATCHSTATE:1:1:f:|4s4h")
    report = play(talk, seed=5)
    assert answers == [
        b"VERSION:2.0.0\r\n",
        b"MATCHSTATE:0:0:c:4cKs|:c\r\n",
        b"MATCHSTATE:0:0:cc/:4cKs|/3s2hAh:c\r\n",
        b"MATCHSTATE:0:0:cc/cr300:4cKs|/3s2hAh:f\r\n",
    ]
    assert (report.hands, report.chips, report.broken) == (2, -150.0, "")
    assert report.lines() == ["2 hands, -150 chips, seed 5"]
    talk, _ = says(*HAND)
    assert "before the match was over" in play(talk, hands=2).broken
    talk, _ = says(*HAND[:3])
    assert "before the match was over" in play(talk).broken
    assert "before the match was over" in play(lambda file: None).broken


def test_silence_and_floods_of_a_dealer():
    assert "nothing from the dealer" in play(lambda file: file.read(), silence=0.2).broken
    huge = b"MATCHSTATE:0:0:" + b"c" * 10_000_000 + b"\r\n"
    talk, answers = says(huge, b"\xff\xfe\r\n", b"\r\n", *HAND)
    report = play(talk)
    assert len(answers) == 4
    assert (report.hands, report.broken) == (1, "")
    assert [fault.kind for fault in report.faults] == ["garbled"] * 3
    assert "3 garbled" in report.lines()[1]


def test_a_late_agent_checks_or_folds_and_comes_back():
    gate = threading.Event()

    class Late(Agent):
        def act(self, view, clock, rng):
            if view.bets[1] == 300:
                assert gate.wait(LONG)
            return Decision(check_or_call(view.actions))

    def talk(file):
        file.readline()
        for line in ("MATCHSTATE:0:0:r300:4cKs|", "MATCHSTATE:0:1:c:4cKs|"):
            if line.endswith("c:4cKs|"):
                gate.set()
            file.write(f"{line}\r\n".encode())
            file.flush()
            answers.append(file.readline().decode().strip()[-2:])
        file.write(b"MATCHSTATE:0:1:cf:4cKs|\r\n")

    answers = []
    report = play(talk, Late, pace=Pace(0.2, 1.0))
    assert answers[0] == ":f"
    assert answers[1] in (":c", ":f")
    assert report.faults[0].kind == "late"


def test_the_agent_is_loaded_before_the_match_begins():
    loaded, order = threading.Event(), []

    class Loads(Agent):
        def __init__(self):
            order.append("made")
            loaded.set()

        def act(self, view, clock, rng):
            order.append(view.street_name)
            return Decision(check_or_call(view.actions))

    def talk(file):
        assert file.readline() == b"VERSION:2.0.0\r\n"
        order.append("version")

    play(talk, Loads)
    assert order == ["made", "made", "preflop", "flop", "turn", "river", "version"]


def test_agents_that_do_not_exist_or_cannot_play():
    for agent, said in (("no-such-agent", "no-such-agent"), ("os:system", "trusted")):
        with pytest.raises(OptionError, match=said):
            play(lambda file: file.readline(), agent)

    class Refuses(Agent):
        def act(self, view, clock, rng):
            raise AssertionError

        def check_table(self, game, rules):
            raise OptionError(f"cannot play {game} with {rules.stacks}")

    with pytest.raises(OptionError, match=r"nlhe with \(20000, 20000\)"):
        play(lambda file: file.readline(), Refuses)
    with pytest.raises(OptionError, match="tabular"):
        play(lambda file: file.readline(), "search", GAMES["kuhn.limit.2p"])


def match_of_clients(game, agents, hands=20, seed=4, start=LONG):
    """Our dealer and our clients over socket pairs: the match and the reports."""
    reports = [None] * len(agents)

    def run(index, connection, agent):
        reports[index] = play_at_dealer(connection, agent, game, seed=index, hands=hands)

    pairs = [socket.socketpair() for _ in agents]
    threads = [
        threading.Thread(target=run, args=(index, pair[0], agent))
        for index, (pair, agent) in enumerate(zip(pairs, agents, strict=True))
    ]
    for thread in threads:
        thread.start()
    seats = [SocketSeat(pair[1]) for pair in pairs]
    for seat in seats:
        assert seat.receive(start) == "VERSION:2.0.0"
    names = NAMES[: game.players]
    match = deal_match(game, seats, names, MatchHeader("m", "g", hands, seed))
    for pair in pairs:
        pair[1].close()
    for thread in threads:
        thread.join(LONG)
    return match, reports


@pytest.mark.parametrize("name", GAMES)
def test_our_clients_play_every_game_at_our_dealer(name):
    game = GAMES[name]
    strong = "rules" if "holdem" in name else "fish"
    match, reports = match_of_clients(game, [strong, *["uniform"] * (game.players - 1)])
    assert match.error == ""
    assert [warnings.total() for warnings in match.warnings] == [0] * game.players
    assert [report.chips for report in reports] == pytest.approx(list(match.log.totals))
    for report in reports:
        assert (report.hands, report.faults, report.broken) == (20, (), "")


@pytest.mark.slow
def test_search_plays_at_our_dealer():
    """Turns and rivers are searched, and no decision is late."""
    sources = []

    def search():
        agent = make_agent("search:iterations=2")
        act = agent.act

        def noted(view, clock, rng):
            decision = act(view, clock, rng)
            sources.append((view.street, decision.source))
            return decision

        agent.act = noted
        return agent

    match, reports = match_of_clients(GAME, [search, "fish"], hands=12, start=600.0)
    assert match.error == ""
    assert [warnings.total() for warnings in match.warnings] == [0, 0]
    assert [report.chips for report in reports] == pytest.approx(list(match.log.totals))
    assert {(2, "search"), (3, "search")} <= {*sources}
    for report in reports:
        assert (report.hands, report.faults, report.broken) == (12, (), "")


def test_a_solved_strategy_plays_kuhn(tmp_path):
    """The strategy of the file is followed: with a king it always bets, with others never."""
    game = GAMES["kuhn.limit.2p"]
    flat = flatten(load("kuhn"))
    table = Strategy.uniform(flat).table.copy()
    for number, (_, public, card) in enumerate(flat.keys):
        start, end = flat.tree.start[number : number + 2]
        brave = card == "K"
        table[start:end] = [not brave, brave]
        assert isinstance(public, str)
    path = tmp_path / "kuhn.safetensors"
    Strategy(flat, table).save(path)
    match, _ = match_of_clients(game, [f"tabular:file={path}", "fish"], hands=60)
    for hand in match.log.hands:
        ours = hand.names.index("Alice")
        best = hand.hole[ours][0] == 51
        assert ("r" in "".join(map(str, hand.betting.rounds[0]))) == best
    with pytest.raises(OptionError, match="file"):
        small_agent("tabular:path=x", game)
    with pytest.raises(FileError):
        small_agent(f"tabular:file={path}", GAMES["leduc.limit.2p"])


def test_kuhn_solved_at_once_is_close_to_equilibrium():
    agent = small_agent("tabular", GAMES["kuhn.limit.2p"])
    assert isinstance(agent, TabularAgent)
    state = load("kuhn").start().apply(2).apply(0)  # a king against a jack
    assert agent.strategy[state.apply("bet").infoset(1)]["fold"] == pytest.approx(1, abs=0.01)


def test_small_games_are_recognised():
    assert small_game(GAMES["leduc.limit.3p"]) == load("leduc", players=3)
    assert small_game(GAMES["leduc.limit.2p"]) == load("leduc")
    assert small_game(GAMES["kuhn.limit.3p"]) == load("kuhn", players=3)
    assert small_game(GAME) is None


def test_the_pace():
    now = [0.0]
    pace = Pace(7.0, 600.0, now=lambda: now[0])
    pace.next_hand()
    assert pace.asked() == 3.5
    assert pace.limit(3.5) == 7.0
    now[0] += 3.0
    pace.answered()
    assert pace.asked() == 2.0
    now[0] += 30.0
    pace.answered()
    assert pace.asked() < 0.01
    for _ in range(1000):
        pace.next_hand()
    assert pace.asked() == 300.0
    assert pace.limit(300.0) == 480.0
    with pytest.raises(OptionError, match="per_hand"):
        Pace(0.0)


def test_the_commands_play_a_match_with_each_other(tmp_path):
    log, file = tmp_path / "match.log", tmp_path / "three.game"
    file.write_text(gamedef_text(GAMES["holdem.limit.3p"]))
    command = [*PROGRAM, "acpc-dealer", str(file), "--hands", "5", "--seed", "7"]
    command += ["--ports", "0,rules,fish", "--names", "A,B,C", "--log", str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as dealer:
        port = dealer.stdout.readline().strip()
        options = ("--agent", "uniform", "--game", str(file), "--hands", "5", "--seed", "1")
        done = run_here("connect", "acpc", "127.0.0.1", port, *options)
        score = dealer.stdout.read()
    assert (done.returncode, done.stderr, dealer.returncode) == (0, "", 0)
    played = parse_log(log.read_text().splitlines(), GAMES["holdem.limit.3p"])
    assert score == played.score_text + "\n"
    assert log.read_text().startswith("# name/game/hands/seed match three.game 5 7\n")
    assert re.match(r"5 hands, [+-][\d.]+ chips, seed 1\n", done.stdout)


def test_a_server_plays_with_little():
    talk, answers = says(*HAND)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            connection, _ = server.accept()
            connection.settimeout(LONG)
            with connection, connection.makefile("rwb") as file:
                talk(file)

        thread = threading.Thread(target=serve)
        thread.start()
        port = str(server.getsockname()[1])
        command = [sys.executable, "-m", "tiltless.protocols.acpc", "127.0.0.1", port]
        done = subprocess.run([*command, "--agent", "fold"], capture_output=True, text=True)
        thread.join(LONG)
    assert done.returncode == 0, done.stderr
    assert len(answers) == 4
    assert "1 hand, -100 chips" in done.stdout


@pytest.mark.skipif(os.name != "posix", reason="signals are of POSIX systems")
@pytest.mark.parametrize(
    ("signal_", "said"),
    [(signal.SIGKILL, "closed|lost|could not send"), (signal.SIGSTOP, r"no answer within 1\.0 s")],
)
def test_programs_that_are_killed_or_stopped_end_the_match(signal_, said):
    """Real processes and sockets; the players are started before the dealer listens."""
    ports = []
    for _ in range(2):
        with socket.create_server(("127.0.0.1", 0)) as server:
            ports.append(server.getsockname()[1])
    command = [sys.executable, "-m", "tiltless.protocols.acpc", "127.0.0.1"]
    players = [
        subprocess.Popen(
            [*command, str(port), "--agent", "fish", "--hands", "500"],
            stdout=subprocess.PIPE,
            text=True,
        )
        for port in ports
    ]

    def progress(hands):
        if hands == 5:
            players[1].send_signal(signal_)

    try:
        with ExitStack() as stack:
            seats = seat_players(listen(ports, "127.0.0.1", stack), stack, LONG)
            header = MatchHeader("m", "g", 500, 3, response=1000)
            match = deal_match(GAME, seats, NAMES[:2], header, progress=progress)
        assert match.error.startswith("seat 2: ")
        assert re.search(said, match.error)
        assert 5 <= len(match.log.hands) < 500
        assert not match.log.is_complete
        out, _ = players[0].communicate(timeout=LONG)
        assert players[0].returncode == 1
        assert "broken off: the dealer closed the connection" in out
    finally:
        for player in players:
            player.kill()
            player.communicate()


@pytest.mark.parametrize(
    "arguments",
    [
        ("acpc-dealer", "holdem.limit.9p"),
        ("connect", "acpc", "localhost", "1", "--agent", "fish", "--game", "chess"),
        ("acpc-dealer", "kuhn.limit.2p", "--ports", "1,2,3"),
        ("acpc-dealer", "kuhn.limit.2p", "--ports", "0,70000"),
        ("acpc-dealer", "kuhn.limit.2p", "--ports", "search,fish"),
        ("acpc-dealer", "kuhn.limit.2p", "--names", "A,B|C"),
        ("acpc-dealer", "kuhn.limit.2p", "--ports", "fish,fish", "--names", "A,A"),
        ("acpc-dealer", "kuhn.limit.2p", "--log", "no/folder/match.log"),  # waits for nobody
    ],
)
def test_mistakes_in_the_command_are_one_line(arguments):
    done = run_here(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1


def test_a_dealer_between_two_agents_and_nobody_who_comes():
    done = run_here("acpc-dealer", "kuhn.limit.2p", "--ports", "fish,uniform", "--hands", "9")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].startswith("SCORE:")
    done = run_here("acpc-dealer", "kuhn.limit.2p", "--start-timeout", "30")
    assert done.returncode == 1
    assert "timed out waiting for seat 1" in done.stderr
