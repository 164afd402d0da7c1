"""Hand histories of rooms: samples in their formats, and lines that nobody knows."""

from pathlib import Path

import pytest

from tiltless.cards.card import cards_text
from tiltless.errors import InputError
from tiltless.games.holdem.histories.files import read_hands
from tiltless.games.holdem.phh import from_phh, to_phh

pokerkit = pytest.importorskip("pokerkit")
SAMPLES = Path(__file__).parents[3] / "data" / "rooms"

# file, position in it: (names, stacks, button, payoffs, hole cards), worked out by hand
EXPECTED = {
    ("pokerstars", 0): (
        "anna|bert (away)|Hero|dora|emil",
        (10_000, 8_750, 11_225, 10_000, 4_310),
        2,
        (0, -2_950, 3_100, -50, -100),
        "|QhJh|AsKd||",
    ),
    ("pokerstars", 1): (
        "anna|bert (away)|Hero|dora|emil",
        (10_000, 5_800, 14_045, 9_950, 4_210),
        3,
        (-100, 0, 4_310, 0, -4_210),
        "||9d9c||AhQc",
    ),
    ("pokerstars", 2): ("Hero|anna", (10_000, 10_000), 0, (3_350, -3_350), "8s8h|"),
    ("pokerstars", 3): ("Hero|anna", (13_300, 6_700), 1, (700, -700), "JhTc|"),
    ("full-tilt", 0): (
        "anna|bert|Hero|fritz",
        (20_000, 119_850, 20_000, 16_400),
        2,
        (-20_000, 0, 20_100, -100),
        "||AhQh|",
    ),
    ("partypoker", 0): (
        "anna|Hero|dora",
        (10_000, 9_850, 6_000),
        1,
        (-100, 6_100, -6_000),
        "|TsTd|AcKc",
    ),
    ("absolute", 0): (
        "bert|Hero|dora|anna",
        (6_125, 5_000, 1_200, 5_000),
        3,
        (-25, -1_200, 1_225, 0),
        "|KcQc|AdKh|",
    ),
    ("absolute", 1): ("Hero|anna", (5_000, 5_000), 0, (-25, 25), "7d2c|"),
    ("ongame", 0): (
        "anna|Hero|---dora---|emil 77|bert|fritz",
        (10_000, 11_225, 8_750, 4_310, 10_000, 5_550),
        1,
        (-300, 9_150, -8_750, -100, 0, 0),
        "|AhQh|JdJc|||",
    ),
    ("ipoker", 0): (
        "anna|Hero|dora|emil",
        (10_000, 11_225, 8_750, 4_310),
        1,
        (0, 3_050, -50, -3_000),
        "|TsTh||AdQc",
    ),
    ("ipoker", 1): ("Hero|emil", (10_000, 12_000), 0, (-10_000, 10_000), "KsKh|AsAh"),
    ("ipoker", 2): ("Hero|emil", (9_850, 10_150), 1, (-100, 100), "4d4c|"),
    ("ongame", 1): ("Hero|bert", (10_000, 10_000), 0, (2_550, -2_550), "7s7d|"),
}


@pytest.mark.parametrize("sample", sorted({name for name, _ in EXPECTED}))
def test_samples(sample):
    records = list(read_hands(SAMPLES / f"{sample}.txt"))
    assert len(records) == sum(name == sample for name, _ in EXPECTED)
    for number, record in enumerate(records):
        names, stacks, button, payoffs, hole = EXPECTED[sample, number]
        assert "|".join(record.names) == names
        assert (record.stacks, record.button, record.payoffs) == (stacks, button, payoffs)
        assert "|".join(map(cards_text, record.final.hole)) == hole
        assert from_phh(to_phh(record)).events == record.events
        assert record.view(record.names.index("Hero")).payoffs == payoffs
    assert all(record.number > 10**8 for record in records)


LINES = [  # sample, old, new: lines that change nothing of a hand
    ("pokerstars", "Hero: doesn't show hand", "Hero: shows [Jh]"),
    ("pokerstars", "emil: folds\n", "emil: folds\nfritz: sits out\nbert (away) is disconnected\n"),
    ("pokerstars", "emil: folds\n", "emil: folds\nemil finished the tournament in 5th place\n"),
    ("full-tilt", "anna mucks", "Hero shows two pair, Queens and Twos\nanna mucks"),
    ("ongame", "Players in round: 6", "Players in round: 6 (6)"),
]


@pytest.mark.parametrize(("sample", "old", "new"), LINES)
def test_lines_that_change_nothing(tmp_path, sample, old, new):
    found = list(read_hands(changed(tmp_path, old, new, sample)))
    expected = list(read_hands(SAMPLES / f"{sample}.txt"))
    assert [each.events for each in found] == [each.events for each in expected]


def test_who_sits_out_in_a_tournament_is_dealt_in(tmp_path):
    path = changed(
        tmp_path, "Seat 4: dora ($100 in chips)", "Seat 4: dora ($100 in chips) is sitting out"
    )
    assert next(read_hands(path)).events == next(read_hands(SAMPLES / "pokerstars.txt")).events


