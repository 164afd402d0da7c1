"""``tiltless solve-spot`` as a user runs it."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from tiltless.cli import main, ui
from tiltless.errors import WriteError
from tiltless.postflop.device.card import missing_card
from tiltless.postflop.file import load_solver
from tiltless.postflop.solver import PostflopSolver
from tiltless.postflop.spot import Spot, parse_spot

SPOT = {
    "--board": "QsJh2h8d3c",
    "--oop": "QQ+, AKs, 87s",
    "--ip": "88+, AQs+",
    "--pot": "64",
    "--stack": "320",
    "--bets": "50%, a",
    "--raises": "50%, a",
}
COMMAND = [sys.executable, "-c", "from tiltless.cli import main; main()", "solve-spot"]


def arguments(**changes):
    """The options of the spot, some of them other or left out (None)."""
    given = {**SPOT, **{f"--{name.replace('_', '-')}": text for name, text in changes.items()}}
    return [word for pair in given.items() if pair[1] is not None for word in pair]


class Ended(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command in this process, which need not load everything again."""

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["tiltless", "solve-spot", *words])
        monkeypatch.setenv("COLUMNS", "100")
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        return Ended(ended.value.code or 0, shown.out, shown.err)

    return call


@pytest.fixture
def output(run):
    def call(*words):
        done = run(*words)
        assert done.code == 0, done.err
        return done.out

    return call


@pytest.fixture
def unsolved(monkeypatch):
    """Whatever is wrong must be said before anything is solved."""

    def solve(*_, **__):
        pytest.fail("solved before the options were checked")

    monkeypatch.setattr(PostflopSolver, "solve", solve)


HEADS = {"board": "QsJh2h8d", "oop": "AsAh", "ip": "KsKh", "bets": "a", "raises": None}


def test_what_is_shown(output):
    text = output(*arguments())
    assert "QsJh2h8d3c, pot 64, 320 behind; 22 hands OOP against 40 hands IP" in text
    assert "bets: 50%, a\n" in text  # raises are the same
    assert "1 board, " in text
    assert "decisions; " in text
    assert "kB; dcfr-ranges, " in text
    assert "exploitability 0." in text
    assert "over half the pot" in text
    for word in ("Check", "Bet 32 (50%)", "All-in 320", "how often", "EV"):
        assert word in text


def test_json_and_the_solver_agree(output):
    found = json.loads(output(*arguments(until="0.2%"), "--json"))
    spot = Spot("QsJh2h8d3c", SPOT["--oop"], SPOT["--ip"], 64, 320, "50%, a / 50%, a")
    solver = PostflopSolver(spot)
    check = solver.solve(0.2)
    assert parse_spot(found["spot"]) == spot
    assert found["iterations"] == check.iterations
    assert found["exploitability_percent"] == pytest.approx(check.exploitability)
    assert (found["ip"], found["oop"]) == pytest.approx(solver.values())
    assert sum(each["frequency"] for each in found["actions"]) == pytest.approx(1)
    total = sum(each["frequency"] * (each["ev"] or 0) for each in found["actions"])
    assert total == pytest.approx(found["oop"] + 32, abs=1e-3)
    assert [each["action"] for each in found["actions"]] == ["check", "raise to 32", "raise to 320"]


def test_a_file_and_what_is_different(output, tmp_path):
    path = tmp_path / "spot.toml"
    path.write_text(
        'board = "Qs Jh 2h 8d"\npot = 64\nstack = 320\nbets = "50%; cap 1"\noop = "QQ+, 3c3s"\n'
        'ip = "88+"\n',
        encoding="utf-8",
    )
    found = json.loads(output(str(path), "--iterations", "3", "--json"))
    assert parse_spot(found["spot"]).board_text == "QsJh2h8d"
    assert found["iterations"] == 3
    changes = ["--board", "QdJh2h8d", "--rake", "5%", "--rake-cap", "3", "--menu", "a"]
    more = ["--big-blind", "2", "--aggressor", "ip", "--threads", "2", "--rules", "cfr+"]
    found = json.loads(output(str(path), *changes, *more, "--iterations", "2", "--json"))
    spot = parse_spot(found["spot"])
    assert (spot.board_text, spot.rake, spot.rake_cap) == ("QdJh2h8d", 0.05, 3)
    assert (spot.big_blind, spot.aggressor, str(spot.bets)) == (2, "ip", "a")
    assert found["rules"] == "cfr+"
    assert spot.oop["QsQh"] == 1  # blocked on the board of the file, not on this one


