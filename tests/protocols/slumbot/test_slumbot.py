"""Slumbot's API: every rule of its description, against our server and against scripts."""

import contextlib
import json
import socket
import subprocess
import threading
from random import Random

import pytest

from helpers.command import PROGRAM, run_here
from helpers.mutation import no_hang
from tiltless.agents.agent import Agent, Decision, check_or_call
from tiltless.agents.simple import Caller
from tiltless.arena.estimators.aivat import aivat_hand
from tiltless.errors import InputError, OptionError
from tiltless.games.game import TERMINAL
from tiltless.games.holdem.actions import CALL, FOLD, RaiseTo
from tiltless.protocols.http_json import LostReplyError
from tiltless.protocols.slumbot.client import Account, play_slumbot, web_transport
from tiltless.protocols.slumbot.server import SlumbotHost, serve_slumbot
from tiltless.protocols.slumbot.wire import followed, parse_increment, parse_reply
from tiltless.protocols.web_table import token

LONG = 30.0


def reply(action="", position=1, board=(), **more):
    found = {"action": action, "client_pos": position, "hole_cards": ["Ac", "9d"]}
    return {**found, "old_action": "", "board": list(board), **more}


def body(*arguments, **more):
    return json.dumps(reply(*arguments, **more)).encode()


FLOP, TURN, RIVER = ["3s", "2h", "Ah"], ["9s"], ["4s"]


@pytest.mark.parametrize(
    ("action", "position", "board", "actor", "stacks"),
    [
        ("", 1, [], 0, (19_950, 19_900)),  # 1 is the small blind, which acts first
        ("b200", 0, [], 0, (19_900, 19_800)),
        ("c", 0, [], 0, (19_900, 19_900)),
        ("ck/", 0, FLOP, 0, (19_900, 19_900)),  # the big blind acts first after the flop
        ("ck", 0, FLOP, 0, (19_900, 19_900)),  # without the slash
        ("b200c/kk/kk/kb200", 0, FLOP + TURN + RIVER, 0, (19_800, 19_600)),
        ("b200c/b19800", 1, FLOP, 0, (19_800, 0)),  # street totals: all-in after 200
        ("cb300c/k", 1, FLOP, 0, (19_700, 19_700)),
        ("b200b1250c/kb750b18650", 1, FLOP, 0, (18_000, 100)),
    ],
)
def test_positions_and_street_totals(action, position, board, actor, stacks):
    state = followed(parse_reply(body(action, position, board)))
    assert (state.actor, state.betting.stacks) == (actor, stacks)


@pytest.mark.parametrize("end", ["", "/", "///"])
def test_the_end_after_an_all_in_with_or_without_slashes(end):
    found = parse_reply(body(f"b20000c{end}", 1, FLOP + TURN + RIVER, bot_hole_cards=["Kd", "Kh"]))
    assert followed(found).actor == TERMINAL
    assert followed(found).payoffs == (20_000, -20_000)


@pytest.mark.parametrize(
    "wrong",
    [
        b"",
        b"<html>502 Bad Gateway</html>",
        b"[]",
        b"[" * 100_000,
        b'{"error_msg": "illegal"}',
        body(position=2),
        body(position=True),
        body(position="0"),
        body(hole_cards=["Ac"]),
        body(hole_cards=["Ac", "xx"]),
        body(hole_cards="Ac9d"),
        body(hole_cards=[{}, []]),
        body(board=["Ac"]),
        body(winnings=1e999),
        body(winnings=20_001),
        body(winnings="5"),
        json.dumps(reply() | {"action": 7}).encode(),
        body("k" * 2000),
    ],
)
def test_replies_that_are_none_are_refused_in_one_line(wrong):
    with pytest.raises(InputError) as refused:
        parse_reply(wrong)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("action", "board"),
    [
        ("x", []),
        ("b100", []),
        ("b20001", []),
        ("k", []),
        ("ckk", []),
        ("ck/", []),
        ("ck/", FLOP + TURN),
        ("b200/", []),
        ("b200f/k", []),
        ("ck/", ["3s", "3s", "Ah"]),
        ("ck/", ["3s", "Ac", "Ah"]),
    ],
)
def test_hands_that_break_the_rules_are_refused(action, board):
    with pytest.raises(InputError):
        followed(parse_reply(body(action, 1, board)))


