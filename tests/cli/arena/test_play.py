"""``tiltless play`` as a person uses it: words through a pipe, keys through a terminal."""

import os
import re
import select
import signal
import subprocess
import sys
import tomllib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from tiltless.agents import Agent, Decision, register, registered
from tiltless.agents.agent import check_or_call
from tiltless.arena.table.hand_file import HandFile
from tiltless.arena.table.session import TableSession
from tiltless.cards.card import card_text
from tiltless.cli.app import app
from tiltless.cli.arena.play_screen import _bar
from tiltless.errors import ForeignFileError, OptionError, WriteError
from tiltless.games import load
from tiltless.games.holdem.actions import CALL, CHECK, FOLD
from tiltless.games.holdem.phh import from_phh
from tiltless.games.holdem.record import hand_line, parse_hand


class Thinker(Agent):
    """Says what it thinks, and shouts its cards where nobody should hear them."""

    def act(self, view, clock, rng):
        stay = CHECK if view.actions.check else CALL
        policy = ((FOLD, 0.25), (stay, 0.75))
        return Decision(stay, policy, ((stay, 3.0),), "a test")


class Crasher(Agent):
    def act(self, view, clock, rng):
        raise RuntimeError("no [bold]idea[/]")


if "test-thinker" not in {entry.name for entry in registered()}:
    register("test-thinker", Thinker, "for tests")
    register("test-crasher", Crasher, "for tests")


def play(words, *arguments):
    given = words if isinstance(words, bytes) else "\n".join(words) + "\n"
    done = CliRunner().invoke(app, ["play", *map(str, arguments)], input=given)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def test_a_hand_is_told_as_it_happens():
    text = play(["c", "k", "half", "all in"], "fish", "--hands", 1, "--seed", 1).output
    for line in (
        "You play nlhe against fish.",
        "100 big blinds each",
        "hand 1: you have the button",
        "you small blind 1, fish big blind 2",
        "pot 3 (1.5 bb)   behind: you 199, fish 198",
        "fold · call 1 (must win 25%) · raise to 4..200",
        "  you call 1",
        "  fish checks",
        "  you check",
        "  you bet 2",
        "  fish calls 2",
        "and are all-in",
        "  you show",
        "  fish shows",
        "Thank you for the game.",
    ):
        assert line in text, line
    assert re.search(r"flop +\S\S \S\S \S\S   pot 4", text)
    assert re.search(r"your cards   \S\S \S\S\n", text)
    assert re.search(r"[+-]100\.0 bb in 1 hand\n", text)


def test_the_same_seed_deals_the_same_hands():
    first, again, other = (
        play(["c"] * 60, "uniform", "--hands", 5, "--seed", seed).output for seed in (4, 4, 5)
    )
    assert first == again
    assert first.replace("seed 4", "") != other.replace("seed 5", "")


def test_mistakes_are_explained_and_asked_again():
    text = play(["k", "7000", "nonsense [red]", "", "?", "f"], "fish", "--hands", 1).output
    assert "it costs 1 to stay in; write c to call or f to fold" in text
    assert "7000 is too much; the maximum is 200, write all in" in text
    assert "'nonsense [red]' is not understood" in text
    assert "give up the hand" in text
    assert "-0.5 bb in 1 hand" in text


def test_a_hint_shows_the_distribution_and_no_hidden_cards():
    text = play(["hint", "why", "f", "why", "q"], "test-thinker", "--seat", 0).output
    before, after = text.split("you fold", 1)
    assert "in your place" in before
    assert re.search(r"fold +25\.0%  █{6}\n", before)
    assert re.search(r"call 1 +75\.0%  █{18}   \+1\.50 bb\n", before)
    assert "no hand is over yet" in before
    assert "nobody else had anything to decide" in after


