"""GTO Wizard's benchmark: its documented rules, against our server and against scripts."""

import json
import threading

import pytest

from helpers.command import run_here
from tiltless.agents.registry import make_agent
from tiltless.errors import InputError, OptionError
from tiltless.games.holdem.actions import CALL, RaiseTo
from tiltless.games.holdem.histories.files import read_hands
from tiltless.protocols.adapter import Adapter
from tiltless.protocols.gtowizard.client import key_transport, play_gtowizard
from tiltless.protocols.gtowizard.dialect import GtoWizardDialect
from tiltless.protocols.gtowizard.server import GtoWizardHost, serve_gtowizard
from tiltless.protocols.gtowizard.wire import action_request, followed, parse_hand_reply
from tiltless.protocols.http_json import LostReplyError
from tiltless.protocols.saved_hands import SavedHands


def reply(history=(), position="SB", board="", over=False, **more):
    state = {
        "street": "preflop",
        "board_cards": board,
        "is_hand_over": over,
        "players": [
            {
                "name": "GTO Wizard",
                "stack": 1,
                "position": "?",
                "hole_cards": more.pop("bot", None),
            },
            {"name": "us", "stack": 1, "position": position, "hole_cards": "AhKd"},
        ],
        "legal_actions": ["f", "c", "b"],
        "raise_range": {"min": 200.0, "max": 20000.0},
        "action_history": list(history),
        "winnings": None,
        "aivat_score": None,
        "something_new": 1,
    }
    game = {"starting_stack": 20000.0, "blinds": [100.0, 50.0]}
    return {"hand_id": 7, "game": game, "game_state": {**state, **more}}


def parsed(*arguments, **more):
    return parse_hand_reply(json.dumps(reply(*arguments, **more)).encode())


@pytest.mark.parametrize(
    ("history", "position", "board", "stacks"),
    [
        ([], "SB", "", (19_950, 19_900)),  # the small blind has the button and begins
        (["b225"], "BB", "", (19_900, 19_775)),
        (["b225.0"], "BB", "", (19_900, 19_775)),
        (["c", "k", "_"], "BB", "2c7d9h", (19_900, 19_900)),
        (["b200", "c", "_", "b300", "b900"], "BB", "2c7d9h", (19_500, 18_900)),  # street totals
        (["c", "k", "_", "k"], "SB", "2c7d9h", (19_900, 19_900)),
    ],
)
def test_histories(history, position, board, stacks):
    state = followed(parsed(history, position, board))
    assert (state.actor, state.betting.stacks) == (0, stacks)


def test_a_missing_field_is_named_with_those_that_are_there():
    broken = reply()
    del broken["game_state"]["action_history"]
    with pytest.raises(InputError, match=r"action_history.*board_cards, is_hand_over"):
        parse_hand_reply(json.dumps(broken).encode())
    with pytest.raises(InputError, match=r"game_state.*hand_id"):
        parse_hand_reply(b'{"hand_id": 3}')


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"action_history": ["x"]}, "'x' is not an action"),
        ({"action_history": ["b100000"]}, "raise to 100000"),
        ({"action_history": ["_"]}, "must act"),
        ({"board_cards": "2c7d9h"}, "3 board cards"),
        ({"board_cards": "AhKd2c"}, "2c|3 board cards"),
        ({"raise_range": {"min": float("nan"), "max": 1}}, "nan"),
        ({"raise_range": {"min": 10**400, "max": 1}}, "chips"),
        ({"players": []}, "GTO Wizard"),
    ],
)
def test_what_cannot_be_is_refused(change, message):
    with pytest.raises(InputError, match=message):
        followed(parsed(**change))


def test_another_game_is_refused():
    other = reply()
    other["game"]["blinds"] = [1, 2]
    with pytest.raises(InputError, match=r"\[1, 2\].*HUNL 200BB"):
        parse_hand_reply(json.dumps(other).encode())


def test_amounts_stay_within_the_range():
    asked = parsed()
    assert action_request(RaiseTo(150), asked) == {"action": "b", "amount": 200}
    assert action_request(RaiseTo(30_000), asked) == {"action": "b", "amount": 20_000}
    assert action_request(CALL, asked) == {"action": "c"}


def test_a_hand_that_cannot_be_followed_is_checked_or_folded():
    adapter = Adapter(GtoWizardDialect(), "fish")
    assert adapter.receive(parsed(["k"], "BB")) == {"action": "f"}
    assert adapter.receive(parsed(["c"], "BB", legal_actions=["k", "b"])) == {"action": "k"}
    assert adapter.receive(parsed(["c"], "BB", legal_actions=["f"])) == {"action": "f"}
    assert [fault.kind for fault in adapter.faults] == ["garbled"]


