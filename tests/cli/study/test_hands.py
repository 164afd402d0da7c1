"""``tiltless hands import``."""

from pathlib import Path

from helpers.command import run_here
from tiltless.games.holdem.histories.files import read_hands

SAMPLES = Path(__file__).parents[2] / "data" / "rooms"


def test_histories_become_phh(tmp_path):
    out, files = tmp_path / "hands.phhs", sorted(map(str, SAMPLES.glob("*.txt")))
    done = run_here("hands", "import", *files, "--out", str(out))
    assert done.returncode == 0, done.stderr
    records = list(read_hands(out))
    assert f"{len(records)} hands" in done.stdout
    assert [record.payoffs for record in records] == [
        record.payoffs for file in files for record in read_hands(file)
    ]


def test_a_hand_that_is_not_over_is_left_out(tmp_path):
    source, out = tmp_path / "cut.txt", tmp_path / "hands.phhs"
    text = (SAMPLES / "pokerstars.txt").read_text()
    first, rest = text.split("Hero: bets $8.50", 1)
    source.write_text(first + rest[rest.index("\n\n\n") :])
    done = run_here("hands", "import", str(source), "--out", str(out))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "hand 250000000001: it is not over" in done.stderr
    assert len(list(read_hands(out))) == 3
    assert "HAND:" not in out.read_text()


def test_hands_that_are_left_out_are_named(tmp_path):
    source, out = tmp_path / "some.txt", tmp_path / "hands.phhs"
    text = (SAMPLES / "pokerstars.txt").read_text()
    source.write_text(text.replace("anna: folds", "anna: hesitates", 1))
    done = run_here("hands", "import", str(source), "--out", str(out))
    assert done.returncode == 1
    assert "anna: hesitates" in done.stderr
    assert len(list(read_hands(out))) == 3
    nowhere = run_here("hands", "import", str(source), "--out", str(tmp_path / "no" / "x.phhs"))
    assert (nowhere.returncode, nowhere.stderr.count("\n")) == (2, 1)
    assert "no folder" in nowhere.stderr
    again = run_here("hands", "import", str(out), "--out", str(out))
    assert again.returncode == 2
    assert again.stderr.count("\n") == 1


def test_a_file_that_is_no_text_and_one_that_is_missing(tmp_path):
    binary = tmp_path / "binary"
    binary.write_bytes(b"\x89PNG")
    for file, problem in (
        (binary, "it is not text"),
        (tmp_path / "x", "No such file or directory"),
    ):
        done = run_here("hands", "import", str(file), "--out", str(tmp_path / "out"))
        assert done.returncode == 2
        assert done.stderr == f"error: cannot read {file}: {problem}; choose a file of hands\n"


def test_a_file_without_hands_is_named(tmp_path):
    empty, out = tmp_path / "empty.txt", tmp_path / "out.phhs"
    empty.touch()
    done = run_here("hands", "import", str(empty), "--out", str(out))
    assert done.returncode == 1
    assert done.stderr == f"{empty} has no hands; give a history of a poker room, or PHH\n"