def test_thoughts_after_the_hand_show_cards_only_if_those_were_shown():
    words = ["c", "k", "k", "k", "why", "q"]
    text = play(words, "test-thinker", "--seat", 0, "--seed", 2).output
    thoughts = text.split("> why")[1]
    assert thoughts.count("test-thinker: check (a test)") == 4
    assert ", with " in thoughts
    shown = re.search(r"test-thinker shows (\S\S \S\S)", text)[1]
    assert shown in thoughts
    folded = play(["c", "r 4", "why", "f", "why", "q"], "test-thinker", "--seat", 0).output
    assert ", with " not in folded


@pytest.mark.parametrize("seed", range(5))
def test_hidden_cards_are_not_on_the_screen_before_the_showdown(seed):
    """Every word that is shown, up to a fold, is one that the person may know."""
    words = ["hint", "c", "hint", "k", "hint", "why", "half", "hint", "f", "f", "why", "why"]
    text = play(words, "test-thinker", "--hands", 1, "--seed", seed).output
    text = text.split(" shows ")[0]
    game = load("nlhe")
    table = TableSession(game, ["fish"], seed)
    table.play(lambda view: check_or_call(view.actions))
    hidden = table.last.final.hole[1]
    for card in hidden:
        assert card_text(card)[0] + "♣♦♥♠"[card & 3] not in text


def test_a_crashing_opponent_is_ruled_on_and_the_game_goes_on():
    text = play(["hint", "c", "k", "k", "k", "q"], "test-crasher", "--seat", 0).output
    assert "no hint: test-crasher has no answer (no [bold]idea[/])" in text
    assert "test-crasher crashed: RuntimeError: no [bold]idea[/]" in text
    assert "hand 2" in text


@pytest.mark.parametrize("end", [["q"], []])
def test_leaving_in_the_middle_keeps_the_result(end, tmp_path):
    path = tmp_path / "hands.phhs"
    text = play(["f", "k", *end], "fish", "--seed", 1, "--save", path).output
    assert "-0.5 bb in 1 hand\n" in text
    assert "does not count" in text
    assert "Thank you" in text
    assert len(tomllib.loads(path.read_text())) == 1
    assert "no hand was finished" in play(end, "fish").output


def test_hands_are_saved_and_a_file_is_continued(tmp_path):
    pokerkit = pytest.importorskip("pokerkit")
    path = tmp_path / "hands.phhs"
    for seed in (1, 2):
        play(["c"] * 30, "uniform", "--hands", 3, "--seed", seed, "--save", path)
    hands = tomllib.loads(path.read_text())
    assert list(hands) == ["1", "2", "3", "4", "5", "6"]
    with path.open("rb") as file:
        assert len(list(pokerkit.HandHistory.load_all(file))) == 6
    first = path.read_text().split("[2]")[0].removeprefix("[1]\n")
    record = from_phh(first)
    assert record.names == ("you", "uniform")
    assert sum(record.payoffs) == 0


def test_games_without_words_in_phh_are_saved_as_lines(tmp_path):
    path = tmp_path / "hands.txt"
    for _ in range(2):
        words = ["c"] * 60
        play(words, "fish", "--game", "river-of-blood", "--hands", 3, "--seed", 1, "--save", path)
    comment, *lines = path.read_text().splitlines()
    assert comment.startswith("# river-of-blood ")
    assert len(lines) == 6
    game = load("river-of-blood")
    assert [hand_line(parse_hand(line, game)) for line in lines] == lines


def test_files_of_something_else_are_refused_and_left_alone(tmp_path):
    path = tmp_path / "notes.txt"
    for text in ("dear diary\n", "a = 1\n", "[other]\na = 1\n"):
        path.write_text(text)
        with pytest.raises(ForeignFileError, match="choose another file"):
            HandFile(path)
        done = CliRunner().invoke(app, ["play", "fish", "--save", str(path)], input="f\n")
        assert isinstance(done.exception, ForeignFileError)
        assert path.read_text() == text


