"""Match states both ways, and answers as the dealer rules on them."""

import pytest

from helpers.acpc_play import random_match
from tiltless.errors import InputError
from tiltless.protocols.acpc.gamedef import GAMES
from tiltless.protocols.acpc.hand import Move
from tiltless.protocols.acpc.wire import (
    is_comment,
    match_state_text,
    parse_betting,
    parse_match_state,
    read_reply,
    ruled_move,
    version_problem,
)

GAME = GAMES["holdem.nolimit.2p.reverse_blinds"]
RECORDED = """MATCHSTATE:0:0::4cKs|
MATCHSTATE:0:0:c:4cKs|
MATCHSTATE:0:0:cc/:4cKs|/3s2hAh
MATCHSTATE:0:0:cc/c:4cKs|/3s2hAh
MATCHSTATE:0:0:cc/cc/:4cKs|/3s2hAh/9d
MATCHSTATE:0:0:cc/cc/r200:4cKs|/3s2hAh/9d
MATCHSTATE:0:0:cc/cc/r200c/cc:4cKs|KhKc/3s2hAh/9d/4s
MATCHSTATE:1:1::|4s4h
MATCHSTATE:0:3:r20000c///:3d9c|9d2s/7hKcKs/Kd/2h
MATCHSTATE:0:1:r17805r20000f:Jc6c|""".splitlines()


@pytest.mark.parametrize("line", RECORDED)
def test_recorded_lines(line):
    state = parse_match_state(line, GAME)
    assert match_state_text(state) == line
    assert state.hand.is_over == (line.endswith(("4s", "2h", "r20000f:Jc6c|")))


def test_whose_turn_it_is():
    actors = [parse_match_state(line, GAME).hand.actor for line in RECORDED]
    assert actors == [1, 0, 0, 1, 0, 1, -1, 1, -1, -1]
    three = GAMES["holdem.nolimit.3p"]
    lines = ("MATCHSTATE:2:0::||As9d", "MATCHSTATE:0:0:c:8dJd||", "MATCHSTATE:1:0:cc:|8dJd|")
    assert [parse_match_state(line, three).hand.actor for line in lines] == [2, 0, 1]
    hand = parse_betting("fr300c/", three)
    assert (hand.actor, hand.live, hand.spent) == (0, (0, 1), (300, 300, 0))


@pytest.mark.parametrize("name", GAMES)
def test_every_line_of_our_dealer_is_read_and_written(name):
    seats, _ = random_match(GAMES[name], 8, 1)
    for side, line in (line for seat in seats for line in seat.lines):
        if side == "S->":
            text = line.removesuffix("\r\n")
            assert match_state_text(parse_match_state(text, GAMES[name])) == text


@pytest.mark.parametrize(
    "line",
    [
        "",
        "MATCHSTATE",
        "MATCHSTATE:0:0:",
        "MATCHSTATE:0:0::4cKs",
        "MATCHSTATE:0:0::4cKs||",
        "MATCHSTATE:2:0::4cKs|",
        "MATCHSTATE:-1:0::4cKs|",
        "MATCHSTATE:0:4294967296::4cKs|",
        "MATCHSTATE:0:0::|4cKs",
        "MATCHSTATE:0:0::4cKs|KhKc",
        "MATCHSTATE:0:0::4c|",
        "MATCHSTATE:0:0::4c4c|",
        "MATCHSTATE:0:0::4cKx|",
        "MATCHSTATE:0:0::4cKs|/3s2hAh",
        "MATCHSTATE:0:0:cc:4cKs|/3s2hAh",
        "MATCHSTATE:0:0:cc/:4cKs|",
        "MATCHSTATE:0:0:cc/:4cKs|/3s2h",
        "MATCHSTATE:0:0:cc/:4cKs|/3s2hKs",
        "MATCHSTATE:0:0:cc//:4cKs|/3s2hAh/9d",
        "MATCHSTATE:0:0:r101:4cKs|",
        "MATCHSTATE:0:0:r:4cKs|",
        "MATCHSTATE:0:0:r0200:4cKs|",
        "MATCHSTATE:0:0:r20001:4cKs|",
        "MATCHSTATE:0:0:fc:4cKs|",
        "MATCHSTATE:0:0:cf:4cKs|",
        "MATCHSTATE:0:0:r20000c:4cKs|KhKc",
        "MATCHSTATE:0:0:r20000f:4cKs|KhKc",
        "MATCHSTATE:0:0:r20000c///:4cKs|/3s2hAh/9d/4s",
        "MATCHSTATE:0:0:c:4cKs|:c",
        "MATCHSTATE:0:0:c:4cKs| ",
        "MATCHSTATE:\u0660:0:c:4cKs|",
        "matchstate:0:0:c:4cKs|",
    ],
)
def test_what_no_dealer_sends_is_refused_in_one_line(line):
    with pytest.raises(InputError) as refused:
        parse_match_state(line, GAME)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 250


