"""The hands of a file as one of its players saw them."""

import json
from pathlib import Path

import pytest

from helpers.command import output, run
from tiltless.arena.reviewed_hands import hero_hands
from tiltless.arena.table.hand_file import HandFile
from tiltless.errors import FileError, OptionError
from tiltless.games import load
from tiltless.games.holdem.record import parse_hand

GAME = load("nlhe", seats=2, stack="100bb")
LINES = [
    "HAND:1:nlhe:0:200|200:r6c/kr8c/kk/kr30c:AhKd|QcJd/Kh8s2c/5d/9h:44|-44:you|Bob",
    "HAND:2:nlhe:1:200|200:r6f:7h2d|QcJd:-2|2:you|Bob",
]


@pytest.fixture
def saved(tmp_path):
    file = HandFile(tmp_path / "hands.phhs")
    for line in LINES:
        file.add(parse_hand(line, GAME))
    return file.path


def test_a_session_of_play(saved):
    found = hero_hands(saved)
    assert found.hero == "you"
    views = list(found.views())
    assert [number for number, _ in views] == [1, 2]
    assert [view.payoffs[view.seat] for _, view in views] == [44, -2]
    theirs = hero_hands(saved, hero="Bob")
    assert [view.payoffs[view.seat] for _, view in theirs.views()] == [-44, 2]


def test_the_player_whose_cards_are_known(tmp_path):
    file = HandFile(tmp_path / "hands.phhs")
    for line in LINES:
        record = parse_hand(line.replace("you", "Ann"), GAME)
        file.add(record.as_seen_by(1))
    assert hero_hands(file.path).hero == "Bob"


def test_a_name_with_signs_that_records_do_not_have(tmp_path):
    rooms = Path(__file__).parents[1] / "data" / "rooms" / "pokerstars.txt"
    (tmp_path / "room.txt").write_text(rooms.read_text().replace("Hero", "d'Hero:"))
    views = [view for _, view in hero_hands(tmp_path / "room.txt", hero="d'Hero:").views()]
    assert len(views) == 4
    assert all(view.cards for view in views)


def test_what_is_not_there_is_named(saved, tmp_path):
    with pytest.raises(OptionError, match="Bob, you"):
        hero_hands(saved, hero="Eve")
    with pytest.raises(OptionError, match="--match"):
        hero_hands(saved, match=1)
    with pytest.raises(FileError):
        hero_hands(tmp_path / "nothing.phh")
    (tmp_path / "empty.phh").write_text("# nothing\n")
    (tmp_path / "bad.phh").write_text(saved.read_text().replace("'NT'", "'PO'"))
    for hero in ("", "you"):
        with pytest.raises(FileError, match="no hands"):
            hero_hands(tmp_path / "empty.phh", hero=hero)
        with pytest.raises(FileError, match=r"no hand can be read.*line 1, hand 1.*Omaha"):
            hero_hands(tmp_path / "bad.phh", hero=hero, problems=lambda line: None)
    file = HandFile(tmp_path / "both.phhs")
    file.add(parse_hand(LINES[0].replace("you", "Ann"), GAME))
    with pytest.raises(OptionError, match="Ann, Bob"):
        hero_hands(file.path)


def test_the_command_without_playouts(saved, tmp_path):
    """Turn and river alone need no tables: the terminal, the page and JSON say the same."""
    page, few = tmp_path / "review.html", ("--iterations", "4", "--playouts", "0", "--threads", "1")
    text = output("review", str(saved), *few, "--html", str(page))
    found = json.loads(output("review", str(saved), *few, "--json"))
    rows = found["reviews"][0]["decisions"]
    assert [each["cost"] is None for each in rows] == [True, True, False, False]
    assert all(each["note"] for each in rows[:2])
    for row in rows[2:]:
        evs = [each["ev"] for each in row["actions"] if each["ev"] is not None]
        (taken,) = (each["ev"] for each in row["actions"] if each["taken"])
        assert row["cost"]["mean"] == pytest.approx(max(evs) - taken, abs=1e-9)
    for name in ("street", "position", "mistake"):
        assert f"{name} " in text
    assert f"your play is worth {found['value']['mean']:+.1f} bb/100" in text
    html = page.read_text("utf-8")
    assert html.count("<svg") == 2
    assert f"{found['value']['mean']:+.1f} bb/100" in html


def test_a_history_of_a_room(tmp_path):
    """Four hands of a room: one is of two players with 100 big blinds, the rest says why not."""
    rooms = Path(__file__).parents[1] / "data" / "rooms" / "pokerstars.txt"
    few = ("--iterations", "4", "--playouts", "0", "--threads", "1", "--hero", "Hero")
    found = json.loads(output("review", str(rooms), *few, "--json"))
    assert (found["hero"], found["hands"], found["judged"]) == ("Hero", 4, 1)
    whys = " ".join(each["reason"] for each in found["unjudged"])
    assert "5 seats" in whys
    assert "67 big blinds" in whys
    (judged,) = (each for each in found["reviews"] if each["decisions"])
    assert any(each["cost"] is not None for each in judged["decisions"])


@pytest.mark.slow  # builds the bucket tables of the blueprint, some minutes
def test_the_first_review_on_a_machine(saved, tmp_path):
    few = ("--iterations", "4", "--playouts", "200", "--json")
    done = run("review", str(saved), *few, TILTLESS_CACHE=str(tmp_path / "cache"))
    assert done.returncode == 0, done.stderr
    assert "bucket tables" in done.stderr
    first = json.loads(done.stdout)["reviews"][0]["decisions"]
    assert all(each["cost"] is not None for each in first)


@pytest.mark.slow  # builds the bucket tables of the blueprint
def test_the_command(saved, tmp_path):
    page = tmp_path / "review.html"
    few = ("--iterations", "4", "--playouts", "200", "--threads", "1")
    found = json.loads(output("review", str(saved), *few, "--html", str(page), "--json"))
    assert (found["hero"], found["hands"], found["judged"]) == ("you", 2, 2)
    first, second = (each["decisions"] for each in found["reviews"])
    assert [each["street"] for each in first] == ["preflop", "flop", "turn", "river"]
    assert [each["taken"] for each in second] == ["fold"]
    total = sum(each["cost"]["mean"] for each in [*first, *second] if each["cost"])
    assert found["value"]["mean"] == pytest.approx(-100 * total / 2)
    assert sum(each["cost"] for each in found["streets"]) == pytest.approx(total)
    text = page.read_text("utf-8")
    assert text.count("<svg") == sum(each["cost"] is not None for each in [*first, *second])
    assert "(1 hand)" in output("review", str(saved), *few, "--hands", "1")


def test_a_match_of_the_arena(tmp_path):
    store = str(tmp_path / "results.sqlite")
    output("match", "fish", "uniform", "--hands", "4", "--seed", "1", "--db", store)
    mine, theirs = (list(hero_hands(store, hero=name).views()) for name in ("fish", "2"))
    assert [number for number, _ in mine] == [1, 2, 3, 4]
    for (_, one), (_, two) in zip(mine, theirs, strict=True):
        assert one.payoffs == two.payoffs
        assert {one.seat, two.seat} == {0, 1}
    with pytest.raises(OptionError, match="fish, uniform"):
        hero_hands(store, hero="rules")
    with pytest.raises(OptionError, match="1 to 2"):
        hero_hands(store, hero="3")
