"""Game definitions: read as the original does, written as it writes, refused in one line."""

import dataclasses

import pytest

from tiltless.errors import InputError, OptionError
from tiltless.protocols.acpc.gamedef import (
    GAMES,
    UNLIMITED,
    gamedef_text,
    load_gamedef,
    parse_gamedef,
)

# as the server's files are written, with comments and other spacing
REVERSE = """# a comment
gamedef
NoLimit
numPlayers = 2
numRounds = 4
stack = 20000 20000   # chips
blind = 100 50
firstPlayer = 2 1 1 1
numSuits = 4
numRanks = 13
numHoleCards = 2

numBoardCards 0 3 1 1
End GameDef
what follows is not read
"""


def test_a_file_with_comments_is_the_game():
    game = parse_gamedef(REVERSE)
    assert game == GAMES["holdem.nolimit.2p.reverse_blinds"]
    assert (game.first, game.max_raises, game.raise_sizes) == ((1, 0, 0, 0), (255,) * 4, ())
    limit = GAMES["holdem.limit.2p.reverse_blinds"]
    assert (limit.stacks, limit.max_raises) == ((UNLIMITED,) * 2, (3, 4, 4, 4))


@pytest.mark.parametrize("name", GAMES)
def test_writing_and_reading_are_inverse(name):
    text = gamedef_text(GAMES[name])
    assert parse_gamedef(text) == GAMES[name]
    assert gamedef_text(parse_gamedef(text.upper())) == text


def test_the_text_of_the_original():
    assert gamedef_text(GAMES["kuhn.limit.3p"]) == (
        "GAMEDEF\nlimit\nnumPlayers = 3\nnumRounds = 1\nblind = 1 1 1\nraiseSize = 1\n"
        "maxRaises = 1\nnumSuits = 1\nnumRanks = 4\nnumHoleCards = 1\nnumBoardCards = 0\n"
        "END GAMEDEF\n"
    )


def test_decks_are_the_highest_cards_by_suits():
    assert GAMES["kuhn.limit.2p"].deck == (43, 47, 51)  # Qs Ks As
    assert len(GAMES["holdem.limit.3p"].deck) == 52
    assert GAMES["leduc.limit.2p"].deck == (42, 46, 50, 43, 47, 51)


def test_more_numbers_than_needed_are_ignored():
    text = gamedef_text(GAMES["kuhn.limit.2p"]).replace("maxRaises = 1", "maxRaises = 1 7 7")
    assert parse_gamedef(text) == GAMES["kuhn.limit.2p"]


@pytest.mark.parametrize(
    ("line", "other", "said"),
    [
        ("numPlayers = 2", "", "numplayers"),
        ("numPlayers = 2", "numPlayers = 11", "11"),
        ("numPlayers = 2", "numPlayers = 1", "players=1"),
        ("numPlayers = 2", "numPlayrs = 2", "numPlayrs"),
        ("numPlayers = 2", "numPlayers = two", "two"),
        ("numPlayers = 2", "numPlayers = 9999999999", "players=9999999999"),
        ("numRounds = 4", "numRounds = 5", "rounds=5"),
        ("numRounds = 4", "numRounds = 9999999999", "rounds=9999999999"),
        ("numRounds = 4", f"numRounds = {'1' * 2000}x", "not a line"),  # at once
        ("blind = 100 50", "blind = 100", "blind has 1"),
        ("blind = 100 50", "blind = 100 20001", "20001"),
        ("blind = 100 50", "blind = 20000 20000", "every stack"),
        ("blind = 100 50", "blind = -1 50", "-1"),
        ("stack = 20000 20000", "stack = 20000", "stack has 1"),
        ("firstPlayer = 2 1 1 1", "firstPlayer = 3 1 1 1", "firstPlayer"),
        ("firstPlayer = 2 1 1 1", "firstPlayer = 0 1 1 1", "firstPlayer"),
        ("numSuits = 4", "numSuits = 0", "suits=0"),
        ("numRanks = 13", "numRanks = 2", "too small"),
        ("numHoleCards = 2", "numHoleCards = 4", "hole_cards=4"),
        ("numBoardCards = 0 3 1 1", "numBoardCards = 0 3 1", "numBoardCards has 3"),
        ("numBoardCards = 0 3 1 1", "numBoardCards = 0 3 1 9", "board"),
        ("nolimit", "limit", "raiseSize"),
        ("nolimit", "nolimit" + "\n" * 70_000, "70,"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(line, other, said):
    text = gamedef_text(GAMES["holdem.nolimit.2p.reverse_blinds"])
    assert line in text
    with pytest.raises(InputError) as refused:
        parse_gamedef(text.replace(line, other))
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_names_and_files(tmp_path):
    assert load_gamedef("holdem.limit.3p.game") is GAMES["holdem.limit.3p"]
    path = tmp_path / "mine.game"
    mine = dataclasses.replace(GAMES["holdem.nolimit.3p"], stacks=(500,) * 3)
    path.write_text(gamedef_text(mine))
    assert load_gamedef(str(path)) == mine
    with pytest.raises(OptionError, match=r"holdem\.limit\.3p"):
        load_gamedef("holdem.limit.4p")
    for data in (b"\xff\xfe", b"hello\n"):
        path.write_bytes(data)
        with pytest.raises(OptionError, match="mine"):
            load_gamedef(str(path))