def test_cards_outside_a_small_deck_are_refused():
    kuhn = GAMES["kuhn.limit.3p"]
    assert parse_match_state("MATCHSTATE:1:7:c:|Js|", kuhn).hand.actor == 1
    with pytest.raises(InputError, match="deck"):
        parse_match_state("MATCHSTATE:1:7:c:|Ts|", kuhn)


CALLED = ("c", "invalid action, changed to call")
UNREAD = ("c", "bad action format in response, changed to call")


@pytest.mark.parametrize(
    ("betting", "action", "move", "warning"),
    [
        ("c", ":c", "c", ""),
        ("c", ":k", "c", ""),
        ("c", ":C", "c", ""),
        ("c", ":cxyz", "c", ""),
        ("c", ":r200", "r200", ""),
        ("c", ":b200", "r200", ""),
        ("c", ":R 200", "r200", ""),
        ("c", ":r200abc", "r200", ""),
        ("", ":f", "f", ""),
        ("", ":F7", "f", ""),
        ("c", ":r101", "r200", "raise of 101 increased to 200"),
        ("c", ":r-5", "r200", "raise of -5 increased to 200"),
        ("c", ":r99999", "r20000", "raise of 99999 decreased to 20000"),
        ("c", ":r" + "9" * 3000, "r20000", "raise of 2147483647 decreased to 20000"),
        ("c", ":f", *CALLED),
        ("r20000", ":r20000", *CALLED),
        ("c", ":", *CALLED),
        ("c", ":x", *CALLED),
        ("c", ":NaN", *CALLED),
        ("c", ":r", *UNREAD),
        ("c", ":rNaN", *UNREAD),
        ("c", "", *UNREAD),
        ("c", "c", *UNREAD),
        ("c", " :c", *UNREAD),
    ],
)
def test_rulings_on_answers(betting, action, move, warning):
    ruled = ruled_move(action, parse_betting(betting, GAME))
    assert (str(ruled.move), ruled.warning) == (move, warning)


def test_rulings_on_answers_in_limit():
    limit = GAMES["holdem.limit.2p.reverse_blinds"]
    assert ruled_move(":r250", parse_betting("c", limit)) == (Move("r"), "")
    assert ruled_move(":r", parse_betting("rrr", limit)) == (Move("c"), CALLED[1])


def test_answers_to_another_state_are_not_replies():
    state = parse_match_state("MATCHSTATE:0:0:c:4cKs|", GAME)
    assert read_reply("MATCHSTATE:0:0:c:4cKs|:r250", state) == ":r250"
    assert read_reply("MATCHSTATE:0:0:c:4cKs|", state) == ""
    for line in (
        "MATCHSTATE:0:0::4cKs|:c",
        "MATCHSTATE:0:1:c:4cKs|:c",
        "MATCHSTATE:1:0:c:4cKs|:c",
        "MATCHSTATE:0:0:c:4cKh|:c",
        "MATCHSTATE:0:0:cc/:4cKs|/3s2hAh:c",
        "c",
        "",
    ):
        assert read_reply(line, state) is None


@pytest.mark.parametrize(
    ("line", "good"),
    [
        ("VERSION:2.0.0", True),
        ("VERSION:2.0.7", True),
        ("VERSION:2:0:0", False),
        ("VERSION:1.0.0", False),
        ("VERSION:2.1.0", False),
        ("VERSION:2.0", False),
        ("hello", False),
        ("", False),
    ],
)
def test_versions(line, good):
    assert (version_problem(line) == "") == good


def test_comments():
    assert is_comment("# hello")
    assert is_comment(";x")
    assert not is_comment("")
    assert not is_comment("MATCHSTATE:0:0::4cKs|")