def test_another_decision_saved_and_gone_on_with(output, tmp_path):
    path = tmp_path / "river.spot"
    words = arguments(iterations="20", until="0", save=str(path))
    found = json.loads(output(*words, "--at", "x b50%", "--compressed", "--json"))
    assert (found["line"], found["player"]) == ("x b32", "oop")
    assert load_solver(path).iterations == 20
    more = ["--resume", str(path), "--iterations", "30", "--until", "0", "--json"]
    found = json.loads(output(*more))
    assert found["iterations"] == 30
    assert load_solver(path).iterations == 20  # kept only when asked
    text = output("--resume", str(path), "--iterations", "25", "--until", "0", "--save", str(path))
    assert f"saved to {path}" in text
    assert load_solver(path).iterations == 25


def test_a_grid_a_picture_and_a_table(output, tmp_path):
    png, table = tmp_path / "spot.png", tmp_path / "spot.csv"
    text = output(*arguments(at="x"), "--grid", "--png", str(png), "--export", str(table))
    assert "IP to act" in text
    assert f"drawn in {png}\nwritten to {table}\n" in text
    assert png.read_bytes()[:4] == b"\x89PNG"
    assert "AsAh" in table.read_text(encoding="utf-8")


def test_a_river_takes_one_thread(output):
    assert "kB; dcfr-ranges, 1 thread\n" in output(*arguments(threads="2", iterations="1"))
    turn = output(*arguments(**HEADS, threads="2", iterations="1"))
    assert "dcfr-ranges, 2 threads\n" in turn


def test_cards_after_which_nobody_is_left(output):
    text = output(*arguments(**HEADS, iterations="5", at="x x"))
    shown = [line.replace("│", " ").split() for line in text.splitlines() if "│" in line]
    dashed = {row[0] for row in shown if row[1:] == ["-"] * 5}
    assert dashed == {"As", "Ah", "Ks", "Kh"}
    assert {row[0] for row in shown[-5:-1]} == dashed  # after all others
    assert shown[-1][0] == "together"
    assert len(shown) == 48 + 1
    assert "nan" not in text
    for card, who in (("As", "OOP"), ("Kh", "IP")):
        text = output(*arguments(**HEADS, iterations="5", at=f"x x {card}"))
        assert f"{who} has no hand left after this card\n" in text
        assert "nan" not in text
        found = json.loads(output(*arguments(**HEADS, iterations="5", at=f"x x {card}"), "--json"))
        assert [each["frequency"] for each in found["actions"]] == [None, None]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"save": "{}/no/x"}, "there is no folder"),
        ({"png": "{}/no/x.png"}, "there is no folder"),
        ({"export": "{}/no/x.csv"}, "there is no folder"),
        ({"save": "{}"}, "not a file"),
        ({"export": "{}/x.txt"}, "write .json, .csv or .parquet"),
        ({"export": "{}/x"}, "write .json, .csv or .parquet"),
        ({"png": "{}/x.jpg"}, "write .png"),
        ({"png": "{}/x.png", "at": "x x"}, "48 nodes"),
        ({"png": "{}/x.png", "at": "x, a"}, "2 nodes"),
        ({"png": "{}/x.png", "at": "a f"}, "nobody acts after 'b320 f'"),
        ({"export": "{}/x.csv", "at": "a f"}, "nobody acts after 'b320 f'"),
        ({"export": "{}/x.csv", "at": "x x As"}, "OOP has no hand left after this card"),
        ({"png": "{}/x.png", "at": "x x Ks"}, "IP has no hand left after this card"),
    ],
)
def test_what_cannot_be_written_is_said_before(run, unsolved, tmp_path, changes, says):
    given = {name: text.format(tmp_path) for name, text in changes.items()}
    done = run(*arguments(**HEADS, **given))
    assert done.code == 2
    assert says in done.err
    said = [line for line in done.err.splitlines() if not line.startswith("compiling")]
    assert len(said) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("line", ["x x", "x x As"])