def test_increments():
    for action, text in ((CALL, "c"), (FOLD, "f"), (RaiseTo(300), "b300")):
        assert token(action) == text
        assert parse_increment(text) == action
    for text in ("kk", "c/", "/", "b", "b-5", "", None, 5, "b300b600", "bNaN"):
        with pytest.raises(InputError):
            parse_increment(text)


class Site:
    """A site that answers with a script; a callable of the script is called, to fail."""

    def __init__(self, *replies):
        self.replies, self.asked = list(replies), []

    def __call__(self, endpoint, request):
        self.asked.append((endpoint, request))
        found = self.replies.pop(0)
        if isinstance(found, Exception):
            raise found
        return found if isinstance(found, bytes) else json.dumps(found).encode()


END = {"winnings": -100, "bot_hole_cards": ["Kd", "Kh"]}
WON = {"winnings": 50, "bot_hole_cards": ["Kd", "Kh"]}


def test_tokens_are_adopted_whenever_they_come():
    site = Site(
        reply("b300", 0, token="A"),
        reply("b300f", 0, **END),
        reply("b300", 0, token="B"),
        reply("b300f", 0, token="C", **END),
        reply("f", 0, **WON),
    )
    report = play_slumbot(site, "fold", 3, seed=1)
    assert site.asked == [
        ("new_hand", {}),
        ("act", {"token": "A", "incr": "f"}),
        ("new_hand", {"token": "A"}),
        ("act", {"token": "B", "incr": "f"}),
        ("new_hand", {"token": "C"}),
    ]
    assert report.winnings == (-100, -100, 50)
    assert (report.lost, report.broken, report.faults) == (0, "", ())
    assert report.lines()[0].startswith("3 hands, -150 chips, -500.0 ±")


@pytest.mark.parametrize(
    "lost", [LostReplyError("timed out"), b"<html>", {"error_msg": "Illegal bet"}, {}]
)
def test_an_act_is_never_sent_again(lost):
    site = Site(reply("b300", 0, token="A"), lost, reply("f", 0, **WON))
    report = play_slumbot(site, "fold", 1, seed=1)
    assert [endpoint for endpoint, _ in site.asked] == ["new_hand", "act", "new_hand"]
    assert (report.hands, report.lost) == (1, 1)
    assert report.faults[0].kind == "lost"
    assert "dropped" in report.lines()[1]


def test_a_busy_site_is_asked_again_for_a_hand():
    pauses = []
    busy = LostReplyError("HTTP status 502", 502)
    site = Site(busy, b"<html>", reply("f", 0, token="A", **WON), busy, reply("f", 0, **WON))
    report = play_slumbot(site, "fold", 2, seed=1, pause=pauses.append)
    assert (report.hands, report.lost, pauses) == (2, 0, [1.0, 2.0, 1.0])
    assert site.asked[-1] == ("new_hand", {"token": "A"})  # which was not the reason
    site = Site(*[busy] * 6)
    report = play_slumbot(site, "fold", 2, seed=1, pause=pauses.append)
    assert "502" in report.broken
    assert report.lines()[-1].startswith("broken off")


def test_a_refused_token_is_forgotten():
    refused = LostReplyError("HTTP status 401", 401)
    first = reply("f", 0, token="A", **WON)
    site = Site(first, refused, reply("f", 0, token="B", **WON))
    play_slumbot(site, "fold", 2, seed=1, pause=lambda seconds: None)
    assert [request for _, request in site.asked] == [{}, {"token": "A"}, {}]


