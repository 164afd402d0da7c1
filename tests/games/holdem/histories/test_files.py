"""Files of hands: what is written comes back, one hand at a time."""

from random import Random

import pytest

from helpers.playing import deal, play, random_action
from tiltless.arena.table.hand_file import HandFile
from tiltless.errors import FileError, InputError
from tiltless.games import TERMINAL, load
from tiltless.games.holdem.game import Holdem
from tiltless.games.holdem.histories.files import read_hands
from tiltless.games.holdem.phh import to_phh
from tiltless.games.holdem.record import HandRecord, record_hand
from tiltless.games.holdem.variants import nlhe

MONEY = """
variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [0.5, 1]
min_bet = 1
starting_stacks = [100, 99.25]
actions = ['d dh p1 AsKd', 'd dh p2 ????', 'p2 cbr 2.50', 'p1 cc', 'd db 7c2d9h', 'p1 cbr 3',
  'p2 f'] # the end
_hero = 1
something = 'that is not in the format'
"""


def random_record(game: Holdem, seed: int) -> HandRecord:
    rng = Random(seed)
    state = game.start(seed % game.players)
    while state.actor != TERMINAL:
        chance = state.chance
        state = state.apply(chance.sample(rng) if chance else random_action(state, rng))
    return record_hand(state, tuple("ABCDEF"[: game.players]), seed)


@pytest.mark.parametrize("game", [nlhe(), nlhe(seats=6), load("river-of-blood")])
@pytest.mark.parametrize("whole", [True, False], ids=["all cards", "as seen"])
def test_files_that_we_write(game, whole, tmp_path):
    records = [random_record(game, seed) for seed in range(6)]
    if not whole:
        records = [record.as_seen_by(1) for record in records]
    file = HandFile(tmp_path / "hands.phhs")
    for record in records:
        file.add(record)
    again = list(read_hands(file.path, game=game))
    assert again == records
    for mine, theirs in zip(read_hands(file.path), records, strict=True):
        assert (mine.events, mine.payoffs) == (theirs.events, theirs.payoffs)
        assert mine.view(1).payoffs == theirs.payoffs
        assert whole or not any(mine.final.hole[seat] for seat in _unseen(mine))


def _unseen(record: HandRecord) -> list[int]:
    shown = dict(record.final.shown)
    return [seat for seat in range(record.game.players) if seat != 1 and seat not in shown]


def test_one_hand_in_money(tmp_path):
    path = tmp_path / "hand.phh"
    path.write_text(MONEY, encoding="utf-8")
    (record,) = read_hands(path)
    assert record.stacks == (10_000, 9_925)
    assert record.payoffs == (250, -250)
    assert record.final.hole[1] == ()
    path.write_text(MONEY.replace("0.5, 1", "2, 4").replace(".25", "").replace(".50", ""))
    with pytest.raises(InputError, match="raise"):
        list(read_hands(path))


def test_a_hand_without_phh_between_others(tmp_path):
    file = HandFile(tmp_path / "hands.phhs")
    records = [random_record(nlhe(free_fold=True), 0), random_record(nlhe(), 1)]
    folded = record_hand(play(deal(nlhe(free_fold=True)), "c f"), number=2)
    for record in (records[0], folded, records[1]):
        file.add(record)
    assert "# HAND:2" in file.path.read_text()
    events = [record.events for record in read_hands(file.path)]
    assert events == [records[0].events, folded.events, records[1].events]


def test_lines_of_several_games(tmp_path):
    file = HandFile(tmp_path / "hands.txt")
    one, two = load("river-of-blood"), load("river-of-blood", stack=200)
    records = [random_record(game, seed) for seed, game in enumerate([one, one, two, one])]
    for record in records:
        file.add(record)
    assert list(read_hands(file.path)) == records
    assert file.path.read_text().count("# ") == 3


def test_bad_hands_are_named_and_left_out(tmp_path):
    path, said = tmp_path / "hands.phhs", []
    good = to_phh(record_hand(play(deal(nlhe()), "r6 f")))
    hands = [good, good.replace("'NT'", "'PO'"), "variant = ", "x" * 300_000, good]
    text = "# a collection\n" + "".join(f"[{at}]\n{hand}\n" for at, hand in enumerate(hands, 1))
    path.write_text(text + "[6] # the last\nHAND:7:nlhe:::::::\n[7]\n", encoding="utf-8")
    assert len(list(read_hands(path, problems=said.append))) == 2
    assert [line.partition("hand ")[2].split(":")[0] for line in said] == ["2", "3", "4", "7"]
    assert "pot-limit Omaha" in said[0]
    assert f"line {text[: text.index('[3]')].count(chr(10)) + 1}," in said[1]
    with pytest.raises(InputError, match="hand 2"):
        list(read_hands(path))


def test_what_is_no_file_of_hands(tmp_path):
    with pytest.raises(FileError, match="nowhere"):
        list(read_hands(tmp_path / "nowhere.phh"))
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="bytes"):
        list(read_hands(tmp_path / "bytes"))
    (tmp_path / "empty").write_text("# nothing\n\n")
    assert list(read_hands(tmp_path / "empty")) == []
    (tmp_path / "line").write_text("HAND:7:nlhe:0:200|200:f:AsKd|7h7d:-1|1:\n")
    with pytest.raises(InputError, match="game="):
        list(read_hands(tmp_path / "line"))
    assert len(list(read_hands(tmp_path / "line", game=nlhe()))) == 1