def test_a_grid_of_nobody_is_refused_before(run, unsolved, line):
    assert run(*arguments(**HEADS, at=line), "--grid").code == 2


def test_parquet_without_pyarrow_is_refused_before(run, unsolved, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    done = run(*arguments(export=str(tmp_path / "x.parquet")))
    assert done.code == 2
    assert "needs pyarrow" in done.err


def test_a_closed_folder_is_refused_before(run, unsolved, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != tmp_path.resolve())
    done = run(*arguments(save=str(tmp_path / "x")))
    assert done.code == 2
    assert "not writable" in done.err


@pytest.mark.parametrize("until", ["0", "-1", "nan", "inf"])
def test_what_is_never_reached_is_refused(run, unsolved, until):
    done = run(*arguments(until=until))
    assert done.code == 2
    assert done.err.count("\n") == 1


def test_it_says_that_the_exploitability_no_longer_falls(run, monkeypatch):
    monkeypatch.setattr(ui, "EVERY", 0.0)
    done = run(*arguments(until="1e-12"))
    assert done.code == 0
    assert "no longer falls" in done.out
    assert "10 iterations, exploitability" in done.err
    assert "no longer falls" not in run(*arguments(until="1e-12", iterations="20")).out


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_full_disk_does_not_take_the_result(run, monkeypatch, tmp_path, more):
    def full(*_, **__):
        raise WriteError("cannot write: disk full")

    monkeypatch.setattr("tiltless.cli.study.solve_spot.save_solver", full)
    done = run(*arguments(save=str(tmp_path / "x"), iterations="3"), *more)
    assert done.code == 2
    assert "disk full" in done.err
    assert "exploitability" in done.out
    assert "saved to" not in done.out


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"board": "QsJh"}, "2 cards"),
        ({"board": "QsQs2h"}, "Qs"),
        ({"board": None}, "--board is missing"),
        ({"pot": None}, "--pot is missing"),
        ({"pot": "0"}, "pot"),
        ({"pot": "-4"}, "pot"),
        ({"pot": "x"}, "--pot"),
        ({"pot": "6.5"}, "'6.5'"),
        ({"stack": "0"}, "stack"),
        ({"oop": ""}, "empty"),
        ({"oop": "QsJh"}, "no hand left"),
        ({"oop": "AsAh", "ip": "AhKh"}, "shares a card"),
        ({"bets": "none", "raises": None}, "the bets none"),
        ({"bets": "big"}, "big"),
        ({"menu": "a"}, "leave out --bets and --raises, or --menu"),
        ({"until": "much"}, "--until 'much'"),
        ({"until": "-1%"}, "--until '-1%'"),
        ({"rake": "70%"}, "rake"),
        ({"rake": "x"}, "--rake"),
        ({"rake": "5"}, "write 0.05 or 5%"),
        ({"rake_cap": "-1"}, "rake_cap"),
        ({"aggressor": "me"}, "oop or ip"),
        ({"rules": "es-mccfr"}, "samples"),
        ({"rules": "dcf"}, "did you mean 'dcfr'"),
        ({"threads": "-1"}, "threads"),
        ({"seconds": "0"}, "--seconds"),
        ({"iterations": "-3"}, "iterations"),
        ({"at": "x b51%"}, "51%"),
        ({"memory": "0.001"}, "MB are allowed; compressed tables"),
        ({"resume": "nowhere"}, "leave out --bets, --raises, --board, --oop, --ip, --pot, --st"),
        ({"at": "c"}, "this is not possible here; there is x, b32, b320"),
        ({"at": "x x Ah"}, "no card is dealt here; there is nothing"),
        ({"at": "x *"}, "no card is dealt here; there is x, b32, b320"),
        ({"at": "x,"}, "nothing before or after a comma"),
        ({"lock": "x b32"}, "is not a lock"),
        ({"lock": "x b32: f 80%"}, "sums to 80 %"),
        ({"lock": "x q: f 100%"}, "is not a move"),
    ],
)
def test_bad_input_is_one_clear_line(run, changes, says):
    done = run(*arguments(**changes))
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert says in done.err
    assert done.err.count("\n") == 1