def test_hands_that_never_work_end_the_session():
    replies = [reply("b300", 0, token="A"), LostReplyError("gone")] * 30
    report = play_slumbot(Site(*replies), "fold", 5, seed=1)
    assert (report.hands, report.lost) == (0, 20)
    assert "20 hands in a row" in report.broken


def test_a_hand_that_cannot_be_followed_is_checked_or_folded():
    site = Site(
        reply("b150", 0, token="A"),  # an illegal raise
        reply("b150f", 0, **END),
        reply("ck/", 0, [*FLOP, *TURN]),
        reply("ck/kb300", 0, ["3s"] * 3),
        reply("ck/kb300f", 0, FLOP, **END),
        reply("b200c", 0, ["3s"] * 3),  # no slash after the street
        reply("b200ckkkkkk", 0, FLOP, **END),
    )
    report = play_slumbot(site, "all-in", 3, seed=1)
    incr = [request.get("incr") for _, request in site.asked]
    assert incr == [None, "f", None, "k", "f", None, "k"]
    assert {fault.kind for fault in report.faults} == {"garbled"}
    assert report.hands == 3


class Hooks(Agent):
    def __init__(self):
        self.told = []

    def act(self, view, clock, rng):
        return Decision(check_or_call(view.actions))

    def hand_start(self, view):
        self.told.append(("start", view.cards, view.button))

    def showdown(self, view):
        self.told.append(("showdown", view.shown))

    def hand_end(self, view):
        self.told.append(("end", view.payoffs))


def direct(host):
    """A transport without a network."""

    def post(endpoint, request):
        status, found = host.answer(endpoint, json.loads(json.dumps(request)))
        if status != 200:
            raise LostReplyError(str(found), status)
        return json.dumps(found).encode()

    return post


def test_our_server_plays_whole_sessions():
    agent = Hooks()
    report = play_slumbot(direct(SlumbotHost(Caller, seed=5)), agent, 60, seed=1)
    assert (report.hands, report.faults, report.lost) == (60, (), 0)
    assert [told[2] for told in agent.told if told[0] == "start"] == [0, 1] * 30
    assert sum(told[1][0] for told in agent.told if told[0] == "end") == sum(report.winnings)
    assert sum(told[0] == "showdown" for told in agent.told) == 60
    again = play_slumbot(direct(SlumbotHost(Caller, seed=5)), Hooks(), 60, seed=2)
    assert again.winnings == report.winnings


def test_results_by_aivat_are_those_of_the_arena():
    """The client knows what it is shown: enough for the same estimate as with all cards."""
    finals = []

    class Remembers(SlumbotHost):
        def _result(self, session, end):
            finals.append(end.final)
            return super()._result(session, end)

    agent = Caller()
    report = play_slumbot(direct(Remembers(lambda: RandomAgent(3), seed=6)), agent, 80, seed=1)
    expected = [aivat_hand(final, 0, {0: agent}, 0) for final in finals]
    assert report.aivat == pytest.approx(expected, abs=1e-6)
    assert report.aivat_mbb.half_width < 0.9 * report.mbb.half_width
    unknown = play_slumbot(direct(SlumbotHost(Caller, seed=6)), Hooks(), 80, seed=1)
    assert unknown.aivat_mbb.half_width < 0.5 * unknown.mbb.half_width  # cards alone decide there


def test_random_hands_are_followed_to_the_same_results():
    """Every reply of our server is what the client's reading of it says, to the last chip."""
    report = play_slumbot(direct(SlumbotHost(lambda: RandomAgent(1), seed=9)), RandomAgent(2), 150)
    assert (report.hands, report.faults) == (150, ())


class RandomAgent(Agent):
    def __init__(self, seed):
        self.rng = Random(seed)

    def act(self, view, clock, rng):
        actions = view.actions
        if actions.max_raise and self.rng.random() < 0.4:
            top = min(actions.max_raise, 3 * actions.min_raise)
            return Decision(RaiseTo(self.rng.randint(actions.min_raise, top)))
        if actions.fold and self.rng.random() < 0.1:
            return Decision(FOLD)
        return Decision(check_or_call(actions))