def changed(tmp_path, old, new, sample="pokerstars"):
    text = (SAMPLES / f"{sample}.txt").read_text()
    assert old in text
    path = tmp_path / "changed.txt"
    path.write_text(text.replace(old, new, 1))
    return path


@pytest.mark.parametrize(
    ("sample", "old", "new", "message"),
    [
        ("pokerstars", "anna: folds\n", "anna: passes\n", r"line 13 .*'anna: passes'"),
        ("pokerstars", "anna: folds\n", "nobody: folds\n", r"line 13 .*'nobody: folds'"),
        ("pokerstars", "anna: folds\n", "anna: posts the ante $1\n", r"line 13 .*ante"),
        ("pokerstars", "anna: folds\n", "", "'anna' has a seat"),  # pokerkit plays without her
        ("pokerstars", "dora: folds\n", "", "actions"),  # pokerkit repairs it
        ("pokerstars", "Hero: bets $8.50\n", "Hero: checks\n", "follow|actions"),
        ("pokerstars", "dora: posts small blind $0.50\n", "", "blinds posted: 1"),
        ("pokerstars", "anna: folds\n", "anna: posts big blind $1\n", "blinds posted: 3"),
        # pokerkit reads the next four as other chips
        ("pokerstars", "Hero: calls $12", "Hero: calls $11", "'Hero: calls .11'.* it is 12.00"),
        ("pokerstars", "raises $2 to $3", "raises $2 to $4", "to .4'.* it is 3.00"),
        ("pokerstars", "bert (away): bets $12", "bert (away): bets $1,200", "add up|follow"),
        ("partypoker", "Hero calls [$57 USD]", "Hero calls [$50 USD]", "50 USD.* it is 57.00"),
        ("full-tilt", "anna calls $5\n", "anna calls $0,50\n", "line 16 .*0,50"),
        ("pokerstars", "emil: shows [Ah Qc] (high card Ace)\n", "", r"who won.*p\d"),
        ("pokerstars", "raises $2 to $3", "raises $0.10 to $1.10", "follow|raise"),
        ("pokerstars", "Hold'em No Limit", "Omaha Pot Limit", "line 1 .*Omaha"),
        ("pokerstars", "[Kh 7c 2d]\nbert", "[Kh 7c As]\nbert", "follow|As"),
        ("pokerstars", "Seat #3 is the button", "Seat #x is the button", "line 2"),
        ("full-tilt", "fritz folds", "fritz dances", r"line 14 .*dances"),
        ("partypoker", "anna folds", "anna straddles [$2 USD]", "line 15 .*straddles"),
        ("absolute", "anna - Folds", "anna - Kill post", "line 12 .*Kill"),
        ("ipoker", 'type="5" sum="€4"', 'type="99" sum="€4"', 'line 48 .*type="99"'),
        ("ipoker", 'type="5" sum="€4"', 'type="5" sum="€4,0001"', "line 48 .*4,0001"),
        ("ipoker", 'emil">DA CQ<', 'emil">XX<', "line 39 .*XX"),
        ("ongame", "bert folds", "bert posts ante ($0.10)", "line 18 .*ante"),
        ("ongame", "NO_LIMIT", "POT_LIMIT", "line 3 .*POT_LIMIT"),
        ("ongame", "+$23.50, [7s, 7d]", "+$23.50", "who won"),
    ],
)
def test_what_is_not_known_is_named(tmp_path, sample, old, new, message):
    path, said = changed(tmp_path, old, new, sample), []
    everything = len(list(read_hands(SAMPLES / f"{sample}.txt")))
    assert len(list(read_hands(path, problems=said.append))) == everything - 1
    with pytest.raises(InputError, match=message):
        list(read_hands(path))
    assert len(said) == 1
    assert "\n" not in said[0]


def test_an_opponent_who_mucks_has_lost(tmp_path):
    path = changed(tmp_path, 'emil">DA CQ<', 'emil">X X<', "ipoker")
    first = next(read_hands(path))
    assert first.payoffs == (0, 3_050, -50, -3_000)
    assert not first.final.hole[3]


def test_the_head_of_a_file_counts_for_every_hand(tmp_path):
    path = changed(tmp_path, "Holdem NL", "Omaha PL", "ipoker")
    said = []
    assert list(read_hands(path, problems=said.append)) == []
    assert len(said) == 3
    assert all("line 6 " in each for each in said)


def test_chat_is_no_action(tmp_path):
    path = changed(tmp_path, "dora: folds\n", 'dora said, "x: raises $5 to $50"\ndora: folds\n')
    first = next(read_hands(path))
    assert first.events == next(read_hands(SAMPLES / "pokerstars.txt")).events


def test_a_hand_without_end_of_lines(tmp_path):
    path = tmp_path / "long.txt"
    path.write_text("PokerStars Hand #1: x\n" + "Seat 1: a ($1 in chips)\n" * 5000)
    with pytest.raises(InputError, match="1,000 lines"):
        list(read_hands(path))
