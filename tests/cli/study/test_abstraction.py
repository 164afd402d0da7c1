"""``tiltless abstraction`` as a user runs it."""

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from tiltless.abstraction.cards.presets import CARD_PRESETS, card_abstraction
from tiltless.abstraction.cards.tables import _plans
from tiltless.cli.app import app


def run(*arguments):
    """In this process, which is quicker: kernels are loaded once."""
    return CliRunner().invoke(app, ["abstraction", *arguments])


def output(*arguments):
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_presets_are_listed_with_buckets_and_fingerprints():
    text = output("list")
    told = json.loads(output("list", "--json"))
    assert [each["name"] for each in told] == list(CARD_PRESETS)
    for each in told:
        assert each["fingerprint"][:12] in text
        assert each["buckets"] == list(card_abstraction(each["name"]).counts)


def test_an_abstraction_is_shown(monkeypatch, tmp_path):
    monkeypatch.setenv("TILTLESS_CACHE", str(tmp_path))
    text = output("show", "strong")
    assert "potential 1000 l2" in text
    assert "no tables yet: tiltless abstraction build strong" in text
    facts = json.loads(output("show", "thesis", "--json"))
    assert facts["buckets"] == [169, 76_895, 307_580, 1_043_575]
    assert "no tables" not in output("show", "thesis")


def test_a_bucket_is_told_with_the_hands_that_share_it():
    text = output("bucket", "standard", "AsQs", "Ks7s2d9hJs")
    wanted = card_abstraction("standard").bucket("AsQs", "Ks7s2d9hJs")
    assert f"bucket {wanted} of 200 on the river" in text
    assert "of 1,081 hands" in text
    first = output("bucket", "six-player", "AsQs")
    assert "before the flop" in first
    assert "shared by 16 of 1,326 hands: AQ" in first


def test_a_design_is_made_shown_and_reported(tmp_path):
    path = tmp_path / "mine.safetensors"
    text = output(
        "design",
        "lossless, bins 3, bins 4, strength 5",
        "--out",
        str(path),
        "--points",
        "1,600",
        "--tries",
        "1",
    )
    assert "bins 3, bins 4, strength 5 l2" in text
    assert "strength 5 l2" in output("show", str(path))
    folder = tmp_path / "report"
    told = json.loads(
        output("report", str(path), "--boards", "2", "--out", str(folder), "--json").splitlines()[0]
    )
    assert [street["buckets"] for street in told["streets"]] == [169, 3, 4, 5]
    assert (folder / "index.html").is_file()
    assert "about" in output("build", str(path), "--dry-run", "--folder", str(tmp_path / "t"))


def test_boards_that_run_on_have_buckets():
    text = output("bucket", "river-of-blood", "AsKd", "Ks7d2c9hJh3h")
    assert "of 40 on the run1 (run-histogram(50) 40 l1)" in text
    assert "run4" in output("show", "river-of-blood")


def test_names_are_printed_as_they_are(tmp_path):
    path = tmp_path / "mine.safetensors"
    made = ("design", "lossless, bins 3, bins 4, bins 5", "--out", str(path))
    output(*made, "--name", "[/red]")
    assert "[/red], fingerprint" in output("show", str(path))


def test_damaged_tables_are_told(tmp_path):
    abstraction = card_abstraction("tiny")
    for plan in _plans(abstraction, tmp_path):
        plan.path.write_bytes(b"garbage")
    done = run("report", "tiny", "--folder", str(tmp_path))
    assert "is damaged" in str(done.exception)


def test_an_abstraction_without_tables_needs_no_build():
    assert "thesis needs no tables" in output("build", "thesis")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("show", "huge"), "no card abstraction is called 'huge'; known: tiny"),
        (("show", "nothing.safetensors"), "cannot read nothing.safetensors"),
        (("bucket", "tiny", "AsAs"), "As appears twice"),
        (("bucket", "tiny", "AsKd", "As2c3c"), "As is in the hand and in the board"),
        (("bucket", "tiny", "AsKd", "2c3c"), "0, 3, 4 or 5 cards, not 2"),
        (("bucket", "tiny", "AsKdQh"), "is not a hand"),
        (("design", "magic 5", "--out", "x.safetensors"), "names 1 streets"),
        (("design", "tiny", "--out", "x.txt"), "does not end in .safetensors"),
        (("design", "tiny", "--out", "no/where.safetensors"), "there is no folder"),
        (("design", "tiny", "--out", "x.safetensors", "--order", "no-straights"), "leave it out"),
        (
            (
                "design",
                "lossless, bins 5, bins 5, bins 5",
                "--out",
                "x.safetensors",
                "--order",
                "x",
            ),
            "order of hands='x' is not known",
        ),
        (("design", "tiny", "--out", "x.safetensors", "--name", "a\nb"), "cannot be printed"),
        (("report", "tiny", "--hand", "As"), "As is not a hand"),
        (("report", "tiny", "--board", "As2c"), "five cards"),
        (("design", "tiny", "--out", "x.safetensors", "--points", "many"), "is not a number"),
        (("report", "tiny", "--boards", "few"), "is not a number"),
        (("report", "tiny", "--out", __file__), "choose the name of a folder"),
        (("build", "standard", "--folder", __file__), "choose the name of a folder"),
        (
            ("verify", "standard", "--folder", "nowhere"),
            "build it with `tiltless abstraction build`",
        ),
    ],
)
def test_mistakes_end_in_one_line(arguments, problem):
    done = run(*arguments)
    assert done.exit_code == 1  # main turns the error into a line and exit code 2
    assert problem in str(done.exception)
    assert "\n" not in str(done.exception)


def test_the_program_turns_a_mistake_into_a_line():
    done = subprocess.run(
        [sys.executable, "-c", "from tiltless.cli import main; main()", "abstraction", "show", "x"],
        env={**os.environ, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: no card abstraction is called 'x'")
    assert done.stderr.count("\n") == 1