def test_the_fields_of_a_reply():
    host = SlumbotHost(Caller, seed=1)
    _, first = host.answer("new_hand", {})
    token = first.pop("token")
    assert first == {
        "old_action": "",
        "action": "",
        "client_pos": 1,
        "hole_cards": first["hole_cards"],
        "board": [],
    }
    _, found = host.answer("act", {"token": token, "incr": "b200"})
    assert (found["old_action"], found["action"], len(found["board"])) == ("", "b200c/k", 3)
    assert "token" not in found
    _, found = host.answer("act", {"token": token, "incr": "b19800"})
    assert found["action"] == "b200c/kb19800c//"
    assert found["winnings"] in (-20_000, 0, 20_000)
    assert abs(found["won_pot"]) == 2 * abs(found["winnings"])
    assert (found["session_num_hands"], found["session_total"]) == (1, found["winnings"])
    assert len(found["bot_hole_cards"]) == 2
    assert found["baseline_winnings"] in (-100, 0, 100)  # two callers


@pytest.mark.parametrize("incr", ["k", "b150", "b20001", "cc", "", None, 7, "b1e3", {"a": 1}])
def test_illegal_increments_are_errors_and_change_nothing(incr):
    host = SlumbotHost(Caller, seed=1)
    token = host.answer("new_hand", {})[1]["token"]
    status, found = host.answer("act", {"token": token, "incr": incr})
    assert (status, list(found)) == (200, ["error_msg"])
    assert host.answer("act", {"token": token, "incr": "c"})[1]["action"] == "ck/k"


def test_bad_requests_and_forfeits():
    now = [0.0]
    host = SlumbotHost(Caller, seed=1, now=lambda: now[0])
    for endpoint, request, status in (
        ("act", {}, 400),
        ("act", {"token": "x", "incr": "c"}, 401),
        ("new_hand", {"token": ["x"]}, 401),
        ("new_hand", [], 400),
        ("delete", {}, 404),
    ):
        assert host.answer(endpoint, request)[0] == status
    token = host.answer("new_hand", {})[1]["token"]
    now[0] += 86_401
    assert "forfeited" in host.answer("act", {"token": token, "incr": "c"})[1]["error_msg"]
    assert "over" in host.answer("act", {"token": token, "incr": "c"})[1]["error_msg"]
    host.answer("new_hand", {"token": token})
    host.answer("new_hand", {"token": token})  # the one before is dropped
    _, found = host.answer("act", {"token": token, "incr": "f"})
    assert (found["winnings"], found["session_num_hands"]) == (-50, 3)
    assert found["session_total"] == -50 - 100 - 50


@pytest.fixture
def site():
    with serve_slumbot(SlumbotHost(Caller, seed=4)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join(LONG)


def test_over_http(site):
    report = play_slumbot(web_transport(site), "rules", 20, seed=1)
    assert (report.hands, report.lost, report.faults, report.broken) == (20, 0, (), "")
    post = web_transport(site)
    with pytest.raises(LostReplyError) as refused:
        post("act", {"token": "x", "incr": "c"})
    assert refused.value.status == 401
    with pytest.raises(LostReplyError, match="413"):
        post("new_hand", {"token": "x" * 20_000})
    with pytest.raises(LostReplyError, match="no reply"):
        web_transport("http://127.0.0.1:1")("new_hand", {})
    with pytest.raises(OptionError, match="web address"):
        web_transport("file:///etc/passwd")
    done = run_here("connect", "slumbot", "--agent", "fish", "--hands", "3", "--url", site)
    assert done.returncode == 0
    assert done.stdout.startswith("3 hands, ")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 1_500_000, "1,000,000 bytes|no reply"),
        (b"rubbish\r\n\r\n", "no reply"),
        (b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 2\r\n\r\nno", "502"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{", "no reply"),
        (b"", "no reply"),
        (None, "no reply"),
    ],
)
def test_servers_that_misbehave(said, why):
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            connection, _ = server.accept()
            with connection, contextlib.suppress(OSError):
                connection.settimeout(LONG)
                connection.recv(65_536)
                if said is None:
                    connection.recv(1)  # hangs until the client gives up
                else:
                    connection.sendall(said)

        thread = threading.Thread(target=serve)
        thread.start()
        post = web_transport(f"http://127.0.0.1:{server.getsockname()[1]}", seconds=0.5)
        with pytest.raises(LostReplyError, match=why):
            post("new_hand", {})
        thread.join(LONG)


