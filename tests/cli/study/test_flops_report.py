"""``tiltless report flops`` as a user runs it, with few hands on a few flops."""

import json

import pytest

from helpers.command import run_here
from tiltless.postflop.device import card
from tiltless.postflop.flops import solve
from tiltless.postflop.flops.run import FlopFolder

SPOT = {
    "--oop": "KK,T9s,A5s",
    "--ip": "AKs,QQ,76s",
    "--pot": "20",
    "--stack": "30",
    "--menu": "flop: 50%, a; turn, river: none",
    "--flops": "Ks7s2h, QsTs8s",
    "--until": "0",
    "--iterations": "10",
    "--processes": "1",
}


def words(out, *more, **changes):
    given = {**SPOT, **{f"--{name.replace('_', '-')}": text for name, text in changes.items()}}
    pairs = (word for pair in given.items() if pair[1] is not None for word in pair)
    return "report", "flops", "--out", str(out), *pairs, *more


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("cli") / "report"
    done = run_here(*words(out))
    assert done.returncode == 0, done.stderr
    assert "2 flops" in done.stdout
    assert "two-tone" in done.stdout
    assert "All-in" in done.stdout
    return out


def test_a_folder_is_shown_again_as_json_and_files(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(solve, "solve_spot", lambda *_, **__: pytest.fail("solved again"))
    picture, table = tmp_path / "a.png", tmp_path / "a.csv"
    done = run_here(
        *("report", "flops", "--out", str(folder), "--json", "--by", "flop", "--sort", "-ip ev"),
        *("--png", str(picture), "--export", str(table)),
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["flops"] == 2
    first, second = found["decisions"]
    assert (first["player"], second["line"]) == ("oop", "x")
    assert sum(second["all"]["actions"].values()) == pytest.approx(1, abs=1e-5)
    evs = [row["ip ev"] for row in second["rows"]]
    assert evs == sorted(evs)
    assert len(table.read_text().splitlines()) == 5
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_more_flops_continue_a_folder(folder):
    done = run_here("report", "flops", "--out", str(folder), "--flops", "5s5h2d,Ks7s2h", "--json")
    assert json.loads(done.stdout)["weight"] == 12 + 12
    assert set(FlopFolder.open(folder).__enter__().results) == {"Ks7s2h", "QsTs8s", "5s5h2d"}


def test_other_settings_need_another_folder(folder):
    done = run_here(*words(folder, pot="21"))
    assert done.returncode == 2
    assert "pot 20" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_failure_is_named_at_the_end(tmp_path, monkeypatch):
    real = solve.solve_spot

    def fails(spot, *more, **options):
        if spot.board_text == "Ks7s2h":
            raise MemoryError("no room")
        return real(spot, *more, **options)

    monkeypatch.setattr(solve, "solve_spot", fails)
    done = run_here(*words(tmp_path / "some"))
    assert done.returncode == 1
    assert "Ks7s2h failed: MemoryError: no room" in done.stderr
    assert "1 flops are not solved" in done.stderr


def test_an_interrupt_shows_what_there_is(folder, monkeypatch):
    def stops(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(solve, "solve_spot", stops)
    done = run_here("report", "flops", "--out", str(folder), "--flops", "Ks7s2h,8s8h8d")
    assert done.returncode == 130
    assert "Ks7s2h" in done.stdout or "two-tone" in done.stdout


def test_a_dry_run_solves_and_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(solve, "solve_spot", lambda *_, **__: pytest.fail("solved"))
    done = run_here(*words(tmp_path / "none", "--dry-run", flops="49"))
    assert done.returncode == 0, done.stderr
    assert "49 flops" in done.stdout
    assert "MB" in done.stdout
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"oop": None},
        {"flops": "26"},
        {"flops": "Ks7s"},
        {"flops": ""},
        {"at": "x x"},
        {"at": "x,"},
        {"sort": "colour"},
        {"by": "colour"},
        {"png": "a.jpg"},
        {"export": "a.xlsx"},
        {"until": "200%"},
        {"oop": "AsKs", "flops": "25"},
        {"png": "a.png", "at": "start, x, b10"},
        {"device": "gpu"},
        {"device": "tpu"},
    ],
)
def test_mistakes_are_one_line_before_anything_is_solved(tmp_path, monkeypatch, changes):
    monkeypatch.setattr(solve, "solve_spot", lambda *_, **__: pytest.fail("solved"))
    monkeypatch.setattr(card, "missing_card", lambda: "there is no card; use one that has a card")
    done = run_here(*words(tmp_path / "none", **changes))
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "none").exists()
