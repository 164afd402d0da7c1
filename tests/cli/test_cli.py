"""The commands as a user runs them: in a process of their own where that can matter."""

import io
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import redirect_stdout
from unittest.mock import patch

import pytest
import typer
from rich.text import Text

import tiltless
from helpers.command import PROGRAM, output, run, run_here
from tiltless.cli import main, ui
from tiltless.cli.app import COMMANDS, app
from tiltless.kernels.base.jit import code_folder


def fresh(*arguments, **environment):
    """Standard output of a process of its own."""
    done = run(*arguments, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_version():
    assert output("--version") == f"tiltless {tiltless.__version__}\n"


def test_hand():
    text = fresh("hand", "AsKsQh", "2d", "Js Tc 3h", PYTHONIOENCODING="ascii")
    assert "straight, ace high" in text
    assert "As Ks Qh Js Tc" in text.replace("\n", " ")


def test_hand_as_json():
    got = json.loads(output("hand", "--json", "As6h7d8c9s", "--short-deck"))
    assert got["name"] == "straight, nine high"
    assert got["best_five"] == "9s8c7d6hAs"
    assert got["category"] == "straight"


def test_hand_with_permuted_ranks():
    got = json.loads(output("hand", "--json", "JsQdAcKhTd", "--ranks", "23456789TJQAK"))
    assert got["name"] == "straight, king high"


def test_equity():
    text = output("equity", "AsAh", "KK,QQ", "--board", "QsJh2h")
    assert "64.8822%" in text
    assert "exact: 8,910 deals" in text


def test_equity_that_is_sampled_says_so():
    command = ["equity", "AA", "KK", "--method", "monte carlo", "--samples", "1000", "--seed", "3"]
    text = output(*command)
    assert "Monte Carlo, seed 3: 1,000 deals" in text
    assert "+/-" in text
    got = json.loads(output(*command, "--json"))
    assert got["method"] == "monte carlo"
    assert sum(got["shares"]) == pytest.approx(1)


def test_range(tmp_path):
    picture = tmp_path / "range.png"
    text = output("range", "QQ+,AKs", "--png", str(picture))
    assert "22 combos (1.7%)" in text
    assert picture.read_bytes().startswith(b"\x89PNG")
    got = json.loads(output("range", "AKs,QQ,KK,AA", "--json", "--board", "As7d2c"))
    assert got["combos"] == 3 + 6 + 6 + 3


def test_the_first_run_compiles_and_says_so_and_the_cache_is_listed_and_cleaned(tmp_path):
    cache = {"TILTLESS_CACHE": str(tmp_path)}
    first, second = (run("hand", "AsKsQsJsTs", **cache) for _ in range(2))
    assert first.stderr.count("compiling kernels, once") == 1
    assert second.stderr == ""
    assert first.stdout == second.stdout
    code = tmp_path / "code" / code_folder().name
    other = code.with_name("0123456789abcdef")
    other.mkdir()
    with patch("tiltless.cli.upkeep.cache.code_folder", lambda: code):
        listed = output("cache", "list", **cache)
        assert listed.count("compiled code, in use") == 1
        assert "hand-tables" in listed
        assert "freed" in output("cache", "clean", **cache)
        assert code.exists()
        assert not other.exists()
        assert "hand-tables" in output("cache", "list", **cache)
        output("cache", "clean", "--all", **cache)
        assert not code.exists()
        assert "hand-tables" not in output("cache", "list", **cache)


MISTAKES = [
    (["hand", "AsAs3d4d5d"], "As appears twice"),
    (["hand", "AsXx3d4d5d"], "'Xx' in"),
    (["hand", "AsKs"], "2 cards; give 5 to 33"),
    (["hand", "AsKsQsJsTs", "--ranks", "234"], "not a permutation"),
    (
        ["hand", "AsKsQsJsTs", "--ranks", "23456789TJQAK", "--short-deck"],
        "--short-deck and --ranks",
    ),
    (["equity", "AsAh"], "give 2 to 10"),
    (["equity", "AsAh", "AsKs"], "no deal is possible"),
    (["equity", "AsAh", "KK", "--board", "AsKd2c"], "has no hand left"),
    (["equity", "AsAh", "KZ"], "KZ"),
    (["equity", "AsAh", "KK", "--board", "[bold]"], "not a card"),
    (["range", ""], "empty"),
    (["range", "AA", "--board", "AsAhAd"], "blocks every combo"),
    (["equity", "AA", "KK", "--samples", "x"], "'x'"),
    (["equity", "AA", "KK", "--samples", "9" * 20], "samples=99999999999999999999 is not possible"),
    (["match", "fish", "fold", "--processes", "-7"], "-7"),
    (["equity", "AA", "KK", "--method", "monte carlo", "--seed", "-1"], "seed=-1"),
    (["equity"], "Missing argument"),
    (["equity", "--nothing"], "No such option"),
    (["nothing"], "no command is called 'nothing'"),
    (["mach"], "did you mean 'match'"),
    (["range", "AA", "--png", "/no/such/folder/x.png"], "/no/such/folder/x.png"),
    (["bench", "nothing"], "no bench is called 'nothing'"),
]


@pytest.mark.parametrize(("arguments", "message"), MISTAKES)
def test_a_mistake_is_one_line_and_exit_code_2(arguments, message):
    is_one_line(run_here(*arguments), message)


@pytest.mark.parametrize("which", [0, *[pytest.param(n, marks=pytest.mark.slow) for n in (13, 17)]])
def test_and_so_it_is_in_a_process_of_its_own(which):
    """A mistake of ours, one with an option and one with a command."""
    arguments, message = MISTAKES[which]
    is_one_line(run(*arguments), message)


def is_one_line(done, message):
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_any_width_and_offers_no_shell_completion(name):
    """Paragraphs are wrapped by the terminal alone, and completion would be that of ``games``."""
    text = output(name, "--help", COLUMNS="2000")
    assert "completion" not in text
    _, *paragraphs = re.split(r"\n\s*\n", text.partition("\u256d")[0].strip())
    assert not [each for each in paragraphs if "\n" in each]


def test_an_output_without_our_letters_gets_others():
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    argv = patch.object(sys, "argv", ["tiltless", "--help"])
    with argv, redirect_stdout(out), pytest.raises(SystemExit):
        main()
    out.flush()
    assert b"(Lis? & Bowling 2017)" in out.buffer.getvalue()


def test_an_output_that_is_closed_is_no_fault():
    argv = patch.object(sys, "argv", ["tiltless", "hand", "AsKsQsJsTs"])
    with argv, patch.object(sys, "stdout", None):
        with pytest.raises(SystemExit) as left:
            main()
        sys.stdout.close()
    assert not left.value.code


def test_ctrl_c_is_answered(monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("tiltless.cli.study.show_range.Range", interrupted)
    done = run_here("range", "AA")
    assert done.returncode == 130
    assert done.stderr.strip() == "stopped"


def test_games_are_listed_and_described():
    listed = output("games", COLUMNS="160")
    for name in ("kuhn", "leduc", "nlhe", "river-of-blood"):
        assert name in listed
    shown = output("games", "show", "kuhn", "players=3")
    assert "3 players, zero sum" in shown
    assert "48 information sets" in shown
    assert "payoffs:" in shown
    assert output("games", "show", "nlhe", "seats=3", "stack=20bb", "blinds=1,2")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ledoc"], "did you mean 'leduc'"),
        (["kuhn", "players"], "'players' is not a parameter; write name=value"),
        (["kuhn", "players=3", "players=4"], "given twice"),
        (["kuhn", "seats=3"], "no parameter of kuhn is called 'seats'"),
        (["kuhn", "players=99"], "99"),
    ],
)
def test_mistakes_with_games(arguments, message):
    done = run_here("games", "show", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_solve(tmp_path):
    picture, kept = tmp_path / "kuhn.png", tmp_path / "kuhn.safetensors"
    text = output("solve", "kuhn", "--until", "1e-3", "--plot", str(picture), "--save", str(kept))
    assert "58 histories" in text
    assert "exploitability" in text
    assert "player 0, J" in text
    assert picture.read_bytes().startswith(b"\x89PNG")
    again = output(
        "solve", "kuhn", "--iterations", "9000", "--save", str(kept), "--resume", "--quiet"
    )
    assert "after 9,000 iterations" in again


def test_solve_compares_and_writes_strategies(tmp_path):
    text = output("solve", "kuhn", "--algorithm", "cfr,dcfr", "--iterations", "200", "--quiet")
    table = text[text.index("seconds") :]  # sorted by distance, and dcfr is the better one
    assert 0 < table.index("dcfr") < table.rindex("cfr ")
    file = tmp_path / "strategy.safetensors"
    output("solve", "kuhn", "players=3", "--iterations", "20", "--strategy", str(file))
    from tiltless.tabular.strategy import Strategy

    assert Strategy.load(file).game.players == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["kuhn", "--algorithm", "dcfx"], "did you mean 'dcfr'"),
        (["kuhn", "--algorithm", ","], "no algorithm"),
        (["kuhn", "--resume"], "--resume needs --save"),
        (["kuhn", "--resume", "--save", "/no/such/file"], "/no/such/file"),
        (["kuhn", "--until", "-1"], "cannot be reached"),
        (["kuhn", "--until", "nan"], "cannot be reached"),
        (["kuhn", "--iterations", "-5"], "-5 iterations are too few"),
        (["kuhn", "--seconds", "0"], "0.0 seconds are too few"),
        (["nlhe"], "nlhe"),
        (["kuhn", "--algorithm", "cfr,dcfr", "--save", "x"], "take one algorithm"),
        (["kuhn", "--plot", "x.txt"], "write .png"),
        (["kuhn", "--plot", "/no/such/x.png"], "there is no folder /no/such"),
        (["kuhn", "--save", "/no/such/x"], "there is no folder /no/such"),
        (["kuhn", "--strategy", "/no/such/x"], "there is no folder /no/such"),
        (["leduc", "--memory", "0"], "--memory 0 is not possible"),
        (["kuhn", "--threads", "99999"], "--threads=99999 is not possible"),
        (["leduc", "--memory", "0.1"], "allow more"),
    ],
)
def test_mistakes_with_solve(arguments, message):
    done = run_here("solve", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


TELLING = """
import sys
from tiltless.cli import main
from tiltless.cli.study import solve
search = solve.solve
def telling(solver, *, on_point, **limits):
    def tell(point):
        on_point(point)
        print("point", file=sys.stderr, flush=True)
    search(solver, on_point=tell, **limits)
solve.solve = telling
main()
"""


def test_ctrl_c_keeps_the_result(tmp_path):
    kept = tmp_path / "leduc.safetensors"
    command = ["solve", "leduc", "--seconds", "1000", "--save", str(kept)]
    process = subprocess.Popen(
        [sys.executable, "-c", TELLING, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline().startswith("leduc")
    while process.stderr.readline() != "point\n":  # lines about compiling come first
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    text, _ = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "the result is kept" in text
    assert kept.exists()


def test_solve_ends_after_the_same_iterations_each_time():
    command = ("solve", "leduc", "--until", "1e-3", "--quiet")
    found = [re.search(r"(\S+) after ([\d,]+) iterations", output(*command)) for _ in range(2)]
    assert found[0].groups() == found[1].groups()


def test_a_pipe_is_told_how_far_it_is(monkeypatch):
    monkeypatch.setattr(ui, "EVERY", 0.0)
    done = run_here("solve", "kuhn", "--iterations", "30")
    assert [line.split()[1] for line in done.stderr.splitlines()] == ["10", "20", "30"]
    assert not run_here("solve", "kuhn", "--iterations", "30", "--quiet").stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize(
    "command",
    [
        ("solve", "kuhn", "--iterations", "5"),
        pytest.param(("hand", "AsKsQsJsTs", "--json"), marks=pytest.mark.slow),
    ],
)
def test_output_that_is_full_is_said_in_one_line(command):
    with open("/dev/full", "w") as full:
        done = subprocess.run([*PROGRAM, *command], stdout=full, stderr=subprocess.PIPE, text=True)
    said = [line for line in done.stderr.splitlines() if "compiling" not in line]
    assert done.returncode == 1
    assert len(said) == 1
    assert "No space left" in said[0]


@pytest.mark.parametrize(
    ("name", "says"), [("x.txt", "write .png"), ("no/x.png", "there is no folder"), ("x", ".png")]
)
def test_a_picture_that_cannot_be_is_refused_before(tmp_path, name, says):
    for command in (("range", "AA"), ("blueprint", "query")):
        done = run_here(*command, "--png", str(tmp_path / name))
        assert done.returncode == 2
        assert says in done.stderr
        assert done.stderr.count("\n") == 1
        assert not list(tmp_path.iterdir())


def test_the_program_is_a_module_as_well():
    command = [sys.executable, "-m", "tiltless"]
    done = subprocess.run([*command, "hand", "AsAh"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "2 cards" in done.stderr
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"tiltless {tiltless.__version__}\n"


def helps(command, name="tiltless"):
    """Help texts of a command, of its options and of the commands below it."""
    yield name, command.help or ""
    for option in command.params:
        yield f"{name} {option.name}", getattr(option, "help", None) or ""
    if hasattr(command, "list_commands"):
        for word in command.list_commands(None):
            yield from helps(command.get_command(None, word), f"{name} {word}")


def test_no_word_of_a_help_text_is_taken_for_markup():
    found = list(helps(typer.main.get_command(app)))
    assert len(found) > 300
    for name, text in found:
        assert Text.from_markup(text).plain == text.replace(r"\[", "["), name


def test_every_command_is_in_a_panel():
    told = output("--help")
    panels = [
        told.index(f"─ {panel} ─") for panel in dict.fromkeys(p for _, p in COMMANDS.values())
    ]
    assert panels == sorted(panels)
    assert "─ Commands ─" not in told


@pytest.mark.parametrize("command", [("solve-spot",), ("report", "flops")])
def test_help_names_the_extra(command):
    told = " ".join(output(*command, "--help").replace("│", " ").split())
    assert "(needs tiltless[gpu])" in told


def test_a_table_is_written_with_slashes_between_rows():
    text = output("games", "show", "matrix", "row=1,-1/-1,1", "row_actions=heads,tails")
    assert "heads" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["permutation", "ranks=5"], "rank order 5 is not a string"),
        (["matrix", "row=1,-1"], "on the command line 1,-1/-1,1"),
        (["matrix", "1,-1/-1,1"], "or row=1,-1/-1,1"),
        (["nlhe", "stack=1"], "below blind and ante"),
    ],
)
def test_more_mistakes_with_games(arguments, message):
    done = run_here("games", "show", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