def test_the_server_command():
    command = [*PROGRAM, "slumbot-server", "--agent", "fish", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        address = server.stdout.readline().strip()
        report = play_slumbot(web_transport(address), "fold", 2, seed=1)
        server.terminate()
    assert (report.hands, report.winnings[0]) == (2, -50)
    assert run_here("slumbot-server", "--agent", "nobody").returncode == 2


def fuzz(count, seed):
    """Mutated replies: never a crash, and the next valid one is answered as always."""
    rng = Random(seed)
    letters = '0123456789{}[]",:kcfb/AKQJTcdhs -.eE\\nul'
    valid = [reply("b300", 0), reply("", 1), reply("ck/", 0, FLOP), reply("b200c/b19800", 1, FLOP)]
    texts = [json.dumps(each) for each in [*valid, reply("b300f", 0, **END)]]
    for _ in range(count):
        text = list(rng.choice(texts))
        for _ in range(rng.choice((1, 1, 2, 5, 30))):
            index = rng.randrange(len(text) + 1)
            if rng.random() < 0.5:
                text[index : index + rng.randrange(3)] = rng.choice(letters)
            else:
                text[index : index + rng.randrange(1, 8)] = []
        good = rng.choice(valid) | {"token": "T"}
        mutated = Site("".join(text).encode(), good, reply("f", 0, **WON), *[good] * 8)
        mutated.replies += [reply("f", 0, token="T", **WON)] * 8
        with no_hang(text):
            report = play_slumbot(mutated, "fish", 1, seed=1, pause=lambda seconds: None)
        assert report.hands == 1


def test_a_thousand_mutated_replies():
    fuzz(1000, 1)


@pytest.mark.slow
def test_many_mutated_replies():
    fuzz(100_000, 2)


def test_an_account_is_logged_in_first_and_again_when_its_token_is_refused():
    host, asked = SlumbotHost(lambda: Caller(), 3), []

    def post(endpoint, sent):
        asked.append((endpoint, sent))
        status, answer = host.answer(endpoint, sent)
        if status != 200:
            raise LostReplyError("status", status)
        if len(asked) == 8:
            host._sessions.clear()
        return json.dumps(answer).encode()

    account = Account("me", "secret")
    report = play_slumbot(post, Caller(), 4, seed=1, pause=lambda _: None, account=account)
    assert (report.hands, report.broken) == (4, "")
    logins = [number for number, (endpoint, _) in enumerate(asked) if endpoint == "login"]
    assert logins[0] == 0
    assert len(logins) == 2
    assert asked[0][1] == {"username": "me", "password": "secret"}
    for login in logins:
        endpoint, sent = asked[login + 1]
        assert endpoint == "new_hand"
        assert sent["token"]
    assert host.answer("login", {"username": "me"})[0] == 401


def test_a_refused_login_ends_the_session():
    def post(endpoint, sent):
        assert endpoint == "login"
        return json.dumps({"error_msg": "wrong password"}).encode()

    report = play_slumbot(post, Caller(), 1, pause=lambda _: None, account=Account("me", "?"))
    assert report.hands == 0
    assert "wrong password" in report.broken