def test_a_file_that_cannot_be_is_refused_before(tmp_path):
    path = tmp_path / "no" / "hands.phhs"
    done = CliRunner().invoke(app, ["play", "fish", "--save", str(path)], input="f\nq\n")
    assert type(done.exception) is WriteError
    assert not done.stdout


def test_a_hand_that_cannot_be_saved_does_not_end_the_game(tmp_path, monkeypatch):
    folder = tmp_path / "gone"
    monkeypatch.setattr(
        "tiltless.cli.arena.play.check_writable", lambda _: None
    )  # it goes afterwards
    text = play(["f", "q"], "fish", "--save", folder / "hands.phhs").output
    assert "this hand was not saved: cannot write" in text
    assert "Thank you" in text


def test_two_programs_may_add_to_one_file(tmp_path):
    for game, name in (("nlhe", "hands.phhs"), ("river-of-blood", "hands.txt")):
        one, two = (HandFile(tmp_path / name) for _ in range(2))
        table = TableSession(load(game), ["fish"], 1)
        for file in (one, two, two, one):
            file.add(table.play(lambda view: check_or_call(view.actions)))
        text = one.path.read_text()
        if game == "nlhe":
            assert list(tomllib.loads(text)) == ["1", "2", "3", "4"]
            assert one.number == 4
        else:
            assert text.count("HAND:") == 4
    one.path.write_text("dear diary\n")
    with pytest.raises(ForeignFileError):
        two.add(table.play(lambda view: check_or_call(view.actions)))
    assert one.path.read_text() == "dear diary\n"


