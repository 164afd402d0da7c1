"""Logs of the real dealer, reproduced byte for byte; logs that are wrong."""

import pytest

from helpers.acpc_play import random_match
from helpers.recorded import GOLDEN
from tiltless.errors import InputError
from tiltless.protocols.acpc.gamedef import GAMES
from tiltless.protocols.acpc.log import MatchLog, chips_text, parse_log

RECORDED = {
    "acpc-2p-nolimit.m1.log": "holdem.nolimit.2p.reverse_blinds",
    "acpc-2p-nolimit.t2.log": "holdem.nolimit.2p.reverse_blinds",
    "acpc-3p-nolimit.log": "holdem.nolimit.3p",
}
T2 = (GOLDEN / "acpc-2p-nolimit.t2.log").read_text()
GAME = GAMES["holdem.nolimit.2p.reverse_blinds"]


@pytest.mark.parametrize("name", RECORDED)
def test_real_logs_come_out_again_from_their_seed_and_actions(name):
    game, text = GAMES[RECORDED[name]], (GOLDEN / name).read_text()
    log = parse_log(text.splitlines(), game)
    assert log.is_complete
    assert log.text == text
    again = log.replayed(game)
    assert again.text == text
    assert all(hand is not other for hand, other in zip(log.hands, again.hands, strict=True))


@pytest.mark.parametrize("name", GAMES)
def test_our_logs_are_read_and_replayed(name):
    _, match = random_match(GAMES[name], 12, 5)
    text = match.log.text
    assert parse_log(text.splitlines(), GAMES[name]).text == text
    assert match.log.replayed(GAMES[name]).text == text
    assert sum(match.log.totals) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("STATE:1:r17805", "STATE:1:r17804", "line 6"),  # its result is another
        ("8dJd|Td4d", "8dJd|8d4d", "twice"),
        ("8dJd|Td4d", "8dJd|Td", "wrong number"),
        ("8dJd|Td4d", "8dJd|", "all cards"),
        ("/As9d6s/3d/6c", "/As9d6s/3d", "rounds"),
        (":20000|-20000:Alice", ":20000|-2000:Alice", "20000|-20000"),
        ("SCORE:-1263|1263", "SCORE:-1263|1264", "score"),
        ("r20000f:Jc6c", "r20000:Jc6c", "whole hand"),
        ("cc/r2381c", "cc/r199c", "legal"),
        ("cc/r2381c", "cc/r2381cc", "legal"),
        ("STATE:2", "STATES:2", "STATE:0"),
        (":Bob|Alice\nSTATE:2", ":Bob|Bob\nSTATE:2", "names"),
        (":Bob|Alice\nSTATE:2", ":Bob|Eve\nSTATE:2", "other players"),
    ],
)
def test_lines_that_are_wrong_are_named(old, new, said):
    assert old in T2
    with pytest.raises(InputError) as refused:
        parse_log(T2.replace(old, new, 1).splitlines(), GAME)
    assert said in str(refused.value)
    assert str(refused.value).startswith("line ")
    with pytest.raises(InputError, match="after the score"):
        parse_log([*T2.splitlines(), T2.splitlines()[5]], GAME)


def test_a_log_that_was_cut_has_no_score():
    text = T2[: T2.index("SCORE")]
    log = parse_log(text.splitlines(), GAME)
    assert not log.is_complete
    assert log.text == text
    assert log.totals == (-1263.0, 1263.0)
    later = parse_log(text.splitlines()[5:], GAME)  # begins with hand 1
    assert later.seats == log.seats
    with pytest.raises(InputError, match="seed"):
        later.replayed(GAME)
    assert parse_log([], GAME) == MatchLog(None, ())


def test_chips_have_at_most_six_decimals():
    texts = [chips_text(each) for each in (0.0, -0.5, 100 / 3, 20_000.0, -1e9, 12.25)]
    assert texts == ["0", "-0.5", "33.333333", "20000", "-1000000000", "12.25"]