def test_one_hand_and_no_chips(output):
    """One is not many, zero has no sign, and what is not known is a dash."""
    text = output(*arguments(oop="7s7h", ip="QdQh, QdQc", iterations="400", until="0"), "--grid")
    assert "; 1 hand OOP against 2 hands IP\n" in text
    assert "1 board, " in text
    assert " kB; " in text
    assert "1.0 combo, EV 0.00, equity 0.0%, EQR -\n" in text
    assert "-0.00" not in text
    assert "after 1 iteration in" in output(*arguments(iterations="1"))


def test_how_often_play_comes_there(output):
    text = output(*arguments(at="x", until="0.1"))
    assert re.search(r"pot 64, comes up in [1-9][0-9.]* % of deals", text)
    assert "hardly ever" not in text
    text = output(*arguments(oop="7s7h", ip="QdQh", iterations="400", at="a"))
    assert "b320; use --lock" in text
    text = output(*arguments(at="a", until="0.1"))
    assert re.search(r"comes up in 0\.0[0-9] % of deals", text)
    assert "hardly ever" in text


TURN = {"board": "QsJh2h8d", "iterations": "20", "until": "0"}


def shown_rows(text):
    """The rows of a table, by their first cell."""
    lines = [line for line in text.splitlines() if line.startswith("│")]
    cells = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines]
    return {first: rest for first, *rest in cells}


def test_what_is_done_on_each_card(output, tmp_path):
    path = tmp_path / "cards.csv"
    text = output(*arguments(**TURN, at="x x"), "--export", str(path))
    assert "what OOP does after x x *, pot 64, comes up in " in text
    rows = shown_rows(text)
    assert len(rows) == 48 + 1
    same = output(*arguments(**TURN, at="x x *"))
    assert shown_rows(same) == rows
    with open(path, newline="", encoding="utf-8") as file:
        kept = {row["board"][-2:]: row for row in csv.DictReader(file)}
    for card, (ev, equity, other, check, half, shove, bets) in rows.items():
        if card == "together":
            continue
        row = kept[card]
        assert ev == f"{float(row['oop ev']):.2f}"
        assert other == f"{float(row['ip ev']):.2f}"
        assert equity == f"{100 * float(row['oop equity']):.1f} %"
        shares = [float(row[word]) for word in ("x", "b32", "b320")]
        assert [check, half, shove] == [f"{100 * share:.0f} %" for share in shares]
        assert bets == f"{100 * sum(shares[1:]):.0f} %"
    shares = [float(row["often"]) for row in kept.values()]
    evs = [float(row["oop ev"]) for row in kept.values()]
    mean = sum(map(float.__mul__, shares, evs)) / sum(shares)
    assert float(rows["together"][0]) == pytest.approx(mean, abs=0.01)
    found = json.loads(output(*arguments(**TURN, at="x x"), "--json"))
    assert [each["line"] for each in found["places"]] == [row["line"] for row in kept.values()]
    assert found["together"]["often"] == pytest.approx(sum(shares), abs=1e-4)
    assert "line" not in found