_ADD = """
import sys
from tiltless.agents.agent import check_or_call
from tiltless.arena.table.hand_file import HandFile
from tiltless.arena.table.session import TableSession
from tiltless.games import load
table = TableSession(load("nlhe"), ["fish"], 1)
file = HandFile(sys.argv[1])
for _ in range(20):
    file.add(table.play(lambda view: check_or_call(view.actions)))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no lock there")
def test_two_processes_at_once_lose_no_hand(tmp_path):
    path = tmp_path / "hands.phhs"
    both = [subprocess.Popen([sys.executable, "-c", _ADD, str(path)]) for _ in range(2)]
    assert [each.wait(300) for each in both] == [0, 0]
    assert len(tomllib.loads(path.read_text())) == 40


@pytest.mark.parametrize("words", [[], ["q"], ["c"]])
def test_it_ends_with_the_input_where_nobody_is_ever_asked(words, monkeypatch):
    """The other one folds every button, and the big blind has nothing to decide."""
    monkeypatch.setattr("tiltless.cli.arena.play._UNASKED", 7)
    text = play("".join(f"{word}\n" for word in words).encode(), "fold", "--seat", 1).output
    hands = 7 if words == ["c"] else 1
    assert f"in {hands} hand" in text
    assert text.endswith("Thank you for the game.\n")
    assert "in 3 hands" in play(b"", "fold", "--seat", 1, "--hands", 3).output  # as it was told


@pytest.mark.skipif(sys.platform == "win32", reason="no select for pipes there")
def test_it_ends_with_a_pipe_that_ends():
    command = [*COMMAND[:-1], "fold", "--seat", "1"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    assert b"in 1 hand\n" in done.stdout


def test_more_seats():
    text = play(["c"] * 30, "fish", "uniform", "fish", "--hands", 4, "--seed", 3).output
    assert "against fish 1, uniform, fish 2." in text
    assert "hand 2: you are" in text
    assert "hand 4: you are the small blind" in text
    six = play(["c"] * 30, "fish", "seats=6", "stack=20bb", "--hands", 1).output
    assert "fish 5" in six
    assert "20 big blinds each" in six


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody"], "no agent is called 'nobody'"),
        (["fish", "--game", "kuhn"], "kuhn is not played at a table"),
        (["fish", "--game", "chess"], "chess"),
        (["fish", "--seat", "2"], "write 0 to 1 or alternate"),
        (["fish", "--seat", "left"], "write 0 to 1 or alternate"),
        (["fish", "fish", "fish", "seats=2"], "3 opponents"),
    ],
)
def test_mistakes_on_the_command_line(arguments, message):
    done = CliRunner().invoke(app, ["play", *arguments], input="")
    assert isinstance(done.exception, OptionError)
    assert message in str(done.exception)


def test_the_button_alternates_unless_a_seat_is_asked_for():
    def positions(*arguments):
        text = play(["c"] * 60, "fish", "--hands", 4, *arguments).output
        return re.findall(r"hand \d: (.*?) ─", text)

    button, blind = "you have the button", "you are the big blind"
    assert positions() == [button, blind, button, blind]
    assert positions("--seat", 0) == [button] * 4
    assert positions("--seat", 1) == [blind] * 4


def test_an_interval_when_there_are_enough_hands():
    lines = play(["f", "k"] * 200, "fold", "--hands", 40, "--seed", 1).output.splitlines()
    results = [line for line in lines if "so far" in line]
    assert "±" not in results[28]
    assert "±" in results[29]


def test_every_holdem_game_can_be_played():
    for game in (
        "nlhe",
        "limit-holdem",
        "short-deck",
        "toy-holdem",
        "river-of-blood",
        "permutation",
    ):
        text = play(["c"] * 200, "fish", "--game", game, "--hands", 3, "--seed", 2).output
        assert "in 3 hands" in text, game


LINES = st.lists(
    st.text()
    | st.sampled_from(
        ["c", "k", "f", "half", "pot", "all in", "hint", "why", "?", "result", "r 12", "min", "3x"]
    ),
    max_size=12,
)


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(LINES, st.sampled_from(["fish", "uniform", "test-crasher", "test-thinker"]))
def test_nothing_that_is_typed_crashes_it(lines, agent):
    done = play(lines, agent, "--seed", 1, "--hands", 5)
    assert done.exit_code == 0
    assert done.output.endswith("Thank you for the game.\n")


@settings(max_examples=30)
@given(st.binary(max_size=60))
def test_no_bytes_crash_it(data):
    done = play(data, "fish", "--seed", 1)
    assert done.exit_code == 0
    assert "Thank you" in done.output


COMMAND = [sys.executable, "-c", "from tiltless.cli import main; main()", "play", "fish"]


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are of Unix")
@pytest.mark.parametrize(
    "leave",
    [
        b"\x03",
        pytest.param(b"\x04", marks=pytest.mark.slow),
        pytest.param(b"q\n", marks=pytest.mark.slow),
    ],
)
def test_in_a_terminal(leave, tmp_path):
    import pty

    path = tmp_path / "hands.phhs"
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "90"}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [*COMMAND, "--seed", "1", "--save", str(path)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
        start_new_session=True,
        preexec_fn=_controlling_terminal,
    )
    os.close(theirs)
    seen, place = b"", 0
    keys = ((b"> ", b"f\n"), (b"thought: ", b"\n"), (b"hand 2", b""), (b"> ", leave))
    try:
        for wanted, pressed in (*keys, (b"Thank you for the game.", b"")):
            while wanted not in seen[place:]:
                assert select.select([ours], [], [], 240)[0], seen
                seen += os.read(ours, 4096)
            place = seen.index(wanted, place) + len(wanted)
            os.write(ours, pressed)
        assert process.wait(10) == (130 if leave == b"\x03" else 0)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    text = seen.decode()
    assert "\x1b[" in text  # colours
    assert "-0.5 bb in 1 hand" in text
    assert len(tomllib.loads(path.read_text())) == 1


def _controlling_terminal():
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are of Unix")
def test_an_interrupt_through_a_pipe():
    process = subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    seen = b""
    while b"> " not in seen:
        seen += os.read(process.stdout.fileno(), 4096)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=300)
    assert process.returncode == 130, error
    assert b"Thank you" in out
    assert b"Traceback" not in error


SLOW = """
import time
from tiltless.agents import Agent, Decision
from tiltless.agents.agent import check_or_call