def play(host, hands=8, key="k", **options):
    waited = []

    def send(method, path, body):
        status, found = host.answer(method, path, {"x-api-key": key}, json.loads(json.dumps(body)))
        if status != 200:
            raise LostReplyError(f"HTTP status {status}", status)
        return json.dumps(found).encode()

    report = play_gtowizard(send, "uniform", hands, pause=waited.append, **options)
    return report, waited


def server(**options):
    return GtoWizardHost(lambda: make_agent("uniform"), 5, **{"aivat": False, **options})


def test_hands_are_played_and_saved(tmp_path):
    path = tmp_path / "hands.phhs"
    with SavedHands(path, "uniform") as saved:
        report, waited = play(server(key="k"), 8, seed=1, keep=saved.keep)
    assert (report.hands, report.lost, report.broken, report.faults, waited) == (8, 0, "", (), [])
    assert tuple(hand.payoffs[0] for hand in read_hands(path)) == report.winnings
    assert {hand.button for hand in read_hands(path)} == {0, 1}


def test_the_result_does_not_depend_on_busy_answers():
    """Whether a busy answer comes before the action is applied or after, it counts once."""
    calm, _ = play(server(), 12, seed=1)
    busy, waited = play(server(busy=0.3), 12, seed=1)
    assert busy.broken == ""
    assert len(waited) > 5
    assert set(waited) <= {2.0, 4.0, 8.0, 15.0}
    assert busy.hands == 12
    assert calm.lost == 0
    assert busy.lost == sum(fault.kind == "lost" for fault in busy.faults)
    assert not [fault for fault in busy.faults if fault.kind != "lost"]


def test_a_hand_that_ended_in_a_lost_reply_is_dropped():
    host, waited = server(), []

    def send(method, path, body):
        status, found = host.answer(method, path, {}, body)
        if path.endswith("/act") and found["game_state"]["is_hand_over"] and not waited:
            status = 504
        if status != 200:
            raise LostReplyError(f"HTTP status {status}", status)
        return json.dumps(found).encode()

    report = play_gtowizard(send, "fold", 3, pause=waited.append, seed=1)
    assert (report.hands, report.lost) == (3, 1)
    assert "no longer in progress" in report.faults[0].detail
    assert waited == [2.0]


def test_twenty_tries_with_the_documented_pauses():
    def send(method, path, body):
        raise LostReplyError("HTTP status 503", 503)

    waited = []
    report = play_gtowizard(send, "fold", 3, pause=waited.append)
    assert waited == [2.0, 4.0, 8.0] + [15.0] * 17
    assert (report.hands, report.broken) == (0, "no new hand: HTTP status 503")


def test_a_refused_key_ends_the_session_at_once():
    report, waited = play(server(key="right"), key="wrong")
    assert waited == []
    assert "key" in report.broken


def test_hands_of_an_earlier_session_are_finished_when_the_table_is_full():
    host = server()
    while len(host._hands) < 20:
        assert host.answer("POST", "/hands", {}, {"game_name": "HUNL 200BB"})[0] == 200
    status, full = host.answer("POST", "/hands", {}, {"game_name": "HUNL 200BB"})
    assert (status, "20" in full["detail"]) == (409, True)
    report, waited = play(host, 3, seed=1)
    assert (report.hands, waited) == (3, [])
    assert len(host._hands) < 20


def test_five_hands_at_once():
    report, _ = play(server(busy=0.1), 30, seed=1, at_once=5)
    assert (report.hands, report.broken) == (30, "")
    with pytest.raises(OptionError, match="at_once"):
        play(server(), 3, at_once=6)


def test_the_server_tells_no_card_too_early():
    host = server()
    for _ in range(10):
        status, found = host.answer("POST", "/hands", {}, {"game_name": "HUNL 200BB"})
        while not found["game_state"]["is_hand_over"]:
            opponent = found["game_state"]["players"][1]
            assert opponent["hole_cards"] is None
            legal = found["game_state"]["legal_actions"]
            action = {"action": "k" if "k" in legal else "c" if "c" in legal else "f"}
            path = f"/hands/{found['hand_id']}/act"
            assert host.answer("POST", path, {}, {"action": "b", "amount": True})[0] == 422
            status, found = host.answer("POST", path, {}, action)
            assert status == 200


def test_over_http_and_as_a_command(tmp_path):
    http = serve_gtowizard(server(key="secret"))
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{http.server_address[1]}"
    try:
        arguments = ["connect", "gtowizard", "--agent", "fish", "--hands", "3", "--url", url]
        save = tmp_path / "hands.phhs"
        done = run_here(*arguments, "--seed", "1", "--save", str(save), GTOWIZARD_API_KEY="secret")
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("3 hands, ")
        assert len(list(read_hands(save))) == 3
        assert run_here(*arguments, "--key", "wrong").returncode == 1
        assert run_here(*arguments).returncode == 2
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


def test_keys_and_addresses():
    for key, url in (("", "http://x"), ("a\nb", "http://x"), ("k", "file:///etc/passwd")):
        with pytest.raises(OptionError):
            key_transport(key, url)