def test_means_over_lines_and_cards(output):
    text = output(*arguments(**TURN, at="x, b50%, a"))
    rows = shown_rows(text)
    assert list(rows) == ["x", "b50%", "a", "together"]
    assert re.search(r"Fold +┃ Check ┃ Call", text)
    assert {row[0] for row in rows.values()} == {"IP"}
    assert rows["together"][1] == "100.0 %"
    assert rows["x"][6] == rows["x"][8] == ""  # no fold, no call
    assert rows["a"][7] == rows["a"][9] == ""
    rows = shown_rows(output(*arguments(**TURN, at="x x * x, x b32 c * x")))
    assert list(rows) == ["x x * x", "x b32 c * x", "together"]
    cards = shown_rows(output(*arguments(**TURN, at="x x * x")))
    assert rows["x x * x"][3] == cards["together"][0]
    rows = shown_rows(output(*arguments(**TURN, at="x, x b32")))  # one leads to the other
    assert list(rows) == ["x", "x b32"]


def test_wide_tables_are_not_cut(output):
    sizes = ", ".join(f"{share}%" for share in range(10, 150, 10))
    text = output(*arguments(**{**TURN, "bets": f"{sizes} / none", "raises": None}, at="x x"))
    assert "…" not in text
    assert len(shown_rows(text)["together"]) == 3 + 15 + 1


def test_locks(output, tmp_path):
    path = tmp_path / "locked.spot"
    words = arguments(save=str(path), until="0.2", at="x a", lock="x b320: f 100%")
    text = output(*words)
    assert "1 decision locked\n" in text
    assert shown_rows(text)["Fold"][0] == "100.0 %"
    text = output("--resume", str(path), "--lock", "x b32: f 50%, c 50%", "--at", "x b32")
    assert "2 decisions locked\n" in text
    assert shown_rows(text)["Call 32"][0] == "50.0 %"


def test_a_file_that_is_wrong_is_named(run, tmp_path):
    path = tmp_path / "spot.toml"
    for wrong in ("board =", "bord = 3", 'board = "QsJh"\npot = 3'):
        path.write_text(wrong, encoding="utf-8")
        done = run(str(path))
        assert done.code == 2
        assert done.err.startswith(f"error: {path}: ")
        assert done.err.count("\n") == 1


def test_options_that_a_kept_spot_has_already(run):
    for words in (["--compressed"], ["--rules", "cfr"], ["--menu", "a"], ["--big-blind", "2"]):
        done = run("--resume", "turn.spot", *words)
        assert done.code == 2
        assert f"leave out {words[0]}, or --resume" in done.err


def test_files_that_are_not_there(run, tmp_path):
    done = run(str(tmp_path / "nothing.toml"))
    assert done.code == 2
    assert "cannot read" in done.err
    done = run("--resume", str(tmp_path / "nothing"))
    assert done.code == 2
    assert "cannot read" in done.err


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_shows_what_there_is(tmp_path):
    """It stops after the iteration, and the result is shown and kept."""
    path = tmp_path / "turn.spot"
    wide = {"board": "QsJh2h8d", "oop": "random", "ip": "random", "threads": "1"}
    words = arguments(**wide, until="1e-9", save=str(path))
    process = subprocess.Popen(
        [*COMMAND, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    try:
        first = process.stdout.readline()  # announced: it is about to solve
        assert "QsJh2h8d" in first
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        text, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, errors
    assert "(stopped; " in text
    assert "how often" in text
    assert load_solver(path).iterations > 0


def test_time_is_kept(output):
    begin = time.perf_counter()
    found = json.loads(
        output(
            *arguments(board="QsJh2h8d", oop="random", ip="random", until="0", seconds="0.3"),
            "--json",
        )
    )
    assert found["seconds"] < 3
    assert time.perf_counter() - begin < 30


def test_a_device_that_is_missing_is_refused_in_one_line(run, unsolved, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    missing_card.cache_clear()
    done = run(*arguments(device="gpu"))
    missing_card.cache_clear()
    assert done.code == 2
    assert "tiltless[gpu]" in done.err
    assert "cpu or gpu" in run(*arguments(device="tpu")).err