class Slow(Agent):
    def act(self, view, clock, rng):
        if view.street == 0:
            time.sleep(0.8)
        return Decision(check_or_call(view.actions))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are of Unix")
def test_keys_that_were_pressed_while_somebody_thought_are_forgotten(tmp_path):
    import pty

    (tmp_path / "slow_bots.py").write_text(SLOW)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND[:-1], "slow_bots:Slow", "--seat", "0", "--seed", "1"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "60"},
        cwd=tmp_path,
        start_new_session=True,
        preexec_fn=_controlling_terminal,
    )
    os.close(theirs)
    seen, place = b"", 0
    keys = ((b"> ", b"c\n"), (b"thinking", b"all in\n"), (b"chec", b""), (b"> ", b"q\n"))
    try:
        for wanted, pressed in (*keys, (b"Thank you for the game.", b"")):
            while wanted not in seen[place:]:
                assert select.select([ours], [], [], 60)[0], seen
                seen += os.read(ours, 4096)
            place = seen.index(wanted, place) + len(wanted)
            os.write(ours, pressed)
        assert process.wait(10) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    assert "you bet" not in seen.decode()


def test_a_table_that_the_agent_was_not_made_for():
    text = play(["q"], "blueprint", "stack=20bb").output
    assert "blueprint: made for stacks of 100 big blinds; with 20" in text
    assert "made for" not in play(["q"], "blueprint").output
    for words in (("blueprint:file=hundred", "fish"), ("blueprint", "--game", "short-deck")):
        done = CliRunner().invoke(app, ["play", *words], input="q\n")
        assert isinstance(done.exception, OptionError)
        assert "the blueprint is for nlhe with 2 seats" in str(done.exception)


def test_an_uncalled_bet_is_returned():
    text = play(["all in"], "fold", "--seat", 0, "--hands", 1).output
    assert "Uncalled bet of 198 returned to you" in text


def test_bars_are_as_long_as_chances_are_large():
    assert [_bar(chance, True) for chance in (0.001, 0.038, 0.5, 1.0)] == [
        "▏", "▉", "█" * 12, "█" * 24
    ]  # fmt: skip
    assert [_bar(chance, False) for chance in (0.001, 0.038, 0.5)] == [".", "#", "#" * 12]


def test_six_seats_with_positions_and_stacks():
    """Everybody has a line with position and chips; actions name positions."""
    text = play(
        ["c"] * 40, "--seats", 6, "--against", "rules,fish", "--hands", 2, "--seed", 3
    ).output
    assert "against rules, fish 1, fish 2, fish 3, fish 4" in text
    for name in ("UTG", "HJ", "CO", "BTN", "SB", "BB"):
        assert f"({name})" in text
    table = next(part for part in text.split("\n\n") if "> BTN" in part)
    assert len([line for line in table.splitlines() if line[2:8].strip() in POSITIONS]) == 6


POSITIONS = {"UTG", "HJ", "CO", "BTN", "SB", "BB"}


def test_side_pots_are_shown():
    """Seat 1 is all-in for 10 chips, seat 2 for 50; the main pot and the side pot are named."""
    stacks = "stack=200,10,50,200"
    agents = "all-in,all-in,fish"
    found = [
        play(["c", "c"], stacks, "--against", agents, "--hands", 1, "--seed", seed, "--seat", 2)
        for seed in range(4)
    ]
    said = "\n".join(done.output for done in found)
    assert "main pot 40 (you, all-in 1, all-in 2, fish)" in said
    assert "side pot" in said


def test_agents_with_commas():
    from tiltless.arena.lineup import read_agents

    assert read_agents("rules, fish") == ["rules", "fish"]
    assert read_agents("monte-carlo:rollouts=9,pot-odds,fish") == [
        "monte-carlo:rollouts=9,pot-odds",
        "fish",
    ]
    assert read_agents("mybots:Maniac,rules,") == ["mybots:Maniac", "rules"]
    assert read_agents("") == []
